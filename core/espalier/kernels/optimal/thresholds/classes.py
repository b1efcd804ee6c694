"""Rows with a class as target, in the order of every column, and the best stumps on the two sides of a threshold.

What a prediction saves is counted, as in `kernels.optimal.bitset`: each sample has one class, and the cost that
predicting this class for it saves. Samples with equal values everywhere are merged before, so that several samples
may stand for one row of a table, one for each class that saves something there.

The best stumps on the two sides of one threshold, whose leaves have a least weight. `stumps` looks for stumps
beside many thresholds at once, whatever their leaves weigh. Where these promise a better tree, the question is
asked here what keeps to the weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.nodes import NONE

WORTH, WEIGHT = range(2)  # places in sums; the weight is there only where leaves have a least one


class SortedSamples(NamedTuple):
    """All samples, with their places in the columns; what is flat holds one column after the other.

    Numbers that are added in lanes are int16 if all samples together save less than 2^15, else int32.
    """

    rank: np.ndarray  # (n_columns * n_samples,) int16 or int32: of a sample's value among the column's values
    label: np.ndarray  # (n_samples,) int64: class
    amount: np.ndarray  # (n_samples,) int16 or int32: the cost that predicting the class saves
    signed: np.ndarray  # (n_samples,) as amount: its negative for class 0
    worth: np.ndarray  # (n_samples,) int64: the most that a row saves, told by the first of its samples
    n_classes: int
    unit: int  # value of a tree: its cost, times this, and the number of its splits if the fewest are wanted
    tie: int  # value of a split
    weight: np.ndarray  # (n_samples,) as amount: of a row, told by the first of its samples
    least: int  # weight of a leaf, at least; 0 for any
    direction: np.ndarray  # (n_columns,): 1 if of two labels only the second may be right, -1 the first; or 0
    near: int = 0  # values differ or are equal


@kernel
def note_cuts(samples, node):
    """Write the cuts of every column, between different values of the node's samples, and the sums before them."""
    n, m = len(samples.label), node.size[0]
    for f in range(len(node.n_cuts)):
        at, k, worth, weight = f * n, 1, 0, 0
        node.cut[f, 0], node.sums[f, 0] = 0, 0
        for i in range(m):
            here = node.order[at + i]
            worth += samples.worth[here]
            weight += samples.weight[here]
            if i == m - 1 or samples.rank[at + here] != samples.rank[at + node.order[at + i + 1]]:
                node.cut[f, k], node.sums[f, k, -1] = i + 1, weight
                node.sums[f, k, WORTH] = worth  # in the same place where there is no weight
                k += 1
        node.n_cuts[f] = k


@kernel
def leaf_cost(samples, node, sums):
    """Return the cost of the best leaf for all samples of the node; `sums` is scratch, (n_classes,) int64."""
    sums[:] = 0
    worth = 0
    for i in range(node.size[0]):
        here = node.order[i]
        sums[samples.label[here]] += samples.amount[here]
        worth += samples.worth[here]
    return worth - sums.max()


# ---- The best stumps on the two sides of one threshold, whose leaves have a least weight


class SideScratch(NamedTuple):
    """Scratch memory; of each side, the left one first."""

    sums: np.ndarray  # (2, n_classes) int64: what predicting a class saves
    before: np.ndarray  # the same left of a stump's threshold
    weight: np.ndarray  # (2, 2) int64: of the side, and left of a stump's threshold
    worth: np.ndarray  # (2,) int64
    value: np.ndarray  # (2,) int64: of the best stump or leaf
    least: np.ndarray  # (1,) int64: weight of a stump's leaf, at least


def make_side_scratch(n_classes: int, least: int) -> SideScratch:
    """Allocate scratch memory."""
    shapes = (2, n_classes), (2, n_classes), (2, 2), 2, 2
    return SideScratch(*(np.zeros(shape, np.int64) for shape in shapes), np.array([least]))


@kernel
def solve_sides(samples, node, own, rank, stumps, scratch):
    """Write the values of the best leaf on both sides of a threshold, or of the best stump where it may be one.

    Samples go left if their rank among `own` (n_samples,), those of a column, is lower; with a rank above all, the
    left side is the whole node.
    """
    scratch.sums[:], scratch.weight[:], scratch.worth[:] = 0, 0, 0
    for i in range(node.size[0]):
        here = node.order[i]
        side = np.int64(own[here] >= rank)
        scratch.sums[side, samples.label[here]] += samples.amount[here]
        scratch.weight[side, 0] += samples.weight[here]
        scratch.worth[side] += samples.worth[here]
    for side in range(2):
        scratch.value[side] = samples.unit * (scratch.worth[side] - scratch.sums[side].max())
    if stumps != NONE:
        for g in range(len(node.n_cuts)):
            _pass_column(samples, node, own, rank, stumps, g, scratch)


@kernel
def _pass_column(samples, node, own, rank, stumps, g, scratch):
    """Try the stumps of column g on both sides."""
    at, before, weight, least = g * len(samples.label), scratch.before, scratch.weight, scratch.least[0]
    before[:], weight[:, 1] = 0, 0
    for k in range(1, node.n_cuts[g] - 1):
        for i in range(node.cut[g, k - 1], node.cut[g, k]):
            here = node.order[at + i]
            side = np.int64(own[here] >= rank)
            before[side, samples.label[here]] += samples.amount[here]
            weight[side, 1] += samples.weight[here]
        for side in range(2):
            is_heavy = least <= weight[side, 1] <= weight[side, 0] - least
            if is_heavy and (stumps >> side) & 1:
                saving = _saving(samples, scratch.sums[side], before[side], samples.direction[g])
                value = samples.unit * (scratch.worth[side] - saving) + samples.tie
                scratch.value[side] = min(scratch.value[side], value)


@kernel
def _saving(samples, sums, before, direction):
    """Return the most that the leaves of a stump save, of two classes in the column's direction."""
    if direction > 0:
        return before[0] + sums[1] - before[1]
    if direction < 0:
        return before[1] + sums[0] - before[0]
    left, right = 0, 0
    for c in range(samples.n_classes):
        left = max(left, before[c])
        right = max(right, sums[c] - before[c])
    return left + right
