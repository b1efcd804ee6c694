"""A black box and the tree that stands in for it: what it learns from, and what both answer to rows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, NamedTuple

import numpy as np

from espalier.approximation.fidelity import Arranged, r2
from espalier.comparison.class_rates import Rates, rates
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.data.roles import class_sizes, weighted_mean
from espalier.learners.approximation import Considered
from espalier.learners.approximation.asking import FIRST, LONG, SHORT
from espalier.learners.approximation.sampling import discrete_mask, rounded_down
from espalier.learners.catalogue import Model
from espalier.predict import prior_among, shares, winners
from espalier.progress import Progress
from espalier.trees import Tree

KINDS_OF_LEVELS = ("ordered", "yes/no")  # kinds of features whose numbers are levels
FRESH = 10_000  # pseudo-samples that fidelity is measured on
FRESH_SEED = 2**40  # unlike any seed that a tree is grown with
MOST_ASKED = 10_000  # rows of the table that the black box is asked about, at most
PATIENCE = 10.0  # seconds that the model may take for each of them
FEWEST = 100  # however slow it is
MOST_AT_ONCE = 2  # models: beside one that was left another may learn
SECONDS_BETWEEN_LOOKS = 0.05
# The most rows for models whose time, or size, grows faster than the rows.
MOST_LEARNT = {"svm": 10_000, "network": 20_000, "neighbours": 20_000, "forest": 100_000, "cultivated": 100_000}

_room = threading.BoundedSemaphore(MOST_AT_ONCE)


class ModelAnswers(NamedTuple):
    """Answers of the model to rows that its tree was not grown on."""

    pace: float  # seconds that it takes for a row
    fresh: np.ndarray  # (n, n_features) pseudo-samples
    of_fresh: np.ndarray  # (n, n_outputs): the answers to them
    rows: np.ndarray  # (n_held,) int64: numbers of held-out rows, all or some
    of_rows: np.ndarray  # (n_held, n_outputs)


class Approximated(NamedTuple):
    """A black box and the tree that stands in for it."""

    key: str  # names data and model: the key of everything that is derived from it
    dataset: Dataset
    holdout: HeldOut  # from both
    held: np.ndarray  # (n_samples,) bool: these rows
    model: Model  # of the approximation tree
    box: Any  # the black box, fitted
    n_learnt: int  # rows that it learnt from; 0 where that is not known
    estimator: Any  # the approximation, fitted: `considered_`, `oracle_`, `pseudo_samples`
    tree: Tree  # with a share for every class of the data
    is_whole: bool  # whether it was not stopped
    arranged: Arranged | None = None  # of a person's own model: its classes and columns
    compared: ModelAnswers | None = None  # None while its job works

    @property
    def considered(self) -> Considered:
        """Tests at each node."""
        return self.estimator.considered_

    @property
    def is_late(self) -> bool:
        """Whether the limit of time stopped it, and no person."""
        return bool(getattr(self.estimator, "timed_out_", False))

    @property
    def prior(self) -> np.ndarray:
        """(n_classes,) by which the black box breaks ties, as `espalier.predict` has it; or none."""
        return prior_among(self.box, len(self.dataset.classes))

    @property
    def answers(self) -> ModelAnswers:
        """Answers of the model, of a job that has ended."""
        assert self.compared is not None
        return self.compared

    def ask_model(self, X: np.ndarray) -> np.ndarray:
        """(n, n_outputs): class shares, or a number, that the black box gives rows X (n, n_features)."""
        output = self.estimator.oracle_.answer(X)
        return spread_shares(output, self.estimator, self.dataset) if self.dataset.is_classification else output


class AnsweredRows(NamedTuple):
    """Rows, and the answers of both to them."""

    X: np.ndarray  # (n, n_features)
    model: np.ndarray  # (n, n_outputs)
    tree: np.ndarray  # (n, n_outputs)
    y: np.ndarray | None = None  # (n,) the truth, of rows of the table
    weight: np.ndarray | None = None  # (n,) how much each counts; None: all the same


class Truth(NamedTuple):
    """Scores of both on held-out rows: the accuracy, or R²."""

    model: float
    tree: float
    baseline: float  # always the most frequent class of the rows grown on, or their mean, on the same rows


# ---- what it learns from, and asking it


def learning_rows(dataset: Dataset, holdout: HeldOut, box: str) -> np.ndarray:
    """Return the rows that the black box learns from.

    They are those not held out; of very many, some where all are too much.
    """
    training = np.flatnonzero(~held_out(dataset, holdout))
    most = MOST_LEARNT.get(box, len(training))
    if len(training) <= most:
        return training
    return np.sort(np.random.default_rng(0).choice(training, most, replace=False))


def discrete_levels(dataset: Dataset) -> np.ndarray:
    """Return the numbers that jump between levels, (n_features,) bool.

    They are few whole ones, and codes of ordered categories.
    """
    is_code = np.array([feature.kind in KINDS_OF_LEVELS for feature in dataset.features], dtype=bool)
    return is_code | discrete_mask("auto", dataset.X, dataset.categorical)


def spread_shares(shares: np.ndarray, estimator: Any, dataset: Dataset) -> np.ndarray:
    """Return shares (n, k) of the classes that the model knows, by code, among all of the data, (n, n_classes)."""
    wide = np.zeros((len(shares), len(dataset.classes)))
    wide[:, np.asarray(estimator.classes_, dtype=np.int64)] = shares
    return wide


def affordable(pace: float, most: int) -> int:
    """Return how many rows to ask a model about that takes `pace` seconds for each: `most`, if that is quick.

    >>> affordable(0.0001, 10_000), affordable(0.003, 10_000), affordable(60.0, 10_000)
    (10000, 3000, 100)
    """
    return most if pace * most <= PATIENCE else min(max(int(rounded_down(PATIENCE / pace)), FEWEST), most)


def ask_in_steps(
    answer: Callable[[np.ndarray], np.ndarray], X: np.ndarray, pace: float, progress: Progress
) -> np.ndarray:
    """Return what a model says of the first n rows of X, of all unless it is stopped, (n, n_outputs)."""
    step = len(X) if pace * len(X) <= LONG else max(int(SHORT / pace), FIRST)
    parts = []
    for first in range(0, max(len(X), 1), max(step, 1)):
        if parts and progress.is_stopped:
            break
        parts.append(answer(X[first : first + step]))
        progress.advance(len(parts[-1]))
    return np.concatenate(parts)


def compare_answers(
    answer: Callable[[np.ndarray], np.ndarray],
    pace: float,
    progress: Progress,
    fresh: np.ndarray,
    rows: np.ndarray,
    X: np.ndarray,
) -> ModelAnswers:
    """Return a model's answers to `fresh` pseudo-samples, and to held-out rows, by number, of the table X."""
    outputs = ask_in_steps(answer, fresh, pace, progress)
    row_outputs = ask_in_steps(answer, X[rows], pace, progress) if len(rows) else np.empty((0, outputs.shape[1]))
    order = np.argsort(rows[: len(row_outputs)])
    return ModelAnswers(pace, fresh[: len(outputs)], outputs, rows[order], row_outputs[order])


def fit_until_stopped(fit: Callable[[], Any], progress: Progress) -> Any:
    """Return the model that `fit` returns; None as soon as it is stopped, though `fit` goes on to its end unheard.

    Raises what `fit` raises.
    """
    while not _room.acquire(timeout=SECONDS_BETWEEN_LOOKS):  # those that were left end by themselves
        if progress.is_stopped:
            return None
    model: Future[Any] = Future()

    def learn() -> None:
        try:
            model.set_result(fit())
        except BaseException as error:
            model.set_exception(error)
        finally:
            _room.release()

    # A daemon: the process need not wait for it when it ends.
    threading.Thread(target=learn, name="fit", daemon=True).start()
    while not (progress.is_stopped or model.done()):
        wait([model], SECONDS_BETWEEN_LOOKS)
    return None if progress.is_stopped else model.result()


# ---- both on the same rows


def fresh_rows(one: Approximated) -> AnsweredRows:
    """Return fresh pseudo-samples, none of which the tree was grown on, with both answers."""
    both = one.answers
    return AnsweredRows(both.fresh, both.of_fresh, shares(one.tree, both.fresh))


def held_rows(one: Approximated) -> AnsweredRows | None:
    """Return the held-out rows, all or some, with both answers; None where there are none."""
    both, data = one.answers, one.dataset
    if not len(both.rows):
        return None
    X = data.X[both.rows]
    return AnsweredRows(X, both.of_rows, shares(one.tree, X), data.y[both.rows], data.weights_of(both.rows))


def score_both(one: Approximated, rows: AnsweredRows) -> Truth | None:
    """Return the scores of both on rows of the table; None where these have no truth."""
    data = one.dataset
    if rows.y is None:
        return None
    if both := rate_both(one, rows):
        model, tree = both
        return Truth(model.accuracy, tree.accuracy, model.baseline)
    mean = np.full(len(rows.y), weighted_mean(data.y[~one.held], data.weights_of(~one.held)))
    answers = (rows.model[:, 0], rows.tree[:, 0], mean)
    return Truth(*(r2(rows.y, answer, rows.weight) for answer in answers))


def rate_both(one: Approximated, rows: AnsweredRows) -> tuple[Rates, Rates] | None:
    """Return the rates of the model and of the tree by class on rows of the table; None for numbers."""
    data, training = one.dataset, ~one.held
    if rows.y is None or not data.is_classification:
        return None
    usual = int(class_sizes(data.y[training], 1, data.weights_of(training)).argmax())
    model, tree = (
        rates(rows.y, codes, len(data.classes), usual, rows.weight)
        for codes in (winners(rows.model, one.prior), winners(rows.tree))
    )
    return model, tree
