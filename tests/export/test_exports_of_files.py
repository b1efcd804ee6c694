"""Exports of trees from files, of moments too, run on cells as files and databases have them: Python and SQL."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from espalier import predict
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import ColumnPlan, guess_kinds
from espalier.data.dataset import Dataset, Feature
from espalier.data.options import AS_TEXT, DATE_PARTS, Moment, NumberFormat, ReadOptions
from espalier.data.table import read_table
from espalier.export import forest_to_sql, from_json, to_dot, to_json, to_python, to_rules, to_sql
from espalier.export.columns import answers, asked_features
from espalier.export.dialects import DIALECTS, real
from espalier.export.sql_cells import check_dialect
from espalier.kernels.cultivated.fractions import predict as cultivated_predict
from espalier.language import Refusal
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    OptimalClassifier,
    RandomForestClassifier,
)
from espalier.predict import classes
from espalier.trees import AnyTree, Tree
from tests.tools.cases import case
from tests.tools.exported import answers_in, scope_of

untimed = settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
N = 120  # rows
LONG = "a name of more than 120 letters, which is cut on reading, " * 3
NAMES = ["", "", "x", "x", "X", "survey\nquestion", LONG, LONG + "!", " padded ", 'quo"te', "it's", "a`b"]
NAMES += ["select", "%s", "Größe", "column 1", "column 2", "x (2)", "\\", "r", "t"]


class File(NamedTuple):
    """A table as it stands in a file, and what a person says of its columns."""

    text: str
    options: ReadOptions
    kinds: tuple[str, ...]

    @property
    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The names and the rows."""
        names, *rows = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.options.delimiter)
        return names, rows


def number(x: float, options: ReadOptions) -> str:
    marks = {",": options.thousands, ".": options.decimal}
    return "".join(marks.get(c, c) for c in f"{x:,.2f}")


# What may stand in a column: N texts, from how good the row is (0 to 1), and how numbers are written.
def numbers(good, rng, options):
    return [number(x, options) for x in (good + rng.normal(0, 0.3, N)) * 10 ** rng.integers(0, 5)]


def plain_numbers(good, rng, options):
    wild = ["+3", "1e1", f"{options.decimal}5", f"5{options.decimal}", "-0", "1e160", "\u2003 7\t"]
    return [wild[rng.integers(len(wild))] if rng.random() < 0.2 else f"{x:.0f}" for x in 9 * good]


def money(good, rng, options):
    signed = ("$ {}", "{}$", "${}", "-$ {}", "({} $)", "\u2212{}", "{}")
    return [signed[rng.integers(7)].format(number(5000 * x, options)) for x in good]


def formed(high, low):
    """Numbers up to a hundred, those of bad rows in another form."""
    return lambda good, rng, options: [(high, low)[int(x < 0.3)].format(number(100 * x, options)) for x in good]


def whole_categories(good, rng, options):
    written = ("{}", " {} ", "{}" + options.decimal + "0")
    return [written[rng.integers(3)].format(int(5 * x)) for x in good]


def yes_no(good, rng, _):
    spelled = (str.lower, str.lower, str.upper, str.title)
    return [spelled[rng.integers(4)]("ja" if x > 0.4 else "nein") for x in good]


def partly_numbers(good, rng, _):
    return ["many" if x > 0.9 else f"{100 * x:.0f}" for x in good]


def steps(*names):
    """These texts from bad rows to good ones."""
    return lambda good, rng, options: [names[int(len(names) * x)] for x in good]


percents, partly_percents = formed("{} %", "-{}%"), formed("{} %", "{}")
words = steps("it's", 'say "so"', "back\\slash", "zwei\nZeilen", "a, b; c", "(other)", "NULL?", "1.0 x")
codes = steps("1.1", "1.10", "1E1", "+49123456", "007", "1009513310189256287", "1009513310189256288")
many_words = steps(*(f"w{i}" for i in range(88)), "(other)", "it's \\")
COLUMNS: list[tuple[Any, str]] = [
    (numbers, "number"), (plain_numbers, "number"), (whole_categories, "category"),
    (steps(*map(str, range(90))), "category"), (words, "category"), (many_words, "category"), (yes_no, "yes/no"),
    (steps(*"00111"), "yes/no"), (steps("low", "medium", "high"), "ordered"), (partly_numbers, "number"),
    (money, "number"), (percents, "number"), (partly_percents, "number"), (codes, "category"),
]  # fmt: skip
DECORATED = (money, percents)
TARGETS = {
    "words": lambda good, _: ["it's" if x > 0.5 else "\\no" for x in good],
    "numbers": lambda good, _: [("-1", "0", "2")[int(3 * x)] for x in good],
    "codes": lambda good, _: [("01", "02")[int(2 * x)] for x in good],
    "regression": lambda good, options: [number(1000 * x, options) for x in good],
}


@st.composite
def files(draw) -> File:
    delimiter, decimal, thousands = draw(
        st.sampled_from([(";", ",", "."), (",", ".", ""), ("\t", ".", " "), ("|", ".", "'")])
    )
    options = ReadOptions(delimiter=delimiter, decimal=decimal, thousands=thousands)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    good = rng.random(N)
    chosen = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=len(chosen), max_size=len(chosen)))
    columns = [write((good + rng.normal(0, 0.1, N)).clip(0, 0.999), rng, options) for write, _ in chosen]
    for column in columns:
        for row in np.flatnonzero(rng.random(N) < 0.1):
            column[row] = ("", "NA", "?", " n/a ")[rng.integers(4)]
    target = TARGETS[draw(st.sampled_from(list(TARGETS)))](good, options)
    written = enumerate(write for write, _ in chosen)
    formats = tuple(
        (i, NumberFormat(decimal, thousands, True, write is percents))
        for i, write in written
        if write in DECORATED
    )
    as_text = tuple((i, AS_TEXT) for i, (write, _) in enumerate(chosen) if write is codes)
    options = options._replace(formats=tuple(sorted((*formats, *as_text))))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([[*names, "the target"], *zip(*columns, target, strict=True)])
    return File(text.getvalue(), options, tuple(kind for _, kind in chosen))


def dataset(file: File) -> Dataset:
    table = read_table(file.text.encode(), "file.csv", file.options)
    kinds = dict(zip(table.frame.columns, file.kinds, strict=False))
    plans = [_planned(plan, kinds.get(plan.name)) for plan in guess_kinds(table.frame)]
    return to_dataset(table.frame, plans, plans[-1].name, "file", table.origins)[0]


def _planned(plan: ColumnPlan, kind: Any) -> ColumnPlan:
    return ColumnPlan(plan.name, kind) if kind and kind != plan.kind else plan


def keys(names: list[str]) -> list[str | int]:
    """How a dict tells columns apart: by name, or by position where the file leaves it no other way."""
    taken = {
        name for i, name in enumerate(names) if name in ("column 1", "column 2") and name != f"column {i + 1}"
    }
    bare = any(
        not name.strip() or len([o for o in names if o.casefold() == name.casefold()]) > 1 for name in names
    )
    taken = taken if bare else set()
    return [n if n.strip() and names.count(n) == 1 and n not in taken else i for i, n in enumerate(names)]


def sql_names(names: list[str]) -> list[str]:
    folded = [name.casefold() for name in names]
    alone = [isinstance(key, str) and folded.count(key.casefold()) == 1 for key in keys(names)]
    return [n if ok else f"column {i}" for i, (n, ok) in enumerate(zip(names, alone, strict=True), 1)]


def run_python(tree: AnyTree, data: Dataset, rows: list[Any]) -> list[Any]:
    return list(map(scope_of(to_python(tree, data.features, data.target))["predict"], rows))


def run_sql(tree: AnyTree, data: Dataset, file: File, dialect: str) -> list[tuple]:
    names, rows = file.cells
    columns = [(name, "VARCHAR") for name in sql_names(names)]
    return answers_in(dialect, to_sql(tree, data.features, data.target, dialect), columns, rows)


def check(tree: AnyTree, data: Dataset, file: File) -> None:
    """All exports say of every row what the app says."""
    names, rows = file.cells
    dicts = [dict(zip(keys(names), row, strict=True)) for row in rows]
    by_list, by_dict = run_python(tree, data, rows), run_python(tree, data, dicts)
    assert by_list == by_dict
    asks_moments = any(data.features[i].moment for i in asked_features(tree))
    dialects = ("duckdb",) if asks_moments else ("sqlite", "duckdb")
    answered = [run_sql(tree, data, file, dialect) for dialect in dialects]
    if isinstance(tree, Tree):
        assert f"\n{tree.n_leaves}. " in to_rules(tree, data.features, data.target)
        said = predict.shares(tree, data.X)
        classes = answers(data.target)
        expected = [classes[int(s.argmax())] for s in said] if classes else said[:, 0].tolist()
        assert by_list == [(c, tuple(s)) for c, s in zip(expected, said, strict=True)] if classes else expected
        assert all([row[0] for row in rows] == expected for rows in answered)
        return
    said, spread = cultivated_predict(tree, data.X)
    shares = np.array([np.atleast_1d(answer[-2]) for answer in by_list])
    for found in (shares, *map(np.array, answered)):
        np.testing.assert_allclose(found, said, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose([answer[-1] for answer in by_list], spread, rtol=1e-9, atol=1e-12)


def cart(data: Dataset) -> AnyTree:
    learner = CartClassifier if data.is_classification else CartRegressor
    return learner(max_depth=5, categorical_features=data.categorical).fit(data.X, data.y).tree_


def cultivated(data: Dataset) -> AnyTree:
    learner = CultivatedClassifier if data.is_classification else CultivatedRegressor
    return learner(max_depth=2, categorical_features=data.categorical).fit(data.X, data.y).tree_


@untimed
@given(files())
def test_exports_of_a_tree_run_on_the_file_say_what_the_app_says_and_its_document_keeps_where_columns_stand(file):
    data = dataset(file)
    check(cart(data), data, file)
    tree, features, target = from_json(to_json(cart(data), data.features, data.target))
    assert (features, target) == (data.features, data.target)
    assert to_python(tree, features, target) == to_python(cart(data), data.features, data.target)


@settings(untimed, max_examples=4)
@given(files())
def test_exports_of_a_cultivated_tree_run_on_the_file_say_what_the_app_says(file):
    data = dataset(file)
    check(cultivated(data), data, file)


def test_documents_from_before_there_were_origins_and_fractions_in_percents_keep_what_they_learned_from():
    document = json.loads(to_json(*grown_cities()))
    for feature in (*document["features"], document["target"]):
        del feature["origin"], feature["is_whole"]
    assert from_json(json.dumps(document))[1][0].origin is None
    cells = [f"{x} %" for x in range(90)]
    file = File(
        "\n".join(["x,y", *(f"{cell},{'ab'[i > 40]}" for i, cell in enumerate(cells))]),
        ReadOptions(formats=((0, NumberFormat(decorated=True)),)),
        ("number",),
    )
    data = dataset(file)
    assert data.X[:, 0].tolist() == list(range(90))
    document = json.loads(to_json(cart(data), data.features, data.target))
    del document["features"][0]["origin"]["format"]["percent"]
    tree, features, target = from_json(json.dumps(document))
    assert isinstance(tree, Tree)
    check(tree, data._replace(features=features, target=target), file)


def test_an_optimal_tree_run_on_the_file_says_what_the_app_says():
    rng = np.random.default_rng(3)
    cells = zip(9 * rng.random(99), rng.random(99) > 0.4, strict=True)
    lines = [f"{x:.1f},{'yes' if z else 'no'},{int(x > 5) ^ int(z)}" for x, z in cells]
    file = File("\n".join(["x,x,y", *lines]), ReadOptions(), ("number", "yes/no"))
    data = dataset(file)
    check(OptimalClassifier(max_depth=2).fit(data.X, data.y).tree_, data, file)


def test_codes_that_look_like_numbers_are_words_to_exports():
    rng = np.random.default_rng(5)
    cells = codes(rng.random(400), rng, None)
    told = {"1.10", "1E1", "1009513310189256288"}
    text = "\n".join(["code,y", *(f"{cell},{'pq'[cell in told]}" for cell in cells)])
    file = File(text, ReadOptions(formats=((0, AS_TEXT),)), ("category",))
    data = dataset(file)
    tree = CartClassifier(max_depth=4, categorical_features=[0]).fit(data.X, data.y).tree_
    assert (predict.shares(tree, data.X).max(axis=1) == 1).all()  # every code is told apart
    check(tree, data, file)


def grown_cities() -> tuple:
    tree, data, _ = cities()
    return tree, data.features, data.target


def cities(n_levels: int = 180, extra: str = "") -> tuple[AnyTree, Dataset, File]:
    """A tree that asks for cities, most of which are so rare that they are pooled."""
    rng = np.random.default_rng(0)
    names = [f"city {i}" for i in range(n_levels - 1)] + [extra or "city x"]
    lines = [f"{names[i]},{int(i % 7 > 2)}" for i in rng.integers(0, n_levels, 900)]
    lines += [f"{names[-1]},1"] * 40
    file = File(
        "\n".join(["a\nb".replace("\n", " "), *lines]).replace("a b", "city,y"), ReadOptions(), ("category",)
    )
    data = dataset(file)
    return CartClassifier(max_depth=4, categorical_features=[0]).fit(data.X, data.y).tree_, data, file


def test_values_that_were_pooled_are_written_out_and_say_what_the_app_says():
    tree, data, file = cities()
    origin: Any = data.features[0].origin
    assert len(origin.pooled) > 100
    check(tree, data, file)
    for write in (to_python, to_sql, to_rules, to_dot, to_json):
        source = write(tree, data.features, data.target)
        assert all(value in source for value in origin.pooled)
        assert "(other)" in source


def test_a_value_never_seen_goes_where_a_missing_one_goes_and_one_named_as_the_pool_is_no_part_of_it():
    tree, data, _ = cities()
    missing = run_python(tree, data, [{"city": None}])
    assert run_python(tree, data, [{"city": "Atlantis"}, {"city": "(other)"}]) == 2 * missing
    rows = File("city,y\nAtlantis,0\n(other),0\n,0\n", ReadOptions(), ())
    for dialect in ("sqlite", "duckdb"):
        assert len(set(run_sql(tree, data, rows, dialect))) == 1
    tree, data, file = cities(extra="(other)")
    assert data.features[0].categories[-1] == "(other 2)"
    assert "(other)" in data.features[0].categories
    check(tree, data, file)


def test_an_absent_column_is_an_error_in_every_language():
    tree, data, _ = cities()
    with pytest.raises(KeyError, match=r"the sample has no column 'city' \(position 0, counted from 0\)"):
        run_python(tree, data, [{"town": "city 1"}])
    rows = File("town,y\ncity 1,0\n", ReadOptions(), ())
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: t\.city"):
        run_sql(tree, data, rows, "sqlite")
    with pytest.raises(duckdb.Error, match="city"):
        run_sql(tree, data, rows, "duckdb")


def test_the_head_of_every_export_says_what_was_changed():
    text = "x;x;survey question;\n" + "".join(
        f"{i},5;{i % 7};w;{int(i % 7 > 3) + int(i > 30)}\n" for i in range(60)
    )
    file = File(text.replace("survey ", '"survey\n').replace("question", 'question"'), ReadOptions(), ())
    file = file._replace(options=ReadOptions(delimiter=";", decimal=","), kinds=("number", "number"))
    data = dataset(file)
    source = to_python(cart(data), data.features, data.target)
    assert '# - "x (2)" is column 2 of the file, named "x" there, a name that other columns have too.' in source
    assert '# - The target "column 4" is column 4 of the file, which has no name there.' in source
    assert '# - "x" has numbers with a decimal comma.' in source
    assert '# - Read as missing: an empty cell, "NA"' in source
    check(cart(data), data, file)


def test_numbers_that_a_database_has_as_numbers_are_read_as_they_are():
    file = File("x;y\n" + "".join(f"1.{i:03d},5;{int(i > 500)}\n" for i in range(0, 999, 9)), ReadOptions(), ())
    data = dataset(
        file._replace(options=ReadOptions(delimiter=";", decimal=",", thousands="."), kinds=("number",))
    )
    tree = cart(data)
    values = [1234.5, 1800.25, None, 1500.0]
    expected = [(answer,) for answer, _ in run_python(tree, data, [{"x": x} for x in values])]
    for dialect in ("sqlite", "duckdb"):
        source = to_sql(tree, data.features, data.target, dialect)
        assert answers_in(dialect, source, [("x", "DOUBLE")], [(x,) for x in values]) == expected


NUMBERS = {
    "thirds": [k / 3 for k in range(1, 9)],
    "sixteen digits": [1234567890123456.0 + k for k in range(8)],
    "sums of tenths": [0.1 + 0.2, 0.3, 0.7 + 0.1, 0.8, 1.1 + 2.2, 3.3, 0.1, 0.2],
    "large and small": [1e22, 1e23, 5e-7, 1e-7, -1e15, 1e15, -0.5, 0.0],
}


def typed_file(values: list[float]) -> tuple[str, np.ndarray, list[str]]:
    """A file of a column of these values and of its class, and its cells."""
    x = np.array(values)[np.random.default_rng(0).integers(0, len(values), N)]
    y = ["even" if values.index(value) % 2 else "odd" for value in x.tolist()]
    lines = [f"{value!r},{label}" for value, label in zip(x.tolist(), y, strict=True)]
    return "\n".join(["code,y", *lines]), x, y


def as_category(text: str) -> Dataset:
    table = read_table(text.encode(), "codes.csv")
    plans = guess_kinds(table.frame)
    plans[0] = plans[0]._replace(kind="category")
    return to_dataset(table.frame, plans, "y", "codes", table.origins)[0]


def grown(data: Dataset) -> Tree:
    return CartClassifier(categorical_features=data.categorical).fit(data.X, data.y).tree_


@pytest.mark.parametrize("name", NUMBERS)
def test_a_category_that_is_a_number_is_known_by_all_its_digits(name):
    text, x, y = typed_file(NUMBERS[name])
    data = as_category(text)
    assert len(set(data.features[0].categories)) == len(NUMBERS[name])
    tree = grown(data)
    assert [data.classes[code] for code in classes(tree, data.X)] == y
    cells = [line.split(",")[0] for line in text.splitlines()[1:]]
    for values, kind in ((x.tolist(), "DOUBLE"), (cells, "VARCHAR")):
        assert [said for said, _ in run_python(tree, data, [{"code": value} for value in values])] == y
        for dialect in ("duckdb", "sqlite"):
            source = to_sql(tree, data.features, data.target, dialect)
            assert answers_in(dialect, source, [("code", kind)], zip(values)) == [(said,) for said in y]


def test_a_document_of_another_version_may_write_a_category_with_more_digits():
    data = as_category(typed_file(NUMBERS["thirds"])[0])
    long = tuple(f"{float(name):.17g}" for name in data.features[0].categories)
    older = [data.features[0]._replace(categories=long)]
    tree = grown(data)
    assert to_python(tree, older, data.target) == to_python(tree, data.features, data.target)
    assert to_sql(tree, older, data.target) == to_sql(tree, data.features, data.target)


def test_sqlite_reads_the_numbers_of_expressions_as_python_does():
    rng = np.random.default_rng(0)
    numbers = (rng.uniform(1, 10, 5000) * 10.0 ** rng.integers(-30, 30, 5000)).tolist()
    with closing(sqlite3.connect(":memory:")) as database:
        assert [database.execute(f"SELECT {real(number)}").fetchone()[0] for number in numbers] == numbers


@pytest.mark.parametrize("name", [" ", "   ", "\t"])
def test_a_column_with_a_blank_name_is_asked_for_by_that_name(name):
    x = np.arange(60) / 10
    rows = [[name, "z", "y"], *([str(a), str(b), "a" if a > 3 else "b"] for a, b in zip(x, x[::-1], strict=True))]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    table = read_table(out.getvalue().encode(), "blank.csv")
    data = to_dataset(table.frame, guess_kinds(table.frame), "y", "blank", table.origins)[0]
    model = CartClassifier(max_depth=1, forbidden_features=[1]).fit(data.X, data.y)
    read = csv.DictReader(io.StringIO(out.getvalue()))
    assert [said for said, _ in run_python(model.tree_, data, list(read))] == [row[2] for row in rows[1:]]
    sql, columns = to_sql(model.tree_, data.features, data.target, "duckdb"), [(name, "DOUBLE"), ("z", "DOUBLE")]
    assert answers_in("duckdb", sql, columns, [(1.0, 2.0), (5.0, 2.0)]) == [("b",), ("a",)]


def test_duckdb_compares_numbers_of_32_bits_and_truth_values_as_doubles():
    tree = CartClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    features, target = [Feature("x")], Feature("y", "category", ("left", "right"))
    for kind, values, threshold in (
        ("FLOAT", [0.7, 0.8], float(np.float32(0.7))),
        ("BOOLEAN", [False, True], 0.5),
    ):
        sql = to_sql(tree._replace(threshold=np.array([threshold, np.nan, np.nan])), features, target, "duckdb")
        assert answers_in("duckdb", sql, [("x", kind)], zip(values)) == [("left",), ("right",)]


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


@settings(untimed, max_examples=8)
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
