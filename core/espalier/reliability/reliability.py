"""Selective prediction: accuracy of a model that abstains from the samples about which it is uncertain.

Uncertainty (`reliability.uncertainty`) is measured out of fold, by models that have not seen the sample.
A model that answers only up to a threshold of uncertainty answers a share of the samples, its coverage, and is
right for a share of those; Nalenz & Augustin (2021, figure 4) draw both against the threshold. In general an
answer has a loss: 0 or 1 for a class, the absolute error for a number. `espalier.reliability.abstention`
chooses the threshold.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from espalier.comparison.calibration import wilson
from espalier.comparison.cross_validation import Validated, ValidationRun, answers_of, over_folds, prediction_of
from espalier.comparison.differences import ALPHA
from espalier.comparison.rates import Rates, rates
from espalier.data.dataset import Dataset
from espalier.data.rows import parts
from espalier.data.rows.assignment import RowColumn, with_roles
from espalier.data.rows.folds import Fold, Folds, plan_for
from espalier.data.weights import class_sizes, effective_size, weighted_mean
from espalier.fitting import fit
from espalier.language import Refusal
from espalier.oblique import ObliqueTree
from espalier.progress import Progress
from espalier.reliability.as_good import possible_classes
from espalier.reliability.uncertainty import (
    NONE,
    OWN,
    SHARE,
    Uncertainty,
    measure_of,
    model_of,
    of_shares,
    uncertainties,
)
from espalier.trees import AnyTree, Forest

MOST_POINTS = 200  # of a curve


class FoldModel(NamedTuple):
    """A model on one fold: fitted to the rows outside it, evaluated on those inside."""

    number: int  # of the fold, over all repeats
    rows: np.ndarray  # (n_rows,) int64 of the fold
    answers: np.ndarray  # (n_rows, n_outputs): a share for every class, or the number
    prediction: np.ndarray  # (n_rows,): the predicted class, or number
    doubts: Uncertainty  # votes have the columns of the data's classes
    measure: str  # kind of uncertainty, from `uncertainty.measure_of`
    model: AnyTree | ObliqueTree | None  # the tree; None for a forest, which may be large
    n_trees: int
    possible: np.ndarray | None = None  # (n_rows, n_classes) bool: what trees as good say, if they are counted


class FoldModels(NamedTuple):
    """A model on all folds, or on those that the time allowed."""

    tried: tuple[FoldModel, ...]  # by the number of the fold
    dataset: Dataset
    plan: Folds

    @property
    def is_complete(self) -> bool:
        """Whether every fold was tried."""
        return len(self.tried) == self.plan.n_all

    @property
    def measure(self) -> str:
        """Kind of the model's own uncertainty."""
        return self.tried[0].measure if self.tried else NONE


class Answers(NamedTuple):
    """Every answer out of fold; a row of the data is listed once per repeat."""

    row: np.ndarray  # (n,) int64 of the data
    fold: np.ndarray  # (n,) int64 number of the fold, over all repeats
    repeat: np.ndarray  # (n,) int64
    answer: np.ndarray  # (n,) int64 class, or float64
    loss: np.ndarray  # (n,) 1 for a wrong class and 0 for a right one; or the absolute error of a number
    doubt: np.ndarray  # (n,)
    # (n,) float64: how much each counts, scaled so that they sum to the answers they are worth (`effective_size`)
    weight: np.ndarray
    unit: np.ndarray | None = None  # (n,) int64 group of the row; None where rows come in no groups


class CoverageCurve(NamedTuple):
    """Coverage and risk (mean loss of the answered) against the threshold on the uncertainty, ascending."""

    threshold: np.ndarray  # (n_points,) samples with at most this uncertainty are answered
    coverage: np.ndarray  # (n_points,) share answered
    risk: np.ndarray  # (n_points,) mean loss of the answered; nan if there are none
    coverage_low: np.ndarray  # (n_points,) 95 % intervals from the variation between folds
    coverage_high: np.ndarray
    risk_low: np.ndarray
    risk_high: np.ndarray


class Area(NamedTuple):
    """Mean risk over all coverages (El-Yaniv & Wiener 2010; Geifman & El-Yaniv 2019: AURC); less is better."""

    value: float
    best: float  # if uncertainty ordered the losses perfectly
    chance: float  # if uncertainty were uninformative: the mean loss


# ---- asking


def ask(
    estimator: Any,
    dataset: Dataset,
    plan: Folds,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> FoldModels:
    """Fit a clone of the estimator on every fold and record predictions with uncertainty.

    Arguments as in `validate`, `groups` and `time` too.

    Raises ValueError for impossible folds, and the errors of fitting.

    >>> from espalier.analysis import Folds
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> folds = ask(CartClassifier(max_depth=2), samples.load("iris"), Folds(n_folds=5))
    >>> len(folds.tried), folds.is_complete
    (5, True)
    """
    dataset = with_roles(dataset, groups, time)
    models = over_folds(ask_fold, ValidationRun(estimator, dataset, plan), executor, progress)
    return FoldModels(tuple(models), dataset, plan_for(dataset, plan))


def ask_fold(estimator: Any, dataset: Dataset, fold: Fold, progress: Progress | None = None) -> FoldModel:
    """Fit the estimator outside a fold and return predictions and uncertainty inside."""
    number, rows, fitted_to = fold
    fit(estimator, dataset, fitted_to, progress)
    answers, prediction, doubt = uncertain_answers(estimator, dataset, dataset.X[rows])
    model = model_of(estimator)
    is_forest = isinstance(model, Forest)
    kept = None if is_forest else model
    n_trees = model.n_trees if is_forest else 1
    possible = possible_classes(estimator, dataset, fitted_to, rows, progress)
    return FoldModel(number, rows, answers, prediction, doubt, measure_of(model), kept, n_trees, possible)


def fit_outside(estimator: Any, dataset: Dataset, rows: np.ndarray, progress: Progress | None = None) -> Any:
    """Return the estimator fitted to all but these rows (indices), and what belongs together with them.

    Of data with times later rows stay: the question is what the model says without these rows, not what could be
    known before them.
    """
    return fit(estimator, dataset, parts.others(dataset.roles, rows, len(dataset.y), is_forecast=False), progress)


def uncertain_answers(
    estimator: Any, dataset: Dataset, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Uncertainty]:
    """Return `answers_of` and `prediction_of` for the rows of X, and their uncertainty."""
    answers, model = answers_of(estimator, dataset, X), model_of(estimator)
    prediction = prediction_of(estimator, dataset, answers)
    if not dataset.is_classification:
        return answers, prediction, uncertainties(model, X)
    if model is None:
        return answers, prediction, Uncertainty(of_shares(answers))
    known = np.asarray(estimator.classes_)  # the estimator's classes, as numbers of the data's classes
    doubt = uncertainties(model, X, np.searchsorted(known, prediction))
    if doubt.votes is None:
        return answers, prediction, doubt
    votes = np.zeros_like(answers)
    votes[:, known] = doubt.votes
    return answers, prediction, doubt._replace(votes=votes)


def answered(models: FoldModels, by: str = OWN) -> Answers:
    """Return all answers out of fold with their uncertainty: the model's own, or by SHARE (classification only).

    Raises ValueError if no fold was tried.

    >>> from espalier.analysis import Folds
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> answered(ask(CartClassifier(max_depth=2), iris, Folds(n_folds=5))).loss.shape
    (150,)
    """
    if not models.tried:
        raise Refusal("no fold was tried, so there are no answers")
    data = models.dataset
    each = [_answered(one, data, by) for one in models.tried]
    fold = np.concatenate([np.full(len(one.rows), one.number) for one in models.tried])
    row, answer, loss, doubt = (np.concatenate(part) for part in zip(*each, strict=True))
    weight = np.ones(len(row)) if data.weights is None else data.weights[row]
    weight = weight * (effective_size(weight) / (weight.sum() or 1.0))
    unit = None if data.roles.groups is None else data.roles.groups.codes[row]
    return Answers(row, fold, fold // models.plan.n_folds, answer, loss, doubt, weight, unit)


def _answered(one: FoldModel, data: Dataset, by: str) -> tuple[np.ndarray, ...]:
    """Return rows, answers, losses and uncertainties of one fold."""
    truth = data.y[one.rows]
    if not data.is_classification:
        return one.rows, one.prediction, np.abs(one.prediction - truth), one.doubts.doubt
    by_share = by == SHARE or one.measure == NONE
    doubt = of_shares(one.answers) if by_share else one.doubts.doubt
    return one.rows, one.prediction, (one.prediction != truth).astype(np.float64), doubt


def validated(models: FoldModels) -> Validated:
    """Return the predicted shares of the first repeat, for calibration; without scores."""
    data = models.dataset
    predicted = np.full((len(data.y), max(len(data.classes), 1)), np.nan)
    prediction = np.zeros(len(data.y), data.y.dtype)
    for one in models.tried:
        if one.number < models.plan.n_folds:
            predicted[one.rows], prediction[one.rows] = one.answers, one.prediction
    return Validated((), predicted, models.plan, prediction, data.weights)


# ---- curves


def curve(answers: Answers, plan: Folds, most: int = MOST_POINTS) -> CoverageCurve:
    """Return coverage and risk at every uncertainty that occurs, or at `most` of them, evenly over the answers.

    The intervals are those of `ratio`.
    """
    threshold = thresholds(answers.doubt, most)
    folds = np.unique(answers.fold)
    parts = [_of_fold(answers, answers.fold == fold, threshold) for fold in folds]
    n, n_answered, loss = (np.stack(part).astype(float) for part in zip(*parts, strict=True))
    is_share = bool(np.isin(answers.loss, (0.0, 1.0)).all())
    coverage = ratio(n_answered, n, plan, True)
    risk = ratio(loss, n_answered, plan, is_share)
    return CoverageCurve(threshold, coverage[0], risk[0], *coverage[1:], *risk[1:])


def thresholds(doubt: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Return the distinct uncertainties, ascending, (n_points,).

    Of more than `most` those at even steps of rank.
    """
    known = np.unique(doubt)
    if len(known) <= most:
        return known
    ranked = np.sort(doubt)
    return np.unique(ranked[np.linspace(0, len(ranked) - 1, most).round().astype(int)])


def _of_fold(
    answers: Answers, inside: np.ndarray, threshold: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weight of the fold's rows, of those answered at each threshold, and their loss, (n_points,)."""
    order = np.argsort(answers.doubt[inside], kind="stable")
    count = np.searchsorted(answers.doubt[inside][order], threshold, side="right")
    weight = answers.weight[inside][order]
    answered = np.append(0.0, np.cumsum(weight))
    total = np.append(0.0, np.cumsum(weight * answers.loss[inside][order]))
    return np.full(len(threshold), answered[-1]), answered[count], total[count]


def ratio(above: np.ndarray, below: np.ndarray, plan: Folds, is_share: bool) -> tuple[np.ndarray, ...]:
    """Return sums of `above` over sums of `below`, (n_points,), with the ends of the 95 % interval.

    Both are (n_folds, n_points).

    The interval is that of a ratio of two sums (Cochran 1977, Sampling techniques, section 6.3), widened for folds
    that share training rows as in `comparison.differences`. Folds may agree by luck: for shares the
    interval is never narrower than Wilson's for as many rows as one repeat has; for numbers there is no such
    floor.
    """
    n = len(above)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = above.sum(axis=0) / below.sum(axis=0)
        off = above - middle * below
        spread = np.sqrt((off**2).sum(axis=0) / max(n - 1, 1)) / below.mean(axis=0)
        t = float(stats.t.ppf(1 - ALPHA / 2, n - 1)) if n > 1 else np.inf
        error = spread * np.sqrt(plan.n_repeats / n + plan.ratio_tested)
        half = t * error if n > 1 else np.full_like(middle, np.nan)
        low, high = middle - half, middle + half
        if is_share:
            floor = wilson(middle, below.sum(axis=0) * plan.n_folds / n)  # rows of one repeat
            low, high = np.fmin(low, floor[0]), np.fmax(high, floor[1])
    return middle, np.maximum(low, 0.0), np.minimum(high, 1.0) if is_share else high


def area(answers: Answers) -> Area:
    """Return the area under the risk-coverage curve: the mean over k of the risk of the k most certain.

    Answers of equal uncertainty have no order: each gets their mean loss. All count by their weight.

    >>> from espalier.analysis import Folds
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> folds = ask(CartClassifier(max_depth=2), samples.load("iris"), Folds(n_folds=5))
    >>> measured = area(answered(folds))
    >>> measured.best < measured.value < measured.chance
    True
    """
    order = np.argsort(answers.doubt, kind="stable")
    loss, weight = answers.loss[order], answers.weight[order]
    known, start, count = np.unique(answers.doubt[order], return_index=True, return_counts=True)
    sums = np.add.reduceat(weight, start)
    means = np.add.reduceat(weight * loss, start) / np.where(sums > 0, sums, 1.0)
    tied = np.repeat(means, count) if len(known) else loss
    best = np.argsort(answers.loss, kind="stable")
    perfect = _area(answers.loss[best], answers.weight[best])
    return Area(_area(tied, weight), perfect, weighted_mean(answers.loss, answers.weight))


def rates_of(answers: Answers, dataset: Dataset, given: np.ndarray) -> Rates:
    """Return the rates of each class among the given answers, (n,) bool; for classification, as codes."""
    truth = dataset.y[answers.row[given]]
    weight = dataset.weights_of(answers.row[given])
    return rates(truth, answers.answer[given], len(dataset.classes), usual_of(dataset), weight)


def usual_of(dataset: Dataset) -> int:
    """Return the most frequent class, by weight."""
    return int(class_sizes(dataset.y, 1, dataset.weights).argmax())


def of_baseline(answers: Answers, dataset: Dataset) -> Answers:
    """Return the same rows in the same order of uncertainty, with the most frequent class as every answer."""
    usual = usual_of(dataset)
    loss = (dataset.y[answers.row] != usual).astype(np.float64)
    return answers._replace(answer=np.full(len(answers.row), usual), loss=loss)


def _area(loss: np.ndarray, weight: np.ndarray) -> float:
    """Return the mean over the answers, in their order, of the mean loss up to each."""
    counts = weight > 0
    loss, weight = loss[counts], weight[counts]
    return weighted_mean(np.cumsum(weight * loss) / np.cumsum(weight), weight)


class Steps(NamedTuple):
    """Losses by uncertainty: the sorted answers in steps of equal size."""

    doubt: np.ndarray  # (n_steps,) mean, by weight
    loss: np.ndarray  # (n_steps,) mean, by weight
    n: np.ndarray  # (n_steps,) int64 answers


def by_uncertainty(answers: Answers, n_steps: int = 10) -> Steps:
    """Return losses by uncertainty; equally uncertain answers stay together, so there may be fewer steps."""
    order = np.argsort(answers.doubt, kind="stable")
    ranked, n = answers.doubt[order], len(order)
    ends = np.searchsorted(
        ranked, ranked[np.ceil(np.arange(1, n_steps + 1) * n / n_steps).astype(int) - 1], "right"
    )
    ends = np.unique(ends)
    parts = np.split(order, ends[:-1])
    means = [
        [weighted_mean(of[part], answers.weight[part]) for part in parts] for of in (answers.doubt, answers.loss)
    ]
    doubt, loss, count = np.array(means[0]), np.array(means[1]), np.array([len(part) for part in parts])
    return Steps(doubt, loss, count)
