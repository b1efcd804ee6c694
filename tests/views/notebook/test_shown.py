"""The names and rows of what a notebook shows: of the estimator, of a table, or of neither."""

import numpy as np
import pandas as pd
import pytest

from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, ModelTreeRegressor, RandomForestClassifier
from espalier.views.notebook.shown import shown
from tests.tools.cases import case

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
FRUIT = pd.DataFrame({"weight": [1.2, 0.4, 1.1, 0.3], "colour": ["red", "blue", "red", None]})
KINDS = pd.Series(["apple", "plum", "apple", "plum"], name="kind")


def test_a_table_gives_names_categories_and_classes():
    one = shown(CartClassifier().fit(FRUIT, KINDS), FRUIT, KINDS)
    assert one.data is not None
    assert [(f.name, f.kind, f.categories) for f in one.features] == [
        ("weight", "number", ()), ("colour", "category", ("blue", "red")),
    ]  # fmt: skip
    assert (one.target.name, one.target.categories) == ("kind", ("apple", "plum"))
    assert one.data.X[:, 1].tolist()[:3] == [1.0, 0.0, 1.0]
    assert np.isnan(one.data.X[3, 1])
    assert one.data.y.tolist() == [0, 1, 0, 1]


def test_an_estimator_alone_knows_its_names_and_a_record_has_numbers():
    model = CartClassifier(max_depth=1).fit(IRIS.X, [IRIS.classes[k] for k in IRIS.y])
    assert shown(model).target.categories == IRIS.classes
    assert shown(model).title == "CartClassifier(max_depth=1)"
    alone = shown(model.tree_)
    assert (alone.title, alone.target.categories) == ("", ("0", "1", "2"))
    assert [feature.name for feature in alone.features][:2] == ["x0", "x1"]


def test_whole_numbers_are_known_as_such():
    ages = np.array([[30.0], [40.0], [50.0]])
    one = shown(CartRegressor().fit(ages, [1.0, 2.0, 3.0]), ages, [1.0, 2.0, 3.0])
    assert one.features[0].is_whole
    assert not one.target.categories


def test_a_model_tree_is_shown_as_what_it_answers_by():
    assert type(shown(ModelTreeRegressor().fit(DIABETES.X, DIABETES.y)).record).__name__ == "ModelTree"


FITTED = CartClassifier().fit(IRIS.X, IRIS.y)
OF_TEN = RandomForestClassifier(n_estimators=2).fit(DIABETES.X, DIABETES.y > 100)
WRONG = {
    "not fitted": ((CartClassifier(),), "there is no tree in CartClassifier: .* after fit"),
    "no tree": ((42,), "there is no tree in int"),
    "no targets": ((FITTED, IRIS.X), "give y"),
    "too few columns": ((FITTED, IRIS.X[:, :2], IRIS.y), r"shape \(150, 2\), and the model asks about 4"),
    "a strange class": ((FITTED, IRIS.X, IRIS.y + 1), "y has 3, which is none of the model's classes"),
    "other classes": ((FITTED.tree_, IRIS.X, IRIS.y > 0), "y has 2 classes, and the tree tells 3 apart"),
    "another target": ((FITTED, DIABETES), "3 outputs, and the target .* 0 classes"),
    "a small table": ((OF_TEN, IRIS), "the rows have 4 features"),
}  # fmt: skip


def test_what_does_not_fit_is_refused_with_a_reason():
    for name in WRONG:
        with case(name):
            arguments, words = WRONG[name]
            with pytest.raises(ValueError, match=words):
                shown(*arguments)
