"""Uploaded models whose classes or columns stand in another order than the table's."""

from typing import Any

import numpy as np
import pytest

from espalier.analysis.approximation.arrangement import arrange, candidates
from espalier.data.dataset import Feature, make_dataset
from espalier.learners.black_boxes.onnx import read_onnx
from espalier.views.approximation import arrangement_words as words
from tests.tools import onnx_files
from tests.tools.onnx_files import FLOAT, by_column, classifier, linear

CLASSES = ("malignant", "benign")
NAMES = ("radius", "area")


def table(y=None, names=NAMES, classes: Any = CLASSES):
    """Malignant is what is large; area is twenty times radius, about."""
    X = np.random.default_rng(0).normal(size=(300, 2)) @ np.diag([1.0, 20.0])
    y = (X[:, 1] < X[:, 0] * 3).astype(int) if y is None else y(X)
    return make_dataset("t", X, [Feature(name) for name in names], y, Feature("y", "category", tuple(classes)))


def model_of(data, weights):
    """A model of two classes, numbered: class 1 where the sum of the weighted columns is positive."""
    return read_onnx(chance_of_one(np.asarray(weights, np.float32)), data.features, data.classes)


def chance_of_one(weights):
    """The chance of class 1, as (n, 1): a logistic regression."""
    helper, value, constant = onnx_files.helper, onnx_files.value, onnx_files.constant
    nodes = [
        helper.make_node("MatMul", ["X", "w"], ["z"]),
        helper.make_node("Sigmoid", ["z"], ["chance"]),
    ]
    ports = [value("X", FLOAT, (None, len(weights)))], [value("chance", FLOAT, (None, 1))]
    return onnx_files.file(nodes, *ports, [constant("w", weights[:, None])])


IS_BENIGN = [3.0, -1.0]  # the truth of `table`: class 1 of the table, where 3 radius > area
IS_MALIGNANT = [-3.0, 1.0]


def test_a_model_of_the_tables_own_orders_is_taken_as_it_is():
    data = table()
    model, found = arrange(model_of(data, IS_BENIGN), data)
    assert (found.classes, found.columns, found.right, found.as_table) == ((0, 1), (0, 1), 1.0, 1.0)
    assert (model.predict(data.X) == data.y).all()
    assert words.taken(found, data, False) == (
        "Your model's class 0 = malignant, 1 = benign; its columns stand as in the table: radius, area. None of "
        "the other orders tried agrees better with the target: it is right in 100 % of 300 rows."
    )
    assert words.warning(found, data) == ""


def test_a_model_of_the_illness_as_class_1_is_turned_and_the_page_is_told_why():
    data = table()
    upside_down = model_of(data, IS_MALIGNANT)
    assert (upside_down.predict(data.X) == data.y).mean() == 0
    model, found = arrange(upside_down, data)
    assert found.classes == (1, 0)
    assert (model.predict(data.X) == data.y).all()
    assert words.taken(found, data, False) == (
        "Your model's class 0 = benign, 1 = malignant; its columns stand as in the table: radius, area. This "
        "order agrees best with the target: it is right in 100 % of 300 rows; in the table's own order "
        "0 %."
    )


def test_columns_by_the_alphabet_are_found_too():
    data = table()
    model, found = arrange(model_of(data, [-1.0, 3.0]), data)  # area, radius
    assert found.columns == (1, 0)
    assert found.classes == (0, 1)
    assert (model.predict(data.X) == data.y).all()


def test_what_somebody_chooses_is_taken_even_where_it_is_worse():
    data = table()
    model, found = arrange(model_of(data, IS_BENIGN), data, classes=(1, 0), columns=(0, 1))
    assert (found.classes, found.right) == ((1, 0), 0.0)
    assert (model.predict(data.X) != data.y).all()
    assert "You chose so; it is right in 0 % of 300 rows." in words.taken(found, data, True)


def test_a_model_that_does_not_know_the_table_is_named_with_the_baseline_and_the_question():
    data = table(lambda X: (np.random.default_rng(1).random(len(X)) < 0.7).astype(int))
    _, found = arrange(model_of(data, IS_BENIGN), data)
    assert found.is_useless
    said = words.warning(found, data)
    assert "better than always saying benign:** your model is right in" in said
    assert said.endswith("Are the columns in the right order?")


def test_classes_by_name_leave_nothing_to_choose():
    data = table()
    model = read_onnx(classifier(["benign", "malignant"], zipmap=True), data.features, data.classes)
    _, found = arrange(model, data)
    assert not found.may_classes
    assert "class" not in words.taken(found, data, False)


def test_columns_by_name_leave_nothing_to_choose():
    data = make_dataset("n", table().X, [Feature(n) for n in NAMES], table().X.sum(axis=1), Feature("y"))
    model, found = arrange(read_onnx(by_column(["area", "radius"], [FLOAT] * 2), data.features), data)
    assert (found.may_columns, found.may_classes) == (False, False)
    assert found.right == pytest.approx(1, abs=1e-6)
    assert model.predict(data.X) == pytest.approx(data.y, abs=1e-4)
    assert words.taken(found, data, False) == ""


def test_numbers_are_judged_by_how_much_of_the_target_they_explain():
    X = table().X
    data = make_dataset("n", X, [Feature(n) for n in NAMES], 5 * X[:, 0] + 1, Feature("y"))
    _, found = arrange(read_onnx(linear([0.0, 5.0], 1.0), data.features), data)
    assert found.columns == (1, 0)
    assert found.right == pytest.approx(1, abs=1e-6)
    assert not found.is_useless
    _, found = arrange(read_onnx(linear([0.0, 0.0], 9.0), data.features), data)
    assert words.warning(found, data).startswith("**No better than always saying the mean:** R² of its numbers is")


def test_three_classes_are_matched_one_to_one():
    data = table(lambda X: np.argsort(np.argsort(X[:, 0])) * 3 // len(X), classes=("low", "middle", "high"))
    model = read_onnx(classifier([0, 1, 2], zipmap=False), data.features, data.classes)
    X = np.abs(data.X)
    said = model.predict(X)
    turned = make_dataset("t", X, data.features, np.array([2, 0, 1])[said], data.target)
    arranged, found = arrange(model, turned)
    seen = np.unique(said).tolist()
    assert [found.classes[j] for j in seen] == [[2, 0, 1][j] for j in seen]
    assert (arranged.predict(X) == turned.y).all()


def test_orders_that_people_use_are_each_offered_once():
    assert candidates(["b", "a"]) == {"as in the table": (0, 1), "by the alphabet": (1, 0)}
    assert candidates(["b", "c", "a"]) == {
        "as in the table": (0, 1, 2),
        "by the alphabet": (2, 0, 1),
        "the other way round": (2, 1, 0),
    }
    assert candidates(["a"]) == {"as in the table": (0,)}


def test_what_is_no_order_is_refused():
    data = table()
    with pytest.raises(ValueError, match=r"\[0, 0\] is no order of 2"):
        arrange(model_of(data, IS_BENIGN), data, classes=(0, 0))
