"""Test which differences between cross-validated models may be chance, and how many more folds would decide.

The folds of a cross-validation share most of their training rows, so that their differences vary less than those
of models trained on rows of their own would: the usual paired t-test calls far too much significant. Nadeau &
Bengio (2003, Inference for the generalization error: the corrected resampled t-test) widen the variance of the
mean of k differences from s² / k to s² (1 / k + n_test / n_train), with k - 1 degrees of freedom.

Repeats deal the same rows anew. They make s surer, hence r k - 1 degrees of freedom where there are r; but the
variance of the mean hardly falls, since what is peculiar to these rows is in every repeat. So k stays the number
of folds of one. Bouckaert & Frank (2004, Evaluating the replicability of significance tests for comparing learning
algorithms) count all r k: then 5 to 16 of 100 pairs of equally good stumps come out clear where 5 should, and more
with more repeats; as it is here, 3 to 6 do (5 and 10 folds, 60 and 200 rows, up to ten repeats).

All of it assumes that the differences of two folds are correlated by n_test / (n_train + n_test). No estimate of
that is unbiased for all models (Bengio & Grandvalet 2004, No unbiased estimator of the variance of k-fold
cross-validation), so `ALPHA` is nearly kept, not exactly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from scipy import stats


def standard_error(spread: Any, n_divisions: Any, ratio_tested: float) -> Any:
    """Return the standard error of a mean over so many divisions, as spread * sqrt(1 / n + n_test / n_train).

    The spread is the standard deviation over the divisions, the ratio that of test to training samples. The usual
    spread / sqrt(n) is too small, since the divisions share samples (Nadeau & Bengio 2003, "Inference for the
    generalization error"). Numbers or arrays.

    >>> round(float(standard_error(1.0, 10, 0.25)), 3)
    0.592
    """
    return spread * np.sqrt(1 / n_divisions + ratio_tested)


# ---- test which differences between cross-validated models may be chance, and how many more folds would decide

ALPHA = 0.05  # significance level
MOST_FOLDS = 10_000  # counts of folds above this are not worth reporting
ROUNDING = 1e-12  # relative to the scores' size: differences that vary by less are rounding


class Verdict(Enum):
    """Conclusion about a difference."""

    NONE = "none"  # the two are equal in every fold
    NOISE = "noise"  # such a difference is likely by chance alone
    ONE_OF_MANY = "one of many"  # significant alone, but not among so many comparisons
    CLEAR = "clear"
    UNKNOWN = "unknown"  # fewer than two folds have both scores


class ScoreDifference(NamedTuple):
    """Score of the first model minus that of the second, over the folds that both have; see `difference`."""

    mean: float
    spread: float  # s, the standard deviation over the folds
    low: float  # ends of the interval that holds the true difference in 1 - ALPHA of all cases
    high: float
    p: float  # probability of a mean as far from 0 if there were no difference
    n_folds: int
    ratio_tested: float  # n_test / n_train
    n_repeats: int = 1  # how often the same rows were dealt into folds

    @property
    def least(self) -> float:
        """Smallest mean that would have been significant: half of the interval."""
        return least(self.spread, self.n_folds, self.ratio_tested, self.n_repeats)

    @property
    def least_ever(self) -> float:
        """Limit of `least` for ever more repeats of the folds."""
        error = standard_error(self.spread, self.n_folds / self.n_repeats, self.ratio_tested)
        return float(stats.norm.ppf(1 - ALPHA / 2) * error)

    @property
    def folds_needed(self) -> float:
        """Number of folds, of all repeats, for which this mean would be significant; inf if there is none."""
        if abs(self.mean) <= self.least_ever:
            return math.inf
        counts = np.arange(2, MOST_FOLDS)
        repeats = counts * self.n_repeats / self.n_folds
        enough = np.flatnonzero(least(self.spread, counts, self.ratio_tested, repeats) < abs(self.mean))
        return int(counts[enough[0]]) if len(enough) else math.inf


def least(spread: float, n_folds: Any, ratio_tested: float, n_repeats: Any = 1) -> Any:
    """Return half of the interval of a mean over so many folds, at least 2, of all repeats; numbers or arrays."""
    return stats.t.ppf(1 - ALPHA / 2, n_folds - 1) * standard_error(spread, n_folds / n_repeats, ratio_tested)


def difference(first: np.ndarray, second: np.ndarray, ratio_tested: float, n_repeats: int = 1) -> ScoreDifference:
    """Run the corrected paired t-test on two models' scores (n_folds,) on the same folds; nan for missing scores.

    `ratio_tested` is n_test / n_train of a fold; with 0 and a single repeat this is the usual, uncorrected test.
    """
    gaps = (first - second)[np.isfinite(first) & np.isfinite(second)]
    n = len(gaps)
    if n < 2:
        mean = float(gaps[0]) if n else math.nan
        return ScoreDifference(mean, math.nan, math.nan, math.nan, math.nan, n, ratio_tested, n_repeats)
    mean, spread = float(gaps.mean()), float(gaps.std(ddof=1))
    rounding = ROUNDING * float(max(np.nanmax(np.abs(first)), np.nanmax(np.abs(second))))
    if spread <= rounding:
        gap = ScoreDifference(mean, 0.0, mean, mean, 1.0, n, ratio_tested, n_repeats)
        return _constant(gap) if abs(mean) > rounding else gap._replace(mean=0.0, low=0.0, high=0.0)
    half = float(least(spread, n, ratio_tested, n_repeats))
    t = mean / float(standard_error(spread, n / n_repeats, ratio_tested))
    p = 2 * float(stats.t.sf(abs(t), n - 1))
    return ScoreDifference(mean, spread, mean - half, mean + half, p, n, ratio_tested, n_repeats)


def _constant(gap: ScoreDifference) -> ScoreDifference:
    """Test a difference that is equal in every fold, where t is undefined, by the signs in one repeat."""
    return gap._replace(p=min(2 * 0.5 ** (gap.n_folds / gap.n_repeats), 1.0))


def interval(scores: np.ndarray, ratio_tested: float, n_repeats: int = 1) -> tuple[float, float, float]:
    """Return the mean of a model's scores (n_folds,) and the ends of its interval, widened in the same way."""
    from_zero = difference(scores, np.zeros_like(scores), ratio_tested, n_repeats)
    return from_zero.mean, from_zero.low, from_zero.high


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979): the least times n, the next times n - 1, and so on.

    None falls below one before it, nor rises above 1; nan stays and is not counted.
    """
    known = sorted((value, i) for i, value in enumerate(p) if not math.isnan(value))
    adjusted, highest = list(map(float, p)), 0.0
    for rank, (value, i) in enumerate(known):
        highest = max(highest, min((len(known) - rank) * value, 1.0))
        adjusted[i] = highest
    return adjusted


class Compared(NamedTuple):
    """Two models, by their places in the list, and the conclusion about their difference."""

    first: int
    second: int
    difference: ScoreDifference
    p_holm: float  # the p-value among all comparisons
    verdict: Verdict


def compare(
    scores: Sequence[np.ndarray],
    ratio_tested: float,
    pairs: Sequence[tuple[int, int]] | None = None,
    n_repeats: int = 1,
) -> list[Compared]:
    """Compare pairs of models by scores (n_folds,) on the same folds, with Holm's correction over the pairs.

    `ratio_tested` is n_test / n_train of a fold, `n_repeats` how often the rows were dealt into folds; a plan of
    folds has both. `pairs` are the models' places; all pairs where None.

    >>> import numpy as np
    >>> scores = [np.array([0.90, 0.91, 0.89, 0.92]), np.array([0.70, 0.72, 0.71, 0.69])]
    >>> [pair.verdict.name for pair in compare(scores, ratio_tested=1 / 3)]
    ['CLEAR']
    """
    pairs = list(itertools.combinations(range(len(scores)), 2)) if pairs is None else pairs
    differences = [difference(scores[a], scores[b], ratio_tested, n_repeats) for a, b in pairs]
    corrected = holm([one.p for one in differences])
    return [
        Compared(*pair, one, p, verdict(one, p))
        for pair, one, p in zip(pairs, differences, corrected, strict=True)
    ]


def verdict(gap: ScoreDifference, p_holm: float) -> Verdict:
    """Return the conclusion about a difference with this p-value among all comparisons."""
    if math.isnan(p_holm):
        return Verdict.UNKNOWN
    if p_holm < ALPHA:
        return Verdict.CLEAR
    if not gap.spread and abs(gap.mean) < ROUNDING:
        return Verdict.NONE
    return Verdict.ONE_OF_MANY if gap.p < ALPHA else Verdict.NOISE
