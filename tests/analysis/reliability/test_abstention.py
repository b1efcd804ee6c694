"""Thresholds for goals: by hand, against trying them all, and judged on folds that did not choose them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.reliability.abstention import ANSWER, COST, RISK, Goal, choose, operate
from espalier.analysis.reliability.reliability import curve
from espalier.data.rows.folds import Folds
from tests.analysis.reliability.test_reliability import answers
from tests.tools.cases import case

DOUBT = np.array([0.1, 0.2, 0.2, 0.4, 0.5])
LOSS = np.array([0.0, 0.0, 1.0, 0.0, 1.0])


def test_the_threshold_of_a_goal_by_hand():
    for goal, threshold in [
        (Goal(ANSWER, 0.2), 0.1),
        (Goal(ANSWER, 0.4), 0.2),  # one of two rows that are doubted alike is not answered without the other
        (Goal(ANSWER, 0.6), 0.2),
        (Goal(ANSWER, 0.8), 0.4),
        (Goal(ANSWER, 1.0), np.inf),
        (Goal(ANSWER, 0.0), -np.inf),
        (Goal(RISK, 0.0), 0.1),
        (Goal(RISK, 0.25), 0.4),
        (Goal(RISK, 0.4), np.inf),
        (Goal(COST, wrong=1, asking=0.1), 0.1),  # 4 asked: 0.4; up to 0.2: 1.2; up to 0.4: 1.1; all: 2
        (Goal(COST, wrong=1, asking=0.6), 0.4),  # 2.4, 2.2, 1.6, 2; nobody answered: 3
        (Goal(COST, wrong=1, asking=5), np.inf),
        (Goal(COST, wrong=1, asking=0), 0.1),  # asking is free, and so is the one right answer
    ]:
        with case((goal, threshold)):
            assert choose(DOUBT, LOSS, goal) == threshold


def test_where_even_the_surest_answer_is_wrong_none_is_given():
    assert choose(np.array([0.1, 0.2]), np.array([1.0, 1.0]), Goal(RISK, 0.1)) == -np.inf


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_no_other_threshold_costs_less_or_answers_more_at_that_cost(rows, wrong, asking):
    doubt, loss = np.array(rows, float).T
    costs = {
        t: float(np.where(doubt <= t, wrong * loss, asking).sum()) for t in [-np.inf, *np.unique(doubt).tolist()]
    }
    found = choose(doubt, loss, Goal(COST, wrong=wrong, asking=asking))
    best = max(t for t, cost in costs.items() if cost == min(costs.values()))
    assert found == (np.inf if best == doubt.max() else best)


def test_each_fold_is_judged_at_the_threshold_that_the_others_choose():
    found = answers([0.1, 0.9, 0.2, 0.8, 0.3, 0.4], [0, 1, 0, 1, 1, 0], fold=[0, 0, 1, 1, 2, 2])
    point = operate(found, Goal(RISK, 0.0), Folds(3))
    expected = []
    for fold in range(3):
        others = found.fold != fold
        expected.append(choose(found.doubt[others], found.loss[others], Goal(RISK, 0.0)))
    assert point.thresholds.tolist() == expected == [0.2, 0.1, 0.2]
    # Fold 0 answers 0.1; fold 1 nothing (0.2 is above 0.1), fold 2 nothing.
    assert point.handed_over.tolist() == [False, True, True, True, True, True]
    assert (point.coverage, point.risk) == (pytest.approx(1 / 6), 0)
    assert point.threshold == 0.2
    assert point.promised == 0


def test_a_promise_of_no_errors_is_not_kept_where_doubts_say_nothing():
    rng = np.random.default_rng(0)
    found = answers(rng.random(400), rng.random(400) < 0.3, fold=np.arange(400) % 4)
    point = operate(found, Goal(RISK, 0.1), Folds(4))
    assert point.promised <= 0.1
    assert point.risk > 0.1


def test_repeats_choose_by_themselves():
    once = answers([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    twice = answers([0.1, 0.2, 0.3, 0.4] * 2, [0, 1, 0, 1] * 2, [0, 1, 0, 1, 2, 3, 2, 3], [0] * 4 + [1] * 4)
    goal, single, double = Goal(ANSWER, 0.5), Folds(2), Folds(2, 2)
    first = operate(once, goal, single).thresholds.tolist()
    assert operate(twice, goal, double).thresholds.tolist() == first * 2


def test_the_interval_at_a_threshold_is_that_of_the_curve_there():
    rng = np.random.default_rng(1)
    found, plan = answers(rng.random(40).round(1), rng.random(40) < 0.2), Folds(2)
    point, whole = operate(found, Goal(COST, wrong=0), plan), curve(found, plan)  # all are answered
    assert (point.risk, point.risk_low, point.risk_high) == (
        whole.risk[-1],
        whole.risk_low[-1],
        whole.risk_high[-1],
    )


def test_costs_are_those_of_asking_and_of_wrong_answers():
    point = operate(answers([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1]), Goal(COST, wrong=4, asking=1), Folds(2))
    assert point.handed_over.tolist() == [False, False, True, True]
    assert (point.cost, point.cost_of_answering) == (0.5, 2.0)


@pytest.mark.parametrize("goal", [Goal("luck"), Goal(ANSWER, 1.5), Goal(COST, wrong=-1), Goal(RISK, -0.1)])
def test_goals_that_mean_nothing_are_refused(goal):
    with pytest.raises(ValueError, match=r"goal|share|negative"):
        operate(answers([0.1, 0.2], [0, 1]), goal, Folds(2))
