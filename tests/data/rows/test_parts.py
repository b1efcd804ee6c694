"""Laws of dividing and drawing rows: no group on both sides, nothing told from what came later; rows held out."""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from espalier.analysis import Folds
from espalier.comparison.cross_validation import validate
from espalier.data import Feature, HeldOut, RowRoles, held_out, make_dataset, row_groups, row_times, samples
from espalier.data import folds as parts
from espalier.data.folds import folds_of, plan_for
from espalier.learners import CartClassifier
from espalier.reliability.reliability import ask, fit_outside
from espalier.stability.resampling import Redraw, redrawn


@st.composite
def tables(draw, has_groups=True, has_times=True, is_classification=None):
    """Random data of 12 to 60 rows in 4 to 12 groups and with 4 or more times."""
    n = draw(st.integers(12, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_groups = draw(st.integers(4, 12))
    member = np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=n - n_groups)])
    days = np.concatenate([np.arange(4.0), rng.integers(0, draw(st.integers(4, 60)), size=n - 4)])
    if has_groups and has_times:  # groups follow one another
        member = np.argsort(np.argsort(days, kind="stable")) * n_groups // n
    roles = RowRoles(
        row_groups("patient", rng.permutation(n_groups)[member]) if has_groups else None,
        row_times("day", days) if has_times else None,
    )
    classes = draw(st.booleans()) if is_classification is None else is_classification
    y = rng.integers(3, size=n) if classes else rng.normal(size=n)
    y[:3] = range(3)
    target = Feature("y", "category", ("a", "b", "c")) if classes else Feature("y")
    return make_dataset("made", rng.normal(size=(n, 2)), [Feature("u"), Feature("v")], y, target, roles=roles)


def groups_of(data, rows):
    return set(data.roles.groups.codes[rows].tolist())


@given(tables(has_times=False), st.integers(1, 99), st.integers(0, 5))
def test_no_group_is_held_out_in_part(data, percent, seed):
    out = held_out(data, HeldOut(percent, seed))
    assert 0 < out.sum() < len(out)
    assert not groups_of(data, out) & groups_of(data, ~out)


@given(tables(has_groups=False), st.integers(1, 99))
def test_the_last_rows_are_held_out(data, percent):
    out = held_out(data, HeldOut(percent))
    assert 0 < out.sum() < len(out)
    assert data.roles.times.values[~out].max() < data.roles.times.values[out].min()


@given(tables(), st.integers(1, 99))
def test_of_groups_with_times_those_that_end_last_are_held_out_whole(data, percent):
    out = held_out(data, HeldOut(percent))
    times = data.roles.times.values
    assert not groups_of(data, out) & groups_of(data, ~out)
    ends = [times[data.roles.groups.codes == group].max() for group in groups_of(data, out)]
    assert times[~out].max() < min(ends)


def test_classes_stay_in_proportion_where_groups_allow_it_and_one_of_few_groups_is_in_both_parts():
    y = np.tile([0, 0, 0, 1], 50)
    groups = np.repeat(np.arange(50), 4)
    part = parts.group_parts(groups, y, (0.7, 0.3), np.random.default_rng(0))
    assert np.bincount(part).tolist() == [140, 60]
    assert y[part == 1].mean() == 0.25
    y = np.repeat([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 10)  # two groups of ten have the rare class
    part = parts.group_parts(np.repeat(np.arange(10), 10), y, (0.5, 0.5), np.random.default_rng(1))
    assert [y[part == side].sum() for side in (0, 1)] == [10, 10]


@given(tables(has_times=False), st.integers(2, 4), st.integers(1, 2))
def test_every_row_is_in_one_fold_of_each_repeat_and_its_group_in_the_same(data, n_folds, n_repeats):
    folds = folds_of(data, Folds(n_folds, n_repeats))
    assert len(folds) == n_folds * n_repeats
    for repeat in range(n_repeats):
        own = folds[repeat * n_folds : (repeat + 1) * n_folds]
        assert sorted(np.concatenate([fold.rows for fold in own])) == list(range(len(data.y)))
    for fold in folds:
        assert len(fold.rows)
        assert not groups_of(data, fold.rows) & groups_of(data, fold.fitted_to)
        assert fold.fitted_to.sum() + len(fold.rows) == len(data.y)


@given(tables(has_groups=False), st.integers(2, 3))
def test_every_fold_is_told_from_all_that_is_earlier_and_nothing_else(data, n_folds):
    times, folds = data.roles.times.values, folds_of(data, Folds(n_folds, 3))
    assert len(folds) == n_folds == plan_for(data, Folds(n_folds, 3)).n_all
    for fold in folds:
        assert (fold.fitted_to == (times < times[fold.rows].min())).all()
    tested = np.concatenate([fold.rows for fold in folds])
    assert len(set(tested)) == len(tested)
    assert set(np.flatnonzero(times > times[tested].min())) <= set(tested)


@given(tables(), st.integers(2, 3))
def test_a_fold_of_groups_with_times_is_told_from_earlier_rows_of_other_groups(data, n_folds):
    times = data.roles.times.values
    try:
        folds = folds_of(data, Folds(n_folds))
    except ValueError:  # groups that go on for too long
        reject()
    for fold in folds:
        assert times[fold.fitted_to].max() < times[fold.rows].min()
        assert not groups_of(data, fold.rows) & groups_of(data, fold.fitted_to)


@given(tables(has_groups=False), st.integers(2, 4))
def test_blocks_of_times_are_in_order_and_none_is_empty(data, n_blocks):
    times, block = data.roles.times.values, parts.time_blocks(data.roles, n_blocks)
    assert set(block) == set(range(n_blocks))
    for number in range(1, n_blocks):
        assert times[block == number - 1].max() < times[block == number].min()


def test_more_folds_than_groups_or_times_are_refused():
    y, X = np.arange(6) % 2, np.arange(6.0)[:, None]
    target = Feature("y", "category", ("a", "b"))
    grouped = RowRoles(groups=row_groups("patient", [0, 0, 1, 1, 2, 2]))
    data = make_dataset("made", X, [Feature("x")], y, target, roles=grouped)
    with pytest.raises(ValueError, match="4 folds cannot be made of 3 groups of “patient”"):
        folds_of(data, Folds(4))
    ordered = RowRoles(times=row_times("day", np.array([0.0, 0, 0, 1, 1, 1])))
    data = make_dataset("made", X, [Feature("x")], y, target, roles=ordered)
    with pytest.raises(ValueError, match="3 blocks cannot be made of 2 different times"):
        folds_of(data, Folds(2))


@pytest.mark.parametrize("redraw", [Redraw("bootstrap"), Redraw("subsample", 0.5), Redraw("leave_out", 1)])
@given(tables(has_times=False), st.integers(0, 20))
def test_all_rows_of_a_group_are_drawn_equally_often(redraw, data, number):
    times = redrawn(redraw, data, 0, number).times
    for group in groups_of(data, slice(None)):
        assert len(set(times[data.roles.groups.codes == group])) == 1


@given(tables(has_times=False), st.integers(2, 4))
def test_each_group_is_left_out_once_while_each_fold_is(data, n_folds):
    drawn = [redrawn(Redraw("folds", n_folds), data, 0, number).times for number in range(n_folds)]
    left_out = n_folds - np.sum(drawn, axis=0)
    assert set(left_out.tolist()) == {1}


def test_neighbours_in_time_are_drawn_together():
    n = 1000
    times = row_times("day", np.random.default_rng(0).permutation(n).astype(float))
    data = make_dataset(
        "made", np.zeros((n, 1)), [Feature("x")], np.arange(n) * 1.0, Feature("y"), roles=RowRoles(None, times)
    )
    drawn = redrawn(Redraw("bootstrap"), data, 0, 0).times[np.argsort(times.values)]
    assert (np.diff(drawn) != 0).sum() <= n / 10 + 1  # blocks of ten
    assert 0.9 * n < drawn.sum() < 1.1 * n


@settings(max_examples=10)
@given(tables(has_times=False, is_classification=True))
def test_the_answer_for_a_row_comes_from_models_without_its_group(data):
    seen = []

    class Spy(CartClassifier):
        def fit(self, X, *others, **more):
            seen.append(X)
            return super().fit(X, *others, **more)

    validate(Spy(), data, Folds(3))
    ask(Spy(), data, Folds(3))
    fit_outside(Spy(), data, np.array([0]))
    tested = [fold.rows for fold in folds_of(data, Folds(3))] * 2 + [np.array([0])]
    for X, rows in zip(seen, tested, strict=True):
        together = data.X[np.isin(data.roles.groups.codes, list(groups_of(data, rows)))]
        assert not set(map(tuple, together)) & set(map(tuple, X))


def test_data_without_roles_are_divided_as_before():
    rng = np.random.default_rng(3)
    data = make_dataset("made", rng.normal(size=(40, 1)), [Feature("x")], rng.normal(size=40), Feature("y"))
    assert parts.units(data.roles, 0) is None
    assert parts.rows_to_fit(data.roles, np.array([3]), 40).sum() == 39
    assert held_out(data, HeldOut(25)).sum() == 10


# ---- Rows held out for testing


def numbered(n):
    return make_dataset(
        "t", np.zeros((n, 1)), [Feature("x")], np.random.default_rng(3).normal(size=n), Feature("y")
    )


def test_classes_keep_their_shares_and_another_seed_holds_other_rows_out():
    iris = samples.load("iris")
    assert np.bincount(iris.y[held_out(iris, HeldOut(30, 7))]).tolist() == [15, 15, 15]
    data = numbered(100)
    assert not np.array_equal(held_out(data, HeldOut(30, 0)), held_out(data, HeldOut(30, 1)))
    assert np.array_equal(held_out(data, HeldOut(30, 0)), held_out(data, HeldOut(30, 0)))


@pytest.mark.parametrize("seed", range(5))
def test_a_number_keeps_its_spread(seed):
    data = numbered(200)
    out = held_out(data, HeldOut(30, seed))
    smallest_first = np.argsort(data.y)
    assert out[smallest_first].reshape(10, 20).sum(axis=1).tolist() == [6] * 10


@settings(deadline=None)
@given(st.integers(1, 90), st.sampled_from(range(0, 85, 5)), st.integers(0, 99))
def test_about_the_percentage_is_held_out_and_a_row_is_always_left(n, percent, seed):
    out = held_out(numbered(n), HeldOut(percent, seed))
    assert not out.all()
    assert abs(out.sum() - n * percent / 100) <= 1


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_percentage_that_there_is_none_of_is_refused(percent):
    with pytest.raises(ValueError, match=f"{percent} % .* choose a percentage from 0 to 100"):
        held_out(numbered(10), HeldOut(percent))
