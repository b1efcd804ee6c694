"""Stories have units behind values, and the columns' names without them."""

import numpy as np

from espalier.analysis.reliability.explanation import story
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor
from espalier.views.reliability import change_words, explanation_words
from tests.analysis.reliability.test_counterfactuals import APPLICANTS
from tests.tools import by_hand


def test_a_story_is_told_in_the_units_of_the_columns():
    features = [one._replace(name=f"{one.name} (points)", unit="points") for one in APPLICANTS.features]
    named = APPLICANTS._replace(features=tuple(features))
    tree = CartClassifier().fit(named.X, named.y)
    tree.tree_ = by_hand.admission()
    found = story(tree, named, np.array([3.5, 62.5]))
    assert explanation_words.why(found, named)[0].startswith("Because gpa > 3 points and toefl ≤ 64.5 points.")
    assert change_words.counterfactual_words(found, named).startswith(
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
        change_words.counterfactual_words(found, named).split("it would say ")[1].split(".")[0].endswith(" points")
    )
