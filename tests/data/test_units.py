"""Columns of numbers with units, of dates, times and durations, and some that only seem to have an order."""

from __future__ import annotations

import csv
import io
import itertools
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.columns import units
from espalier.data.columns.convert import TargetPlan, part_of, to_dataset
from espalier.data.columns.dates import clock_of, dates_of, durations_of
from espalier.data.columns.kinds import ColumnPlan, guess_kind, guess_kinds
from espalier.data.columns.new_rows import new_rows
from espalier.data.columns.vocabulary import steps_in_order
from espalier.data.contents import contents
from espalier.data.errors import TableError
from espalier.data.options import DAY, HOUR, Moment, NumberFormat, calendar_day, days_until, first_day
from espalier.data.remarks import doubts
from espalier.data.table import read_table
from espalier.display.text.trees import condition
from espalier.export import from_json, to_json, to_python, to_sql
from espalier.learners import CartClassifier
from espalier.predict import classes
from tests.tools.cases import case
from tests.tools.exported import scope_of

SIZES = {  # of the units of a dimension, in its first one, by the SI brochure and by definition of the pound
    "mass": {"kg": Fraction(1), "g": Fraction(1, 1000), "mg": Fraction(1, 10**6), "lb": Fraction("0.45359237")},
    "volume": {"l": Fraction(1), "ml": Fraction(1, 1000), "cl": Fraction(1, 100), "m³": Fraction(1000)},
    "length": {"m": Fraction(1), "km": Fraction(1000), "cm": Fraction(1, 100), "in": Fraction(254, 10000)},
    "data": {"MB": Fraction(1), "GB": Fraction(1000), "KiB": Fraction(1024, 10**6)},
    "months": {"months": Fraction(1), "years": Fraction(12)},
}


def texts(*cells) -> Any:
    return pd.Series(cells, dtype="str")


WITH_UNITS = [
    (("1 kg", "2 kg", "500 g"), "kg", [1, 2, 0.5]), (("1 l", "250 ml", "33cl", "2 L"), "l", [1, 0.25, 0.33, 2]),
    (("1 GB", "512 MB", "2 GB"), "GB", [1, 0.512, 2]),
    (("1 year", "6 months", "18 months"), "months", [12, 6, 18]), (("5 m", "2 km", "7 m"), "metres", [5, 2000, 7]),
    (("6 m", "2 y", "7 m"), "months", [6, 24, 7]),  # beside years "m" are months
    (("1,5 kg", "1.000,5 kg"), "kg", [1.5, 1000.5]), (("20 °C", "-3.5 °C"), "°C", [20, -3.5]),
    (("120 mmHg", "80 mmHg"), "mmHg", [120, 80]), (("5 ML", "7 ML"), "ML", [5, 7]),  # whatever it means
    (("20 °C", "68 °F"), "", None), (("500 ML", "1 L"), "", None),  # megalitres, or millilitres in capitals
    (("10 MG", "1 g"), "", None),  # megagrams, or milligrams in capitals
    (("10 Mb", "2 MB"), "", None),  # bits and bytes
    (("5 kg", "3 m"), "", None), (("1 month", "20 days"), "", None),  # a month has no number of days
    (("5 kg", "7"), "", None), (("007 g", "008 g"), "", None),  # codes
    (("1.2.3 m", "1.2.4 m"), "", None), (("1A", "2B", "3C"), "", None),
]  # fmt: skip


def test_numbers_with_units_of_one_dimension_are_numbers_in_one_of_them():
    for cells, unit, values in WITH_UNITS:
        with case((cells, unit, values)):
            assert units.unit_of(texts(*cells)) == unit
            plan = guess_kind("x", texts(*cells))
            assert (plan.kind == "number") == bool(unit) == bool(plan.unit)
            if unit:
                frame = pd.DataFrame(
                    {"x": texts(*cells, None), "y": texts(*(["a", "b"] * len(cells))[: len(cells) + 1])}
                )
                data, notes = to_dataset(frame, [plan, ColumnPlan("y", "category")], "y", "T")
                assert data.X[:-1, 0].tolist() == values
                assert np.isnan(data.X[-1, 0])
                assert any(f"is read in {unit}: " in note for note in notes)


@settings(deadline=None)
@given(st.data(), st.sampled_from(list(SIZES)))
def test_values_are_turned_into_the_unit_exactly_and_rounded_once(data, dimension):
    """As fractions say; so 29 cm and 0.29 m are the same number, which 0.29 * 100 is not."""
    sizes = SIZES[dimension]
    digits = st.tuples(st.integers(0, 10**6), st.integers(0, 6)).map(lambda one: f"{one[0] / 10 ** one[1]:.6f}")
    cells = data.draw(st.lists(st.tuples(digits, st.sampled_from(list(sizes))), min_size=2, max_size=9))
    column = texts(*(f"{number} {unit}" for number, unit in cells))
    format_ = units.number_format(
        column, next(unit for _, unit in cells if unit != "m" or len({u for _, u in cells}) < 2)
    )
    whole = sizes[format_.unit]
    expected = [float(Fraction(number) * sizes[unit] / whole) for number, unit in cells]
    assert units.read(column, format_).tolist() == expected


def test_what_two_units_are_read_in_turns_both_into_itself():
    every = sorted({unit for table in units._tables() for unit in table})
    pairs = [two for two in itertools.combinations(every, 2) if units.sizes_of(two)]
    assert len(pairs) > len(every)
    for one, other in pairs[::40]:
        column = texts(f"1 {one}", f"2 {other}")
        unit = units.unit_of(column)
        values = units.read(column, NumberFormat(unit=unit))
        assert units.read(texts(f"1 {unit}"), NumberFormat(unit=unit)).tolist() == [1.0]
        assert np.isfinite(values).all()
        assert values.min() > 0
        assert 1.0 in values or 2.0 in values  # one of them is in that unit


def test_the_order_of_ranges_is_that_of_one_scale_or_there_is_none():
    ordered = [
        ("<5", "5-9", "10-19", ">20"), ("<18", "18-40", "41-60", ">60"), ("18-29", "30-49", "50+"),
        ("(0, 10]", "(10, 20]", "(20, 30]"), (">1", ">10", ">100"), ("< 1 year", "1-2 years", "3+"),
        ("<6 months", "6-12 months", "1-2 years", ">2 years"), ("500-999 g", "1-2 kg", "2-5 kg"),
        ("1 room", "2 rooms", "5 rooms"), ("10 to 20", "20 TO 30", "100 to 200"),
    ]  # fmt: skip
    for values in ordered:
        assert steps_in_order(list(values[::-1])) == values
        assert steps_in_order(sorted(values)) == values
    for values in (
        ("2-1", "3-0", "1-1"),  # scores of matches
        ("0-1", "1-2", "0-3"),
        ("2 pm", "7 am", "3 pm"),
        ("5 EUR", "7 USD", "9 EUR"),
        ("10-20", "15-30", "40-50"),
        ("1/2", "3/4", "1/4"),
        ("1-2 kg", "3-4 m", "5-6 kg"),
    ):
        assert steps_in_order(list(values)) is None, values
        assert guess_kind("x", texts(*values, *values)).kind in ("category", "time of day")


def test_numbers_whose_units_have_no_one_dimension_are_remarked_on():
    shown = {
        ("1 month", "20 days", "3 days"): "(“days” and “month”)",
        ("5 kg", "7", "8 kg"): "(“kg” and no unit)",
        ("20 °C", "68 °F", "21 °C"): "(“°C” and “°F”)",
    }
    for cells, said in shown.items():
        (note,) = doubts(pd.DataFrame({"x": texts(*cells)}))
        assert said in note
    for cells in (("5 kg", "500 g"), ("3 days", "2 h"), ("1A", "2B", "3A"), ("7 am", "2 pm"), ("red", "blue")):
        assert doubts(pd.DataFrame({"x": texts(*cells)})) == []


def measured_file(n=150):
    """A file with a mass in several units, the mass in kilograms, and a class by it."""
    rng = np.random.default_rng(2)
    grams = rng.integers(1, 4000, n)
    forms = [
        lambda g: f"{g} g", lambda g: f"{g / 1000} kg", lambda g: f"{g * 1000:,} mg", lambda g: f"{g / 1000}KG",
    ]  # fmt: skip
    cells = [
        forms[rng.integers(1 + 3 * (i > 4))](int(g)) if rng.random() > 0.05 else "" for i, g in enumerate(grams)
    ]
    rows = [
        [cell, f"{x:.3f}", "heavy" if g > 1700 else "light"]
        for cell, x, g in zip(cells, rng.random(n), grams, strict=True)
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["weight", "x", "class"], *rows])
    return text.getvalue(), rows


def test_new_rows_and_exports_read_units_as_the_table_was_read():
    text, rows = measured_file()
    table = read_table(text.encode(), "f.csv")
    data, _ = to_dataset(table.frame, guess_kinds(table.frame), "class", "f", table.origins)
    tree = CartClassifier(max_depth=3).fit(data.X, data.y).tree_
    assert tree.feature[0] == 0
    again = new_rows(table.frame, data)
    assert np.array_equal(again.X, data.X, equal_nan=True)
    features = from_json(to_json(tree, data.features, data.target))[1]
    assert features == data.features
    predict = scope_of(to_python(tree, data.features, data.target))["predict"]
    for row, x, code in zip(rows, data.X, classes(tree, data.X).tolist(), strict=True):
        assert predict(row)[0] == predict(x.tolist())[0] == data.classes[code]
    with pytest.raises(ValueError, match="'7' is no number with a unit"):
        predict(["7", 0.5])
    assert '"weight" is in "' in to_python(tree, data.features, data.target)
    unit = data.features[0].origin.format.unit  # type: ignore[union-attr]
    assert f'"weight" must be a number in "{unit}"' in to_sql(tree, data.features, data.target, "sqlite")


def test_new_rows_in_other_units_are_turned_into_that_of_the_table_and_others_are_unknown():
    frame = pd.DataFrame({"x": texts("1 kg", "2 kg", "500 g"), "y": texts("a", "b", "a")})
    data, _ = to_dataset(frame, guess_kinds(frame), "y", "T")
    assert data.features[0].origin.format == NumberFormat(unit="kg")  # type: ignore[union-attr]
    rows = new_rows(pd.DataFrame({"x": texts("750 g", "0.5 t", "7", "3 m", "2.5 kg")}), data)
    assert np.array_equal(rows.X[:, 0], [0.75, 500, np.nan, np.nan, 2.5], equal_nan=True)
    assert rows.unknown[:, 0].tolist() == [False, False, True, True, False]
    plain = new_rows(pd.DataFrame({"x": [1.5, 2.0]}), data)
    assert plain.X[:, 0].tolist() == [1.5, 2.0]
    without = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": texts("a", "b", "a")})
    data, _ = to_dataset(without, guess_kinds(without), "y", "T")
    assert new_rows(
        pd.DataFrame({"x": texts("1 kg", "2 kg")}), data
    ).unknown.all()  # of which nobody knows the unit


def test_a_target_with_units_is_predicted_as_a_number():
    cells = [f"{x} g" if x % 2 else f"{x / 1000} kg" for x in range(1, 61)]
    frame = pd.DataFrame({"a": 1.5 * np.arange(60.0), "y": texts(*cells)})
    plans = guess_kinds(frame)
    data, notes = to_dataset(frame, plans, "y", "T")
    assert not data.is_classification
    scale = 1 if plans[-1].unit == "g" else 1000
    assert (data.y * scale).round(9).tolist() == list(range(1, 61))
    assert any("“y” is read in" in note for note in notes)
    assert to_dataset(frame, plans, TargetPlan("y", "classification"), "T")[0].is_classification


def test_an_open_point_before_three_digits_is_read_as_in_the_other_columns_and_asked_where_none_says_it():
    for header, row, others, is_asked in [
        ("w|y", "1,234 kg|{}", {".": 1234, ",": 1.234}, True),
        ("w|y", "1.234 kg|{}", {".": 1.234, ",": 1234}, True),
        ("w|x|y", "1,234 kg|2,5|{}", {",": 1.234}, False),
        ("w|x|y", "1,234 kg|2.5|{}", {".": 1234}, False),
        ("w|x|y", "1,234 kg|1,5 l|{}", {",": 1.234}, False),
        ("w|y", "124 kg|{}", {".": 124}, False),
    ]:
        lines = [row.format("ab"[i % 2]).replace("4", str(4 - i), 1) for i in range(3)]
        found = contents("\n".join([header, *lines]).encode(), "a.csv")
        with case((header, row)):
            choices = [choice for choice in found.table.choices if choice.what == "decimal"]
            assert bool(choices) == is_asked
            options = [reading.options for choice in choices for reading in (choice.used, choice.other)]
            for option in options or [found.table.options]:
                table, plans, _ = contents("\n".join([header, *lines]).encode(), "a.csv", option)
                data = to_dataset(table.frame, plans, "y", "a", table.origins)[0]
                assert data.X[0, 0] == others.pop(option.decimal)
                rows = new_rows(table.frame.drop(columns="y"), data)  # in which nothing but the table says it, too
                assert np.array_equal(rows.X, data.X)
            assert not others or not is_asked


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
