"""The search over sets of categories: the order, the number of sets, and one category against the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.tree.category_splits import MEAN, category_search, has_many_levels
from espalier.analysis.tree.nodes import impurity_curves
from espalier.data.dataset import Feature, make_dataset
from tests.tools.naive.cart import best_cost, cost, impurity

COLOURS = ("blue", "green", "red", "white")


def table(codes, y, n_classes):
    target = Feature("y", "category", tuple("abcd"[:n_classes])) if n_classes else Feature("y")
    return make_dataset("t", np.array(codes, float)[:, None], [Feature("colour", "category", COLOURS)], y, target)


def search(data, criterion):
    rows = np.ones(len(data.y), dtype=bool)
    (curve,) = impurity_curves(data, rows, None, criterion)
    return category_search(data, rows, None, criterion, curve)


@st.composite
def drawn(draw, n_classes):
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(4), rng.integers(0, 4, 30)])
    y = rng.integers(0, n_classes, 34) if n_classes else rng.normal(size=34) + 5
    return table(codes, y, n_classes)


def test_categories_stand_in_the_order_of_the_share_of_the_second_class():
    # blue 1 of 2, green 0 of 2, red 2 of 2: green goes left first.
    found = search(table([0, 0, 1, 1, 2, 2], np.array([0, 1, 0, 0, 1, 1]), 2), "gini")
    assert found.codes.tolist() == [1, 0, 2]
    assert found.level.tolist() == [0, 0.5, 1]
    assert (found.ordered_by, found.n_orders, found.n_sets, found.n_tried) == (1, 1, 3, 2)
    assert found.n_samples.tolist() == [2, 2, 2]


@given(drawn(2))
def test_for_two_classes_the_best_cut_is_the_best_of_all_sets(data):
    found, weight = search(data, "gini"), np.ones(len(data.y))
    least = best_cost(data.X, data.y, weight, "gini", n_classes=2, categorical=(0,)) / len(data.y)
    assert found.is_exact
    assert found.gain == pytest.approx(impurity(data.y, weight, "gini", 2) - least)


@given(drawn(0))
def test_for_numbers_categories_are_in_the_order_of_their_mean(data):
    found = search(data, "squared_error")
    means = [data.y[data.X[:, 0] == code].mean() for code in found.codes]
    assert found.ordered_by == MEAN
    assert found.level == pytest.approx(means)
    assert means == sorted(means)


@given(drawn(3))
def test_for_three_classes_the_order_is_that_of_one_of_their_shares(data):
    found = search(data, "entropy")
    shares = [(data.y[data.X[:, 0] == code] == found.ordered_by).mean() for code in found.codes]
    assert not found.is_exact
    assert found.n_tried == 3 * 3
    assert found.level == pytest.approx(shares)
    assert shares == sorted(shares)


@given(drawn(2))
def test_one_against_the_rest_gains_the_most_of_all_single_categories(data):
    found, weight, n = search(data, "gini"), np.ones(len(data.y)), len(data.y)
    before = impurity(data.y, weight, "gini", 2)
    gains = [before - cost(data.X[:, 0] == code, data.y, weight, "gini", 2) / n for code in range(4)]
    assert found.gain_alone == pytest.approx(max(gains))
    assert gains[found.alone] == pytest.approx(max(gains))
    assert found.gain_alone <= found.gain + 1e-12


def test_many_categories_are_those_with_few_rows_each():
    assert has_many_levels(10, 99)
    assert not has_many_levels(10, 100)
    assert not has_many_levels(4, 8)


def test_a_curve_of_numbers_is_refused():
    data = make_dataset("t", np.array([[0.0], [1.0]]), [Feature("x")], np.array([0.0, 1.0]), Feature("y"))
    with pytest.raises(ValueError, match="categorical"):
        search(data, "squared_error")
