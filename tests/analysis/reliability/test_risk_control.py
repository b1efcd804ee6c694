"""Promises of few errors: by hand, against the binomial distribution, and kept as often as they say."""

import numpy as np
import pytest
from scipy import stats

from espalier.analysis.reliability.abstention import ANSWER, RISK, Goal, choose, evidence, operate
from espalier.analysis.reliability.risk_control import SHARES, chance_of_so_few, last_certain, rows_needed
from espalier.data.rows.folds import Folds
from tests.analysis.reliability.test_reliability import answers


def test_the_chance_of_so_few_errors_is_the_binomial_distribution():
    n, wrong = np.array([10.0, 10.0, 200.0, 7.0]), np.array([0.0, 3.0, 9.0, 7.0])
    assert chance_of_so_few(n, wrong, 0.05) == pytest.approx(stats.binom.cdf(wrong, n, 0.05))


def test_so_many_right_answers_are_needed_and_one_less_does_not_do():
    n = rows_needed(0.05, 0.9)
    assert 0.95**n <= 0.1 / len(SHARES) < 0.95 ** (n - 1)
    for rows, place in ((n, n - 1), (n - 1, -1)):
        count = np.arange(1.0, rows + 1)
        assert last_certain(count, np.zeros(rows), 0.05, 0.9) == place


def test_rows_that_are_doubted_alike_are_answered_together():
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


def test_groups_of_one_row_are_rows():
    rng = np.random.default_rng(0)
    doubt = rng.random(300)
    loss = (rng.random(300) < doubt**6).astype(float)
    weight = evidence(np.ones(300), np.arange(300), promise(0.1))
    assert choose(doubt, loss, promise(0.1), weight) == choose(doubt, loss, promise(0.1))


def test_without_a_promise_the_same_goal_is_missed_in_many_draws():
    rng = np.random.default_rng(0)
    assert sum(risk_of_new_rows(rng, Goal(RISK, 0.05)) > 0.05 for _ in range(100)) > 30


def test_repeats_are_no_new_evidence():
    n = rows_needed(0.05, 0.9) - 2
    once = np.linspace(0, 0.4, n)
    found = answers(np.tile(once, 2), np.zeros(2 * n), np.repeat([0, 1, 2, 3], n // 2), np.repeat([0, 1], n))
    assert operate(found, promise(), Folds(2, 2)).threshold == -np.inf


def test_sizes_of_errors_are_not_promised():
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
