"""Models from ONNX files: what they say is what their nodes come to, and what does not fit is named."""

import importlib.util
import pickle
from typing import Any

import numpy as np
import pytest

from espalier.data.dataset import Feature, Origin, make_dataset
from espalier.data.options import Moment
from espalier.export.onnx import forest_to_onnx
from espalier.language import Refusal
from espalier.learners import ApproximationClassifier, ApproximationRegressor, CartRegressor
from espalier.learners.black_boxes import ready as onnx_models
from espalier.learners.black_boxes.ready import read_onnx
from espalier.trees import make_forest
from tests.tools import onnx_files
from tests.tools.onnx_files import FLOAT, STRING, classifier, linear, shares_by_hand

FEATURES = (Feature("width"), Feature("height"))
X = np.random.default_rng(0).random((50, 2))


def test_a_model_of_numbers_says_what_its_nodes_come_to_also_in_batches_and_so_does_a_copy():
    model = read_onnx(linear([2.0, -1.0], 0.5), FEATURES)
    for rows in (X, np.random.default_rng(1).random((onnx_models.BATCH + 7, 2))):
        assert model.predict(rows) == pytest.approx(2 * rows[:, 0] - rows[:, 1] + 0.5, abs=1e-6)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("zipmap", [True, False])
@pytest.mark.parametrize("labels", [["a", "b", "c"], [0, 1, 2]])
def test_class_shares_stand_in_the_order_of_the_table(labels, zipmap):
    model = read_onnx(classifier(labels, zipmap), FEATURES, ("b", "c", "a"))
    by_hand = shares_by_hand(X, 3)  # of a, b, c by name; by number those of the table's first, second, third
    expected = by_hand[:, [1, 2, 0]] if labels[0] == "a" else by_hand
    assert model.predict_proba(X) == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(model.predict(X), expected.argmax(axis=1))


def test_one_column_of_shares_is_the_chance_of_the_second_class():
    model = read_onnx(linear([0.5, 0.25], 0.1), FEATURES, ("no", "yes"))
    second = X @ [0.5, 0.25] + 0.1
    assert model.predict_proba(X) == pytest.approx(np.column_stack([1 - second, second]), abs=1e-6)


@pytest.mark.parametrize("size", [Feature("size"), Feature("height (cm)", origin=Origin("size", 0))])
def test_a_column_for_each_input_is_found_by_name_and_categories_are_text(size):
    features = (size, Feature("colour", "category", ("green", "red")))
    model = read_onnx(onnx_files.by_column(["colour", "size"], [STRING, FLOAT]), features)
    assert model.predict(np.array([[1.5, 0.0], [1.5, 1.0], [2.0, np.nan]])).tolist() == [1.5, 11.5, 2.0]


def test_such_models_are_approximated_like_any_other():
    few: Any = {"initial_samples": 1000, "max_samples": 1000, "random_state": 0, "max_depth": 2}
    model = read_onnx(classifier(["a", "b"], zipmap=False), FEATURES, ("a", "b"))
    tree = ApproximationClassifier(model, **few).fit(X)
    assert (tree.predict(X) == model.predict(X)).mean() > 0.9
    model = read_onnx(linear([5.0, 0.0], 0.0), FEATURES)
    assert set(ApproximationRegressor(model, **few).fit(X).tree_.feature) == {0, -1}


@pytest.mark.parametrize(
    ("file", "classes", "words"),
    [
        (b"nonsense", (), "is not an ONNX model"),
        (b"", (), "is not an ONNX model"),
        (linear([1.0, 1.0, 1.0], 0.0), (), r"takes 3 columns; the table has 2 features: width, height"),
        (classifier(["a", "b", "c"], zipmap=False), ("a", "b"), "knows 3 classes; the table has 2: a, b"),
        (classifier(["a", "x"], zipmap=True), ("a", "b"), "knows a class “x”; the table has a, b"),
        (onnx_files.by_column(["u", "v", "w"], [FLOAT] * 3), (), "takes 3 columns"),
        (onnx_files.peeping("etc/hostname"), (), "is not an ONNX model that this server can run"),
        (onnx_files.peeping("/etc/hostname"), (), "is not an ONNX model that this server can run"),
    ],
)
def test_what_does_not_fit_is_named(file, classes, words):
    with pytest.raises(ValueError, match=words):
        read_onnx(file, FEATURES, classes)


def test_a_file_too_large_is_not_opened_and_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(onnx_models, "MAX_ONNX_MB", 1)
    with pytest.raises(ValueError, match="has 2 MB; this server takes ONNX models up to 1 MB"):
        read_onnx(bytes(2 * 2**20), FEATURES)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install \"\.\[onnx\]\""):
        read_onnx(b"", FEATURES)


# Categories are what they mean, or refused
def size(kind: Any, names):
    return (Feature("size", kind, tuple(names)), Feature("height"))


@pytest.mark.parametrize("kind", ["category", "ordered", "yes/no"])
def test_categories_that_are_numbers_are_these_numbers_for_an_input_of_numbers(kind):
    names = ["40", "10"] if kind == "yes/no" else ["10", "2.5", "40"]
    codes = np.array([[0, 0.0], [1, 1.0], [np.nan, 1.0]])
    numbers = [float(names[0]), float(names[1]), np.nan]
    model = read_onnx(linear([2.0, -1.0], 0.0), size(kind, names))
    assert model.predict(codes) == pytest.approx(2 * np.array(numbers) - codes[:, 1], nan_ok=True)
    assert model.arranged(columns=(1, 0)).predict(codes) == pytest.approx(
        2 * codes[:, 1] - np.array(numbers), nan_ok=True
    )


def test_true_and_false_are_numbers_and_numbers_for_an_input_of_text_are_refused():
    model = read_onnx(linear([2.0, 0.0], 0.0), size("yes/no", ["FALSE", "TRUE"]))
    assert model.predict([[0, 0], [1, 0]]).tolist() == [0, 2]
    with pytest.raises(Refusal, match=r"takes text in the column colour.*the kind category"):
        read_onnx(onnx_files.by_column(["colour", "size"], [STRING, FLOAT]), (Feature("colour"), Feature("size")))


@pytest.mark.parametrize(
    ("features", "why"),
    [
        (size("category", ["low", "high"]), "takes numbers in the column size.*low, high"),
        (size("yes/no", ["no", "yes"]), "takes numbers in the column size.*no, yes"),
        (
            (Feature("size", moment=Moment("size", "date")), Feature("height")),
            "nobody knows what the numbers count",
        ),
    ],
)
def test_words_and_dates_for_an_input_of_numbers_are_refused(features, why):
    with pytest.raises(Refusal, match=why):
        read_onnx(linear([2.0, -1.0], 0.0), features)


def test_a_forest_that_espalier_wrote_says_which_category_is_which_code():
    names = ("green", "red", "blue")
    colour = np.random.default_rng(0).integers(0, 3, 90)
    X = np.column_stack([colour, np.arange(90) % 7]).astype(float)
    own = (Feature("colour", "category", names), Feature("size"))
    data = make_dataset("t", X, own, np.array([1.0, 2.0, 4.0])[colour], Feature("y"))
    learner = CartRegressor(categorical_features=[0]).fit(data.X, data.y)
    file = forest_to_onnx(make_forest((learner.tree_,), np.ones(1), "mean", []), data.features, data.target)
    table = (Feature("size"), Feature("colour", "category", ("blue", "green", "pink", "red")))
    rows = np.array([[3.0, 0.0], [3.0, 1.0], [3.0, 3.0]])
    assert read_onnx(file, table).predict(rows).tolist() == [4, 1, 2]
    missing = read_onnx(file, table).predict([[3.0, np.nan]])
    assert read_onnx(file, table).predict([[3.0, 2.0]]).tolist() == missing.tolist()
