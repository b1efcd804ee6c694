"""Exports of estimators that were fitted to a DataFrame: they answer for its rows as the estimator does."""

import math
import os
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier import learners
from espalier.data import Feature
from espalier.data.errors import value_text
from espalier.export import (
    drawing,
    forest_from_json,
    forest_to_json,
    forest_to_onnx,
    forest_to_python,
    forest_to_sql,
    from_json,
    to_dot,
    to_json,
    to_python,
    to_rules,
    to_sklearn,
    to_sql,
)
from espalier.learners.description import describe_model
from espalier.learners.frames import PooledCategories
from espalier.predict import predictions
from espalier.trees import CultivatedTree, Forest, make_forest
from tests.tools.every_learner import small
from tests.tools.exported import answers_in, scope_of

EXAMPLES = 4 * int(os.environ.get("ESPALIER_EXAMPLES", "1"))
FEW: dict[str, Any] = {"n_estimators": 3, "random_state": 0}
NAMES = learners.__all__
THIRDS = [1 / 3, 2 / 3, 0.1 + 0.2, 0.3, 1e22, -0.0, 1e-7, 1234567890123456.0]
LEVELS: dict[str, list] = {  # values of a column of each kind
    "number": [0.1 + 0.2, 0.3, 1 / 3, 5.0, math.nan],
    "float32": [0.1, 0.2, 0.7, 0.3],
    "whole": [1, 2, 3, 2**53],
    "yes": [True, False],
    "yes or missing": [True, False, None],
    "text": ["Rome", "Oslo", "Bern", None, " Oslo", "1.0", "", "it's"],
    "digits": ["10", "2", "33", "007"],
    "numbers as text": ["10", "2", "33"],
    "thirds": [*THIRDS, None],
    "ids": [2**60 + 1, 2**60 + 2, 2**53 + 1, 7],
    "truth": [True, False],
    "mixed": ["a", 1.0, 0.1 + 0.2, 2, None],
    "days": [pd.Timestamp("2020-02-29"), pd.Timestamp("2021-01-01 12:30"), None],
    "steps": ["low", "middle", "high", None],
    "grades": [4.5, 1.5, 3.5],
}
AS_CATEGORY = ("thirds", "ids", "truth", "days")
ORDERED = {"steps": ["low", "middle", "high"], "grades": [4.5, 3.5, 1.5]}
LABELS: dict[str, list] = {
    "text": ["ill", "well"],
    "three": ["a", "b", "c"],
    "whole": [3, 7],
    "digits": ["0", "1"],
    "truth": [False, True],
    "not canonical": ["01", "1"],
}


def column(kind: str, values: list) -> pd.Series:
    series = pd.Series(values, dtype=object)
    if kind in AS_CATEGORY:
        return series.astype("category")
    if kind in ORDERED:
        return pd.Series(pd.Categorical(values, ORDERED[kind], ordered=True))
    types = {"number": "float64", "float32": "float32", "whole": "int64", "yes": "bool"}
    return series.astype(types.get(kind, "object"))


def rows_of(frame: pd.DataFrame) -> list[dict]:
    return frame.to_dict("records")


def run_sql(text: str, frame: pd.DataFrame) -> list[tuple]:
    """What a database says of the frame: each column of its own type, text where it has values of several."""
    columns, cells = [], []
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", pd.Timestamp: "TIMESTAMP"}
    for name in frame:
        values = [None if pd.isna(value) else value for value in frame[name].astype(object)]
        types = {type(value) for value in values if value is not None}
        kind = kinds.get(next(iter(types), str), "VARCHAR") if len(types) == 1 else "VARCHAR"
        if kind == "VARCHAR":
            values = [None if value is None else value_text(value) for value in values]
        columns.append((str(name), "FLOAT" if frame[name].dtype == np.float32 else kind))
        cells.append(values)
    return answers_in("duckdb", text, columns, zip(*cells, strict=True))


def predict_of(source: str) -> Any:
    return scope_of(source)["predict"]


def codes_of(frame: pd.DataFrame, features: tuple[Feature, ...]) -> np.ndarray:
    """The numbers by which a document's tree is asked: of categories their places, by their texts."""
    X = np.full(frame.shape, np.nan)
    for j, feature in enumerate(features):
        for i, value in enumerate(frame.iloc[:, j].astype(object)):
            if pd.isna(value):
                continue
            text = value_text(value)
            if not feature.categories:
                X[i, j] = float(value)
            elif text in feature.pooled:
                X[i, j] = len(feature.categories) - 1
            elif text in feature.categories:
                X[i, j] = feature.categories.index(text)
    return X


def check_everywhere(model: Any, frame: pd.DataFrame) -> None:
    record = describe_model(model).record
    is_forest, classes = isinstance(record, Forest), list(getattr(model, "classes_", np.array([])).tolist())
    expected = model.predict(frame).tolist()
    predict = predict_of((forest_to_python if is_forest else to_python)(model))
    said = [predict(row) for row in rows_of(frame)]
    check_same([one[0] if isinstance(one, tuple) else one for one in said], expected)
    text = (forest_to_json if is_forest else to_json)(model)
    again, features, _ = forest_from_json(text) if is_forest else from_json(text)
    assert features == describe_model(model).features
    answers = predictions(again, np.asfortranarray(codes_of(frame, features)))
    check_same([classes[k] for k in answers] if classes else answers.tolist(), expected)
    rows = run_sql((forest_to_sql if is_forest else to_sql)(model, dialect="duckdb"), frame)
    if classes and (is_forest or isinstance(record, CultivatedTree)):  # they say shares
        theirs = model.predict_proba(frame)
        is_second = is_forest and len(classes) == 2
        np.testing.assert_allclose(np.array(rows, float), theirs[:, 1:] if is_second else theirs, atol=1e-12)
    else:
        check_same([row[0] for row in rows], expected)
    for export in () if is_forest else (to_rules, to_dot, drawing):
        assert export(model)


def check_same(said: list, expected: list) -> None:
    if isinstance(expected[0], float):
        np.testing.assert_allclose(np.array(said, float), expected, rtol=1e-12, atol=1e-12)
        return
    assert [*map(repr, said)] == [repr(getattr(one, "item", lambda one=one: one)()) for one in expected]


def some_frame(rng: np.random.Generator) -> pd.DataFrame:
    """Rows of a few columns of any kind, and of one of thirds."""
    n = int(rng.integers(20, 60))
    kinds = rng.permutation(list(LEVELS))[: rng.integers(1, 6)].tolist()
    values = {kind: [LEVELS[kind][k] for k in rng.integers(0, len(LEVELS[kind]), n)] for kind in kinds}
    return pd.DataFrame({kind: column(kind, values[kind]) for kind in kinds}).assign(last=np.arange(n) % 5 / 3)


def some_target(rng: np.random.Generator, name: str, n: int) -> list:
    if name.endswith("Regressor"):
        return rng.choice([0.0, 1.5, 1 / 3, 7.25], n).tolist()
    labels = LABELS[list(LABELS)[rng.integers(0, len(LABELS))]]
    return [labels[k] for k in rng.permutation(np.arange(n) % len(labels))]


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, EXAMPLES), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_every_export_answers_as_the_estimator_for_the_rows_of_its_frame(name, seeds):
    for seed in seeds:
        rng = np.random.default_rng([seed, NAMES.index(name)])
        frame = some_frame(rng)
        limits = {"max_depth": 2} if "Cultivated" in name else {}  # in SQL such trees are long
        model = small(name, **limits).fit(frame, pd.Series(some_target(rng, name, len(frame))))
        check_everywhere(model, frame)


PEOPLE = pd.DataFrame(
    {
        "age": [23.0, 61.0, 35.0, 70.0, 52.0, 44.0, 29.0, 18.0] * 5,
        "city": ["Rome", "Oslo", "Bern", "Oslo", None, "Bern", "Rome", "Oslo"] * 5,
    }
)
ILL = np.where((PEOPLE["age"] > 50) ^ (PEOPLE["city"] == "Oslo"), "ill", "well")
MODEL = learners.CartClassifier(max_depth=3).fit(PEOPLE, ILL)
AGE, CITY = Feature("age"), Feature("city", "category", ("Bern", "Oslo", "Rome"))
STATE = Feature("state", "category", ("ill", "well"))
FOREST = learners.RandomForestClassifier(**FEW).fit(PEOPLE, ILL)
EXPORTS = (to_python, to_sql, to_rules, to_json, to_dot, drawing)
FOREST_EXPORTS = (forest_to_python, forest_to_sql, forest_to_json, forest_to_onnx)
WRONG = {
    "no names": ((), "has no names: give features and target"),
    "columns in another order": (([CITY, AGE], STATE), "splits 'age' by sets of categories, and .* is a number"),
    "too few columns": (([AGE], STATE), "asks about feature 1, counted from 0, and there are 1 features"),
    "too few categories": (
        ([AGE, Feature("city", "category", ("Bern",))], STATE), "'city' by categories past the 1 that the feature",
    ),
    "a number for classes": (([AGE, CITY], Feature("y")), "tells 2 classes apart, and the target 'y' has none"),
    "too many classes": (
        ([AGE, CITY], Feature("y", "category", ("a", "b", "c"))), "2 classes apart, and the target 'y' has 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_features_that_do_not_fit_a_record_are_refused_by_every_export(case):
    arguments, words = WRONG[case]
    for export in EXPORTS:
        with pytest.raises(ValueError, match=words):
            export(MODEL.tree_, *arguments)
    forest = make_forest([MODEL.tree_], [1.0], "mean", [0.5, 0.5])
    for export in FOREST_EXPORTS:
        with pytest.raises(ValueError, match=words):
            export(forest, *arguments)


def test_features_beside_an_estimator_are_those_of_its_frame_and_another_number_of_them_is_refused():
    assert "town" in to_rules(MODEL, [AGE, CITY._replace(name="town")], STATE)
    with pytest.raises(ValueError, match="there are 3 features, and the model was fitted to 2"):
        to_sql(MODEL, [AGE, CITY, Feature("z")], STATE)
    with pytest.raises(ValueError, match="has the categories 'Rome', 'Oslo', 'Bern', and `fit` saw"):
        to_python(MODEL, [AGE, CITY._replace(categories=("Rome", "Oslo", "Bern"))], STATE)
    numbers = PEOPLE[["age"]].assign(more=np.arange(40) % 7)
    for learner in (learners.ObliqueClassifier(max_depth=1), learners.ModelTreeClassifier(max_depth=1)):
        record = describe_model(learner.fit(numbers, ILL)).record
        with pytest.raises(ValueError, match="there are 3 features, and the model was fitted to 2"):
            to_python(record, [AGE, Feature("more"), Feature("z")], STATE)


def test_a_forest_and_a_tree_name_the_export_of_the_other():
    for export in EXPORTS:
        with pytest.raises(ValueError, match="has a forest of 3 trees: take forest_to_python"):
            export(FOREST)
    for export in FOREST_EXPORTS:
        with pytest.raises(ValueError, match="has one tree: take to_python"):
            export(MODEL)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (learners.CartClassifier(), "no tree in CartClassifier: .* after fit"),
        (
            learners.CartClassifier().fit(PEOPLE.assign(city=[1, "1"] * 20), ILL),
            "'city' has two categories .* '1'",
        ),
    ],
    ids=["not fitted", "two categories with one text"],
)
def test_what_cannot_be_exported_says_why(model, words):
    for export in (to_python, forest_to_python, to_json):
        with pytest.raises(ValueError, match=words):
            export(model)


def test_categories_that_are_pooled_go_with_the_pool():
    rng = np.random.default_rng(0)
    codes = np.append(np.arange(90), rng.integers(0, 90, 400))
    frame = pd.DataFrame({"zip": [f"z{code}" for code in codes], "number": codes / 3}).astype(
        {"number": "category"}
    )
    with pytest.warns(PooledCategories):
        model = learners.CartClassifier(max_depth=6).fit(frame, codes % 3 == 0)
    assert [len(feature.pooled) for feature in describe_model(model).features] == [27, 27]
    check_everywhere(model, frame)
    strange = frame.head(3).assign(zip=["(other)", "z0", "z1000"], number=pd.Categorical([None, 1e9, 1 / 3]))
    predict = predict_of(to_python(model))
    assert [predict(row)[0] for row in rows_of(strange)] == model.predict(strange).tolist()


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_a_tree_of_a_forest_is_exported_with_the_names_of_the_forest(name):
    forest = getattr(learners, name)(**FEW).fit(PEOPLE, ILL)
    check_everywhere(forest[0], PEOPLE)


def test_an_array_has_columns_x0_and_so_on():
    model = learners.CartRegressor(max_depth=1).fit([[1.0, 5.0], [2.0, 5.0]], [0.0, 1.0])
    assert predict_of(to_python(model))({"x0": 1.9}) == 1.0


def test_a_tree_of_scikit_learn_has_the_classes_and_the_names_of_the_frame():
    numbers = PEOPLE[["age"]].assign(young=PEOPLE["age"] < 30)
    for labels in (ILL, ILL == "ill", np.where(ILL == "ill", "1", "0"), np.where(ILL == "ill", 3, 7)):
        model = learners.CartClassifier(max_depth=3).fit(numbers, labels)
        theirs: Any = to_sklearn(model)
        assert theirs.classes_.dtype == model.classes_.dtype
        assert theirs.predict(numbers).tolist() == model.predict(numbers).tolist()
        with pytest.raises(ValueError, match="feature names"):
            theirs.predict(numbers.rename(columns={"age": "years"}))
