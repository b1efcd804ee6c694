"""Prediction by packed forests: blocks of rows, and rows that float32 holds, beside the trees one by one."""

import numpy as np
import pytest
from sklearn.datasets import make_regression

from espalier.kernels.forest.packed import (
    FEWEST,
    MANY_NODES,
    MOST_TOGETHER,
    block_rows,
    pack_forest,
    rows_of,
    short,
)
from espalier.learners import RandomForestClassifier, RandomForestRegressor
from espalier.predict import leaves
from espalier.trees import LEAF, Tree, make_forest


def forest_of_numbers(**parameters) -> RandomForestRegressor:
    return RandomForestRegressor(n_estimators=8, random_state=0).set_params(**parameters)


def test_many_blocks_of_rows_are_predicted_like_each_alone():
    wide, numbers = (np.asarray(a) for a in make_regression(120, 1100, noise=5, random_state=0))
    forest = forest_of_numbers().fit(wide, numbers)
    assert block_rows(8 * 1100) == FEWEST
    many = np.random.default_rng(0).normal(size=(3 * FEWEST + 7, 1100))
    expected = np.mean([tree.value[leaves(tree, many), 0] for tree in forest.forest_.trees], axis=0)
    for n_jobs in (1, 2, 3):
        assert forest.set_params(n_jobs=n_jobs).predict(many) == pytest.approx(expected, abs=1e-9)


def assert_is_packed(packed, number: int, tree: Tree):
    """Walk through a tree and its packed nodes side by side."""
    pending = [(0, int(packed.root[number]))]
    while pending:
        node, at = pending.pop()
        step, is_leaf = packed.nodes[at], tree.feature[node] == LEAF
        assert packed.missing_left[at] == tree.missing_left[node]
        assert packed.categories[at] == tree.categories[node]
        assert (packed.leaf[at] >= 0) == is_leaf
        if is_leaf:
            assert np.array_equal(packed.value[packed.leaf[at]], tree.value[node])
            assert (step.feature, step.threshold, step.next) == (0, np.inf, at)
        else:
            assert step.feature == tree.feature[node]
            assert np.array_equal(step.threshold, tree.threshold[node], equal_nan=True)
            pending += [(tree.left[node], step.next), (tree.right[node], step.next + 1)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_small_trees_packed_together_and_large_ones_are_the_trees_and_no_value_is_missing(n_threads):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (300, 4)).astype(float), rng.integers(0, 3, 300)
    small = RandomForestClassifier(n_estimators=9, categorical_features=[3], random_state=0).fit(X, y).forest_
    X, y = rng.normal(size=(MOST_TOGETHER, 2)), rng.integers(0, 3, MOST_TOGETHER)
    large = RandomForestClassifier(n_estimators=2, max_depth=None, random_state=0).fit(X, y).forest_
    trees = [*small.trees, *large.trees, *small.trees, *large.trees * (MANY_NODES // large.trees[0].n_nodes)]
    packed = pack_forest(make_forest(trees, np.ones(len(trees)), "mean", small.prior), n_threads)
    assert packed.has_categories
    assert len(packed.value) == sum(tree.n_leaves for tree in trees)
    assert np.array_equal(np.sort(packed.leaf[packed.leaf >= 0]), np.arange(len(packed.value)))
    for number in (*range(len(small.trees)), len(small.trees) + 1, len(small.trees) + 3, len(trees) - 1):
        assert_is_packed(packed, number, trees[number])
    assert not pack_forest(large).has_categories


@pytest.mark.parametrize("gaps", [False, True])
def test_rows_of_short_numbers_are_predicted_as_they_are_beside_a_long_one(gaps):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 6, (300, 5)).astype(float)
    rows[(rng.random((300, 5)) < 0.2) & gaps] = np.nan
    forest = forest_of_numbers().fit(rows, rng.normal(size=300))
    beside = np.vstack([np.full(5, 0.1), rows])
    assert short(rows_of(rows)).dtype == np.float32
    assert short(rows_of(beside)).dtype == np.float64
    assert np.array_equal(forest.predict(rows), forest.predict(beside)[1:])


def test_values_that_differ_only_in_float64_are_told_apart():
    near = np.repeat([[1.0], [1.0 + 2.0**-40]], 100, axis=0)
    forest = forest_of_numbers(bootstrap=False).fit(near, np.repeat([0.0, 1.0], 100))
    assert np.array_equal(forest.predict(near), np.repeat([0.0, 1.0], 100))
    whole_before = np.vstack([np.ones((100, 1)), near])
    assert np.array_equal(forest.predict(whole_before), np.repeat([0.0, 0.0, 1.0], 100))
