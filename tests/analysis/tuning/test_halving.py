"""Rungs by the arithmetic of the papers; folds of a part of the rows, and parts of a fold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.tuning.halving import folds_within, rungs, rungs_for, thinned, with_fewer_trees
from espalier.data import make_dataset, samples
from espalier.data.dataset import Feature
from espalier.data.rows.folds import Folds, folds_of
from espalier.data.rows.roles import RowRoles, row_groups, row_times
from espalier.learners.catalogue import Model

IRIS = samples.load("iris")


def table(y, roles):
    X = np.arange(len(y), dtype=float)[:, None]
    y = np.array(y, dtype=np.int64)
    target = Feature("y", "category", ("no", "yes"))
    return make_dataset("table", X, (Feature("x"),), y, target, None, roles)


def test_a_bracket_of_the_paper_has_81_settings_on_one_part_of_81_then_27_on_one_of_27():
    """Li et al. (2018), Table 1: R = 81, η = 3, s = 4."""
    expected = [(81, 1), (27, 3), (9, 9), (3, 27), (1, 81)]  # settings, and what each is given of R
    assert [(rung.n_settings, 81 // rung.divisor) for rung in rungs(81, 5)] == expected


def test_every_rung_of_a_bracket_costs_the_same():
    assert {rung.cost for rung in rungs(27, 3)} == {3.0}
    assert sum(rung.cost for rung in rungs(27, 3)) == 9


@given(st.integers(1, 200), st.integers(1, 4))
def test_the_last_rung_gives_everything_to_at_least_one_setting(n, n_rungs):
    steps = rungs(n, n_rungs)
    assert steps[0].n_settings == n
    assert steps[-1].n_settings >= 1
    assert steps[-1].divisor == 1


def test_small_tables_and_small_forests_are_not_parted():
    assert rungs_for(Model("cart"), 100) == 1
    assert rungs_for(Model("random", (("trees", 10),)), 1_000_000) == 1


def test_the_rungs_of_a_forest_are_of_trees():
    model = Model("random", (("trees", 90),))
    assert rungs_for(model, 50) == 3
    assert [with_fewer_trees(model, divisor).n_trees for divisor in (9, 3, 1)] == [10, 30, 90]


def test_a_tree_has_no_trees_to_part():
    assert with_fewer_trees(Model("cart"), 9) == Model("cart")


def test_the_rows_of_a_lower_rung_are_among_those_of_a_higher_one_with_all_classes():
    for fold in folds_of(IRIS, Folds(5)):
        low, middle, high = (thinned(IRIS, fold, divisor) for divisor in (9, 3, 1))
        assert not (low.fitted_to & ~middle.fitted_to).any()
        assert not (middle.fitted_to & ~high.fitted_to).any()
        assert np.array_equal(high.fitted_to, fold.fitted_to)
        assert set(IRIS.y[low.fitted_to]) == {0, 1, 2}
        assert np.array_equal(low.rows, fold.rows)


def test_groups_of_a_lower_rung_are_whole():
    names = [f"g{i // 4}" for i in range(160)]
    data = table([i % 2 for i in range(160)], RowRoles(groups=row_groups("patient", names)))
    codes = np.arange(160) // 4
    for fold in folds_of(data, Folds(4)):
        low = thinned(data, fold, 3).fitted_to
        assert low.any()
        assert not set(codes[low]) & set(codes[fold.fitted_to & ~low])


def test_folds_of_some_rows_know_no_others():
    rows = np.arange(10, 140, 3)
    for fold in folds_within(IRIS, rows, Folds(4)):
        assert set(fold.rows) | set(np.flatnonzero(fold.fitted_to)) <= set(rows)
        assert not fold.fitted_to[fold.rows].any()


def test_folds_are_as_few_as_groups_allow():
    roles = RowRoles(groups=row_groups("school", ["a", "b", "c"] * 8))
    assert len(folds_within(table([0, 1] * 12, roles), np.arange(24), Folds(5))) == 3


def test_rows_of_one_time_cannot_be_parted():
    roles = RowRoles(times=row_times("year", np.repeat([2020.0, 2021.0], 10)))
    with pytest.raises(ValueError, match="at least 2"):
        folds_within(table([0, 1] * 10, roles), np.arange(10), Folds(5))
