"""Gradient boosting under absolute error and Poisson deviance: by hand, beside scikit-learn, and by law."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingRegressor as LevelwiseOfTheirs
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error, mean_poisson_deviance
from threadpoolctl import threadpool_limits

from espalier.data.dataset import Feature
from espalier.export import forest_from_json, forest_to_json
from espalier.learners import GradientBoostingRegressor
from tests.tools.forests import trees_of

SIX = np.arange(1.0, 7.0)[:, None]
LOSSES = ["absolute_error", "poisson"]


def boosted(loss, **parameters):
    return GradientBoostingRegressor(loss=loss, min_samples_leaf=1, **parameters)


def one_step(loss, **parameters):
    return boosted(loss, n_estimators=1, learning_rate=1, max_leaf_nodes=2, **parameters)


def noisy(n=900, seed=0):
    """Rows with counts, and with numbers of which a few are extreme."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 5))
    counts = rng.poisson(np.exp(1 + 2 * X[:, 0] - 3 * X[:, 1] * X[:, 2])).astype(float)
    return X, counts, np.sin(6 * X[:, 0]) * 3 + rng.standard_t(1.5, size=n)


# ---- by hand


def test_a_leaf_steps_by_the_median_of_its_residuals():
    """The median is 3, so that the residuals are -2 -1 | 0 0 2 87: their signs are best split after the second."""
    model = one_step("absolute_error").fit(SIX, [1.0, 2, 3, 3, 5, 90])
    (tree,) = trees_of(model)
    assert model.forest_.start.tolist() == [3.0]
    assert tree.threshold[0] == 2.5
    assert tree.value[1:, 0].tolist() == [-1.5, 1.0]
    assert model.train_score_.tolist() == pytest.approx([-92 / 6, -(0.5 + 0.5 + 1 + 1 + 1 + 86) / 6])


def test_a_leaf_of_counts_steps_by_the_derivatives_but_not_past_its_best_constant():
    """Of the mean 3 and targets 1 1 1 | 5 5 5 derivatives step by 1/3 - 1 and 5/3 - 1; the second is too long."""
    model = one_step("poisson").fit(SIX, [1.0, 1, 1, 5, 5, 5])
    (tree,) = model.forest_.trees
    assert model.forest_.start.tolist() == pytest.approx([np.log(3)])
    assert tree.value[1:, 0].tolist() == pytest.approx([-2 / 3, np.log(5 / 3)])
    assert model.predict(SIX) == pytest.approx(3 * np.exp(np.repeat([-2 / 3, np.log(5 / 3)], 3)))


def test_the_loss_of_counts_is_half_the_deviance_and_predictions_are_above_0_where_all_rows_are_0():
    y = np.array([0.0, 1, 2, 0, 4, 5])
    model = boosted("poisson", n_estimators=3).fit(SIX, y)
    assert -2 * model.train_score_[-1] == pytest.approx(mean_poisson_deviance(y, model.predict(SIX)))
    y = np.repeat([0.0, 9.0], 3)
    assert (boosted("poisson", n_estimators=200, learning_rate=1).fit(SIX, y).predict(SIX) > 0).all()


def test_inner_nodes_of_medians_have_the_mean_of_their_leaves():
    X, _, y = noisy(200)
    (tree,) = boosted("absolute_error", n_estimators=1, max_leaf_nodes=6).fit(X, y).forest_.trees
    for node in np.flatnonzero(tree.feature >= 0):
        below = [tree.left[node], tree.right[node]]
        assert tree.value[node, 0] == pytest.approx(np.average(tree.value[below, 0], weights=tree.weight[below]))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_is_as_many_rows(loss):
    X, counts, _ = noisy(120)
    times = np.random.default_rng(1).integers(1, 4, 120)
    repeated = np.repeat(np.arange(120), times)
    made = {"n_estimators": 3, "max_leaf_nodes": 2}
    one = boosted(loss, **made).fit(X, counts, sample_weight=times).predict(X)
    assert one == pytest.approx(boosted(loss, **made).fit(X[repeated], counts[repeated]).predict(X))


# ---- beside scikit-learn


def test_medians_are_those_of_scikit_learn():
    X, _, y = noisy(400)
    theirs = HistGradientBoostingRegressor(loss="absolute_error", max_iter=1, learning_rate=1, max_leaf_nodes=5)
    ours = GradientBoostingRegressor(loss="absolute_error", n_estimators=1, learning_rate=1, max_leaf_nodes=5)
    X = X.round(2)  # so few different values that each has a bin of its own
    assert ours.fit(X, y).predict(X) == pytest.approx(theirs.fit(X, y).predict(X), rel=1e-5)


def test_the_error_on_new_rows_is_that_of_scikit_learn():
    """Within 5 % of it: new rows of another seed change it by about as much."""
    X, counts, y = noisy()
    old, new = slice(0, 600), slice(600, None)
    limits: Any = {"max_depth": 3, "min_samples_leaf": 20}
    of_medians = LevelwiseOfTheirs(loss="absolute_error", n_estimators=40, **limits)
    of_counts = HistGradientBoostingRegressor(loss="poisson", max_iter=40, **limits)
    for theirs, target, loss in ((of_medians, y, mean_absolute_error), (of_counts, counts, mean_poisson_deviance)):
        ours = GradientBoostingRegressor(loss=theirs.loss, n_estimators=40, **limits).fit(X[old], target[old])
        with threadpool_limits(1):
            expected = loss(target[new], theirs.fit(X[old], target[old]).predict(X[new]))
        assert loss(target[new], ours.predict(X[new])) == pytest.approx(expected, rel=0.05)


# ---- laws


@given(st.lists(st.sampled_from([0.0, 1.0, 3.0, 1e6]), min_size=4, max_size=12).filter(any), st.floats(0.05, 1))
@settings(max_examples=40, deadline=None)
def test_no_round_makes_the_deviance_of_the_rows_grown_on_worse(y, rate):
    """Also where one count is a million times the others, past which a step by derivatives goes."""
    X = np.arange(float(len(y)))[:, None]
    found = -boosted("poisson", n_estimators=8, learning_rate=rate).fit(X, np.array(y)).train_score_
    assert (np.diff(found) <= 1e-9 * np.abs(found[:-1]) + 1e-9).all()


def test_a_few_extreme_targets_move_medians_little():
    X, _, _ = noisy(500)
    y = 3 * X[:, 0]
    y[::25] = 1e6
    off = {loss: np.median(np.abs(GradientBoostingRegressor(loss=loss).fit(X, y).predict(X) - 3 * X[:, 0]))
           for loss in ("absolute_error", "squared_error")}  # fmt: skip
    assert off["absolute_error"] < 0.2
    assert off["squared_error"] > 100


@pytest.mark.parametrize("loss", LOSSES)
def test_a_forest_of_the_loss_is_the_same_after_pickling_and_as_a_document(loss):
    X, counts, _ = noisy(200)
    model = GradientBoostingRegressor(loss=loss, n_estimators=3).fit(X, counts)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    features = tuple(Feature(f"x{i}") for i in range(5))
    forest, _, _ = forest_from_json(forest_to_json(model.forest_, features, Feature("n")))
    assert (forest.link, forest.n_trees) == (model.forest_.link, 3)


@pytest.mark.parametrize("loss", LOSSES)
def test_early_stopping_keeps_the_round_of_least_loss(loss):
    X, counts, _ = noisy(300)
    model = GradientBoostingRegressor(loss=loss, n_iter_no_change=5, random_state=0).fit(X, counts)
    assert model.n_iter_ == max(int(np.argmax(model.validation_score_)), 1)


@pytest.mark.parametrize(("y", "message"), [
    ([1.0, -2.0, 3.0], "negative which is not allowed .* The least is -2; take loss squared_error"),
    ([0.0, 0.0, 0.0], "not positive in any sample; .* another loss than Poisson"),
])  # fmt: skip
def test_targets_without_a_deviance_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        boosted("poisson").fit(SIX[:3], y)
