"""Columns as databases and files have them: categories that are numbers, floats of 32 bits, blank names."""

import csv
import io
import sqlite3
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pytest

from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.dataset import Dataset, Feature
from espalier.data.table import read_table
from espalier.export import to_python, to_sql
from espalier.export.dialects import real
from espalier.learners import CartClassifier
from espalier.predict import classes
from espalier.trees import Tree

NUMBERS = {
    "thirds": [k / 3 for k in range(1, 9)],
    "sixteen digits": [1234567890123456.0 + k for k in range(8)],
    "sums of tenths": [0.1 + 0.2, 0.3, 0.7 + 0.1, 0.8, 1.1 + 2.2, 3.3, 0.1, 0.2],
    "large and small": [1e22, 1e23, 5e-7, 1e-7, -1e15, 1e15, -0.5, 0.0],
}
N = 120


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


def answers_of(connection: Any, sql: str, values: list, kind: str) -> list:
    connection.execute(f"CREATE TABLE t (number INTEGER, code {kind})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    return [row[0] for row in connection.execute(f"SELECT {sql} FROM t ORDER BY t.number").fetchall()]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_category_that_is_a_number_is_known_by_all_its_digits(name):
    text, x, y = typed_file(NUMBERS[name])
    data = as_category(text)
    assert len(set(data.features[0].categories)) == len(NUMBERS[name])
    tree = grown(data)
    assert [data.classes[code] for code in classes(tree, data.X)] == y
    module: dict[str, Any] = {}
    exec(to_python(tree, data.features, data.target), module)
    cells = [line.split(",")[0] for line in text.splitlines()[1:]]
    for rows in (x.tolist(), cells):
        assert [module["predict"]({"code": value})[0] for value in rows] == y
    for values, kind in ((x.tolist(), "DOUBLE"), (cells, "VARCHAR")):
        assert answers_of(duckdb.connect(), to_sql(tree, data.features, data.target, "duckdb"), values, kind) == y
        sqlite = to_sql(tree, data.features, data.target, "sqlite")
        with closing(sqlite3.connect(":memory:")) as database:
            assert answers_of(database, sqlite, values, kind.replace("DOUBLE", "REAL")) == y


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
    module: dict[str, Any] = {}
    exec(to_python(model.tree_, data.features, data.target), module)
    read = csv.DictReader(io.StringIO(out.getvalue()))
    said = [module["predict"](row)[0] for row in read]
    assert said == [row[2] for row in rows[1:]]
    database = duckdb.connect()
    database.execute(f'CREATE TABLE t ("{name}" DOUBLE, z DOUBLE)')
    database.execute("INSERT INTO t VALUES (1.0, 2.0), (5.0, 2.0)")
    sql = to_sql(model.tree_, data.features, data.target, "duckdb")
    assert [row[0] for row in database.execute(f"SELECT {sql} FROM t").fetchall()] == ["b", "a"]


def test_duckdb_compares_numbers_of_32_bits_and_truth_values_as_doubles():
    tree = CartClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    features, target = [Feature("x")], Feature("y", "category", ("left", "right"))
    for kind, values, threshold in (
        ("FLOAT", [0.7, 0.8], float(np.float32(0.7))),
        ("BOOLEAN", [False, True], 0.5),
    ):
        database = duckdb.connect()
        database.execute(f"CREATE TABLE t (x {kind})")
        database.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        sql = to_sql(tree._replace(threshold=np.array([threshold, np.nan, np.nan])), features, target, "duckdb")
        assert database.execute(f"SELECT {sql} FROM t").fetchall() == [("left",), ("right",)]
