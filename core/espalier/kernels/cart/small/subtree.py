"""Subtrees of numbers by squared error, each grown in one go once its samples fit the cache.

The samples of a subtree are numbered anew, in the table's order: then their numbers take 16 bits, and targets
and sides are read from a few kilobytes. Features of few levels become lists in order, too. The best cut is found
by `espalier.kernels.cart.small.lists`; nodes of a few samples, most of a tree's, are split by
`espalier.kernels.cart.small.few`. All functions are inlined into the one that borrows the arrays: references to
what a call is given are counted again, which takes longer than the search in a small node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import MAX_LEVELS, SORTED
from espalier.kernels.cart.small.few import (
    FEW,
    FewNode,
    FewSamples,
    best_cut_of_few,
    make_few_samples,
    part_few,
)
from espalier.kernels.cart.small.lists import ROOM, TOGETHER, ListedNode, best_cut, is_between
from espalier.kernels.task import AS_CATEGORY, GrowthLimits, midpoint
from espalier.kernels.vectors.simd import REALS, borrow
from espalier.trees import LEAF

MOST = 16_384  # samples of a subtree; their numbers take 16 bits


class Subtree(NamedTuple):
    """Memory for one subtree."""

    lists: np.ndarray  # (2, n_features, size) uint16: samples in order of each feature, before and after a split
    members: np.ndarray  # (size,) uint16: samples in the table's order, node after node
    spare: np.ndarray  # (size,) uint16
    rows: np.ndarray  # (size,) int64: row of each sample
    place: np.ndarray  # (n_samples,) uint16: sample of each row
    y: np.ndarray  # (size,) float64
    targets: np.ndarray  # (size,) float64: of the members of a node
    side: np.ndarray  # (size,) uint8: whether a sample goes left
    inverse: np.ndarray  # (size + 1 + REALS,) float64: of the whole numbers
    descending: np.ndarray  # (size + REALS,) float64: the same from size down to 1, then 0
    moments: np.ndarray  # (TOGETHER * ROOM,) float64: running sums of the lists
    last: np.ndarray  # (TOGETHER,) float64: the last of them
    best: np.ndarray  # (TOGETHER * 2 * REALS,) float64: see espalier.kernels.cart.small.lists
    waiting: np.ndarray  # (size + 1, 4) int64: node, its first member, how many, buffer of its lists
    few_waiting: np.ndarray  # (FEW + 1, 4) int64: the same for a node of few samples
    few: FewSamples


def make_subtree(n_samples: int, n_features: int) -> Subtree:
    """Allocate the memory."""
    size = min(n_samples, MOST)
    with np.errstate(divide="ignore"):
        inverse = 1 / np.arange(size + 1 + REALS)
    descending = np.concatenate([inverse[size:0:-1], np.zeros(REALS)])
    return Subtree(
        np.empty((2, n_features, size), np.uint16), np.empty(size, np.uint16), np.empty(size, np.uint16),
        np.empty(size, np.int64), np.empty(n_samples, np.uint16), np.empty(size), np.empty(size),
        np.empty(size, np.uint8), inverse, descending, np.zeros(TOGETHER * ROOM), np.zeros(TOGETHER),
        np.zeros(TOGETHER * 2 * REALS),
        np.empty((size + 1, 4), np.int64), np.empty((FEW + 1, 4), np.int64),
        make_few_samples(size, n_features),
    )  # fmt: skip


@kernel
def _enter(work, node, tree):
    """Number the samples of a node."""
    lists, columns, buffer, start = work.lists, work.columns, node.buffer, node.start
    n = node.stop - node.start
    for i in range(n):
        row = lists[buffer, 0, start + i] >> np.uint32(1)
        tree.place[row] = i
        tree.rows[i] = row
        tree.y[i] = work.task.y[row]
        tree.members[i] = i
    for feature in range(len(columns.kind)):
        slot = columns.slot[feature]
        if columns.kind[feature] != SORTED:
            _order_levels(columns.codes[:, slot], tree.rows[:n], tree.lists[0, feature])
            continue
        for i in range(n):
            row = lists[buffer, slot, start + i] >> np.uint32(1)
            tree.lists[0, feature, i] = tree.place[row]


@kernel
def _order_levels(codes, rows, order):
    """Write the samples into order by their level."""
    starts = np.zeros(MAX_LEVELS + 1, np.int64)
    for row in rows:
        starts[codes[row] + 1] += 1
    for level in range(MAX_LEVELS):
        starts[level + 1] += starts[level]
    for i in range(len(rows)):
        level = codes[rows[i]]
        order[starts[level]] = i
        starts[level] += 1


class SubtreeState(NamedTuple):
    """What growing one subtree reads and writes, with borrowed arrays (`espalier.kernels.vectors.simd.borrow`)."""

    tree: Subtree
    values: np.ndarray  # (n_features, n_samples) float64
    distinct: np.ndarray  # (n_features,) bool: no two values of the column are equal
    kind: np.ndarray  # (n_features,) int64: see espalier.kernels.cart.columns
    limits: GrowthLimits
    nodes: np.ndarray  # NODE records, their sums and values: espalier.kernels.cart.grow.NodeTable
    sums: np.ndarray
    value: np.ndarray


@inlined
def _borrowed(work, t, table):
    f = t.few
    few = FewSamples(
        borrow(f.place), borrow(f.ranks), borrow(f.words), borrow(f.y), borrow(f.number), borrow(f.spare_words),
        borrow(f.spare_y), borrow(f.spare_number), borrow(f.scores), borrow(f.best), f.width,
    )  # fmt: skip
    tree = Subtree(
        borrow(t.lists), borrow(t.members), borrow(t.spare), borrow(t.rows), borrow(t.place), borrow(t.y),
        borrow(t.targets), borrow(t.side), borrow(t.inverse), borrow(t.descending), borrow(t.moments),
        borrow(t.last), borrow(t.best), borrow(t.waiting),
        borrow(t.few_waiting), few,
    )  # fmt: skip
    return SubtreeState(
        tree, borrow(work.columns.values), borrow(work.columns.distinct), borrow(work.columns.kind), work.limits,
        borrow(table.nodes), borrow(table.sums), borrow(table.values),
    )  # fmt: skip


@kernel
def _part(source, target, side, n_left):
    left, right = np.uint32(0), np.uint32(n_left)
    for i in range(np.uint32(len(source))):
        sample = source[i]
        goes = np.uint32(side[sample])
        target[left if goes else right] = sample
        left = np.uint32(left + goes)
        right = np.uint32(right + np.uint32(1) - goes)


@inlined
def _part_all(tree, buffer, start, n, cut):
    """Partition a node's lists by its cut."""
    n_left = cut.place + 1
    order = tree.lists[buffer, cut.feature, start : start + n]
    for i in range(n):
        tree.side[order[i]] = i < n_left
    members = tree.members[start : start + n]
    _part(members, tree.spare, tree.side, n_left)
    for i in range(n):
        members[i] = tree.spare[i]
    for feature in range(tree.lists.shape[1]):
        source = tree.lists[buffer, feature, start : start + n]
        _part(source, tree.lists[1 - buffer, feature, start : start + n], tree.side, n_left)


@inlined
def _describe(targets, node, sums, value):
    """Describe a node of unit weights; return whether all its targets are equal."""
    n, total, low, high = float(len(targets)), 0.0, np.inf, -np.inf
    for y in targets:
        total += y
        low, high = min(low, y), max(high, y)
    mean = total / n if low < high else low
    sums[0], sums[1], value[0] = n, total, mean
    spread = 0.0
    for y in targets:
        off = y - mean
        spread += off * off
    node.weight, node.impurity = n, max(spread / n, 0.0)
    return low == high


class Children(NamedTuple):
    """The children of a node, numbered one after the other, and whether each may be split."""

    left: int
    n_left: int
    splits_left: bool
    splits_right: bool


@inlined
def _start_child(state, parent, number, start, size, targets):
    """Describe a child as a leaf; return whether it may be split."""
    node, child, limits = state.nodes[parent], state.nodes[number], state.limits
    child.feature, child.threshold, child.left, child.right = LEAF, np.nan, LEAF, LEAF
    child.categories, child.missing_left, child.seen, child.gain = 0, False, 0, 0.0
    child.start, child.stop, child.depth = node.start + start, node.start + start + size, node.depth + 1
    pure = _describe(targets[start : start + size], child, state.sums[number], state.value[number])
    enough = size >= limits.min_split and size >= 2 * limits.min_leaf and child.depth < limits.max_depth
    return enough and not pure and child.impurity > 0


@inlined
def _split(state, parent, left, rows, n_left, targets):
    """Split a node between the values of two rows; targets (n,) are its samples', those on the left first."""
    node = state.nodes[parent]
    n = node.stop - node.start
    column = state.values[node.feature]
    node.threshold = midpoint(column[rows[0]], column[rows[1]])
    node.missing_left = 2 * n_left > n and state.limits.missing != AS_CATEGORY
    node.left, node.right = left, left + 1
    splits_left = _start_child(state, parent, left, 0, n_left, targets)
    splits_right = _start_child(state, parent, left + 1, n_left, n - n_left, targets)
    return Children(left, n_left, splits_left, splits_right)


@inlined
def _await_children(waiting, n_waiting, children, first, n, buffer):
    """Let the children that may be split wait, the left one on top; return how many nodes wait."""
    n_left = children.n_left
    if children.splits_right:
        _wait(waiting, n_waiting, children.left + 1, first + n_left, n - n_left, buffer)
        n_waiting += 1
    if children.splits_left:
        _wait(waiting, n_waiting, children.left, first, n_left, buffer)
        n_waiting += 1
    return n_waiting


@inlined
def _wait(waiting, at, node, first, n, buffer):
    waiting[at, 0], waiting[at, 1], waiting[at, 2], waiting[at, 3] = node, first, n, buffer


@inlined
def _rank_few(state, first, n, buffer):
    """Number the samples of a node of few, and rank them by each feature."""
    tree, few = state.tree, state.tree.few
    for i in range(n):
        member = tree.members[first + i]
        few.place[member] = i
        few.y[i] = tree.y[member]
        few.number[i] = tree.rows[member]
    for feature in range(tree.lists.shape[1]):
        order, rank = tree.lists[buffer, feature, first : first + n], np.int64(0)
        for i in range(n):
            if i > 0 and is_between(state, feature, order, i - 1):
                rank += 1
            few.ranks[few.place[order[i]] * few.width + feature] = rank


@inlined
def _grow_few(state, root, n, n_nodes):
    """Grow the subtree of a node of few samples, which are ranked; return the number of nodes after it."""
    few, waiting, n_waiting = state.tree.few, state.tree.few_waiting, 1
    _wait(waiting, 0, root, 0, n, 0)
    while n_waiting > 0:
        n_waiting -= 1
        parent, first, n = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        node = FewNode(first, n, state.sums[parent, 1], max(state.limits.min_leaf, 1))
        feature, rank = best_cut_of_few(few, node)
        if feature >= 0:
            n_left, low, high = part_few(few, first, n, feature, rank)
            state.nodes[parent].feature = feature
            children = _split(state, parent, n_nodes, (low, high), n_left, few.y[first:])
            n_waiting = _await_children(waiting, n_waiting, children, first, n, 0)
            n_nodes += 2
    return n_nodes


@kernel
def grow_subtree(work, tree, table, root, n_nodes):
    """Grow the subtree of a node that may be split; return the number of nodes that there are then.

    The table (`espalier.kernels.cart.grow.NodeTable`) has room for them.
    """
    state = _borrowed(work, tree, table)
    _enter(work, state.nodes[root], state.tree)
    tree, waiting, n_waiting = state.tree, state.tree.waiting, 1
    _wait(waiting, 0, root, 0, state.nodes[root].stop - state.nodes[root].start, 0)
    while n_waiting > 0:
        n_waiting -= 1
        parent, first = waiting[n_waiting, 0], waiting[n_waiting, 1]
        n, buffer = waiting[n_waiting, 2], waiting[n_waiting, 3]
        if n <= FEW:
            _rank_few(state, first, n, buffer)
            n_nodes = _grow_few(state, parent, n, n_nodes)
            continue
        cut = best_cut(state, ListedNode(buffer, first, n, state.sums[parent, 1]))
        if cut.feature >= 0:
            order = tree.lists[buffer, cut.feature, first : first + n]
            rows = (tree.rows[order[cut.place]], tree.rows[order[cut.place + 1]])
            _part_all(tree, buffer, first, n, cut)
            for i in range(n):
                tree.targets[i] = tree.y[tree.members[first + i]]
            state.nodes[parent].feature = cut.feature
            children = _split(state, parent, n_nodes, rows, cut.place + 1, tree.targets)
            n_waiting = _await_children(waiting, n_waiting, children, first, n, 1 - buffer)
            n_nodes += 2
    return n_nodes
