"""Repeated cross-validation: several models on the same folds, and which of their differences may be chance.

Scores of folds (`espalier.data.folds`) share training rows, so they are not independent measurements; the
tests of differences account for this.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from enum import Enum
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from espalier.comparison.scores import ClassScores, MeanScores, class_scores, mean_scores
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, Folds, folds_of, plan_for
from espalier.data.subset import RowColumn, with_roles
from espalier.fitting import fit
from espalier.predict import prior_among, winners
from espalier.progress import Progress
from espalier.tasks import Call, in_order
from espalier.tree.model_size import Size, size_of
from espalier.trees import read_only

T = TypeVar("T")
Scores: TypeAlias = ClassScores | MeanScores


class Tried(NamedTuple):
    """Result of a model on one fold: fitted to the rows outside it, scored on those inside."""

    number: int  # of the fold, over all repeats
    scores: Scores
    size: Size
    fit_seconds: float
    predict_seconds: float  # for all rows of the fold
    is_whole: bool  # False: a search ran out of time and returned its best so far


class Validated(NamedTuple):
    """Results of a model on all folds, or on those that the time allowed."""

    tried: tuple[Tried, ...]  # by the number of the fold
    predicted: np.ndarray  # (n_samples, n_outputs): out-of-fold predictions of the first repeat; else nan
    plan: Folds
    prediction: np.ndarray  # (n_samples,): classes, or numbers, from `predict`
    weight: np.ndarray | None = None  # (n_samples,): how much each counts; None: all the same

    @property
    def is_complete(self) -> bool:
        """Whether every fold was tried."""
        return len(self.tried) == self.plan.n_all

    def scores(self, name: str) -> np.ndarray:
        """Return the score of this name in every fold, (n_all,).

        It is nan if the fold was not tried or the score is undefined.
        """
        scores = np.full(self.plan.n_all, np.nan)
        for fold in self.tried:
            scores[fold.number] = getattr(fold.scores, name)
        return scores


def validate(
    estimator: Any,
    dataset: Dataset,
    plan: Folds,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> Validated:
    """Fit a clone of the estimator on every fold, on the executor (None: one thread), and score it there.

    `groups` and `time`, names of features or a value for each sample, are the data's from then on
    (`espalier.data.with_roles`): whole groups are dealt into folds, and none is told from its future.
    `progress` is shared with another thread: it counts `PARTS` for every finished fold, up to
    ``plan_for(dataset, plan).n_all * PARTS``; once it is stopped no fold begins, and those under way end and are
    discarded. Raises ValueError for impossible folds, and the errors of fitting.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> result = validate(CartClassifier(max_depth=2), samples.load("iris"), Folds(n_folds=5))
    >>> result.scores("accuracy").round(2)
    array([0.93, 0.9 , 0.9 , 0.97, 0.93])
    >>> flowers = np.arange(150) // 5  # of a plant
    >>> validate(CartClassifier(max_depth=2), samples.load("iris"), Folds(5), groups=flowers).is_complete
    True
    """
    dataset = with_roles(dataset, groups, time)
    return gather(over_folds(try_fold, estimator, dataset, plan, executor, progress), dataset, plan)


def over_folds(
    ask: Callable[..., T],
    estimator: Any,
    dataset: Dataset,
    plan: Folds,
    executor: Executor | None,
    progress: Progress | None,
) -> list[T]:
    """Return the results of `ask` on each fold, in order; the parameters are as in `fold_tasks` and `validate`."""
    tasks = fold_tasks(ask, estimator, dataset, plan)
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        return [result for _, result in in_order(tasks, here, progress, len(tasks))]


def fold_tasks(ask: Callable[..., Any], estimator: Any, dataset: Dataset, plan: Folds) -> list[Call]:
    """Return a task for each fold, which calls `ask` as `try_fold` is called, with a new clone of the estimator.

    Raises ValueError for impossible folds.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> len(fold_tasks(try_fold, CartClassifier(), samples.load("iris"), Folds(n_folds=5)))
    5
    """
    counts = has_fit_parameter(estimator, "progress")
    total = len(dataset.y) * (getattr(estimator, "n_estimators", 1) or 1) if counts else 0
    return [Call(ask, (clone(estimator), dataset, fold), total) for fold in folds_of(dataset, plan)]


def try_fold(
    estimator: Any, dataset: Dataset, fold: Fold, progress: Progress | None = None
) -> tuple[Tried, np.ndarray, np.ndarray]:
    """Fit and score the estimator on a fold; rows count by their weights, in both.

    Also return `answers_of` and `prediction_of` there.
    """
    number, rows, fitted_to = fold
    fit_seconds = _seconds(lambda: fit(estimator, dataset, fitted_to, progress))
    answers: list[np.ndarray] = []
    predict_seconds = _seconds(lambda: answers.append(answers_of(estimator, dataset, dataset.X[rows])))
    proof = getattr(estimator, "proof_", None)
    size, is_whole = size_of(estimator), proof is None or bool(proof.proved)
    prediction = prediction_of(estimator, dataset, answers[0])
    scores = fold_scores(dataset, rows, answers[0], prediction)
    return Tried(number, scores, size, fit_seconds, predict_seconds, is_whole), answers[0], prediction


def answers_of(estimator: Any, dataset: Dataset, X: np.ndarray) -> np.ndarray:
    """Return shares of all classes of the data, or means, (n_rows, n_outputs).

    Classes without training rows have share 0.
    """
    if not dataset.is_classification:
        return np.asarray(estimator.predict(X))[:, None]
    shares = np.zeros((len(X), len(dataset.classes)))
    shares[:, estimator.classes_] = estimator.predict_proba(X)
    return shares


def prediction_of(estimator: Any, dataset: Dataset, answers: np.ndarray) -> np.ndarray:
    """Return the classes, or numbers, (n_rows,) that `predict` derives from these `answers_of`, ties included."""
    if not dataset.is_classification:
        return answers[:, 0]
    return winners(answers, prior_among(estimator, len(dataset.classes)))


def fold_scores(dataset: Dataset, rows: np.ndarray, answers: np.ndarray, prediction: np.ndarray) -> Scores:
    """Return the scores on these rows of the data of what `answers_of` and `prediction_of` say of them."""
    weight = dataset.weights_of(rows)
    if dataset.is_classification:
        return class_scores(dataset.y[rows], answers, prediction, weight)
    return mean_scores(dataset.y[rows], answers[:, 0], weight)


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def gather(
    results: list[tuple[Tried, np.ndarray, np.ndarray]],
    dataset: Dataset,
    plan: Folds,
    rows_at_once: np.ndarray | None = None,
) -> Validated:
    """Return what the results of `try_fold` make together, of all folds or of some.

    A fitted model is tried on one fold, of all samples that it was not trained on: `rows_at_once`.
    """
    folds, plan = folds_of(dataset, plan), plan_for(dataset, plan)
    shares = np.full((len(dataset.y), max(len(dataset.classes), 1)), np.nan)
    prediction = np.zeros(len(dataset.y), dataset.y.dtype)
    for result, answers, own in results:
        if result.number < plan.n_folds:
            rows = folds[result.number].rows if rows_at_once is None else rows_at_once
            shares[rows], prediction[rows] = answers, own
    shares.setflags(write=False)
    return Validated(tuple(result for result, *_ in results), shares, plan, read_only(prediction), dataset.weights)


# ---- scores of models on part of each fold's rows, where a fitted model meets others


def rescore(validated: Validated, dataset: Dataset, among: np.ndarray) -> Validated:
    """Return the same model with its scores on those rows of each fold that are among (n_samples,) bool.

    Of the first repeat, whose predictions are at hand; a fold without such a row is left out. Of a fitted model
    that was asked about all rows at once, it makes a score for each fold.

    >>> import numpy as np
    >>> from espalier.comparison.cross_validation import validate
    >>> from espalier.data import samples
    >>> from espalier.data.folds import Folds
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> found = validate(CartClassifier(max_depth=2), iris, Folds(n_folds=3))
    >>> rescore(found, iris, np.arange(150) < 100).scores("accuracy").round(2).tolist()
    [1.0, 1.0, 0.85]
    """
    return validated._replace(tried=tuple(_rescored_folds(validated, dataset, among)))


def _rescored_folds(validated: Validated, dataset: Dataset, among: np.ndarray) -> Iterator[Tried]:
    is_asked = among & np.isfinite(validated.predicted).all(axis=1)
    first = validated.tried[0]
    for fold in folds_of(dataset, validated.plan)[: validated.plan.n_folds]:
        rows = fold.rows[is_asked[fold.rows]]
        if len(rows):
            scores = fold_scores(dataset, rows, validated.predicted[rows], validated.prediction[rows])
            yield first._replace(number=fold.number, scores=scores)


# ---- test which differences between cross-validated models may be chance, and how many more folds would decide
#
# The folds of a cross-validation share most of their training rows, so that their differences vary less than those
# of models trained on rows of their own would: the usual paired t-test calls far too much significant. Nadeau &
# Bengio (2003, Inference for the generalization error: the corrected resampled t-test) widen the variance of the
# mean of k differences from s² / k to s² (1 / k + n_test / n_train), with k - 1 degrees of freedom.
#
# Repeats deal the same rows anew. They make s surer, hence r k - 1 degrees of freedom where there are r; but the
# variance of the mean hardly falls, since what is peculiar to these rows is in every repeat. So k stays the number
# of folds of one. Bouckaert & Frank (2004, Evaluating the replicability of significance tests for comparing
# learning algorithms) count all r k: then 5 to 16 of 100 pairs of equally good stumps come out clear where 5
# should, and more with more repeats; as it is here, 3 to 6 do (5 and 10 folds, 60 and 200 rows, up to ten
# repeats).
#
# All of it assumes that the differences of two folds are correlated by n_test / (n_train + n_test). No estimate of
# that is unbiased for all models (Bengio & Grandvalet 2004, No unbiased estimator of the variance of k-fold
# cross-validation), so `ALPHA` is nearly kept, not exactly.

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


def standard_error(spread: Any, n_divisions: Any, ratio_tested: float) -> Any:
    """Return the standard error of a mean over so many divisions, as spread * sqrt(1 / n + n_test / n_train).

    The spread is the standard deviation over the divisions, the ratio that of test to training samples. The usual
    spread / sqrt(n) is too small, since the divisions share samples (Nadeau & Bengio 2003, "Inference for the
    generalization error"). Numbers or arrays.

    >>> round(float(standard_error(1.0, 10, 0.25)), 3)
    0.592
    """
    return spread * np.sqrt(1 / n_divisions + ratio_tested)


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
        if abs(mean) <= rounding:
            return gap._replace(mean=0.0, low=0.0, high=0.0)
        return gap._replace(p=min(2 * 0.5 ** (n / n_repeats), 1.0))  # by the signs in one repeat: t is undefined
    half = float(least(spread, n, ratio_tested, n_repeats))
    t = mean / float(standard_error(spread, n / n_repeats, ratio_tested))
    p = 2 * float(stats.t.sf(abs(t), n - 1))
    return ScoreDifference(mean, spread, mean - half, mean + half, p, n, ratio_tested, n_repeats)


def interval(scores: np.ndarray, ratio_tested: float, n_repeats: int = 1) -> tuple[float, float, float]:
    """Return the mean of a model's scores (n_folds,) and the ends of its interval, widened in the same way."""
    from_zero = difference(scores, np.zeros_like(scores), ratio_tested, n_repeats)
    return from_zero.mean, from_zero.low, from_zero.high


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979): the least times n, the next times n - 1, and so on.

    None falls below one before it, nor rises above 1; nan stays and is not counted.
    """
    order = sorted((value, i) for i, value in enumerate(p) if not math.isnan(value))
    adjusted_p, highest = list(map(float, p)), 0.0
    for rank, (value, i) in enumerate(order):
        highest = max(highest, min((len(order) - rank) * value, 1.0))
        adjusted_p[i] = highest
    return adjusted_p


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
    p_values = holm([gap.p for gap in differences])
    return [
        Compared(*pair, gap, p, verdict(gap, p)) for pair, gap, p in zip(pairs, differences, p_values, strict=True)
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
