"""Promises: sets of classes, and intervals, that hold the truth of new rows as often as one asks.

A model is asked about calibration rows that it has not seen, and each gets a score of how badly the answer fits
the truth. A new row's set holds every answer that would fit no worse than all but a few of them did: the limit is
the ⌈(n + 1) level⌉-th least of n scores. If the rows are exchangeable, sets hold the truth of at least a share
`level` of new rows, whatever the model (Vovk, Gammerman & Shafer 2005; Papadopoulos et al. 2002). With a limit for
each group of rows, that holds in every group (Mondrian; Vovk et al. 2005, section 4.5).

Rows of one patient, or school, are not exchangeable with those of others: these units are. Then each unit counts
as one, its rows share that, and the promise is of a row of a new unit (Lee, Barber & Willett 2023,
"Distribution-free inference with hierarchical data").

Scores are 1 − the share of the true class (the least ambiguous sets; Sadinle, Lei & Wasserman 2019), but 0 where
the model says that class: so no set is empty, and a model that is right often enough names one class. Of numbers
they are the absolute error, as a multiple of the row's doubt if intervals are to be wider where the model doubts
(Lei et al. 2018, section 5.2).

The promises of one model are made on some folds and checked on another. The limit for a fold's rows is chosen on
the other folds of its repeat, whose answers are out of fold as well. For new rows it is chosen on all folds. The
bound of conformal prediction is exact for one model and calibration rows of its own; here the scores are of
several models, one for each fold, and the model of new rows is another one, fitted to all rows. In 200 repeats on
15 tables that cost nothing (`benchmarks/promises.py`), but it is no theorem.

Where rows come in groups, groups are counted, and the promise is of a row of a new group. The rows of one group
are much alike, so that few groups may tell little, however many their rows: too few are refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.folds import Folds
from espalier.data.roles import weighted_mean, within_units
from espalier.language import Refusal
from espalier.reliability.reliability import Answers, FoldModels, answered, ratio_of_rows


def score_limit(
    score: np.ndarray, level: float, weight: np.ndarray | None = None, unit: np.ndarray | None = None
) -> float:
    """Return the score up to which a new row's answers stay in its set; inf if so few scores cannot say.

    `score` (n,) is that of the calibration rows, `weight` (n,) how much each counts; the new row counts as the
    mean of them. `unit` (n,) says which rows belong together; a row's weight is then compared within its unit.
    Raises ValueError for a level outside 0 to 1.

    >>> score_limit(np.array([0.3, 0.1, 0.2, 0.4]), 0.8)  # the 4th of 4: 5 × 0.8
    0.4
    >>> score_limit(np.array([0.3, 0.1, 0.2, 0.4]), 0.9)
    inf
    >>> score_limit(np.array([0.3, 0.1, 0.2, 0.4]), 0.8, unit=np.array([0, 0, 1, 1]))  # 3 × 0.8 of 2 units
    inf
    """
    if not 0 < level < 1:
        raise ValueError(f"a level of {level:g} cannot be promised; it must lie between 0 and 1")
    n = len(score)
    weight = np.ones(n) if weight is None else weight
    if unit is not None:
        weight = within_units(weight, unit)
        n = round(weight.sum())
    if not n:
        return float("inf")
    order = np.argsort(score, kind="stable")
    total = np.cumsum(weight[order])
    place = int(np.searchsorted(total, level * (total[-1] + total[-1] / n) * (1 - 1e-12)))
    return float(score[order[place]]) if place < len(score) else float("inf")


def units_needed(level: float) -> int:
    """Return the least number of calibration rows, or of units of rows, with which a level can be promised.

    >>> units_needed(0.9), units_needed(0.95)
    (9, 19)
    """
    return math.ceil(level / (1 - level) - 1e-9)


def group_limits(
    score: np.ndarray, group: np.ndarray, n_groups: int, level: float, weight: np.ndarray | None = None,
    unit: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Return the `score_limit` of each group, (n_groups,) float64, from scores (n,) and groups (n,) int64.

    Rows of a unit may be in several groups: in each, those that are there count as one.

    >>> group_limits(np.array([0.3, 0.1, 0.2, 0.4]), np.array([0, 0, 1, 1]), 3, 0.6)
    array([0.3, 0.4, inf])
    """
    every = np.ones(len(score)) if weight is None else weight
    inside = (group == number for number in range(n_groups))
    return np.array(
        [score_limit(score[rows], level, every[rows], None if unit is None else unit[rows]) for rows in inside]
    )


def class_scores(shares: np.ndarray, said: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return 1 − the share of the true class, and 0 where the model says it, (n,).

    From shares (n, n_classes), and the classes said and true (n,) int64.

    >>> class_scores(np.array([[0.75, 0.25], [0.625, 0.375]]), said=np.array([0, 0]), y=np.array([0, 1]))
    array([0.   , 0.625])
    """
    return np.where(said == y, 0.0, 1 - shares[np.arange(len(y)), y])


def class_sets(shares: np.ndarray, said: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return the classes in the set of each row, (n, n_classes) bool: the one said, and others within the limit.

    `limits` broadcasts to `shares` (n, n_classes): one limit, one for each class (n_classes,), or one for the
    group of each row, (n, 1).

    >>> class_sets(np.array([[0.7, 0.3], [0.45, 0.55]]), np.array([0, 1]), np.array([0.6]))
    array([[ True, False],
           [ True,  True]])
    """
    return (1 - shares <= limits) | (np.arange(shares.shape[1]) == said[:, None])


def error_scores(prediction: np.ndarray, y: np.ndarray, scale: np.ndarray | None = None) -> np.ndarray:
    """Return absolute errors, (n,), each as a multiple of the row's scale, if there is one.

    >>> error_scores(np.array([3.0, 5.0]), np.array([2.0, 9.0]), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    off = np.abs(prediction - y)
    return off if scale is None else off / scale


def intervals(prediction: np.ndarray, limit: np.ndarray | float, scale: np.ndarray | None = None) -> np.ndarray:
    """Return the ends of each row's interval, (n, 2), at the limit of error scores.

    >>> intervals(np.array([3.0, 5.0]), 2.0, np.array([1.0, 0.5]))
    array([[1., 5.],
           [4., 6.]])
    """
    half = np.broadcast_to(limit if scale is None else limit * scale, prediction.shape)
    return np.stack((prediction - half, prediction + half), axis=1)


# ---- promises of a model, made on some folds and checked on another

ALL, EACH_CLASS = "all", "class"  # of classes: one limit, or one for each class
EQUAL, DOUBT_WIDTH = "equal", "doubt"  # of numbers: intervals of one width, or wider where the model doubts
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
    least_scale: float  # DOUBT_WIDTH: smaller doubts count as this; else 0
    holds: np.ndarray  # (n,) bool for each answer: whether its set or interval holds the truth
    coverage: Share  # of those that do
    by_class: tuple[Share, ...]  # the same among the rows of each class; of numbers empty


class PromisedAnswers(NamedTuple):
    """Sets of classes, or intervals of numbers."""

    promised: Promised
    sets: np.ndarray  # (n, n_classes) bool; (n, 0) where the target is a number
    sizes: np.ndarray  # (n_classes,) float64: share of the rows whose set has 1, 2, … classes
    ends: np.ndarray  # (n, 2) of intervals; (0, 2) where the target is a class
    width: float = math.nan  # mean of the intervals


def promised_sets(models: FoldModels, level: float, by: str = ALL) -> PromisedAnswers:
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
    shares = np.concatenate([model.answers for model in models.tried])
    y, n_classes = data.y[answers.row], len(data.classes)
    score = class_scores(shares, answers.answer, y)
    group, n_groups = (y, n_classes) if by == EACH_CLASS else (np.zeros_like(y), 1)
    limits_of_new, fold_limits = _choose_limits(answers, level, score, group, n_groups)
    sets = np.zeros(shares.shape, bool)
    for inside, limits in fold_limits:
        sets[inside] = class_sets(shares[inside], answers.answer[inside], limits)
    holds = sets[np.arange(len(y)), y]
    class_shares = tuple(_share(holds, y == number, answers, models.plan) for number in range(n_classes))
    overall = _share(holds, np.ones(len(y), bool), answers, models.plan)
    promise = Promised(level, by, limits_of_new, 0.0, holds, overall, class_shares)
    sizes = np.bincount(sets.sum(axis=1) - 1, answers.weight, n_classes) / answers.weight.sum()
    return PromisedAnswers(promise, sets, sizes, np.empty((0, 2)))


def promised_intervals(models: FoldModels, level: float, by: str = EQUAL) -> PromisedAnswers:
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
    least = LEAST_SCALE * weighted_mean(answers.doubt, answers.weight) if by == DOUBT_WIDTH else 0.0
    scale = np.maximum(answers.doubt, least) if least > 0 else np.ones(len(y))
    score = error_scores(answers.answer, y, scale)
    limits_of_new, fold_limits = _choose_limits(answers, level, score, np.zeros(len(y), np.int64), 1)
    ends, holds = np.zeros((len(y), 2)), np.zeros(len(y), bool)
    for inside, limits in fold_limits:
        ends[inside] = intervals(answers.answer[inside], limits[0], scale[inside])
        holds[inside] = score[inside] <= limits[0]
    overall = _share(holds, np.ones(len(y), bool), answers, models.plan)
    promise = Promised(level, by, limits_of_new, least, holds, overall, ())
    width = weighted_mean(ends[:, 1] - ends[:, 0], answers.weight)
    return PromisedAnswers(promise, np.empty((len(y), 0), bool), np.empty(0), ends, width)


def _choose_limits(
    answers: Answers, level: float, score: np.ndarray, group: np.ndarray, n_groups: int
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Return the limits for new rows, and for each fold its answers, (n,) bool, with the limits of the others."""

    def choose(rows: np.ndarray) -> np.ndarray:
        unit = None if answers.unit is None else answers.unit[rows]
        return group_limits(score[rows], group[rows], n_groups, level, answers.weight[rows], unit)

    limits_of_new = choose(answers.repeat == 0)
    _check_groups(answers, level)
    return limits_of_new, [(inside, choose(rest)) for inside, rest in _folds(answers)]


def _folds(answers: Answers) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the answers in each fold, (n,) bool, and the others of its repeat."""
    for number in np.unique(answers.fold):
        inside = answers.fold == number
        yield inside, (answers.repeat == answers.repeat[inside][0]) & ~inside


def _check_groups(answers: Answers, level: float) -> None:
    """Raise Refusal for so few groups beside those of a fold that its sets would have to hold every answer."""
    if answers.unit is None:
        return
    n_needed = units_needed(level)
    fewest = min(len(np.unique(answers.unit[rest])) for _, rest in _folds(answers))
    if fewest < n_needed:
        raise Refusal(
            "{share} % cannot be promised: the rows come in groups, of which that takes {needed} beside those "
            "of each fold, and there are {n}; promise less, choose more folds, or bring more groups",
            share=f"{100 * level:g}",
            needed=n_needed,
            n=fewest,
        )


def _share(holds: np.ndarray, among: np.ndarray, answers: Answers, plan: Folds) -> Share:
    """Return the share of the answers in `among` that hold, with the interval of `ratio`."""
    if not (among & (answers.weight > 0)).any():
        return Share(math.nan, math.nan, math.nan)
    weight = answers.weight
    return Share(*ratio_of_rows(answers.fold, weight * (holds & among), weight * among, plan, True))


# ---- promises of each leaf of a tree: which classes, or which interval, hold the truth of new rows that end in it
#
# The limit of a leaf is chosen on rows of that leaf alone which the tree has not seen. So the promise holds within
# every leaf, not only over all of them (Mondrian conformal prediction with leaves as categories; Vovk, Gammerman &
# Shafer 2005, section 4.5; Johansson, Sönströd, Linusson & Boström 2014, of regression trees): among new rows in a
# leaf at least a share `level` has the truth in its set, if they are like the rows that chose it. A leaf with too
# few of those promises nothing: its set has all classes, its interval all numbers. Where rows come in groups, the
# groups of its rows are counted, and the promise is of rows of new groups.


class LeafPromises(NamedTuple):
    """The promise of each leaf, in the order of its nodes."""

    level: float
    node: np.ndarray  # (n_leaves,) int64
    n: np.ndarray  # (n_leaves,) int64 rows that chose the limit
    limits: np.ndarray  # (n_leaves,) of the scores below; inf: too few rows
    sets: np.ndarray  # (n_leaves, n_classes) bool; (n_leaves, 0) where the target is a number
    ends: np.ndarray  # (n_leaves, 2) of intervals; (0, 2) where it is a class
    in_groups: bool = False  # whether groups were counted

    @property
    def is_promised(self) -> np.ndarray:
        """Whether each leaf has enough rows, or groups of them, (n_leaves,) bool."""
        return np.isfinite(self.limits)


class LeafAnswers(NamedTuple):
    """The leaves of a tree, and the rows that are to choose their limits."""

    node: np.ndarray  # (n_leaves,) int64: its leaves
    value: np.ndarray  # (n_leaves, n_outputs): class shares, or the mean, in each
    row_leaf: np.ndarray  # (n,) int64: node of the leaf of each row that the tree has not seen
    y: np.ndarray  # (n,) of these rows: class codes, int64, or numbers
    weight: np.ndarray | None = None  # (n,); None: all count the same
    unit: np.ndarray | None = None  # (n,) int64 group of each row; None: they come in none


def promised_leaves(leaves: LeafAnswers, level: float) -> LeafPromises:
    """Return what each leaf promises for a share `level` of the new rows that end in it.

    Raises ValueError for a level outside 0 to 1.

    >>> y = np.repeat([0, 1], [18, 2])
    >>> one = LeafAnswers(np.array([0]), np.array([[0.9, 0.1]]), np.zeros(20, int), y)
    >>> promised_leaves(one, 0.8).sets, promised_leaves(one, 0.95).sets
    (array([[ True, False]]), array([[ True,  True]]))
    >>> promised_leaves(one, 0.99).is_promised
    array([False])
    """
    is_classes = np.issubdtype(leaves.y.dtype, np.integer)
    place = np.searchsorted(leaves.node, leaves.row_leaf)
    classes = leaves.value.argmax(axis=1)
    if is_classes:
        score = class_scores(leaves.value[place], classes[place], leaves.y)
    else:
        score = error_scores(leaves.value[place, 0], leaves.y)
    limits = group_limits(score, place, len(leaves.node), level, leaves.weight, leaves.unit)
    n, has_groups = np.bincount(place, minlength=len(leaves.node)), leaves.unit is not None
    if is_classes:
        sets = class_sets(leaves.value, classes, limits[:, None])
        return LeafPromises(level, leaves.node, n, limits, sets, np.empty((0, 2)), has_groups)
    ends = intervals(leaves.value[:, 0], limits)
    return LeafPromises(level, leaves.node, n, limits, np.empty((len(ends), 0), bool), ends, has_groups)
