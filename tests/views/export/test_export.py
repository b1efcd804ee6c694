"""Every export says what the tree says: sources are run, documents are read back."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.learners import CartClassifier, CartRegressor
from espalier.predict import classes, means, shares
from espalier.trees import Tree, make_tree
from espalier.views.export import from_json, to_dot, to_json, to_python, to_rules, to_sql
from espalier.views.export.columns import answers, identifier, unique
from tests.tools import random_trees
from tests.tools.cases import case
from tests.tools.same_trees import arrays_of

untimed = settings(deadline=None, max_examples=80)  # the first example may compile kernels
NUMBERS = (Feature("x"), Feature("y"))
CLASS = Feature("colour", "category", ("red", "blue"))
EXPORTERS = [to_python, to_sql, to_json, to_rules, to_dot]


def stump(threshold: float = 0.5, missing_left: bool = False, categories: int = 0) -> Tree:
    nan = math.nan
    return make_tree(
        np.array([0, -1, -1]), np.array([nan if categories else threshold, nan, nan]), np.array([1, -1, -1]),
        np.array([2, -1, -1]), np.array([categories, 0, 0], "u8"), np.array([missing_left, False, False]),
        np.array([4, 3, 1]), np.array([4.0, 3, 1]), np.array([[0.75, 0.25], [1, 0], [0, 1]]),
        np.array([0.375, 0, 0]),
    )  # fmt: skip


def chain(depth: int) -> Tree:
    """x is compared with 0, 1, 2, …: each split's left child is the leaf, its right child the next split."""
    n = 2 * depth + 1
    split = np.arange(n) % 2 == 0
    split[-1] = False
    node = np.arange(n)
    value = np.where(split, 0, node).astype(float)[:, None]
    return make_tree(
        np.where(split, 0, -1), np.where(split, node / 2, np.nan), np.where(split, node + 1, -1),
        np.where(split, node + 2, -1), np.zeros(n, "u8"), np.zeros(n, bool),
        np.ones(n), np.ones(n), value, np.zeros(n),
    )  # fmt: skip


def leaning_left(depth: int) -> Tree:
    """x is compared with depth, …, 2, 1: each split's left child is the next split."""
    n = 2 * depth + 1
    node = np.arange(n)
    split = node < depth
    return make_tree(
        np.where(split, 0, -1), np.where(split, depth - node, np.nan), np.where(split, node + 1, -1),
        np.where(split, n - 1 - node, -1), np.zeros(n, "u8"), np.ones(n, bool),
        np.ones(n), np.ones(n), node[:, None], np.zeros(n),
    )  # fmt: skip


def run_python(source: str):
    scope: dict = {}
    exec(compile(source, "exported", "exec"), scope)
    return scope["predict"]


def as_dicts(features, X) -> list[dict]:
    keys = unique([f.name for f in features], "{} ({})")
    rows = []
    for x in X:
        values = zip(features, x.tolist(), strict=True)
        named = [f.categories[int(v)] if f.categories and v == v else v for f, v in values]
        rows.append({key: None if v != v else v for key, v in zip(keys, named, strict=True)})
    return rows


def run_sql(expression: str, rows: list[dict]) -> list:
    """What the expression gives for each row of a table, in SQLite."""
    names = list(rows[0])
    with closing(sqlite3.connect(":memory:")) as database:
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        database.execute(f"CREATE TABLE t (id INTEGER, {', '.join(quoted)})")
        marks = ", ".join("?" * (len(names) + 1))
        values = [(i, *row.values()) for i, row in enumerate(rows)]
        database.executemany(f"INSERT INTO t VALUES ({marks})", values)
        return [row[0] for row in database.execute(f"SELECT {expression} FROM t ORDER BY t.id")]


def check_python(tree, features, target, X):
    predict = run_python(to_python(tree, features, target))
    expected = shares(tree, X)
    for row, share in zip(as_dicts(features, X), expected, strict=True):
        answer = predict(row)
        if target.categories:
            assert answer == (target.categories[int(share.argmax())], tuple(share))
        else:
            assert answer == share[0]


def check_sql(tree, features, target, X):
    found = run_sql(to_sql(tree, features, target, "sqlite"), as_dicts(features, X))
    if target.categories:
        assert found == [target.categories[c] for c in classes(tree, X)]
    else:
        assert found == means(tree, X).tolist()


def same(a: object, b: object) -> bool:
    assert isinstance(a, Tree)
    assert isinstance(b, Tree)
    pairs = zip(arrays_of(a), arrays_of(b), strict=True)
    return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in pairs)


@st.composite
def cases(draw):
    features = draw(random_trees.features())
    target = draw(random_trees.targets())
    tree = draw(random_trees.any_trees(features, target))
    return tree, features, target, draw(random_trees.samples(features, tree))


@untimed
@given(cases())
def test_exported_python_predicts_as_the_tree_does(case):
    check_python(*case)


@untimed
@given(cases())
def test_exported_sql_predicts_as_the_tree_does(case):
    check_sql(*case)


@untimed
@given(cases())
def test_json_reads_back_bit_for_bit(case):
    tree, features, target, _ = case
    again = from_json(to_json(tree, features, target))
    assert same(tree, again[0])
    assert again[1:] == (features, target)


@untimed
@given(cases())
def test_rules_name_every_leaf_the_weightiest_first(case):
    tree, features, target, _ = case
    text = to_rules(tree, features, target)
    heads = [line for line in text.splitlines() if line.endswith((" of the weight)", " of the rows)"))]
    sizes = [int(line.split("(n = ")[1].split(",")[0]) for line in heads]
    assert len(heads) == tree.n_leaves
    assert sizes == sorted(sizes, reverse=True)


def bundled(name: str):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    grown = learner(categorical_features=data.categorical).fit(data.X, data.y)
    return grown.tree_, data.features, data.target, data.X


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "tic-tac-toe", "monks-1", "questionnaire"])
def test_exports_agree_with_the_tree_on_every_row_of(name):
    tree, features, target, X = bundled(name)
    with_gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    for rows in (X, with_gaps):
        check_python(tree, features, target, rows)
        check_sql(tree, features, target, rows)
    assert same(from_json(to_json(tree, features, target))[0], tree)


@pytest.mark.parametrize("depth", [59, 60, 61, 3000])
def test_a_deep_tree_exports_to_source_that_runs(depth):
    tree = chain(depth)
    X = np.array([[-1.0], [0], [5.5], [depth - 1], [depth], [np.nan]])
    check_python(tree, (Feature("x"),), Feature("y"), X)
    if depth < 3000:
        check_sql(tree, (Feature("x"),), Feature("y"), X)


def test_a_left_leaning_tree_of_full_depth_compiles():
    tree = leaning_left(60)
    X = np.array([[-1.0], [0], [5.5], [59], [60], [np.nan]])
    check_python(tree, (Feature("x"),), Feature("y"), X)
    check_python(leaning_left(61), (Feature("x"),), Feature("y"), X)


def test_a_lone_root_exports_its_answer():
    root = make_tree(*(a[:1] for a in stump()[:-1]))._replace(feature=np.array([-1], "i4"))
    root = root._replace(left=np.array([-1], "i4"), right=np.array([-1], "i4"), threshold=np.array([np.nan]))
    assert run_python(to_python(root, NUMBERS, CLASS))({}) == ("red", (0.75, 0.25))
    assert run_sql(to_sql(root, NUMBERS, CLASS, "sqlite"), [{"x": 1}]) == ["red"]


@pytest.mark.parametrize("missing_left", [True, False])
def test_missing_and_unknown_values_go_the_same_way(missing_left):
    features = (Feature("shape", "category", ("round", "square")),)
    tree = stump(missing_left=missing_left, categories=1)
    side = "red" if missing_left else "blue"
    predict = run_python(to_python(tree, features, CLASS))
    for sample in ({"shape": None}, {"shape": math.nan}, {"shape": "oval"}):
        assert predict(sample)[0] == side
    sql = to_sql(tree, features, CLASS, "sqlite")
    assert run_sql(sql, [{"shape": None}, {"shape": "oval"}, {"shape": "round"}]) == [side, side, "red"]


@pytest.mark.parametrize("tree", [stump(), chain(60)], ids=["nested", "loop"])
def test_an_absent_column_is_an_error_that_names_it(tree):
    predict = run_python(to_python(tree, NUMBERS, Feature("z") if tree.n_nodes > 3 else CLASS))
    for sample in ({}, {"X": 1}, [1], "x"):
        with pytest.raises(KeyError, match="the sample has no column 'x'"):
            predict(sample)


def test_a_text_that_is_no_number_is_an_error_that_shows_it():
    predict = run_python(to_python(stump(), NUMBERS, CLASS))
    with pytest.raises(ValueError, match="'1,5' is no number"):
        predict({"x": "1,5"})


@pytest.mark.parametrize("dialect", ["standard", "sqlite"])
def test_sqlite_does_not_take_an_unknown_name_for_a_text(dialect):
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        run_sql(to_sql(stump(), NUMBERS, CLASS, dialect), [{"y": 1}])


def test_numbers_that_a_database_holds_as_texts_compare_as_numbers():
    rows: list[dict] = [{"x": "10"}, {"x": "9.5"}, {"x": " 1e1 "}, {"x": "-3"}, {"x": ""}, {"x": 10}]
    assert run_sql(to_sql(stump(9.75), NUMBERS, CLASS, "sqlite"), rows) == [
        "blue", "red", "blue", "red", "blue", "blue",
    ]  # fmt: skip


def test_an_unknown_dialect_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="'oracle': choose one of standard, postgresql, sqlite, duckdb, mysql"):
        to_sql(stump(), NUMBERS, CLASS, "oracle")


def test_each_dialect_quotes_names_and_texts_in_its_own_way():
    features = (Feature('a`"b', "category", ("it's\\", "other")),)
    target = Feature("y", "category", ("\\' OR 1=1 --", "no"))
    tree = stump(categories=1)
    assert 't."a`""b"' in to_sql(tree, features, target)
    assert "IN ('it''s\\')" in to_sql(tree, features, target, "postgresql")
    mysql = to_sql(tree, features, target, "mysql")
    assert 't.`a``"b`' in mysql
    assert "IN ('it''s\\\\')" in mysql
    assert "THEN '\\\\'' OR 1=1 --'" in mysql


def test_classes_named_by_numbers_come_back_as_numbers():
    for names, numbers in ((("0", "1"), (0, 1)), (("-1", "2.5"), (-1, 2.5)), (("01", "2"), ("01", "2"))):
        target = Feature("y", "category", names)
        assert run_python(to_python(stump(), NUMBERS, target))({"x": 0}) == (numbers[0], (1.0, 0.0))
        assert run_sql(to_sql(stump(), NUMBERS, target, "sqlite"), [{"x": 0}, {"x": 1}]) == list(numbers)


@pytest.mark.parametrize("missing_left", [True, False])
def test_codes_without_names_follow_the_routing_kernel(missing_left):
    tree = stump(missing_left=missing_left, categories=0b101)
    X = np.array([[0.0], [1], [2], [40], [64], [-1], [np.nan]])
    rows = [{"x": None if v != v else v} for v in X[:, 0].tolist()]
    expected = [CLASS.categories[c] for c in classes(tree, X)]
    predict = run_python(to_python(tree, (Feature("x", "category"),), CLASS))
    assert [predict(row)[0] for row in rows] == expected
    assert run_sql(to_sql(tree, (Feature("x", "category"),), CLASS, "sqlite"), rows) == expected


def test_a_number_in_the_table_may_be_the_name_of_a_category():
    features = (Feature("grade", "ordered", ("1", "2", "3")),)
    predict = run_python(to_python(stump(1.5), features, CLASS))
    assert [predict({"grade": g})[0] for g in (1, 2.0, "2", 3, 3.0)] == ["red", "red", "red", "blue", "blue"]


def test_equal_names_are_numbered_and_reach_their_own_column():
    features = (Feature("x (2)"), Feature("x"), Feature("x"))
    tree = stump()._replace(feature=np.array([2, -1, -1], "i4"))
    predict = run_python(to_python(tree, features, CLASS))
    assert predict({"x (2)": 9, "x": 9, "x (3)": 0})[0] == "red"
    assert 't."x (3)"' in to_sql(tree, features, CLASS, "sqlite")
    assert 'r."x (3)" <= 0.5e0' in to_sql(tree, features, CLASS, "sqlite")


def test_identifiers_read_like_the_names():
    for name, expected in [
        ("petal width (cm)", "petal_width_cm"),
        ("class", "class_"),
        ("1st", "x_1st"),
        ("", "x"),
        ("²", "x_2"),
        ("Größe", "größe"),
        ("__init__", "init"),
        ("match", "match_"),
        ("🌳", "x"),
        ("ﬁsh", "fish"),
    ]:
        with case((name, expected)):
            assert identifier(name) == expected


@untimed
@given(st.text())
def test_every_name_makes_an_identifier(name):
    assert identifier(name).isidentifier()


@untimed
@given(st.text(), st.text())
def test_no_name_breaks_python_or_dot_or_rules(name, category):
    features = (Feature(name, "category", (category, category + "'")),)
    target = Feature(name, "category", (name, name + "!"))
    tree = stump(categories=1)
    assert run_python(to_python(tree, features, target))({name: category})[0] == answers(target)[0]
    assert to_dot(tree, features, target).startswith("digraph")
    assert to_rules(tree, features, target)


def test_two_categories_of_one_name_are_refused_with_their_name():
    features = (Feature("shape", "category", ("round", "round")),)
    for exporter in (to_python, to_sql):
        with pytest.raises(ValueError, match=r"feature 'shape' has two categories named 'round'"):
            exporter(stump(categories=1), features, CLASS)


def document(**changes) -> dict:
    return {**json.loads(to_json(stump(), NUMBERS, CLASS)), **changes}


def with_node(position: int, **changes) -> dict:
    found = document()
    found["nodes"][position].update(changes)
    return found


TARGET = {"name": "y", "kind": "category", "categories": ["no", "yes"]}
MARKS = {"positive": 1, "by": "name", "colours": []}
BROKEN = [
    ("", "line 1, column 1: not JSON"),
    ("{", "line 1, column 2: not JSON"),
    ("[" * 100_000, "nested too deeply"),
    ("[]", "no tree from Espalier"),
    ('{"format": NaN}', "NaN is no JSON number"),
    (document(format="other"), "no tree from Espalier"),
    (document(version=3), "version is 3, but only version 1 or 2"),
    (document(nodes=[]), "a tree has at least one node"),
    (document(nodes={}), "nodes: expected a list"),
    (document(nodes=[3]), "nodes[0]: expected an object, found 3"),
    (document(features="abc"), 'features: expected a list, found "abc"'),
    (document(target={"kind": "category", "categories": []}), "target: 'name' is missing"),
    (document(target=TARGET | {"marks": MARKS | {"by": "chance"}}), "target.marks.by: expected one of"),
    (document(target=TARGET | {"marks": MARKS | {"positive": 2}}), "target.marks.positive: expected the position"),
    (document(target=TARGET | {"marks": MARKS | {"colours": [1]}}), "target.marks.colours: expected 2 places"),
    (document(target=TARGET | {"kind": "colour"}), "target.kind: expected one of number"),
    (document(target={"name": "y", "kind": "category", "categories": ["a", "a"]}), "names that differ"),
    (
        document(target={"name": "y", "kind": "number", "categories": []}),
        "nodes[0].value: expected 1 numbers",
    ),
    (with_node(0, feature=2), "nodes[0].feature: expected a number of a feature, 0 to 1, found 2"),
    (with_node(0, feature=True), "nodes[0].feature"),
    (with_node(0, threshold="1.5"), 'nodes[0].threshold: expected a finite number, found "1.5"'),
    (with_node(0, threshold=[1]), "nodes[0].threshold"),
    (with_node(0, threshold=10**400), "nodes[0].threshold"),
    (with_node(0, left=2), "children of node 0 are not in preorder"),
    (with_node(0, right=-1), "nodes[0].right: expected a number of a node, found -1"),
    (with_node(0, missing_left=0), "nodes[0].missing_left: expected true or false"),
    (
        with_node(0, categories_left=[64]),
        "nodes[0].categories_left[0]: expected a number of a category, 0 to 63",
    ),
    (with_node(0, categories_left=[0]), "nodes[0]: 'others_left' is missing"),
    (with_node(0, categories_left=[], others_left=False), "node 0 needs either a threshold or a set"),
    (with_node(1, n_samples=1.5), "nodes[1].n_samples: expected a number of samples, found 1.5"),
    (with_node(1, weight=-1), "nodes[1].weight: expected a number not below 0"),
    (with_node(1, impurity="low"), "nodes[1].impurity: expected a finite number"),
    (with_node(2, value=[1]), "nodes[2].value: expected 2 numbers"),
    (with_node(2, value=[0.5, 0.6]), "nodes[2].value: expected shares from 0 to 1 that sum to 1"),
    (with_node(1, feature=0, threshold=1, left=2, right=3, missing_left=False), "node 1"),
]


def test_a_broken_document_is_refused_with_the_place():
    for broken, message in BROKEN:
        with case((broken, message)):
            text = broken if isinstance(broken, str) else json.dumps(broken)
            with pytest.raises(ValueError, match=re.escape(message)) as error:
                from_json(text)
            assert len(str(error.value)) < 200


def test_json_is_plain_json_even_with_a_threshold_of_infinity():
    text = to_json(stump(math.inf), NUMBERS, CLASS)
    assert json.loads(text, parse_constant=pytest.fail)["nodes"][0]["threshold"] == "inf"
    again, _, _ = from_json(text)
    assert isinstance(again, Tree)
    assert again.threshold[0] == math.inf
