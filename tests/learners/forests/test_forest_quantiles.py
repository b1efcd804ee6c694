"""Quantiles and intervals of regression forests: by hand, against a naive version, and by laws."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_regression

from espalier.analysis.forests.intervals import JudgedSamples, interval_coverage
from espalier.learners import (
    BaggedForestRegressor,
    CartRegressor,
    CultivatedRegressor,
    ExtraTreesRegressor,
    RandomForestRegressor,
)
from espalier.learners.forests.quantiles import quantiles_by
from tests.tools.naive import quantiles as naive

X, y = (np.asarray(a) for a in make_regression(90, 4, noise=20, random_state=0))
Y = np.round(y, -1)  # with ties
LEVELS = (0.0, 0.1, 0.5, 0.9, 1.0)
FORESTS: list[Any] = [
    RandomForestRegressor(n_estimators=7, min_samples_leaf=4, random_state=0, keep_leaves=True),
    RandomForestRegressor(
        n_estimators=7, criterion="absolute_error", max_depth=3, keep_leaves=True, random_state=0
    ),
    ExtraTreesRegressor(n_estimators=7, max_depth=4, random_state=0, keep_leaves=True),
    BaggedForestRegressor(CartRegressor(max_depth=3), n_estimators=7, random_state=0, keep_leaves=True),
]


def name(forest) -> str:
    return type(forest).__name__ + getattr(forest, "criterion", "")


def test_quantiles_of_one_leaf_are_those_of_its_targets():
    model = ExtraTreesRegressor(n_estimators=3, max_depth=1, min_samples_leaf=4, keep_leaves=True, random_state=0)
    model.fit([[0.0]] * 4, [1.0, 2.0, 3.0, 4.0])
    assert model.predict_quantiles([[0.0]], (0.25, 0.26, 0.5, 0.75, 1.0)).tolist() == [[1, 2, 2, 3, 4]]
    assert model.predict_interval([[0.0]], 0.5).tolist() == [[1, 3]]


@pytest.mark.parametrize("forest", FORESTS, ids=name)
@pytest.mark.parametrize("heavy", [False, True])
def test_quantiles_are_those_of_the_naive_version(forest, heavy):
    weight = 1.0 + np.arange(len(X)) % 3 * heavy
    model = forest.fit(X, Y, sample_weight=weight)
    times = model.in_bag() * weight
    found = model.predict_quantiles(X[:20], LEVELS)
    for row in range(20):
        share = naive.weights(model.forest_, X, X[row], times)
        assert found[row].tolist() == [naive.quantile(Y, share, level) for level in LEVELS]


def test_the_mean_of_the_distribution_is_the_prediction_of_the_forest():
    model = FORESTS[0].fit(X, Y)
    times = model.in_bag().astype(float)
    means = [naive.weights(model.forest_, X, row, times) @ Y for row in X[:10]]
    assert model.predict(X[:10]) == pytest.approx(means)


def test_out_of_bag_quantiles_are_by_trees_that_have_not_seen_the_row():
    model = FORESTS[0].fit(X, Y)
    seen = model.in_bag()
    found = quantiles_by(model.forest_, model.leaf_samples_, X, np.array([0.5]), seen)[:, 0]
    for row in range(len(X)):
        unseen = seen[:, row] == 0
        if not unseen.any():
            assert np.isnan(found[row])
            continue
        some = model.forest_._replace(trees=[t for t, u in zip(model.forest_.trees, unseen, strict=True) if u])
        share = naive.weights(some, X, X[row], seen[unseen].astype(float))
        assert found[row] == naive.quantile(Y, share, 0.5)


def test_quantiles_rise_with_their_level_and_come_in_the_order_asked_for():
    model = FORESTS[2].fit(X, y)
    levels = np.linspace(0, 1, 21)
    found = model.predict_quantiles(X, levels)
    assert (np.diff(found, axis=1) >= 0).all()
    assert np.array_equal(model.predict_quantiles(X, levels[::-1]), found[:, ::-1])
    assert set(found.ravel()) <= set(y)


def test_wide_intervals_hold_more_of_the_rows_that_trees_have_not_seen():
    wide: Any = make_regression(600, 3, noise=30, random_state=1)
    model: Any = RandomForestRegressor(min_samples_leaf=10, keep_leaves=True, random_state=0).fit(*wide)
    found = interval_coverage(model.forest_, model.leaf_samples_, JudgedSamples(wide[0], wide[1], model.in_bag()))
    assert found.n_samples == 600
    assert (np.diff(found.measured) > 0).all()
    assert (np.diff(found.width) > 0).all()
    at_90 = found.measured[list(found.stated).index(0.9)]
    assert at_90 > 0.9 - 4 * np.sqrt(0.09 / 600)  # leaves are wider than the noise: intervals err on the wide side


def test_nothing_is_measured_where_every_tree_has_seen_every_row():
    model = FORESTS[2].fit(X, y)
    found = interval_coverage(model.forest_, model.leaf_samples_, JudgedSamples(X, y, model.in_bag()), (0.5,))
    assert found.n_samples == 0
    assert np.isnan(found.measured).all()


def test_quantiles_survive_pickling():
    model = FORESTS[0].fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_interval(X), again.predict_interval(X))


def test_what_cannot_be_answered_says_why():
    with pytest.raises(ValueError, match="keep_leaves=True"):
        RandomForestRegressor(n_estimators=2).fit(X, y).predict_interval(X)
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        FORESTS[0].fit(X, y).predict_quantiles(X, [0.5, 5])
    with pytest.raises(ValueError, match="between 0 and 1"):
        FORESTS[0].predict_interval(X, 1.0)
    with pytest.raises(ValueError, match="cultivated"):
        BaggedForestRegressor(CultivatedRegressor(max_depth=2), n_estimators=2, keep_leaves=True).fit(X, y)
