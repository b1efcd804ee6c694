"""Rounds of gradient boosting: derivatives of the loss, a tree for each score, and the new scores.

A loss says where the scores start, how they become predictions, and their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from espalier.kernels.boosting import write_tree as gradients
from espalier.kernels.boosting.bins import LeafwiseLimits, make_bins, make_leafwise_workspace
from espalier.kernels.boosting.grow import SplitLimits, grow_leafwise
from espalier.kernels.boosting.write_tree import (
    BoostingStep,
    Derivatives,
    OutputDerivatives,
    add_steps,
    boosted_tree,
    pack_derivatives,
)
from espalier.kernels.route import columns_of
from espalier.learners.base import TrainingData
from espalier.learners.missing import weighted_median
from espalier.predict import shares
from espalier.progress import Progress
from espalier.trees import Tree

RARE = 1e-12  # least share of a class from which its score starts


class Loss(NamedTuple):
    """A loss of scores (n_scores, n_samples)."""

    link: str  # as in `espalier.trees.Forest`
    start: np.ndarray  # (n_scores,) float64: the constant scores of least loss
    differentiate: Callable  # (y, score, weight, derivatives): fills the derivatives, returns the weighted sum
    is_median: bool = False  # whether leaves step by the median residual, since there is no second derivative

    @property
    def n_scores(self) -> int:
        """How many scores a sample has, and so how many trees a round grows."""
        return len(self.start)

    def of(self, y: np.ndarray, score: np.ndarray, weight: np.ndarray, derivatives: Derivatives) -> float:
        """Fill the derivatives at the scores (n_scores, n_samples); return the weighted mean loss."""
        return self.differentiate(y, score, weight, derivatives) / weight.sum()


def squared_error(y: np.ndarray, weight: np.ndarray) -> Loss:
    """Return the squared error, from the mean of the targets on (ESL, algorithm 10.3, line 1)."""
    return Loss("identity", np.array([np.average(y, weights=weight)]), gradients.squared_error)


def absolute_error(y: np.ndarray, weight: np.ndarray) -> Loss:
    """Return the absolute error, from the median of the targets on (Friedman 2001, algorithm 3)."""
    return Loss("identity", np.array([weighted_median(y, weight)]), gradients.absolute_error, is_median=True)


def poisson(y: np.ndarray, weight: np.ndarray) -> Loss:
    """Return half the Poisson deviance of targets of at least 0, from the logarithm of their mean on."""
    return Loss("log", np.log([np.average(y, weights=weight)]), gradients.poisson)


NUMBER_LOSSES = {"squared_error": squared_error, "absolute_error": absolute_error, "poisson": poisson}


def log_loss(y: np.ndarray, weight: np.ndarray, n_classes: int) -> Loss:
    """Return the log loss: for two classes of one score, the log odds, else of one for each class.

    Scores start from the classes' shares (Friedman 2001, algorithms 5 and 6).
    """
    share = np.bincount(y.astype(np.int64), weight, n_classes) / weight.sum()
    score = np.log(np.maximum(share, RARE))
    if n_classes == 2:
        return Loss("logistic", score[1:] - score[:1], gradients.log_loss)
    return Loss("softmax", score - score.mean(), gradients.log_loss_of_many)


def no_derivatives(n_scores: int, n_samples: int) -> Derivatives:
    """Return room for the derivatives of so many scores and samples."""
    return Derivatives(np.empty((n_scores, n_samples)), np.empty((n_scores, n_samples)))


# ---- the rounds

LEAST_SECOND = 1e-3  # least sum of second derivatives in a leaf, in samples of mean weight; as scikit-learn has it


class BoostingLimits(NamedTuple):
    """Parameters of the trees of all rounds."""

    rate: float
    max_leaves: int  # 0: no limit
    max_depth: int
    min_leaf: int
    ridge: float
    max_bins: int
    n_drawn: int  # samples that a round grows on
    direction: np.ndarray  # (n_features,) int64: 1, -1 or 0; empty: all 0


class JudgeScores:
    """Scores of samples that no tree grows on."""

    def __init__(self, samples: TrainingData, loss: Loss):
        self._samples, self._loss = centre_targets(samples, loss)
        self.score = np.repeat(self._loss.start[:, None], len(samples.y), axis=1)
        self._derivatives = no_derivatives(*self.score.shape)

    def add(self, trees: list[Tree]) -> float:
        """Add the trees of a round, one for each score; return the mean loss."""
        for k, tree in enumerate(trees):
            self.score[k] += shares(tree, self._samples.X)[:, k]
        return self.mean_loss()

    def mean_loss(self) -> float:
        """Return the weighted mean loss of the scores."""
        _, y, weight = self._samples
        return self._loss.of(y, self.score, weight, self._derivatives)


class Rounds:
    """Rounds of boosting on some samples, one after the other. `loss` is the mean loss of the scores so far."""

    def __init__(
        self,
        samples: TrainingData,
        is_category: np.ndarray,
        loss: Loss,
        limits: BoostingLimits,
        n_threads: int,
        unit: np.ndarray | None = None,
    ):
        """`unit` (n_samples,) says what each sample is drawn together with; None: with none."""
        self._unit, self._limits = unit, limits
        self._samples, self._loss = centre_targets(samples, loss)
        self._n_threads = min(n_threads, loss.n_scores)
        self._table = make_bins(columns_of(samples.X), is_category, limits.max_bins, n_threads)
        self._rooms: SimpleQueue = SimpleQueue()  # one workspace and place for pairs for each thread
        for _ in range(self._n_threads):
            pair = np.empty((len(samples.y), 2), np.int64)
            self._rooms.put((make_leafwise_workspace(self._table, limits.max_leaves), pair))
        self._score = np.repeat(self._loss.start[:, None], len(samples.y), axis=1)
        self._derivatives = no_derivatives(*self._score.shape)
        self._differentiate()

    def grow(self, seed: int, progress: Progress) -> list[Tree]:
        """Return the trees of the next round, one for each score, and add them to the scores."""
        rows = drawn_rows(seed, len(self._samples.y), self._limits.n_drawn, self._unit)
        if self._n_threads == 1:
            trees = [self._tree(k, rows, progress) for k in range(self._loss.n_scores)]
        else:
            with ThreadPoolExecutor(self._n_threads) as pool:
                trees = list(pool.map(lambda k: self._tree(k, rows, progress), range(self._loss.n_scores)))
        self._differentiate()
        return trees

    def _differentiate(self) -> None:
        _, y, weight = self._samples
        self.loss = self._loss.of(y, self._score, weight, self._derivatives)

    def _tree(self, k: int, rows: np.ndarray, progress: Progress) -> Tree:
        """Grow the tree of score k on these rows, and add its values to the score of all."""
        room, pair = self._rooms.get()
        try:
            first, weight, limits = self._derivatives.first[k], self._samples.weight, self._limits
            pairs = pack_derivatives(first, self._derivatives.second[k], pair)
            room.rows[: len(rows)] = rows
            n_nodes = grow_leafwise(self._table, pair, self._growth(pairs), room, len(rows), progress.array)
            step = BoostingStep(limits.rate, limits.ridge, k, self._loss.n_scores, self._loss.link == "log")
            residual = self._samples.y - self._score[k] if self._loss.is_median else np.empty(0)
            outputs = OutputDerivatives(pairs, first, weight, residual, limits.direction)
            tree, values = boosted_tree(self._table, room, n_nodes, outputs, step)
            if len(rows) == len(first):
                add_steps(room, n_nodes, values, self._score[k])
            else:
                self._score[k] += shares(tree, self._samples.X)[:, k]
            return tree
        finally:
            self._rooms.put((room, pair))

    def _growth(self, pairs) -> LeafwiseLimits:
        limits, unit = self._limits, pairs.units.second
        least = LEAST_SECOND * float(self._samples.weight.mean()) / unit
        split = SplitLimits(pairs.units.n_bits, limits.min_leaf, least, limits.ridge / unit, limits.direction)
        return LeafwiseLimits(limits.max_leaves, limits.max_depth, split)


def centre_targets(samples: TrainingData, loss: Loss) -> tuple[TrainingData, Loss]:
    """Return targets and scores less the start of the scores, where these are in the units of the targets.

    Far from 0 a score would lose what a small step adds to it, and the trees would sum to something else.
    """
    if loss.link != "identity":
        return samples, loss
    return samples._replace(y=samples.y - loss.start[0]), loss._replace(start=np.zeros(1))


def drawn_rows(seed: int, n: int, n_drawn: int, unit: np.ndarray | None = None) -> np.ndarray:
    """Return the rows that a round of this seed grows on, ascending, drawn without replacement.

    Stochastic gradient boosting (Friedman 2002, section 2). Of rows that are drawn together by their `unit` (n,),
    whole units are drawn, with at most so many rows unless one unit alone has more.
    """
    if n_drawn == n:
        return np.arange(n)
    if unit is not None:
        size = np.bincount(unit)
        order = np.random.default_rng(seed).permutation(np.flatnonzero(size))
        n_units = max(int(np.searchsorted(np.cumsum(size[order]), n_drawn, side="right")), 1)
        return np.flatnonzero(np.isin(unit, order[:n_units]))
    return np.sort(np.random.default_rng(seed).choice(n, n_drawn, replace=False))


def rounds_of(
    rounds: Rounds, judge: JudgeScores | None, seeds: np.ndarray, progress: Progress
) -> Iterator[tuple[list[Tree], float, float | None]]:
    """Yield for one round after the other its trees, and the mean loss of the samples grown on and judged by.

    Ends once the progress is stopped; a round that was cut short does not count, unless it is the first.
    """
    for number, seed in enumerate(seeds):
        trees = rounds.grow(int(seed), progress)
        if progress.is_stopped and number > 0:
            return
        yield trees, rounds.loss, None if judge is None else judge.add(trees)
        if progress.is_stopped:
            return


def is_over(losses: list[float], n_rounds: int, tol: float) -> bool:
    """Return whether none of the last n_rounds losses is lower by more than tol than the one before them."""
    return len(losses) > n_rounds and min(losses[-n_rounds:]) >= losses[-n_rounds - 1] - tol
