"""Checks of a table: the best rule of one column against all, laws, and silence on tables without fault."""

import itertools
from typing import Any

import numpy as np
import pytest

from espalier.data import HeldOut, held_out, make_dataset, samples
from espalier.data.samples import redrawn
from espalier.data.samples.redrawn import SIMULATIONS, Redrawing
from espalier.findings import finding as kinds
from espalier.findings.check import TOTAL, check_table
from espalier.findings.columns import log_chance, rule_of
from espalier.progress import Progress
from tests.findings.planted import noise, table

X = np.array([1.0, 2.0, 2.0, 3.0, 5.0, np.nan])
Y = np.array([0, 0, 1, 1, 1, 0])


def test_a_number_never_seen_gets_the_class_of_the_nearest_and_a_category_that_of_the_others():
    rule: Any = rule_of(X, Y, 2, True, np.ones(6))
    assert rule.answer(np.array([-9.0, 1.4, 2.9, 4.5, 99.0, np.nan])).tolist() == [0, 0, 1, 1, 1, 0]
    rule: Any = rule_of(np.array([0.0, 0.0, 2.0]), np.array([1, 1, 0]), 2, False, np.ones(3))
    assert rule.answer(np.array([0.0, 1.0, 2.0, np.nan])).tolist() == [1, 1, 0, 1]
    x, y = np.array([0.0, 0.0, 0.0, 1.0]), np.array([1, 1, 0, 0])
    rule: Any = rule_of(x, y, 2, False, np.ones(4))
    assert rule.is_right_without(x, y, np.ones(4)).tolist() == [False, False, False, False]
    heavy = np.array([2.0, 2.0, 1.0, 1.0])
    rule: Any = rule_of(x, y, 2, False, heavy)
    assert rule.is_right_without(x, y, heavy).tolist() == [True, True, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_no_intervals_in_this_order_of_the_classes_are_right_more_often(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 8, 40).astype(float), rng.integers(0, 3, 40)
    weight = rng.random(40)
    rule: Any = rule_of(x, y, 3, True, weight)
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
        rule: Any = rule_of(x, rng.permutation(y), 2, is_number, np.ones(10))
        n_wrong.append(int(10 - rule.counts[np.arange(len(rule.values)), rule.answers].sum()))
        bounds.append(log_chance(rule, np.array([5, 5]), n_wrong[-1]))
    for most, bound in zip(n_wrong, bounds, strict=True):
        assert np.mean(np.array(n_wrong) <= most) <= min(np.exp(bound), 1) + 0.03


OF_ORDER = {kinds.ORDER, kinds.SERIES, kinds.IDENTIFIER}


def everything(seed):
    """A table with a copy of the class, a number for each row, a drift, copies of rows, and a series."""
    one = noise(seed)
    X = np.column_stack([np.cumsum(one.X, axis=0), one.y, np.arange(300)])
    data = table(np.vstack([X, X[40:60]]), np.r_[one.y, one.y[40:60]])
    held = held_out(data, HeldOut(30, seed))
    return data, held


def without_rows(findings):
    """All but which rows are shown, and the order of equal kinds."""
    return {(one.kind, one.columns, tuple(sorted(one.figures.items()))) for one in findings}


@pytest.mark.parametrize("seed", range(3))
def test_permuting_the_rows_changes_only_what_is_said_of_their_order(seed):
    data, held = everything(seed)
    order = np.random.default_rng(seed).permutation(len(held))
    other = make_dataset("T", data.X[order], data.features, data.y[order], data.target)
    before, after = check_table(data, held), check_table(other, held[order])
    assert {one.kind for one in before} >= {kinds.COPY, kinds.SAME_ROWS, kinds.SERIES}
    of_order = {one.kind for one in after} - {one.kind for one in before}
    assert of_order <= OF_ORDER
    assert without_rows(one for one in before if one.kind not in OF_ORDER) == without_rows(
        one for one in after if one.kind not in OF_ORDER
    )


def test_renaming_columns_and_classes_changes_nothing_that_is_found():
    data, held = everything(0)
    features = [feature._replace(name=f"column {i}") for i, feature in enumerate(data.features)]
    other = make_dataset("T", data.X, features, data.y, data.target._replace(name="y", categories=("a", "b")))
    assert check_table(data, held) == check_table(other, held)


@pytest.mark.few(2)
@pytest.mark.parametrize("holdout", [HeldOut(30, 0), HeldOut(0), HeldOut(20, 1), HeldOut(30, 7), HeldOut(50, 3)])
def test_nothing_is_said_of_the_bundled_samples_whichever_rows_are_held_out(holdout):
    for name in samples.names():
        data = samples.load(name)
        assert check_table(data, held_out(data, holdout)) == [], name


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_is_said_of_simulations_drawn_anew(seed):
    for name in SIMULATIONS:
        assert check_table(redrawn.redrawn(Redrawing(name, seed=seed, rows=400))) == [], name


def test_a_look_that_is_stopped_returns_what_it_has():
    one = noise()
    data = table(one.X, one.X[:, 0] > 0, ("low", "high"))
    progress = Progress()
    assert len(check_table(data, progress=progress)) > 0
    assert progress.done == TOTAL
    assert check_table(data, progress=Progress(is_stopped=True)) == []
