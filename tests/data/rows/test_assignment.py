"""Groups and times as arguments: of data sets, and of whatever divides or draws rows."""

import tempfile
from pathlib import Path

import numpy as np
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
)  # fmt: skip
from espalier.data import Feature, RowRoles, make_dataset, row_groups, row_times, samples, with_roles
from espalier.data.rows.assignment import roles_by, times_of
from espalier.learners import CartClassifier

IRIS, LEARNER = samples.load("iris"), CartClassifier(max_depth=2)
PLOTS, DAYS = np.arange(150) // 5, np.arange(150) % 30
PLAN = Plan(Redraw("bootstrap"), n_replicates=4)


def table():
    X = np.column_stack([np.arange(6.0), [0, 1, 0, 1, 2, np.nan], [3, 1, 2, 3, 1, 2]])
    features = [Feature("size"), Feature("farm", "category", ("north", "south", "west")), Feature("year")]
    return make_dataset("Fruit", X, features, np.arange(6) % 2, Feature("kind", "category", ("apple", "plum")))


def test_a_feature_that_becomes_a_role_is_no_feature_any_more():
    data = with_roles(table(), groups="farm", time="year")
    assert [feature.name for feature in data.features] == ["size"]
    assert data.X.tolist() == [[0], [1], [2], [3], [4], [5]]
    groups, times = data.roles.groups, data.roles.times
    assert groups is not None
    assert times is not None
    assert (groups.name, groups.names) == ("farm", ("north", "south", "west", ""))
    assert groups.codes.tolist() == [0, 1, 0, 1, 2, 3]
    assert times.values.tolist() == [3, 1, 2, 3, 1, 2]


def test_roles_that_are_there_stay_where_none_are_given():
    data = with_roles(with_roles(table(), groups="farm"), time=[1, 2, 3, 4, 5, 6])
    assert data.roles.groups is not None
    assert data.roles.groups.name == "farm"
    assert with_roles(data) is data


def test_dates_are_days_and_a_day_may_have_hours():
    dates = np.array(["1970-01-02T12:00", "2021-03-01T00:00"], "datetime64[s]")
    assert times_of("day", dates).values.tolist() == [1.5, 18687.0]
    assert times_of("day", dates).is_date
    with pytest.raises(ValueError, match="missing in 1 of 2 rows"):
        times_of("day", np.array(["1970-01-02", "NaT"], "datetime64[D]"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"groups": "village"}, "no feature is named “village”; there are “size”, “farm” and “year”"),
        ({"time": "farm"}, "“farm” has categories, which are no times"),
        ({"groups": [1, 2, 3]}, "there are 3 groups, but 6 targets"),
        ({"groups": [1] * 6}, "all rows are of one group"),
    ],
)
def test_what_cannot_be_a_role_is_refused_by_name(given, said):
    with pytest.raises(ValueError, match=said):
        with_roles(table(), **given)


def test_names_need_a_data_set():
    with pytest.raises(ValueError, match="give a value for each row"):
        roles_by(groups="farm")


GIVEN = [
    ({"groups": PLOTS}, RowRoles(groups=row_groups("group", PLOTS))),
    ({"time": DAYS}, RowRoles(times=row_times("time", DAYS))),
]


@pytest.mark.parametrize(("given", "roles"), GIVEN, ids=["groups", "time"])
def test_functions_take_them_as_data_sets_have_them(given, roles):
    data, folds = IRIS._replace(roles=roles), Folds(4)
    ours, theirs = (validate(LEARNER, IRIS, folds, **given), validate(LEARNER, data, folds))
    assert np.array_equal(ours.predicted, theirs.predicted, equal_nan=True)
    own = ask(LEARNER, data, folds)
    assert [one.rows.tolist() for one in ask(LEARNER, IRIS, folds, **given).tried] == [
        one.rows.tolist() for one in own.tried
    ]
    ours, theirs = replicate(LEARNER, IRIS, PLAN, **given).trees, replicate(LEARNER, data, PLAN).trees
    assert all(np.array_equal(one.weight, two.weight) for one, two in zip(ours, theirs, strict=True))


@pytest.mark.parametrize(("given", "roles"), GIVEN, ids=["groups", "time"])
def test_pruning_deals_its_own_folds_by_them(given, roles):
    found = pruning_sequence(LEARNER, IRIS.X, IRIS.y, Folds(4), **given)
    dealt = pruning_sequence(LEARNER, IRIS.X, IRIS.y, deal(IRIS.y, Folds(4), roles))
    assert found is not None
    assert dealt is not None
    assert found.validated.error.tolist() == dealt.validated.error.tolist()
    with pytest.raises(ValueError, match="dealt already"):
        pruning_sequence(LEARNER, IRIS.X, IRIS.y, deal(IRIS.y, Folds(4)), **given)


def test_tallies_take_groups_too():
    with tempfile.TemporaryDirectory() as folder:
        found = tally_structures(LEARNER, IRIS, PLAN, Path(folder) / "a.sqlite", groups=PLOTS)
        own = tally_structures(LEARNER, with_roles(IRIS, groups=PLOTS), PLAN, Path(folder) / "a.sqlite")
    assert (found.n_trees, found.roots) == (own.n_trees, own.roots)
