"""Subtrees of few samples are those of the search over the table, and of a search over all cuts."""

from itertools import pairwise

import numpy as np
import pytest

from espalier.kernels.forest.small.few import MOST_WEIGHT
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
