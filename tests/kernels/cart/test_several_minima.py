"""Impurity with several minima: what more than one neighbourhood does (Nalenz & Augustin 2021, section 5)."""

import numpy as np
import pytest

from espalier.learners import CultivatedClassifier


def stripe():
    """The second class stands in the middle of the only feature: either border is as good as the other."""
    x = np.arange(300.0)
    return x[:, None], ((x >= 100) & (x < 200)).astype(int)


def decisions(**parameters):
    tree = CultivatedClassifier(max_depth=1, **parameters).fit(*stripe()).tree_
    return tree.decisions


def test_one_neighbourhood_takes_one_border():
    assert decisions().threshold.tolist() == [99.5]


def test_a_second_neighbourhood_takes_the_other_border_turned_around():
    found = decisions(neighbourhoods=2)
    assert found.threshold.tolist() == [99.5, 199.5]
    assert found.reversed.tolist() == [False, True]
    assert found.share.tolist() == [0.5, 0.5]
    assert found.impurity[0] == pytest.approx(found.impurity[1], abs=0.01)


def test_there_are_no_more_neighbourhoods_than_minima():
    assert decisions(neighbourhoods=5).threshold.tolist() == [99.5, 199.5]


def test_without_options_there_is_one_neighbourhood():
    assert decisions(neighbourhoods=2, options=False).threshold.tolist() == [99.5]


def test_a_feature_with_one_minimum_has_one_neighbourhood():
    x = np.random.default_rng(0).normal(size=(400, 1))
    one = CultivatedClassifier(max_depth=1).fit(x, x[:, 0] > 0.2).tree_
    more = CultivatedClassifier(max_depth=1, neighbourhoods=3).fit(x, x[:, 0] > 0.2).tree_
    assert more.decisions.threshold.tolist() == one.decisions.threshold.tolist()
