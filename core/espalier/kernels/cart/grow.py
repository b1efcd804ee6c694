"""Growing a tree: the loop that takes a node from the frontier, splits it, and describes its children.

Every list of rows (in the table's order; by each sorted feature) holds a node's samples as one slice, at the
same place in every list. Splitting a node moves its slices, stably, from one buffer to the other:

    before   | . . . | b a c e d | . . |      node = slice 3:8, here by some feature
    after    | . . . | a e | b c d | . . |    left child 3:5, right child 5:8, each still in order

so that no child is ever sorted again. Children that will not be split are described but never moved.

``python -m espalier.kernels.cart.grow`` grows a tree in a process without Numba's compiler, for which the kernels
are plain Python: it imports nothing but what grows, and takes what is to grow from standard input.
"""

from __future__ import annotations

import math
import pickle
import sys
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart import fast_split
from espalier.kernels.cart.best_split import GrowthState, Segment, find_split
from espalier.kernels.cart.columns import (
    CATEGORIES,
    LEVELS,
    MAX_LEVELS,
    MISSING,
    SortedColumns,
    make_columns,
)
from espalier.kernels.cart.fast_split import width_of
from espalier.kernels.cart.nodes import ChildSlices, describe, part_both, part_levels, part_lists, part_rows
from espalier.kernels.cart.sequence import TargetRanks
from espalier.kernels.cart.small_classes import grow_small
from espalier.kernels.cart.small_subtrees import MOST, SUBTREE, finish_tree, make_subtree
from espalier.kernels.cart.surrogates import NO_POOL, make_pool, part_by_surrogates, surrogates_of
from espalier.kernels.cart.sweep import bound_children
from espalier.kernels.randomness import child_seed
from espalier.kernels.simd import borrow
from espalier.kernels.task import (
    ABSOLUTE_ERROR,
    AS_CATEGORY,
    BY_SURROGATES,
    ENTROPY,
    GINI,
    POISSON,
    SQUARED_ERROR,
    TO_BETTER_SIDE,
    GrowthLimits,
    SearchWorkspace,
    Task,
    longer,
    score,
    taller,
    write_tree,
)
from espalier.trees import LEAF, Tree, make_tree

MOST_AT_FIRST = 1 << 18  # nodes that have room at first; memory that no node uses is never touched
ROUNDING = 1e-12  # of a gain, per unit of weight: a split of gain 0 is made, however it is rounded

_FIELDS = {
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "categories": np.uint64,
    "missing_left": np.bool_,
    "seen": np.uint64,  # categories that a split on categories saw, where surrogates decide about the others
    "weight": np.float64,
    "impurity": np.float64,
    "gain": np.float64,  # of the best split, times the node's weight: the rank in best-first growing
    "start": np.int64,
    "stop": np.int64,
    "depth": np.int64,
    "buffer": np.int64,
    "seed": np.uint64,  # of the random draws at this node, if there are any
    "low": np.float64,  # bounds of predictions below it (espalier.kernels.cart.sweep)
    "high": np.float64,
}
NODE = np.dtype((np.record, np.dtype(list(_FIELDS.items()), align=True)))


class NodeTable(NamedTuple):
    """The nodes of a tree while it grows, in the order they are made, with room for more."""

    nodes: np.ndarray  # (room,) NODE
    sums: np.ndarray  # (room, n_sums) float64: see espalier.kernels.cart.nodes
    values: np.ndarray  # (room, max(n_classes, 1)) float64


@kernel
def _lists(order, task, by_target):
    """Return both buffers of the lists; entries carry the class for pairs. A list by target may follow."""
    n_lists, n = order.shape
    lists = np.empty((2, n_lists + (len(by_target) > 0), n), np.uint32)
    for i in range(n_lists):
        for at in range(n):
            row = order[i, at]
            label = np.uint32(task.label[row]) if task.pairs else np.uint32(0)
            lists[0, i, at] = (row << np.uint32(1)) | label
    for at in range(len(by_target)):
        lists[0, n_lists, at] = np.uint32(by_target[at]) << np.uint32(1)
    return lists


def make_work(columns: SortedColumns, task: Task, limits: GrowthLimits, seed: int) -> GrowthState:
    """Return everything that growing reads, with its scratch memory."""
    p, n = columns.values.shape
    needs_medians = task.criterion == ABSOLUTE_ERROR
    target_order = np.argsort(task.y, kind="stable") if needs_medians else np.empty(0, np.int64)
    size = n if needs_medians else 1
    is_directed = bool(columns.direction.any())
    one_by_one = needs_medians or task.criterion == POISSON or is_directed
    ranks = TargetRanks(np.empty(size), np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size))
    n_levels, width = MISSING + 1, width_of(columns.codes.shape[1])
    scratch = SearchWorkspace(
        np.zeros((n_levels, task.n_classes or 2)), np.zeros(n_levels, np.int64),
        np.zeros(2 * columns.most_levels * width), np.zeros(width), np.zeros(n_levels, np.int64),
        np.empty(n if one_by_one else 1, np.uint32), np.array([seed], np.uint64),
    )  # fmt: skip
    lists = _lists(columns.order, task, target_order)
    pool = make_pool(limits, n) if limits.missing == BY_SURROGATES else NO_POOL
    is_plain = _is_plain(task, limits)
    n_plain = sum(fast_split.is_plain(columns, f, task.pairs) for f in range(p)) if is_plain else 0
    return GrowthState(
        columns, task, limits, lists, np.arange(p), is_plain, p - n_plain, scratch, ranks, pool, is_directed
    )


def _is_plain(task: Task, limits: GrowthLimits) -> bool:
    if limits.random or not task.unit or task.by_ratio:
        return False
    return task.pairs or task.criterion == SQUARED_ERROR


@kernel
def _may_split(node, pure, limits):
    n = node.stop - node.start
    if pure or n < limits.min_split or n < 2 * limits.min_leaf or node.depth >= limits.max_depth:
        return False
    heavy = node.weight >= max(2 * limits.min_leaf_weight, limits.min_weight * (1 - ROUNDING))
    return heavy and node.impurity > 0


@kernel
def _gain(split_score, node, sums, criterion):
    """Return the impurity decrease of a split times the node's weight."""
    if criterion == ABSOLUTE_ERROR:
        return node.impurity * node.weight + split_score
    gain = split_score - score(sums, criterion)
    return gain / math.log(2) if criterion == ENTROPY else gain


@inlined
def _seek_split(work, node, sums, all_weight):
    """Find the node's split and write it into its record; return whether there is one that gains enough."""
    work.scratch.state[0] = node.seed
    split = find_split(work, Segment(node.buffer, node.start, node.stop, node.low, node.high), sums)
    is_found = split.feature >= 0
    if is_found:
        node.gain = _gain(split.score, node, sums, work.task.criterion)
        is_found = node.gain / all_weight + ROUNDING >= work.limits.min_decrease
    if is_found:
        node.feature = split.feature
        node.threshold = split.threshold
        node.categories = split.categories
        node.missing_left = split.missing_left
    return is_found


@kernel
def _absent_categories(entries, codes):
    """Return the mask of the categories that none of the entries has."""
    mask = np.uint64(0xFFFFFFFFFFFFFFFF)
    for entry in entries:
        level = codes[entry >> np.uint32(1)]
        if level < MISSING:
            mask &= ~(np.uint64(1) << np.uint64(level))
    return mask


@inlined
def _settle_unknown(work, node, n_left, missing):
    """Send values the node never saw: missing ones to the larger child, unseen categories with missing ones.

    With surrogates the node notes which categories it saw, since those decide about all others, too.
    """
    is_category = work.columns.kind[node.feature] == CATEGORIES
    if not missing and not np.isinf(node.threshold):
        beyond_all = work.limits.missing == AS_CATEGORY and not is_category
        node.missing_left = 2 * n_left > node.stop - node.start and not beyond_all
    has_surrogates = work.limits.missing == BY_SURROGATES
    if is_category and (node.missing_left or has_surrogates):
        entries = work.lists[node.buffer, 0, node.start : node.stop]
        absent = _absent_categories(entries, work.columns.codes[:, work.columns.slot[node.feature]])
        node.seen = ~absent if has_surrogates else node.seen
        node.categories |= absent if node.missing_left else np.uint64(0)


@kernel
def _next_node(frontier, n_frontier, nodes, best_first):
    """Return the position in the frontier of the node to split next: the newest, or that of the largest gain."""
    at = n_frontier - 1
    if best_first:
        for i in range(n_frontier - 1):
            if nodes[frontier[i]].gain > nodes[frontier[at]].gain:
                at = i
    return at


@kernel
def _start_node(node, start, stop, depth, buffer):
    node.feature = LEAF
    node.threshold = np.nan
    node.left = LEAF
    node.right = LEAF
    node.categories = 0
    node.missing_left = False
    node.seen = 0
    node.gain = 0.0
    node.start, node.stop = start, stop
    node.depth = depth
    node.buffer = buffer
    node.low, node.high = -np.inf, np.inf


@kernel
def _begin(node, sums, value, list_to_read, task, limits):
    """Describe a node from its entries; returns whether it may be split."""
    entries = list_to_read[node.start : node.stop]
    node.weight, node.impurity, pure = describe(entries, task, sums, value)
    return _may_split(node, pure, limits)


@inlined
def _split_node(work, nodes, sums, values, parent, first, side):
    """Make the two children of a node, and move their lists; return whether each of them may be split."""
    node = nodes[parent]
    before, after = work.lists[node.buffer], work.lists[1 - node.buffer]
    if work.limits.missing == BY_SURROGATES:
        n_left, missing = part_by_surrogates(work, node, parent, side), True
    elif work.columns.kind[node.feature] == LEVELS:
        slot = work.columns.slot[node.feature]
        codes, levels = work.columns.codes[:, slot], work.columns.levels[slot]
        n_left, missing = part_levels(before[0], after[0], codes, levels, node, side)
    else:
        n_left, missing = part_rows(before[0], after[0], work.columns.values[node.feature], node, side)
    _settle_unknown(work, node, n_left, missing)
    slices = ChildSlices(node.start, node.start + n_left, node.stop)
    node.left, node.right = first, first + 1
    needs_medians = work.task.criterion == ABSOLUTE_ERROR
    if needs_medians:
        part_both(before[-1], after[-1], side, slices)
    entries = after[-1] if needs_medians else after[0]
    if work.limits.random or work.limits.max_features < len(work.features):  # else nothing is drawn
        nodes[first].seed, nodes[first + 1].seed = child_seed(node.seed, True), child_seed(node.seed, False)
    _start_node(nodes[first], slices.start, slices.middle, node.depth + 1, 1 - node.buffer)
    _start_node(nodes[first + 1], slices.middle, slices.stop, node.depth + 1, 1 - node.buffer)
    left = _begin(nodes[first], sums[first], values[first], entries, work.task, work.limits)
    right = _begin(nodes[first + 1], sums[first + 1], values[first + 1], entries, work.task, work.limits)
    if work.is_directed:
        bound_children(nodes, values, parent, first, work.columns.direction[node.feature])
    if left or right:
        part_lists(work.lists, node.buffer, slices, side, left, right)
    return left, right


def begin(work: GrowthState) -> tuple[NodeTable, bool]:
    """Return a table with the root alone, and whether it may be split."""
    room = min(max(2 * work.lists.shape[2], 64), MOST_AT_FIRST)
    nodes, sums = np.empty(room, NODE), np.empty((room, work.scratch.sums.shape[1]))
    values = np.empty((room, max(work.task.n_classes, 1)))
    _start_node(nodes[0], 0, work.lists.shape[2], 0, 0)
    nodes[0].seed = work.scratch.state[0]
    entries = work.lists[0, -1] if work.task.criterion == ABSOLUTE_ERROR else work.lists[0, 0]
    may = _begin(nodes[0], sums[0], values[0], entries, work.task, work.limits)
    return NodeTable(nodes, sums, values), may


@kernel
def _grow(work, most_whole, table, may, signals):
    """Return the nodes (NODE records), in the order they were made, and their values; node 0 is the root.

    The table has the root alone; may is whether it may be split. A node that may be split but has at most
    `most_whole` samples is only marked as `SUBTREE`.
    """
    work = borrow(work)
    nodes, sums, values = table.nodes, table.sums, table.values
    limits = work.limits
    frontier = np.empty(len(nodes), np.int64)
    side = np.empty(work.columns.values.shape[1], np.bool_)
    fresh, may_split = np.zeros(2, np.int64), np.zeros(2, np.bool_)
    may_split[0] = may
    n_fresh, n_nodes, n_frontier, n_leaves = 1, np.int64(1), np.int64(0), 1
    while True:
        for i in range(n_fresh):
            child = fresh[i]
            size = nodes[child].stop - nodes[child].start
            if may_split[i] and size <= most_whole:
                nodes[child].feature = SUBTREE
            elif may_split[i] and _seek_split(work, nodes[child], sums[child], nodes[0].weight):
                frontier[n_frontier] = child
                n_frontier += 1
            else:
                signals[0] += size
        if n_frontier == 0 or signals[1] != 0 or n_leaves == limits.max_leaves:
            break
        at = _next_node(frontier, n_frontier, nodes, limits.max_leaves > 0)
        parent = frontier[at]
        n_frontier -= 1
        frontier[at] = frontier[n_frontier]
        if n_nodes + 2 > len(nodes):
            nodes, frontier = longer(nodes), longer(frontier)
            sums, values = taller(sums), taller(values)
        may_split[1], may_split[0] = _split_node(work, nodes, sums, values, parent, n_nodes, side)
        fresh[0], fresh[1] = n_nodes + 1, n_nodes
        n_fresh = 2
        n_nodes += 2
        n_leaves += 1
    for i in range(n_frontier):  # nodes that were not reached stay leaves
        nodes[frontier[i]].feature = LEAF
    return nodes[:n_nodes], values[:n_nodes]


def grow_tree(columns: SortedColumns, task: Task, limits: GrowthLimits, seed: int, signals: np.ndarray) -> Tree:
    """Grow a CART tree.

    signals (2,) int64 is shared with another thread: [0] counts the samples whose leaf is decided; a value other
    than 0 in [1] stops growing, and nodes not split by then become leaves.
    """
    return grow_from(make_work(columns, task, limits, seed), signals)


def _takes_subtrees(work: GrowthState) -> bool:
    """Return whether `cart.small_subtrees` serves the task: numbers, unit weights, nothing by chance."""
    columns, limits, task = work.columns, work.limits, work.task
    is_plain = task.criterion == SQUARED_ERROR and task.unit and not work.is_directed
    is_whole = not columns.has_missing.any() and limits.missing != BY_SURROGATES
    is_free = limits.min_decrease <= 0 and limits.min_leaf_weight <= 0 and limits.min_weight <= 0
    is_orderly = limits.max_features >= len(columns.kind) and not limits.random and limits.max_leaves == 0
    return bool(is_plain and is_whole and is_free and is_orderly and not (columns.kind == CATEGORIES).any())


def grow_from(work: GrowthState, signals: np.ndarray) -> Tree:
    """Grow a tree of the samples in ``work.lists[0]``; the lists are overwritten."""
    takes_subtrees = _takes_subtrees(work)
    nodes, values = _grow(work, MOST if takes_subtrees else 0, *begin(work), signals)
    if takes_subtrees:
        n_features, n = work.columns.values.shape
        return make_tree(*finish_tree(work, make_subtree(n, n_features), nodes, values, signals))
    tree, own_seen, place = write_tree(nodes, values)
    if work.limits.missing != BY_SURROGATES:
        return make_tree(*tree)
    return make_tree(*tree, surrogates_of(work.surrogates, place, own_seen))


# ---- Which engine grows a tree

MOST_OF_TWO = 2048  # samples of two classes that one call takes: above, `fast_split` is as quick
FEW = 4096  # samples of more classes: above, one call is for deep trees of columns with many values
MOST_OF_MORE, MOST_VALUES = 1 << 18, 1 << 23  # such samples, and values in the table
DEEP, LOOK = 8, 256  # levels; samples at which a column's values are looked at


class Seedling(NamedTuple):
    """All that a tree depends on."""

    X: np.ndarray  # (n_features, n_samples) float64, C order; missing nan
    is_categorical: np.ndarray  # (n_features,) bool
    directions: np.ndarray  # (n_features,) of monotone columns; empty: none has one
    task: Task
    limits: GrowthLimits
    seed: int


def grow(seedling: Seedling, signals: np.ndarray) -> Tree:
    """Return the tree, with the values of its target; `signals` are a `Progress`'s array."""
    X, is_categorical, directions, task, limits, seed = seedling
    tree = grow_small(X, task, limits, signals) if takes_one_call(seedling) else None
    if tree is not None:
        return tree
    return grow_tree(make_columns(X, is_categorical, directions), task, limits, seed, signals)


def takes_one_call(seedling: Seedling) -> bool:
    """Return whether `grow_small` serves: classes by gini, of a table of complete numbers that is not too large.

    A missing or infinite value is seen here, before any column is sorted.
    """
    X, is_categorical, directions, task, limits, _ = seedling
    if is_categorical.any() or len(directions) or task.criterion != GINI or not task.unit:
        return False
    if limits.random or limits.max_leaves or limits.max_features < len(X):
        return False
    if limits.min_leaf_weight > 0 or limits.min_decrease > 0 or limits.min_weight > 0:
        return False
    n = len(task.label)
    if limits.missing != TO_BETTER_SIDE or n > (MOST_OF_TWO if task.n_classes == 2 else MOST_OF_MORE):
        return False
    return (n <= FEW or _gains_by_one_call(limits, X)) and bool(np.isfinite(X).all())


def _gains_by_one_call(limits: GrowthLimits, X: np.ndarray) -> bool:
    """Return whether a tree of many samples grows faster in one call than node by node.

    Near the root it does not, nor where most columns have so few values that they are counted by them.
    """
    first = np.sort(X[:, :LOOK], axis=1)
    n_changes = (first[:, 1:] != first[:, :-1]).sum(axis=1) >= MAX_LEVELS
    return limits.max_depth >= DEEP and X.size <= MOST_VALUES and 2 * int(n_changes.sum()) > len(X)


def main() -> None:
    """Grow what standard input holds, a `Seedling` and signals, and write the tree to standard output."""
    seedling, signals = pickle.load(sys.stdin.buffer)
    with np.errstate(over="ignore"):  # whole numbers wrap around, as intended
        pickle.dump(grow(seedling, signals), sys.stdout.buffer)


if __name__ == "__main__":
    main()
