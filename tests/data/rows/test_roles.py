"""Roles of columns and rows: which rows belong together, in which order of time they stand, and their numbers."""

import copy
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.analysis import (
    Folds,
    Plan,
    Redraw,
    ask,
    deal,
    pruning_sequence,
    replicate,
    tally_structures,
    validate,
)
from espalier.data import (
    Feature,
    RowRoles,
    RowWeights,
    filter_of,
    make_dataset,
    row_groups,
    row_times,
    samples,
    subset,
    with_roles,
)
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.dates import dates_of
from espalier.data.columns.kinds import RoleNames, guess_kinds
from espalier.data.errors import TableError
from espalier.data.folds import units
from espalier.data.roles import effective_size, useful
from espalier.data.subset import roles_by, times_of
from espalier.learners import CartClassifier
from espalier.stability.resampling import n_units
from tests.tools.cases import case

IRIS = samples.load("iris")


def iris_with(**roles):
    return make_dataset(IRIS.name, IRIS.X, IRIS.features, IRIS.y, IRIS.target, roles=RowRoles(**roles))


def test_a_row_without_a_group_is_a_group_of_its_own():
    groups = row_groups("school", ["a", None, float("nan"), "", "a"])
    assert groups.codes.tolist() == [0, 1, 2, 3, 0]
    assert groups.names == ("a", "", "", "")


def test_roles_that_part_or_order_nothing_or_are_of_other_rows_are_refused():
    with pytest.raises(ValueError, match="all rows are of one group of “school”"):
        row_groups("school", ["a", "a"])
    with pytest.raises(ValueError, match="there are 2 groups, but 150 targets"):
        iris_with(groups=row_groups("plot", ["a", "b"]))
    with pytest.raises(ValueError, match="missing in 1 of 2 rows, first in row 2"):
        row_times("year", np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="the same in every"):
        row_times("year", np.array([3.0, 3.0]))
    groups = row_groups("plot", np.arange(150) % 2)
    times = row_times("day", np.repeat(np.arange(75.0), 2))
    with pytest.raises(ValueError, match="choose a group or a time, not both"):
        iris_with(groups=groups, times=times)


def test_the_digest_of_data_tells_their_roles():
    plain, by_plot = iris_with(), iris_with(groups=row_groups("plot", np.arange(150) // 5))
    assert plain.digest == IRIS.digest != by_plot.digest
    assert by_plot.digest != iris_with(groups=row_groups("patient", np.arange(150) // 5)).digest
    assert by_plot.digest != iris_with(times=row_times("plot", np.arange(150) // 5)).digest


def test_some_rows_have_their_own_roles():
    roles = iris_with(groups=row_groups("plot", np.arange(150) // 5), times=row_times("day", np.arange(150))).roles
    some: Any = roles.of(np.array([7, 3]))
    assert some.groups.codes.tolist() == [1, 0]
    assert some.times.values.tolist() == [7.0, 3.0]


def test_rows_to_draw_are_rows_or_groups_or_about_as_many_blocks_of_times_as_every_seed_makes():
    groups, times = row_groups("plot", np.arange(150) // 5), row_times("day", np.arange(150))
    by_groups = iris_with(groups=groups), iris_with(groups=groups, times=times)
    assert [n_units(data) for data in (IRIS, *by_groups)] == [150, 30, 30]
    drawn: list[Any] = [units(RowRoles(times=times), seed) for seed in range(20)]
    blocks = [len(set(unit)) for unit in drawn]
    assert min(blocks) - 1 <= n_units(iris_with(times=times)) <= min(blocks)


def test_times_that_put_no_group_before_another_are_left_out_of_a_part():
    groups, days = row_groups("patient", ["a", "b", "a", "b", "c"]), np.array([1.0, 2.0, 3.0, 3.0, 4.0])
    roles = RowRoles(groups, row_times("day", days))
    part = useful(roles.of(np.arange(4)))
    assert (part.times, part.groups is None) == (None, False)
    assert useful(roles) == roles
    ill = Feature("ill", "category", ("no", "yes"))
    data = make_dataset("Visits", days[:, None], [Feature("x")], np.arange(5) % 2, ill, None, roles)
    assert subset(data, filter_of("x~lt~4")).roles.times is None


# ---- Groups and times as arguments: of data sets, and of whatever divides or draws rows

FLOWERS, LEARNER = samples.load("iris"), CartClassifier(max_depth=2)
PLOTS, DAYS = np.arange(150) // 5, np.arange(150) % 30
PLAN = Plan(Redraw("bootstrap"), n_replicates=4)


def fruit_table():
    X = np.column_stack([np.arange(6.0), [0, 1, 0, 1, 2, np.nan], [3, 1, 2, 3, 1, 2]])
    features = [Feature("size"), Feature("farm", "category", ("north", "south", "west")), Feature("year")]
    return make_dataset("Fruit", X, features, np.arange(6) % 2, Feature("kind", "category", ("apple", "plum")))


def test_a_feature_that_becomes_a_role_is_no_feature_any_more():
    data: Any = with_roles(fruit_table(), groups="farm", time="year")
    assert [feature.name for feature in data.features] == ["size"]
    assert data.X.tolist() == [[0], [1], [2], [3], [4], [5]]
    groups, times = data.roles.groups, data.roles.times
    assert (groups.name, groups.names) == ("farm", ("north", "south", "west", ""))
    assert groups.codes.tolist() == [0, 1, 0, 1, 2, 3]
    assert times.values.tolist() == [3, 1, 2, 3, 1, 2]


def test_roles_that_are_there_stay_where_none_are_given():
    data: Any = with_roles(with_roles(fruit_table(), groups="farm"), time=[1, 2, 3, 4, 5, 6])
    assert data.roles.groups.name == "farm"
    assert with_roles(data) is data


def test_dates_are_days_and_a_day_may_have_hours():
    dates = np.array(["1970-01-02T12:00", "2021-03-01T00:00"], "datetime64[s]")
    assert times_of("day", dates).values.tolist() == [1.5, 18687.0]
    assert times_of("day", dates).is_date
    with pytest.raises(ValueError, match="missing in 1 of 2 rows"):
        times_of("day", np.array(["1970-01-02", "NaT"], "datetime64[D]"))


def test_what_cannot_be_a_role_is_refused_by_name_and_names_need_a_data_set():
    cases: list[tuple[dict[str, Any], str]] = [
        ({"groups": "village"}, "no feature is named “village”; there are “size”, “farm” and “year”"),
        ({"time": "farm"}, "“farm” has categories, which are no times"),
        ({"groups": [1, 2, 3]}, "there are 3 groups, but 6 targets"),
        ({"groups": [1] * 6}, "all rows are of one group"),
    ]
    for given, said in cases:
        with case(said), pytest.raises(ValueError, match=said):
            with_roles(fruit_table(), **given)
    with pytest.raises(ValueError, match="give a value for each row"):
        roles_by(groups="farm")


GIVEN = [
    ({"groups": PLOTS}, RowRoles(groups=row_groups("group", PLOTS))),
    ({"time": DAYS}, RowRoles(times=row_times("time", DAYS))),
]  # fmt: skip


@pytest.mark.parametrize(("given", "roles"), GIVEN, ids=["groups", "time"])
def test_functions_take_them_as_data_sets_have_them(given, roles):
    data, folds = FLOWERS._replace(roles=roles), Folds(4)
    ours, theirs = (validate(LEARNER, FLOWERS, folds, **given), validate(LEARNER, data, folds))
    assert np.array_equal(ours.predicted, theirs.predicted, equal_nan=True)
    asked, own = ask(LEARNER, FLOWERS, folds, **given), ask(LEARNER, data, folds)
    assert [one.rows.tolist() for one in asked.tried] == [one.rows.tolist() for one in own.tried]
    ours, theirs = replicate(LEARNER, FLOWERS, PLAN, **given).trees, replicate(LEARNER, data, PLAN).trees
    assert all(np.array_equal(one.weight, two.weight) for one, two in zip(ours, theirs, strict=True))


@pytest.mark.parametrize(("given", "roles"), GIVEN, ids=["groups", "time"])
def test_pruning_deals_its_own_folds_by_them(given, roles):
    found: Any = pruning_sequence(LEARNER, FLOWERS.X, FLOWERS.y, Folds(4), **given)
    dealt: Any = pruning_sequence(LEARNER, FLOWERS.X, FLOWERS.y, deal(FLOWERS.y, Folds(4), roles))
    assert found.validated.error.tolist() == dealt.validated.error.tolist()
    with pytest.raises(ValueError, match="dealt already"):
        pruning_sequence(LEARNER, FLOWERS.X, FLOWERS.y, deal(FLOWERS.y, Folds(4)), **given)


def test_tallies_take_groups_too():
    with tempfile.TemporaryDirectory() as folder:
        found = tally_structures(LEARNER, FLOWERS, PLAN, Path(folder) / "a.sqlite", groups=PLOTS)
        own = tally_structures(LEARNER, with_roles(FLOWERS, groups=PLOTS), PLAN, Path(folder) / "a.sqlite")
    assert (found.n_trees, found.roots) == (own.n_trees, own.roots)


# ---- Roles of a table's columns: read with it, checked where they are given, and never features

FRAME = pd.DataFrame({
    "patient": ["ann", "bea", None, "ann"], "visit": ["2021-03-01", "2021-02-01", "2020-12-24", "2021-03-02"],
    "age": [70.0, 61.0, 55.0, 70.0], "note": list("abcd"), "ill": ["yes", "no", "no", "yes"], "all": ["one"] * 4,
})  # fmt: skip


def table_with(roles, frame=FRAME, target="ill") -> Any:
    return to_dataset(frame, guess_kinds(frame), TargetPlan(target, roles=roles), "visits")[0]


def found(texts) -> Any:
    return dates_of(pd.Series(texts))


def test_columns_with_a_role_are_no_features():
    data = table_with(RoleNames("patient", "visit", "note"))
    assert [feature.name for feature in data.features] == ["age"]
    assert data.roles.groups.codes.tolist() == [0, 1, 2, 0]
    assert data.roles.labels.texts == ("a", "b", "c", "d")
    assert data.roles.times.is_date
    assert np.diff(data.roles.times.values).tolist() == [-28.0, -39.0, 68.0]


def test_a_number_may_be_the_time_or_the_group():
    data = table_with(RoleNames(group="age", time="age"))
    assert data.roles.times.values.tolist() == [70.0, 61.0, 55.0, 70.0]
    assert data.roles.groups.names == ("70", "61", "55")


def test_rows_without_a_target_have_no_roles():
    frame = FRAME.assign(ill=["yes", None, "no", "yes"])
    assert table_with(RoleNames("patient"), frame).roles.groups.names == ("ann", "")


def test_what_cannot_be_a_role_is_refused_with_the_reason_and_a_missing_time_with_its_row():
    for roles, said in (
        (RoleNames(group="ill"), "cannot be the target and the group"),
        (RoleNames(time="gone"), "no column “gone” to be the time"),
        (RoleNames(group="all"), "All rows are of one group of “all”"),
        (RoleNames(time="note"), "neither numbers nor dates of one form"),
    ):
        with case(said), pytest.raises(TableError, match=said):
            table_with(roles)
    frame = FRAME.assign(visit=["2021-03-01", None, "2020-12-24", None])
    with pytest.raises(TableError, match=r"missing in 2 rows\. First in row 2"):
        table_with(RoleNames(time="visit"), frame)


def test_dates_are_days_since_1970_in_whatever_form_they_are_written():
    for texts, days in [
        (["1970-01-01", "1970-01-03T06:00"], [0.0, 2.25]),
        (["31.12.1969", "01.02.1970"], [-1.0, 31.0]),
        (["12/31/1969", "02/01/1970"], [-1.0, 31.0]),  # no month has the number 31
        (["2 Jan 1970", "3 Feb 1970"], [1.0, 33.0]),
        (["January 2, 1970", "May 1, 1970"], [1.0, 120.0]),
        (["1970-01-01T01:00+01:00", "1970-01-02T00:00Z"], [0.0, 1.0]),
        (["01/02/70 12:00", "13/02/70 00:00"], [31.5, 43.0]),
    ]:
        with case((texts, days)):
            assert found(texts).days.tolist() == days


def test_texts_that_are_not_all_of_one_form_of_dates_are_none_and_a_day_that_may_be_a_month_has_a_rival():
    for texts in (["red", "blue"], ["2021-01-01", "soon"], ["31.12.2020", "12.31.2020"], [None]):
        assert dates_of(pd.Series(texts, dtype="str")) is None
    dates = found(["03/04/2021", "05/06/2021"])
    assert (dates.form, dates.rival) == ("dmy", "mdy")
    assert found(["03/04/2021", "25/06/2021"]).rival == ""


IRIS = samples.load("iris")


def weighed(values, name="w") -> Any:
    return make_dataset(
        IRIS.name, IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights(name, np.asarray(values))
    )


def table(weights, sold=("no", "yes", "no", "yes")) -> Any:
    frame = pd.DataFrame({"price": [1.0, 2.0, 3.0, 4.0], "w": weights, "sold": list(sold)})
    return to_dataset(frame, guess_kinds(frame), TargetPlan("sold", weight="w"), "t")


def test_weights_are_part_of_the_digest_and_survive_copies_and_data_without_have_none():
    one, other = weighed(np.ones(150)), weighed(np.full(150, 2.0))
    assert len({IRIS.digest, one.digest, other.digest, weighed(np.ones(150), "v").digest}) == 4
    again = pickle.loads(pickle.dumps(one))
    assert again.digest == one.digest
    assert np.array_equal(again.weights, one.weights)
    assert copy.deepcopy(one).row_weights.name == "w"
    assert not again.weights.flags.writeable
    assert IRIS.weights is None
    assert IRIS.weights_of(np.arange(3)) is None


@pytest.mark.parametrize(("values", "said"), [
    ([1, -1, 1], "negative in 1 of 3 rows, first in row 2"),
    ([1, 1, np.nan], "missing in 1 of 3 rows, first in row 3"),
    ([np.inf, 1, 1], "infinite in 1 of 3 rows, first in row 1"), ([0, 0, 0], "is 0 in every row"),
    ([1e200, 1, 1], "sums to 1e\\+200"), ([1, 1], "there are 2 weights 'w', but 3 targets"),
])  # fmt: skip
def test_weights_that_cannot_be_are_refused_with_their_row(values, said):
    with pytest.raises(ValueError, match=said):
        make_dataset(
            "t", IRIS.X[:3], IRIS.features, IRIS.y[:3], IRIS.target, RowWeights("w", np.array(values, float))
        )


def test_a_column_in_the_role_of_the_weight_is_no_feature():
    data, _ = table([1.0, 2.0, 0.5, 3.0])
    assert [feature.name for feature in data.features] == ["price"]
    assert data.row_weights.name == "w"
    assert data.weights.tolist() == [1, 2, 0.5, 3]


def test_rows_of_weight_0_are_left_out_with_a_note_and_those_without_a_target_need_none():
    data, notes = table([1.0, 0.0, 2.0, 1.0])
    assert data.weights.tolist() == [1, 2, 1]
    assert data.X[:, 0].tolist() == [1, 3, 4]
    assert "1 row left out: the weight “w” is 0." in notes
    data, _ = table([1.0, None, 2.0, 1.0], sold=("no", None, "yes", "yes"))
    assert data.weights.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0, -2.0, 1.0, -5.0], "negative in 2 rows. First in row 2, with -2"),
        ([1.0, 1.0, None, 1.0], "missing in 1 row. First in row 3. Write a number"),
        ([0.0, 0.0, 0.0, 0.0], "is 0 in every row"),
        (["1", "many", "2", "3"], "holds words. It is “many” in row 2"),
    ],
)
def test_a_bad_weight_is_told_with_its_row_counted_from_1(weights, said):
    with pytest.raises(TableError) as error:
        table(weights)
    assert said in str(error.value)


def test_the_target_cannot_be_the_weight_too():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    for plan, said in (
        (TargetPlan("b", weight="b"), "cannot be target and weight"),
        (TargetPlan("b", weight="c"), "no column"),
    ):
        with pytest.raises(TableError, match=said):
            to_dataset(frame, guess_kinds(frame), plan, "t")


def test_equal_weights_are_worth_their_number():
    assert effective_size(np.full(7, 3.0)) == 7
    assert effective_size(np.array([1e200, 1e200])) == 2  # no square overflows
    assert effective_size(np.zeros(0)) == 0
