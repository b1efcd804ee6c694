"""Trees of classes from small tables, grown in one call, are those that are grown node by node."""

from typing import Any

import numpy as np
import pytest

from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.cart.small_classes import DEEP, FEW, MOST, MOST_OF_TWO, MOST_VALUES, grow_small, serves
from espalier.kernels.route import columns_of
from espalier.learners import CartClassifier
from espalier.learners.base import TrainingData

LIMITS: tuple[dict[str, Any], ...] = (
    {}, {"max_depth": 3}, {"min_samples_leaf": 4}, {"min_samples_split": 9, "max_depth": 6},
)  # fmt: skip
MANY_LIMITS: tuple[dict[str, Any], ...] = ({}, {"max_depth": DEEP}, {"min_samples_leaf": 7})


def columns_like(kind, n, rng):
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 2, n)
    return {"numbers": X, "ties": np.round(X), "outliers": np.exp(9 * X), "constant": X * [1, 0, 1, 0]}[kind]


def both_trees(model, X, y):
    model = model.fit(X, y)
    training = TrainingData(np.asfortranarray(X), np.unique(y, return_inverse=True)[1], np.ones(len(y)))
    growth, columns = model.growth(training), columns_of(X)
    assert serves(growth.task, growth.limits, columns)
    signals = np.zeros((2, 2), np.int64)
    small = grow_small(columns, growth.task, growth.limits, signals[0])
    usual = grow_tree(model.columns(columns), growth.task, growth.limits, 0, signals[1])
    assert signals.tolist() == [[len(y), 0]] * 2
    return small, usual


def assert_same(small, usual):
    for a, b in zip((*small[:-1], *small.surrogates), (*usual[:-1], *usual.surrogates), strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        assert not a.flags.writeable


@pytest.mark.parametrize("kind", ["numbers", "ties", "outliers", "constant"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_tree_is_that_of_the_search_node_by_node(kind, n_classes):
    for seed, n in enumerate((2, 3, 30, 150, 300, 700)):
        rng = np.random.default_rng(seed)
        X = columns_like(kind, n, rng)
        y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n))[:n]
        for limits in LIMITS:
            assert_same(*both_trees(CartClassifier(**limits), X, y))


def test_two_classes_apart_are_found_in_long_lists_whose_blocks_are_left_out():
    rng = np.random.default_rng(1)
    for n in (97, 500, 2000):
        X = rng.normal(size=(n, 3))
        assert_same(*both_trees(CartClassifier(), X, X[:, 1] + 0.1 * rng.normal(size=n) > 0.3))


def growth_of(**parameters: Any):
    X = np.arange(12.0).reshape(6, 2)
    training = TrainingData(X, np.array([0, 1, 0, 1, 1, 0]), np.ones(6))
    model = CartClassifier(**parameters).fit(X, training.y)
    return X, model.growth(training)


def test_a_table_with_a_missing_or_infinite_value_is_left_to_the_search_node_by_node():
    X, growth = growth_of()
    assert serves(growth.task, growth.limits, columns_of(X))
    for value in (np.nan, np.inf, -np.inf):
        X[3, 1] = value
        assert not serves(growth.task, growth.limits, columns_of(X))
        assert grow_small(columns_of(X), growth.task, growth.limits, np.zeros(2, np.int64)) is None


def test_a_search_that_was_stopped_leaves_the_root_alone():
    X, growth = growth_of()
    tree = grow_small(columns_of(X), growth.task, growth.limits, np.array([0, 1]))
    assert tree is not None
    assert tree.n_nodes == 1


@pytest.mark.parametrize("parameters", [
    {"criterion": "entropy"}, {"splitter": "random"}, {"max_features": 1}, {"max_leaf_nodes": 3},
    {"min_impurity_decrease": 0.1}, {"min_weight_fraction_leaf": 0.1}, {"missing": "surrogate"},
    {"missing": "category"},
])  # fmt: skip
def test_other_tasks_are_left_to_the_search_node_by_node(parameters):
    X, growth = growth_of(**parameters)
    assert not serves(growth.task, growth.limits, columns_of(X))


@pytest.mark.parametrize("n_classes", [3, 20])
def test_trees_of_many_samples_of_several_classes_are_the_same_too(n_classes):
    rng = np.random.default_rng(n_classes)
    for n in (FEW, FEW + 1, 9000):
        X = np.column_stack([rng.normal(size=(n, 3)), np.round(rng.normal(size=n), 2), rng.integers(0, 3, n)])
        y = np.digitize(X[:, 0] + X[:, 3] + rng.normal(size=n), np.linspace(-2, 2, n_classes - 1))
        for limits in MANY_LIMITS:
            assert_same(*both_trees(CartClassifier(**limits), X, y))


def serves_table(n, n_classes, columns=None, **parameters: Any):
    _, growth = growth_of(**parameters)
    task = growth.task._replace(label=np.zeros(n, np.uint16), n_classes=n_classes)
    table = np.random.default_rng(0).normal(size=(2, n)) if columns is None else columns
    return serves(task, growth.limits, table)


def test_many_samples_are_taken_for_deep_trees_of_several_classes_and_columns_of_many_values():
    assert serves_table(MOST_OF_TWO, 2)
    assert not serves_table(MOST_OF_TWO + 1, 2)
    assert serves_table(FEW, 3, max_depth=1)
    assert not serves_table(FEW + 1, 3, max_depth=DEEP - 1)
    assert serves_table(FEW + 1, 3, max_depth=DEEP)
    assert serves_table(MOST, 3)
    assert not serves_table(MOST + 1, 3)
    assert not serves_table(FEW + 1, 3, np.zeros((2, FEW + 1)))
    assert not serves_table(FEW + 1, 3, np.broadcast_to(np.arange(FEW + 1.0), (1 + MOST_VALUES // FEW, FEW + 1)))


def test_weights_directions_and_categories_grow_as_before():
    rng = np.random.default_rng(5)
    X, y = np.round(rng.normal(size=(80, 2)) + 3), rng.integers(0, 2, 80)
    twice = CartClassifier().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2)).tree_
    assert np.array_equal(
        CartClassifier().fit(X, y, np.full(80, 2.0)).tree_.threshold, twice.threshold, equal_nan=True
    )
    rising = CartClassifier(monotonic_cst=[1, 0]).fit(X, y)
    low, high = X.copy(), X.copy()
    low[:, 0], high[:, 0] = -9, 9
    assert (rising.predict_proba(low)[:, 1] <= rising.predict_proba(high)[:, 1]).all()
    sets = CartClassifier(categorical_features=[0]).fit(X, y).tree_
    assert sets.categories.any()
