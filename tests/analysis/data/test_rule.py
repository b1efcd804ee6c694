"""The best rule of one column, against all rules there are."""

import itertools

import numpy as np
import pytest

from espalier.analysis.data.rule import log_chance, rule_of

X = np.array([1.0, 2.0, 2.0, 3.0, 5.0, np.nan])
Y = np.array([0, 0, 1, 1, 1, 0])


def test_a_number_that_it_never_saw_gets_the_class_of_the_nearest():
    rule = rule_of(X, Y, 2, True, np.ones(6))
    assert rule is not None
    assert rule.answer(np.array([-9.0, 1.4, 2.9, 4.5, 99.0, np.nan])).tolist() == [0, 0, 1, 1, 1, 0]


def test_a_category_that_it_never_saw_gets_the_most_frequent_class():
    rule = rule_of(np.array([0.0, 0.0, 2.0]), np.array([1, 1, 0]), 2, False, np.ones(3))
    assert rule is not None
    assert rule.answer(np.array([0.0, 1.0, 2.0, np.nan])).tolist() == [1, 1, 0, 1]


def test_a_category_is_told_from_the_other_rows_of_it():
    x, y = np.array([0.0, 0.0, 0.0, 1.0]), np.array([1, 1, 0, 0])
    rule = rule_of(x, y, 2, False, np.ones(4))
    assert rule is not None
    assert rule.is_right_without(x, y, np.ones(4)).tolist() == [False, False, False, False]
    heavy = np.array([2.0, 2.0, 1.0, 1.0])
    rule = rule_of(x, y, 2, False, heavy)
    assert rule is not None
    assert rule.is_right_without(x, y, heavy).tolist() == [True, True, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_no_intervals_in_this_order_of_the_classes_are_right_more_often(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 8, 40).astype(float), rng.integers(0, 3, 40)
    weight = rng.random(40)
    rule = rule_of(x, y, 3, True, weight)
    assert rule is not None
    values, n_values = np.unique(x), len(np.unique(x))
    order = np.argsort([np.average(np.searchsorted(values, x[y == k]), weights=weight[y == k]) for k in range(3)])
    cuts = itertools.combinations_with_replacement(range(n_values + 1), 2)
    best = max(
        weight[order[(np.searchsorted(values, x) >= a).astype(int) + (np.searchsorted(values, x) >= b)] == y].sum()
        for a, b in cuts
    )
    assert weight[rule.answer(x) == y].sum() == pytest.approx(best)


def test_the_chance_of_a_perfect_cut_is_that_of_all_orders_of_the_rows():
    """Of the 70 orders of four rows and four, two have all rows of a class first."""
    x, y = np.arange(8.0), np.repeat([0, 1], 4)
    rule = rule_of(x, y, 2, True, np.ones(8))
    assert rule is not None
    assert np.exp(log_chance(rule, np.array([4, 4]), 0)) == pytest.approx(2 / 70)


@pytest.mark.parametrize("is_number", [True, False])
def test_the_bound_on_the_chance_is_above_what_happens_by_chance(is_number):
    rng = np.random.default_rng(0)
    x, y = np.arange(10.0) if is_number else np.arange(10.0) // 3, np.repeat([0, 1], 5)
    n_wrong, bounds = [], []
    for _ in range(300):
        rule = rule_of(x, rng.permutation(y), 2, is_number, np.ones(10))
        assert rule is not None
        n_wrong.append(int(10 - rule.counts[np.arange(len(rule.values)), rule.answers].sum()))
        bounds.append(log_chance(rule, np.array([5, 5]), n_wrong[-1]))
    for most, bound in zip(n_wrong, bounds, strict=True):
        assert np.mean(np.array(n_wrong) <= most) <= min(np.exp(bound), 1) + 0.03
