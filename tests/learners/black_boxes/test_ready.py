"""Any fitted model, or a function, judged beside others without being fitted again."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import espalier
from espalier.analysis import Folds, ask, validate
from espalier.data import Feature, make_dataset, samples
from espalier.language import Refusal

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
PLAN = Folds(n_folds=5)
RNG = np.random.default_rng(0)
SIZE, COLOUR = RNG.normal(size=300), RNG.integers(0, 3, 300)
TARGET = Feature("state", "category", ("well", "ill"))
ILL = (SIZE + (COLOUR == 2) > 0.5).astype(np.int64)
PATIENTS = make_dataset(
    "patients", np.column_stack([SIZE, COLOUR]),
    [Feature("size"), Feature("colour", "category", ("red", "green", "blue"))], ILL, TARGET,
)  # fmt: skip
FRAME = pd.DataFrame({"colour": np.array(["red", "green", "blue"])[COLOUR], "size": SIZE})


def pipeline(labels):
    columns = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    return make_pipeline(columns, LogisticRegression()).fit(FRAME, labels)


@pytest.mark.parametrize("labels", [ILL, np.array(["well", "ill"])[ILL]])
def test_a_pipeline_gets_columns_by_name_and_categories_as_text_and_its_classes_are_known_by_name(labels):
    theirs = pipeline(labels)
    ready = espalier.ready_model(theirs, PATIENTS)
    at = [
        list(map(str, theirs.classes_)).index(name)
        for name in (("0", "1") if labels is ILL else TARGET.categories)
    ]
    np.testing.assert_array_equal(ready.predict_proba(PATIENTS.X), theirs.predict_proba(FRAME)[:, at])
    assert validate(ready, PATIENTS, PLAN).scores("accuracy").mean() > 0.9


@pytest.mark.parametrize(
    "function",
    [
        lambda rows: np.column_stack([rows[:, 0] <= 0.5, rows[:, 0] > 0.5]).astype(float),
        lambda rows: (rows[:, 0] > 0.5).astype(float),
        lambda rows: (rows[:, 0] > 0.5).astype(int),
    ],
    ids=["shares", "chance of the second", "classes"],
)
def test_a_function_is_compared_and_asked_for_its_doubts(function):
    ready = espalier.ready_model(function, PATIENTS)
    assert ready.predict(np.array([[0.4, 0.0], [0.6, 0.0]])).tolist() == [0, 1]
    found = ask(ready, PATIENTS, PLAN)
    right = np.mean([np.mean(one.prediction == PATIENTS.y[one.rows]) for one in found.tried])
    assert right == pytest.approx(validate(ready, PATIENTS, PLAN).scores("accuracy").mean())


def test_a_model_of_numbers_keeps_its_numbers():
    theirs = RandomForestRegressor(10, random_state=0).fit(DIABETES.X, DIABETES.y)
    ready = espalier.ready_model(theirs, DIABETES)
    np.testing.assert_array_equal(ready.predict(DIABETES.X), theirs.predict(DIABETES.X))
    assert not hasattr(ready, "predict_proba")


def test_a_model_that_was_read_stays_a_forest():
    theirs = RandomForestClassifier(10, random_state=0).fit(IRIS.X, np.array(IRIS.classes)[IRIS.y])
    ready = espalier.ready_model(espalier.read_model(theirs), IRIS)
    assert ready.forest_.n_trees == 10
    order = [theirs.classes_.tolist().index(name) for name in IRIS.classes]
    np.testing.assert_allclose(ready.predict_proba(IRIS.X), theirs.predict_proba(IRIS.X)[:, order], atol=1e-12)


def test_classes_in_another_order_are_said_or_else_warned_of():
    turned = pipeline(1 - ILL)  # 0 is ill
    with pytest.warns(UserWarning, match="less often than always"):
        espalier.ready_model(turned, PATIENTS)
    ready = espalier.ready_model(turned, PATIENTS, classes=["ill", "well"])
    np.testing.assert_array_equal(ready.predict_proba(PATIENTS.X), turned.predict_proba(FRAME)[:, ::-1])


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(Refusal, match="LogisticRegression is not fitted"):
        espalier.ready_model(LogisticRegression(), PATIENTS)
    with pytest.raises(Refusal, match=r"the table does not have: .*colour"):
        espalier.ready_model(pipeline(ILL), IRIS)
    other = pipeline(np.array(["sick", "fine"])[ILL])
    with pytest.raises(Refusal, match="say which is which"):
        espalier.ready_model(other, PATIENTS)
    with pytest.raises(Refusal, match="say which is which"):
        espalier.ready_model(other, PATIENTS, classes=["ill", "ill"])
