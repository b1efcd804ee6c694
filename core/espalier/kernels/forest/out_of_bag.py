"""Out-of-bag predictions and errors of a forest, permutation importance, and quantiles."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.forest.packed import PackedForest, RowBlock, descent_scratch, down, none_missing, parts_of
from espalier.kernels.randomness import shuffle
from espalier.trees import LEAF, read_only

ALIKE = 1e-9  # shares that differ by less are tied: they were summed in floating point
NO_PRIOR = read_only(np.empty(0))  # of one type with a forest's own, so that both call the same compiled kernels


class WeightedTarget(NamedTuple):
    """The target, and the weight of each sample."""

    y: np.ndarray  # (n_samples,) float64: numbers, or class numbers
    weight: np.ndarray  # (n_samples,) float64
    classes: bool  # whether an error is a wrong class (else the square of the difference)
    prior: np.ndarray = NO_PRIOR  # (n_classes,) float64: of tied classes, the greatest wins; empty: the first wins


class OutOfBagSums(NamedTuple):
    """Sums over the trees that did not see a sample, and over the samples that any tree did not see."""

    value: np.ndarray  # (n, n_outputs)
    votes: np.ndarray  # (n,)
    loss: np.ndarray  # (n_trees,)
    weight: np.ndarray  # (n_trees,)


class OutOfBag(NamedTuple):
    """Out-of-bag predictions, each by the trees that did not see the sample, and errors."""

    value: np.ndarray  # (n_samples, n_outputs): mean over those trees; nan where every tree saw the sample
    errors: np.ndarray  # (n_trees,): weighted mean error of the first 1, 2, ... trees; nan before any vote


@uncounted
def _winner(value, scale, prior):
    """Return the class with the greatest share of value (n_classes,) / scale; ties as in `espalier.predict`."""
    best = 0
    for k in range(1, len(value)):
        if value[k] > value[best]:
            best = k
    least, winner = value[best] - ALIKE * scale, -1
    for k in range(len(prior)):
        if value[k] >= least and (winner < 0 or prior[k] > prior[winner]):
            winner = k
    return best if winner < 0 else winner


@uncounted
def _error(value, scale, y, target):
    """Return the error of the prediction value (n_outputs,) / scale."""
    if not target.classes:
        off = value[0] / scale - y
        return off * off
    return 0.0 if _winner(value, scale, target.prior) == y else 1.0


@kernel
def _judge(packed, X, in_bag, target, sums):
    """Add the votes and errors of the trees that did not see each row of X; in_bag is (n_trees, n) uint8."""
    value, votes, loss, weight = sums.value, sums.votes, sums.loss, sums.weight
    n = len(X)
    rows = np.empty(n, np.uint32)
    scratch = descent_scratch(n)
    leaves, error = scratch.leaf, np.zeros(n)
    block = RowBlock(X, none_missing(X))
    for tree in range(len(packed.root)):
        n_rows = 0
        for row in range(n):
            rows[n_rows] = row
            n_rows += in_bag[tree, row] == 0
        down(packed, tree, block, rows[:n_rows], scratch)
        for row in rows[:n_rows]:
            for k in range(value.shape[1]):
                value[row, k] += packed.weight[tree] * packed.value[leaves[row], k]
            votes[row] += packed.weight[tree]
            error[row] = _error(value[row], votes[row], target.y[row], target)
        for row in range(n):
            counted_weight = target.weight[row] * (votes[row] > 0)
            loss[tree] += counted_weight * error[row]
            weight[tree] += counted_weight


def judge(
    packed: PackedForest, X: np.ndarray, in_bag: np.ndarray, target: WeightedTarget, pool: ThreadPoolExecutor
) -> OutOfBag:
    """Return the out-of-bag predictions and errors; X (n_samples, n_features) as from `rows_of`.

    in_bag is (n_trees, n_samples) uint8: how often a tree saw a sample. Blocks do not depend on the number of
    threads and are summed in order, so results do not depend on it either.
    """
    n, n_trees = len(X), len(packed.root)
    value, votes = np.zeros((n, packed.value.shape[1])), np.zeros(n)
    spans = parts_of(n, -(-n // 4096))
    curves = np.zeros((len(spans), 2, n_trees))

    def run(i: int) -> None:
        s = spans[i]
        part = target._replace(y=target.y[s], weight=target.weight[s])
        _judge(
            packed, X[s], np.ascontiguousarray(in_bag[:, s]), part, OutOfBagSums(value[s], votes[s], *curves[i])
        )

    list(pool.map(run, range(len(spans))))
    loss, weight = curves.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return OutOfBag(value / votes[:, None], loss / weight)


@kernel
def _mean_error(packed, tree, X, target, scratch):
    """Return the weighted mean error of one tree on all rows of X."""
    rows = np.arange(len(X)).astype(np.uint32)
    down(packed, tree, RowBlock(X, none_missing(X)), rows, scratch)
    loss, weight = 0.0, 0.0
    for row in range(len(X)):
        loss += target.weight[row] * _error(packed.value[scratch.leaf[row]], 1.0, target.y[row], target)
        weight += target.weight[row]
    return loss / weight


@kernel
def _rise(packed, tree, X, target, state, out):
    """Write into out (n_features,) by how much shuffling each feature raises the tree's error on the rows of X."""
    scratch = descent_scratch(len(X))
    before = _mean_error(packed, tree, X, target, scratch)
    last = packed.root[tree + 1] if tree + 1 < len(packed.root) else len(packed.nodes)
    is_asked = np.zeros(X.shape[1], np.bool_)
    for node in range(packed.root[tree], last):
        if packed.leaf[node] == LEAF:
            is_asked[packed.nodes[node].feature] = True
    for feature in range(X.shape[1]):
        if is_asked[feature]:
            column = X[:, feature].copy()
            permutation = column.copy()
            shuffle(permutation, state)
            X[:, feature] = permutation
            out[feature] = _mean_error(packed, tree, X, target, scratch) - before
            X[:, feature] = column


def rise(packed: PackedForest, tree: int, X: np.ndarray, target: WeightedTarget, seed: int) -> np.ndarray:
    """Return the permutation importance of each feature for one tree, (n_features,).

    0 for features it does not use.
    """
    out = np.zeros(X.shape[1])
    _rise(packed, tree, np.array(X, order="C"), target, np.array([seed], np.uint64), out)
    return out


# ---- Quantiles: the targets of the samples that share a leaf with a row, over all trees
#
# A row has one leaf in every tree. Each sample there has a part of the tree's say; summed over the trees, these
# parts are a distribution of the target (Meinshausen 2006, equations 4 to 6).

ROUNDING = 1e-12  # of summed shares


class LeafSamples(NamedTuple):
    """The samples in every leaf of every tree: node i of tree t has those from ``start[first[t] + i]`` on."""

    first: np.ndarray  # (n_trees,) int64: number of each tree's root among the nodes of all trees
    start: np.ndarray  # (n_nodes of all trees + 1,) int64
    rank: np.ndarray  # (n_entries,) int32: place of the sample's target in `target`
    share: np.ndarray  # (n_entries,) float64: share of the sample in its leaf; those of a leaf sum to 1
    target: np.ndarray  # (n_targets,) float64: the different targets, ascending
    weight: np.ndarray  # (n_trees,) float64: weight of each tree


@kernel
def _spread_row(leaves, row, samples, seen, mass):
    """Add the shares of the samples that share a leaf with a row to mass (n_targets,).

    Only trees that have not seen it count. Return (least rank touched, greatest rank touched, weight).
    """
    low, high, weight = len(mass), -1, 0.0
    for tree in range(len(samples.first)):
        if seen[tree, row] > 0:
            continue
        node = samples.first[tree] + leaves[tree, row]
        weight += samples.weight[tree]
        for at in range(samples.start[node], samples.start[node + 1]):
            rank = np.int64(samples.rank[at])
            mass[rank] += samples.share[at] * samples.weight[tree]
            low, high = min(low, rank), max(high, rank)
    return low, high, weight


@kernel
def quantiles_of_rows(leaves, samples, seen, levels, out):
    """Write the quantiles of each row into out (n_rows, n_levels); nan where every tree has seen the row.

    leaves (n_trees, n_rows) int32; seen (n_trees, n_rows) uint8, 0 for the trees that count; levels (n_levels,)
    ascending. A quantile is the least target up to which the shares sum to its level (Meinshausen 2006, equation
    2).
    """
    mass = np.zeros(len(samples.target))
    for row in range(leaves.shape[1]):
        low, high, weight = _spread_row(leaves, row, samples, seen, mass)
        rank, run = low, mass[low] if weight > 0 else 0.0
        for k in range(len(levels)):
            while weight > 0 and rank < high and run < (levels[k] - ROUNDING) * weight:
                rank += 1
                run += mass[rank]
            out[row, k] = samples.target[rank] if weight > 0 else np.nan
        for rank in range(low, high + 1):
            mass[rank] = 0.0
