"""Impurity curves under the rules of a learner: surrogates, directions of columns, missing values beyond all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from espalier.analysis.tree.impurity import CLASSIFICATION
from espalier.analysis.tree.nodes import impurity_curves, rows_in
from espalier.analysis.tree.split_rules import rules_at
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CartRegressor
from espalier.trees import LEAF
from tests.analysis.tree.test_nodes import CASES, table
from tests.tools.cases import case
from tests.tools.naive import cart as naive


def after_split(tree, node):
    """The impurity after the tree's split of a node, over all its samples."""
    sides = [tree.left[node], tree.right[node]]
    return (tree.weight[sides] * tree.impurity[sides]).sum() / tree.weight[node]


def with_gaps(classification):
    data = table(300, classification)
    X = np.where(np.random.default_rng(4).random(data.X.shape) < 0.2, np.nan, data.X)
    return make_dataset("gaps", X, data.features, data.y, data.target)


@pytest.mark.parametrize(("classification", "criterion"), CASES)
def test_with_surrogates_the_first_curve_is_that_of_the_split_among_the_rows_with_a_value(
    classification, criterion
):
    """The naive version takes the decrease of the samples with a value; their share of the weight scales it."""
    data = with_gaps(classification)
    learner = CartClassifier if classification else CartRegressor
    model = learner(criterion=criterion, missing="surrogate", max_depth=3, categorical_features=data.categorical)
    tree = model.fit(data.X, data.y).tree_
    n_classes = len(data.classes)
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        rows = np.flatnonzero(rows_in(tree, data.X, node))
        curves = impurity_curves(data, rows, None, criterion, rules_at(tree, node, "surrogate"))
        assert curves[0].feature == tree.feature[node]
        x = data.X[rows, tree.feature[node]]
        known = rows[~np.isnan(x)]
        left = np.isin(known, np.flatnonzero(rows_in(tree, data.X, int(tree.left[node]))))
        about = (criterion, n_classes)
        gain = len(known) * naive.impurity(data.y[known], np.ones(len(known)), *about)
        gain -= naive.cost(left, data.y[known], np.ones(len(known)), *about)
        assert curves[0].gain == pytest.approx(gain / len(rows))
        assert not curves[0].missing_left.any()
        assert np.isfinite(curves[0].threshold).all()


def test_with_directions_the_first_curve_is_least_where_the_tree_splits():
    """Every split of the tree is the best that the directions admit at its node: no curve has a better one."""
    for criterion in ["gini", "entropy", "squared_error", "absolute_error", "poisson"]:
        for seed in range(3):
            with case((criterion, seed)):
                rng = np.random.default_rng(seed)
                X = rng.normal(size=(150, 3)).round(1)
                X[rng.random(X.shape) < 0.1] = np.nan
                y = np.sin(3 * np.nan_to_num(X[:, 0])) + np.nan_to_num(X[:, 1]) + rng.normal(size=150)
                is_class = criterion in CLASSIFICATION
                y = (y > 0).astype(float) if is_class else np.abs(y).round(2)
                goal = Feature("y", "category", ("a", "b")) if is_class else Feature("y")
                data = make_dataset("d", X, [Feature(f"x{i}") for i in range(3)], y, goal)
                directions = np.array([1, -1, 0])
                learner: Any = CartClassifier if is_class else CartRegressor
                tree = learner(criterion=criterion, max_depth=4, monotonic_cst=directions).fit(X, y).tree_
                for node in np.flatnonzero(tree.feature != LEAF).tolist():
                    rules = rules_at(tree, node, "side", directions)
                    curves = impurity_curves(data, rows_in(tree, X, node), None, criterion, rules)
                    assert curves[0].impurity.min() == pytest.approx(after_split(tree, node))
                    assert tree.feature[node] in [
                        c.feature for c in curves if c.gain == pytest.approx(curves[0].gain)
                    ]


def test_with_a_category_of_their_own_missing_numbers_never_go_left():
    x = np.array([1.0, 2, 3, 4, np.nan, np.nan])
    data = make_dataset(
        "gaps", x[:, None], [Feature("x")], np.array([0, 0, 1, 1, 0, 0]), Feature("y", "category", ("no", "yes"))
    )
    tree = CartClassifier(max_depth=1, missing="category").fit(data.X, data.y).tree_
    (beyond,) = impurity_curves(data, np.arange(6), None, "gini", rules_at(tree, 0, "category"))
    (better,) = impurity_curves(data, np.arange(6), None, "gini")
    assert (beyond.missing_left.any(), better.missing_left.any()) == (False, True)
    assert beyond.impurity.min() == pytest.approx(after_split(tree, 0))
