"""Exports of trees on dates, times of day and durations, run on the files' own cells: Python and DuckDB."""

from __future__ import annotations

import csv
import io
import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from espalier import predict
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import ColumnPlan, guess_kinds
from espalier.data.dataset import Dataset
from espalier.data.options import DATE_PARTS, Moment, ReadOptions
from espalier.data.table import read_table
from espalier.export import forest_to_sql, from_json, to_json, to_python, to_rules, to_sql
from espalier.export.dialects import DIALECTS
from espalier.export.sql_cells import check_dialect
from espalier.language import Refusal
from espalier.learners import CartClassifier, RandomForestClassifier
from tests.export.test_exports_of_files import File, cart, check, cultivated, run_python, run_sql
from tests.tools.cases import case
from tests.tools.exported import answers_in

untimed = settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
N = 120
FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%d %b %Y", "%B %d, %Y", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m")
FORMS += ("%Y/%m/%d %H:%M+02:00", "%d-%m-%Y %H:%M:%S-0530", "%m/%d/%Y %I:%M %p", "%b %d %Y, %I:%M:%S a.m.")
GERMAN = {"Jan": "Jän", "Mar": "Mrz", "March": "März", "May": "Mai", "Oct": "Okt", "Dec": "Dez"}
GERMAN |= {"January": "Januar", "October": "Oktober", "December": "Dezember"}
PROGRAMS = (
    "%d%b%Y",
    "%d%b%y:%H:%M:%S",
    "%a %d %b %Y",
    "%Y/%m/%d %I:%M:%S %p GMT+1",
    "%A, %B %d, %Y %H:%M UTC-3:30",
)
IN_GERMAN = ("%d. %B %Y", "%d-%b-%y")


def table(columns: dict[str, list[str]], kinds: dict[str, Any]) -> tuple[Dataset, File]:
    """Data of a file with these columns, the last of which is the target."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([list(columns), *zip(*columns.values(), strict=True)])
    read = read_table(text.getvalue().encode(), "file.csv")
    plans = [kinds.get(plan.name, plan) for plan in guess_kinds(read.frame)]
    data = to_dataset(read.frame, plans, plans[-1].name, "file", read.origins)[0]
    return data, File(text.getvalue(), ReadOptions(), ())


def holed(texts: list[str], rng: np.random.Generator) -> list[str]:
    return ["" if rng.random() < 0.08 else text for text in texts]


class DateCase(NamedTuple):
    """How a column of dates is drawn and written."""

    seed: int
    years: tuple[int, int]
    form: str
    part: str


def dates(case: DateCase) -> tuple[Dataset, File]:
    rng = np.random.default_rng(case.seed)
    first, last = (np.datetime64(f"{year:04d}-01-03", "us").astype("int64") for year in case.years)
    moments: list[Any] = [
        pd.Timestamp(np.datetime64(int(x), "us")) for x in rng.integers(first, last, N) // 10**5 * 10**5
    ]
    written = [moment.strftime(case.form.replace("%Y", f"{moment.year:04d}")) for moment in moments]
    if case.form in IN_GERMAN:
        written = [re.sub("[A-Z][a-z]+", lambda name: GERMAN.get(name[0], name[0]), text) for text in written]
    good = [_good(moment, case.part) for moment in moments]
    late = ["yes" if (x > np.median(good)) != (rng.random() < 0.1) else "no" for x in good]
    columns = {"Sent (UTC)": holed(written, rng), "x": [f"{x:.2f}" for x in rng.random(N)], "late": late}
    return table(columns, {"Sent (UTC)": ColumnPlan("Sent (UTC)", "date", parts=(case.part, "weekday"))})


def _good(date: pd.Timestamp, part: str) -> float:
    if part in ("date", "weekday"):
        return date.toordinal() if part == "date" else date.day_of_week
    return getattr(date, part)


seeds = st.integers(0, 2**32)
parts = st.sampled_from(DATE_PARTS)
old = st.builds(DateCase, seeds, st.just((1, 9998)), st.sampled_from(FORMS[:2]), parts)
new = st.builds(DateCase, seeds, st.sampled_from([(1969, 2068), (2019, 2022)]), st.sampled_from(FORMS), parts)


@untimed
@given(old | new)
def test_exports_of_a_tree_on_dates_run_on_the_file_say_what_the_app_says(case):
    data, file = dates(case)
    check(cart(data), data, file)


def test_exports_read_dates_as_programs_write_them():
    for form in [*PROGRAMS, *IN_GERMAN]:
        with case(form):
            data, file = dates(DateCase(1, (1999, 2022), form, "hour" if "%M" in form else "month"))
            assert data.features[0].moment
            check(cart(data), data, file)


CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")


@settings(untimed, max_examples=4)
@given(seeds, st.sampled_from(CLOCKS))
def test_exports_of_a_tree_on_times_of_day_run_on_the_file_say_what_the_app_says(seed, form):
    rng = np.random.default_rng(seed)
    times = [pd.Timestamp(int(x), unit="s") for x in rng.integers(0, 86_400, N)]
    late = ["yes" if (x.hour > 14) != (rng.random() < 0.1) else "no" for x in times]
    data, file = table({"at": holed([x.strftime(form) for x in times], rng), "late": late}, {})
    check(cart(data), data, file)


def test_exports_of_a_tree_on_times_of_day_in_words_run_on_the_file_say_what_the_app_says():
    rng = np.random.default_rng(3)
    forms = ("%I %p", "%I%p", "%H Uhr", "%H h", "%H Uhr %M", "%Hh%M", "%H.%M uhr", "%H:%M Uhr", "%I.%M p.m.")
    times = [pd.Timestamp(int(x), unit="s") for x in rng.integers(0, 86_400, 3 * N)]
    late = ["yes" if (x.hour > 14) != (rng.random() < 0.1) else "no" for x in times]
    written = [x.strftime(forms[rng.integers(len(forms))]) for x in times]
    written = [
        text.replace("p.m.", "P.M.") if x.hour >= 12 else text.replace("p.m.", "a.m")
        for text, x in zip(written, times, strict=True)
    ]
    data, file = table({"at": holed(written, rng), "late": late}, {})
    assert data.features[0].moment == Moment("at", "time of day", unit=60)
    check(cart(data), data, file)


def test_exports_of_a_tree_on_durations_run_on_the_file_say_what_the_app_says():
    rng = np.random.default_rng(1)
    minutes = rng.integers(1, 9_000, N)
    forms: Any = (str, pd.Timedelta.isoformat, lambda x: f"{x.seconds // 60 + 1440 * x.days} min")
    waits = [forms[rng.integers(3)](pd.Timedelta(int(x), "min")) for x in minutes]
    late = ["yes" if (x > 4_320) != (rng.random() < 0.1) else "no" for x in minutes]
    data, file = table({"wait": holed(waits, rng), "late": late}, {})
    tree = cart(data)
    expected = [answer[0] for answer in run_python(tree, data, file.cells[1])]
    assert expected == [data.classes[int(s.argmax())] for s in predict.shares(tree, data.X)]
    assert [row[0] for row in run_sql(tree, data, file, "duckdb")] == expected
    assert f"\n{tree.n_leaves}. " in to_rules(tree, data.features, data.target)
    with pytest.raises(Refusal, match="no words for durations"):
        to_sql(tree, data.features, data.target)


def test_exports_of_a_cultivated_tree_on_dates_say_what_the_app_says_and_standard_sql_reads_the_year_first_alone():
    data, file = dates(DateCase(1, (2019, 2022), "%d.%m.%Y", "month"))
    check(cultivated(data), data, file)
    data, file = dates(DateCase(1, (2019, 2022), "%Y-%m-%dT%H:%M:%S.%f", "month"))
    tree = cart(data)
    expected = [answer[0] for answer in run_python(tree, data, file.cells[1])]
    assert [row[0] for row in run_sql(tree, data, file, "standard")] == expected
    data, file = dates(DateCase(1, (2019, 2022), "%d.%m.%Y", "month"))
    with pytest.raises(Refusal, match="dates that do not begin with the year"):
        to_sql(cart(data), data.features, data.target)


def test_databases_whose_dates_are_not_written_refuse_every_kind_of_tree_that_asks_about_one():
    data, _ = dates(DateCase(1, (2019, 2022), "%Y-%m-%d", "month"))
    forest = RandomForestClassifier(n_estimators=2, max_depth=3, random_state=0).fit(data.X, data.y).forest_
    for dialect in DIALECTS:
        for record, write in ((cart(data), to_sql), (cultivated(data), to_sql), (forest, forest_to_sql)):
            with case(dialect):
                if dialect in ("standard", "postgresql", "duckdb"):
                    assert "MATERIALIZED" in write(record, data.features, data.target, dialect)
                    check_dialect(record, data.features, dialect)
                    continue
                said = f"SQL for {DIALECTS[dialect].label} is not written for dates"
                with pytest.raises(Refusal, match=said):
                    write(record, data.features, data.target, dialect)
                with pytest.raises(Refusal, match=said):
                    check_dialect(record, data.features, dialect)
    other = [feature._replace(moment=None) for feature in data.features]
    assert all(check_dialect(cart(data), other, dialect) is None for dialect in DIALECTS)


def test_a_database_that_has_dates_as_dates_is_read_as_well():
    data, file = dates(DateCase(5, (2019, 2022), "%d.%m.%Y", "month"))
    tree = cart(data)
    rows = [[(cell and f"{cell[6:]}-{cell[3:5]}-{cell[:2]}") or None, *rest] for cell, *rest in file.cells[1]]
    source = to_sql(tree, data.features, data.target, "duckdb")
    found = answers_in("duckdb", source, [("Sent (UTC)", "DATE"), ("x", "DOUBLE")], [row[:2] for row in rows])
    assert found == [answer[:1] for answer in run_python(tree, data, file.cells[1])]
    assert run_python(tree, data, rows) == run_python(tree, data, file.cells[1])


def test_a_cell_that_is_no_date_is_missing_where_the_file_had_some_and_an_error_elsewhere():
    rng = np.random.default_rng(0)
    sent = [f"{day:%d/%m/%Y}" for day in pd.date_range("2020-01-01", periods=N)]
    late = ["yes" if i > 60 else "no" for i in range(N)]
    data, file = table({"sent": [*sent[:-2], "soon", "30/02/2020"], "late": holed(late, rng)}, {})
    assert data.features[0].origin is not None
    assert data.features[0].origin.is_lossy
    tree = cart(data)
    assert len(run_python(tree, data, file.cells[1])) == N
    data, _ = table({"sent": sent, "late": late}, {})
    with pytest.raises(ValueError, match="'soon' is no date or time as the file writes them"):
        run_python(cart(data), data, [["soon", ""]])


def test_the_document_of_a_tree_keeps_how_features_are_worked_out_and_says_what_is_wrong():
    data, _ = dates(DateCase(1, (2019, 2022), "%m/%d/%Y %I:%M %p", "date"))
    text = to_json(cart(data), data.features, data.target)
    assert from_json(text)[1] == data.features
    for good, bad, said in (
        ('"part": "date"', '"part": "moon"', r"features\[0\]\.moment\.part: expected one of date, year"),
        ('"form": "mdy"', '"form": "my"', "expected one of ymd, dmy, mdy, dby"),
        ('"unit": 60', '"unit": 0', "above 0"),
    ):
        with pytest.raises(ValueError, match=said):
            from_json(text.replace(good, bad, 1))


def test_rules_and_heads_say_dates_as_people_do():
    sent = [f"{day:%d/%m/%Y}" for day in pd.date_range("2020-01-01", periods=N)]
    data, _ = table({"sent": sent, "late": ["yes" if i >= 60 else "no" for i in range(N)]}, {})
    tree = CartClassifier(categorical_features=data.categorical).fit(data.X, data.y).tree_
    rules = to_rules(tree, data.features, data.target)
    assert "if sent before 2020-03-01" in rules
    assert "if sent on 2020-03-01 or later" in rules
    assert "Whole numbers" not in rules
    source = to_python(tree, data.features, data.target)
    assert '# - "sent" counts days from 1970-01-01 (UTC).' in source
    assert '# - "sent" has dates in which the day comes first, unless the year does.' in source
