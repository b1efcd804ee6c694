"""Trees whose leaves hold linear or logistic models, and splits that turn the effect of another column."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

from espalier.data import samples
from espalier.kernels import model_trees
from espalier.kernels.model_trees import N_SUMS, STEP, ModelTask, add_sample, best_models, best_turns, line_error
from espalier.kernels.route import columns_of
from espalier.leaf_models import make_leaf_models, scores_of
from espalier.learners import CartClassifier, CartRegressor, ModelTreeClassifier, ModelTreeRegressor
from espalier.learners.model_trees import growth
from espalier.learners.model_trees.fits import LogLossTarget, parameters_of_turns
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


def task_of(X, is_categorical, z, weight, ridge) -> ModelTask:
    """One score, of which a node has no slopes yet."""
    p = X.shape[1]
    own = z[np.newaxis], weight[np.newaxis], np.full(p, ridge)
    return ModelTask(columns_of(X), is_categorical, *own, np.zeros((p, 1)), weight, 0.0)


@given(seed=SEEDS)
def test_the_best_models_are_those_of_least_squares_at_every_threshold(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    x = np.round(rng.normal(size=n) * 3 + rng.normal() * 10, int(rng.integers(0, 3)))
    z, weight = rng.normal(size=n) + np.abs(x - x.mean()), rng.random(n) + 0.1
    ridge, least = float(rng.choice([0.1, 1.0, 10.0])), int(rng.integers(2, 4))
    task = task_of(x[:, np.newaxis], np.array([False]), z, weight, ridge)._replace(mass=np.ones(n), min_leaf=least)
    found = best_models(task, np.argsort(x, kind="stable")[np.newaxis])
    for kind, error in naive.least_errors(x, z, weight, ridge, least).items():
        assert found.error[0, kind] == pytest.approx(error, rel=1e-6, abs=1e-8)


@given(seed=SEEDS)
def test_for_one_score_the_best_set_of_categories_is_found(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 40)), int(rng.integers(2, 6))
    x, z, weight = rng.integers(0, k, n).astype(float), rng.normal(size=n), rng.random(n) + 0.1
    task = task_of(x[:, np.newaxis], np.array([True]), z, weight, 1.0)._replace(mass=np.ones(n), min_leaf=1)
    found = best_models(task, np.argsort(x, kind="stable")[np.newaxis])

    def error(side):
        return weight[side] @ (z[side] - np.average(z[side], weights=weight[side])) ** 2

    present = np.unique(x)
    sets = [np.isin(x, some) for size in range(1, len(present)) for some in combinations(present, size)]
    best = min((error(left) + error(~left) for left in sets), default=np.inf)
    assert found.error[0, STEP] == pytest.approx(best, abs=1e-9)


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


GOES_ON = np.zeros(1, np.int64)
NOISE = 0.3


def uniform(rng, n):
    return rng.uniform(-0.5, 0.5, size=(n, 3))


def with_categories(*columns):
    def draw(rng, n):
        X = uniform(rng, n)
        X[:, columns] = rng.integers(0, 4, (n, len(columns)))
        return X

    return draw


def are_alike(one, other):
    """1 where both are true or both are not, else -1."""
    return np.where(one == other, 1.0, -1.0)


# samples, the target without noise, and the columns of categories; no column has an effect by itself
TABLES: dict[str, tuple[Callable, Callable, list[int]]] = {
    "steps of XOR": (uniform, lambda X: are_alike(X[:, 0] > 0, X[:, 1] > 0), []),
    "a slope that a number turns": (uniform, lambda X: np.where(X[:, 1] < 0, 3, -2) * X[:, 0], []),
    "a slope that a category turns": (
        with_categories(1), lambda X: 3 * are_alike(X[:, 1] % 3, 0) * X[:, 0], [1]
    ),
    "a product": (uniform, lambda X: 6 * X[:, 0] * X[:, 1], []),
    "a step that a category turns": (with_categories(1), lambda X: are_alike(X[:, 0] > 0, X[:, 1] % 3 > 0), [1]),
    "two columns of categories": (with_categories(0, 1), lambda X: are_alike(X[:, 0] % 2, X[:, 1] // 2), [0, 1]),
    "XOR beside a line": (uniform, lambda X: are_alike(X[:, 0] > 0, X[:, 1] > 0) + 3 * X[:, 2], []),
}  # fmt: skip


def drawn(name: str, seed: int, n: int):
    """Samples, targets with noise and columns of categories of a table."""
    draw, target, categories = TABLES[name]
    rng = np.random.default_rng(seed)
    X = draw(rng, n)
    return X, target(X) + NOISE * rng.normal(size=n), categories


@pytest.mark.parametrize("name", TABLES)
def test_what_no_column_says_by_itself_is_found_by_a_few_leaves_and_better_than_by_cart(name):
    errors = []
    for seed in range(3):
        X, y, categories = drawn(name, seed, 2000)
        model = ModelTreeRegressor(categorical_features=categories).fit(X[:500], y[:500])
        cart = CartRegressor(min_samples_leaf=5, categorical_features=categories).fit(X[:500], y[:500])
        errors.append([np.mean((m.predict(X[500:]) - y[500:]) ** 2) for m in (model, cart)])
        assert model.tree_.n_leaves <= 10
        check_tree(model.tree_)
    ours, of_cart = np.mean(errors, axis=0)
    assert ours < of_cart
    assert ours < 1.3 * NOISE**2  # of 1, where the noise is known


def test_the_table_xor_is_learned_as_well_as_by_cart():
    xor = samples.load("xor")
    ours, of_cart = (
        cross_val_score(m, xor.X, xor.y, cv=10).mean() for m in (ModelTreeClassifier(), CartClassifier())
    )
    assert ours > of_cart - 0.02


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_that_two_columns_say_only_together_are_found(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.uniform(-1, 1, size=(600, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 0, 1)
    y[(y == 1) & (X[:, 0] > 0)] = n_classes - 1
    model = ModelTreeClassifier().fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_tables_without_such_pairs_keep_one_leaf(seed):
    rng = np.random.default_rng(seed)
    X, noise = rng.normal(size=(300, 8)), rng.normal(size=300)
    for y in (noise, X @ rng.normal(size=8) + noise):
        assert ModelTreeRegressor().fit(X, y).tree_.n_leaves == 1
    assert ModelTreeClassifier().fit(X, noise > 0).tree_.n_leaves == 1


def test_where_one_column_says_more_by_itself_it_is_split_as_without_pairs(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(400, 4))
    y = np.abs(X[:, 0]) + (X[:, 1] > 0.3) + 0.1 * rng.normal(size=400)
    model = ModelTreeRegressor().fit(X, y)
    monkeypatch.setattr(growth, "MOST_PAIRED", 0)
    alone = ModelTreeRegressor().fit(X, y)
    assert model.tree_.feature.tolist() == alone.tree_.feature.tolist()
    assert np.array_equal(model.predict(X), alone.predict(X))


def test_a_turn_of_numbers_needs_one_question_and_a_turn_of_categories_two():
    X, y, categories = drawn("two columns of categories", 0, 500)
    depths = [
        ModelTreeRegressor(max_depth=d, categorical_features=categories).fit(X, y).tree_.depth for d in (1, 2)
    ]
    assert depths == [0, 2]
    X, y, _ = drawn("a slope that a number turns", 0, 500)
    assert ModelTreeRegressor(max_depth=1).fit(X, y).tree_.depth == 1


def test_a_turn_counts_the_coefficients_of_both_sides_and_three_for_its_split():
    assert parameters_of_turns(1, np.array([2, 3])).tolist() == [7, 9]
    assert parameters_of_turns(3, np.array([2])).tolist() == [11]  # of three scores two are free


def test_no_side_is_lighter_than_the_least_weight_of_a_leaf():
    X, y, _ = drawn("a slope that a number turns", 1, 500)
    tree = ModelTreeRegressor(min_leaf_weight=240).fit(X, y).tree_
    assert tree.n_leaves == 2
    assert tree.n_samples.min() >= 240
    assert ModelTreeRegressor(min_leaf_weight=251).fit(X, y).tree_.n_leaves == 1


def test_a_forbidden_column_turns_nothing():
    X, y, _ = drawn("a slope that a number turns", 0, 500)
    model = ModelTreeRegressor(forbidden_features=[1]).fit(X, y)
    assert not np.isin(model.tree_.feature, [1]).any()


def test_of_too_many_columns_no_pairs_are_tried(monkeypatch):
    X, y, _ = drawn("steps of XOR", 0, 500)
    monkeypatch.setattr(growth, "MOST_PAIRED", 2)
    assert ModelTreeRegressor().fit(X, y).tree_.n_leaves == 1


def test_missing_values_are_on_the_side_of_the_mean():
    X, y, _ = drawn("steps of XOR", 0, 500)
    X[::10, 1] = np.nan
    model = ModelTreeRegressor().fit(X, y)
    assert model.tree_.n_leaves > 1
    unknown, mean = X[::10].copy(), X[::10].copy()
    mean[:, 1] = model.fill_[1]
    assert np.array_equal(model.predict(unknown), model.predict(mean))


@given(seed=SEEDS)
def test_the_best_turns_are_those_of_least_squares_at_every_split_of_every_pair(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    is_categorical = rng.random(3) < 0.4
    X = np.where(is_categorical, rng.integers(0, 4, (n, 3)), np.round(rng.normal(size=(n, 3)), 1) + 5)
    z, weight, ridge = rng.normal(size=n) + X[:, 0] * X[:, 1], rng.random(n) + 0.1, float(rng.choice([0.1, 1.0]))
    least = 0.1 * weight.sum()
    task = task_of(X, is_categorical, z, weight, ridge)._replace(min_leaf=least)
    turns = best_turns(task, np.argsort(X.T, axis=1, kind="stable"), np.arange(3), GOES_ON)
    for feature in range(3):
        for partner in range(3):
            pair = naive.Pair(X[:, feature], X[:, partner], is_categorical[feature], is_categorical[partner])
            error = np.inf if feature == partner else naive.least_turn(pair, z, weight, ridge, least)
            assert turns.error[feature, partner] == pytest.approx(error, rel=1e-7, abs=1e-7)


@given(seed=SEEDS)
def test_what_a_line_explains_is_what_its_error_is_less(seed):
    rng = np.random.default_rng(seed)
    sums, ridge, before = np.zeros(N_SUMS), float(rng.choice([0.0, 0.5, 20.0])), float(rng.normal())
    x, z, weight = rng.normal(size=20) * (rng.random() < 0.8), rng.normal(size=20), rng.random(20)
    for w, at, response in zip(weight, x, z, strict=True):
        add_sample(sums, w, at, response)
    w, x, xx, z, xz, zz = sums.tolist()
    assert zz - model_trees.line_gain(w, x, xx, z, xz, ridge, before) == pytest.approx(
        line_error(sums, ridge, before)
    )


@given(seed=SEEDS)
def test_no_split_has_two_leaves_that_say_the_same(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, (150, 3)), rng.normal(size=150)]).astype(float)
    y = (X[:, 0] == X[:, 1]) * (X[:, 2] == 1) + 0.3 * rng.normal(size=150)
    model = ModelTreeRegressor(categorical_features=[0, 1, 2], max_depth=int(rng.integers(1, 4))).fit(X, y)
    check_tree(model.tree_)
    tree, models = model.tree_, model.models_
    for left, right in zip(tree.left, tree.right, strict=True):
        if left != LEAF and tree.feature[left] == LEAF and tree.feature[right] == LEAF:
            n_terms = np.diff(models.start)[[left, right]]
            assert n_terms.any() or models.intercept[left] != models.intercept[right]


def test_whole_weights_are_repeated_samples_where_effects_are_turned():
    for name in TABLES:
        X, y, categories = drawn(name, 5, 250)
        times = np.random.default_rng(0).integers(1, 4, len(y))
        model = ModelTreeRegressor(min_leaf_weight=10, categorical_features=categories)
        weighted = model.fit(X, y, sample_weight=times).predict(X)
        assert weighted == pytest.approx(model.fit(X.repeat(times, 0), y.repeat(times)).predict(X), abs=1e-6)


def test_a_search_that_is_stopped_finds_no_split():
    X, y, _ = drawn("steps of XOR", 0, 50)
    task = task_of(X, np.zeros(3, bool), y, np.ones(50), 1.0)._replace(min_leaf=5.0)
    turns = best_turns(task, np.argsort(X.T, axis=1), np.arange(3), np.ones(1, np.int64))
    assert np.isinf(turns.error).all()
