"""Threshold on the uncertainty above which a model abstains, chosen on some folds and tested on another.

A threshold chosen and tested on the same rows is too optimistic, most of all the best of many. So each fold is
tested at the threshold that the other folds of the same repeat would choose. (Their models have learned from rows
of that fold, as in any cross-validation; only the choice has not seen them.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from espalier.data.rows.folds import Folds
from espalier.data.weights import weighted_mean, within_units
from espalier.reliability.reliability import Answers, ratio

SHARES = np.arange(1, 21) / 20  # of the rows, that are tried


def last_certain(count: np.ndarray, errors: np.ndarray, level: float, confidence: float) -> int:
    """Return the place of the last doubt up to which answers are wrong at most at `level`; -1 if there is none.

    `count` and `errors` (n_doubts,) are the rows up to each doubt, ascending, and the errors among them. Over
    calibration rows drawn at random, the share of wrong answers to new rows is above `level` with a probability
    of at most 1 − `confidence`.

    >>> n = np.arange(1.0, 401)  # 400 rows, each of another doubt; the last 40 are wrong
    >>> last_certain(n, np.maximum(n - 360, 0), level=0.05, confidence=0.9)
    358
    >>> last_certain(n[:50], np.zeros(50), level=0.05, confidence=0.9)  # 50 right answers do not suffice
    -1
    """
    places = _places(count)
    there = places[places >= 0]
    n, wrong = count[there], errors[there]
    passes = chance_of_so_few(n, wrong, level) <= (1 - confidence) / len(SHARES)
    return int(there[passes].max()) if passes.any() else -1


def _places(count: np.ndarray) -> np.ndarray:
    """Return the place of each share of `SHARES`: of the last doubt under that of its last row; -1: none is.

    All rows stand at the last place: no doubt had to be chosen for them.
    """
    ranks = np.ceil(SHARES * count[-1] - 1e-9)
    places = np.searchsorted(count, ranks - 1e-9) - 1
    places[-1] = len(count) - 1
    return places


def chance_of_so_few(n: np.ndarray, wrong: np.ndarray, level: float) -> np.ndarray:
    """Return the probability of at most `wrong` errors among n rows, each wrong with probability `level`.

    All are (n_shares,); rows that count by weights need not be whole numbers.

    >>> chance_of_so_few(np.array([2.0]), np.array([1.0]), 0.5)
    array([0.75])
    """
    none_right = wrong >= n
    return np.where(none_right, 1.0, betainc(np.where(none_right, 1.0, n - wrong), wrong + 1, 1 - level))


def rows_needed(level: float, confidence: float) -> int:
    """Return the least number of answers, all of them right, that are promised to be wrong at most at `level`.

    >>> rows_needed(0.05, 0.9)
    104
    """
    return math.ceil(math.log((1 - confidence) / len(SHARES)) / math.log1p(-level)) if 0 < level < 1 else 0


# ---- threshold on the uncertainty above which a model abstains, chosen on some folds and tested on another

ANSWER, RISK, COST = "answer", "risk", "cost"


class Goal(NamedTuple):
    """Aim of a threshold."""

    kind: str  # ANSWER: a share to answer; RISK: as many as a mean loss allows; COST: least cost
    level: float = 0.8  # the share, or the mean loss (of classes, the share of wrong answers)
    wrong: float = 1.0  # COST: of a wrong answer, or of an answer that is off by one unit
    asking: float = 0.2  # COST: of an expert's answer, which is assumed to be right
    confidence: float | None = (
        None  # RISK of classes: with which the loss of new rows is promised; None: no promise
    )


class Point(NamedTuple):
    """Result of a goal."""

    threshold: float  # chosen on all rows, for new samples; -inf: answer none; inf: answer all
    # (n_folds,) threshold that each fold is tested at, by its number; nan for untried folds
    thresholds: np.ndarray
    handed_over: np.ndarray  # (n,) bool for each answer: withheld by the threshold of its fold
    coverage: float  # share answered
    risk: float  # mean loss of the answered; nan if there are none
    risk_low: float  # 95 % interval, from `reliability.ratio`
    risk_high: float
    promised: float  # mean loss of the answered at `threshold`, on the rows that chose it
    cost: float  # per sample, at the goal's prices
    cost_of_answering: float  # the same if all were answered
    n_groups: int | None = None  # of the rows that chose; None where they come in none


def operate(answers: Answers, goal: Goal, plan: Folds) -> Point:
    """Return the thresholds for the goal, and their results on rows that did not choose them.

    With a confidence there is one threshold, chosen on all rows: that they chose it is what the confidence allows
    for.

    `plan` is that of the answers. Raises ValueError for an invalid goal, and for a promise about numbers.
    """
    check(goal)
    if goal.confidence is not None and not np.isin(answers.loss, (0.0, 1.0)).all():
        raise ValueError("only a share of wrong answers can be promised, not the size of errors")
    once = answers.weight / plan.n_repeats  # a row says the same in every repeat
    threshold = choose(answers.doubt, answers.loss, goal, evidence(once, answers.unit, goal))
    chosen = _chosen_by_others(answers, goal, plan)
    if goal.confidence is not None:  # its error is counted in: held-out folds would judge a promise of fewer rows
        chosen = np.where(np.isnan(chosen), chosen, threshold)
    handed_over = answers.doubt > chosen[answers.fold]
    certain = answers.doubt <= threshold
    costs = np.where(handed_over, goal.asking, goal.wrong * answers.loss)
    return Point(
        threshold, chosen, handed_over,
        1 - weighted_mean(handed_over, answers.weight), *_risk(answers, ~handed_over, plan),
        weighted_mean(answers.loss[certain], answers.weight[certain]), weighted_mean(costs, answers.weight),
        goal.wrong * weighted_mean(answers.loss, answers.weight),
        None if answers.unit is None else len(np.unique(answers.unit)),
    )  # fmt: skip


def evidence(weight: np.ndarray, unit: np.ndarray | None, goal: Goal) -> np.ndarray:
    """Return how much rows count for the threshold: for a promise, those of a group `unit` (n,) count as one row.

    They may say much the same. A group's share of wrong answers spreads less than an answer, which is right or
    wrong, so that the promise is kept at least as often.
    """
    return weight if goal.confidence is None or unit is None else within_units(weight, unit)


def _chosen_by_others(answers: Answers, goal: Goal, plan: Folds) -> np.ndarray:
    """Return the threshold that the other folds of its repeat choose for each fold, by number; nan: untried."""
    numbers = np.unique(answers.fold)
    chosen = np.full(int(numbers.max()) + 1, np.nan)
    for number in numbers:
        others = (answers.repeat == number // plan.n_folds) & (answers.fold != number)
        inside = others if others.any() else answers.fold == number
        chosen[number] = choose(answers.doubt[inside], answers.loss[inside], goal, answers.weight[inside])
    return chosen


def check(goal: Goal) -> None:
    """Raise ValueError for invalid numbers of the goal."""
    if goal.kind not in (ANSWER, RISK, COST):
        raise ValueError(f"{goal.kind!r} is no goal; there are {ANSWER}, {RISK} and {COST}")
    if goal.kind == ANSWER and not 0 <= goal.level <= 1:
        raise ValueError(f"a share of {goal.level:g} cannot be answered; it must be from 0 to 1")
    if not (goal.wrong >= 0 and goal.asking >= 0 and goal.level >= 0):
        raise ValueError("levels and costs must not be negative")
    if goal.confidence is not None and not (goal.kind == RISK and 0 < goal.confidence < 1):
        raise ValueError("a confidence is of a share of wrong answers, and lies between 0 and 1")


def choose(doubt: np.ndarray, loss: np.ndarray, goal: Goal, weight: np.ndarray | None = None) -> float:
    """Return the threshold for the goal on answers with these uncertainties, losses and weights (n,) each.

    It is -inf if no answer may be given, and inf if all may: then even more uncertain ones may be given too.

    Of several equally good ones, the threshold that answers most: samples of equal uncertainty are answered
    together, so a share is exceeded by as little as possible.
    """
    order = np.argsort(doubt, kind="stable")
    ranked = doubt[order]
    last = np.flatnonzero(np.append(ranked[1:] > ranked[:-1], True))  # the end of every run of equal uncertainties
    weight = np.ones(len(loss)) if weight is None else weight[order]
    count, total = np.cumsum(weight)[last], np.cumsum(weight * loss[order])[last]
    place = _place(count, total, float(total[-1]), goal)
    if place == len(last) - 1:
        return math.inf
    return float(ranked[last[place]]) if place >= 0 else -math.inf


def _place(count: np.ndarray, total: np.ndarray, all_loss: float, goal: Goal) -> int:
    """Return the best threshold's place, from the weight answered at each and its summed loss; -1: none."""
    n = float(count[-1])
    if goal.kind == ANSWER:
        return int(np.searchsorted(count, goal.level * n * (1 - 1e-12) - 1e-9)) if goal.level > 0 else -1
    if goal.kind == RISK:
        if goal.confidence is not None:
            return last_certain(count, total, goal.level, goal.confidence)
        serves = np.flatnonzero(total <= goal.level * count + 1e-12 * max(all_loss, 1.0))
        return int(serves[-1]) if len(serves) else -1
    costs = goal.wrong * np.append(0.0, total) + goal.asking * (n - np.append(0, count))
    best = np.flatnonzero(costs <= costs.min() + 1e-12 * max(float(np.abs(costs).max()), 1e-300))
    return int(best[-1]) - 1


def _risk(answers: Answers, given: np.ndarray, plan: Folds) -> tuple[float, float, float]:
    """Return the mean loss of the given answers, and its interval, by `ratio`; nan if there are none."""
    if not given.any():
        return math.nan, math.nan, math.nan
    _, place = np.unique(answers.fold, return_inverse=True)
    loss, n = (np.bincount(place, answers.weight * part) for part in (answers.loss * given, given))
    is_share = bool(np.isin(answers.loss, (0.0, 1.0)).all())
    risk, low, high = ratio(loss[:, None], n[:, None], plan, is_share)
    return float(risk[0]), float(low[0]), float(high[0])
