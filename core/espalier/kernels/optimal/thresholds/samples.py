"""Samples in the order of every column, and how a threshold divides them.

What a prediction saves is counted, as in `kernels.optimal.bitset`: each sample has one class, and the cost that
predicting this class for it saves. Samples with equal values everywhere are merged before, so that several samples
may stand for one row of a table, one for each class that saves something there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel


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
    direction: (
        np.ndarray
    )  # (n_columns,) int64: 1 if of two labels only the second may be right, -1 the first; or 0


class SortedNode(NamedTuple):
    """The samples of a node, in the order of every column: by value, then by class."""

    order: np.ndarray  # (n_columns * n_samples,) int32, of which each column uses the first `size`
    size: np.ndarray  # (1,) int64
    cut: np.ndarray  # (n_columns, n_samples + 1) int32: how many samples are left of each cut; the first is 0
    n_cuts: np.ndarray  # (n_columns,) int64: with the one before all samples and the one behind them
    worth: np.ndarray  # (n_columns, n_samples + 1) int64: of the samples left of each cut
    weight: np.ndarray  # the same for their weight; empty where a leaf may have any


def make_node(n_columns: int, n_samples: int, weighs: bool = False) -> SortedNode:
    """Allocate a node for so many samples at most; with room for weights if a leaf has a least one."""
    shape = n_columns, n_samples + 1
    order, cut = np.zeros(n_columns * n_samples, np.int32), np.zeros(shape, np.int32)
    worth, weight = np.zeros(shape, np.int64), np.zeros(shape if weighs else (n_columns, 0), np.int64)
    return SortedNode(order, np.zeros(1, np.int64), cut, np.zeros(n_columns, np.int64), worth, weight)


@kernel
def note_cuts(samples, node):
    """Write the cuts of every column, between different values of the node's samples."""
    n, m = len(samples.label), node.size[0]
    for f in range(len(node.n_cuts)):
        at, k, worth = f * n, 1, 0
        node.cut[f, 0], node.worth[f, 0] = 0, 0
        for i in range(m):
            here = node.order[at + i]
            worth += samples.worth[here]
            if i == m - 1 or samples.rank[at + here] != samples.rank[at + node.order[at + i + 1]]:
                node.cut[f, k], node.worth[f, k] = i + 1, worth
                k += 1
        node.n_cuts[f] = k
    if samples.least > 0:
        _note_weights(samples, node)


@kernel
def _note_weights(samples, node):
    """Write the weight left of every cut."""
    n = len(samples.label)
    for f in range(len(node.n_cuts)):
        weight, node.weight[f, 0] = 0, 0
        for k in range(1, node.n_cuts[f]):
            for i in range(node.cut[f, k - 1], node.cut[f, k]):
                weight += samples.weight[node.order[f * n + i]]
            node.weight[f, k] = weight


@kernel
def is_light(samples, node, f, cut):
    """Return -1 if too little weight is left of the cut for a leaf, 1 if right of it, else 0."""
    if samples.least == 0:
        return 0
    left = node.weight[f, cut]
    if left < samples.least:
        return -1
    return 1 if node.weight[f, node.n_cuts[f] - 1] - left < samples.least else 0


@kernel
def rank_behind(samples, node, f, cut):
    """Return the rank of the first sample behind this cut of column f: samples of lower ranks go left."""
    at = f * len(samples.label)
    return samples.rank[at + node.order[at + node.cut[f, cut]]]


@kernel
def divide(samples, node, f, rank, left, right):
    """Write the samples whose rank in column f is lower into `left`, the others into `right`, in all orders."""
    n, m = len(samples.label), node.size[0]
    own = samples.rank[f * n : (f + 1) * n]
    n_left = 0
    for g in range(len(node.n_cuts)):
        at, n_left = g * n, 0
        for i in range(m):
            here = node.order[at + i]
            is_left = own[here] < rank
            left.order[at + n_left], right.order[at + i - n_left] = here, here
            n_left += is_left
    left.size[0], right.size[0] = n_left, m - n_left


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
