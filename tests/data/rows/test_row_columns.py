"""Roles of a table's columns: read with it, checked where they are given, and never features."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.dates import dates_of
from espalier.data.columns.kinds import guess_kinds
from espalier.data.columns.row_columns import RoleNames
from espalier.data.errors import TableError
from tests.tools.cases import case

FRAME = pd.DataFrame(
    {
        "patient": ["ann", "bea", None, "ann"],
        "visit": ["2021-03-01", "2021-02-01", "2020-12-24", "2021-03-02"],
        "age": [70.0, 61.0, 55.0, 70.0],
        "note": ["a", "b", "c", "d"],
        "ill": ["yes", "no", "no", "yes"],
        "all": ["one", "one", "one", "one"],
    }
)


def table(roles, frame=FRAME, target="ill") -> Any:
    return to_dataset(frame, guess_kinds(frame), TargetPlan(target, roles=roles), "visits")[0]


def found(texts) -> Any:
    return dates_of(pd.Series(texts))


def test_columns_with_a_role_are_no_features():
    data = table(RoleNames("patient", "visit", "note"))
    assert [feature.name for feature in data.features] == ["age"]
    assert data.roles.groups.codes.tolist() == [0, 1, 2, 0]
    assert data.roles.labels.texts == ("a", "b", "c", "d")
    assert data.roles.times.is_date
    assert np.diff(data.roles.times.values).tolist() == [-28.0, -39.0, 68.0]


def test_a_number_may_be_the_time_or_the_group():
    data = table(RoleNames(group="age", time="age"))
    assert data.roles.times.values.tolist() == [70.0, 61.0, 55.0, 70.0]
    assert data.roles.groups.names == ("70", "61", "55")


def test_rows_without_a_target_have_no_roles():
    frame = FRAME.assign(ill=["yes", None, "no", "yes"])
    assert table(RoleNames("patient"), frame).roles.groups.names == ("ann", "")


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        (RoleNames(group="ill"), "cannot be both the target and the group"),
        (RoleNames(time="gone"), "no column “gone” to be the time"),
        (RoleNames(group="all"), "All rows are of one group of “all”"),
        (RoleNames(time="note"), "neither numbers nor dates of one form"),
    ],
)
def test_what_cannot_be_a_role_is_refused_with_the_reason(roles, said):
    with pytest.raises(TableError, match=said):
        table(roles)


def test_a_time_that_is_missing_is_refused_with_its_row():
    frame = FRAME.assign(visit=["2021-03-01", None, "2020-12-24", None])
    with pytest.raises(TableError, match=r"missing in 2 rows\. The first is row 2"):
        table(RoleNames(time="visit"), frame)


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


@pytest.mark.parametrize("texts", [["red", "blue"], ["2021-01-01", "soon"], ["31.12.2020", "12.31.2020"], [None]])
def test_texts_that_are_not_all_of_one_form_of_dates_are_none(texts):
    assert dates_of(pd.Series(texts, dtype="str")) is None


def test_a_day_that_could_be_a_month_has_a_rival_that_says_so():
    dates = found(["03/04/2021", "05/06/2021"])
    assert (dates.form, dates.rival) == ("dmy", "mdy")
    assert found(["03/04/2021", "25/06/2021"]).rival == ""
