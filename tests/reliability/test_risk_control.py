"""Promises of few errors, and thresholds for goals: by hand, against distributions and against trying them all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from espalier.data.folds import Folds
from espalier.reliability.reliability import (
    ANSWER,
    COST,
    RISK,
    SHARES,
    Goal,
    chance_of_so_few,
    choose,
    curve,
    evidence,
    last_certain,
    operate,
    rows_needed,
)
from tests.reliability.test_reliability import answers
from tests.tools.cases import case


def test_the_chance_of_few_errors_is_binomial_so_many_answers_are_needed_and_equal_doubts_go_together():
    n, wrong = np.array([10.0, 10.0, 200.0, 7.0]), np.array([0.0, 3.0, 9.0, 7.0])
    assert chance_of_so_few(n, wrong, 0.05) == pytest.approx(stats.binom.cdf(wrong, n, 0.05))
    n = rows_needed(0.05, 0.9)
    assert 0.95**n <= 0.1 / len(SHARES) < 0.95 ** (n - 1)
    for rows, place in ((n, n - 1), (n - 1, -1)):
        count = np.arange(1.0, rows + 1)
        assert last_certain(count, np.zeros(rows), 0.05, 0.9) == place
    # 150 rows of one doubt, all right, then 150 of another, half of them wrong
    assert last_certain(np.array([150.0, 300.0]), np.array([0.0, 75.0]), 0.05, 0.9) == 0
    assert choose(np.repeat([0.1, 0.6], 150), np.tile([0.0] * 150 + [1.0] * 150, 1), promise()) == 0.1


def promise(level=0.05, confidence=0.9):
    return Goal(RISK, level, confidence=confidence)


def risk_of_new_rows(rng, goal):
    """Share of wrong answers at a threshold chosen on 500 rows; of rows with doubt d, d⁶ are wrong."""
    doubt = rng.random(500)
    threshold = choose(doubt, (rng.random(500) < doubt**6).astype(float), goal)
    return np.clip(threshold, 0.0, 1.0) ** 6 / 7  # the mean of d⁶ up to the threshold


def test_a_promise_is_broken_as_rarely_as_it_says():
    rng, broken, given, repeats = np.random.default_rng(0), 0, 0, 400
    for _ in range(repeats):
        risk = risk_of_new_rows(rng, promise())
        broken += risk > 0.05
        given += risk > 0
    assert given > 0.9 * repeats
    assert broken <= stats.binom.ppf(0.999, repeats, 0.1)


def promises_given(wrong, is_by_group, repeats=400):
    """How often 90 % are promised right, of 100 groups of 40 rows: a share `wrong` of groups has no row right."""
    rng, given, goal = np.random.default_rng(0), 0, promise(0.1)
    unit = np.repeat(np.arange(100), 40)
    weight = evidence(np.ones(len(unit)), unit if is_by_group else None, goal)
    for _ in range(repeats):
        loss = (rng.random(100) < wrong)[unit].astype(float)
        given += choose(rng.random(len(unit)), loss, goal, weight) > -np.inf
    return given


def test_a_promise_for_new_groups_is_broken_as_rarely_as_it_says_and_more_often_if_rows_were_counted():
    """With 11 % of groups wrong, whoever promises at all breaks it."""
    assert promises_given(0.11, is_by_group=True) <= stats.binom.ppf(0.999, 400, 0.1)
    assert promises_given(0.11, is_by_group=False) > stats.binom.ppf(0.999, 400, 0.1)
    assert promises_given(0.01, is_by_group=True) > 300


def test_groups_of_one_row_are_rows_and_without_a_promise_the_same_goal_is_missed_in_many_draws():
    rng = np.random.default_rng(0)
    doubt = rng.random(300)
    loss = (rng.random(300) < doubt**6).astype(float)
    weight = evidence(np.ones(300), np.arange(300), promise(0.1))
    assert choose(doubt, loss, promise(0.1), weight) == choose(doubt, loss, promise(0.1))
    rng = np.random.default_rng(0)
    assert sum(risk_of_new_rows(rng, Goal(RISK, 0.05)) > 0.05 for _ in range(100)) > 30


def test_repeats_are_no_new_evidence_and_sizes_of_errors_are_not_promised():
    n = rows_needed(0.05, 0.9) - 2
    once = np.linspace(0, 0.4, n)
    found = answers(np.tile(once, 2), np.zeros(2 * n), np.repeat([0, 1, 2, 3], n // 2), np.repeat([0, 1], n))
    assert operate(found, promise(), Folds(2, 2)).threshold == -np.inf
    with pytest.raises(ValueError, match="only a share"):
        operate(answers([0.1, 0.2], [0.5, 1.5]), promise(), Folds(2))


@pytest.mark.parametrize("goal", [Goal(RISK, 0.1, confidence=1.0), Goal(ANSWER, 0.8, confidence=0.9)])
def test_confidences_that_mean_nothing_are_refused(goal):
    with pytest.raises(ValueError, match="confidence"):
        operate(answers([0.1, 0.2], [0, 1]), goal, Folds(2))


def test_a_promise_has_one_threshold_which_all_rows_choose():
    rng = np.random.default_rng(0)
    found = answers(doubt := rng.random(600), rng.random(600) < doubt**6)
    point = operate(found, promise(), Folds(2))
    assert point.threshold == choose(found.doubt, found.loss, promise())
    assert set(point.thresholds.tolist()) == {point.threshold}
    assert point.promised == point.risk


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


def test_the_interval_at_a_threshold_is_that_of_the_curve_and_costs_are_those_of_asking_and_of_wrong_answers():
    rng = np.random.default_rng(1)
    found, plan = answers(rng.random(40).round(1), rng.random(40) < 0.2), Folds(2)
    point, whole = operate(found, Goal(COST, wrong=0), plan), curve(found, plan)  # all are answered
    assert (point.risk, point.risk_low, point.risk_high) == (
        whole.risk[-1],
        whole.risk_low[-1],
        whole.risk_high[-1],
    )
    point = operate(answers([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1]), Goal(COST, wrong=4, asking=1), Folds(2))
    assert point.handed_over.tolist() == [False, False, True, True]
    assert (point.cost, point.cost_of_answering) == (0.5, 2.0)


@pytest.mark.parametrize("goal", [Goal("luck"), Goal(ANSWER, 1.5), Goal(COST, wrong=-1), Goal(RISK, -0.1)])
def test_goals_that_mean_nothing_are_refused(goal):
    with pytest.raises(ValueError, match=r"goal|share|negative"):
        operate(answers([0.1, 0.2], [0, 1]), goal, Folds(2))
