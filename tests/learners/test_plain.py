"""Arrays of finite numbers skip scikit-learn's checks, and nothing else does."""

import numpy as np
import pandas as pd
import pytest

from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.plain import is_plain
from tests.tools.same_trees import are_same

RNG = np.random.default_rng(4)
X, LABELS, NUMBERS = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60), RNG.normal(size=60)
HUGE = np.full((60, 3), 1e308)


@pytest.mark.parametrize("y", [LABELS, LABELS > 0, NUMBERS, NUMBERS.astype(np.float32)])
def test_arrays_of_finite_numbers_are_plain(y):
    for table in (X, np.asfortranarray(X), X[::2], HUGE / 200):
        assert is_plain(table, y[: len(table)])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_not_plain(bad):
    table, numbers = X.copy(), NUMBERS.copy()
    table[3, 1] = numbers[5] = bad
    assert not is_plain(table, NUMBERS)
    assert not is_plain(X, numbers)


@pytest.mark.parametrize(
    ("table", "y"),
    [
        (X.tolist(), LABELS), (X, LABELS.tolist()), (pd.DataFrame(X), LABELS), (X, pd.Series(LABELS)),
        (X.astype(np.float32), LABELS), (X[0], LABELS[:3]), (X, LABELS[:-1]), (X, LABELS[:, None]),
        (X[:0], LABELS[:0]), (X[:, :0], LABELS), (X, LABELS.astype(str)), (X, LABELS.astype(object)),
        (X, NUMBERS.astype(complex)), (X, None), (HUGE, LABELS), (np.ma.masked_array(X), LABELS),
    ],
)  # fmt: skip
def test_all_else_is_not_plain(table, y):
    assert not is_plain(table, y)


def test_trees_of_plain_arrays_are_those_of_lists():
    for learner, y in ((CartClassifier(), LABELS), (CartRegressor(), NUMBERS)):
        plain = learner.fit(X, y).tree_
        assert learner.n_features_in_ == 3
        assert are_same(plain, learner.fit(X.tolist(), y.tolist()).tree_)


def test_names_of_an_earlier_table_are_forgotten():
    model = CartClassifier().fit(pd.DataFrame(X, columns=["a", "b", "c"]), LABELS)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(model.fit(X, LABELS), "feature_names_in_")
    assert model.predict(X).tolist() == LABELS.tolist()


@pytest.mark.parametrize("learner", [CartClassifier(), CartRegressor()])
def test_what_is_infinite_or_of_another_length_is_refused(learner):
    infinite = X.copy()
    infinite[2, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        learner.fit(infinite, LABELS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        learner.fit(X, LABELS[:-1])
