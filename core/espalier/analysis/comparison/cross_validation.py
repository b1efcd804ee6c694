"""Repeated cross-validation: several models on the very same folds, scored where they have not looked.

The folds follow from the targets and the `Folds` alone, so that models that are tried apart, at other times, can
be
compared fold by fold. Scores of folds share training rows, hence are no independent measurements: how far they can
be trusted is the matter of `espalier.analysis.comparison.differences`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from espalier.analysis.comparison.scores import ClassScores, MeanScores, class_scores, mean_scores
from espalier.analysis.tree.model_size import Size, size_of
from espalier.data.dataset import Dataset
from espalier.learners.ties import prior_among, winners
from espalier.trees import read_only

T = TypeVar("T")
Scores: TypeAlias = ClassScores | MeanScores
PARTS = 1_000  # of a fold, that progress is counted in
GLANCE_SECONDS = 0.1


class Folds(NamedTuple):
    """How the rows are dealt into folds."""

    n_folds: int = 10
    n_repeats: int = 1  # how often all rows are dealt anew
    seed: int = 0

    @property
    def n_all(self) -> int:
        """Folds of all repeats: how often each model is fitted."""
        return self.n_folds * self.n_repeats

    @property
    def ratio_tested(self) -> float:
        """Rows tested on for one trained on, in every fold."""
        return 1 / (self.n_folds - 1)


class Tried(NamedTuple):
    """A model on one fold: fitted to the rows outside it, asked about those inside."""

    number: int  # of the fold, over all repeats
    scores: Scores
    size: Size
    fit_seconds: float
    predict_seconds: float  # for all rows of the fold
    is_whole: bool  # False: a search ran out of its time and left the best it had


class Validated(NamedTuple):
    """A model on all folds, or on those that there was time for."""

    tried: tuple[Tried, ...]  # by the number of the fold
    predicted: np.ndarray  # (n_samples, n_outputs): what was told out of fold, in the first repeat; else nan
    plan: Folds
    said: np.ndarray | None = None  # (n_samples,): what `predict` makes of it; None: the first of equals

    @property
    def is_complete(self) -> bool:
        """Whether every fold was tried."""
        return len(self.tried) == self.plan.n_all

    def scores(self, name: str) -> np.ndarray:
        """(n_all,): the score of this name in every fold; nan where it was not tried or is not defined."""
        found = np.full(self.plan.n_all, np.nan)
        for tried in self.tried:
            found[tried.number] = getattr(tried.scores, name)
        return found


def deal(y: np.ndarray, plan: Folds) -> list[np.ndarray]:
    """The test rows (indices, ascending) of every fold, repeat after repeat; a repeat's folds share no row.

    Each fold has its share of every class (of integer y), or of small and great numbers, up to a row. Raises
    ValueError where there are fewer rows than folds, or fewer than two folds.
    """
    if not 2 <= plan.n_folds <= len(y):
        raise ValueError(f"{plan.n_folds} folds cannot be made of {len(y)} rows; there must be 2 to {len(y)}")
    rng = np.random.default_rng(plan.seed)
    return [rows for _ in range(plan.n_repeats) for rows in _deal_once(y, plan.n_folds, rng)]


def _deal_once(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Rows in order of the target, equal ones by chance; of every `n_folds` in a row each fold takes one.

    Of classes each row's fold is the next one's neighbour, so that small classes are spread evenly too.
    """
    shuffled = rng.permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    rounds = -(-len(y) // n_folds)
    if np.issubdtype(y.dtype, np.integer):
        dealt = np.tile(rng.permutation(n_folds), rounds)
    else:
        dealt = np.concatenate([rng.permutation(n_folds) for _ in range(rounds)])
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = dealt[: len(y)]
    return [np.flatnonzero(fold == number) for number in range(n_folds)]


def validate(
    estimator: Any, dataset: Dataset, plan: Folds, pool: Executor | None = None, signals: np.ndarray | None = None
) -> Validated:
    """Fit a clone of the estimator for every fold, on the pool (None: one thread), and score it there.

    `signals` is int64 (2,), shared with another thread: [0] counts `PARTS` for every fold that is done, up to
    ``plan.n_all * PARTS``; once [1] is not zero no fold begins, and those under way on threads end and are left
    out. Raises ValueError for folds that cannot be made, and what fitting raises.
    """
    return _gathered(over_folds(try_fold, (estimator, dataset, plan), pool, signals), dataset, plan)


def over_folds(
    ask: Callable[..., T], matter: tuple[Any, Dataset, Folds], pool: Executor | None, signals: np.ndarray | None
) -> list[T]:
    """What `ask` finds on each fold, in order: called as `try_fold`, with a clone of the estimator each time.

    `matter` are the estimator, the data and the plan; the rest is as in `validate`, which asks for scores.
    """
    estimator, dataset, plan = matter
    folds = list(enumerate(deal(dataset.y, plan)))
    signals = np.zeros(2, np.int64) if signals is None else signals
    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ThreadPoolExecutor(1)) if pool is None else pool
        tasks = [_submitted(ask, clone(estimator), dataset, fold, here) for fold in folds]
        try:
            _attend(tasks, signals)
        except BaseException:
            _stop(tasks)
            raise
    done = [task.future.result() for task in tasks if not task.future.cancelled() and not task.signals[1]]
    if not signals[1]:
        signals[0] = PARTS * len(folds)
    return done


class _Task(NamedTuple):
    """A fold at work."""

    future: Future[Any]
    signals: np.ndarray  # (2,) int64: of the estimator; of no use to another process
    total: int  # what signals[0] comes to


def _submitted(
    ask: Callable[..., Any], estimator: Any, dataset: Dataset, fold: tuple[int, np.ndarray], pool: Executor
) -> _Task:
    own = np.zeros(2, np.int64)
    shared = own if isinstance(pool, ThreadPoolExecutor) and has_fit_parameter(estimator, "signals") else None
    future = pool.submit(ask, estimator, dataset, fold, shared)
    return _Task(future, own, len(dataset.y) * (getattr(estimator, "n_estimators", 1) or 1))


def _attend(tasks: Sequence[_Task], signals: np.ndarray) -> None:
    """Hand signals on, both ways, until all folds are done; raises what one of them raised, at once."""
    waiting = {task.future for task in tasks}
    while waiting:
        done, waiting = wait(waiting, GLANCE_SECONDS, FIRST_COMPLETED)
        if signals[1]:
            waiting = {future for future in waiting if not future.cancel()}
            for task in tasks:
                task.signals[1] |= not task.future.done()  # what is whole by now stays
        for future in done:
            if not future.cancelled():
                future.result()
        signals[0] = max(int(signals[0]), sum(map(_parts_done, tasks)))


def _parts_done(task: _Task) -> int:
    if task.future.done():
        return PARTS
    return min(int(PARTS * task.signals[0] / max(task.total, 1)), PARTS - 1)


def _stop(tasks: Sequence[_Task]) -> None:
    for task in tasks:
        task.future.cancel()
        task.signals[1] = 1


def try_fold(
    estimator: Any, dataset: Dataset, fold: tuple[int, np.ndarray], signals: np.ndarray | None = None
) -> tuple[Tried, np.ndarray, np.ndarray]:
    """The estimator on a fold (its number, its rows); what it answers there, as `answers_of`, and as `said_of`."""
    number, rows = fold
    inside = np.zeros(len(dataset.y), dtype=bool)
    inside[rows] = True
    X, y = dataset.X[~inside], dataset.y[~inside]
    fit_seconds = _seconds(lambda: estimator.fit(X, y, **({} if signals is None else {"signals": signals})))
    answers: list[np.ndarray] = []
    predict_seconds = _seconds(lambda: answers.append(answers_of(estimator, dataset, dataset.X[rows])))
    proof = getattr(estimator, "proof_", None)
    size, is_whole = size_of(estimator), proof is None or bool(proof.proved)
    said = said_of(estimator, dataset, answers[0])
    scores = _scored(dataset, rows, answers[0], said)
    return Tried(number, scores, size, fit_seconds, predict_seconds, is_whole), answers[0], said


def answers_of(estimator: Any, dataset: Dataset, X: np.ndarray) -> np.ndarray:
    """(n_rows, n_outputs): a share for every class of the data, also for one that was not trained on; or means."""
    if not dataset.is_classification:
        return np.asarray(estimator.predict(X))[:, None]
    shares = np.zeros((len(X), len(dataset.classes)))
    shares[:, estimator.classes_] = estimator.predict_proba(X)
    return shares


def said_of(estimator: Any, dataset: Dataset, answers: np.ndarray) -> np.ndarray:
    """(n_rows,): the class, or number, that the estimator's `predict` makes of these `answers_of` it, ties too."""
    if not dataset.is_classification:
        return answers[:, 0]
    return winners(answers, prior_among(estimator, len(dataset.classes)))


def _scored(dataset: Dataset, rows: np.ndarray, answers: np.ndarray, said: np.ndarray) -> Scores:
    if dataset.is_classification:
        return class_scores(dataset.y[rows], answers, said)
    return mean_scores(dataset.y[rows], answers[:, 0])


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _gathered(found: list[tuple[Tried, np.ndarray, np.ndarray]], dataset: Dataset, plan: Folds) -> Validated:
    folds = deal(dataset.y, plan)
    predicted = np.full((len(dataset.y), max(len(dataset.classes), 1)), np.nan)
    said = np.zeros(len(dataset.y), dataset.y.dtype)
    for tried, answers, own in found:
        if tried.number < plan.n_folds:
            predicted[folds[tried.number]], said[folds[tried.number]] = answers, own
    predicted.setflags(write=False)
    return Validated(tuple(tried for tried, *_ in found), predicted, plan, read_only(said))
