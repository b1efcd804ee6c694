"""Every export of a model tree says what the app says: sources are run, rules computed, documents read back."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.leaf_models import ModelTree, make_leaf_models
from espalier.learners import ModelTreeClassifier, ModelTreeRegressor
from espalier.predict import leaves, means, shares
from espalier.trees import LEAF, make_tree
from espalier.views.export import drawing, from_json, to_dot, to_json, to_python, to_rules, to_sql
from espalier.views.export.dialects import DIALECTS
from espalier.views.export.model_trees.sql import MAX_TERMS
from tests.tools import random_trees
from tests.tools.cases import case
from tests.tools.same_trees import arrays_of
from tests.views.export.test_export import as_dicts, chain, run_python, run_sql

untimed = settings(deadline=None, max_examples=60)
CLASS = Feature("colour", "category", ("red", "blue"))
NUMBERS = (Feature("x"), Feature("y"))
FEATURES = (
    Feature("petal width"), Feature('a "level"', "ordered", ("none", "mild", "bad")),
    Feature("colour's", "category", ("red", "it's", "1", "blue")),
)  # fmt: skip


@st.composite
def cases(draw):
    features, target = draw(random_trees.features()), draw(random_trees.targets())
    model = draw(random_trees.model_trees(features, target))
    return model, features, target, draw(random_trees.samples(features, model.tree))


def grown(n_classes: int) -> tuple[ModelTree, np.ndarray, Feature]:
    """A tree on numbers, ordered levels and categories with missing values, its samples, and the target."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=120), rng.integers(0, 3, 120), rng.integers(0, 4, 120)])
    goal = X[:, 0] * (1 + X[:, 1]) + 2 * (X[:, 2] % 2) + rng.normal(size=120) / 4
    X[rng.random(X.shape) < 0.1] = np.nan
    if not n_classes:
        return ModelTreeRegressor(categorical_features=[2]).fit(X, goal).model_tree_, X, Feature("y")
    y = np.digitize(goal, np.quantile(goal, np.arange(1, n_classes) / n_classes))
    target = Feature("the target", "category", ("p'q", "r", "s")[:n_classes])
    return ModelTreeClassifier(categorical_features=[2]).fit(X, y).model_tree_, X, target


def with_nothing_known(X: np.ndarray) -> np.ndarray:
    return np.vstack([X, [[np.nan] * X.shape[1]]])


def check_python(model, features, target, X):
    predict = run_python(to_python(model, features, target))
    for row, share in zip(as_dicts(features, X), shares(model, X), strict=True):
        answer = predict(row)
        if not target.categories:
            assert answer == pytest.approx(share[0], rel=1e-9, abs=1e-9)
            continue
        np.testing.assert_allclose(answer[1], share, rtol=0, atol=1e-9)
        assert share[target.categories.index(answer[0])] >= share.max() - 1e-9


def check_sql(model, features, target, X):
    found = run_sql(to_sql(model, features, target, "sqlite"), as_dicts(features, X))
    if not target.categories:
        np.testing.assert_allclose(found, means(model, X), rtol=1e-9, atol=1e-9)
        return
    share = shares(model, X)
    codes = [target.categories.index(name) for name in found]
    assert (share[np.arange(len(X)), codes] >= share.max(axis=1) - 1e-9).all()


@untimed
@given(cases())
def test_exported_python_predicts_as_the_model_tree_does(case):
    check_python(*case)


@untimed
@given(cases())
def test_exported_sql_predicts_as_the_model_tree_does(case):
    check_sql(*case)


@untimed
@given(cases())
def test_json_reads_back_bit_for_bit(case):
    model, features, target, _ = case
    text = to_json(model, features, target)
    again, *others = from_json(text)
    assert isinstance(again, ModelTree)
    assert again.models.link == model.models.link
    assert others == [features, target]
    for one, other in zip(arrays_of(model.models[:-1]), arrays_of(again.models[:-1]), strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    assert to_json(again, features, target) == text
    assert json.loads(text, parse_constant=pytest.fail)["format"] == "espalier-model-tree"


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_exports_agree_with_a_grown_tree_on_rows_with_gaps_and_categories(n_classes):
    model, X, target = grown(n_classes)
    X = with_nothing_known(X)
    assert model.n_leaves > 1
    check_python(model, FEATURES, target, X)
    check_sql(model, FEATURES, target, X)


@pytest.mark.parametrize("name", ["iris", "breast-cancer", "diabetes", "questionnaire"])
def test_exports_agree_with_the_tree_on_every_row_of(name):
    data = samples.load(name)
    learner = ModelTreeClassifier if data.is_classification else ModelTreeRegressor
    model = learner(max_depth=2, categorical_features=data.categorical).fit(data.X, data.y).model_tree_
    with_gaps = np.where(np.random.default_rng(0).random(data.X.shape) < 0.1, np.nan, data.X)
    check_python(model, data.features, data.target, with_gaps)
    check_sql(model, data.features, data.target, with_gaps)


def test_a_category_that_the_formula_does_not_know_counts_as_a_missing_one():
    model, X, target = grown(0)
    predict = run_python(to_python(model, FEATURES, target))
    row = as_dicts(FEATURES, X[:1])[0]
    level = FEATURES[1].name
    assert predict(row | {level: "zebra"}) == predict(row | {level: None}) == predict(row | {level: math.nan})


def test_a_tree_too_deep_for_if_and_else_becomes_a_table():
    tree = chain(61)
    n = tree.n_nodes
    leaf = tree.feature == LEAF
    intercept = np.where(leaf, np.arange(n), np.nan)[:, np.newaxis]
    start = np.append(0, np.cumsum(leaf))
    terms = (np.ones(leaf.sum()), np.full((leaf.sum(), 1), 0.5), np.zeros(leaf.sum()), np.ones(leaf.sum()))
    models = make_leaf_models(intercept, start, *terms, [0.0, 0.25], [-99.0], [999.0], "identity")
    X = np.array([[-1.0, 0.5], [5.5, np.nan], [60, 7], [61, -7], [np.nan, np.nan]])
    source = to_python(ModelTree(tree, models), NUMBERS, Feature("z"))
    assert "NODES = (" in source
    check_python(ModelTree(tree, models), NUMBERS, Feature("z"), X)


def test_a_class_that_no_row_has_is_never_predicted():
    lone = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [3], [3.0], [[0.0, 1.0]], [0.0])
    models = make_leaf_models(
        [[-math.inf, 0.0]],
        [0, 1],
        [0],
        [[0.0, 1.0]],
        [0.0],
        [1.0],
        [0.5],
        [-math.inf] * 2,
        [math.inf] * 2,
        "softmax",
    )
    model, X = ModelTree(lone, models), np.array([[0.25], [np.nan]])
    assert shares(model, X).tolist() == [[0, 1], [0, 1]]
    check_python(model, NUMBERS[:1], CLASS, X)
    check_sql(model, NUMBERS[:1], CLASS, X)
    again = from_json(to_json(model, NUMBERS[:1], CLASS))[0]
    assert isinstance(again, ModelTree)
    assert again.models.intercept.tolist() == [[-math.inf, 0.0]]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_dialect_reads_columns_in_its_own_way_and_computes_alike(dialect):
    model, _, target = grown(3)
    source = to_sql(model, FEATURES, target, dialect)
    quote = DIALECTS[dialect].name("petal width")
    assert f"r.{quote}" in source
    assert source.count("AS score_") == 3
    assert "s.score_1 >= s.score_2 AND s.score_1 >= s.score_3" in source


def test_duckdb_predicts_as_the_model_tree_does():
    duckdb = pytest.importorskip("duckdb")
    model, X, target = grown(2)
    rows = as_dicts(FEATURES, X)
    connection = duckdb.connect()
    names = ", ".join(
        f"{DIALECTS['duckdb'].name(f.name)} {'VARCHAR' if f.categories else 'DOUBLE'}" for f in FEATURES
    )
    connection.execute(f"CREATE TABLE t (id INTEGER, {names})")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(i, *row.values()) for i, row in enumerate(rows)])
    query = f"SELECT {to_sql(model, FEATURES, target, 'duckdb')} FROM t ORDER BY t.id"
    found = [row[0] for row in connection.execute(query).fetchall()]
    assert found == [target.categories[code] for code in shares(model, X).argmax(axis=1)]


def test_a_formula_too_long_for_databases_says_why():
    n = MAX_TERMS + 1
    lone = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [3], [3.0], [[0.0]], [0.0])
    models = make_leaf_models(
        [[0.0]],
        [0, n],
        np.arange(n),
        np.ones((n, 1)),
        np.zeros(n),
        np.ones(n),
        np.zeros(n),
        [0.0],
        [9.0],
        "identity",
    )
    with pytest.raises(ValueError, match="901 terms, and databases refuse sums of more than 900"):
        to_sql(ModelTree(lone, models), [Feature(f"x{i}") for i in range(n)], Feature("y"))


# Words -----------------------------------------------------------------------------------------------


THREE = (Feature("x"), Feature("y"), Feature("the width"))


def bent() -> tuple[ModelTree, np.ndarray]:
    """A tree of a target that bends twice, and rows of which some have gaps."""
    X = np.random.default_rng(1).normal(size=(300, 3))
    y = np.abs(X[:, 0]) * 3 + np.abs(X[:, 1] - 0.5) + X[:, 2]
    model = ModelTreeRegressor(max_depth=2).fit(X, y).model_tree_
    X[::7, 1] = np.nan
    return model, X


def computed(line: str, limits: str, values: dict[str, float]) -> float:
    """What the formula of a rule gives for a row, computed from its words alone."""
    ends = {}
    for part in limits.removeprefix("where ").split("; "):
        if found := re.fullmatch(r"(.+) from (\S+) to (\S+), missing (\S+)", part):
            ends[found[1]] = [float(text.replace("−", "-").replace(",", "")) for text in found.groups()[1:]]
    terms = re.split(r" (?=[+−] )", line.split(" = ")[1])
    total = float(terms[0].replace("−", "-").replace(",", ""))
    for term in terms[1:]:
        coefficient, name = term[2:].split(" × ")
        low, high, fill = ends[name]
        value = fill if math.isnan(values[name]) else min(max(values[name], low), high)
        total += (-1 if term[0] == "−" else 1) * float(coefficient.replace(",", "")) * value
    return total


def test_the_formula_of_a_rule_gives_what_the_app_predicts():
    model, X = bent()
    rules = to_rules(model, THREE, Feature("z")).split("\n\n")[2:]
    assert len(rules) == model.n_leaves > 2
    sizes = [f"n = {n}," for n in model.tree.n_samples.tolist()]
    leaf = leaves(model, X)
    for row in range(60):
        rule = next(text for text in rules if sizes[leaf[row]] in text).splitlines()
        line = next(text for text in rule if " = " in text and "n = " not in text)
        limits = next((text.strip() for text in rule if text.strip().startswith("where ")), "")
        values = dict(zip((f.name for f in THREE), X[row].tolist(), strict=True))
        assert computed(line.strip(), limits, values) == pytest.approx(means(model, X[[row]])[0], abs=1e-3)


def test_rules_name_the_numbers_of_levels_and_the_meaning_of_scores():
    model, _, target = grown(2)
    text = to_rules(model, FEATURES, target)
    assert "log odds of r = " in text
    assert "Log odds of 0 are a share of 50 %" in text
    assert 'a "level" counts as 0 for none, 1 for mild, 2 for bad.' in text
    assert "score of s = " in to_rules(grown(3)[0], FEATURES, grown(3)[2])


def test_the_drawing_has_a_formula_in_each_leaf():
    model, _ = bent()
    source = to_dot(model, THREE, Feature("z"))
    assert len(re.findall(r"^\tn\d+ \[", source, re.MULTILINE)) == model.n_nodes
    assert source.count("z = ") == model.n_leaves
    cut = drawing(model, THREE, Feature("z"), dark=True, max_depth=1).source
    assert "more nodes" in cut


# Documents that are broken ---------------------------------------------------------------------------


def broken(change) -> str:
    document = json.loads(to_json(grown(0)[0], FEATURES, grown(0)[2]))
    leaf = next(node for node in document["nodes"] if node.get("terms"))
    change(document, leaf)
    return json.dumps(document)


BROKEN = [
    (lambda d, _: d.update(link="median"), "link: expected one of identity, logistic, softmax"),
    (lambda d, _: d.update(link="logistic"), "link: expected a link for 1 outputs"),
    (lambda d, _: d.update(fill=[0.0]), "fill: expected 3 numbers"),
    (lambda d, _: d.update(least=[9e9]), "the least of a score is above its greatest"),
    (lambda d, _: d.update(greatest=[]), "greatest: expected 1 numbers, one for each score"),
    (lambda _, leaf: leaf.update(intercept=[1.0, 2.0]), "intercept: expected 1 numbers"),
    (lambda _, leaf: leaf.pop("terms"), "'terms' is missing"),
    (lambda _, leaf: leaf["terms"][0].update(feature=3), "terms[0].feature: expected a number of a feature"),
    (lambda _, leaf: leaf["terms"][0].update(low=9e9), "terms[0].low: expected at most the high of the term"),
    (lambda _, leaf: leaf["terms"][0].update(coefficient=["many"]), "coefficient[0]: expected a finite number"),
]  # fmt: skip


def test_a_broken_document_is_refused_with_the_place():
    for change, message in BROKEN:
        with case((change, message)), pytest.raises(ValueError, match=re.escape(message)):
            from_json(broken(change))
