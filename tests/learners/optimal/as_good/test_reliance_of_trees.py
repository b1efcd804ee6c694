"""How much trees rely on a feature: against every pair of two samples, one by one."""

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good.reliance import reliance, reliance_of
from espalier.predict import classes
from tests.tools.naive.optimal import random_case


def as_good(seed, slack=1):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2, costs=bool(seed % 2), weights=(1, 2))
    model = OptimalClassifier(max_depth=2, misclassification_cost=case.cost)
    model.fit(case.X, case.y, sample_weight=case.weight)
    return case, trees_as_good(model, model.prepare(case.X, case.y, case.weight), slack)


def swapped(case, tree, feature):
    """The mean cost when each sample gets the value of each other sample in turn."""
    n, total = len(case.y), 0.0
    for row in range(n):
        for other in set(range(n)) - {row}:
            x = case.X[row].copy()
            x[feature] = case.X[other, feature]
            total += case.weight[row] * case.cost[case.y[row], classes(tree, x[None])[0]] / (n - 1)
    return total


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_the_reliance_of_a_tree_is_the_mean_over_all_pairs_of_samples(seed):
    case, trees = as_good(seed)
    tree = trees.near(trees.n_trees - 1)
    found = reliance_of(trees, trees.shape(trees.n_trees - 1), case.X.shape[1])
    expected = [swapped(case, tree.tree, feature) - tree.objective for feature in range(case.X.shape[1])]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_range_over_all_trees_has_that_of_each():
    case, trees = as_good(1, slack=2)
    found = reliance(trees, case.X.shape[1])
    each = np.array([reliance_of(trees, trees.shape(i), case.X.shape[1]) for i in range(trees.n_trees)])
    assert found.is_exact
    np.testing.assert_array_equal(found.least, each.min(axis=0))
    np.testing.assert_array_equal(found.most, each.max(axis=0))


def test_of_many_trees_some_are_drawn_and_their_range_lies_within_that_of_all():
    case, trees = as_good(0, slack=3)
    every, some = (reliance(trees, case.X.shape[1], limit) for limit in (trees.n_trees, 3))
    assert trees.n_trees > 3
    assert not some.is_exact
    assert (some.least >= every.least).all()
    assert (some.most <= every.most).all()
