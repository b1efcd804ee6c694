"""Dates, times of day and durations as features: forms that are read, parts of the calendar, errors."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.columns.convert import TargetPlan, part_of, to_dataset
from espalier.data.columns.dates import clock_of, dates_of, durations_of
from espalier.data.columns.kinds import ColumnPlan, guess_kind, guess_kinds
from espalier.data.errors import TableError
from espalier.data.options import DAY, HOUR, Moment, calendar_day, days_until, first_day
from espalier.data.table import read_table
from espalier.display.text.trees import condition
from espalier.learners import CartClassifier
from tests.tools.cases import case


def texts(*cells) -> Any:
    return pd.Series(cells, dtype="str")


def features(*cells, kind: Any = "date", **more) -> dict[str, list]:
    """Features of a column "sent" with these cells, by their names."""
    frame = pd.DataFrame({"sent": texts(*cells), "y": texts(*"ab", *"a" * (len(cells) - 2))})
    plans = [ColumnPlan("sent", kind, **more), ColumnPlan("y", "category")]
    data, _ = to_dataset(frame, plans, "y", "letters")
    return {f.name: data.X[:, i].tolist() for i, f in enumerate(data.features)}


MOMENTS_AS_WRITTEN = [
    (("2024-01-31", "2024-02-01"), "date"), (("2024-01", "2024-02"), "date"),
    (("3/4/2021 2:35 PM", "12/31/2020 11:00 AM"), "date"), (("Mar 3, 2021", "April 4, 2021"), "date"),
    (("0001-01-01", "9999-12-31"), "date"), (("14:35", "8:05 am"), "time of day"),
    (("3 days 04:00", "PT3H", "1h 20m"), "duration"), (("7 am", "2 pm", "12 AM", "7:30 p.m."), "time of day"),
    (("19 Uhr", "7 Uhr 30", "7.30 Uhr", "19:30 Uhr"), "time of day"), (("7h30", "14h", "18 h 15"), "time of day"),
    (("2h", "14h", "3 h"), "duration"), (("90 min", "1 hr", "2 Stunden", "3 jours"), "duration"),
    (("5m", "30 s", "2m 10s"), "duration"), (("13 pm", "14 am"), "category"),  # no clock shows them
    (("25:10", "3:00"), "duration"),  # no clock shows 25:10
    (("5 m", "7 m", "9 m"), "number"),  # metres, it may be
    (("2021-02-01", "01.02.2021 soon", "03/04", "2020-01-05"), "category"),
    (("31.12.2020", "12.31.2020"), "ignored"),
    (("2021-02-30", "2021-02-31"), "ignored"),  # February has no such days
]  # fmt: skip


def test_dates_times_of_day_and_durations_are_guessed():
    for cells, kind in MOMENTS_AS_WRITTEN:
        with case((cells, kind)):
            assert guess_kind("x", texts(*cells)).kind == kind


def test_a_date_becomes_days_and_where_it_spans_enough_its_month_and_weekday():
    assert features("1970-01-01", "1970-01-03", None) == {"sent": [0, 2, pytest.approx(np.nan, nan_ok=True)]}
    assert list(features("1970-01-01", "1970-01-20")) == ["sent", "sent (weekday)"]
    assert list(features("1970-03-01", "1971-04-20")) == ["sent", "sent (month)", "sent (weekday)"]
    assert list(features("1970-01-01 10:00", "1970-01-01 12:30")) == ["sent", "sent (hour)"]


def test_the_parts_that_were_chosen_become_features_and_no_others():
    made = features("2021-03-31 10:20", "2020-12-06 23:00", parts=("hour", "day", "weekday", "year"))
    assert made == {
        "sent (year)": [2021, 2020],
        "sent (weekday)": [0, 1],  # Wednesday and Sunday, in the order of the week
        "sent (day)": [31, 6],
        "sent (hour)": [10, 23],
    }


def test_numbers_count_days_or_if_there_are_times_minutes_or_seconds():
    assert features("1970-01-02", "1970-01-03", parts=("date",)) == {"sent": [1, 2]}
    assert features("1970-01-02", "1970-01-03 00:01", parts=("date",)) == {"sent": [0, 1441]}  # from the first day
    assert features("1970-01-01T00:00:01Z", "1970-01-01T01:00:02+01:00", parts=("date",)) == {"sent": [1, 2]}
    assert features("14:35", "00:10", kind="time of day") == {"sent": [875, 10]}
    assert features("14:35:01", "00:10", kind="time of day") == {"sent": [52501, 600]}
    assert features("PT3H", "1 day 2 h", kind="duration") == {"sent": [3, 26]}
    assert features("2 weeks", "3 days", kind="duration") == {"sent": [14, 3]}


def test_a_part_named_as_another_column_gets_a_name_of_its_own():
    frame = pd.DataFrame(
        {"sent": texts("2020-01-01", "2021-06-01"), "sent (month)": [1.0, 2.0], "y": texts("a", "b")}
    )
    data, _ = to_dataset(frame, guess_kinds(frame), "y", "letters")
    assert [f.name for f in data.features] == ["sent", "sent (month) 2", "sent (weekday)", "sent (month)"]
    assert data.features[1].moment == Moment("sent", "month")


def test_a_few_cells_that_are_no_dates_are_missing_and_many_are_an_error():
    frame = pd.DataFrame({"sent": texts(*["2021-03-01", "2021-04-01"] * 20, "soon"), "y": texts(*"ab" * 20, "a")})
    data, notes = to_dataset(frame, guess_kinds(frame), "y", "letters")
    assert np.isnan(data.X[-1]).all()
    assert notes == ["“sent”: 1 cell that cannot be read (“soon”) taken as missing."]
    with pytest.raises(TableError, match=r"“sent” does not hold dates of one form.*Write them as 2021-03-31"):
        features("soon", "2021-03-01")
    with pytest.raises(TableError, match="does not hold times of day"):
        features("soon", "25:00", kind="time of day")
    with pytest.raises(TableError, match="does not hold durations"):
        features("3 parsecs", "25 km", kind="duration")
    with pytest.raises(TableError, match="Dates in “sent” have no part “moon”"):
        features("2021-03-01", "2021-04-01", parts=("moon",))


def test_dates_that_the_file_itself_declares_are_no_numbers():
    frame = pd.DataFrame({"sent": pd.to_datetime(["2021-03-31", "2021-04-01"]), "y": texts("a", "b")})
    with pytest.raises(TableError, match="“sent” holds no numbers"):
        to_dataset(frame, [ColumnPlan("sent", "number"), ColumnPlan("y", "category")], "y", "letters")
    with pytest.raises(TableError, match="“sent” is no number"):
        to_dataset(frame, [ColumnPlan("sent", "number")], TargetPlan("sent", "regression"), "letters")


def test_dates_are_read_as_programs_write_them():
    for text, iso in [
        ("01JAN2020", "2020-01-01"),
        ("15feb21", "2021-02-15"),
        ("01JAN20:10:30:00", "2020-01-01T10:30"),  # of SAS
        ("01jan2020 10:30:00", "2020-01-01T10:30"),  # of Stata
        ("Sat 02 Mar 2024", "2024-03-02"),
        ("Mo, 05.02.2024", "2024-02-05"),
        ("Saturday, March 2, 2024", "2024-03-02"),
        ("5. MÄRZ 2024", "2024-03-05"),
        ("05-Mai-24", "2024-05-05"),
        ("1. Dez. 2024", "2024-12-01"),
        ("2024/01/05 1:02:33 AM GMT+1", "2024-01-05T00:02:33"),  # of Google Forms
        ("2024-01-05 10:00 GMT+5:30", "2024-01-05T04:30"),
    ]:
        with case((text, iso)):
            read: Any = dates_of(pd.Series([text]))
            assert read.seconds[0] == np.datetime64(iso, "s").astype(int)


@pytest.mark.parametrize("text", ["01012020", "30-901820", "1jan", "x 02 Mar 2024", "012jan2020", "E01JAN20"])
def test_codes_are_no_dates(text):
    assert dates_of(pd.Series([text])) is None


def test_an_open_order_of_day_and_month_is_told_and_the_chosen_one_is_read():
    frame = pd.DataFrame({"sent": texts("03/04/2021", "05/06/2021"), "y": texts("a", "b")})
    notes = to_dataset(frame, guess_kinds(frame), "y", "letters")[1]
    assert "“sent”: “03/04/2021” is read with the day first." in notes
    april, march = (dates_of(pd.Series([f"2021-{m}-{d}"])).days[0] for m, d in (("04", "03"), ("03", "04")))  # type: ignore[union-attr]
    assert features("03/04/2021", "05/06/2021", parts=("date",))["sent"][0] == april
    assert features("03/04/2021", "05/06/2021", parts=("date",), form="mdy")["sent"][0] == march


seconds = st.integers(-2_000_000_000, 4_000_000_000)


@settings(deadline=None)
@given(st.lists(seconds, min_size=1, max_size=20))
def test_parts_of_a_date_are_those_of_pandas(moments):
    stamps: Any = pd.Series(pd.to_datetime(moments, unit="s"))
    ours = {part: part_of(np.array(moments, float), part) for part in ("year", "month", "weekday", "day", "hour")}
    theirs = {"year": stamps.dt.year, "month": stamps.dt.month - 1, "weekday": stamps.dt.day_of_week}
    for part, values in (theirs | {"day": stamps.dt.day, "hour": stamps.dt.hour}).items():
        assert ours[part].tolist() == values.tolist()


@settings(deadline=None)
@given(
    st.lists(seconds, min_size=1, max_size=5),
    st.sampled_from(["%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M:%S", "%d %b %Y, %H:%M:%S", "%B %d, %Y %I:%M:%S %p"]),
)
def test_dates_written_in_any_form_are_read_back(moments, form):
    written = pd.Series(pd.to_datetime(moments, unit="s").strftime(form), dtype="str")
    read: Any = dates_of(written)
    if not read.rival:
        assert read.seconds.tolist() == moments


@settings(deadline=None)
@given(st.lists(st.integers(0, DAY - 1), min_size=1, max_size=5), st.sampled_from(["%H:%M:%S", "%I:%M:%S %p"]))
def test_times_of_day_written_on_any_clock_are_read_back(moments, form):
    written = pd.Series(pd.to_datetime(moments, unit="s").strftime(form), dtype="str")
    assert clock_of(written).tolist() == moments  # type: ignore[union-attr]


SPOKEN = {  # forms of the hour alone or with minutes, by what they leave out, in seconds
    "%I %p": HOUR, "%I%p": HOUR, "%H Uhr": HOUR, "%H h": HOUR, "%H Uhr %M": 60, "%Hh%M": 60, "%H.%M Uhr": 60,
    "%H:%M uhr": 60, "%I.%M %p": 60,
}  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, DAY - 1), st.sampled_from(list(SPOKEN))), min_size=1, max_size=9))
def test_times_of_day_are_read_as_people_say_them(cells):
    written = texts(*(pd.Timestamp(moment, unit="s").strftime(form) for moment, form in cells))
    assert clock_of(written).tolist() == [m // SPOKEN[form] * SPOKEN[form] for m, form in cells]  # type: ignore[union-attr]


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**8), min_size=1, max_size=5))
def test_durations_as_pandas_writes_them_are_read_back(moments):
    deltas = pd.to_timedelta(moments, unit="s")
    for written in (map(str, deltas), (one.isoformat() for one in deltas)):
        assert durations_of(texts(*written)).tolist() == moments  # type: ignore[union-attr]


def test_a_tree_finds_the_month_that_decides_and_says_so():
    days = pd.date_range("2018-01-01", periods=1500)
    late = np.where(days.month == 12, "late", "punctual")
    rows = "\n".join(f"{day:%d.%m.%Y},{word}" for day, word in zip(days, late, strict=True))
    table = read_table(f"ordered,delivery\n{rows}\n".encode(), "orders.csv")
    data, notes = to_dataset(table.frame, guess_kinds(table.frame), "delivery", "orders", table.origins)
    assert notes == []
    tree = CartClassifier(categorical_features=data.categorical).fit(data.X, data.y).tree_
    sides = {condition(tree, data.features, 0, left) for left in (True, False)}
    assert tree.n_leaves == 2
    assert "ordered in December" in sides


def test_days_are_counted_from_the_first_one_on():
    assert days_until(date(2021, 3, 31)) == 18717
    assert days_until(date(2020, 1, 2), since=18262) == 1
    assert calendar_day(1.0, since=18262) == date(2020, 1, 2)
    assert first_day(Moment("sent", "date", since=3)) == 3
    assert first_day(Moment("sent", "date", unit=HOUR)) is None
    assert first_day(Moment("sent", "year")) is None


@given(st.dates())
def test_a_day_comes_back(when):
    assert calendar_day(days_until(when)) == when


@given(st.floats(allow_nan=False))
def test_every_number_has_a_day_that_a_calendar_has(x):
    assert date.min <= calendar_day(x) <= date.max
