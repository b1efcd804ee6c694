"""Subtrees of few samples, and those of sorted lists, are those of the search over the table and over all cuts."""

from itertools import pairwise

import numpy as np
import pytest

from espalier.kernels.forest.bootstrap import TreeBatch
from espalier.kernels.forest.grow import grow_coded, make_workspace
from espalier.kernels.forest.ordinal import make_coded
from espalier.kernels.forest.small_few import MOST_WEIGHT
from espalier.kernels.forest.small_lists import MOST, MOST_SORTED, make_drawn_lists
from espalier.kernels.task import SQUARED_ERROR, GrowthLimits, Task
from espalier.learners import RandomForestRegressor
from espalier.trees import LEAF
from tests.tools.same_trees import same_but_for_rounding

RNG = np.random.default_rng(31)
TABLES = {
    "numbers": RNG.normal(size=(150, 12)),
    "few values": RNG.integers(0, 4, (150, 12)).astype(float),
    "many columns": RNG.integers(0, 30, (60, 40)).astype(float),
    "one column": RNG.normal(size=(150, 1)),
}


def naive_splits(X, y, times, min_leaf):
    """(feature, threshold) of each node in preorder: of equal cuts the first of the first feature."""
    best = (-np.inf, -1, 0.0)
    for feature in range(X.shape[1] if len(set(y)) > 1 else 0):
        values = np.unique(X[:, feature])
        for low, high in pairwise(values):
            left = X[:, feature] <= low
            n_left, n_right = times[left].sum(), times[~left].sum()
            if min(n_left, n_right) >= min_leaf:
                score = (times * y)[left].sum() ** 2 / n_left + (times * y)[~left].sum() ** 2 / n_right
                if score > best[0] + 1e-9:
                    best = (score, feature, (low + high) / 2)
    if best[1] < 0:
        return [(LEAF, np.nan)]
    left = X[:, best[1]] <= best[2]
    sides = [naive_splits(X[side], y[side], times[side], min_leaf) for side in (left, ~left)]
    return [best[1:], *sides[0], *sides[1]]


@pytest.mark.parametrize("min_leaf", [1, 3])
@pytest.mark.parametrize("name", TABLES)
def test_trees_are_those_of_a_search_over_all_cuts(name, min_leaf):
    X = TABLES[name]
    y = RNG.integers(-5, 6, len(X)).astype(float)
    y -= y.mean().round()  # sums are then exact
    forest = RandomForestRegressor(
        n_estimators=3, max_features=None, min_samples_leaf=min_leaf, max_samples=40, random_state=2
    ).fit(X, y)
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        drawn = times > 0
        splits = naive_splits(X[drawn], y[drawn], times[drawn].astype(float), min_leaf)
        assert tree.feature.tolist() == [feature for feature, _ in splits]
        assert tree.threshold == pytest.approx([cut for _, cut in splits], nan_ok=True)


@pytest.mark.parametrize("max_features", [1, 5, 11])
@pytest.mark.parametrize("name", ["numbers", "few values", "many columns"])
def test_trees_are_those_that_grow_from_sorted_lists(name, max_features):
    """Samples of weight two grow from sorted lists, and try the same features at every node."""
    X = TABLES[name]
    y = RNG.normal(size=len(X))
    forest = RandomForestRegressor(n_estimators=4, max_features=max_features, random_state=5)
    few = forest.fit(X, y).forest_.trees
    lists = forest.fit(X, y, sample_weight=np.full(len(X), 2.0)).forest_.trees
    for one, other in zip(few, lists, strict=True):
        same_but_for_rounding(one, other._replace(weight=other.weight / 2, n_samples=one.n_samples))


def test_few_samples_that_are_too_heavy_for_a_byte_are_split_all_the_same():
    """Fifty copies of eight samples weigh more than a byte holds, where each copy is drawn."""
    X, y = np.repeat(np.arange(8.0), 50)[:, None], np.repeat(RNG.normal(size=8), 50)
    assert len(X) > MOST_WEIGHT
    tree = RandomForestRegressor(n_estimators=1, random_state=0).fit(X, y).forest_.trees[0]
    assert tree.n_leaves == 8


# ---- sorted lists

OF_LISTS = np.random.default_rng(33)
N = 700
NUMBERS = OF_LISTS.normal(size=(N, 6))
LISTED = {
    "numbers": NUMBERS,
    "values that come again": np.column_stack([NUMBERS[:, :4], NUMBERS[:, 4:].round(1)]),
    "the same in all rows": np.column_stack([np.ones((N, 2)), NUMBERS[:, :4]]),
    "one column": NUMBERS[:, :1],
}


def trees_of(X, y, limits, lists):
    """Four trees; with the sorted lists of a small table, those of a large one, or none."""
    coded = make_coded(np.ascontiguousarray(X.T))
    task = Task(SQUARED_ERROR, 0, np.empty(0, np.uint16), y, np.ones(N), True, False, np.empty(1))
    work = make_workspace(coded, task, limits)
    if lists == "none":
        work = work._replace(lists=make_drawn_lists(coded.codes, coded.start, 0))
    if lists == "sorted anew":
        work = work._replace(lists=work.lists._replace(order=np.empty((X.shape[1], 0), np.uint16)))
    batch = TreeBatch(np.arange(4), N, np.zeros(2, np.int64))
    return [tree for tree, _ in grow_coded(coded, task, limits, work, batch)]


@pytest.mark.parametrize("least", [1, 7])
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("name", LISTED)
def test_trees_are_the_same_with_lists_and_without(name, share, least):
    X = LISTED[name]
    tried = max(int(share * X.shape[1]), 1)
    limits = GrowthLimits(1 << 30, 2, least, 0.0, 0.0, 0, tried, False)
    for y in (X[:, -1] + OF_LISTS.normal(size=N), OF_LISTS.integers(-3, 4, N).astype(float)):
        assert len(make_workspace(make_coded(X.T.copy()), task_of(y), limits).lists.members) == N
        one, other, plain = (trees_of(X, y, limits, lists) for lists in ("once", "sorted anew", "none"))
        for trees in zip(one, other, plain, strict=True):
            for field in ("feature", "threshold", "left", "right", "value", "impurity", "missing_left"):
                np.testing.assert_array_equal(getattr(trees[0], field), getattr(trees[2], field), field)
                np.testing.assert_array_equal(getattr(trees[1], field), getattr(trees[2], field), field)


def task_of(y):
    return Task(SQUARED_ERROR, 0, np.empty(0, np.uint16), y, np.ones(len(y)), True, False, np.empty(1))


@pytest.mark.parametrize("min_leaf", [1, 4])
def test_trees_of_sorted_lists_are_those_of_a_search_over_all_cuts(min_leaf):
    X = LISTED["values that come again"][:160]
    y = OF_LISTS.integers(-9, 10, len(X)).astype(float)
    y -= y.mean().round()  # sums are then exact
    forest = RandomForestRegressor(
        n_estimators=2, max_features=None, min_samples_leaf=min_leaf, random_state=4
    ).fit(X, y)
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        drawn = times > 0
        splits = naive_splits(X[drawn], y[drawn], times[drawn].astype(float), min_leaf)
        assert tree.feature.tolist() == [feature for feature, _ in splits]
        assert tree.threshold == pytest.approx([cut for _, cut in splits], nan_ok=True)


def test_lists_are_kept_where_they_pay():
    starts = np.arange(0, 21) * 100
    size = [len(make_drawn_lists(np.zeros((n, 20), np.uint32), starts, 5).members) for n in (50, MOST + 1)]
    assert size == [50, MOST_SORTED]
    codes = np.zeros((50, 20), np.uint32)
    assert len(make_drawn_lists(codes, starts, 4).members) == 0  # few features of many are tried
    assert len(make_drawn_lists(codes, np.arange(0, 21) * 5, 20).members) == 0  # few values
