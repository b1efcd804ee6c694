"""Units stand in brackets in a column's name, and in sentences behind its values."""

import math

import numpy as np
import pytest

from espalier.analysis.tree.rules import Bound
from espalier.data.dataset import Feature
from espalier.data.moments import Moment
from espalier.views.boundaries.surface import named_value
from espalier.views.text.trees import in_units, phrase, rule
from espalier.views.text.units import parted
from tests.tools import by_hand
from tests.tools.cases import case

CHOLESTEROL = Feature("cholesterol (mg/dl)", unit="mg/dl")
AGE = Feature("age (years)", is_whole=True)
SMOKER = Feature("smoker (d)", "category", ("no", "yes"))


@pytest.mark.parametrize(
    ("name", "unit"),
    [("age (years)", "years"), ("mass [kg]", "kg"), ("flow (l/min)", "l/min"), ("x (2)", ""), ("(cm)", "")],
)
def test_a_unit_is_read_from_the_end_of_a_name(name, unit):
    found = parted(Feature(name))
    assert found[1] == unit
    assert found[0] == (name if not unit else name.rpartition(" ")[0])


def test_a_category_has_no_unit():
    assert parted(SMOKER) == ("smoker (d)", "")


def test_a_value_stands_with_its_unit_and_a_missing_one_without():
    assert named_value(CHOLESTEROL, 200.6) == "cholesterol 200.6 mg/dl"
    assert named_value(CHOLESTEROL, math.nan) == "cholesterol missing"
    assert named_value(SMOKER, 1.0) == "smoker (d) yes"
    date = Feature("sent", moment=Moment("sent", "date"))
    assert named_value(date, 18717.0) == "sent 2021-03-31"


def test_conditions_have_the_unit_behind_the_number():
    for bound, words in [
        (Bound(0, high=213.25), "cholesterol ≤ 213.25 mg/dl"),
        (Bound(0, low=180.0), "cholesterol > 180 mg/dl"),
        (Bound(0, low=180.0, high=213.25), "180 < cholesterol ≤ 213.25 mg/dl"),
        (Bound(0, high=213.25, missing=True), "cholesterol ≤ 213.25 mg/dl or missing"),
        (Bound(1, high=47.5), "age is at most 47 years"),
        (Bound(1, low=47.5), "age is 48 years or more"),
        (Bound(1, low=47.5, high=53.5), "age is from 48 to 53 years"),
        (Bound(2, categories=2), "smoker (d) is yes"),
        (Bound(0, missing=False), "cholesterol (mg/dl) is known"),
    ]:
        with case((bound, words)):
            features = [CHOLESTEROL, AGE, SMOKER]
            assert (
                in_units(bound._replace(missing=bound.missing and "missing" in words), features, np.ones(3, bool))
                == words
            )


def test_a_rule_is_in_units_for_people_and_by_the_whole_name_for_files():
    features = [Feature("gpa"), Feature("toefl (points)", unit="points")]
    leaf = int(np.flatnonzero(by_hand.admission().feature < 0)[-1])
    assert any(words.endswith(" points") for words in rule(by_hand.admission(), features, leaf))
    assert any("toefl (points)" in words for words in rule(by_hand.admission(), features, leaf, exact=True))
    assert phrase(Bound(1, high=64.5, missing=False), features) == "toefl (points) ≤ 64.5"
