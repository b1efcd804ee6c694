"""Trees whose leaves hold linear or logistic models."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import log_loss

from espalier.kernels.model_trees import STEP, ModelTask, best_models
from espalier.kernels.route import columns_of
from espalier.leaf_models import make_leaf_models, scores_of
from espalier.learners import CartRegressor, ModelTreeClassifier, ModelTreeRegressor
from espalier.learners.model_trees.fits import LogLossTarget
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive import model_trees as naive

SEEDS = st.integers(0, 2**32 - 1)


def plain(**settings):
    """A model tree of numbers without shrinkage, so that formulas are those of least squares."""
    return ModelTreeRegressor(shrinkage=0, **settings)


def line_of(model, leaf=0):
    """Intercept and coefficients, by feature, of a leaf."""
    models = model.models_
    terms = slice(*models.start[leaf : leaf + 2])
    return models.intercept[leaf, 0], dict(
        zip(models.feature[terms].tolist(), models.coefficient[terms, 0].tolist(), strict=True)
    )


# ---- by hand


def test_a_linear_target_is_one_leaf_with_its_coefficients():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = plain().fit(X, 1.0 + 2.0 * X[:, 0] - 3.0 * X[:, 2])
    intercept, slopes = line_of(model)
    assert model.tree_.n_leaves == 1
    assert intercept == pytest.approx(1.0, abs=0.01)
    assert [slopes.get(f, 0.0) for f in range(3)] == pytest.approx([2, 0, -3], abs=0.02)
    few, enough = (line_of(plain(min_leaf_weight=5).fit(X[:n], X[:n, 0]))[1] for n in (9, 10))
    assert (few, enough) == ({}, {0: pytest.approx(1)})  # of too few samples for two leaves, the mean


def test_a_line_that_bends_is_split_where_it_bends():
    X = np.linspace(-3, 3, 121)[:, np.newaxis]
    model = plain(max_depth=1).fit(X, np.abs(X[:, 0] - 0.525))
    assert model.tree_.threshold[0] == pytest.approx(0.525)
    assert [line_of(model, leaf)[1][0] for leaf in (1, 2)] == pytest.approx([-1, 1])
    assert model.predict(X) == pytest.approx(np.abs(X[:, 0] - 0.525))


def test_a_step_has_flat_leaves():
    X = np.linspace(0, 1, 50)[:, np.newaxis]
    model = plain().fit(X, (X[:, 0] > 0.495) * 4.0)
    assert model.tree_.n_leaves == 2
    assert model.predict([[0.0], [0.45], [0.55], [1.0]]) == pytest.approx([0, 0, 4, 4])


def test_formulas_are_not_continued_beyond_what_their_leaf_saw():
    X = np.linspace(0, 10, 40)[:, np.newaxis]
    model = plain().fit(X, 3 * X[:, 0])
    assert model.predict([[-5.0], [50.0]]) == pytest.approx([0, 30])


def test_scores_stay_within_their_limits():
    line = make_leaf_models([[0.0]], [0, 1], [0], [[1.0]], [-9.0], [9.0], [0.0], [-1.0], [2.0], "identity")
    assert scores_of(line, np.zeros(3, int), np.array([[-5.0], [0.5], [5.0]])).ravel().tolist() == [-1, 0.5, 2]


def test_a_missing_value_counts_as_the_mean():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]])
    model = plain(min_leaf_weight=1).fit(X, [0.0, 1.0, 2.0, 3.0, 1.5, 1.5])
    assert model.fill_.tolist() == [1.5]
    assert model.predict([[np.nan]]) == pytest.approx(model.predict([[1.5]]))


def test_a_set_of_categories_is_split_and_a_missing_one_goes_with_the_most_frequent():
    X = np.repeat([0.0, 1.0, 2.0], [20, 30, 10])[:, np.newaxis]
    model = plain(categorical_features=[0]).fit(X, np.repeat([5.0, 1.0, 5.0], [20, 30, 10]))
    assert model.tree_.n_leaves == 2
    assert model.predict([[0.0], [1.0], [2.0], [np.nan]]) == pytest.approx([5, 1, 5, 1])


# ---- naive version


@given(seed=SEEDS)
def test_the_best_models_are_those_of_least_squares_at_every_threshold(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    x = np.round(rng.normal(size=n) * 3 + rng.normal() * 10, int(rng.integers(0, 3)))
    z, weight = rng.normal(size=n) + np.abs(x - x.mean()), rng.random(n) + 0.1
    ridge, least = float(rng.choice([0.1, 1.0, 10.0])), int(rng.integers(2, 4))
    task = ModelTask(
        columns_of(x[:, np.newaxis]), np.array([False]), z[np.newaxis], weight[np.newaxis], np.array([ridge]),
        np.zeros((1, 1)), np.ones(n), least,
    )  # fmt: skip
    found = best_models(task, np.argsort(x, kind="stable")[np.newaxis])
    for kind, error in naive.least_errors(x, z, weight, ridge, least).items():
        assert found.error[0, kind] == pytest.approx(error, rel=1e-6, abs=1e-8)


@given(seed=SEEDS)
def test_for_one_score_the_best_set_of_categories_is_found(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 40)), int(rng.integers(2, 6))
    x, z, weight = rng.integers(0, k, n).astype(float), rng.normal(size=n), rng.random(n) + 0.1
    task = ModelTask(
        columns_of(x[:, np.newaxis]), np.array([True]), z[np.newaxis], weight[np.newaxis], np.ones(1),
        np.zeros((1, 1)), np.ones(n), 1,
    )  # fmt: skip
    found = best_models(task, np.argsort(x, kind="stable")[np.newaxis])

    def error(side):
        return weight[side] @ (z[side] - np.average(z[side], weights=weight[side])) ** 2

    present = np.unique(x)
    sets = [np.isin(x, some) for size in range(1, len(present)) for some in combinations(present, size)]
    best = min((error(left) + error(~left) for left in sets), default=np.inf)
    assert found.error[0, STEP] == pytest.approx(best, abs=1e-9)


# ---- laws


def table(rng, n=150):
    X = rng.normal(size=(n, 3))
    X[:, 2] = rng.integers(0, 4, n)
    return X, np.abs(X[:, 0]) + (X[:, 2] > 1) * X[:, 1] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_is_well_formed_and_its_formulas_stand_in_its_leaves(seed):
    X, y = table(np.random.default_rng(seed))
    model = ModelTreeRegressor(categorical_features=[2]).fit(X, y)
    check_tree(model.tree_)
    is_leaf = model.tree_.feature == LEAF
    assert np.isnan(model.models_.intercept[:, 0]).tolist() == (~is_leaf).tolist()
    assert (np.diff(model.models_.start)[~is_leaf] == 0).all()
    leaf = model.apply(X)
    assert (
        np.bincount(leaf, minlength=model.tree_.n_nodes)[is_leaf].tolist()
        == model.tree_.n_samples[is_leaf].tolist()
    )


def test_more_shrinkage_means_smaller_slopes():
    X, y = load_diabetes(return_X_y=True)
    shrunk = [ModelTreeRegressor(shrinkage=s, max_depth=1, min_leaf_weight=221) for s in (0, 50, 5000)]
    sizes = [np.abs(model.fit(X, y).models_.coefficient).sum() for model in shrunk]
    assert sizes[0] > sizes[1] > sizes[2]


def test_on_a_wavy_line_few_formulas_are_closer_than_as_many_steps():
    X = np.linspace(0, 6, 200)[:, np.newaxis]
    y = np.sin(X[:, 0])
    formulas, steps = ModelTreeRegressor(max_depth=2).fit(X, y), CartRegressor(max_depth=2).fit(X, y)
    assert formulas.tree_.n_leaves <= steps.tree_.n_leaves
    assert ((formulas.predict(X) - y) ** 2).sum() < ((steps.predict(X) - y) ** 2).sum()


# ---- classes


def test_log_odds_of_a_logistic_model_are_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = rng.random(len(X)) < 1 / (1 + np.exp(-(0.5 + 1.5 * X[:, 0])))
    model = ModelTreeClassifier(shrinkage=0, max_depth=1, min_leaf_weight=10_000).fit(X, y)
    intercept, slopes = line_of(model)
    assert (intercept, slopes[0]) == pytest.approx((0.5, 1.5), abs=0.1)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_shares_sum_to_one_and_the_log_loss_is_below_that_of_the_classes_shares(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=300), np.linspace(-1, 1, n_classes - 1))
    model = ModelTreeClassifier().fit(X, y)
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert log_loss(y, shares) < log_loss(y, np.tile(np.bincount(y) / 300, (300, 1)))


def test_responses_are_newtons_step_of_the_deviance():
    y = np.array([0, 1, 1, 0, 1])
    target, score = LogLossTarget(y, np.ones(5), 2), np.array([[0.3, -0.2, 0.1, -1.0, 0.7]])
    z, weight = target.responses(score)
    step, rows = 1e-6, np.arange(5)
    for i in rows:
        moved = [score.copy(), score.copy()]
        moved[0][0, i] -= step
        moved[1][0, i] += step
        below, above = (target.loss(m, rows) for m in moved)
        slope = (above - below) / (2 * step)
        assert z[0, i] * weight[0, i] == pytest.approx(-slope / 2, abs=1e-5)  # the deviance is twice the log loss


def test_breast_cancer_is_learned_by_few_leaves():
    X, y = load_breast_cancer(return_X_y=True)
    model = ModelTreeClassifier().fit(X[::2], y[::2])
    assert model.tree_.n_leaves <= 4
    assert model.score(X[1::2], y[1::2]) > max(np.mean(y), np.mean(y == 0)) + 0.25
