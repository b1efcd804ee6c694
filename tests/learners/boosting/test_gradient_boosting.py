"""Gradient boosting, under any loss: by hand, beside a naive version and scikit-learn's, and its laws."""

import pickle
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingRegressor as LevelwiseOfTheirs
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_absolute_error, mean_poisson_deviance
from threadpoolctl import threadpool_limits

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.export import forest_from_json, forest_to_json
from espalier.learners import GradientBoostingClassifier, GradientBoostingRegressor
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from tests.tools.forests import trees_of

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


# ---- Gradient boosting as its papers say it, over and over all rows: slow, and easy to check by eye


class NaiveLeaf(NamedTuple):
    """Rows of a leaf, and its best split: (gain, feature, threshold), or None."""

    rows: np.ndarray
    split: tuple[float, int, float] | None


class NaiveSettings(NamedTuple):
    n_rounds: int
    max_leaves: int
    min_leaf: int
    rate: float = 0.1
    ridge: float = 0.0


def best_split(X, g, h, rows, settings):
    """The split that gains most over all features and all thresholds midway between values of the whole column."""
    best = None
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2:
            left = rows[X[rows, feature] <= threshold]
            right = rows[X[rows, feature] > threshold]
            if min(len(left), len(right)) < settings.min_leaf:
                continue
            parts = [g[side].sum() ** 2 / (h[side].sum() + settings.ridge) for side in (left, right, rows)]
            gain = parts[0] + parts[1] - parts[2]
            if gain > 1e-9 and (best is None or gain > best[0] + 1e-9):
                best = (gain, feature, threshold)
    return best


def leaves_of(X, g, h, settings):
    """The leaves of a tree grown best first: rows of each."""
    leaves = [NaiveLeaf(rows := np.arange(len(X)), best_split(X, g, h, rows, settings))]
    while len(leaves) < settings.max_leaves:
        gains = [leaf.split[0] if leaf.split else -np.inf for leaf in leaves]
        best = leaves[int(np.argmax(gains))]
        if best.split is None:
            break
        leaves = [leaf for leaf in leaves if leaf is not best]
        _, feature, threshold = best.split
        goes = X[best.rows, feature] <= threshold
        for rows in (best.rows[goes], best.rows[~goes]):
            leaves.append(NaiveLeaf(rows, best_split(X, g, h, rows, settings)))
    return [leaf.rows for leaf in leaves]


def scores_of_numbers(X, y, settings):
    """(n_samples,) the sum after all rounds of least squares."""
    score = np.full(len(y), y.mean())
    for _ in range(settings.n_rounds):
        g, h = score - y, np.ones(len(y))
        step(X, g, h, score, settings)
    return score


def scores_of_classes(X, y, n_classes, settings):
    """(n_samples, n_classes) the scores after all rounds of the log loss; of two classes the second's alone."""
    share = np.bincount(y, minlength=n_classes) / len(y)
    if n_classes == 2:
        score = np.full((len(y), 1), np.log(share[1] / share[0]))
    else:
        score = np.tile(np.log(share) - np.log(share).mean(), (len(y), 1))
    for _ in range(settings.n_rounds):
        p = shares_of(score)
        for k in range(score.shape[1]):
            own = 1 if n_classes == 2 else k
            step(X, p[:, own] - (y == own), p[:, own] * (1 - p[:, own]), score[:, k], settings)
    return score


def shares_of(score):
    """(n_samples, n_classes) shares of scores."""
    if score.shape[1] == 1:
        score = np.hstack([np.zeros_like(score), score])
    e = np.exp(score - score.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def step(X, g, h, score, settings):
    """Add the steps of one tree to the scores."""
    for rows in leaves_of(X, g, h, settings):
        score[rows] -= settings.rate * g[rows].sum() / (h[rows].sum() + settings.ridge)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_least_squares_agrees_with_the_naive_version(seed, ridge):
    X, y, _ = table(seed)
    chosen = NaiveSettings(n_rounds=5, max_leaves=5, min_leaf=3, ridge=ridge)
    model = GradientBoostingRegressor(
        n_estimators=5, max_leaf_nodes=5, min_samples_leaf=3, l2_regularization=ridge
    )
    assert model.fit(X, y).predict(X) == pytest.approx(scores_of_numbers(X, y, chosen))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_loss_agrees_with_the_naive_version(seed, n_classes):
    X, y, rng = table(seed)
    X = X + np.arange(3) * rng.normal(size=X.shape).round(1)  # so that no two splits are equal
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    chosen = NaiveSettings(n_rounds=4, max_leaves=4, min_leaf=4, rate=0.3)
    model = GradientBoostingClassifier(
        n_estimators=4, max_leaf_nodes=4, min_samples_leaf=4, learning_rate=0.3
    ).fit(X, labels)
    expected = shares_of(scores_of_classes(X, labels, n_classes, chosen))
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
    ([0.0, 0.0, 0.0], "not positive in any sample; .* or take loss squared_error"),
])  # fmt: skip
def test_targets_without_a_deviance_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        boosted("poisson").fit(SIX[:3], y)
