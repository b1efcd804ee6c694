"""Every export of every kind of tree says what the tree says: sources are run, documents are read back."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.export import drawing, from_json, to_dot, to_json, to_python, to_rules, to_sql
from espalier.export.columns import answers, identifier, unique
from espalier.export.dialects import DIALECTS
from espalier.leaf_models import ModelTree
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    ModelTreeClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    ObliqueRegressor,
)
from espalier.learners.description import record_in
from espalier.oblique import ObliqueTree
from espalier.predict import classes, shares, spreads
from espalier.trees import CultivatedTree, Tree
from tests.tools import random_trees
from tests.tools.by_hand import stump, tree_of
from tests.tools.cases import case
from tests.tools.exported import answers_in, scope_of
from tests.tools.same_trees import arrays_of

untimed = settings(deadline=None, max_examples=80)  # the first example may compile kernels
NUMBERS = (Feature("x"), Feature("y"))
CLASS = Feature("colour", "category", ("red", "blue"))
FEATURES = (
    Feature("petal width"),
    Feature('a "level"', "ordered", ("none", "mild", "bad")),
    Feature("colour's", "category", ("red", "it's", "1", "blue")),
    Feature("petal width"),
)


class Kind(NamedTuple):
    """A kind of tree: its learners, and what they are to learn of the columns."""

    classifier: Any
    regressor: Any
    goal: Callable


KINDS = {
    "tree": Kind(CartClassifier, CartRegressor, lambda x: x[0] + x[2] % 2),
    "cultivated": Kind(CultivatedClassifier, CultivatedRegressor, lambda x: x[0] + x[2] % 2),
    "oblique": Kind(ObliqueClassifier, ObliqueRegressor, lambda x: x[0] + x[1] - x[3] + 2 * (x[2] % 2)),
    "model": Kind(ModelTreeClassifier, ModelTreeRegressor, lambda x: x[0] * (1 + x[1]) + 2 * (x[2] % 2)),
}
SUMS = 1e-9  # formulas may be summed up in another order
FORMATS = {  # what a document is called, and how far from the record what is exported may be
    Tree: ("espalier-tree", 0.0),
    CultivatedTree: ("espalier-cultivated-tree", 1e-12),
    ObliqueTree: ("espalier-oblique-tree", 0.0),
    ModelTree: ("espalier-model-tree", SUMS),
}


def grown(kind: str, n_classes: int, seed: int = 0) -> tuple[Any, np.ndarray, Feature]:
    """Tree on numbers, ordered levels and categories with missing values, its samples, and the target."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=120), rng.integers(0, 3, 120), rng.integers(0, 4, 120), rng.normal(size=120).round(1)]
    )
    goal = KINDS[kind].goal(X.T) + rng.normal(size=120) / 3
    X[rng.random(X.shape) < 0.1] = np.nan
    settings = {"max_depth": 4, "categorical_features": [2]}
    if not n_classes:
        return record_in(KINDS[kind].regressor(**settings).fit(X, goal)), X, Feature("y")
    y = np.digitize(goal, np.quantile(goal, np.arange(1, n_classes) / n_classes))
    target = Feature("the target", "category", ("p'q", "r", "s")[:n_classes])
    return record_in(KINDS[kind].classifier(**settings).fit(X, y)), X, target


def chain(depth: int) -> Tree:
    """x is compared with 0, 1, 2, …: each split's left child is the leaf, its right child the next split."""
    asked = [cut for k in range(depth) for cut in (float(k), math.nan)]
    return tree_of([0, -1] * depth + [-1], [*asked, math.nan], np.arange(2.0 * depth + 1)[:, None])


def leaning_left(depth: int) -> Tree:
    """x is compared with depth, …, 2, 1: each split's left child is the next split."""
    asked = [*range(depth, 0, -1), *[math.nan] * (depth + 1)]
    feature = [0] * depth + [-1] * (depth + 1)
    return tree_of(feature, asked, np.arange(2.0 * depth + 1)[:, None], missing_left=True)


def predict_of(tree, features, target) -> Callable:
    return scope_of(to_python(tree, features, target))["predict"]


def as_dicts(features, X) -> list[dict]:
    """The samples as a table has them; a code past the last category is one that the tree does not know."""
    keys = unique([f.name for f in features], "{} ({})")
    rows = []
    for x in X:
        values = zip(features, x.tolist(), strict=True)
        named = [(*f.categories, "zebra")[int(v)] if f.categories and v == v else v for f, v in values]
        rows.append({key: None if v != v else v for key, v in zip(keys, named, strict=True)})
    return rows


def run_sql(expressions: str, rows: list[dict], types: list[str] | None = None) -> list[tuple]:
    """What the expressions give for each row of a table, in SQLite, or where columns have types in DuckDB."""
    columns = zip(rows[0], types or [""] * len(rows[0]), strict=True)
    return answers_in("duckdb" if types else "sqlite", expressions, columns, [row.values() for row in rows])


def in_sqlite(tree, features, target, rows, dialect="sqlite") -> list:
    """What the only expression gives for each row of a table."""
    return [value for (value,) in run_sql(to_sql(tree, features, target, dialect), rows)]


# ---- laws of all kinds


def check(tree, features, target, X, dialects=("sqlite",)) -> None:
    """Python, SQL and the document say of every row what the tree says, as exactly as in `FORMATS`."""
    check_code(tree, features, target, X, dialects)
    text = to_json(tree, features, target)
    again, *others = from_json(text)
    assert type(again) is type(tree)
    assert others == [features, target]
    for one, other in zip(arrays_of(tree), arrays_of(again), strict=True):
        one, other = np.asarray(one), np.asarray(other)  # the name of a link among them
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert to_json(again, features, target) == text
    assert json.loads(text, parse_constant=pytest.fail)["format"] == FORMATS[type(tree)][0]


def check_code(tree, features, target, X, dialects=("sqlite",)) -> None:
    rows, predict = as_dicts(features, X), predict_of(tree, features, target)
    known = np.where([[value == "zebra" for value in row.values()] for row in rows], np.nan, X)
    expected, tolerance = shares(tree, known), FORMATS[type(tree)][1]
    for row, share, spread in zip(rows, expected, spreads(tree, known), strict=True):
        said = predict(row)
        if isinstance(tree, CultivatedTree):
            assert said[-1] == pytest.approx(spread, abs=1e-12)
            said = said[:-1] if target.categories else said[0]
        if target.categories:
            said, every = said
            assert every == pytest.approx(tuple(share), rel=0, abs=tolerance)
        assert_says(said, share, target, tolerance)
    for dialect in dialects:
        types = ["VARCHAR" if f.categories else "DOUBLE" for f in features] if dialect == "duckdb" else None
        found = run_sql(to_sql(tree, features, target, dialect), rows, types)
        for said, share in zip(found, expected, strict=True):
            if isinstance(tree, CultivatedTree):
                assert said == pytest.approx(tuple(share), abs=1e-12)
            else:
                (one,) = said
                assert_says(one, share, target, tolerance)


def assert_says(said, share, target, tolerance):
    """The number, or the class with the greatest share."""
    if not target.categories:
        assert said == pytest.approx(share[0], rel=tolerance, abs=tolerance)
        return
    place = answers(target).index(said)
    assert place == share.argmax() or (tolerance == SUMS and share[place] >= share.max() - SUMS)


@st.composite
def cases(draw, trees):
    features, target = draw(random_trees.features()), draw(random_trees.targets())
    tree = draw(trees(features, target))
    return tree, features, target, draw(random_trees.samples(features, getattr(tree, "tree", tree)))


@untimed
@given(cases(random_trees.any_trees))
def test_exports_of_any_tree_say_what_it_says(case):
    check(*case)


@settings(untimed, max_examples=60)
@given(cases(random_trees.model_trees))
def test_exports_of_any_model_tree_say_what_it_says(case):
    check(*case)


@pytest.mark.parametrize("kind", KINDS)
def test_exports_of_grown_trees_say_what_they_say_also_of_gaps_and_categories_never_met(kind):
    for seed in range(3):
        for n_classes in (0, 2, 3):
            with case((seed, n_classes)):
                tree, X, target = grown(kind, n_classes, seed)
                strange = [[np.nan] * 4, [1e9, 2, 4, -1e9], [0.1, np.nan, 4, 0.2]]
                check(tree, FEATURES, target, np.vstack([X, strange]), ("sqlite", "duckdb"))


def test_the_trees_of_these_tests_have_splits_of_every_kind():
    for kind in KINDS:
        tree = grown(kind, 2)[0]
        splits = getattr(tree, "tree", tree)
        assert tree.n_leaves > 1, kind
        if kind != "cultivated":
            assert (np.isnan(splits.threshold) & (splits.left >= 0)).any(), kind
    oblique = grown("oblique", 2)[0]
    assert oblique.is_slanted.any()
    assert 1 in oblique.terms.feature.tolist()
    assert grown("model", 2)[0].models.start[-1] > 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(
            ("tree", name)
            for name in ("iris", "breast-cancer", "diabetes", "tic-tac-toe", "monks-1", "questionnaire")
        ),
        *(("model", name) for name in ("iris", "breast-cancer", "diabetes", "questionnaire")),
    ],
)
def test_exports_agree_with_the_tree_on_every_row_of(kind, name):
    data = samples.load(name)
    learner = KINDS[kind].classifier if data.is_classification else KINDS[kind].regressor
    limits = {"max_depth": 2} if kind == "model" else {}
    tree = record_in(learner(categorical_features=data.categorical, **limits).fit(data.X, data.y))
    with_gaps = np.where(np.random.default_rng(0).random(data.X.shape) < 0.1, np.nan, data.X)
    check(tree, data.features, data.target, np.vstack([data.X, with_gaps]))


@pytest.mark.parametrize("kind", KINDS)
def test_every_dialect_reads_columns_in_its_own_way(kind):
    tree, _, target = grown(kind, 3)
    for name, dialect in DIALECTS.items():
        source = to_sql(tree, FEATURES, target, name)
        assert dialect.name("petal width") in source
        assert "CASE" in source


@pytest.mark.parametrize("kind", KINDS)
def test_missing_has_many_names_and_so_has_the_number_1(kind):
    tree, X, target = grown(kind, 0)
    predict = predict_of(tree, FEATURES, target)
    for row in as_dicts(FEATURES, X):
        for name in row:
            gaps = [None, math.nan] if name.startswith("petal") else [None, math.nan, "zebra"]
            assert len({predict(row | {name: gap}) for gap in gaps}) == 1
        assert len({predict(row | {"colour's": one}) for one in (1.0, "1", 1)}) == 1
    nothing: dict = dict.fromkeys(as_dicts(FEATURES, X)[0])
    if kind == "cultivated":
        assert predict(nothing | {"colour's": 1}) != predict(nothing | {"colour's": "red"})


@pytest.mark.parametrize("kind", [*KINDS, "loop"])
def test_an_absent_column_is_an_error_that_names_it(kind):
    tree, features, target = chain(61), NUMBERS[:1], Feature("z")
    if kind != "loop":
        tree, _, target = grown(kind, 0)
        features = FEATURES
    predict = predict_of(tree, features, target)
    for sample in ({}, {"X": 1}, [], "x"):
        with pytest.raises(KeyError, match=r"the sample has no column ['\"](petal|a |colour|x)"):
            predict(sample)
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        run_sql(to_sql(tree, features, target, "sqlite"), [{"town": 1}])


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_leaf_is_exported_too(kind):
    X = np.arange(6.0).reshape(3, 2)
    leaf = record_in(KINDS[kind].regressor(max_depth=1).fit(X, np.full(3, 2.5)))
    said = predict_of(leaf, NUMBERS, Feature("y"))({})
    assert said == ((2.5, 0.0) if kind == "cultivated" else 2.5)
    assert in_sqlite(leaf, NUMBERS, Feature("y"), [{"x": 1}]) == [2.5]
    assert type(from_json(to_json(leaf, NUMBERS, Feature("y")))[0]) is type(leaf)
    assert re.search(r"(?s)1\. .*2\.5", to_rules(leaf, NUMBERS, Feature("y")))


@pytest.mark.parametrize("kind", KINDS)
def test_rules_have_a_rule_for_each_leaf_and_drawings_a_box_for_each_node(kind):
    tree, _, target = grown(kind, 3)
    assert len(re.findall(r"^\d+\. ", to_rules(tree, FEATURES, target), re.MULTILINE)) == tree.n_leaves
    source, splits = to_dot(tree, FEATURES, target), getattr(tree, "tree", tree)
    assert len(re.findall(r"^\tn\d+ \[", source, re.MULTILINE)) == tree.n_nodes
    assert len(re.findall(r"^\tn\d+ -> n\d+ \[", source, re.MULTILINE)) == tree.n_nodes - 1
    for dark in (False, True):
        cut = drawing(tree, FEATURES, target, dark, max_depth=1).source
        assert [int(n) for n in re.findall(r"^\tn(\d+) \[", cut, re.MULTILINE)] == [0, 1, int(splits.right[0])]
        assert sum(int(n) for n in re.findall(r"… (\d+) more nodes", cut)) == tree.n_nodes - 3


# ---- trees of questions on one column


@untimed
@given(cases(random_trees.any_trees))
def test_rules_name_every_leaf_the_weightiest_first(case):
    tree, features, target, _ = case
    text = to_rules(tree, features, target)
    heads = [line for line in text.splitlines() if line.endswith((" of the weight)", " of the rows)"))]
    sizes = [int(line.split("(n = ")[1].split(",")[0]) for line in heads]
    assert len(heads) == tree.n_leaves
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("depth", [59, 60, 61, 3000])
def test_a_deep_tree_exports_to_source_that_runs(depth):
    X = np.array([[-1.0], [0], [5.5], [depth - 1], [depth], [np.nan]])
    for tree in (chain(depth), leaning_left(depth)):
        check_code(tree, (Feature("x"),), Feature("y"), X, () if depth == 3000 else ("sqlite",))


def test_a_text_that_is_no_number_is_an_error_one_that_is_compares_as_it_and_an_unknown_dialect_is_refused():
    predict = predict_of(stump(), NUMBERS, CLASS)
    with pytest.raises(ValueError, match="'1,5' is no number"):
        predict({"x": "1,5"})
    rows: list[dict] = [{"x": "10"}, {"x": "9.5"}, {"x": " 1e1 "}, {"x": "-3"}, {"x": ""}, {"x": 10}]
    assert in_sqlite(stump(9.75), NUMBERS, CLASS, rows) == ["blue", "red", "blue", "red", "blue", "blue"]
    with pytest.raises(ValueError, match="'oracle': choose one of standard, postgresql, sqlite, duckdb, mysql"):
        to_sql(stump(), NUMBERS, CLASS, "oracle")


@pytest.mark.parametrize("dialect", ["standard", "sqlite"])
def test_sqlite_does_not_take_an_unknown_name_for_a_text(dialect):
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(stump(), NUMBERS, CLASS, [{"y": 1}], dialect)


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
        assert predict_of(stump(), NUMBERS, target)({"x": 0}) == (numbers[0], (1.0, 0.0))
        assert in_sqlite(stump(), NUMBERS, target, [{"x": 0}, {"x": 1}]) == list(numbers)


@pytest.mark.parametrize("missing_left", [True, False])
def test_codes_without_names_follow_the_routing_kernel(missing_left):
    tree = stump(missing_left=missing_left, categories=0b101)
    X = np.array([[0.0], [1], [2], [40], [64], [-1], [np.nan]])
    rows = [{"x": None if v != v else v} for v in X[:, 0].tolist()]
    expected = [CLASS.categories[c] for c in classes(tree, X)]
    predict = predict_of(tree, (Feature("x", "category"),), CLASS)
    assert [predict(row)[0] for row in rows] == expected
    assert in_sqlite(tree, (Feature("x", "category"),), CLASS, rows) == expected


def test_a_number_in_the_table_may_name_a_category_and_equal_names_reach_their_own_column():
    features = (Feature("grade", "ordered", ("1", "2", "3")),)
    predict = predict_of(stump(1.5), features, CLASS)
    assert [predict({"grade": g})[0] for g in (1, 2.0, "2", 3, 3.0)] == ["red", "red", "red", "blue", "blue"]
    features = (Feature("x (2)"), Feature("x"), Feature("x"))
    tree = stump()._replace(feature=np.array([2, -1, -1], "i4"))
    predict = predict_of(tree, features, CLASS)
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
    assert predict_of(tree, features, target)({name: category})[0] == answers(target)[0]
    assert to_dot(tree, features, target).startswith("digraph")
    assert to_rules(tree, features, target)


def test_two_categories_of_one_name_are_refused_with_their_name():
    features = (Feature("shape", "category", ("round", "round")),)
    for exporter in (to_python, to_sql):
        with pytest.raises(ValueError, match=r"feature 'shape' has two categories named 'round'"):
            exporter(stump(categories=1), features, CLASS)
