"""The leaves that changes of a sample lead to, as boxes over the cells between a forest's thresholds.

A column is a feature that may change; its cells are the values that it may take instead of its own, one between
any two thresholds. A leaf admits an interval of the cells of a number, or a set of categories, and it may admit
the sample's own value, which is in no cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import goes_left
from espalier.trees import LEAF

MOST_CODES = 64  # of a column whose cells are a set
STAYS, OPEN = -1, -2  # in place of a column's first cell: it keeps its own value; or either


class ChangeCells(NamedTuple):
    """The cells of all columns, one column after the other: column c has ``start[c]:start[c + 1]``."""

    feature: np.ndarray  # (n_columns,) int64
    column: np.ndarray  # (n_features,) int64; -1 where a feature may not change
    is_set: np.ndarray  # (n_columns,) bool: categories, at most `MOST_CODES`, in no order
    start: np.ndarray  # (n_columns + 1,) int64
    value: np.ndarray  # (n_cells,) float64, ascending within a column
    cost: np.ndarray  # (n_cells,) float64: what it costs to change to it; falls towards `own`, then rises
    own: np.ndarray  # (n_columns,) int64: cells of a column before this one are below the sample's own value


class LeafBoxes(NamedTuple):
    """Leaves of all trees, tree after tree, that some change leads to."""

    tree: np.ndarray  # (n_leaves,) int64
    row: np.ndarray  # (n_leaves,) int64: its row in `PackedForest.value`
    is_missed: np.ndarray  # (n_leaves, n_columns) bool: whether the sample's own value is outside
    first: np.ndarray  # (n_leaves, n_columns) int32: first cell inside
    last: np.ndarray  # (n_leaves, n_columns) int32: last cell inside; below `first` if none is
    member: np.ndarray  # (n_leaves, n_columns) uint64: of a set, the cells inside, as bits
    start: np.ndarray  # (n_leaves + 1,) int64: a leaf misses the columns ``missed[start[i]:start[i + 1]]``
    missed: np.ndarray  # (n,) int32


@kernel
def _restrict(tree, node, is_left, cells, boxes, at):
    """Narrow the box `at` to what the node sends to this side; return whether any cell remains."""
    column = cells.column[tree.feature[node]]
    begin, stop = cells.start[column], cells.start[column + 1]
    if cells.is_set[column]:
        for i in range(stop - begin):
            if goes_left(tree, node, cells.value[begin + i]) != is_left:
                boxes.member[at, column] &= ~(np.uint64(1) << np.uint64(i))
        return boxes.member[at, column] != 0
    below = np.searchsorted(cells.value[begin:stop], tree.threshold[node], side="right")
    if is_left:
        boxes.last[at, column] = min(boxes.last[at, column], below - 1)
    else:
        boxes.first[at, column] = max(boxes.first[at, column], below)
    return boxes.first[at, column] <= boxes.last[at, column]


@kernel
def _enter(tree, node, is_left, sample, cells, boxes):
    """Write the box of a child, whose place is its number; return whether a change leads there."""
    child, own = (
        tree.left[node] if is_left else tree.right[node],
        goes_left(tree, node, sample[tree.feature[node]]),
    )
    column = cells.column[tree.feature[node]]
    if column < 0:
        if own != is_left:
            return False
        _copy(boxes, node, boxes, child)
        return True
    _copy(boxes, node, boxes, child)
    has_cells = _restrict(tree, node, is_left, cells, boxes, child)
    boxes.is_missed[child, column] |= own != is_left
    return has_cells or not boxes.is_missed[child, column]


@kernel
def _copy(source, at, target, to):
    for column in range(source.first.shape[1]):
        target.is_missed[to, column] = source.is_missed[at, column]
        target.first[to, column] = source.first[at, column]
        target.last[to, column] = source.last[at, column]
        target.member[to, column] = source.member[at, column]


@kernel
def add_leaves(tree, number, first_row, sample, cells, boxes, n):
    """Write the leaves of a tree that some change of the sample leads to, from place n on; return the next place.

    sample is (n_features,), first_row the row of the tree's first leaf in `PackedForest.value`. No surrogate split
    of the tree may be asked.
    """
    row, size, n_columns = first_row, len(tree.feature), len(cells.feature)
    nodes = empty_boxes(size, n_columns)
    _open_root(cells, nodes)
    is_reached = np.zeros(size, np.bool_)
    is_reached[0] = True
    for node in range(size):
        is_leaf = tree.feature[node] == LEAF
        row += is_leaf
        if not is_reached[node]:
            continue
        if is_leaf:
            boxes.tree[n], boxes.row[n] = number, row - 1
            _copy(nodes, node, boxes, n)
            n += 1
            continue
        is_reached[tree.left[node]] = _enter(tree, node, True, sample, cells, nodes)
        is_reached[tree.right[node]] = _enter(tree, node, False, sample, cells, nodes)
    return n


@kernel
def _open_root(cells, boxes):
    for column in range(len(cells.feature)):
        size = cells.start[column + 1] - cells.start[column]
        boxes.first[0, column], boxes.last[0, column] = 0, size - 1
        boxes.member[0, column] = ~np.uint64(0) >> np.uint64(64 - min(size, MOST_CODES))


@kernel
def empty_boxes(n, n_columns):
    """Return room for n leaves."""
    one, wide = np.zeros(n, np.int64), np.zeros((n, n_columns), np.int32)
    is_missed, member = np.zeros((n, n_columns), np.bool_), np.zeros((n, n_columns), np.uint64)
    return LeafBoxes(one, one.copy(), is_missed, wide, wide.copy(), member, one.copy(), np.empty(0, np.int32))


@kernel
def meets(boxes, leaf, cells, column, low, high):
    """Return whether a leaf admits any cell of a column from `low` to `high`."""
    if cells.is_set[column]:
        span = ~np.uint64(0) >> np.uint64(63 - (high - low))
        return (boxes.member[leaf, column] >> np.uint64(low)) & span != 0
    first, last = boxes.first[leaf, column], boxes.last[leaf, column]
    return first <= high and last >= low and first <= last


@kernel
def nearest(cells, column, low, high):
    """Return the cheapest cell of a column from `low` to `high`."""
    begin, own = cells.start[column], cells.own[column]
    if high < own:
        return high
    if low >= own:
        return low
    return own if cells.cost[begin + own] < cells.cost[begin + own - 1] else own - 1
