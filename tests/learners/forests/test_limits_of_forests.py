"""The limits of a random forest's trees are those of CART, whose parameters it has."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier as TheirClassifier

from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.progress import Progress
from espalier.trees import is_leaf
from tests.tools.forests import GAPS, X, same_tree, y

LIMITS = [
    {"min_weight_fraction_leaf": 0.1},
    {"max_leaf_nodes": 5},
    {"min_impurity_decrease": 0.02},
    {"ccp_alpha": 0.02},
]


@pytest.mark.parametrize("limits", LIMITS)
def test_one_tree_of_all_samples_is_cart_within_the_same_limits(limits):
    one = {"n_estimators": 1, "bootstrap": False, "max_features": None}
    for table in (X, GAPS):
        forest = RandomForestClassifier(**one, **limits, random_state=0).fit(table, y)
        assert forest.forest_.trees[0].n_leaves > 1
        same_tree(forest.forest_.trees[0], CartClassifier(**limits).fit(table, y).tree_)
    forest = RandomForestRegressor(**one, **limits, random_state=0).fit(GAPS, X[:, 0])
    same_tree(forest.forest_.trees[0], CartRegressor(**limits).fit(GAPS, X[:, 0]).tree_)


def test_random_thresholds_differ_from_tree_to_tree():
    forest = RandomForestClassifier(n_estimators=3, bootstrap=False, max_features=None, splitter="random")
    trees: Any = forest.set_params(random_state=0).fit(X, y).forest_.trees
    roots = [tree.threshold[0] for tree in trees]
    assert len(set(roots)) == 3


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("table", [X, GAPS], ids=["complete", "gaps"])
def test_every_tree_keeps_the_limits_and_all_are_grown(bootstrap, table):
    def trees(**limits):
        forest = RandomForestClassifier(n_estimators=7, bootstrap=bootstrap, random_state=0, **limits)
        progress = Progress()
        grown = forest.fit(table, y, progress=progress).forest_.trees
        assert len(grown) == 7
        assert progress.done == 7 * len(y)
        return grown

    assert all(t.weight[is_leaf(t)].min() >= 15 for t in trees(min_weight_fraction_leaf=0.1))
    assert all(t.n_leaves <= 4 for t in trees(max_leaf_nodes=4))
    pruned, whole = trees(ccp_alpha=0.05), trees()
    assert all(a.n_leaves <= b.n_leaves for a, b in zip(pruned, whole, strict=True))
    assert sum(t.n_leaves for t in pruned) < sum(t.n_leaves for t in whole)
    few = trees(min_impurity_decrease=0.05)
    assert sum(t.n_leaves for t in few) < sum(t.n_leaves for t in whole)


def test_a_forest_pruned_as_scikit_learns_has_about_as_many_leaves():
    ours = RandomForestClassifier(n_estimators=40, ccp_alpha=0.02, max_leaf_nodes=9, random_state=0).fit(X, y)
    theirs = TheirClassifier(40, ccp_alpha=0.02, max_leaf_nodes=9, random_state=0).fit(X, y)
    leaves = np.mean([t.n_leaves for t in ours.forest_.trees])
    assert leaves == pytest.approx(np.mean([t.get_n_leaves() for t in theirs.estimators_]), abs=1)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"splitter": "worst"}, "splitter is 'worst'"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1"),
        ({"min_weight_fraction_leaf": -0.1}, "min_weight_fraction_leaf is -0.1"),
    ],
)
def test_limits_that_mean_nothing_are_refused_by_name(limits, says):
    with pytest.raises(ValueError, match=says):
        RandomForestClassifier(n_estimators=2, **limits).fit(X, y)


def test_leaves_of_cultivated_forests_have_the_weight_asked_for():
    for bootstrap in (False, True):
        forest = CultivatedForestClassifier(
            n_estimators=4, min_weight_fraction_leaf=0.08, bootstrap=bootstrap, random_state=0
        ).fit(X, y)
        free = CultivatedForestClassifier(n_estimators=4, bootstrap=bootstrap, random_state=0).fit(X, y)
        assert min(t.weight[is_leaf(t)].min() for t in forest.forest_.trees) >= 12 * (1 - 1e-9)
        assert min(t.weight[is_leaf(t)].min() for t in free.forest_.trees) < 6
