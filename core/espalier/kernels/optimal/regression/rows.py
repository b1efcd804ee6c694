"""Rows with a number as target, in the order of every column, and how a threshold divides them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

WEIGHT, MOMENT, SQUARE, COUNT = range(4)  # places in sums


class TargetRows(NamedTuple):
    """All rows, with their places in the columns; rows with equal places everywhere may be one, of several."""

    rank: np.ndarray  # (n_columns, n_rows) int32: of a row's value among the column's values
    part: np.ndarray  # (n_rows, 4) float64: whole weight, weight * target, weight * target^2, rows
    least: float  # rows that a leaf needs
    near: float  # losses that differ by less are equal
    per_split: float  # what a split must save at least, so that of equal trees the one with the fewest is best


class TargetNode(NamedTuple):
    """The rows of a node, in the order of every column."""

    order: np.ndarray  # (n_columns, n_rows) int32, of which each column uses the first `size`
    size: np.ndarray  # (1,) int64
    cut: np.ndarray  # (n_columns, n_rows + 1) int32: how many rows are left of each cut; the first is 0
    n_cuts: np.ndarray  # (n_columns,) int64: with the one before all rows and the one behind them
    sums: np.ndarray  # (n_columns, n_rows + 1, 4) float64: of the parts of the rows left of each cut


def make_nodes(n_levels: int, n_columns: int, n_rows: int) -> TargetNode:
    """Allocate nodes for so many rows at most; each array has a first axis for the levels."""
    shape = n_levels, n_columns, n_rows + 1
    order, size = np.zeros((n_levels, n_columns, n_rows), np.int32), np.zeros((n_levels, 1), np.int64)
    n_cuts, sums = np.zeros((n_levels, n_columns), np.int64), np.zeros((*shape, 4))
    return TargetNode(order, size, np.zeros(shape, np.int32), n_cuts, sums)


@kernel
def node_at(nodes, k):
    """Return the node of level k."""
    return TargetNode(nodes.order[k], nodes.size[k], nodes.cut[k], nodes.n_cuts[k], nodes.sums[k])


@kernel
def note_cuts(rows, node):
    """Write the cuts of every column, between different values of the node's rows, and the sums before them."""
    m = node.size[0]
    for f in range(len(node.n_cuts)):
        order, rank, k = node.order[f], rows.rank[f], 1
        node.cut[f, 0], node.sums[f, 0] = 0, 0.0
        weight, moment, square, count = 0.0, 0.0, 0.0, 0.0
        for i in range(m):
            here = order[i]
            weight += rows.part[here, WEIGHT]
            moment += rows.part[here, MOMENT]
            square += rows.part[here, SQUARE]
            count += rows.part[here, COUNT]
            if i == m - 1 or rank[here] != rank[order[i + 1]]:
                node.cut[f, k] = i + 1
                node.sums[f, k, WEIGHT], node.sums[f, k, MOMENT] = weight, moment
                node.sums[f, k, SQUARE], node.sums[f, k, COUNT] = square, count
                k += 1
        node.n_cuts[f] = k


@kernel
def rank_behind(rows, node, f, cut):
    """Return the rank of the first row behind this cut of column f: rows of lower ranks go left."""
    return rows.rank[f, node.order[f, node.cut[f, cut]]]


@kernel
def divide(rows, node, f, rank, left, right):
    """Write the rows whose rank in column f is lower into `left`, the others into `right`, in all orders."""
    m, n_left = node.size[0], 0
    own = rows.rank[f]
    for g in range(len(node.order)):
        order, on_left, on_right = node.order[g], left.order[g], right.order[g]
        n_left = 0
        for i in range(m):
            here = order[i]
            is_left = own[here] < rank
            on_left[n_left], on_right[i - n_left] = here, here
            n_left += is_left
    left.size[0], right.size[0] = n_left, m - n_left


@kernel
def squared_loss(weight, moment, square):
    """Return the squared error of rows with these sums around their mean; 0 for none."""
    return max(square - moment * moment / weight, 0.0) if weight > 0 else 0.0
