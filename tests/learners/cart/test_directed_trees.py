"""Columns with directions: predictions of trees and forests only rise, or only fall, with them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.learners import (
    CartClassifier,
    CartRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.pruning import prune, pruning_path
from tests.tools.naive import cart as naive

SEEDS = st.integers(0, 2**32 - 1)
FEW = {"n_estimators": 3}
OF_CLASSES: list[tuple[Any, dict]] = [
    (CartClassifier, {"criterion": "gini"}),
    (CartClassifier, {"criterion": "entropy", "missing": "category"}),
    (CartClassifier, {"criterion": "gain_ratio"}),
    (CartClassifier, {"criterion": "misclassification", "missing": "impute"}),
    (CartClassifier, {"splitter": "random", "ccp_alpha": 0.01}),
    (RandomForestClassifier, FEW),
    (RandomForestClassifier, FEW | {"voting": "majority"}),
    (ExtraTreesClassifier, FEW),
]
OF_NUMBERS: list[tuple[Any, dict]] = [
    (CartRegressor, {"criterion": "squared_error"}),
    (CartRegressor, {"criterion": "absolute_error"}),
    (CartRegressor, {"criterion": "poisson", "max_leaf_nodes": 6}),
    (CartRegressor, {"splitter": "random", "ccp_alpha": 0.01}),
    (RandomForestRegressor, FEW),
    (ExtraTreesRegressor, FEW),
]


def table(rng, n=60):
    """(X, y, weight): two columns of numbers, one of few numbers, one of categories; some values are missing."""
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 5, (n, 2))]).round(1)
    y = np.sin(3 * X[:, 0]) - X[:, 1] + X[:, 3] % 2 + rng.normal(size=n)
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.15] = np.nan
    weight = np.ones(n) if rng.random() < 0.5 else rng.uniform(0.1, 3, n)
    return X, y, weight


def over(X, column):
    """(n_values, n, p): every row of X over many values of a column."""
    values = np.linspace(np.nanmin(X[:, column]) - 1, np.nanmax(X[:, column]) + 1, 15)
    found = np.repeat(X[None], len(values), axis=0)
    found[:, :, column] = values[:, None]
    return found


def answers(model, X):
    return model.predict_proba(X)[:, 1] if hasattr(model, "classes_") else model.predict(X)


def keep_to(model, X, directions):
    """Assert that the predictions for all rows go in the directions of the columns."""
    for column, direction in enumerate(directions):
        rows = over(X, column)
        said = answers(model, rows.reshape(-1, X.shape[1])).reshape(rows.shape[:2])
        assert (direction * np.diff(said, axis=0) >= 0).all()


@pytest.mark.parametrize("at", range(len(OF_CLASSES) + len(OF_NUMBERS)))
@settings(max_examples=12)
@given(seed=SEEDS)
def test_predictions_go_in_the_direction_of_a_column_for_every_row(at, seed):
    rng = np.random.default_rng(seed)
    X, y, weight = table(rng)
    kind, parameters = (OF_CLASSES + OF_NUMBERS)[at]
    y = y > 0 if at < len(OF_CLASSES) else np.maximum(y, 0) if parameters.get("criterion") == "poisson" else y
    directions = [int(rng.choice([-1, 1])), int(rng.integers(-1, 2)), int(rng.integers(-1, 2)), 0]
    model = kind(monotonic_cst=directions, random_state=seed, categorical_features=[3], **parameters)
    keep_to(model.fit(X, y, sample_weight=weight), X, directions)


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "misclassification", "squared_error", "absolute_error", "poisson"]
)
@settings(max_examples=30)
@given(seed=SEEDS)
def test_the_split_is_the_best_one_that_has_the_direction(criterion, seed):
    rng = np.random.default_rng(seed)
    X, y, weight = table(rng, n=int(rng.integers(5, 25)))
    X, directions, least = X[:, :3], rng.integers(-1, 2, 3), int(rng.integers(1, 4))
    is_class = criterion in ("gini", "entropy", "misclassification")
    y = (y > 0).astype(int) if is_class else y.round(1)
    y = np.maximum(y, 0) if criterion == "poisson" else y
    if len(np.unique(y)) == 1:
        return
    kind: Any = CartClassifier if is_class else CartRegressor
    model = kind(criterion=criterion, monotonic_cst=directions, max_depth=1, min_samples_leaf=least)
    tree = model.fit(X, y, sample_weight=weight).tree_
    best = naive.best_directed_cost(X, y, weight, criterion, directions, min_leaf=least)
    said = (tree.impurity * tree.weight)[1:].sum() if tree.n_leaves > 1 else np.inf
    assert said == pytest.approx(best, abs=1e-9)


def test_a_split_against_the_direction_is_not_made():
    X, y = np.array([[0.0], [0], [1], [1]]), [2.0, 2, 1, 1]
    assert CartRegressor(monotonic_cst=[1]).fit(X, y).tree_.n_leaves == 1
    assert CartRegressor(monotonic_cst=[-1]).fit(X, y).predict(X).tolist() == y


def test_leaves_below_a_split_stay_on_their_side_of_its_middle():
    """The root parts 0 3 1 2 | 6 4, with means 1.5 and 5: no leaf of the left side may pass 3.25."""
    X, y = np.arange(6.0)[:, None], [0.0, 3, 1, 2, 6, 4]
    said = CartRegressor(monotonic_cst=[1]).fit(X, y).predict(X)
    assert said.tolist() == [0, 2, 2, 2, 5, 5]


def test_missing_values_have_no_place_in_the_order():
    """Rows without a value are the greatest of all under one direction and the least under the other."""
    X, y = np.array([[0.0], [1], [np.nan], [np.nan]]), [1.0, 2, 9, 9]
    assert CartRegressor(monotonic_cst=[1]).fit(X, y).predict(X).tolist() == y
    assert CartRegressor(monotonic_cst=[-1]).fit(X, y).predict(X).tolist() == [1.5, 1.5, 9, 9]


@settings(max_examples=5)
@given(seed=SEEDS)
def test_every_pruned_subtree_keeps_the_directions(seed):
    X, y, weight = table(np.random.default_rng(seed), n=40)
    model = CartRegressor(monotonic_cst=[1, -1, 1, 0], categorical_features=[3]).fit(X, y, sample_weight=weight)
    whole = model.tree_
    for alpha in pruning_path(whole).alpha[::4]:
        model.tree_ = prune(whole, alpha)
        keep_to(model, X, [1, -1, 1, 0])


@pytest.mark.parametrize("kind", [CartRegressor, RandomForestRegressor, ExtraTreesRegressor])
def test_directions_of_0_leave_every_tree_as_it_is(kind):
    X, y, weight = table(np.random.default_rng(5))
    free, zero = (
        kind(monotonic_cst=choice, random_state=0).fit(X, y, sample_weight=weight) for choice in (None, [0] * 4)
    )
    assert np.array_equal(free.predict(X), zero.predict(X))


def test_columns_of_trees_are_named_or_numbered():
    X, y, _ = table(np.random.default_rng(1))
    frame = pd.DataFrame(X, columns=list("abcd"))
    by_name = CartRegressor(monotonic_cst={"b": -1}, max_depth=3).fit(frame, y).predict(frame)
    assert np.array_equal(by_name, CartRegressor(monotonic_cst=[0, -1, 0, 0], max_depth=3).fit(X, y).predict(X))


def test_directions_that_cannot_hold_are_refused_by_name():
    X, y, _ = table(np.random.default_rng(2))
    with pytest.raises(ValueError, match="y has 3 classes"):
        CartClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="column 3 a direction, but its categories have no order"):
        RandomForestRegressor(monotonic_cst=[0, 0, 0, 1], categorical_features=[3]).fit(X, y)
    with pytest.raises(ValueError, match="does not go with missing='surrogate'"):
        CartRegressor(monotonic_cst=[1, 0, 0, 0], missing="surrogate").fit(X, y)
    with pytest.raises(ValueError, match="has 1 entries; X has 4 features"):
        ExtraTreesRegressor(monotonic_cst=[1]).fit(X, y)
