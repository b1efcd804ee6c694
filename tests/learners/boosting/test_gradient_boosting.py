"""Gradient boosting: by hand, beside a naive version and scikit-learn's, and its laws."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss

from espalier.data import samples
from espalier.learners import GradientBoostingClassifier, GradientBoostingRegressor
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from tests.tools.forests import trees_of
from tests.tools.naive import boosting as naive

SIX, OF_SIX = np.arange(1.0, 7.0)[:, None], np.array([0.0, 0, 6, 6, 6, 12])
DIABETES = samples.load("diabetes")
IRIS = samples.load("iris")
FEW_ROWS: Any = {"min_samples_leaf": 1}


def splits_of(tree):
    return tree.feature.tolist(), np.nan_to_num(tree.threshold).tolist()


def table(seed, n=60, p=3, n_values=7):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (n, p)).astype(float)
    return X, X[:, 0] * 2 - X[:, 1] ** 2 / 3 + rng.normal(size=n), rng


# ---- by hand


def test_two_rounds_of_least_squares_on_six_rows():
    """The mean is 5; the residuals -5 -5 1 1 1 7 are best split at 2.5, what then remains at 5.5."""
    model = GradientBoostingRegressor(n_estimators=2, learning_rate=0.5, max_leaf_nodes=2, **FEW_ROWS)
    first, second = trees_of(model.fit(SIX, OF_SIX))
    assert model.forest_.start.tolist() == [5.0]
    assert first.threshold[0] == 2.5
    assert first.value[:, 0].tolist() == pytest.approx([0, -2.5, 1.25])
    assert first.impurity.tolist() == pytest.approx([17, 0, 27 / 4])
    assert second.threshold[0] == 5.5
    assert second.value[:, 0].tolist() == pytest.approx([0, -0.575, 2.875])
    assert model.predict(SIX).tolist() == pytest.approx([1.925, 1.925, 5.675, 5.675, 5.675, 9.125])
    assert model.train_score_.tolist() == pytest.approx([-17, -7.625, -2.665625])


def test_a_round_of_two_classes_on_four_rows():
    """Of shares 1/4 and 3/4 the log odds are log 3; gradients 3/4 -1/4 | -1/4 -1/4, second derivatives 3/16."""
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=1, **FEW_ROWS)
    (tree,) = trees_of(model.fit([[0.0], [0], [1], [1]], [0, 1, 1, 1]))
    assert model.forest_.start.tolist() == pytest.approx([np.log(3)])
    assert tree.value[:, 0].tolist() == pytest.approx([0, -4 / 3, 4 / 3], abs=1e-12)
    odds = 3 * np.exp(-4 / 3)
    assert model.predict_proba([[0.0]]).tolist() == [pytest.approx([1 / (1 + odds), odds / (1 + odds)])]


def test_a_round_of_three_classes_grows_a_tree_for_each():
    """Each class has gradient -2/3 in its own row, 1/3 in the others, and 2/9 as second derivative."""
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=1, max_leaf_nodes=2, **FEW_ROWS)
    model.fit([[0.0], [1], [2]], ["a", "b", "c"])
    first, _, last = trees_of(model)
    assert first.threshold[0] == 0.5
    assert first.value[1:].tolist() == [pytest.approx([3, 0, 0]), pytest.approx([-1.5, 0, 0])]
    assert last.threshold[0] == 1.5
    assert last.value[1:].tolist() == [pytest.approx([0, 0, -1.5]), pytest.approx([0, 0, 3])]


def test_the_ridge_shortens_the_steps():
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1, l2_regularization=2, max_leaf_nodes=2)
    (tree,) = trees_of(model.set_params(**FEW_ROWS).fit(SIX, OF_SIX))
    assert tree.value[1:, 0].tolist() == pytest.approx([-10 / 4, 10 / 6])


def test_missing_values_go_where_they_gain_more_and_may_be_parted_from_the_rest():
    X = np.array([[1.0], [2], [3], [np.nan], [np.nan]])
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1, max_leaf_nodes=2, **FEW_ROWS)
    (tree,) = trees_of(model.fit(X, [0.0, 0, 9, 0, 0]))
    assert (tree.threshold[0], bool(tree.missing_left[0])) == (2.5, True)
    (tree,) = trees_of(model.fit(X, [0.0, 0, 0, 9, 9]))
    assert (tree.threshold[0], bool(tree.missing_left[0])) == (np.inf, False)


@pytest.mark.parametrize("seed", range(8))
def test_no_set_of_categories_is_better_than_the_one_chosen(seed):
    rng = np.random.default_rng(seed)
    code, y = rng.integers(0, 5, 40).astype(float), rng.normal(size=40)
    code[:5], code[7:10] = np.arange(5), np.nan
    model = GradientBoostingRegressor(
        n_estimators=1, learning_rate=1, max_leaf_nodes=2, categorical_features=[0], **FEW_ROWS
    )
    loss = -model.fit(code[:, None], y).train_score_[-1]
    kind = np.where(np.isnan(code), 5, code).astype(int)
    sides = [np.array([mask >> k & 1 for k in range(6)])[kind] for mask in range(1, 63)]
    best = min(sum(((y[s == v] - y[s == v].mean()) ** 2).sum() for v in (0, 1)) for s in sides)
    assert loss == pytest.approx(best / 40)


# ---- beside others


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_least_squares_agrees_with_the_naive_version(seed, ridge):
    X, y, _ = table(seed)
    chosen = naive.NaiveSettings(n_rounds=5, max_leaves=5, min_leaf=3, ridge=ridge)
    model = GradientBoostingRegressor(
        n_estimators=5, max_leaf_nodes=5, min_samples_leaf=3, l2_regularization=ridge
    )
    assert model.fit(X, y).predict(X) == pytest.approx(naive.scores_of_numbers(X, y, chosen))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_loss_agrees_with_the_naive_version(seed, n_classes):
    X, y, rng = table(seed)
    X = X + np.arange(3) * rng.normal(size=X.shape).round(1)  # so that no two splits are equal
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    chosen = naive.NaiveSettings(n_rounds=4, max_leaves=4, min_leaf=4, rate=0.3)
    model = GradientBoostingClassifier(
        n_estimators=4, max_leaf_nodes=4, min_samples_leaf=4, learning_rate=0.3
    ).fit(X, labels)
    expected = naive.shares_of(naive.scores_of_classes(X, labels, n_classes, chosen))
    assert model.predict_proba(X) == pytest.approx(expected)


@pytest.mark.parametrize("missing", [False, True])
def test_trees_are_those_of_scikit_learn(missing):
    X, y = DIABETES.X.round(), DIABETES.y  # so few different values that each has a bin of its own
    X[::7, 2] = np.nan if missing else X[::7, 2]
    ours = GradientBoostingRegressor(n_estimators=8, max_leaf_nodes=9).fit(X, y)
    theirs = HistGradientBoostingRegressor(max_iter=8, max_leaf_nodes=9).fit(X, y)
    for tree, (predictor,) in zip(trees_of(ours), theirs._predictors, strict=True):
        nodes = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        inner = tree.feature >= 0
        one = sorted(zip(tree.feature[inner], tree.threshold[inner], strict=True))
        other = sorted(zip(nodes["feature_idx"], nodes["num_threshold"], strict=True))
        assert [f for f, _ in one] == [f for f, _ in other]
        assert [t for _, t in one] == pytest.approx([t for _, t in other])
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-5)


def test_the_loss_of_three_classes_is_that_of_scikit_learn():
    ours = GradientBoostingClassifier(n_estimators=20).fit(IRIS.X, IRIS.y)
    theirs = HistGradientBoostingClassifier(max_iter=20).fit(IRIS.X, IRIS.y)
    expected = log_loss(IRIS.y, theirs.predict_proba(IRIS.X))
    assert log_loss(IRIS.y, ours.predict_proba(IRIS.X)) == pytest.approx(expected, rel=1e-4)
    assert -ours.train_score_[-1] == pytest.approx(expected, rel=1e-4)


# ---- laws


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.floats(0.05, 1.0), st.integers(2, 6))
def test_least_squares_on_all_rows_never_rises(seed, rate, max_leaves):
    X, y, _ = table(seed)
    model = GradientBoostingRegressor(
        n_estimators=6, learning_rate=rate, max_leaf_nodes=max_leaves, min_samples_leaf=2
    )
    losses = -model.fit(X, y).train_score_
    assert (np.diff(losses) <= 1e-12 * losses[0]).all()
    assert losses[-1] == pytest.approx(np.mean((model.predict(X) - y) ** 2))
    for tree in trees_of(model):
        check_tree(tree)


def test_a_smaller_learning_rate_takes_the_same_first_step_shortened():
    full = GradientBoostingRegressor(n_estimators=1, learning_rate=1).fit(DIABETES.X, DIABETES.y).forest_.trees[0]
    part = GradientBoostingRegressor(n_estimators=1, learning_rate=0.25).fit(DIABETES.X, DIABETES.y)
    assert splits_of(part.forest_.trees[0]) == splits_of(full)
    assert part.forest_.trees[0].value == pytest.approx(full.value / 4, abs=1e-12)


def test_the_order_of_the_rows_changes_no_tree():
    """Sums are of whole numbers, and so exact."""
    X, y, rng = table(3, n=400)
    y, order = y.round(), rng.permutation(400)
    model = GradientBoostingRegressor(n_estimators=20)
    one, other = (model.fit(X[rows], y[rows]).forest_ for rows in (slice(None), order))
    for tree, same in zip(one.trees, other.trees, strict=True):
        assert splits_of(tree) == splits_of(same)
        assert tree.value.tolist() == same.value.tolist()


def test_a_seed_repeats_the_subsamples_and_another_draws_others():
    model = GradientBoostingRegressor(n_estimators=5, subsample=0.5, random_state=4)
    one = model.fit(DIABETES.X, DIABETES.y).predict(DIABETES.X)
    assert np.array_equal(model.fit(DIABETES.X, DIABETES.y).predict(DIABETES.X), one)
    assert set(model.in_bag().sum(axis=1)) == {len(DIABETES.y) // 2}
    other = model.set_params(random_state=5).fit(DIABETES.X, DIABETES.y)
    assert not np.array_equal(other.predict(DIABETES.X), one)


def test_without_a_limit_of_leaves_a_tree_grows_to_its_depth():
    model = GradientBoostingRegressor(n_estimators=2, max_leaf_nodes=None, max_depth=3, min_samples_leaf=5)
    for tree in model.fit(DIABETES.X, DIABETES.y).forest_.trees:
        assert (tree.depth, tree.n_leaves) == (3, 8)
    best_first = GradientBoostingRegressor(n_estimators=2, max_leaf_nodes=8, max_depth=3, min_samples_leaf=5)
    same = best_first.fit(DIABETES.X, DIABETES.y).predict(DIABETES.X)
    assert model.predict(DIABETES.X) == pytest.approx(same)


# ---- stages, stopping, and what else one can ask


def test_the_last_stage_is_the_prediction():
    model = GradientBoostingClassifier(n_estimators=6).fit(IRIS.X, IRIS.y)
    stages = list(model.staged_predict_proba(IRIS.X))
    assert len(stages) == 6
    assert np.array_equal(stages[-1], model.predict_proba(IRIS.X))
    assert np.array_equal(list(model.staged_predict(IRIS.X))[-1], model.predict(IRIS.X))
    assert log_loss(IRIS.y, stages[2]) == pytest.approx(-model.train_score_[3])


def test_early_stopping_keeps_the_rounds_up_to_the_least_validation_loss():
    model = GradientBoostingRegressor(n_estimators=300, n_iter_no_change=5, random_state=0)
    model.fit(DIABETES.X, DIABETES.y)
    assert model.n_iter_ == model.forest_.n_trees == model.validation_score_.argmax()
    assert len(model.validation_score_) == len(model.train_score_) == model.n_iter_ + 6
    unseen = model.in_bag().sum(axis=0) == 0
    assert unseen.mean() == pytest.approx(0.1, abs=0.01)
    error = np.mean((model.predict(DIABETES.X[unseen]) - DIABETES.y[unseen]) ** 2)
    assert -model.validation_score_[model.n_iter_] == pytest.approx(error)


def test_early_stopping_of_classes_and_a_class_of_one_row():
    model = GradientBoostingClassifier(n_estimators=50, n_iter_no_change=3, random_state=0)
    assert model.fit(IRIS.X, IRIS.y).forest_.n_trees == 3 * model.n_iter_
    y = IRIS.y.copy()
    y[0] = 3
    assert model.fit(IRIS.X, y).predict_proba(IRIS.X[:2]).shape == (2, 4)


def test_stopping_from_outside_keeps_the_rounds_so_far():
    progress = Progress(is_stopped=True)
    model = GradientBoostingClassifier(n_estimators=50).fit(IRIS.X, IRIS.y, progress=progress)
    assert (model.forest_.n_trees, model.n_iter_) == (3, 1)
    progress = Progress()
    model.fit(IRIS.X, IRIS.y, progress=progress)
    assert progress.done == 50 * len(IRIS.y)
    assert len(model.trees_so_far()) == 150


def test_importances_are_shares_of_the_squared_residuals_that_splits_explain():
    X, y, _ = table(2, n=300)
    found = GradientBoostingRegressor(n_estimators=20).fit(X, y).feature_importances_
    assert found.sum() == pytest.approx(1)
    assert found.argmin() == 2


def test_extreme_targets_and_weights_overflow_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GradientBoostingRegressor(n_estimators=3, **FEW_ROWS).fit(SIX, OF_SIX * 1e140)
        assert np.isfinite(model.predict(SIX)).all()
        light = GradientBoostingRegressor(n_estimators=3, **FEW_ROWS)
        light.fit(SIX, OF_SIX, sample_weight=np.full(6, 1e-90))
    same = GradientBoostingRegressor(n_estimators=3, **FEW_ROWS).fit(SIX, OF_SIX)
    assert light.predict(SIX) == pytest.approx(same.predict(SIX))
    assert model.predict(SIX) / 1e140 == pytest.approx(same.predict(SIX))
