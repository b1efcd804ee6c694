"""Forests of cultivated trees: the mean of their trees, those left out that hesitate."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_regression

from espalier.kernels.cultivated.fractions import predict, reach
from espalier.learners import (
    CultivatedClassifier,
    CultivatedForestClassifier,
    CultivatedForestRegressor,
    CultivatedRegressor,
)
from espalier.trees import CultivatedTree, is_leaf

X, y = (np.asarray(a) for a in make_classification(200, 6, random_state=0))


def small_forest(**parameters) -> CultivatedForestClassifier:
    return CultivatedForestClassifier(n_estimators=4, max_depth=4, random_state=0, **parameters).fit(X, y)


def trees_of(forest) -> list[CultivatedTree]:
    return [tree for tree in forest.forest_.trees if isinstance(tree, CultivatedTree)]


def test_a_forest_of_one_tree_that_sees_every_feature_is_that_tree_of_classes_or_numbers():
    forest = CultivatedForestClassifier(n_estimators=1, max_features=None).fit(X, y)
    tree = CultivatedClassifier(max_depth=30, min_node_weight=2).fit(X, y)
    assert np.array_equal(forest.predict_proba(X), tree.predict_proba(X))
    assert forest.predict_spread(X) == pytest.approx(tree.predict_spread(X), abs=1e-12)
    table, numbers = (np.asarray(a) for a in make_regression(100, 4, random_state=0))
    forest = CultivatedForestRegressor(n_estimators=1, max_features=None).fit(table, numbers)
    tree = CultivatedRegressor(max_depth=30, min_node_weight=2).fit(table, numbers)
    assert np.array_equal(forest.predict(table), tree.predict(table))
    assert forest.predict_spread(table) == pytest.approx(tree.predict_spread(table), abs=1e-9)


def test_forest_predicts_the_mean_of_its_trees_and_they_differ():
    forest = small_forest()
    means = [predict(tree, X)[0] for tree in trees_of(forest)]
    assert forest.predict_proba(X) == pytest.approx(np.mean(means, axis=0), abs=1e-15)
    assert all(np.abs(means[0] - mean).max() > 0.01 for mean in means[1:])


def mean_and_spread_over_leaves(trees: list[CultivatedTree], row: int) -> tuple[np.ndarray, float]:
    """Of one sample, over the leaves of these trees, by its fractions in them."""
    weights, values = [], []
    for tree in trees:
        start, _, fraction = reach(tree, X[[row]])
        for node in np.flatnonzero(is_leaf(tree) & (np.diff(start) > 0)):
            weights.append(fraction[start[node]])
            values.append(tree.value[node])
    mean = np.average(values, axis=0, weights=weights)
    variances = np.average((np.array(values) - mean) ** 2, axis=0, weights=weights)
    return mean, float(np.sqrt(variances.sum() / 2))


def test_spread_is_taken_over_the_leaves_of_all_trees():
    forest = small_forest()
    spread = forest.predict_spread(X)
    for row in range(0, len(X), 20):
        assert spread[row] == pytest.approx(mean_and_spread_over_leaves(trees_of(forest), row)[1], abs=1e-12)


def test_trees_whose_spread_is_above_the_threshold_abstain_unless_all_would():
    spreads = np.stack([predict(tree, X)[1] for tree in trees_of(small_forest())])
    forest = small_forest(abstain=float(np.median(spreads)))
    speaking = forest.speaking(X)
    all_hesitate = (spreads > forest.abstain).all(axis=0)
    assert 0 < all_hesitate.sum() < len(X)
    assert speaking[:, all_hesitate].all()
    assert np.array_equal(speaking[:, ~all_hesitate], (spreads <= forest.abstain)[:, ~all_hesitate])


def test_abstaining_trees_count_neither_in_the_prediction_nor_in_its_spread():
    forest = small_forest(abstain=0.3)
    share, spread, speaking = forest.predict_proba(X), forest.predict_spread(X), forest.speaking(X)
    some = np.flatnonzero(~speaking.all(axis=0))
    assert len(some) > 0
    for row in map(int, some):
        trees = [tree for tree, speaks in zip(trees_of(forest), speaking[:, row], strict=True) if speaks]
        mean, expected = mean_and_spread_over_leaves(trees, row)
        assert share[row] == pytest.approx(mean, abs=1e-12)
        assert spread[row] == pytest.approx(expected, abs=1e-12)


def test_bootstrap_redraws_as_many_samples_for_each_tree_and_predicts_in_the_units_of_the_target():
    forest = small_forest(bootstrap=True)
    counts = [int(tree.n_samples[0]) for tree in trees_of(forest)]
    assert all(count < len(X) for count in counts)
    assert len(set(map(bytes, (tree.value[0] for tree in trees_of(forest))))) > 1
    assert all(tree.weight[0] == len(X) for tree in trees_of(forest))
    table, numbers = (np.asarray(a) for a in make_regression(150, 4, random_state=0))
    forest = CultivatedForestRegressor(n_estimators=5, bootstrap=True, random_state=0).fit(table, numbers + 1e6)
    assert forest.predict(table).mean() == pytest.approx(1e6 + numbers.mean(), abs=numbers.std())
    assert forest.score(table, numbers + 1e6) > 0.5


def test_three_classes_and_a_preset_work_as_for_one_tree():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    forest = CultivatedForestClassifier.preset("CRF-shallow", n_estimators=3, random_state=0)
    forest.fit(X, names)
    assert forest.max_depth == 6
    assert forest.score(X, names) > 0.9
    assert forest.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_samples_in_the_bag_make_the_roots_and_the_others_judge():
    forest = small_forest(bootstrap=True, oob_score=True)
    shares, votes = np.zeros((len(X), 2)), np.zeros(len(X))
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        assert tree.value[0] == pytest.approx(np.bincount(y.astype(np.int64), weights=seen) / len(X))
        shares[seen == 0] += predict(tree, X[seen == 0])[0]
        votes[seen == 0] += 1
    with np.errstate(invalid="ignore"):
        assert forest.oob_decision_function_ == pytest.approx(shares / votes[:, None], nan_ok=True)
    judged = votes > 0
    assert forest.oob_errors_[-1] == np.mean(shares[judged].argmax(axis=1) != y[judged])
