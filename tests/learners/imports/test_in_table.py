"""A forest from a file in the terms of a table; and the process that reads the file."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import espalier
from espalier.analysis.approximation.arrangement import arrange
from espalier.data import samples
from espalier.data.columns.glossary import ColumnWords, with_words
from espalier.data.dataset import Feature
from espalier.language import Refusal
from espalier.learners.imports.apart import _rebuilt, holds_trees, service
from espalier.learners.imports.in_table import TableForest
from espalier.learners.imports.read import read_file
from tests.learners.imports.test_files import CATBOOST, LIGHTGBM, XGBOOST

IRIS = samples.load("iris")
TWO = IRIS.y[50:] - 1


def boosted(columns, classes=None):
    """A model of iris's last two species on some columns, its classes named so."""
    names = np.array(["versicolor", "virginica"] if classes is None else classes)
    model = GradientBoostingClassifier(n_estimators=5).fit(IRIS.X[50:, columns], names[TWO])
    ours: Any = espalier.read_model(model)
    features = tuple(IRIS.features[column] for column in columns)
    ours.features_, ours.facts = features, ours.facts._replace(features=features, has_names=True)
    return model, ours


def test_a_model_of_some_columns_finds_them_by_name_in_any_order():
    theirs, ours = boosted([3, 1])
    model = TableForest(ours, IRIS.features, ["versicolor", "virginica"])
    np.testing.assert_allclose(model.predict_proba(IRIS.X), theirs.predict_proba(IRIS.X[:, [3, 1]]))
    assert model.names_columns
    assert model.names_classes


@pytest.mark.parametrize(
    "words",
    [
        {"petal width": ColumnWords("leaf", "cm")},
        {"petal width": ColumnWords("leaf", "cm"), "sepal width": ColumnWords("petal width")},
        {"petal width": ColumnWords("sepal width"), "sepal width": ColumnWords("petal width")},
    ],
)
def test_a_model_knows_columns_by_their_names_in_the_file_however_a_person_calls_them(words):
    theirs, ours = boosted([3, 1])
    model = TableForest(ours, with_words(IRIS, words).features, ["versicolor", "virginica"])
    assert model.names_columns
    np.testing.assert_allclose(model.predict_proba(IRIS.X), theirs.predict_proba(IRIS.X[:, [3, 1]]))


def test_classes_of_other_names_are_matched_by_what_is_right_most_often():
    theirs, ours = boosted([0, 1, 2, 3], ["b", "a"])
    data = IRIS._replace(X=IRIS.X[50:], y=TWO, target=IRIS.target._replace(categories=("versicolor", "virginica")))
    model, arranged = arrange(TableForest(ours, data.features, data.classes), data)
    assert arranged.classes == (1, 0)
    np.testing.assert_allclose(model.predict_proba(data.X), theirs.predict_proba(data.X)[:, ::-1])


def test_codes_of_categories_are_those_of_the_table():
    model = read_file(LIGHTGBM.encode())
    model.features_ = (Feature("a"), Feature("b", "category", ("u", "v", "w")))  # u and w go left
    table = (Feature("b", "category", ("w", "v")), Feature("a"))
    assert TableForest(model, table, ()).predict([[0, 1], [1, 1]]).tolist() == [2, 4]


@pytest.mark.parametrize(
    ("features", "classes", "why"),
    [
        ((Feature("a"), Feature("b")), ("no", "yes"), "says a number"),
        (IRIS.features, (), "does not have by these names"),
    ],
)
def test_a_model_of_another_table_is_refused(features, classes, why):
    with pytest.raises(Refusal, match=why):
        TableForest(read_file(json.dumps(XGBOOST).encode()), features, classes)


def test_a_forest_of_votes_keeps_its_votes_whatever_the_order_of_classes():
    theirs = RandomForestClassifier(5, random_state=0).fit(IRIS.X, IRIS.y)
    model = TableForest(espalier.read_model(theirs), IRIS.features, IRIS.classes).arranged((2, 0, 1), (3, 2, 1, 0))
    turned = theirs.predict_proba(IRIS.X[:, ::-1])
    np.testing.assert_allclose(model.predict_proba(IRIS.X)[:, [2, 0, 1]], turned)


def test_what_the_other_process_hands_over_is_the_same_forest():
    """The process itself runs where models of our own are read."""
    apart: Any = _rebuilt(service()({"file": np.frombuffer(json.dumps(XGBOOST).encode(), np.uint8)}, print))
    assert apart.predict([[0.4, 0], [0.6, 0]]).tolist() == [-0.5, 2.5]
    assert apart.features_ == (Feature("a"), Feature("b"))


def test_a_refusal_comes_out_of_the_other_process_as_a_phrase():
    answer = service()({"file": np.frombuffer(b"{nonsense", np.uint8)}, print)
    assert "no model that can be read" in answer["wrong"]


def test_files_of_trees_are_told_from_others_by_how_they_begin():
    files = [json.dumps(XGBOOST).encode(), json.dumps(CATBOOST).encode(), LIGHTGBM.encode()]
    assert all(map(holds_trees, files))
    assert not holds_trees(b"\x08\x07onnx")
