"""Trees of classes, by gini: features sorted, nodes split and the tree written in one call.

With a few hundred samples a search takes some millionths of a second, and a call for each step takes longer. With
many samples of more than two classes, an entry that holds its class saves looking it up in every sweep.
Counts of samples are whole numbers, so that scores are the same, to the last bit, as in
`espalier.kernels.cart.sweep`.

The entries of tables of classes: the samples in order of each feature, one word for each. A word holds a sample,
the rank of its value, and its class, from the lowest bits up, so that a sweep along a feature looks nothing up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.task import GrowthLimits, Task, TreeArrays, clear, midpoint, score_of_squares
from espalier.trees import LEAF, Surrogates, Tree, make_tree

BITS = np.uint64(24)  # of a sample, and of a rank
CLASS = np.uint64(48)  # place of the class
LOW = np.uint64((1 << 24) - 1)
RANK = np.uint64(((1 << 24) - 1) << 24)  # bits in which entries of different values differ

SMALL_TABLE = 256  # samples that need fewer buckets
FEW_BUCKETS, MANY_BUCKETS = 128, 1024  # equal parts of a feature's range, by which it is sorted at first
BUCKET_SIZE = 4  # samples, on average, in a table that needs more buckets
MOVES = 8  # of a sample, before runs are merged instead of moving one after the other


@kernel
def _merge(column, order, spare, middle):
    """Merge the rows before `middle` with those from there on, both in ascending order; stably."""
    for i in range(middle):
        spare[i] = order[i]
    left, right, at = 0, middle, 0
    while left < middle and right < len(order):
        from_left = column[spare[left]] <= column[order[right]]
        order[at] = spare[left] if from_left else order[right]
        left += from_left
        right += not from_left
        at += 1
    for i in range(left, middle):
        order[at + i - left] = spare[i]


@kernel
def _merge_all(column, order, spare):
    """Sort the rows in order (n,) by ascending value, stably; parts that are in order already cost little."""
    n, width = len(order), 1
    while width < n:
        for start in range(0, n - width, 2 * width):
            if column[order[start + width]] < column[order[start + width - 1]]:
                _merge(column, order[start : min(start + 2 * width, n)], spare, width)
        width *= 2


@kernel
def _sort(column, order, spare, buckets):
    """Write the rows into order (n,) by ascending value, stably; return whether all values are finite."""
    low, high = column[0], column[0]
    for x in column:
        low, high = min(low, x), max(high, x)
        if x - x != 0:
            return False
    scale = (len(buckets) - 2) / (high - low) if high > low else 0.0
    scale = scale if scale < np.inf else 0.0
    clear(buckets)
    for x in column:
        buckets[np.int64((x - low) * scale) + 1] += 1
    for i in range(1, len(buckets)):
        buckets[i] += buckets[i - 1]
    for row in range(len(column)):
        bucket = np.int64((column[row] - low) * scale)
        order[buckets[bucket]] = row
        buckets[bucket] += 1
    effort = MOVES * len(order)
    for i in range(1, len(order)):  # within a bucket values may not be in order yet
        row, at = order[i], i
        x = column[row]
        while at > 0 and column[order[at - 1]] > x:
            order[at] = order[at - 1]
            at -= 1
        order[at] = row
        effort -= i - at
        if effort < 0:  # far outliers, which leave most values in one bucket
            _merge_all(column, order, spare)
            break
    return True


@kernel
def make_entries(values, label, lists):
    """Write the entries of every feature in order of its values into lists (n_features, n).

    Returns whether all values are finite; otherwise some are not written.
    """
    n = values.shape[1]
    order, spare = np.empty(n, np.uint32), np.empty(n, np.uint32)
    buckets = np.empty(FEW_BUCKETS if n < SMALL_TABLE else max(MANY_BUCKETS, n // BUCKET_SIZE), np.uint32)
    for feature in range(len(values)):
        column = values[feature]
        if not _sort(column, order, spare, buckets):
            return False
        rank, last = np.uint64(0), column[order[0]]
        for i in range(n):
            row = order[i]
            rank += np.uint64(column[row] != last)
            last = column[row]
            lists[feature, i] = np.uint64(row) | (rank << BITS) | (np.uint64(label[row]) << CLASS)
    return True


# ---- Growing

_LEAF = make_tree([LEAF], [np.nan], [LEAF], [LEAF], [0], [False], [1], [1.0], [[1.0]], [0.0])
_NO_SURROGATES = _LEAF.surrogates[2:]  # which have no nodes to say how many


class SmallLimits(NamedTuple):
    """Limits of growth; see `espalier.kernels.task.GrowthLimits`."""

    max_depth: int
    min_split: int
    min_leaf: int


class SmallNode(NamedTuple):
    """A node that may be split: the place of its entries in the lists of every feature."""

    buffer: int
    start: int
    n: int
    depth: int


class SmallCut(NamedTuple):
    """A cut between two entries of a feature's list; feature -1 stands for none."""

    score: float
    feature: int
    place: int  # in the node's list: of the last entry on the left


class ClassCounts(NamedTuple):
    """Samples of each class in a node, and to the left of a cut; (n_classes,) int64 each."""

    node: np.ndarray
    left: np.ndarray


@kernel
def _best_cut(lists, node, counts, min_leaf):
    """Return the best cut of a node, of equal ones the first of the first feature."""
    buffer, start, n, least = node.buffer, node.start, node.n, max(min_leaf, 1)
    best, feature, place, all_squares = -np.inf, -1, -1, np.int64(0)
    for count in counts.node:
        all_squares += count * count
    for f in range(lists.shape[1]):
        if best >= n:
            break  # both sides are pure
        clear(counts.left)
        squares, products = np.int64(0), np.int64(0)
        for i in range(n - least):
            entry = lists[buffer, f, start + i]
            k = entry >> CLASS
            squares += 2 * counts.left[k] + 1
            counts.left[k] += 1
            products += counts.node[k]
            left = float(i + 1)
            right = float(n) - left
            here = score_of_squares(float(squares), float(all_squares - 2 * products + squares), left, right)
            if here > best and i >= least - 1 and (entry ^ lists[buffer, f, start + i + 1]) & RANK != 0:
                best, feature, place = here, f, i
    return SmallCut(best, feature, place)


@kernel
def _part(lists, node, cut, side):
    """Write the entries of both sides of a cut into the other buffer, in the same order."""
    source, target = lists[node.buffer], lists[1 - node.buffer]
    stop = node.start + node.n
    for i in range(node.start, stop):
        side[source[cut.feature, i] & LOW] = i <= node.start + cut.place
    for feature in range(lists.shape[1]):
        left, right = np.uint32(node.start), np.uint32(node.start + cut.place + 1)
        for i in range(node.start, stop):
            entry = source[feature, i]
            goes = np.uint32(side[entry & LOW])
            target[feature, left if goes else right] = entry
            left = np.uint32(left + goes)
            right = np.uint32(right + np.uint32(1) - goes)


@kernel
def _write(tree, at, counts, n):
    """Write a node with these counts of classes as a leaf."""
    weight, squares = float(n), 0.0
    for k in range(len(counts)):
        count = float(counts[k])
        tree.value[at, k] = count / weight
        squares += count * count
    tree.feature[at], tree.threshold[at], tree.left[at], tree.right[at] = LEAF, np.nan, LEAF, LEAF
    tree.categories[at], tree.missing_left[at], tree.n_samples[at] = np.uint64(0), False, n
    tree.weight[at], tree.impurity[at] = weight, max(1 - squares / weight / weight, 0.0) + 0.0


@kernel
def _write_split(tree, at, values, lists, node, cut, counts, left, right):
    """Write the cut of a node, and the counts of the classes on its sides into left and right (n_classes,)."""
    first = node.start + cut.place
    low = lists[node.buffer, cut.feature, first] & LOW
    high = lists[node.buffer, cut.feature, first + 1] & LOW
    tree.feature[at], tree.left[at] = cut.feature, at + 1
    tree.threshold[at] = midpoint(values[cut.feature, low], values[cut.feature, high])
    tree.missing_left[at] = 2 * (cut.place + 1) > node.n
    clear(left)
    for i in range(node.start, first + 1):
        left[lists[node.buffer, cut.feature, i] >> CLASS] += 1
    for k in range(len(left)):
        right[k] = counts.node[k] - left[k]


@kernel
def _may_split(counts, n, depth, limits):
    if n < limits.min_split or n < 2 * limits.min_leaf or depth >= limits.max_depth:
        return False
    n_present = 0
    for count in counts:
        n_present += count > 0
    return n_present > 1


@inlined
def _empty_tree(n, n_classes):
    return TreeArrays(
        np.empty(n, np.int32), np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.uint64),
        np.empty(n, np.bool_), np.empty(n, np.int64), np.empty(n), np.empty((n, n_classes)), np.empty(n),
    )  # fmt: skip


@kernel
def _grow(values, label, n_classes, limits, signals):
    """Return the tree's arrays, and how many nodes it has: none if a value is missing or infinite."""
    p, n = values.shape
    tree = _empty_tree(2 * n, n_classes)
    lists, side = np.empty((2, p, n), np.uint64), np.empty(n, np.bool_)
    if not make_entries(values, label, lists[0]):
        return tree, 0
    waiting, sums = np.zeros((n + 1, 5), np.int64), np.zeros((n + 1, n_classes), np.int64)
    counts = ClassCounts(np.empty(n_classes, np.int64), np.empty(n_classes, np.int64))
    for row in range(n):
        sums[0, label[row]] += 1
    waiting[0, 2], waiting[0, 4] = n, -1
    n_waiting, at = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        here = waiting[n_waiting]
        node, parent = SmallNode(here[0], here[1], here[2], here[3]), here[4]
        for k in range(n_classes):
            counts.node[k] = sums[n_waiting, k]
        if parent >= 0:
            tree.right[parent] = at
        _write(tree, at, counts.node, node.n)
        cut = SmallCut(0.0, -1, -1)
        if signals[1] == 0 and _may_split(counts.node, node.n, node.depth, limits):
            cut = _best_cut(lists, node, counts, limits.min_leaf)
        if cut.feature >= 0:
            left, right = sums[n_waiting + 1], sums[n_waiting]
            _write_split(tree, at, values, lists, node, cut, counts, left, right)
            n_left, depth, buffer = cut.place + 1, node.depth + 1, 1 - node.buffer
            n_right, middle = node.n - n_left, node.start + n_left
            if _may_split(left, n_left, depth, limits) or _may_split(right, n_right, depth, limits):
                _part(lists, node, cut, side)
            for child in ((buffer, node.start, n_left, depth, -1), (buffer, middle, n_right, depth, at)):
                place = n_waiting + (child[4] < 0)  # the left one is next
                waiting[place, 0], waiting[place, 1], waiting[place, 2] = child[0], child[1], child[2]
                waiting[place, 3], waiting[place, 4] = child[3], child[4]
            n_waiting += 2
        else:
            signals[0] += node.n
        at += 1
    return tree, at


def grow_small(columns: np.ndarray, task: Task, limits: GrowthLimits, signals: np.ndarray) -> Tree | None:
    """Grow the tree of a task of which `takes_one_call` is true; None if a value is missing or infinite.

    Columns (n_features, n_samples) float64 are numbers; signals are as `espalier.kernels.cart.grow.grow_tree` has
    them. The tree is the same as there.
    """
    few = SmallLimits(limits.max_depth, limits.min_split, limits.min_leaf)
    arrays, n = _grow(columns, task.label, task.n_classes, few, signals)
    if n == 0:
        return None
    fields = [*[array[:n].copy() for array in arrays], np.zeros(n + 1, np.int32), np.zeros(n, np.uint64)]
    for array in fields:  # as `make_tree` does, in a fourth of the time
        array.setflags(write=False)
    return Tree(*fields[:-2], Surrogates(*fields[-2:], *_NO_SURROGATES))
