"""The region of recourse, rows that are not settled, and stories with their units and their rows in leaves."""

from xml.etree import ElementTree

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.folds import Folds
from espalier.data.roles import RowLabels, RowRoles
from espalier.learners import CartClassifier, CartRegressor
from espalier.reliability import curves as recourse
from espalier.reliability import explanation_words, words
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import recourse_plane, story
from espalier.reliability.reliability import Unsettled, answered, ask
from tests.reliability.test_counterfactuals import APPLICANTS
from tests.tools import by_hand

IRIS = samples.load("iris")


@pytest.mark.parametrize("dark", [False, True])
def test_the_region_of_recourse_is_drawn_with_the_row_and_its_change_and_told(dark):
    model = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
    found = story(model, IRIS, IRIS.X[70])
    plane = recourse_plane(model, IRIS, found)
    assert plane is not None
    look = ExplanationInputs(found, IRIS, dark)
    picture = recourse.recourse_picture(look, plane)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert picture.count("<circle") == 2
    assert recourse.recourse_alt(look, plane) == (
        "What would be said over two columns; from petal width 1.8, petal length 4.8 to petal width 1.75, petal "
        "length 4.8."
    )


def test_rows_that_count_more_for_their_class_are_no_more_rows():
    costly = CartClassifier(max_depth=2, class_weight={0: 1.0, 1: 1.0, 2: 5.0}).fit(IRIS.X, IRIS.y)
    leaf = int(costly.apply(IRIS.X[-1:])[0])
    (why,) = explanation_words.why(story(costly, IRIS, IRIS.X[-1]), IRIS)
    assert costly.tree_.weight[leaf] > costly.tree_.n_samples[leaf]
    assert f"It learned from {costly.tree_.n_samples[leaf]} rows like this one" in why


def test_a_story_is_told_in_the_units_of_the_columns():
    features = [one._replace(name=f"{one.name} (points)", unit="points") for one in APPLICANTS.features]
    named = APPLICANTS._replace(features=tuple(features))
    tree = CartClassifier().fit(named.X, named.y)
    tree.tree_ = by_hand.admission()
    found = story(tree, named, np.array([3.5, 62.5]))
    assert explanation_words.why(found, named)[0].startswith("Because gpa > 3 points and toefl ≤ 64.5 points.")
    assert explanation_words.counterfactual_words(found, named).startswith(
        "If toefl > 64.5 points instead of 62.5 points (2 more, 4 % of its range), it would say b"
    )
    assert explanation_words.nearly(found, named)[1].startswith("It was close at toefl: 62.5 points, and the")


def test_predicted_numbers_have_the_unit_of_the_target():
    diabetes = samples.load("diabetes")
    named = diabetes._replace(target=diabetes.target._replace(name="progression (points)", unit="points"))
    found = story(CartRegressor(max_depth=3).fit(named.X, named.y), named, named.X[0])
    assert explanation_words.says(named, found.answers).endswith(" points")
    assert explanation_words.reasons(found, named)[-1].endswith(" points.")
    assert "(32.7 points)" in explanation_words.reasons(found, named)[0]
    again = np.array([[100.0], [110.0], [120.0]])
    assert "between 102 and 118 points" in explanation_words.refit_words(named, 0.0, again)
    assert (
        explanation_words.counterfactual_words(found, named)
        .split("it would say ")[1]
        .split(".")[0]
        .endswith(" points")
    )


def test_rows_that_are_not_settled_have_the_labels_of_the_table():
    iris = samples.load("iris")
    names = tuple(f"{1000 + row}" for row in range(len(iris.y)))
    data = iris._replace(roles=RowRoles(labels=RowLabels("customer", names)))
    models = ask(CartClassifier(max_depth=2), data, Folds(3))
    found = Unsettled(np.array([4, 7]), np.ones((2, 3), bool), 150, 0.0, 0.0, 0.0)
    table = words.unsettled_table(models, answered(models), found, 9)
    assert table["customer"].tolist() == [str(999 + row) for row in table["row"]]
