"""The answers of a cultivated tree with fewer levels: those of the tree that is grown with so many."""

import itertools

import numpy as np
import pytest

from espalier.analysis.cultivated.levels import answers_of_cuts, kept_by_level
from espalier.data import samples
from espalier.learners import CultivatedClassifier, CultivatedRegressor
from espalier.predict import shares


@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize(("learner", "name"), [(CultivatedClassifier, "iris"), (CultivatedRegressor, "sine")])
def test_the_answers_of_each_level_are_those_of_a_tree_grown_with_so_many(learner, name, alpha):
    data = samples.load(name)
    deep = learner(max_depth=30).fit(data.X, data.y).tree_
    kept = kept_by_level(deep, alpha)
    assert len(kept) == deep.depth
    for level, answers in list(enumerate(answers_of_cuts(deep, data.X, kept), start=1))[:6]:
        tree = learner(max_depth=level, ccp_alpha=alpha).fit(data.X, data.y).tree_
        np.testing.assert_allclose(answers, shares(tree, data.X), atol=1e-12)


def test_what_is_left_with_fewer_levels_is_left_with_more():
    data = samples.load("wine")
    kept = kept_by_level(CultivatedClassifier(max_depth=30).fit(data.X, data.y).tree_, 0.003)
    assert all((less <= more).all() for less, more in itertools.pairwise(kept))
