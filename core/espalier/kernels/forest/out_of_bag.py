"""What the samples say of a forest that its trees did not see: its error, and what each feature is worth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.forest.packed import PackedForest, down, none_missing, parts_of
from espalier.kernels.randomness import shuffle
from espalier.trees import LEAF

ALIKE = 1e-9  # shares that differ by less are tied: they were summed in floating point
NO_PRIOR = np.empty(0)


class WeightedTarget(NamedTuple):
    """What is to be predicted, and how much each sample counts."""

    y: np.ndarray  # (n_samples,) float64: numbers, or class numbers
    weight: np.ndarray  # (n_samples,) float64
    classes: bool  # whether an error is a wrong class (else the square of the difference)
    prior: np.ndarray = NO_PRIOR  # (n_classes,) float64: which of tied classes is predicted; none: the first


class OutOfBag(NamedTuple):
    """Predictions by the trees that did not see a sample."""

    value: np.ndarray  # (n_samples, n_outputs): mean over those trees; nan where every tree saw the sample
    errors: (
        np.ndarray
    )  # (n_trees,): weighted mean error of the first 1, 2, ... trees; nan before any sample is judged


@kernel
def _winner(value, scale, prior):
    """The class with the greatest share of value (n_classes,) / scale; ties as `learners.ties` has them."""
    best = 0
    for k in range(1, len(value)):
        if value[k] > value[best]:
            best = k
    least, found = value[best] - ALIKE * scale, -1
    for k in range(len(prior)):
        if value[k] >= least and (found < 0 or prior[k] > prior[found]):
            found = k
    return best if found < 0 else found


@kernel
def _error(value, scale, y, target):
    """Error of the prediction value (n_outputs,) / scale."""
    if not target.classes:
        off = value[0] / scale - y
        return off * off
    return 0.0 if _winner(value, scale, target.prior) == y else 1.0


@kernel
def _judge(grove, X, in_bag, target, totals):
    """Sum up over the trees that did not see each row of X; in_bag is (n_trees, n) uint8.

    totals are (values (n, n_outputs), votes (n,), loss (n_trees,), weight of the rows with any vote (n_trees,)).
    """
    value, votes, loss, weight = totals
    n = len(X)
    rows = np.empty(n, np.uint32)
    room = (np.empty(n, np.uint32), np.empty(n, np.uint32))
    error = np.zeros(n)
    block = (X, none_missing(X))
    for tree in range(len(grove.root)):
        n_rows = 0
        for row in range(n):
            rows[n_rows] = row
            n_rows += in_bag[tree, row] == 0
        down(grove, tree, block, rows[:n_rows], room)
        for row in rows[:n_rows]:
            for k in range(value.shape[1]):
                value[row, k] += grove.weight[tree] * grove.value[room[1][row], k]
            votes[row] += grove.weight[tree]
            error[row] = _error(value[row], votes[row], target.y[row], target)
        for row in range(n):
            seen = target.weight[row] * (votes[row] > 0)
            loss[tree] += seen * error[row]
            weight[tree] += seen


def judge(
    grove: PackedForest, X: np.ndarray, in_bag: np.ndarray, target: WeightedTarget, pool: ThreadPoolExecutor
) -> OutOfBag:
    """Predict each sample by the trees that did not see it; X (n_samples, n_features) as from `rows_of`.

    in_bag is (n_trees, n_samples) uint8: how often a tree saw a sample. Blocks of a fixed size, summed in order:
    how many threads there are changes nothing.
    """
    n, n_trees = len(X), len(grove.root)
    value, votes = np.zeros((n, grove.value.shape[1])), np.zeros(n)
    spans = parts_of(n, -(-n // 4096))
    curves = np.zeros((len(spans), 2, n_trees))

    def run(i: int) -> None:
        s = spans[i]
        part = target._replace(y=target.y[s], weight=target.weight[s])
        _judge(grove, X[s], np.ascontiguousarray(in_bag[:, s]), part, (value[s], votes[s], *curves[i]))

    list(pool.map(run, range(len(spans))))
    loss, weight = curves.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return OutOfBag(value / votes[:, None], loss / weight)


@kernel
def _mean_error(grove, tree, X, target, room):
    """Mean error of one tree on all rows of X, weighted."""
    rows = np.arange(len(X)).astype(np.uint32)
    down(grove, tree, (X, none_missing(X)), rows, room)
    loss, weight = 0.0, 0.0
    for row in range(len(X)):
        loss += target.weight[row] * _error(grove.value[room[1][row]], 1.0, target.y[row], target)
        weight += target.weight[row]
    return loss / weight


@kernel
def _rise(grove, tree, X, target, state, out):
    """Write into out (n_features,) by how much shuffling each feature raises the tree's error on the rows of X."""
    room = (np.empty(len(X), np.uint32), np.empty(len(X), np.uint32))
    before = _mean_error(grove, tree, X, target, room)
    last = grove.root[tree + 1] if tree + 1 < len(grove.root) else len(grove.nodes)
    asked = np.zeros(X.shape[1], np.bool_)
    for node in range(grove.root[tree], last):
        if grove.leaf[node] == LEAF:
            asked[grove.nodes[node].feature] = True
    for feature in range(X.shape[1]):
        if asked[feature]:
            column = X[:, feature].copy()
            shuffled = column.copy()
            shuffle(shuffled, state)
            X[:, feature] = shuffled
            out[feature] = _mean_error(grove, tree, X, target, room) - before
            X[:, feature] = column


def rise(grove: PackedForest, tree: int, X: np.ndarray, target: WeightedTarget, seed: int) -> np.ndarray:
    """(n_features,): by how much shuffling each feature of X raises the error of one tree; 0 where it asks not."""
    out = np.zeros(X.shape[1])
    _rise(grove, tree, np.array(X, order="C"), target, np.array([seed], np.uint64), out)
    return out
