"""A leaf's bounds admit exactly the samples that the tree routes there."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.analysis.tree.rules import (
    ALL,
    Bound,
    admits,
    admits_value,
    admitted,
    all_bounds,
    both,
    bounds,
    leaf_bounds,
)
from espalier.kernels.route import leaf_of
from espalier.predict import classes, means, shares
from espalier.trees import is_leaf
from tests.tools import random_trees

untimed = settings(deadline=None, max_examples=100)


@st.composite
def routed(draw):
    features = draw(random_trees.features())
    target = draw(random_trees.targets())
    tree = draw(random_trees.trees(features, target))
    return tree, draw(random_trees.samples(features, tree))


@untimed
@given(routed())
def test_bounds_of_a_leaf_admit_exactly_its_samples(case):
    tree, X = case
    leaf = leaf_of(tree, X)
    for node, demands in leaf_bounds(tree):
        inside = np.ones(len(X), dtype=bool)
        for bound in demands:
            inside &= admits(bound, X[:, bound.feature])
        assert np.array_equal(inside, leaf == node)


@untimed
@given(routed())
def test_all_leaves_are_found_from_left_to_right_with_one_bound_a_feature(case):
    tree, _ = case
    found = leaf_bounds(tree)
    assert [node for node, _ in found] == np.flatnonzero(is_leaf(tree)).tolist()
    assert [node for node, _ in all_bounds(tree)] == list(range(tree.n_nodes))
    for node, demands in all_bounds(tree):
        assert demands == bounds(tree, node)
        assert len({bound.feature for bound in demands}) == len(demands)


@untimed
@given(routed())
def test_predictions_are_the_values_of_the_leaves(case):
    tree, X = case
    leaf = leaf_of(tree, X)
    assert np.array_equal(shares(tree, X), tree.value[leaf])
    assert classes(tree, X).tolist() == [int(np.argmax(tree.value[i])) for i in leaf]
    assert means(tree, X).tolist() == tree.value[leaf, 0].tolist()


def test_bounds_on_one_feature_meet_in_the_narrower():
    met = both(Bound(0, high=1.75, missing=True), Bound(0, low=0.8, missing=False))
    assert met == Bound(0, 0.8, 1.75, ALL, False)
    assert both(Bound(1, categories=0b0110), Bound(1, categories=0b0011)).categories == 0b0010


def test_admitted_codes_obey_thresholds_and_sets():
    assert admitted(Bound(0, low=0.5, high=3.5), 6) == [1, 2, 3]
    assert admitted(Bound(0, categories=0b101), 2) == [0]
    assert admitted(Bound(0, high=-1), 3) == []


def test_a_bound_may_admit_missing_values_only():
    bound = Bound(0, low=math.inf, missing=True)
    assert bound.is_empty
    assert admits(bound, np.array([1.0, np.nan])).tolist() == [False, True]


@given(
    st.integers(0, ALL), st.booleans(), st.sampled_from([-np.inf, 0.0, 2.0]), st.sampled_from([1.0, 63.0, np.inf])
)
def test_a_bound_admits_the_values_that_it_says_one_by_one_and_all_at_once(categories, missing, low, high):
    bound = Bound(0, low, high, categories, missing)
    values = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 31.0, 32.0, 63.0, 64.0, 1e9, np.inf, np.nan])
    inside = [
        missing
        if np.isnan(v)
        else low < v <= high and (categories == ALL or v in admitted(Bound(0, categories=categories), 64))
        for v in values
    ]
    assert admits(bound, values).tolist() == inside
    assert [admits_value(bound, float(v)) for v in values] == inside
