"""The column that goes most closely together with another, beside SciPy and by hand."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from espalier.analysis.explanation.companions import closest_companion
from espalier.data import samples
from espalier.data.dataset import Feature

DIABETES = samples.load("diabetes")


@pytest.mark.parametrize("feature", [f for f, one in enumerate(DIABETES.features) if one.kind != "category"])
def test_the_companion_has_the_greatest_rank_correlation_of_all(feature):
    orders = [f for f, one in enumerate(DIABETES.features) if one.kind != "category" and f != feature]
    table = {f: np.asarray(spearmanr(DIABETES.X[:, feature], DIABETES.X[:, f]))[0] for f in orders}
    found = closest_companion(DIABETES.X, feature, DIABETES.features)
    assert found is not None
    assert found.feature == max(table, key=lambda f: abs(table[f]))
    assert found.correlation == pytest.approx(table[found.feature])


def test_a_bent_relation_that_only_falls_is_as_close_as_a_line():
    x = np.arange(1.0, 9.0)
    X = np.column_stack([x, np.exp(-x), x[::-1] % 3])
    found = closest_companion(X, 0, (Feature("a"), Feature("b"), Feature("c")))
    assert found == (1, pytest.approx(-1))


def test_rows_in_which_a_value_is_missing_are_left_out():
    X = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, np.nan], [np.nan, 0.0], [4.0, 9.0]])
    assert closest_companion(X, 0, (Feature("a"), Feature("b"))) == (1, pytest.approx(1))


def test_unordered_categories_and_columns_that_do_not_vary_have_no_companion_and_are_none():
    X = np.column_stack([np.arange(4.0), np.arange(4.0), np.ones(4)])
    kinds = Feature("kind", "category", ("a", "b", "c", "d"))
    assert closest_companion(X, 0, (Feature("x"), kinds, Feature("same"))) is None
    assert closest_companion(X, 1, (Feature("x"), kinds, Feature("same"))) is None
    assert closest_companion(X, 2, (Feature("x"), kinds, Feature("same"))) is None
