"""Selective prediction: accuracy of a model that abstains from the samples about which it is uncertain.

Uncertainty (`reliability.uncertainty`) is measured out of fold, by models that have not seen the sample.
A model that answers only up to a threshold of uncertainty answers a share of the samples, its coverage, and is
right for a share of those; Nalenz & Augustin (2021, figure 4) draw both against the threshold. In general an
answer has a loss: 0 or 1 for a class, the absolute error for a number. A goal chooses the threshold.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import betainc

from espalier.comparison.class_rates import Rates, rates
from espalier.comparison.cross_validation import (
    ALPHA,
    Validated,
    answers_of,
    over_folds,
    prediction_of,
)
from espalier.comparison.scores import wilson
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, Folds, plan_for, rows_to_fit
from espalier.data.roles import class_sizes, effective_size, weighted_mean, within_units
from espalier.data.subset import RowColumn, with_roles
from espalier.fitting import fit, weights_for
from espalier.language import Refusal
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.rashomon.graph import most_trees_as_good
from espalier.learners.optimal.rashomon.summaries import least_objectives
from espalier.learners.optimal.rashomon.surveys import StoppedEarly
from espalier.oblique import ObliqueTree
from espalier.progress import Progress
from espalier.reliability.uncertainty import (
    NONE,
    OWN,
    SHARE,
    Uncertainty,
    measure_of,
    model_of,
    share_doubt,
    uncertainties,
)
from espalier.trees import AnyTree, Forest

MOST_POINTS = 200  # of a curve
SLACK = 0.01  # of the weight of all rows: what trees as good may cost more than the best one
MOST_SPLITS = 10_000  # of the graph of these trees


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
    models = over_folds(ask_fold, estimator, dataset, plan, executor, progress)
    return FoldModels(tuple(models), dataset, plan_for(dataset, plan))


def ask_fold(estimator: Any, dataset: Dataset, fold: Fold, progress: Progress | None = None) -> FoldModel:
    """Fit the estimator outside a fold and return predictions and uncertainty inside."""
    number, rows, fitted_to = fold
    fit(estimator, dataset, fitted_to, progress)
    answers, prediction, doubt = uncertain_answers(estimator, dataset, dataset.X[rows])
    model = model_of(estimator)
    tree, n_trees = (None, model.n_trees) if isinstance(model, Forest) else (model, 1)
    return FoldModel(number, rows, answers, prediction, doubt, measure_of(model), tree, n_trees)


def fit_outside(estimator: Any, dataset: Dataset, rows: np.ndarray, progress: Progress | None = None) -> Any:
    """Return the estimator fitted to all but these rows (indices), and what belongs together with them.

    Of data with times later rows stay: the question is what the model says without these rows, not what could be
    known before them.
    """
    return fit(estimator, dataset, rows_to_fit(dataset.roles, rows, len(dataset.y), is_forecast=False), progress)


def uncertain_answers(
    estimator: Any, dataset: Dataset, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Uncertainty]:
    """Return `answers_of` and `prediction_of` for the rows of X, and their uncertainty."""
    answers, model = answers_of(estimator, dataset, X), model_of(estimator)
    prediction = prediction_of(estimator, dataset, answers)
    if not dataset.is_classification:
        return answers, prediction, uncertainties(model, X)
    if model is None:
        return answers, prediction, Uncertainty(share_doubt(answers))
    classes = np.asarray(estimator.classes_)  # the estimator's classes, as numbers of the data's classes
    doubt = uncertainties(model, X, np.searchsorted(classes, prediction))
    if doubt.votes is None:
        return answers, prediction, doubt
    votes = np.zeros_like(answers)
    votes[:, classes] = doubt.votes
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
    each = [_fold_answers(model, data, by) for model in models.tried]
    fold = np.concatenate([np.full(len(model.rows), model.number) for model in models.tried])
    row, answer, loss, doubt = (np.concatenate(part) for part in zip(*each, strict=True))
    weight = np.ones(len(row)) if data.weights is None else data.weights[row]
    weight = weight * (effective_size(weight) / (weight.sum() or 1.0))
    unit = None if data.roles.groups is None else data.roles.groups.codes[row]
    return Answers(row, fold, fold // models.plan.n_folds, answer, loss, doubt, weight, unit)


def _fold_answers(model: FoldModel, data: Dataset, by: str) -> tuple[np.ndarray, ...]:
    """Return rows, answers, losses and uncertainties of one fold."""
    truth = data.y[model.rows]
    if not data.is_classification:
        return model.rows, model.prediction, np.abs(model.prediction - truth), model.doubts.doubt
    is_share = by == SHARE or model.measure == NONE
    doubt = share_doubt(model.answers) if is_share else model.doubts.doubt
    return model.rows, model.prediction, (model.prediction != truth).astype(np.float64), doubt


def validation_of(models: FoldModels) -> Validated:
    """Return the predicted shares of the first repeat, for calibration; without scores."""
    data = models.dataset
    shares = np.full((len(data.y), max(len(data.classes), 1)), np.nan)
    prediction = np.zeros(len(data.y), data.y.dtype)
    for model in models.tried:
        if model.number < models.plan.n_folds:
            shares[model.rows], prediction[model.rows] = model.answers, model.prediction
    return Validated((), shares, models.plan, prediction, data.weights)


# ---- curves


def curve(answers: Answers, plan: Folds, most: int = MOST_POINTS) -> CoverageCurve:
    """Return coverage and risk at every uncertainty that occurs, or at `most` of them, evenly over the answers.

    The intervals are those of `ratio`.
    """
    threshold = thresholds(answers.doubt, most)
    folds = np.unique(answers.fold)
    parts = [_fold_sums(answers, answers.fold == fold, threshold) for fold in folds]
    n, n_answered, loss = (np.stack(part).astype(float) for part in zip(*parts, strict=True))
    is_share = bool(np.isin(answers.loss, (0.0, 1.0)).all())
    coverage = ratio(n_answered, n, plan, True)
    risk = ratio(loss, n_answered, plan, is_share)
    return CoverageCurve(threshold, coverage[0], risk[0], *coverage[1:], *risk[1:])


def thresholds(doubt: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Return the distinct uncertainties, ascending, (n_points,).

    Of more than `most` those at even steps of rank.
    """
    values = np.unique(doubt)
    if len(values) <= most:
        return values
    ascending = np.sort(doubt)
    return np.unique(ascending[np.linspace(0, len(ascending) - 1, most).round().astype(int)])


def _fold_sums(
    answers: Answers, inside: np.ndarray, threshold: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weight of the fold's rows, of those answered at each threshold, and their loss, (n_points,)."""
    order = np.argsort(answers.doubt[inside], kind="stable")
    count = np.searchsorted(answers.doubt[inside][order], threshold, side="right")
    weight = answers.weight[inside][order]
    cumulative = np.append(0.0, np.cumsum(weight))
    total = np.append(0.0, np.cumsum(weight * answers.loss[inside][order]))
    return np.full(len(threshold), cumulative[-1]), cumulative[count], total[count]


def ratio(above: np.ndarray, below: np.ndarray, plan: Folds, is_share: bool) -> tuple[np.ndarray, ...]:
    """Return sums of `above` over sums of `below`, (n_points,), with the ends of the 95 % interval.

    Both are (n_folds, n_points).

    The interval is that of a ratio of two sums (Cochran 1977, Sampling techniques, section 6.3), widened for folds
    that share training rows as in `comparison.cross_validation`. Folds may agree by luck: for shares the
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


def ratio_of_rows(
    fold: np.ndarray, above: np.ndarray, below: np.ndarray, plan: Folds, is_share: bool
) -> tuple[float, float, float]:
    """Return the `ratio` of the sums over rows, each in its fold, (n,), and the ends of its interval."""
    _, place = np.unique(fold, return_inverse=True)
    sums = [np.bincount(place, part)[:, None] for part in (above, below)]
    middle, low, high = ratio(sums[0], sums[1], plan, is_share)
    return float(middle[0]), float(low[0]), float(high[0])


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
    values, start, count = np.unique(answers.doubt[order], return_index=True, return_counts=True)
    sums = np.add.reduceat(weight, start)
    means = np.add.reduceat(weight * loss, start) / np.where(sums > 0, sums, 1.0)
    losses = np.repeat(means, count) if len(values) else loss
    best = np.argsort(answers.loss, kind="stable")
    perfect = _area(answers.loss[best], answers.weight[best])
    return Area(_area(losses, weight), perfect, weighted_mean(answers.loss, answers.weight))


def rates_of(answers: Answers, dataset: Dataset, given: np.ndarray) -> Rates:
    """Return the rates of each class among the given answers, (n,) bool; for classification, as codes."""
    truth = dataset.y[answers.row[given]]
    weight = dataset.weights_of(answers.row[given])
    return rates(truth, answers.answer[given], len(dataset.classes), usual_of(dataset), weight)


def usual_of(dataset: Dataset) -> int:
    """Return the most frequent class, by weight."""
    return int(class_sizes(dataset.y, 1, dataset.weights).argmax())


def baseline_answers(answers: Answers, dataset: Dataset) -> Answers:
    """Return the same rows in the same order of uncertainty, with the most frequent class as every answer."""
    usual = usual_of(dataset)
    loss = (dataset.y[answers.row] != usual).astype(np.float64)
    return answers._replace(answer=np.full(len(answers.row), usual), loss=loss)


def _area(loss: np.ndarray, weight: np.ndarray) -> float:
    """Return the mean over the answers, in their order, of the mean loss up to each."""
    counts = weight > 0
    loss, weight = loss[counts], weight[counts]
    return weighted_mean(np.cumsum(weight * loss) / np.cumsum(weight), weight)


# ---- rows whose class trees as good do not settle: a reason to ask an expert
#
# The trees that are as good as an optimal one, or nearly, may give a row different classes; none of these is then
# founded better than the others (Marx, Calmon & Ustun 2020, predictive multiplicity).


def possible_classes(
    estimator: Any, dataset: Dataset, fitted_to: np.ndarray, rows: np.ndarray, progress: Progress | None = None
) -> np.ndarray | None:
    """Return which classes trees as good give to rows, (n_rows, n_classes) bool; None where they are not counted.

    The estimator was fitted to the rows `fitted_to`. Trees as good are those whose cost on these is at most
    `SLACK` of their weight above the proved optimum. They are not counted for models other than optimal trees, for
    those that do not list them (`OptimalClassifier.lists_trees`), nor where they are too many.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> possible_classes(model, iris, np.arange(150), np.array([0, 70, 149])).astype(int).tolist()
    [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    """
    if not isinstance(estimator, OptimalClassifier) or not estimator.lists_trees:
        return None
    X, y, weight = dataset.X[fitted_to], dataset.y[fitted_to], weights_for(estimator, dataset, fitted_to)
    training = estimator.prepare(X, y, weight)
    try:
        slack = SLACK * float(training.weight.sum())
        trees = most_trees_as_good(estimator, training, slack, progress, MOST_SPLITS)
    except StoppedEarly:
        return None
    possible = np.zeros((len(rows), len(dataset.classes)), dtype=bool)
    possible[:, estimator.classes_] = np.isfinite(least_objectives(trees, dataset.X[rows]))
    return possible


# ---- how doubtful an answer may be, if answers to new rows are to be right as often as is promised

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
#
# A threshold chosen and tested on the same rows is too optimistic, most of all the best of many. So each fold is
# tested at the threshold that the other folds of the same repeat would choose. (Their models have learned from
# rows of that fold, as in any cross-validation; only the choice has not seen them.)

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
    fold_thresholds = _thresholds_of_rest(answers, goal, plan)
    if goal.confidence is not None:  # its error is counted in: held-out folds would judge a promise of fewer rows
        fold_thresholds = np.where(np.isnan(fold_thresholds), fold_thresholds, threshold)
    handed_over = answers.doubt > fold_thresholds[answers.fold]
    certain = answers.doubt <= threshold
    costs = np.where(handed_over, goal.asking, goal.wrong * answers.loss)
    return Point(
        threshold, fold_thresholds, handed_over,
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


def _thresholds_of_rest(answers: Answers, goal: Goal, plan: Folds) -> np.ndarray:
    """Return the threshold that the other folds of its repeat choose for each fold, by number; nan: untried."""
    numbers = np.unique(answers.fold)
    fold_thresholds = np.full(int(numbers.max()) + 1, np.nan)
    for number in numbers:
        rest = (answers.repeat == number // plan.n_folds) & (answers.fold != number)
        inside = rest if rest.any() else answers.fold == number
        fold_thresholds[number] = choose(answers.doubt[inside], answers.loss[inside], goal, answers.weight[inside])
    return fold_thresholds


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
    ascending = doubt[order]
    last = np.flatnonzero(np.append(ascending[1:] > ascending[:-1], True))  # ends of runs of equal uncertainties
    weight = np.ones(len(loss)) if weight is None else weight[order]
    count, total = np.cumsum(weight)[last], np.cumsum(weight * loss[order])[last]
    place = _place(count, total, float(total[-1]), goal)
    if place == len(last) - 1:
        return math.inf
    return float(ascending[last[place]]) if place >= 0 else -math.inf


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
    is_share = bool(np.isin(answers.loss, (0.0, 1.0)).all())
    return ratio_of_rows(
        answers.fold, answers.weight * (answers.loss * given), answers.weight * given, plan, is_share
    )
