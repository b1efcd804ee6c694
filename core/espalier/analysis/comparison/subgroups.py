"""The same learner on each group of a column, beside the model of all rows: does a group need a model of its own?

A group's own model learns from the group's training rows alone, that of all rows from all of them; both are tested
on the group's held-out rows, which neither has seen. The gap between both is measured row by row, and its interval
is as wide as so many comparisons ask for (Bonferroni), so that one group in twenty does not stand out by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import clone

from espalier.analysis.comparison.cross_validation import answers_of
from espalier.analysis.fitting import fit
from espalier.analysis.wilson_interval import wilson
from espalier.data.dataset import Dataset, HeldOut, columns_of, held_out
from espalier.data.rows import parts
from espalier.data.rows.conditions import Column, Condition
from espalier.data.rows.filters import Filter
from espalier.data.weights import effective_size
from espalier.ties import winners

ALPHA = 0.05  # of the intervals
MOST_GROUPS = 8  # the largest ones of a column
FEWEST = 20  # training rows to grow a tree on
N_RANGES = 3  # of a column of numbers
THIRTY_PERCENT = HeldOut(30)


class Subgroup(NamedTuple):
    """Rows of one group of a column."""

    rows: Filter
    taken: np.ndarray  # (n_samples,) bool: rows of the group


class Subgroups(NamedTuple):
    """The groups of a column, and those that are too many to compare."""

    groups: tuple[Subgroup, ...]  # in the order of the column's values; rows without a value last
    n_others: int  # smaller groups that are left out
    n_rows_of_others: int


class Estimate(NamedTuple):
    """A mean over rows and the ends of its 95 % interval; these are nan where too few rows tell anything of it."""

    mean: float
    low: float
    high: float


class GroupScores(NamedTuple):
    """Scores of two models on the same rows: the share of right answers, or of numbers the mean absolute error."""

    own: Estimate
    of_all: Estimate
    gain: Estimate  # how much better the own model is: positive for more right answers, or a smaller error
    n_tested: int

    @property
    def verdict(self) -> str:
        """Which of both is better beyond chance: "own", "all" or "neither"."""
        if self.gain.low > 0:
            return "own"
        return "all" if self.gain.high < 0 else "neither"


class SubgroupModels(NamedTuple):
    """A group, its own model, and how it compares with the model of all rows."""

    group: Subgroup
    why_not: str  # why the group has no model of its own: "few" training rows, "one" target only; "": it has one
    estimator: Any  # fitted to the group's training rows; None where there is none
    judged: GroupScores | None  # None: no model, or no held-out rows


def subgroups(dataset: Dataset, column: str, n_ranges: int = N_RANGES, cuts: Sequence[float] = ()) -> Subgroups:
    """Return the groups of the rows by a column (`espalier.data.dataset.columns_of`).

    Each category is a group, and each value of a number that has no more than `n_ranges`; other numbers are cut
    into so many ranges of about as many rows each (quantiles), or at `cuts`, ascending: up to the first, above it
    up to the next, and so on. Rows without a value are a group, too. Of more than `MOST_GROUPS` the largest stay.
    Raises FilterError for a column that there is not.

    >>> from espalier.data import samples
    >>> [one.rows.words for one in subgroups(samples.load("iris"), "petal length").groups]
    ['petal length ≤ 1.9', '1.9 < petal length ≤ 4.9', 'petal length > 4.9']
    >>> [one.rows.words for one in subgroups(samples.load("iris"), "petal length", cuts=(2.5,)).groups]
    ['petal length ≤ 2.5', 'petal length > 2.5']
    """
    columns = columns_of(dataset)
    if column not in columns:
        Condition(column, "in", missing=True).mask(columns)  # raises
    there = columns[column]
    conditions = _categories(column, there) if there.categories else _numbers(column, there, n_ranges, cuts)
    conditions.append((Condition(column, "in", missing=True),))
    every = [Subgroup(one, one.mask(columns, len(dataset.y))) for one in (Filter((c,)) for c in conditions)]
    every = [group for group in every if group.taken.any()]
    sizes = np.array([group.taken.sum() for group in every])
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_GROUPS])
    n_kept = int(sizes[largest].sum())
    return Subgroups(tuple(every[i] for i in largest), len(every) - len(largest), int(sizes.sum()) - n_kept)


def _categories(name: str, column: Column) -> list[tuple[Condition, ...]]:
    return [(Condition(name, "in", (category,)),) for category in column.categories if category]


def _numbers(name: str, column: Column, n_ranges: int, cuts: Sequence[float]) -> list[tuple[Condition, ...]]:
    known = column.values[~np.isnan(column.values)]
    values = np.unique(known)
    if len(values) <= n_ranges and not len(cuts):
        return [(Condition(name, "in", (column.text(float(value)),)),) for value in values]
    quantiles = np.quantile(known, np.arange(1, n_ranges) / n_ranges, method="inverted_cdf") if len(known) else []
    ends = np.unique(cuts if len(cuts) else quantiles)
    texts = [column.text(float(end)) for end in ends if len(cuts) or end < values[-1]]
    above = [(), *((Condition(name, "gt", (text,)),) for text in texts)]
    at_most = [*((Condition(name, "le", (text,)),) for text in texts), ()]
    return [low + high for low, high in zip(above, at_most, strict=True)]


def why_no_model(dataset: Dataset, rows: np.ndarray) -> str:
    """Return why no model can learn from these rows (a mask): "few" or "one" target only; "" where it can.

    Rows of weight 0 do not count.
    """
    weight = dataset.weights_of(rows)
    y = dataset.y[rows] if weight is None else dataset.y[rows][weight > 0]
    if len(y) < FEWEST:
        return "few"
    return "one" if (y == y[0]).all() else ""


def compare_subgroups(
    estimator: Any, dataset: Dataset, column: str, holdout: HeldOut = THIRTY_PERCENT, n_ranges: int = N_RANGES
) -> list[SubgroupModels]:
    """Fit a clone of the estimator to each of `subgroups`, and compare it there with one of all training rows.

    Raises FilterError for a column that there is not, ValueError where there are no training rows, and the errors
    of fitting.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> trees = compare_subgroups(CartClassifier(max_depth=3), samples.load("monks-1"), "jacket")
    >>> [one.why_not or one.judged.verdict for one in trees]
    ['one', 'neither', 'neither', 'neither']
    """
    groups, held = subgroups(dataset, column, n_ranges).groups, held_out(dataset, holdout)
    of_all = fit(clone(estimator), dataset, ~held)
    answers = answers_of(of_all, dataset, dataset.X)
    return [_compared(estimator, dataset, group, _Test(held, answers, len(groups))) for group in groups]


class _Test(NamedTuple):
    """How groups are compared."""

    held: np.ndarray  # (n_samples,) bool
    answers: np.ndarray  # (n_samples, n_outputs) of the model of all rows
    n_groups: int


def _compared(estimator: Any, dataset: Dataset, group: Subgroup, test: _Test) -> SubgroupModels:
    rows, tested = group.taken & ~test.held, np.flatnonzero(group.taken & test.held)
    if why_not := why_no_model(dataset, rows):
        return SubgroupModels(group, why_not, None, None)
    own = fit(clone(estimator), dataset, rows)
    answers = answers_of(own, dataset, dataset.X[tested]) if len(tested) else test.answers[tested]
    return SubgroupModels(group, "", own, judged(dataset, tested, answers, test.answers[tested], test.n_groups))


def judged(
    dataset: Dataset, rows: np.ndarray, own: np.ndarray, of_all: np.ndarray, n_compared: int = 1
) -> GroupScores | None:
    """Return the scores of two models' answers (n_rows, n_outputs) on these rows (indices); None without any.

    Rows count by their weights. Those that belong together, by groups or times, vary together: they count as one
    in the width of an interval. That of a share is Wilson's, for as many rows as the weights are worth (Kish 1965,
    "Survey Sampling", section 11.7); that of other means comes from Student's t over what belongs together. The
    interval of the gain holds for all of `n_compared` groups at once.
    """
    weight = dataset.weights_of(rows)
    counting = np.ones(len(rows), bool) if weight is None else weight > 0
    rows, own, of_all = rows[counting], own[counting], of_all[counting]
    if not len(rows):
        return None
    weight = np.ones(len(rows)) if weight is None else weight[counting]
    together = parts.units(dataset.roles, 0)
    units = np.arange(len(rows)) if together is None else np.unique(together[rows], return_inverse=True)[1]
    scores = [_score(dataset, rows, answers) for answers in (own, of_all)]
    mean_of = _share if dataset.is_classification else _mean
    gap = scores[0] - scores[1] if dataset.is_classification else scores[1] - scores[0]
    own_score, score_of_all = (mean_of(score, weight, units) for score in scores)
    return GroupScores(own_score, score_of_all, _mean(gap, weight, units, ALPHA / n_compared), len(rows))


def _score(dataset: Dataset, rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Return whether each answer is right, or how far off it is, (n_rows,) float64."""
    if dataset.is_classification:
        return (winners(answers) == dataset.y[rows]).astype(np.float64)
    return np.abs(answers[:, 0] - dataset.y[rows])


def _share(values: np.ndarray, weight: np.ndarray, units: np.ndarray) -> Estimate:
    share, of_unit = float(np.average(values, weights=weight)), np.bincount(units, weight)
    low, high = wilson(np.array(share), np.array(effective_size(of_unit)))
    return Estimate(share, float(low), float(high))


def _mean(values: np.ndarray, weight: np.ndarray, units: np.ndarray, alpha: float = ALPHA) -> Estimate:
    """Return a ratio of sums over units (Cochran 1977, "Sampling Techniques", section 6.3)."""
    mean, of_unit = float(np.average(values, weights=weight)), np.bincount(units, weight)
    n = len(of_unit)
    if n < 2:
        return Estimate(mean, float("nan"), float("nan"))
    residuals = np.bincount(units, weight * (values - mean))
    if mean and not residuals.any() and 2 * 0.5**n > alpha:  # all alike: by the sign test that may be chance
        return Estimate(mean, float("nan"), float("nan"))
    error = np.sqrt(n / (n - 1) * (residuals**2).sum()) / of_unit.sum()
    half = float(stats.t.ppf(1 - alpha / 2, n - 1) * error)
    return Estimate(mean, mean - half, mean + half)
