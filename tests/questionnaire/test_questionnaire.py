"""Who answers truthfully ends where the tree sends them; questions, reasons, answers and the sheet of paper."""

from __future__ import annotations

import math
import re
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.dataset import Feature
from espalier.kernels.route import leaf_of
from espalier.predict import NO_PRIOR
from espalier.questionnaire import questionnaire, words
from espalier.questionnaire.figures import way_picture
from espalier.questionnaire.questionnaire import (
    Answer,
    Questionnaire,
    Reason,
    ahead,
    asks,
    could_end,
    is_unsure,
    mean_asked,
    outside,
    reasons,
    side_answer,
    unknown,
    value_of,
    walk,
)
from espalier.questionnaire.sheet import Heading, sheet
from espalier.tree.rules import Bound, admits, leaf_bounds, n_surrogates, question_at
from espalier.trees import LEAF, depths, is_leaf, make_tree
from tests.tools import random_trees
from tests.tools.by_hand import NAN, admission, colours
from tests.tools.cases import case

untimed = settings(deadline=None, max_examples=60)
GPA, TOEFL = 0, 1
APPLICANT = (Feature("gpa"), Feature("toefl"))
COLOURS = (Feature("colour", "category", ("red", "green", "blue", "grey")),)


def form_of(tree, features, missing=False):
    return Questionnaire(tree, features, np.full(len(features), missing))


def twice():
    """x at most 5, then at most 2 on the left and at most 8 on the right; of 8 samples more are on the right."""
    return make_tree(
        [0, 0, -1, -1, 0, -1, -1],
        [5, 2, NAN, NAN, 8, NAN, NAN],
        [1, 2, -1, -1, 5, -1, -1],
        [4, 3, -1, -1, 6, -1, -1],
        [0] * 7,
        [True, False, False, False, False, False, False],
        [8, 3, 1, 2, 5, 4, 1],
        [8, 3, 1, 2, 5, 4, 1],
        [[0.5, 0.5], [0.5, 0.5], [1, 0], [0, 1], [0.5, 0.5], [0.25, 0.75], [1, 0]],
        [0.5] * 7,
    )


@st.composite
def cases(draw):
    features = draw(random_trees.features())
    tree = draw(random_trees.any_trees(features, draw(random_trees.targets())))
    return form_of(tree, features, missing=True), draw(random_trees.samples(features, tree, n=4))


def interview(form, x, truth):
    """The walks of a person with the values x who answers every question by `truth(walk, x)`."""
    said, walks = [], [walk(form, [])]
    while form.tree.feature[walks[-1].node] != LEAF:
        feature = asked_at(form, walks[-1])
        said.append(unknown(feature) if np.isnan(x[feature]) else truth(walks[-1], x))
        walks.append(walk(form, said))
    return walks


def asked_at(form, walked):
    return asks(form, walked.node, True, walked.stand_in).feature


def is_among_those_seen(form, walked, x):
    """Whether the question knows the value: with surrogates, it may never have seen a category."""
    known = question_at(form.tree, walked.node, walked.stand_in).known
    return not n_surrogates(form.tree, walked.node) or bool(admits(known, x[[known.feature]])[0])


def by_side(form):
    def truth(walked, x):
        node, feature = walked.node, asked_at(form, walked)
        if not is_among_those_seen(form, walked, x):
            return questionnaire.value_answer(feature, float(x[feature]), form.features[feature])
        if walked.stand_in:
            left = bool(admits(asks(form, node, True, walked.stand_in), x[[feature]])[0])
            return side_answer(form, node, left, walked.stand_in)
        stump = leaf_of(_stump(form.tree, node), x[[feature]][None, :])[0]
        return side_answer(form, node, left=stump == 1)

    return truth


def _stump(tree, node):
    return make_tree(
        [0, -1, -1], [tree.threshold[node], NAN, NAN], [1, -1, -1], [2, -1, -1],
        [tree.categories[node], 0, 0], [tree.missing_left[node], False, False], [2, 1, 1], [2, 1, 1],
        [[0.5], [0], [1]], [0, 0, 0],
    )  # fmt: skip


def by_value(form):
    def truth(walked, x):
        feature = asked_at(form, walked)
        return questionnaire.value_answer(feature, float(x[feature]), form.features[feature])

    return truth


# Where answers lead ----------------------------------------------------------------------------------


@untimed
@given(cases())
def test_truthful_answers_end_in_the_leaf_that_the_tree_sends_the_values_to(case):
    form, X = case
    for x, leaf in zip(X, leaf_of(form.tree, X), strict=True):
        for how in (by_side, by_value):
            assert interview(form, x, how(form))[-1].node == leaf


@untimed
@given(cases(), st.data())
def test_there_are_never_more_questions_than_announced_nor_fewer_for_any_mix_of_answers_and_i_do_not_know(
    case, data
):
    form, X = case
    for x in X:
        truth = by_side(form)

        def mixed(walked, x, truth=truth):
            knows = data.draw(st.booleans(), label="whether it is known")
            knows = knows and is_among_those_seen(form, walked, x)
            return truth(walked, x) if knows else unknown(asked_at(form, walked))

        walks = interview(form, x, mixed)
        for left, walked in enumerate(reversed(walks)):
            least, most, leaves = ahead(form, walked.node, walked.known)
            assert least <= left <= most
            assert walks[-1].node in leaves


@untimed
@given(cases())
def test_where_there_are_too_many_ways_to_count_the_announced_questions_are_bounds_still(case):
    form, _ = case
    exact = ahead(form, 0, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questionnaire, "MOST_STATES", 1)
        rough = ahead(form, 0, {})
    assert rough[0] <= exact[0] <= exact[1] <= rough[1]
    assert set(exact[2]) <= set(rough[2])


def test_not_knowing_may_lead_where_no_value_does_and_then_the_answer_could_be_in_every_leaf():
    """x at most 5, then always at most 8 but where it is missing, and there y is asked."""
    tree = make_tree(
        [0, 0, -1, 1, -1, -1, -1], [5, 8, NAN, 0, NAN, NAN, NAN], [1, 2, -1, 4, -1, -1, -1],
        [6, 3, -1, 5, -1, -1, -1], [0] * 7, [True, False, False, False, False, False, False],
        [8, 4, 2, 2, 1, 1, 4], [8, 4, 2, 2, 1, 1, 4], [[0.5, 0.5]] * 7, [0.5] * 7,
    )  # fmt: skip
    form = form_of(tree, (Feature("x"), Feature("y")), missing=True)
    assert ahead(form, 0, {}) == (1, 2, (2, 4, 5, 6))
    form = form_of(twice(), (Feature("x"),))
    walked = walk(form, [unknown(0)])
    np.testing.assert_allclose(could_end(form, walked.known), [0, 0, 1 / 8, 2 / 8, 0, 4 / 8, 1 / 8])
    walked = walk(form, [side_answer(form, 0, left=True), unknown(0)])
    np.testing.assert_allclose(could_end(form, walked.known), [0, 0, 1 / 3, 2 / 3, 0, 0, 0])


def test_questions_ahead_are_counted_a_known_value_answers_later_ones_and_of_contradictions_the_later_counts():
    form = form_of(admission(), APPLICANT)
    assert ahead(form, 0, {})[:2] == (1, 2)
    assert ahead(form, 0, {})[2] == (1, 3, 4)
    walked = walk(form, [side_answer(form, 0, left=False)])
    assert walked.node == 2
    assert ahead(form, 2, walked.known) == (1, 1, (3, 4))
    form = form_of(twice(), (Feature("x"),))
    assert ahead(form, 0, {})[:2] == (1, 2)  # one for whoever does not know it
    for value, leaf in ((2.0, 2), (2.1, 3), (8.0, 5), (8.1, 6)):
        walked = walk(form, [questionnaire.value_answer(0, value, Feature("x"))])
        assert walked.node == leaf
        assert all(step.known for step in walked.steps)
    assert walk(form, [Answer(Bound(0, high=3, missing=False))]).node == 1
    assert walk(form, [Answer(Bound(0, low=8, missing=False))]).node == 6
    walked = walk(form, [Answer(Bound(0, high=6, missing=False))])
    assert walked.node == 0
    assert ahead(form, 0, walked.known) == (1, 2, (2, 3, 5))  # above 8 is no longer possible
    said = [Answer(Bound(0, high=1, missing=False)), Answer(Bound(0, low=9, missing=False))]
    assert walk(form, said).node == 6
    assert walk(form, said[::-1]).node == 2


# Not knowing -----------------------------------------------------------------------------------------


def test_who_does_not_know_goes_as_learned_or_with_the_most_and_who_knows_a_part_is_asked_no_more():
    learned, not_learned = (form_of(twice(), (Feature("x"),), missing) for missing in (True, False))
    went, guessed = (walk(form, [unknown(0)]) for form in (learned, not_learned))
    assert [step.left for step in went.steps] == [True, False]  # where missing values were sent
    assert went.node == 3
    assert [step.left for step in guessed.steps] == [False, True]  # 5 of 8 samples, then 4 of 5
    assert guessed.node == 5
    assert not any(step.known for step in [*went.steps, *guessed.steps])
    assert [step.learned for step in went.steps] == [True, True]
    assert [step.learned for step in guessed.steps] == [False, False]
    form = form_of(twice(), (Feature("x"),))
    walked = walk(form, [side_answer(form, 0, left=True), unknown(0)])
    assert [(step.node, step.left, step.known) for step in walked.steps] == [(0, True, True), (1, False, False)]


def test_reasons_are_one_interval_a_feature_and_tell_what_was_learned_from_what_was_assumed():
    form = Questionnaire(admission(), (Feature("gpa"), Feature("toefl")), np.array([True, False]))
    walked = walk(form, [unknown(0), unknown(1)])
    assert {r.bound.feature: (r.guessed, r.learned) for r in reasons(form, walked)} == {
        int(form.tree.feature[step.node]): (True, step.learned) for step in walked.steps
    }
    gpa = next(r for r in reasons(form, walked) if r.bound.feature == 0)
    assert gpa.learned
    assert not reasons(form, walk(form, [side_answer(form, 0, left=True), unknown(1)]))[0].learned
    form = form_of(twice(), (Feature("x"),))
    (reason,) = reasons(form, walk(form, [questionnaire.value_answer(0, 7.5, Feature("x"))]))
    assert (reason.bound.low, reason.bound.high, reason.guessed) == (5, 8, False)
    assert reason.answer is not None
    assert value_of(reason.answer) == 7.5
    (reason,) = reasons(form, walk(form, [unknown(0)]))
    assert reason.guessed


def beside():
    """x at most 5; in its place y at most 1, or z above 3; else to the right, where more samples are."""
    tree = make_tree(
        [0, -1, -1], [5, NAN, NAN], [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3,
        [10, 4, 6], [10, 4, 6], [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0],
        [[0, 2, 2, 2], [0] * 3, [1, 2], [1, 3], [0, 0], [0, 0], [False, True], [0.9, 0.8]],
    )  # fmt: skip
    return form_of(tree, (Feature("x"), Feature("y"), Feature("z")), missing=True)


def test_who_does_not_know_is_asked_the_surrogate_splits_the_best_one_first():
    form = beside()
    assert (walk(form, []).node, walk(form, []).stand_in) == (0, 0)
    first = walk(form, [unknown(0)])
    assert (first.node, first.stand_in, asked_at(form, first)) == (0, 1, 1)
    assert walk(form, [unknown(0), side_answer(form, 0, True, 1)]).node == 1
    assert walk(form, [unknown(0), side_answer(form, 0, False, 1)]).node == 2
    second = walk(form, [unknown(0), unknown(1)])
    assert (second.stand_in, asked_at(form, second)) == (2, 2)
    assert walk(form, [unknown(0), unknown(1), questionnaire.value_answer(2, 4.0, Feature("z"))]).node == 1
    last = walk(form, [unknown(0), unknown(1), unknown(2)])
    assert last.node == 2  # the larger side
    assert not last.steps[0].learned


def test_a_surrogate_that_an_earlier_answer_settles_is_not_asked_and_questions_ahead_count_surrogates():
    form = beside()
    walked = walk(form, [questionnaire.value_answer(1, 0.5, Feature("y")), unknown(0)])
    assert walked.node == 1
    assert walked.steps[0][1:] == (True, False, True, 1)  # left, not known, learned, by the first surrogate
    (reason,) = reasons(form, walked)
    assert not reason.guessed
    assert [(one.feature, one.high) for one in reason.stand_ins] == [(1, 1.0)]
    assert ahead(beside(), 0, {}) == (1, 3, (1, 2))
    assert ahead(beside(), 0, walk(beside(), [unknown(0), unknown(1)]).known) == (1, 1, (1, 2))


@untimed
@given(cases())
def test_all_people_end_in_some_leaf(case):
    form, X = case
    for walked in interview(form, X[0], by_side(form)):
        part = could_end(form, walked.known)
        assert part.sum() == pytest.approx(1)
        assert not part[~is_leaf(form.tree)].any()


def test_a_question_whether_something_is_known_takes_no_for_an_answer_and_categories_a_side_or_a_name():
    tree = colours()._replace(threshold=np.array([math.inf, NAN, NAN]), categories=np.zeros(3, np.uint64))
    form = form_of(tree._replace(missing_left=np.zeros(3, bool)), (Feature("x"),), missing=True)
    assert side_answer(form, 0, left=False) == unknown(0)
    assert walk(form, [side_answer(form, 0, left=True)]).node == 1
    assert walk(form, [side_answer(form, 0, left=False)]).node == 2
    form = form_of(colours(), COLOURS, missing=True)
    assert side_answer(form, 0, left=True).bound.categories == 0b0101
    assert side_answer(form, 0, left=False).bound.categories == 0b1010
    for code, leaf in ((0, 1), (1, 2), (2, 1), (3, 2)):
        answer = questionnaire.value_answer(0, code, COLOURS[0])
        assert value_of(answer) == code
        assert walk(form, [answer]).node == leaf
    assert walk(form, [unknown(0)]).node == 1


# Reasons and doubts ----------------------------------------------------------------------------------


@untimed
@given(cases())
def test_reasons_are_the_bounds_of_the_leaf(case):
    form, X = case
    expected = dict(leaf_bounds(form.tree))
    walked = interview(form, X[0], by_side(form))[-1]
    assert [reason.bound for reason in reasons(form, walked)] == expected[walked.node]


def test_values_beyond_all_rows_are_found_answers_may_be_unsure_and_fewer_questions_are_asked_if_allowed():
    X = np.array([[1.0, 4.0], [3.0, NAN]])
    known = {f: questionnaire.value_answer(f, v, APPLICANT[f]) for f, v in ((GPA, 3.0), (TOEFL, 4.5))}
    assert outside(known, X) == [TOEFL]
    assert outside({GPA: unknown(GPA), TOEFL: Answer(Bound(TOEFL, low=9, missing=False))}, X) == []
    assert is_unsure(np.array([0.6, 0.4]), 2 / 3)
    assert not is_unsure(np.array([0.7, 0.3]), 2 / 3)
    tree = admission()
    leaves = np.array([1, 3, 4, 4])
    np.testing.assert_allclose(mean_asked(tree, leaves), [0, 1, (1 + 2 + 2 + 2) / 4])
    assert len(mean_asked(tree, leaves)) == depths(tree).max() + 1


LENGTH = Feature("petal length (cm)")
PAIN = Feature("pain", "ordered", ("none", "mild", "moderate", "severe"))
SMOKER = Feature("smoker", "yes/no", ("no", "yes"))
COLOUR = Feature("colour", "category", ("red", "green", "blue", "grey", "white"))
SEX = Feature("sex", "category", ("1", "2"))
DECISION = Feature("decision", "category", ("reject", "accept"))
HEADING = Heading("Questionnaire: decision", ("Asks what the tree asks.",), "how often", 2 / 3)


def stump(feature, threshold=NAN, categories=0, missing=False):
    tree = make_tree(
        [0, -1, -1], [threshold, NAN, NAN], [1, -1, -1], [2, -1, -1], [categories, 0, 0], [False] * 3,
        [10, 4, 6], [10, 4, 6], [[0.5, 0.5], [1, 0], [0.4, 0.6]], [0.5, 0, 0.48],
    )  # fmt: skip
    return Questionnaire(tree, (feature,), np.array([missing]))


# Questions -------------------------------------------------------------------------------------------


def test_a_split_is_asked_in_words():
    pain = [("none or mild", True, "1"), ("moderate or severe", False, "2")]
    left, right = ([("Yes", side, "Y"), ("No", not side, "N")] for side in (True, False))
    for form, text, choices in [
        (stump(LENGTH, 2.45), "Is petal length at most 2.45 cm?", left),
        (stump(PAIN, 1.5), "pain: which of these?", pain),
        (stump(SMOKER, 0.5), "smoker: yes or no?", right),
        (stump(COLOUR, categories=0b11), "Is colour one of these: red, green?", left),
        (stump(COLOUR, categories=0b11110), "Is colour red?", right),
        (stump(SEX, categories=0b10), "sex: which of these?", [("1", False, "1"), ("2", True, "2")]),
        (stump(LENGTH, np.inf), "Do you know petal length?", left),
    ]:
        with case((form, text, choices)):
            found = words.question(form, 0)
            assert found.text == text
            assert list(found.choices) == choices


def test_a_cut_has_as_many_decimals_as_the_values_beside_it_and_every_row_goes_as_the_question_says():
    X = np.array([[0.1342], [0.1348], [0.1351], [0.08312], [2.0]])
    form = questionnaire.make_questionnaire(stump(Feature("points"), 0.13495).tree, [Feature("points")], X)
    assert words.question(form, 0).text == "Is points at most 0.1349?"
    for value, limit in ((0.1342, 0.1349), (0.13492, 0.13495)):
        answer = questionnaire.value_answer(0, value, form.features[0])
        text = words.because(Reason(questionnaire.asks(form, 0, True), answer, False), form.features)
        assert text == f"points is {value}, which is at most {limit}"
    picture = way_picture(form, questionnaire.walk(form, [answer]), DECISION)
    svg = picture.draw(False)
    assert (picture.alt, svg.count("<rect")) == ("1 of 2 endings are left.", 3 + 2)
    assert all(f">{name}<" in svg for name in DECISION.categories), "a key says what the colours are"


def test_categories_that_were_ruled_out_are_not_asked_about_and_names_are_marked_as_the_page_wants():
    form = stump(COLOUR, categories=0b00111)
    known = Bound(0, categories=0b11100, missing=False)
    assert words.question(form, 0, known).text == "Is colour blue?"
    assert words.question(stump(COLOUR, categories=1), 0, mark=str.upper).text == "Is COLOUR RED?"


# What was said, and why ------------------------------------------------------------------------------


def test_what_was_said_is_told_back():
    told = [
        Answer(Bound(0, 2.45, 4.8, missing=False)),
        questionnaire.value_answer(0, 4.75, LENGTH),
        unknown(0),
        Answer(Bound(0, high=2.0, missing=False), unknown=True),
    ]
    assert [words.answer_words(answer, (LENGTH,)) for answer in told] == [
        "petal length is above 2.45 and at most 4.8 cm",
        "petal length is 4.75 cm",
        "petal length is not known",
        "petal length is at most 2 cm, no more is known",
    ]
    assert words.answer_words(questionnaire.value_answer(0, 2, COLOUR), (COLOUR,)) == "colour is blue"
    assert words.within(Bound(0, categories=0b11), COLOUR) == "red or green"
    assert words.value_words(COLOUR, NAN) == "not known"


def test_a_reason_names_the_interval_the_value_and_what_was_taken_for_granted():
    bound = Bound(0, 54, 61)
    age = (Feature("age"),)
    assert words.because(Reason(bound, None, False), age) == "age is above 54 and at most 61"
    value = questionnaire.value_answer(0, 57, age[0])
    assert words.because(Reason(bound, value, False), age) == "age is 57, which is above 54 and at most 61"
    taken = words.because(Reason(bound, unknown(0), True), age)
    assert taken == "age is not known; assumed: above 54 and at most 61"
    learned = words.because(Reason(bound, unknown(0), True, True), age)
    assert learned == "age is not known; learned from missing values: above 54 and at most 61"
    partly = Reason(bound, Answer(Bound(0, high=70, missing=False), unknown=True), True)
    told = "age is at most 70, no more is known; assumed: above 54 and at most 61"
    assert words.because(partly, age) == told


def test_a_share_is_told_in_tens():
    texts = {
        1: "in every case", 0.999: "more than 99 in 100", 0.97: "97 in 100", 0.9: "9 in 10", 0.87: "about 9 in 10",
        0.06: "about 1 in 10", 0.03: "3 in 100", 0.001: "less than 1 in 100", 0: "never",
    }  # fmt: skip
    for share, text in texts.items():
        with case((share, text)):
            assert words.odds(share) == text


def test_questions_left_answers_sure_or_not_the_rows_behind_them_and_numbers_of_a_leaf_are_told():
    assert words.left_to_ask(1, 1) == "the last question"
    assert words.left_to_ask(2, 2) == "2 questions left"
    assert words.left_to_ask(1, 4) == "1 to 4 questions left"
    sure, unsure = np.array([0.1, 0.9]), np.array([0.4, 0.6])
    who = "The model would say"
    assert words.verdict(sure, DECISION, 2 / 3, who) == "The model would say accept (9 in 10)"
    assert words.verdict(unsure, DECISION, 2 / 3, who).startswith("Not sure")
    assert words.likeliest_classes(unsure, DECISION) == "accept (6 in 10) or reject (4 in 10)"
    assert words.verdict(np.array([151.2]), Feature("progression"), 0.9, who) == "The model would say about 151"
    assert words.rows_behind_words(200) == "200 rows of the table led here."
    assert words.rows_behind_words(1) == "1 row of the table led here. Take the answer with care."
    value, y = np.array([0.2, 0.8]), np.array([1, 1, 0])
    told = "Of rows kept for testing, 2 of 3 that end here are accept."
    assert words.held_out_words(value, y, DECISION) == told
    beside = words.held_out_words(value, y, DECISION, y_all=np.array([1, 0, 0, 0]))
    assert beside.endswith("are accept (of all: 25 %).")
    numbers = words.held_out_words(np.array([10.0]), np.array([8.0, 13.0]), Feature("y"))
    assert "2.5 off on average" in numbers
    text = words.range_words(np.arange(101.0), Feature("y"))
    assert text == "Nine in ten of these rows: 5 to 95."


# Answers ---------------------------------------------------------------------------------------------


def test_what_the_full_model_says_of_made_up_cases_and_what_else_an_answer_could_be_are_told():
    outputs = np.repeat([[0.1, 0.9], [0.7, 0.3]], [190, 10], axis=0)
    text = words.full_model_words(outputs, NO_PRIOR, np.array([0.1, 0.9]), DECISION, "the network")
    assert text == "Of 200 made-up cases that end here, the network takes 95 % for accept."
    text = words.full_model_words(np.array([[1.0], [2.0]]), NO_PRIOR, np.array([1.4]), Feature("y"), "it")
    assert text == "Of 2 made-up cases that end here, it says 1.5 on average."
    form = Questionnaire(admission(), (Feature("gpa"), Feature("toefl")), np.zeros(2, bool))
    known = walk(form, [unknown(0), unknown(1)]).known
    assert words.could_be(could_end(form, known), form, DECISION) == "reject (6 in 10) or accept (4 in 10)"
    rejected = walk(form, [side_answer(form, 0, left=True), unknown(1)]).known
    assert words.could_be(could_end(form, rejected), form, DECISION) == "reject (in every case)"
    assert [words.is_settled(could_end(form, at), form, DECISION) for at in (known, rejected)] == [False, True]


# On paper --------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Opened and closed tags, to see whether they match, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(document):
    found = Tags()
    found.feed(document)
    assert not found.open
    return found


def test_the_sheet_numbers_the_questions_and_says_where_to_go():
    form = Questionnaire(admission(), (Feature("gpa"), Feature("toefl")), np.array([False, True]))
    text = re.sub(r"\s+", " ", " ".join(read(sheet(form, DECISION, HEADING)).text))
    first, second = text.index("Is gpa at most 3?"), text.index("Is toefl at most 64.5?")
    assert "Begin with question 1, tick" in text[:first]
    assert "No → go to 2" in text[first:second]
    assert "Yes → reject (4 of 4)" in text[first:second]
    assert "No → accept (4 of 4)" in text[second:]
    assert "as the model has learned" in text[second:]
    assert "the answer is less sure" in text[first:second]


def test_an_unsure_answer_is_not_given_on_paper_either_and_a_tree_without_questions_gives_its_own():
    text = " ".join(read(sheet(stump(LENGTH, 2.45), DECISION, HEADING)).text)
    assert "not sure" in text
    assert "accept (60 % (6 rows))" in text  # whose shares are no numbers of rows
    root = make_tree([-1], [NAN], [-1], [-1], [0], [False], [5], [5], [[0.0, 1.0]], [0.0])
    form = Questionnaire(root, (LENGTH,), np.array([False]))
    assert "accept" in " ".join(read(sheet(form, DECISION, HEADING)).text)


NASTY = '<img src=x onerror="alert(1)">&'


def test_names_from_the_data_never_become_part_of_the_sheet_and_only_the_look_at_it_has_a_button():
    features = (Feature(NASTY), Feature(NASTY))
    target = Feature(NASTY, "category", (NASTY, "b"))
    form = Questionnaire(admission(), features, np.zeros(2, bool))
    document = sheet(form, target, Heading(NASTY, (NASTY,), NASTY, 0.5))
    assert NASTY not in document
    assert escape(NASTY) in document
    assert not [tag for tag, _ in read(document).tags if tag == "img"]
    form = stump(LENGTH, 2.45)
    buttons = [
        sum(tag == "button" for tag, _ in read(sheet(form, DECISION, HEADING, button)).tags)
        for button in (True, False)
    ]
    assert buttons == [1, 0]


@settings(deadline=None, max_examples=25)
@given(random_trees.features().flatmap(lambda f: random_trees.targets().flatmap(
    lambda t: random_trees.trees(f, t).map(lambda tree: (f, t, tree)))))  # fmt: skip
def test_every_question_of_any_tree_is_on_the_sheet_once(case):
    features, target, tree = case
    form = Questionnaire(tree, features, np.ones(len(features), bool))
    ids = [a["id"] for tag, a in read(sheet(form, target, HEADING)).tags if tag == "li"]
    assert ids == [f"q{n + 1}" for n in range(np.count_nonzero(tree.feature != LEAF))]


def test_a_sheet_asks_the_surrogate_question_where_the_value_is_not_known():
    tree = make_tree(
        [0, -1, -1], [2.45, NAN, NAN], [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3,
        [10, 4, 6], [10, 4, 6], [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0],
        [[0, 2, 2, 2], [0] * 3, [1, 2], [NAN, 0.8], [0b01, 0], [0b11, 0], [False, True], [0.9, 0.8]],
    )  # fmt: skip
    form = Questionnaire(tree, (LENGTH, SMOKER, Feature("width")), np.array([True] * 3))
    text = re.sub(r"\s+", " ", " ".join(read(sheet(form, DECISION, HEADING)).text))
    assert (
        "Not known? Ask instead: smoker: yes or no? Yes: as with “No”. No: as with “Yes”. "
        "Not known either? Ask instead: Is width at most 0.8? Yes: as with “No”. No: as with “Yes”. "
        "Not known either: go on as with “No” (most do; the answer is less sure)."
    ) in text
