"""Predictions of trees from redrawn data for the same rows: pairwise agreement and variance.

::

    votes = votes_of(replicates.trees, data.X)        # (n_trees, n_samples): class numbers, or numbers
    pairwise_agreement(votes)                         # Agreement: mean over all pairs, and for each row
    surface(replicates.trees, plane)                  # ReplicateSpread: mean and variance in every cell of a plane
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.kernels.cultivated.slice import Slice, predict_slice
from espalier.predict import predictions, samples_over, shares
from espalier.trees import AnyTree, CultivatedTree

AT_ONCE = 32  # trees whose answers are in memory at a time


class Agreement(NamedTuple):
    """Agreement of trees over all pairs of different trees."""

    by_row: np.ndarray  # (n_samples,): classes: share of pairs that agree; numbers: mean difference of a pair, see
    #                     `pairwise_difference`
    mean: float  # over the rows; of numbers their root mean square


class ReplicateSpread(NamedTuple):
    """Mean and variance over trees of their predictions for each row."""

    mean: np.ndarray  # (n_samples, n_outputs)
    variance: np.ndarray  # (n_samples,): of a number; of class shares half the summed variances


def votes_of(trees: Sequence[AnyTree], X: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """Return each tree's class number (int64) or number (float64) for each row of X, (n_trees, n_samples)."""
    X = np.asfortranarray(X, dtype=np.float64)
    with ThreadPoolExecutor(n_threads) as pool:
        return np.stack(list(pool.map(lambda tree: predictions(tree, X), trees)))


def pairwise_agreement(votes: np.ndarray) -> Agreement:
    """Return the share of pairs of trees that vote alike, from votes (n_trees, n_samples) int64 (class numbers).

    Of n trees, n_c of which vote for class c, n_c (n_c - 1) of n (n - 1) ordered pairs agree on it.
    Raises ValueError for fewer than two trees.
    """
    _demand(votes)
    n, alike = len(votes), np.zeros(votes.shape[1])
    for k in range(int(votes.max(initial=0)) + 1):
        count = (votes == k).sum(axis=0)
        alike += count * (count - 1.0)
    by_row = alike / (n * (n - 1))
    return Agreement(by_row, float(by_row.mean()))


def pairwise_difference(numbers: np.ndarray) -> Agreement:
    """Return the root mean squared difference between two trees' predictions (n_trees, n_samples), over all pairs.

    That is √2 times the standard deviation. Raises ValueError for fewer than two trees.
    """
    _demand(numbers)
    squares = 2 * numbers.var(axis=0, ddof=1)
    return Agreement(np.sqrt(squares), float(np.sqrt(squares.mean())))


def _demand(answers: np.ndarray) -> None:
    if len(answers) < 2:
        raise ValueError("one tree has none to agree with; there must be at least two")


def spread(trees: Sequence[AnyTree], X: np.ndarray, n_threads: int = 1) -> ReplicateSpread:
    """Return mean and variance of the trees' predictions for each row of X (n_samples, n_features).

    The variance is that between trees (divisor n_trees), not that within a cultivated tree. The result does not
    depend on the number of threads. Raises ValueError for no trees.
    """
    X = np.asfortranarray(X, dtype=np.float64)
    return _over(trees, lambda tree: shares(tree, X), n_threads)


def surface(trees: Sequence[AnyTree], plane: Slice, n_threads: int = 1) -> ReplicateSpread:
    """Return the `spread` in the cells of a plane of one or two features, x fastest: a map of instability."""
    cells = cells_of(plane)

    def ask(tree: AnyTree) -> np.ndarray:
        if isinstance(tree, CultivatedTree):
            return predict_slice(tree, plane)[0].reshape(len(cells), -1)
        return shares(tree, cells)

    return _over(trees, ask, n_threads)


def cells_of(plane: Slice) -> np.ndarray:
    """Return the sample in each cell, (ny * nx, n_features), x fastest."""
    return np.asfortranarray(samples_over(plane.axes, (plane.x, plane.y), plane.held))


def _over(trees: Sequence[AnyTree], ask: Callable[[AnyTree], np.ndarray], n_threads: int) -> ReplicateSpread:
    """Return mean and variance over the trees of the results of `ask` (n_samples, n_outputs).

    By Welford (1962).
    """
    if not trees:
        raise ValueError("there are no trees to ask")
    mean = squares = np.zeros((1, 1))
    with ThreadPoolExecutor(n_threads) as pool:
        for start in range(0, len(trees), AT_ONCE):  # not all answers in memory at a time
            for number, value in enumerate(pool.map(ask, trees[start : start + AT_ONCE]), start + 1):
                off = value - mean
                mean = mean + off / number
                squares = squares + off * (value - mean)
    variance = squares.sum(axis=1) / len(trees)
    return ReplicateSpread(mean, variance / (2 if mean.shape[1] > 1 else 1))
