"""What two columns say only together: splits of model trees that turn the effect of another column."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

from espalier.data import samples
from espalier.kernels.model_trees import N_SUMS, ModelTask, add_sample, best_turns, line_error, line_gain
from espalier.kernels.route import columns_of
from espalier.learners import CartClassifier, CartRegressor, ModelTreeClassifier, ModelTreeRegressor
from espalier.learners.model_trees import growth
from espalier.learners.model_trees.fits import parameters_of_turns
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive import model_trees as naive

SEEDS = st.integers(0, 2**32 - 1)
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


# ---- what it reaches


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


# ---- what stays


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


# ---- limits


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


# ---- naive version and laws


@given(seed=SEEDS)
def test_the_best_turns_are_those_of_least_squares_at_every_split_of_every_pair(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    is_categorical = rng.random(3) < 0.4
    X = np.where(is_categorical, rng.integers(0, 4, (n, 3)), np.round(rng.normal(size=(n, 3)), 1) + 5)
    z, weight, ridge = rng.normal(size=n) + X[:, 0] * X[:, 1], rng.random(n) + 0.1, float(rng.choice([0.1, 1.0]))
    least = 0.1 * weight.sum()
    task = ModelTask(
        columns_of(X), is_categorical, z[np.newaxis], weight[np.newaxis], np.full(3, ridge), np.zeros((3, 1)),
        weight, least,
    )  # fmt: skip
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
    assert zz - line_gain(w, x, xx, z, xz, ridge, before) == pytest.approx(line_error(sums, ridge, before))


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
    ones = np.ones((1, 50))
    task = ModelTask(
        columns_of(X), np.zeros(3, bool), y[np.newaxis], ones, np.ones(3), np.zeros((3, 1)), ones[0], 5.0
    )
    turns = best_turns(task, np.argsort(X.T, axis=1), np.arange(3), np.ones(1, np.int64))
    assert np.isinf(turns.error).all()
