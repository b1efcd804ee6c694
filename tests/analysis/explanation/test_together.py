"""Pairs of features that act together: by hand, as the interaction values they are, and what has none."""

import numpy as np
import pytest

from espalier.analysis.explanation.shapley import shapley_interactions, shapley_values
from espalier.analysis.explanation.together import MOST_FEATURES, MOST_ROWS, pair_effects, rows_in_time
from espalier.data import samples
from espalier.learners import GradientBoostingRegressor, RandomForestClassifier
from espalier.trees import make_sum, make_tree

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def square(values):
    """A tree of two questions, whose four leaves have a quarter of the rows each."""
    feature, nan = [0, 1, -1, -1, 1, -1, -1], np.nan
    threshold, zeros = [0.5, 0.5, nan, nan, 0.5, nan, nan], np.zeros(7)
    value = np.zeros((7, 1))
    value[[2, 3, 5, 6], 0] = values
    weight = [4, 2, 1, 1, 2, 1, 1]
    left, right = [1, 2, -1, -1, 5, -1, -1], [4, 3, -1, -1, 6, -1, -1]
    return make_tree(feature, threshold, left, right, zeros, zeros, weight, weight, value, zeros)


CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_either_but_not_both_is_all_together_and_neither_feature_by_itself():
    found = pair_effects(square([-1, 1, 1, -1]), CORNERS[[0, 1, 1, 2, 3]])
    assert found.pairs(0) == [(0, 1)]
    assert found.added[:, 0, 1, 0] == pytest.approx([-1, 1, 1, 1, -1])
    assert found.added[:, 1, 0, 0] == pytest.approx([-1, 1, 1, 1, -1])


def test_a_sum_of_parts_has_no_pairs():
    found = pair_effects(square([0, 1, 2, 3]), CORNERS)
    assert found.features.tolist() == [0, 1]
    assert found.pairs(0) == []


def test_what_no_pair_and_no_feature_adds_is_nothing():
    lone = square([1, 1, 1, 1])
    found = pair_effects(make_sum([lone], [0.0], "identity", []), CORNERS)
    assert found.added.shape == (4, 0, 0, 1)
    assert found.pairs(0) == []


def test_pairs_are_both_halves_of_the_interaction_values():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS.X, IRIS.y).forest_
    found, whole = pair_effects(forest, IRIS.X[:20]), shapley_interactions(forest, IRIS.X[:20]).added
    for a in range(4):
        for b in range(a):
            each = found.features[[a, b]]
            assert found.added[:, a, b] == pytest.approx(2 * whole[:, each[0], each[1]], abs=1e-14)
    for output in range(3):
        size = np.abs(found.added[..., output]).mean(axis=0)
        order = [size[pair] for pair in found.pairs(output)]
        assert order == sorted(order, reverse=True)


def test_some_features_have_the_values_that_they_have_among_all():
    forest = GradientBoostingRegressor(n_estimators=5).fit(DIABETES.X, DIABETES.y).forest_
    some = [8, 2, 3]
    whole = shapley_interactions(forest, DIABETES.X[:9]).added
    found = shapley_interactions(forest, DIABETES.X[:9], features=some).added
    assert found == pytest.approx(whole[:, some][:, :, some], abs=1e-12)


def test_the_features_that_add_most_are_looked_at():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, MOST_FEATURES + 5))
    forest = GradientBoostingRegressor(n_estimators=20).fit(X, X @ np.arange(X.shape[1])).forest_
    size = np.abs(shapley_values(forest, X).added[..., 0]).mean(axis=0)
    assert pair_effects(forest, X).features.tolist() == np.argsort(-size)[:MOST_FEATURES].tolist()


def test_large_forests_get_fewer_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    small, large = (
        RandomForestClassifier(n_estimators=n, max_depth=depth, random_state=0).fit(X, rng.integers(0, 2, 3000))
        for n, depth in ((5, 3), (60, None))
    )
    assert rows_in_time(small.forest_) == MOST_ROWS
    assert 20 <= rows_in_time(large.forest_) < MOST_ROWS
