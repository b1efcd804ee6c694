"""Whole numbers, thresholds and units in words, alike wherever people read them."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.dataset import Feature, make_dataset
from espalier.data.options import Moment
from espalier.display.cultivated import cuts_words, decision_words, module_words
from espalier.display.text.trees import condition, curve_condition, phrase, phrase_with_unit, rule
from espalier.display.text.values import cut_words, named_value, side_words, split_unit, whole_range
from espalier.display.tree import impurity_curve
from espalier.display.tree.cards import cards
from espalier.export.python import to_python
from espalier.export.rules import to_rules
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.questionnaire.questionnaire import Questionnaire
from espalier.questionnaire.words import question, within
from espalier.reliability.words import close_call
from espalier.tree.nodes import ImpurityCurve, impurity_curves
from espalier.tree.rules import ALL, Bound, admits
from tests.tools import by_hand
from tests.tools.cases import case

AGE = Feature("age", is_whole=True)
HEIGHT = Feature("height (cm)", is_whole=True)
RISK = Feature("risk", "category", ("no", "yes"))


def test_a_bound_on_whole_numbers_is_told_by_whole_numbers():
    for bound, expected in [
        (Bound(0, high=2.5), "age is at most 2"),
        (Bound(0, high=2.0), "age is at most 2"),  # a threshold on a value: that value goes left
        (Bound(0, low=2.5), "age is 3 or more"),
        (Bound(0, low=2.0), "age is 3 or more"),
        (Bound(0, low=2.5, high=5.5), "age is from 3 to 5"),
        (Bound(0, low=2.5, high=3.5), "age is 3"),
        (Bound(0, high=-2.5), "age is at most −3"),
        (Bound(0, low=-0.5), "age is 0 or more"),
        (Bound(0, high=8150.5), "age is at most 8150"),
        (Bound(0, low=1234567.5), "age is 1,234,568 or more"),
        (Bound(0, low=2.2, high=2.7), "2.2 < age ≤ 2.7"),  # no whole number is there
        (Bound(0, high=math.inf, missing=False), "age is known"),
        (Bound(0, low=math.inf), "age is missing"),
        (Bound(0), "age is anything"),
    ]:
        with case((bound, expected)):
            assert phrase(bound, [AGE]) == expected


def test_a_missing_value_is_named_beside_them():
    assert phrase(Bound(0, high=2.5), [AGE], np.array([True])) == "age is at most 2 or missing"


@given(st.integers(-50, 50), st.integers(0, 9), st.integers(0, 9), st.integers(-60, 60))
def test_the_words_admit_a_whole_number_exactly_where_the_bound_does(low, wide, tenth, value):
    bound = Bound(0, low + tenth / 10, low + wide + 0.5)
    words = whole_range(AGE, bound.low, bound.high).replace("−", "-")
    ends = [int(text) for text in re.findall(r"-?\d+", words)] or [1, 0]
    assert (ends[0] <= value <= ends[-1]) == bool(admits(bound, np.array([float(value)]))[0])


@given(st.integers(-(10**15), 10**15 - 1))
@example(-(10**15))
def test_words_part_great_whole_numbers_and_dates_as_numbers_where_the_threshold_does(n):
    ends = [whole_range(AGE, -math.inf, n + 0.5), whole_range(AGE, n + 0.5, math.inf)]
    written = [(text, whole) for text, whole in zip(ends, (n, n + 1), strict=True) if "·" not in text]
    assert all(int(re.sub(r"[^\d−]", "", text).replace("−", "-")) == whole for text, whole in written)
    assert len(written) == 2 or abs(n) >= 10**15 - 1


def test_a_unit_follows_the_number_and_a_cut_stands_between_two_whole_ones():
    assert within(Bound(0, high=37.5), HEIGHT) == "at most 37 cm"
    assert within(Bound(0, low=37.5), HEIGHT) == "38 cm or more"
    assert within(Bound(0, low=37.5, high=54.5), HEIGHT) == "from 38 to 54 cm"
    assert cut_words(AGE, 2.5) == cut_words(AGE, 2.0) == "between 2 and 3"
    assert cut_words(Feature("x"), 2.5) == "2.5"
    assert (side_words(AGE, 2.5, True), side_words(AGE, 2.5, False)) == ("2", "3")


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    late, size = rng.integers(0, 7, 200), rng.normal(size=200)
    risk = np.where((late > 2) ^ (rng.random(200) < 0.1), "yes", "no")
    return pd.DataFrame({"late": late.astype(float), "size": size, "risk": risk})


def plans() -> list[ColumnPlan]:
    return [ColumnPlan("late", "number"), ColumnPlan("size", "number"), ColumnPlan("risk", "yes/no")]


def table():
    return to_dataset(frame(), plans(), "risk", "table")[0]


def test_columns_and_targets_of_whole_numbers_are_known_as_such_also_with_gaps_and_in_the_samples():
    data = table()
    assert [feature.is_whole for feature in data.features] == [True, False]
    gaps = frame()
    gaps.loc[3, "late"] = np.nan
    assert to_dataset(gaps, plans(), "risk", "table")[0].features[0].is_whole
    gaps.loc[4, "late"] = 2.5
    assert not to_dataset(gaps, plans(), "risk", "table")[0].features[0].is_whole
    plan = [ColumnPlan("size", "number"), ColumnPlan("late", "number")]
    assert to_dataset(frame(), plan, TargetPlan("late", "regression"), "table")[0].target.is_whole
    whole = {feature.name for feature in samples.load("diabetes").features if feature.is_whole}
    assert "age" in whole
    assert "bmi" not in whole
    assert not any(feature.is_whole for feature in samples.load("tic-tac-toe").features)


def grown():
    data = table()
    tree = CartClassifier(max_depth=3).fit(data.X, data.y).tree_
    return data, tree, int(np.flatnonzero(tree.feature == 0)[0])


HALF = re.compile(r"\d[.,]5\b")


def test_no_question_rule_card_or_reason_has_half_a_number():
    data, tree, node = grown()
    leaf = int(np.flatnonzero(tree.feature < 0)[0])
    row = next(card for card in cards(tree, data, np.arange(200))["nodes"] if card["id"] == node)
    form = Questionnaire(tree, data.features, np.zeros(2, bool))
    told = [
        condition(tree, data.features, node), condition(tree, data.features, node, left=False),
        *[text for text in rule(tree, data.features, leaf, exact=True) if text.startswith("late")],
        row["test"], question(form, node).text,
    ]  # fmt: skip
    assert told[0] == "late is at most 2"
    assert told[1] == "late is 3 or more"
    assert row["test"] == " ≤ 2"  # as in tables and over curves: little room
    assert row["t"] == 2.5
    assert question(form, node).text == "Is late at most 2?"
    assert not any(HALF.search(text) for text in told)


def test_rules_say_which_columns_hold_whole_numbers_if_any_and_programs_keep_the_threshold():
    data, tree, _ = grown()
    rules = to_rules(tree, data.features, data.target)
    assert re.search("late is (3 or more|from 3 to)", rules)
    assert "(Whole numbers only: late." in rules
    assert "2.5" in to_python(tree, data.features, data.target)
    data = samples.load("iris")
    tree = CartClassifier(max_depth=2).fit(data.X, data.y).tree_
    assert "Whole numbers" not in to_rules(tree, data.features, data.target)


def test_a_value_close_to_a_cut_names_both_sides_of_it_and_a_decision_that_hesitates_its_own():
    late = np.repeat(np.arange(0.0, 41.0), 5)
    data = make_dataset("late", late[:, None], [AGE], late > 20, RISK)
    tree = CartClassifier(max_depth=1).fit(data.X, data.y).tree_
    assert close_call(tree, data, np.array([21.0])) == "; age 21 is close to the cut between 20 and 21"
    data = table()
    tree = CultivatedClassifier(options=False).fit(data.X, data.y).tree_
    d = int(np.flatnonzero(tree.decisions.feature == 0)[0])
    assert decision_words(tree, data.features, d) == "late ≲ 2"
    assert decision_words(tree, data.features, d, left=False) == "late ≳ 3"
    assert re.fullmatch(r"cuts between \d and \d", cuts_words(tree, data.features, d))
    sharp = CultivatedClassifier(robust_splits=False, options=False).fit(data.X, data.y).tree_
    assert module_words(sharp, data.features, 0)[0] in ("late ≤ 2", "late ≥ 3")


def test_a_cut_of_the_impurity_curve_is_told_by_whole_numbers():
    data = table()
    none = np.empty(0, dtype=np.int64)
    found = ImpurityCurve(0, np.array([2.5]), np.array([0.2]), np.array([90.0]), np.zeros(1, bool), none, 0.5, 200)
    look = impurity_curve.curve_inputs(data, np.arange(200), None, found, 2.5)
    assert curve_condition(look.curve, look.feature, 2.5) == "late ≤ 2"
    assert impurity_curve.card(look, "gini")["said"] == ["2"]
    assert impurity_curve.card(look, "gini")["whole"]


def test_the_categories_of_a_bound_are_left_to_other_words():
    assert phrase(Bound(0, categories=ALL & ~1), [Feature("x", "category", ("a", "b"))]) == "x is b"


NUMBER = Feature("x")
BINARY = Feature("y", "category", ("a", "b"))


def halves(values, feature=NUMBER):
    """The first half of the values is of one class, the second of the other."""
    y = np.arange(len(values)) >= len(values) / 2
    return make_dataset("one", np.array(values)[:, None], [feature], y, BINARY)


@pytest.mark.parametrize(
    ("values", "feature", "expected"),
    [
        ([175.5, 175.6, 175.7, 175.8], Feature("x"), "175.65"),  # a computer keeps 175.64999999999998
        ([168.0, 168.1, 168.2, 168.3], Feature("x"), "168.15"),
        ([98.0, 99.0, 100.0, 101.0], Feature("x", is_whole=True), "99"),
    ],
)
def test_the_card_the_curve_and_the_table_write_one_threshold_alike(values, feature, expected):
    data, rows = halves(values, feature), np.arange(len(values))
    tree = CartClassifier().fit(data.X, data.y).tree_
    (found,) = impurity_curves(data, rows, None, "gini")
    look = impurity_curve.curve_inputs(data, rows, None, found, float(tree.threshold[0]))
    drawn = impurity_curve.card(look, "gini")
    assert cards(tree, data, rows)["nodes"][0]["test"] == f" ≤ {expected}"
    assert drawn["said"][drawn["best"]] == expected
    assert curve_condition(look.curve, look.feature, float(tree.threshold[0])) == f"x ≤ {expected}"


def test_rules_leave_out_the_tail_of_a_float_and_programs_keep_it():
    data = halves([175.5, 175.6, 175.7, 175.8])
    tree = CartClassifier().fit(data.X, data.y).tree_
    assert "if x ≤ 175.65\n" in to_rules(tree, data.features, data.target)
    assert repr(float(tree.threshold[0])) in to_python(tree, data.features, data.target)


def test_rules_say_what_part_of_the_rows_a_leaf_has_and_of_the_weight_only_where_rows_weigh():
    data = samples.load("iris")
    plain, weighted = (
        to_rules(
            CartClassifier(max_depth=1, class_weight=weight).fit(data.X, data.y).tree_, data.features, data.target
        )
        for weight in (None, {0: 2, 1: 1, 2: 1})
    )
    assert "(n = 50, 33.3 % of the rows)" in plain
    assert "(n = 50, 50 % of the weight)" in weighted


CHOLESTEROL = Feature("cholesterol (mg/dl)", unit="mg/dl")
AGE_IN_YEARS = Feature("age (years)", is_whole=True)
SMOKER = Feature("smoker (d)", "category", ("no", "yes"))


@pytest.mark.parametrize(
    ("name", "unit"),
    [("age (years)", "years"), ("mass [kg]", "kg"), ("flow (l/min)", "l/min"), ("x (2)", ""), ("(cm)", "")],
)
def test_a_unit_is_read_from_the_end_of_a_name(name, unit):
    found = split_unit(Feature(name))
    assert found[1] == unit
    assert found[0] == (name if not unit else name.rpartition(" ")[0])


def test_a_value_stands_with_its_unit_and_a_missing_one_or_a_category_without():
    assert split_unit(SMOKER) == ("smoker (d)", "")
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
            features = [CHOLESTEROL, AGE_IN_YEARS, SMOKER]
            assert (
                phrase_with_unit(
                    bound._replace(missing=bound.missing and "missing" in words), features, np.ones(3, bool)
                )
                == words
            )


def test_a_rule_is_in_units_for_people_and_by_the_whole_name_for_files():
    features = [Feature("gpa"), Feature("toefl (points)", unit="points")]
    leaf = int(np.flatnonzero(by_hand.admission().feature < 0)[-1])
    assert any(words.endswith(" points") for words in rule(by_hand.admission(), features, leaf))
    assert any("toefl (points)" in words for words in rule(by_hand.admission(), features, leaf, exact=True))
    assert phrase(Bound(1, high=64.5, missing=False), features) == "toefl (points) ≤ 64.5"
