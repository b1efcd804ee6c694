"""Stories have units behind values, and the columns' names without them."""

import numpy as np

from espalier.analysis.reliability.explanation import story
from espalier.learners import CartClassifier
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
