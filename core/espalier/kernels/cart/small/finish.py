"""Finishing a tree: the nodes of its top as they are, and below them subtrees, all written in preorder."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.cart.small.subtree import (
    NOBODY,
    NumberTable,
    QueuedNode,
    Subtree,
    SubtreeLimits,
    SubtreeState,
    enter,
    grow_subtree,
)
from espalier.kernels.cart.write_tree import TreeArrays
from espalier.kernels.task import AS_CATEGORY
from espalier.trees import LEAF

WHOLE = -2  # the feature of a node that may be split, whose subtree is grown in one go


@uncounted
def _write(grown, at, node, value):
    """Write a NODE record of the top."""
    is_leaf = node.feature < 0
    grown.feature[at], grown.threshold[at] = (
        LEAF if is_leaf else node.feature,
        np.nan if is_leaf else node.threshold,
    )
    grown.left[at], grown.right[at] = LEAF if is_leaf else at + 1, LEAF
    grown.categories[at] = np.uint64(0)
    grown.missing_left[at] = node.missing_left and not is_leaf
    grown.n_samples[at], grown.weight[at] = node.stop - node.start, node.weight
    grown.value[at, 0], grown.impurity[at] = value, node.impurity


@uncounted
def _grow(state, lists, node, parent, at):
    n = node.stop - node.start
    enter(state.tree, state.table, lists[node.buffer], node.start, n)
    return grow_subtree(state, QueuedNode(parent, np.int64(0), n, node.depth, np.int64(0)), at)


@uncounted
def _finish(state, lists, nodes, values, waiting, signals):
    """Write all nodes; return how many there are. waiting (len(nodes) + 1, 2) int64 is scratch memory."""
    waiting[0, 0], waiting[0, 1] = 0, NOBODY
    n_waiting, at = 1, np.int64(0)  # a bare 0 is a type of its own to Numba: all would compile twice
    while n_waiting > 0:
        n_waiting -= 1
        number, parent = waiting[n_waiting, 0], waiting[n_waiting, 1]
        node = nodes[number]
        if node.feature == WHOLE and signals[1] == 0:
            at = _grow(state, lists, node, parent, at)
            signals[0] += node.stop - node.start
            continue
        _write(state.grown, at, node, values[number, 0])
        if parent >= 0:
            state.grown.right[parent] = at
        if node.feature >= 0:
            waiting[n_waiting, 0], waiting[n_waiting, 1] = node.right, at
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = node.left, NOBODY
            n_waiting += 2
        at += 1
    return at


@kernel
def _room(nodes):
    """Return how many nodes there are at most."""
    n = 0
    for number in range(len(nodes)):
        n += 2 * (nodes[number].stop - nodes[number].start) if nodes[number].feature == WHOLE else 1
    return n


@kernel
def _finished(state, lists, nodes, values, signals):
    """Return how many nodes are written into ``state.grown``."""
    return _finish(state, lists, nodes, values, np.empty((len(nodes) + 1, 2), np.int64), signals)


def finish_tree(work, tree: Subtree, nodes: np.ndarray, values: np.ndarray, signals: np.ndarray) -> TreeArrays:
    """Return all nodes of a tree in preorder: those of NODE records, and the subtrees of those that are `WHOLE`.

    work is an `espalier.kernels.cart.best_split.GrowthState`.
    """
    columns, limits = work.columns, work.limits
    table = NumberTable(columns.values, columns.kind, columns.slot, columns.distinct, columns.codes, work.task.y)
    few = SubtreeLimits(limits.max_depth, limits.min_split, limits.min_leaf, limits.missing == AS_CATEGORY)
    n = _room(nodes)
    grown = TreeArrays(
        np.empty(n, np.int32), np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.uint64),
        np.empty(n, np.bool_), np.empty(n, np.int64), np.empty(n), np.empty((n, 1)), np.empty(n),
    )  # fmt: skip
    n_nodes = _finished(SubtreeState(tree, table, few, grown), work.lists, nodes, values, signals)
    return TreeArrays(*(array[:n_nodes] if 2 * n_nodes >= n else array[:n_nodes].copy() for array in grown))
