"""Promises of leaves: the limit is of the leaf's own rows, and new rows of each leaf keep it."""

import numpy as np
import pytest

from espalier import predict
from espalier.analysis.promises import conformal
from espalier.analysis.promises.conformal import units_needed
from espalier.analysis.promises.leaves import LeafAnswers, promised_leaves
from espalier.learners import CartClassifier, CartRegressor

LEAVES = np.array([1, 2])


def two_leaves(y, leaf, value):
    return LeafAnswers(LEAVES, np.asarray(value), np.asarray(leaf), np.asarray(y))


def test_each_leaf_names_as_many_classes_as_its_own_rows_ask_for():
    # leaf 1: 19 of 20 rows are of the class that it says; leaf 2: 12 of 20
    y, leaf = np.repeat([0, 1, 1, 0], [19, 1, 12, 8]), np.repeat([1, 2], [20, 20])
    found = promised_leaves(two_leaves(y, leaf, [[0.9, 0.1], [0.4, 0.6]]), 0.9)
    assert found.sets.tolist() == [[True, False], [True, True]]
    assert found.n.tolist() == [20, 20]
    assert found.is_promised.all()


def test_a_leaf_with_too_few_rows_promises_nothing():
    needed = units_needed(0.9)
    for n, is_promised in ((needed - 1, False), (needed, True)):
        one = two_leaves(np.zeros(n, int), np.ones(n, int), [[0.9, 0.1], [0.4, 0.6]])
        found = promised_leaves(one, 0.9)
        assert found.is_promised.tolist() == [is_promised, False]
        assert found.sets[1].all()


def test_intervals_of_a_leaf_are_as_wide_as_its_own_errors():
    y, leaf = np.array([1.0, 2.0, 4.0, 3.0, 10.0, 20.0, 0.0, 30.0]), np.repeat([1, 2], [4, 4])
    found = promised_leaves(two_leaves(y, leaf, [[2.0], [10.0]]), 0.6)
    assert found.limits.tolist() == [conformal.limit(np.array([1.0, 0.0, 2.0, 1.0]), 0.6), 10.0]
    assert found.ends.tolist() == [[1.0, 3.0], [0.0, 20.0]]


def kept(seed, level, is_classes):
    """The rows of a fresh sample whose truth is in the set of their leaf, by leaf: how many, of how many."""
    rng = np.random.default_rng(seed)

    def draw(n):
        X = rng.uniform(size=(n, 1))
        noise = rng.uniform(size=n) < np.where(X[:, 0] < 0.5, 0.05, 0.35)
        y = ((X[:, 0] > 0.3) ^ noise).astype(int)
        return X, y if is_classes else 10.0 * X[:, 0] * (1 + noise)

    learner = CartClassifier if is_classes else CartRegressor
    tree = learner(max_depth=2).fit(*draw(120)).tree_
    (X, y), (X_new, y_new) = draw(120), draw(600)
    node = np.flatnonzero(tree.feature < 0)
    found = promised_leaves(LeafAnswers(node, tree.value[node], predict.leaves(tree, X), y), level)
    place = np.searchsorted(node, predict.leaves(tree, X_new))
    if is_classes:
        holds = found.sets[place, y_new]
    else:
        holds = (found.ends[place, 0] <= y_new) & (y_new <= found.ends[place, 1])
    return np.bincount(place, holds, 4), np.bincount(place, minlength=4)


@pytest.mark.parametrize("is_classes", [True, False])
def test_new_rows_of_every_leaf_have_the_truth_in_its_set_as_often_as_promised(is_classes):
    level, shares = 0.8, []
    for seed in range(120):
        holds, n = kept(seed, level, is_classes)
        shares.append(np.where(n > 0, holds / np.maximum(n, 1), np.nan))
    of_leaf = np.array(shares)
    error = 2.6 * np.nanstd(of_leaf, axis=0) / np.sqrt(120)
    assert (np.nanmean(of_leaf, axis=0) + error >= level).all()


def test_a_leaf_with_rows_of_too_few_groups_promises_nothing():
    n = units_needed(0.9)
    y, unit = np.zeros(2 * n, int), np.concatenate([np.arange(n), np.zeros(n, int)])
    found = promised_leaves(two_leaves(y, np.repeat(LEAVES, n), [[0.9, 0.1], [0.4, 0.6]])._replace(unit=unit), 0.9)
    assert found.is_promised.tolist() == [True, False]
    assert found.in_groups
