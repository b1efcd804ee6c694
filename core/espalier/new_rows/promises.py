"""Promises of a model, made on some folds and checked on another.

The limit for a fold's rows is chosen on the other folds of its repeat, whose answers are out of fold as well. For
new rows it is chosen on all folds. The bound of `conformal` is exact for one model and calibration rows of its
own; here the scores are of several models, one for each fold, and the model of new rows is another one, fitted to
all rows. In 200 repeats on 15 tables that cost nothing (`benchmarks/promises.py`), but it is no theorem.

Where rows come in groups, groups are counted, and the promise is of a row of a new group. The rows of one group
are much alike, so that few groups may tell little, however many their rows: too few are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.rows.folds import Folds
from espalier.data.weights import weighted_mean
from espalier.language import Refusal
from espalier.new_rows import conformal
from espalier.reliability.reliability import Answers, FoldModels, answered, ratio

ALL, EACH_CLASS = "all", "class"  # of classes: one limit, or one for each class
EQUAL, BY_DOUBT = "equal", "doubt"  # of numbers: intervals of one width, or wider where the model doubts
LEAST_SCALE = 0.05  # of the mean doubt: the narrowest an interval may be made by a lack of doubt


class Share(NamedTuple):
    """A share, with its 95 % interval."""

    value: float  # nan if there is nothing to count
    low: float
    high: float


class Promised(NamedTuple):
    """Answers of which a share is promised to hold the truth, out of fold and for new rows."""

    level: float  # share promised
    by: str
    limits: np.ndarray  # (1,), or (n_classes,): for new rows; inf: every answer stays in
    least_scale: float  # BY_DOUBT: smaller doubts count as this; else 0
    holds: np.ndarray  # (n,) bool for each answer: whether its set or interval holds the truth
    coverage: Share  # of those that do
    by_class: tuple[Share, ...]  # the same among the rows of each class; of numbers empty


class PromisedSets(NamedTuple):
    """Sets of classes."""

    promised: Promised
    sets: np.ndarray  # (n, n_classes) bool
    sizes: np.ndarray  # (n_classes,) float64: share of the rows whose set has 1, 2, … classes


class PromisedIntervals(NamedTuple):
    """Intervals of numbers."""

    promised: Promised
    ends: np.ndarray  # (n, 2)
    width: float  # mean


def promised_sets(models: FoldModels, level: float, by: str = ALL) -> PromisedSets:
    """Return sets of classes that hold the truth of a share `level` of the rows, or of those of each class.

    Raises ValueError for a level outside 0 to 1, if no fold was tried, and for too few groups of rows.

    >>> from espalier.analysis import Folds, ask
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> found = promised_sets(ask(CartClassifier(max_depth=2), samples.load("iris"), Folds(n_folds=5)), 0.9)
    >>> bool(found.promised.coverage.value >= 0.9), found.sets.shape
    (True, (150, 3))
    """
    answers, data = answered(models), models.dataset
    shares = np.concatenate([one.answers for one in models.tried])
    y, n_classes = data.y[answers.row], len(data.classes)
    score = conformal.class_scores(shares, answers.answer, y)
    group, n_groups = (y, n_classes) if by == EACH_CLASS else (np.zeros_like(y), 1)

    def chosen(rows: np.ndarray) -> np.ndarray:
        unit = None if answers.unit is None else answers.unit[rows]
        return conformal.limits(score[rows], group[rows], n_groups, level, answers.weight[rows], unit)

    limits_of_new = chosen(answers.repeat == 0)
    _check_groups(answers, level)
    sets = np.zeros(shares.shape, bool)
    for inside, limits in _fold_by_fold(answers, chosen):
        sets[inside] = conformal.class_sets(shares[inside], answers.answer[inside], limits)
    holds = sets[np.arange(len(y)), y]
    by_class = tuple(_share(holds, y == number, answers, models.plan) for number in range(n_classes))
    overall = _share(holds, np.ones(len(y), bool), answers, models.plan)
    promised = Promised(level, by, limits_of_new, 0.0, holds, overall, by_class)
    sizes = np.bincount(sets.sum(axis=1) - 1, answers.weight, n_classes) / answers.weight.sum()
    return PromisedSets(promised, sets, sizes)


def promised_intervals(models: FoldModels, level: float, by: str = EQUAL) -> PromisedIntervals:
    """Return intervals that hold the truth of a share `level` of the rows.

    Raises ValueError for a level outside 0 to 1, if no fold was tried, and for too few groups of rows.

    >>> from espalier.analysis import Folds, ask
    >>> from espalier.data import samples
    >>> from espalier.learners import CartRegressor
    >>> folds = ask(CartRegressor(max_depth=3), samples.load("diabetes"), Folds(n_folds=5))
    >>> bool(abs(promised_intervals(folds, 0.9).promised.coverage.value - 0.9) < 0.03)
    True
    """
    answers = answered(models)
    y = models.dataset.y[answers.row]
    least = LEAST_SCALE * weighted_mean(answers.doubt, answers.weight) if by == BY_DOUBT else 0.0
    scale = np.maximum(answers.doubt, least) if least > 0 else np.ones(len(y))
    score = conformal.error_scores(answers.answer, y, scale)

    def chosen(rows: np.ndarray) -> np.ndarray:
        unit = None if answers.unit is None else answers.unit[rows]
        return np.array([conformal.limit(score[rows], level, answers.weight[rows], unit)])

    limits_of_new = chosen(answers.repeat == 0)
    _check_groups(answers, level)
    ends, holds = np.zeros((len(y), 2)), np.zeros(len(y), bool)
    for inside, limits in _fold_by_fold(answers, chosen):
        ends[inside] = conformal.intervals(answers.answer[inside], limits[0], scale[inside])
        holds[inside] = score[inside] <= limits[0]
    overall = _share(holds, np.ones(len(y), bool), answers, models.plan)
    promised = Promised(level, by, limits_of_new, least, holds, overall, ())
    return PromisedIntervals(promised, ends, weighted_mean(ends[:, 1] - ends[:, 0], answers.weight))


def _fold_by_fold(
    answers: Answers, chosen: Callable[[np.ndarray], np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the answers in each fold, (n,) bool, and what is chosen on the others of its repeat."""
    for inside, others in _folds(answers):
        yield inside, chosen(others)


def _folds(answers: Answers) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the answers in each fold, (n,) bool, and the others of its repeat."""
    for number in np.unique(answers.fold):
        inside = answers.fold == number
        yield inside, (answers.repeat == answers.repeat[inside][0]) & ~inside


def _check_groups(answers: Answers, level: float) -> None:
    """Raise Refusal for so few groups beside those of a fold that its sets would have to hold every answer."""
    if answers.unit is None:
        return
    needed = conformal.units_needed(level)
    fewest = min(len(np.unique(answers.unit[others])) for _, others in _folds(answers))
    if fewest < needed:
        raise Refusal(
            "{share} % cannot be promised: the rows come in groups, of which that takes {needed} beside those of "
            "each fold, and there are {n}; promise less, choose more folds, or bring rows of more groups",
            share=f"{100 * level:g}",
            needed=needed,
            n=fewest,
        )


def _share(holds: np.ndarray, among: np.ndarray, answers: Answers, plan: Folds) -> Share:
    """Return the share of the answers in `among` that hold, with the interval of `ratio`."""
    if not (among & (answers.weight > 0)).any():
        return Share(math.nan, math.nan, math.nan)
    _, fold = np.unique(answers.fold, return_inverse=True)
    held, n = (np.bincount(fold, answers.weight * part) for part in (holds & among, among))
    value, low, high = ratio(held[:, None], n[:, None], plan, True)
    return Share(float(value[0]), float(low[0]), float(high[0]))
