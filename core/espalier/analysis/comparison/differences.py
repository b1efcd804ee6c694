"""Which differences between cross-validated models could be chance, and what more folds would change.

The folds of a cross-validation share most of their training rows, so that their differences vary less than those
of models trained on rows of their own would: the usual paired t-test calls far too much significant. Nadeau &
Bengio (2003, Inference for the generalization error: the corrected resampled t-test) widen the variance of the
mean of n differences from s² / n to s² (1 / n + n_test / n_train); Bouckaert & Frank (2004, Evaluating the
replicability of significance tests for comparing learning algorithms) use this for r times repeated k-fold
cross-validation, with n = r k differences and n - 1 degrees of freedom.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
from scipy import stats

ALPHA = 0.05  # how often chance alone may be taken for a difference
MOST_FOLDS = 10_000  # that are worth counting up to
ROUNDING = 1e-12  # of the scores' size: differences that vary by less do so by rounding


class Verdict(Enum):
    """What can be said of a difference."""

    NONE = "none"  # the two are equal in every fold
    NOISE = "noise"  # chance alone makes such a difference often enough
    ONE_OF_MANY = "one of many"  # it would stand out alone, but not among so many comparisons
    CLEAR = "clear"
    UNKNOWN = "unknown"  # fewer than two folds have both scores


class ScoreDifference(NamedTuple):
    """Score of the first model minus that of the second, over the folds that both have; see `difference`."""

    mean: float
    spread: float  # s, the standard deviation over the folds
    low: float  # of the interval that holds the true difference in 1 - ALPHA of all cases
    high: float
    p: float  # how often chance alone makes a mean as far from 0, were there no difference
    n_folds: int
    ratio_tested: float  # n_test / n_train

    @property
    def least(self) -> float:
        """The smallest mean that would have stood out, the folds varying as they do: half of the interval."""
        return least(self.spread, self.n_folds, self.ratio_tested)

    @property
    def least_ever(self) -> float:
        """What `least` falls to however often the folds are repeated."""
        return float(stats.norm.ppf(1 - ALPHA / 2)) * self.spread * math.sqrt(self.ratio_tested)

    @property
    def folds_needed(self) -> float:
        """How many folds of this size would make this mean stand out; inf where no number does."""
        if abs(self.mean) <= self.least_ever:
            return math.inf
        counts = np.arange(2, MOST_FOLDS)
        enough = np.flatnonzero(least(self.spread, counts, self.ratio_tested) < abs(self.mean))
        return int(counts[enough[0]]) if len(enough) else math.inf


def least(spread: float, n_folds, ratio_tested: float):
    """Half of the interval of a mean over so many folds (a number or an array, at least 2)."""
    return stats.t.ppf(1 - ALPHA / 2, n_folds - 1) * standard_error(spread, n_folds, ratio_tested)


def standard_error(spread: float, n_folds, ratio_tested: float):
    """Of a mean over folds whose training rows overlap (Nadeau & Bengio 2003)."""
    return spread * np.sqrt(1 / n_folds + ratio_tested)


def difference(first: np.ndarray, second: np.ndarray, ratio_tested: float) -> ScoreDifference:
    """The corrected paired t-test of two models' scores (n_folds,) on the same folds; nan where there is none.

    `ratio_tested` is n_test / n_train of a fold; with 0 this is the usual, uncorrected test.
    """
    gaps = (first - second)[np.isfinite(first) & np.isfinite(second)]
    n = len(gaps)
    if n < 2:
        mean = float(gaps[0]) if n else math.nan
        return ScoreDifference(mean, math.nan, math.nan, math.nan, math.nan, n, ratio_tested)
    mean, spread = float(gaps.mean()), float(gaps.std(ddof=1))
    rounding = ROUNDING * float(max(np.nanmax(np.abs(first)), np.nanmax(np.abs(second))))
    if spread <= rounding:
        return _constant(mean if abs(mean) > rounding else 0.0, n, ratio_tested)
    half = float(least(spread, n, ratio_tested))
    t = mean / float(standard_error(spread, n, ratio_tested))
    p = 2 * float(stats.t.sf(abs(t), n - 1))
    return ScoreDifference(mean, spread, mean - half, mean + half, p, n, ratio_tested)


def _constant(mean: float, n: int, ratio_tested: float) -> ScoreDifference:
    """The same in every fold, of which t makes nothing: the sign test says how often n signs are alike."""
    return ScoreDifference(mean, 0.0, mean, mean, 2 * 0.5**n if mean else 1.0, n, ratio_tested)


def interval(scores: np.ndarray, ratio_tested: float) -> tuple[float, float, float]:
    """Mean of a model's scores (n_folds,), and the ends of its interval, widened in the same way."""
    found = difference(scores, np.zeros_like(scores), ratio_tested)
    return found.mean, found.low, found.high


def holm(p: Sequence[float]) -> list[float]:
    """p-values that allow for how many there are (Holm 1979): the least times n, the next times n - 1, …

    None falls below one before it, nor rises above 1; nan stays and is not counted.
    """
    known = sorted((value, i) for i, value in enumerate(p) if not math.isnan(value))
    found, highest = list(map(float, p)), 0.0
    for rank, (value, i) in enumerate(known):
        highest = max(highest, min((len(known) - rank) * value, 1.0))
        found[i] = highest
    return found


class Compared(NamedTuple):
    """Two models, by their places in the list, and what can be said of their difference."""

    first: int
    second: int
    difference: ScoreDifference
    p_holm: float  # the p-value among all comparisons
    verdict: Verdict


def compare(scores: Sequence[np.ndarray], ratio_tested: float) -> list[Compared]:
    """All pairs of models by their scores (n_folds,) on the same folds, with Holm's correction over the pairs."""
    pairs = list(itertools.combinations(range(len(scores)), 2))
    found = [difference(scores[a], scores[b], ratio_tested) for a, b in pairs]
    corrected = holm([one.p for one in found])
    return [Compared(*pair, one, p, verdict(one, p)) for pair, one, p in zip(pairs, found, corrected, strict=True)]


def verdict(found: ScoreDifference, p_holm: float) -> Verdict:
    """What can be said of a difference with this p-value among all comparisons."""
    if math.isnan(p_holm):
        return Verdict.UNKNOWN
    if p_holm < ALPHA:
        return Verdict.CLEAR
    if not found.spread and abs(found.mean) < ROUNDING:
        return Verdict.NONE
    return Verdict.ONE_OF_MANY if found.p < ALPHA else Verdict.NOISE
