"""Repeated cross-validation: several models on the same folds, scored on rows that they have not seen.

Scores of folds (`espalier.data.rows.folds`) share training rows, so they are not independent measurements;
`espalier.comparison.differences` accounts for this.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from espalier.comparison.scores import ClassScores, MeanScores, class_scores, mean_scores
from espalier.data.dataset import Dataset
from espalier.data.rows.assignment import RowColumn, with_roles
from espalier.data.rows.folds import Fold, Folds, folds_of, plan_for
from espalier.fitting import fit
from espalier.progress import Progress
from espalier.tasks import Call, in_order
from espalier.ties import prior_among, winners
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
    prediction: np.ndarray | None = None  # (n_samples,): classes from `predict`; None: the first of equal shares
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
        for tried in self.tried:
            scores[tried.number] = getattr(tried.scores, name)
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
    run = ValidationRun(estimator, dataset, plan)
    return gathered(over_folds(try_fold, run, executor, progress), dataset, plan)


class ValidationRun(NamedTuple):
    """A model to validate: the estimator, not fitted, and the data and folds."""

    estimator: Any
    dataset: Dataset
    plan: Folds


def over_folds(
    ask: Callable[..., T], run: ValidationRun, executor: Executor | None, progress: Progress | None
) -> list[T]:
    """Return the results of `ask` on each fold, in order; the parameters are as in `fold_tasks` and `validate`."""
    tasks = fold_tasks(ask, run)
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        return [result for _, result in in_order(tasks, here, progress, len(tasks))]


def fold_tasks(ask: Callable[..., Any], run: ValidationRun) -> list[Call]:
    """Return a task for each fold, which calls `ask` as `try_fold` is called, with a new clone of the estimator.

    Raises ValueError for impossible folds.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> len(fold_tasks(try_fold, ValidationRun(CartClassifier(), samples.load("iris"), Folds(n_folds=5))))
    5
    """
    estimator, dataset = run.estimator, run.dataset
    counts = has_fit_parameter(estimator, "progress")
    total = len(dataset.y) * (getattr(estimator, "n_estimators", 1) or 1) if counts else 0
    return [Call(ask, (clone(estimator), dataset, fold), total) for fold in folds_of(dataset, run.plan)]


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
    scores = scored(dataset, rows, answers[0], prediction)
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


def scored(dataset: Dataset, rows: np.ndarray, answers: np.ndarray, prediction: np.ndarray) -> Scores:
    """Return the scores on these rows of the data of what `answers_of` and `prediction_of` say of them."""
    weight = dataset.weights_of(rows)
    if dataset.is_classification:
        return class_scores(dataset.y[rows], answers, prediction, weight)
    return mean_scores(dataset.y[rows], answers[:, 0], weight)


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def gathered(
    results: list[tuple[Tried, np.ndarray, np.ndarray]],
    dataset: Dataset,
    plan: Folds,
    rows_at_once: np.ndarray | None = None,
) -> Validated:
    """Return what the results of `try_fold` make together, of all folds or of some.

    A fitted model is tried on one fold, of all samples that it was not trained on: `rows_at_once`.
    """
    folds, plan = folds_of(dataset, plan), plan_for(dataset, plan)
    predicted = np.full((len(dataset.y), max(len(dataset.classes), 1)), np.nan)
    prediction = np.zeros(len(dataset.y), dataset.y.dtype)
    for tried, answers, own in results:
        if tried.number < plan.n_folds:
            rows = folds[tried.number].rows if rows_at_once is None else rows_at_once
            predicted[rows], prediction[rows] = answers, own
    predicted.setflags(write=False)
    return Validated(
        tuple(tried for tried, *_ in results), predicted, plan, read_only(prediction), dataset.weights
    )


# ---- scores of models on part of each fold's rows, where a fitted model meets others


def rescored(validated: Validated, dataset: Dataset, among: np.ndarray) -> Validated:
    """Return the same model with its scores on those rows of each fold that are among (n_samples,) bool.

    Of the first repeat, whose predictions are at hand; a fold without such a row is left out. Of a fitted model
    that was asked about all rows at once, it makes a score for each fold.

    >>> import numpy as np
    >>> from espalier.comparison.cross_validation import validate
    >>> from espalier.data import samples
    >>> from espalier.data.rows.folds import Folds
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> found = validate(CartClassifier(max_depth=2), iris, Folds(n_folds=3))
    >>> rescored(found, iris, np.arange(150) < 100).scores("accuracy").round(2).tolist()
    [1.0, 1.0, 0.85]
    """
    return validated._replace(tried=tuple(_tried(validated, dataset, among)))


def _tried(validated: Validated, dataset: Dataset, among: np.ndarray) -> Iterator[Tried]:
    asked = among & np.isfinite(validated.predicted).all(axis=1)
    first = validated.tried[0]
    for fold in folds_of(dataset, validated.plan)[: validated.plan.n_folds]:
        rows = fold.rows[asked[fold.rows]]
        if len(rows):
            scores = scored(dataset, rows, validated.predicted[rows], _prediction(validated, rows))
            yield first._replace(number=fold.number, scores=scores)


def _prediction(validated: Validated, rows: np.ndarray) -> np.ndarray:
    return validated.predicted[rows].argmax(axis=1) if validated.prediction is None else validated.prediction[rows]
