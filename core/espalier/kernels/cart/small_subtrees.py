"""Subtrees of numbers by squared error, each grown in one go once its samples fit the cache.

The samples of a subtree are numbered anew, in the table's order: then their numbers take 16 bits, and targets
and sides are read from a few kilobytes. Features of few levels become lists in order, too. The best cut is found
by `espalier.kernels.cart.small_lists`; nodes of a few samples, most of a tree's, are split by
`espalier.kernels.cart.small_lists`. Nodes are written in preorder, each when its turn comes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.cart.columns import MAX_LEVELS, SORTED
from espalier.kernels.cart.small_lists import (
    FEW,
    ROOM,
    TOGETHER,
    FewNode,
    FewSamples,
    ListedNode,
    best_cut,
    best_cut_of_few,
    is_between,
    make_few_samples,
    part_few,
)
from espalier.kernels.simd import REALS
from espalier.kernels.task import AS_CATEGORY, TreeArrays, midpoint
from espalier.trees import LEAF

MOST = 16_384  # samples of a subtree; their numbers take 16 bits
NOBODY = -1  # whose right child a node is, if it is a left one


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
    best: np.ndarray  # (TOGETHER * 2 * REALS,) float64: see espalier.kernels.cart.small_lists
    waiting: np.ndarray  # (size + 1, 5) int64: see `_wait`
    level_start: np.ndarray  # (MAX_LEVELS + 1,) int64: where the samples of each level begin
    few_waiting: np.ndarray  # (FEW + 1, 5) int64: the same for a node of few samples
    few: FewSamples


class NumberTable(NamedTuple):
    """The table as subtrees read it; see `espalier.kernels.cart.columns.SortedColumns`."""

    values: np.ndarray
    kind: np.ndarray
    slot: np.ndarray
    distinct: np.ndarray
    codes: np.ndarray
    y: np.ndarray  # (n_samples,) float64


class SubtreeLimits(NamedTuple):
    """Limits of growth; see `espalier.kernels.task.GrowthLimits`."""

    max_depth: int
    min_split: int
    min_leaf: int
    is_last: bool  # whether missing values stand beyond all others


class SubtreeState(NamedTuple):
    """What growing one subtree reads and writes."""

    tree: Subtree
    table: NumberTable
    limits: SubtreeLimits
    grown: TreeArrays  # with room for its nodes


class QueuedNode(NamedTuple):
    """A node whose turn is to come: n samples from `first` on, in the lists of a buffer."""

    parent: int  # if it is a right child, else `NOBODY`
    first: int
    n: int
    depth: int
    buffer: int


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
        np.empty((size + 1, 5), np.int64), np.empty(MAX_LEVELS + 1, np.int64), np.empty((FEW + 1, 5), np.int64),
        make_few_samples(size, n_features),
    )  # fmt: skip


@uncounted
def enter(tree, table, lists, start, n):
    """Number the samples of a node, n from `start` on in each list."""
    for i in range(n):
        row = lists[0, start + i] >> np.uint32(1)
        tree.place[row] = i
        tree.rows[i] = row
        tree.y[i] = table.y[row]
        tree.members[i] = i
    for feature in range(len(table.kind)):
        slot = table.slot[feature]
        if table.kind[feature] != SORTED:
            _order_levels(tree, table, feature, n)
            continue
        for i in range(n):
            tree.lists[0, feature, i] = tree.place[lists[slot, start + i] >> np.uint32(1)]


@uncounted
def _order_levels(tree, table, feature, n):
    """Write the samples in order of their level."""
    starts, slot = tree.level_start, table.slot[feature]
    for level in range(MAX_LEVELS + 1):
        starts[level] = 0
    for i in range(n):
        starts[table.codes[tree.rows[i], slot] + 1] += 1
    for level in range(MAX_LEVELS):
        starts[level + 1] += starts[level]
    for i in range(n):
        level = table.codes[tree.rows[i], slot]
        tree.lists[0, feature, starts[level]] = i
        starts[level] += 1


@uncounted
def _part(source, target, side, n_left):
    left, right = np.uint32(0), np.uint32(n_left)
    for i in range(np.uint32(len(source))):
        sample = source[i]
        goes = np.uint32(side[sample])
        target[left if goes else right] = sample
        left = np.uint32(left + goes)
        right = np.uint32(right + np.uint32(1) - goes)


@uncounted
def _part_all(tree, here, cut):
    """Partition a node's lists by its cut."""
    n_left, first, stop = cut.place + 1, here.first, here.first + here.n
    for i in range(here.n):
        tree.side[tree.lists[here.buffer, cut.feature, first + i]] = i < n_left
    _part(tree.members[first:stop], tree.spare, tree.side, n_left)
    for i in range(here.n):
        tree.members[first + i] = tree.spare[i]
    for feature in range(tree.lists.shape[1]):
        source = tree.lists[here.buffer, feature, first:stop]
        _part(source, tree.lists[1 - here.buffer, feature, first:stop], tree.side, n_left)


@uncounted
def _write(state, at, here, targets):
    """Write a node as a leaf; return the sum of its targets, nan if it may not be split."""
    tree, limits, n, total, low, high = state.grown, state.limits, here.n, 0.0, np.inf, -np.inf
    for i in range(n):
        y = targets[i]
        total += y
        low, high = min(low, y), max(high, y)
    mean, spread = total / n if low < high else low, 0.0
    for i in range(n):
        off = targets[i] - mean
        spread += off * off
    impurity = max(spread / n, 0.0)
    tree.feature[at], tree.threshold[at], tree.left[at], tree.right[at] = LEAF, np.nan, LEAF, LEAF
    tree.categories[at], tree.missing_left[at] = 0, False
    tree.n_samples[at], tree.weight[at], tree.value[at, 0], tree.impurity[at] = n, n, mean, impurity
    if here.parent >= 0:
        tree.right[here.parent] = at
    enough = n >= limits.min_split and n >= 2 * limits.min_leaf and here.depth < limits.max_depth
    return total if enough and low < high and impurity > 0 else np.nan


@uncounted
def _write_split(state, at, feature, rows, n_left):
    """Write the split of a node between the values of two rows."""
    tree, values = state.grown, state.table.values
    tree.feature[at], tree.left[at] = feature, at + 1
    tree.threshold[at] = midpoint(values[feature, rows[0]], values[feature, rows[1]])
    tree.missing_left[at] = 2 * n_left > tree.n_samples[at] and not state.limits.is_last


@uncounted
def _wait(waiting, place, here):
    """Let a `QueuedNode` wait."""
    waiting[place, 0], waiting[place, 1], waiting[place, 2] = here.parent, here.first, here.n
    waiting[place, 3], waiting[place, 4] = here.depth, here.buffer


@uncounted
def _wait_both(waiting, place, here, at, n_left, buffer):
    """Let the children of node `at` wait, the left one for the next turn."""
    _wait(waiting, place, QueuedNode(at, here.first + n_left, here.n - n_left, here.depth + 1, buffer))
    _wait(waiting, place + 1, QueuedNode(NOBODY, here.first, n_left, here.depth + 1, buffer))


@uncounted
def _next(waiting, place):
    return QueuedNode(
        waiting[place, 0], waiting[place, 1], waiting[place, 2], waiting[place, 3], waiting[place, 4]
    )


@uncounted
def _enter_few(state, here):
    """Number the samples of a node of few."""
    tree, few = state.tree, state.tree.few
    for i in range(here.n):
        member = tree.members[here.first + i]
        few.place[member] = i
        few.y[i] = tree.y[member]
        few.number[i] = tree.rows[member]


@uncounted
def _rank_few(state, here):
    """Rank the samples of a node of few by each feature."""
    tree, few = state.tree, state.tree.few
    for feature in range(tree.lists.shape[1]):
        order, rank = tree.lists[here.buffer, feature, here.first : here.first + here.n], np.int64(0)
        for i in range(here.n):
            if i > 0 and is_between(state, feature, order, i - 1):
                rank += 1
            few.ranks[few.place[order[i]] * few.width + feature] = rank


@uncounted
def _grow_few(state, root, at):
    """Grow the subtree of a node of few samples; return the number of nodes after it."""
    few, waiting, n_waiting, has_ranks = state.tree.few, state.tree.few_waiting, 1, False
    _enter_few(state, root)
    _wait(waiting, 0, QueuedNode(root.parent, np.int64(0), root.n, root.depth, np.int64(0)))
    while n_waiting > 0:
        n_waiting -= 1
        here = _next(waiting, n_waiting)
        total = _write(state, at, here, few.y[here.first :])
        if total == total:
            if not has_ranks:
                _rank_few(state, root)
                has_ranks = True
            feature, rank = best_cut_of_few(few, FewNode(here.first, here.n, total, max(state.limits.min_leaf, 1)))
            if feature >= 0:
                n_left, low, high = part_few(few, here.first, here.n, feature, rank)
                _write_split(state, at, feature, (low, high), n_left)
                _wait_both(waiting, n_waiting, here, at, n_left, np.int64(0))
                n_waiting += 2
        at += 1
    return at


@uncounted
def grow_subtree(state, root, at):
    """Grow the subtree of a node whose samples are entered; return the number of nodes after it."""
    tree, waiting, n_waiting = state.tree, state.tree.waiting, 1
    _wait(waiting, 0, root)
    while n_waiting > 0:
        n_waiting -= 1
        here = _next(waiting, n_waiting)
        if here.n <= FEW:
            at = _grow_few(state, here, at)
            continue
        for i in range(here.n):
            tree.targets[i] = tree.y[tree.members[here.first + i]]
        total = _write(state, at, here, tree.targets)
        if total == total:
            cut = best_cut(state, ListedNode(here.buffer, here.first, here.n, total))
            if cut.feature >= 0:
                order = tree.lists[here.buffer, cut.feature, here.first : here.first + here.n]
                rows = (tree.rows[order[cut.place]], tree.rows[order[cut.place + 1]])
                _part_all(tree, here, cut)
                _write_split(state, at, cut.feature, rows, cut.place + 1)
                _wait_both(waiting, n_waiting, here, at, cut.place + 1, 1 - here.buffer)
                n_waiting += 2
        at += 1
    return at


# ---- Finishing a tree: the nodes of its top as they are, and below them subtrees, all written in preorder

SUBTREE = -2  # the feature of a node that may be split, whose subtree is grown in one go


@uncounted
def _finish_write(grown, at, node, value):
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
        if node.feature == SUBTREE and signals[1] == 0:
            at = _grow(state, lists, node, parent, at)
            signals[0] += node.stop - node.start
            continue
        _finish_write(state.grown, at, node, values[number, 0])
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
        n += 2 * (nodes[number].stop - nodes[number].start) if nodes[number].feature == SUBTREE else 1
    return n


@kernel
def _finish_tree(state, lists, nodes, values, signals):
    """Return how many nodes are written into ``state.grown``."""
    return _finish(state, lists, nodes, values, np.empty((len(nodes) + 1, 2), np.int64), signals)


def finish_tree(work, tree: Subtree, nodes: np.ndarray, values: np.ndarray, signals: np.ndarray) -> TreeArrays:
    """Return all nodes of a tree in preorder: those of NODE records, and the subtrees of those that are `SUBTREE`.

    work is an `espalier.kernels.cart.best_split.GrowthState`.
    """
    columns, limits = work.columns, work.limits
    table = NumberTable(columns.values, columns.kind, columns.slot, columns.distinct, columns.codes, work.task.y)
    few = SubtreeLimits(limits.max_depth, limits.min_split, limits.min_leaf, limits.missing == AS_CATEGORY)
    n = _room(nodes)
    arrays = TreeArrays(
        np.empty(n, np.int32), np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.uint64),
        np.empty(n, np.bool_), np.empty(n, np.int64), np.empty(n), np.empty((n, 1)), np.empty(n),
    )  # fmt: skip
    n_nodes = _finish_tree(SubtreeState(tree, table, few, arrays), work.lists, nodes, values, signals)
    return TreeArrays(*(array[:n_nodes] if 2 * n_nodes >= n else array[:n_nodes].copy() for array in arrays))
