"""Columns with directions: predictions rise or fall as they must, and are scikit-learn's."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from espalier.learners import (
    CartRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
)

RISES = np.array([0.0, 3, 1, 2, 6, 4])  # not in order: pools of neighbours are
SIX = np.arange(6.0)[:, None]


def model(kind: Any, direction, **more) -> Any:
    common = {"n_estimators": 8, "min_samples_leaf": 1, "max_leaf_nodes": 8, "learning_rate": 0.5}
    return kind(monotonic_cst=direction, **(common | more))


def table(seed, n=80, p=3, gaps=0.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, p)).astype(float)
    y = np.sin(X[:, 0]) * 3 + X[:, 1] * rng.normal() + rng.normal(size=n)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y, rng


def grid(X, column, rng, n=40):
    """(n_values, n, p): the same rows over all values of a column."""
    values = np.arange(-1, 10.0)
    rows = np.nan_to_num(X[rng.integers(len(X), size=n)])
    found = np.repeat(rows[None], len(values), axis=0)
    found[:, :, column] = values[:, None]
    return found


def test_a_split_that_would_fall_is_not_made():
    """Of the targets 1 0 | 0 1 over two values, a step that rises is impossible: the tree is a lone root."""
    falls = model(GradientBoostingRegressor, [1]).fit([[0.0], [0.0], [1.0], [1.0]], [2.0, 2.0, 1.0, 1.0])
    assert all(tree.n_leaves == 1 for tree in falls.forest_.trees)
    rises = model(GradientBoostingRegressor, [-1]).fit([[0.0], [0.0], [1.0], [1.0]], [2.0, 2.0, 1.0, 1.0])
    assert rises.predict([[0.0], [1.0]]) == pytest.approx([2, 1], abs=0.01)


def test_steps_below_a_split_stay_on_their_side_of_its_middle():
    """The root parts 0 3 1 2 | 6 4: means 1.5 and 5, so that no leaf of the left side may pass 3.25."""
    one = model(GradientBoostingRegressor, [1], n_estimators=1, learning_rate=1).fit(SIX, RISES)
    said = one.predict(SIX)
    assert said[:4].max() <= 3.25 <= said[4:].min()
    assert (np.diff(said) >= 0).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), first=st.sampled_from([-1, 1]), second=st.sampled_from([-1, 0, 1]),
       gaps=st.sampled_from([0.0, 0.2]), is_classification=st.booleans())  # fmt: skip
def test_predictions_only_rise_or_fall_on_a_grid(seed, first, second, gaps, is_classification):
    X, y, rng = table(seed, gaps=gaps)
    kind = GradientBoostingClassifier if is_classification else GradientBoostingRegressor
    one = model(kind, [first, second, 0], l2_regularization=seed % 3).fit(X, y > 0 if is_classification else y)
    for column, direction in enumerate([first, second]):
        over = grid(X, column, rng)
        said = (
            one.predict_proba(over.reshape(-1, 3))[:, 1] if is_classification else one.predict(over.reshape(-1, 3))
        )
        assert (direction * np.diff(said.reshape(over.shape[:2]), axis=0) >= 0).all()


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, CartRegressor, RandomForestRegressor])
@pytest.mark.parametrize("direction", [1, -1])
def test_a_split_of_missing_values_from_all_others_goes_either_way(kind, direction):
    """No answer for a missing value breaks the promise, in one tree, a forest and boosting alike."""
    X, y = np.array([[0.0], [1], [np.nan], [np.nan]]), np.array([1.0, 2, 9, 9])
    more: dict = {"bootstrap": False, "n_estimators": 2} if kind is RandomForestRegressor else {}
    if kind is GradientBoostingRegressor:
        more = {"n_estimators": 40, "min_samples_leaf": 1, "learning_rate": 0.5}
    for sign in (1, -1):
        said = kind(monotonic_cst=[direction], **more).fit(X, sign * y).predict(X)
        known = sign * y[:2] if sign == direction else [sign * 1.5] * 2
        assert said == pytest.approx([*known, sign * 9, sign * 9], abs=1e-6)


def test_boosting_grows_on_below_a_split_of_missing_values_from_all_others():
    """Values past all known ones stay with these: the threshold is infinite, and the promise holds beyond it."""
    X, y, rng = table(5, gaps=0.3)
    y = y + 8 * np.isnan(X[:, 0])
    one = model(GradientBoostingRegressor, [-1, 1, 0], n_estimators=20).fit(X, y)
    assert any(np.isinf(tree.threshold[tree.feature == 0]).any() for tree in one.forest_.trees)
    over = grid(X, 0, rng)
    said = one.predict(over.reshape(-1, 3)).reshape(over.shape[:2])
    assert (np.diff(said, axis=0) <= 0).all()


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_directions_of_0_leave_every_bit_as_it_is(seed):
    X, y, _ = table(seed, gaps=0.1)
    free, zero = (model(GradientBoostingRegressor, choice).fit(X, y) for choice in (None, [0, 0, 0]))
    for one, other in zip(free.forest_.trees, zero.forest_.trees, strict=True):
        assert np.array_equal(one.value, other.value)
        assert np.array_equal(one.threshold, other.threshold, equal_nan=True)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("direction", [[1, 0, 0], [1, -1, 0], [0, 1, 1]])
@pytest.mark.parametrize("is_classification", [False, True], ids=["numbers", "two classes"])
def test_predictions_are_those_of_scikit_learn(seed, direction, is_classification):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] ** 2 - X[:, 1] + rng.normal(size=120)
    y = y > 0.5 if is_classification else y
    ours = GradientBoostingClassifier if is_classification else GradientBoostingRegressor
    theirs: Any = HistGradientBoostingClassifier if is_classification else HistGradientBoostingRegressor
    own = model(ours, direction, min_samples_leaf=5).fit(X, y)
    other = theirs(monotonic_cst=direction, max_iter=8, min_samples_leaf=5, max_leaf_nodes=8, learning_rate=0.5)
    other.fit(X, y)
    if is_classification:
        assert own.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-4)
    else:
        assert own.predict(X) == pytest.approx(other.predict(X), abs=1e-4)


def test_columns_are_named_or_numbered():
    X, y, _ = table(1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    by_name = model(GradientBoostingRegressor, {"b": -1}).fit(frame, y).predict(frame)
    assert np.array_equal(by_name, model(GradientBoostingRegressor, [0, -1, 0]).fit(X, y).predict(X))


WRONG = {
    "too few": ([1], "monotonic_cst has 1 entries; X has 3 features"),
    "another number": ([2, 0, 0], r"the entry 2; it must be 1 \(may only rise\), -1 \(fall\) or 0"),
    "a word": ("rise", "it must be a list of 1, -1 and 0, or a dict"),
    "names without names": ({"a": 1}, "X has no column names"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_directions_are_refused(name):
    choice, words = WRONG[name]
    X, y, _ = table(2)
    with pytest.raises(ValueError, match=words):
        model(GradientBoostingRegressor, choice).fit(X, y)


def test_a_name_that_is_not_there_a_category_and_three_classes_are_refused():
    X, y, _ = table(3)
    with pytest.raises(ValueError, match="names a column that X does not have: 'd'"):
        model(GradientBoostingRegressor, {"d": 1}).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    with pytest.raises(ValueError, match="gives column 1 a direction, but its categories have no order"):
        model(GradientBoostingRegressor, [0, 1, 0], categorical_features=[1]).fit(X, y)
    with pytest.raises(ValueError, match="y has 3 classes"):
        model(GradientBoostingClassifier, [1, 0, 0]).fit(X, np.arange(80) % 3)
