"""A person who answers truthfully ends where the tree sends them, however they answer; and what lies ahead."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.dataset import Feature
from espalier.kernels.route import leaf_of
from espalier.questionnaire import questionnaire
from espalier.questionnaire.questionnaire import (
    Answer,
    Questionnaire,
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
from espalier.tree.rules import Bound, admits, leaf_bounds, n_surrogates, question_at
from espalier.trees import LEAF, depths, is_leaf, make_tree
from tests.tools import random_trees
from tests.tools.by_hand import NAN, admission, colours

untimed = settings(deadline=None, max_examples=60)
GPA, TOEFL = 0, 1
APPLICANT = (Feature("gpa"), Feature("toefl"))
COLOUR = (Feature("colour", "category", ("red", "green", "blue", "grey")),)


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
    form = form_of(colours(), COLOUR, missing=True)
    assert side_answer(form, 0, left=True).bound.categories == 0b0101
    assert side_answer(form, 0, left=False).bound.categories == 0b1010
    for code, leaf in ((0, 1), (1, 2), (2, 1), (3, 2)):
        answer = questionnaire.value_answer(0, code, COLOUR[0])
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
