"""Every export of a cultivated tree says what the tree says: sources are run, documents are read back."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.kernels.gate import DROPPED, fractions_of, predict
from espalier.learners import CultivatedClassifier, CultivatedRegressor
from espalier.trees import CultivatedTree, make_cultivated
from espalier.views.export import drawing, from_json, to_dot, to_json, to_python, to_rules, to_sql
from espalier.views.export.cultivated.sql import MAX_DEPTH
from tests.tools import by_hand
from tests.tools.cases import case

FEATURES = (
    Feature("petal width"),
    Feature('a "level"', "ordered", ("none", "mild", "bad")),
    Feature("colour's", "category", ("red", "it's", "1", "blue")),
    Feature("petal width"),
)
NUMBERS = (Feature("x"), Feature("y"))
CLASS = Feature("colour", "category", ("red", "blue"))
MEAN = Feature("y")


def table(n: int = 80) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, 3, n), rng.integers(0, 4, n), rng.normal(size=n).round(1)]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def grown(n_classes: int, **parameters) -> tuple[CultivatedTree, np.ndarray, Feature]:
    """Tree on numbers, ordered levels and categories with missing values, its samples, and the target."""
    X = table()
    goal = np.nan_to_num(X[:, 0]) + (np.nan_to_num(X[:, 2]) % 2) + np.random.default_rng(1).normal(size=len(X))
    chosen = {"max_depth": 4, "categorical_features": [2], **parameters}
    if not n_classes:
        return CultivatedRegressor(**chosen).fit(X, goal).tree_, X, MEAN
    y = np.digitize(goal, np.quantile(goal, np.arange(1, n_classes) / n_classes))
    target = Feature("the target", "category", ("p'q", "r", "s")[:n_classes])
    return CultivatedClassifier(**chosen).fit(X, y).tree_, X, target


def as_dict(features: tuple[Feature, ...], x: np.ndarray) -> dict:
    """The sample as a table has it; a code past the last category is one that the tree does not know."""
    keys = [f.name if i < 3 else "petal width (2)" for i, f in enumerate(features)]
    found = {}
    for key, feature, value in zip(keys, features, x.tolist(), strict=True):
        named = (*feature.categories, "zebra")[int(value)] if feature.categories and value == value else value
        found[key] = None if value != value else named
    return found


def run_python(source: str) -> dict:
    scope: dict = {}
    exec(compile(source, "exported", "exec"), scope)
    return scope


def run_sql(expressions: str, rows: list[dict]) -> np.ndarray:
    """What the expressions give for each row of a table, in SQLite."""
    names = ['"' + name.replace('"', '""') + '"' for name in rows[0]]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE t ({', '.join(names)})")
        database.executemany(
            f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", [(*r.values(),) for r in rows]
        )
        found = database.execute(f"SELECT {expressions} FROM t ORDER BY rowid").fetchall()
    return np.array(found)


# Python ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_exported_function_predicts_as_the_tree_does(n_classes):
    tree, X, target = grown(n_classes)
    X = np.vstack([X, [[np.nan] * 4, [1e9, 2, 4, -1e9]]])  # nothing known; a category that the tree never met
    mean, spread = predict(tree, X)
    predicted = run_python(to_python(tree, FEATURES, target))["predict"]
    for i, x in enumerate(X):
        said = predicted(as_dict(FEATURES, x))
        assert said[-1] == pytest.approx(spread[i], abs=1e-12)
        np.testing.assert_allclose(said[-2], mean[i] if n_classes else mean[i, 0], rtol=0, atol=1e-12)
        if n_classes:
            assert target.categories.index(said[0]) == mean[i].argmax()


def test_the_exported_function_tells_the_fractions():
    tree, X, target = grown(2)
    fractions = run_python(to_python(tree, FEATURES, target))["fractions"]
    for x in X[:20]:
        here = fractions_of(tree, x) * (tree.left < 0)
        found = fractions(as_dict(FEATURES, x))
        assert {leaf: pytest.approx(here[leaf], abs=1e-12) for leaf in np.flatnonzero(here).tolist()} == found
        assert sum(found.values()) == pytest.approx(1)


def test_missing_has_many_names():
    tree, _, target = grown(0)
    predicted = run_python(to_python(tree, FEATURES, target))["predict"]
    nothing = dict.fromkeys(as_dict(FEATURES, np.zeros(4)))
    assert predicted(nothing) == predicted(dict.fromkeys(nothing, math.nan))
    assert predicted(nothing) == predicted(nothing | {"colour's": "zebra"})


def test_an_absent_column_is_an_error_that_names_it():
    tree, _, target = grown(0)
    predicted = run_python(to_python(tree, FEATURES, target))["predict"]
    row = as_dict(FEATURES, np.zeros(4))
    del row["colour's"]
    with pytest.raises(KeyError, match="the sample has no column"):
        predicted(row)
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        run_sql(to_sql(tree, FEATURES, target, "sqlite"), [row])


def test_the_number_1_is_the_category_1():
    tree, _, target = grown(0)
    predicted = run_python(to_python(tree, FEATURES, target))["predict"]
    row = as_dict(FEATURES, np.zeros(4))
    said = [predicted(row | {"colour's": one}) for one in (1.0, "1", 1)]
    assert said[0] == said[1] == said[2] != predicted(row)


def test_fractions_too_small_to_count_are_forgotten_in_source_too():
    assert run_python(to_python(by_hand.neighbourhoods(), NUMBERS, CLASS))["SMALLEST"] == DROPPED


def test_a_lone_leaf_is_a_function_too():
    nothing = ([0, 0], *[[]] * 6)
    leaf = make_cultivated([-1], [-1], [3], [3], [[2.5]], [0], nothing, ([0], [], []))
    assert run_python(to_python(leaf, NUMBERS, MEAN))["predict"]({}) == (2.5, 0.0)
    assert run_sql(to_sql(leaf, NUMBERS, MEAN, "sqlite"), [{"x": 1}]).tolist() == [[2.5]]
    assert "1. mean 2.5" in to_rules(leaf, NUMBERS, MEAN)


# SQL -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_sql_expressions_predict_as_the_tree_does(n_classes):
    tree, X, target = grown(n_classes)
    X = np.vstack([X, [[np.nan] * 4, [1e9, 2, 4, -1e9]]])
    found = run_sql(to_sql(tree, FEATURES, target, "sqlite"), [as_dict(FEATURES, x) for x in X])
    np.testing.assert_allclose(found, predict(tree, X)[0], rtol=0, atol=1e-12)


def test_sql_follows_deep_trees_as_far_as_it_says():
    """A chain of modules, each with two options on the same feature, whose leaves are on the left."""
    n = 2 * MAX_DEPTH + 1
    node, split = np.arange(n), (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    start, each = 2 * np.concatenate([[0], np.cumsum(split)]), np.ones(2 * MAX_DEPTH)
    tree = make_cultivated(
        np.where(split, node + 1, -1), np.where(split, node + 2, -1), np.ones(n), np.ones(n), node[:, None],
        np.zeros(n), (start, 0 * each, each, each > 2, 0.5 * each, 0.5 * each, 0 * each),
        (np.arange(0, 4 * MAX_DEPTH + 1, 2), np.tile([0.5, 1.0, 0.75, 1.5], MAX_DEPTH), np.ones(4 * MAX_DEPTH)),
    )  # fmt: skip
    X = np.array([[0.25], [0.75], [np.nan], [3.0]])
    found = run_sql(
        to_sql(tree, NUMBERS[:1], MEAN, "sqlite"), [{"x": None if x != x else x} for x in X[:, 0].tolist()]
    )
    np.testing.assert_allclose(found, predict(tree, X)[0], rtol=1e-12)


def test_a_tree_too_large_for_sql_says_why():
    X = np.random.default_rng(0).normal(size=(400, 3))
    tree = CultivatedRegressor(k="all", max_depth=6).fit(X, X.sum(axis=1)).tree_
    with pytest.raises(ValueError, match=r"every row is in several leaves.*Python function has no such limit"):
        to_sql(tree, tuple(map(Feature, "xyz")), MEAN)


# JSON ------------------------------------------------------------------------------------------------


def flat(tree: CultivatedTree) -> list[np.ndarray]:
    return [*tree[:6], *tree.decisions, *tree.cuts]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_json_reads_back_bit_for_bit(n_classes):
    tree, _, target = grown(n_classes)
    text = to_json(tree, FEATURES, target)
    back, features, goal = from_json(text)
    assert isinstance(back, CultivatedTree)
    assert (features, goal) == (FEATURES, target)
    for ours, theirs in zip(flat(tree), flat(back), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert ours.tobytes() == theirs.tobytes()
    assert to_json(back, features, goal) == text
    assert json.loads(text, parse_constant=pytest.fail)["format"] == "espalier-cultivated-tree"


def broken(node: int = 0, decision: dict | None = None, **changes) -> str:
    found = json.loads(to_json(by_hand.neighbourhoods(), NUMBERS, CLASS))
    found["nodes"][node].update(changes)
    if decision:
        found["nodes"][node]["decisions"][0].update(decision)
    return json.dumps(found)


def test_a_broken_document_is_refused_with_the_place():
    for text, message in [
        (broken(left=2), "children of node 0 are not in preorder"),
        (broken(right=7), "nodes[0].right: expected a number of a node, found 7"),
        (broken(decisions=[]), "nodes[0].decisions: expected shares that sum to 1"),
        (broken(decision={"feature": 2}), "nodes[0].decisions[0].feature: expected a number of a feature, 0 to 1"),
        (broken(decision={"share": 1.5}), "nodes[0].decisions[0].share: expected a number from 0 to 1, found 1.5"),
        (broken(decision={"weights": [1]}), "nodes[0].decisions[0].weights: expected as many weights as cuts"),
        (broken(decision={"weights": [0, 0, 0]}), "weights not below 0, and one above"),
        (broken(decision={"cuts": [4, 4, 6]}), "nodes[0].decisions[0].cuts: expected ascending numbers"),
        (broken(decision={"reversed": 0}), "nodes[0].decisions[0].reversed: expected true or false, found 0"),
        (broken(2, value=[0.5, 0.6]), "nodes[2].value: expected shares from 0 to 1 that sum to 1"),
    ]:
        with case((text, message)), pytest.raises(ValueError, match=re.escape(message)):
            from_json(text)


# Words -----------------------------------------------------------------------------------------------


def test_rules_name_every_leaf_with_the_modules_on_its_way():
    text = to_rules(by_hand.neighbourhoods(), NUMBERS, CLASS)
    rules = text.split("\n\n")[2:]
    assert len(rules) == 4
    assert "in place of 10^1.43 trees" in text  # 3 cuts in each of 3 modules: 27
    lines = next(rule for rule in rules if "red, 60 %" in rule).split("\n")
    assert [line.strip() for line in lines[1:]] == ["if x ≲ 5", "and y ≳ 3"]


def test_options_are_named_with_their_shares():
    text = to_rules(by_hand.options(), NUMBERS, CLASS)
    assert "if 50 %: x ≲ 5; 50 %: y > 3\n" in text
    assert "if 50 %: x ≳ 5; 50 %: y ≤ 3\n" in text


def test_rules_say_what_part_of_a_missing_value_comes_along():
    text = to_rules(by_hand.soft_colours(), (Feature("z", "category", tuple("abcd")),), MEAN, np.array([True]))
    assert "(of what is missing, 40 %)" in text
    assert "(of what is missing, 60 %)" in text


def test_dot_has_a_box_for_each_node_and_lists_options():
    source = to_dot(by_hand.options(), NUMBERS, CLASS)
    assert len(re.findall(r"^\tn\d+ \[", source, re.MULTILINE)) == 3
    assert len(re.findall(r"^\tn\d+ -> n\d+ \[", source, re.MULTILINE)) == 2
    assert r"50 %: x ≲ 5\n50 %: y > 3\n" in source


@pytest.mark.parametrize("dark", [False, True])
def test_a_drawing_stops_at_the_depth_asked_for_and_says_how_much_is_left_out(dark):
    data = samples.load("iris")
    tree = CultivatedClassifier().fit(data.X, data.y).tree_
    source = drawing(tree, data.features, data.target, dark, max_depth=1).source
    assert [int(n) for n in re.findall(r"^\tn(\d+) \[", source, re.MULTILINE)] == [0, 1, int(tree.right[0])]
    hidden = [int(n) for n in re.findall(r"… (\d+) more nodes", source)]
    assert sum(hidden) == tree.n_nodes - 3


def test_under_the_pointer_a_box_says_what_leads_to_it():
    source = drawing(by_hand.options(), NUMBERS, CLASS).source
    assert 'tooltip="as far as (x ≲ 5 or y > 3)"' in source
    assert 'tooltip="as far as (x ≳ 5 or y ≤ 3)"' in source
