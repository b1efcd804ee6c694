"""Averages of a tree's answers over rows: against asking the tree for every row at every place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.route import averages, shares_of_rows
from espalier.predict import shares
from espalier.trees import make_tree
from tests.tools.random_trees import features, targets, trees

NO = np.nan


def column(rng, feature, n):
    values = rng.integers(0, len(feature.categories) + 1, n) if feature.categories else rng.normal(size=n) * 4
    return np.where(rng.random(n) < 0.2, NO, values)


@st.composite
def cases(draw):
    """A tree, rows, places, and one or two axes; missing values and unknown categories among all of them."""
    columns, target = draw(features()), draw(targets())
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X, places = (np.column_stack([column(rng, f, n) for f in columns]) for n in (7, 5))
    axes = draw(st.permutations(range(len(columns))))[: draw(st.integers(1, 2))]
    return draw(trees(columns, target)), X, places, axes


@given(cases())
@settings(max_examples=80)
def test_an_average_is_the_mean_of_what_the_tree_says_of_every_row_moved_to_the_place(case):
    tree, X, places, axes = case
    mean = averages(tree, places, axes, shares_of_rows(tree, X, axes))
    for place, told in zip(places, mean, strict=True):
        moved = X.copy()
        moved[:, axes] = place[axes]
        assert told == pytest.approx(shares(tree, moved).mean(axis=0), rel=1e-12)


def test_rows_reach_both_sides_of_a_split_on_an_axis_and_one_side_of_any_other():
    # x <= 0: then leaf a; else y <= 10: leaf b or leaf c
    leaves = [0, 0, 1, 1, 1]
    tree = make_tree(
        [0, -1, 1, -1, -1], [0.0, NO, 10.0, NO, NO], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], leaves, leaves,
        np.ones(5), np.ones(5), np.arange(5.0)[:, None], np.zeros(5),
    )  # fmt: skip
    X = np.array([[-1.0, 5.0], [1.0, 5.0], [1.0, 15.0], [-1.0, 15.0]])
    assert shares_of_rows(tree, X, (0,)).tolist() == [1, 1, 1, 0.5, 0.5]
    assert shares_of_rows(tree, X, (1,)).tolist() == [1, 0.5, 0.5, 0.5, 0.5]
    at_x = averages(tree, np.array([[-3.0, NO], [3.0, NO]]), (0,), shares_of_rows(tree, X, (0,)))
    assert at_x.ravel().tolist() == [1.0, 3.5]  # leaf 1; half of leaves 3 and 4
