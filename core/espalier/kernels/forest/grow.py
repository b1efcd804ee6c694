"""Growing one tree of a random forest from a table of ordinal codes.

A node's samples are a slice of one list; a split partitions it, stably. Only the features tried at a node are
read, so the cost of a tree does not grow with the width of the table. A sample drawn twice is one entry of
weight two. Nodes are made in preorder.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.best_split import BootstrapNode, read_codes, search_together
from espalier.kernels.forest.bootstrap import GIVEN, BatchNodes, NodeRoom, TreeBatch, draw_into, trees_of_batch
from espalier.kernels.forest.nodes import (
    GREATEST,
    BestCut,
    BucketWorkspace,
    Nodes,
    class_of,
    describe_numbers,
    draw_feature,
    draws_of,
    make_bucket_workspace,
    may_split,
    wait,
    write_leaf,
)
from espalier.kernels.forest.ordinal import OrdinalTable
from espalier.kernels.forest.small_few import (
    FEW,
    MOST_WEIGHT,
    FewDraws,
    FewRoot,
    grow_few,
    make_few_draws,
)
from espalier.kernels.randomness import child_seed
from espalier.kernels.simd import borrow
from espalier.kernels.task import GrowthLimits, Task, midpoint
from espalier.trees import LEAF, Tree

SPARE_NODES = 200_000  # at most, beyond the largest possible tree: one call grows several trees of so many nodes


class FoundSplit(NamedTuple):
    """The best split of a node."""

    feature: int  # -1: there is none
    code: int  # the last on its left
    place: int  # of its codes among those that were read


NO_SPLIT = FoundSplit(-1, -1, -1)


class TreeWorkspace(NamedTuple):
    """Scratch memory in which one thread grows its trees, one after the other."""

    times: np.ndarray  # (n_samples,) uint8: how often each sample was drawn
    entries: np.ndarray  # (n_samples,) uint64
    spare: np.ndarray  # (n_samples,) uint64
    y: np.ndarray  # (n_samples,) float64, beside the entries; (1,) for classes
    spare_y: np.ndarray
    features: np.ndarray  # (n_features,) int64: a permutation
    state: np.ndarray  # (1,) uint64: random state
    waiting: np.ndarray  # (n_samples + 1, 4) int64: start, stop, depth, and a right child's parent (else -1)
    seeds: np.ndarray  # (n_samples + 1,) uint64: of the nodes that wait
    counts: np.ndarray  # (n_samples + 1, n_classes) float64: of the nodes that wait
    beside: np.ndarray  # (2 n_samples, 2) int32: codes of the node's feature on both sides of its cut
    scratch: BucketWorkspace
    few: FewDraws
    nodes: Nodes


def make_workspace(coded: OrdinalTable, task: Task, limits: GrowthLimits) -> TreeWorkspace:
    """Allocate the scratch memory in which one thread grows trees of this table."""
    n, p = coded.codes.shape
    k, size, m = max(task.n_classes, 1), n if task.n_classes == 0 else 1, 2 * n + min(SPARE_NODES, 16 * n)
    room, real = NodeRoom(), np.float64
    nodes = Nodes(
        room.empty((m,), np.int32), room.empty((m,), real), room.empty((m,), np.int32), room.empty((m,), np.bool_),
        room.empty((m,), real), room.empty((m, k), real), room.empty((m,), real),
    )  # fmt: skip
    return TreeWorkspace(
        np.empty(n, np.uint8), np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(size), np.empty(size),
        np.arange(p), np.zeros(1, np.uint64), np.empty((n + 1, 4), np.int64), np.empty(n + 1, np.uint64),
        np.empty((n + 1, k)), np.empty((2 * n, 2), np.int32), make_bucket_workspace(n, task.n_classes,
        limits.max_features), make_few_draws(p), nodes,
    )  # fmt: skip


@inlined
def _borrow_from(work, first):
    """Return the workspace with borrowed arrays (`kernels.simd`), its nodes from place `first` on."""
    b = borrow(work)
    v = b.nodes
    nodes = Nodes(
        v.feature[first:], v.threshold[first:], v.right[first:], v.missing_left[first:], v.weight[first:],
        v.value[first:], v.impurity[first:],
    )  # fmt: skip
    return TreeWorkspace(
        b.times, b.entries, b.spare, b.y, b.spare_y, b.features, b.state, b.waiting, b.seeds, b.counts, b.beside,
        b.scratch, b.few, nodes,
    )  # fmt: skip


@kernel
def _enter(task, work):
    """Write an entry for each sample that was drawn; return how many there are."""
    n, times = 0, work.times
    for row in range(len(times)):
        entry = np.uint64(row) | (np.uint64(times[row]) << np.uint64(48))
        if task.n_classes > 0:
            entry |= np.uint64(task.label[row]) << np.uint64(32)
        else:
            work.y[n] = task.y[row]
        work.entries[n] = entry
        n += times[row] > 0
    return n


# ---- statistics of a node


@kernel
def _count(entries, counts):
    for k in range(len(counts)):
        counts[k] = 0.0
    for entry in entries:
        counts[class_of(entry)] += float(draws_of(entry))


@kernel
def _describe_classes(counts, value):
    """Fill value (n_classes,); returns (weight, gini impurity)."""
    weight, squares = 0.0, 0.0
    for k in range(len(counts)):
        weight += counts[k]
        squares += counts[k] * counts[k]
    for k in range(len(counts)):
        value[k] = counts[k] / weight
    return weight, max(1 - squares / weight / weight, 0.0)


# ---- partition of a node


@kernel
def _next_to(code, n, cut):
    """Return the greatest code up to the cut, and the least one beyond it."""
    low, high = np.int32(0), GREATEST
    for i in range(n):
        c = code[i]
        low = max(low, c if c <= cut else np.int32(0))
        high = min(high, GREATEST if c <= cut else c)
    return low, high


@kernel
def _part(code, values, spare, cut):
    """Partition the values that belong to the codes by the cut, stably; return how many go left."""
    n_left, n_right = np.uint32(0), np.uint32(0)
    for i in range(np.uint32(len(values))):
        value = values[i]
        goes = np.uint32(code[i] <= cut)
        values[n_left] = value
        spare[n_right] = value
        n_left += goes
        n_right += np.uint32(1) - goes
    for i in range(n_right):
        values[n_left + i] = spare[i]
    return np.int64(n_left)


@inlined
def _part_node(work, root, split):
    """Write the split of a node, a `FewRoot`, and partition its samples; return how many go left."""
    entries, n = root.entries, len(root.entries)
    work.nodes.feature[root.node] = split.feature
    code = work.scratch.code[split.place]
    low, high = _next_to(code, n, split.code)
    n_left = _part(code, entries, work.spare, split.code)
    if not work.scratch.by_class:
        _part(code, root.y, work.spare_y, split.code)
    work.beside[root.node, 0], work.beside[root.node, 1] = low, high
    return n_left


@kernel
def _count_children(entries, n_left, counts, left, right):
    """Count both children, which will wait at places left and right; at right are the parent's counts."""
    if 2 * n_left < len(entries):
        _count(entries[:n_left], counts[left])
        for k in range(counts.shape[1]):
            counts[right, k] -= counts[left, k]
        return
    for k in range(counts.shape[1]):
        counts[left, k] = counts[right, k]
    _count(entries[n_left:], counts[right])
    for k in range(counts.shape[1]):
        counts[left, k] -= counts[right, k]


# ---- growing


@inlined
def _find_split(coded, node, work, n_tries):
    """Return a node's best split, a `FoundSplit`.

    Of equal splits the first feature's wins. If features are tried at random, more of them are drawn until one
    varies in the node.
    """
    features, scratch = work.features, work.scratch
    p = len(features)
    best = BestCut(-np.inf, np.int64(-1), np.int64(-1))
    first = last = start = np.int64(0)
    is_random, can_split, together = n_tries < p, False, len(scratch.code)
    if len(node.entries) == 2:
        together, n_tries = 1, 1  # two samples have one split: by the first feature that varies
    for i in range(p):  # draws here must not depend on draws elsewhere
        features[i] = i
    while last < p and (last < n_tries or not can_split):
        start, first = last, last
        last = min(first + together, n_tries) if first < n_tries else first + 1
        if is_random:
            for i in range(first, last):
                draw_feature(features, i, work.state)
        best, varies = search_together(coded, node, features[first:last], first, scratch, best)
        can_split = can_split or varies
    feature, at = np.int64(-1), np.int64(-1)
    if best.place >= 0:
        feature, at = features[best.place], best.place - start
        if at < 0:
            read_codes(coded.codes, node.entries, features[best.place : best.place + 1], scratch.code)
            at = np.int64(0)
    return FoundSplit(feature, best.code, at)


@inlined
def _start_node(work, at, node, by_class):
    """Number the node that waits at a place, and describe it as a leaf."""
    start, stop, parent = work.waiting[at, 0], work.waiting[at, 1], work.waiting[at, 3]
    nodes, totals = work.nodes, work.scratch.node.totals
    if parent >= 0:
        nodes.right[parent] = node
    if by_class:
        for k in range(len(totals)):
            totals[k] = work.counts[at, k]
        weight, impurity = _describe_classes(totals, nodes.value[node])
    else:
        weight, total, impurity = describe_numbers(work.entries[start:stop], work.y[start:stop], nodes.value[node])
        totals[0] = total
    write_leaf(nodes, node, weight, impurity)


@kernel
def _finish(coded, work, n):
    """Write the thresholds of all nodes in one go: reading values one by one while growing would take longer.

    Missing values, which trees never see while growing, go to the larger side.
    """
    nodes, beside = work.nodes, work.beside
    for node in range(n):
        feature = nodes.feature[node]
        if feature != LEAF:
            first = coded.start[feature]
            low, high = coded.value[first + beside[node, 0]], coded.value[first + beside[node, 1]]
            nodes.threshold[node] = midpoint(low, high)
            nodes.missing_left[node] = 2 * nodes.weight[node + 1] > nodes.weight[node]


@kernel
def _grow(table, task, work, first, limits, signals):
    """Grow a tree of the samples drawn, its nodes from place `first` on; return the number of nodes."""
    work = _borrow_from(work, first)
    table = OrdinalTable(borrow(table.codes), borrow(table.value), borrow(table.start))
    n = _enter(task, work)
    has_classes, waiting, nodes = work.scratch.by_class, work.waiting, work.nodes
    if has_classes:
        _count(work.entries[:n], work.counts[0])
    wait(waiting, 0, np.int64(0), n, np.int64(0), np.int64(-1))
    work.seeds[0] = work.state[0]
    n_waiting, node = 1, -1
    while n_waiting > 0:
        at, node = n_waiting - 1, node + 1
        _start_node(work, at, node, has_classes)
        work.state[0] = seed = work.seeds[at]
        start, stop, depth = waiting[at, 0], waiting[at, 1], waiting[at, 2]
        entries = work.entries[start:stop]
        y = entries.view(np.float64) if has_classes else work.y[start:stop]
        root, split, weight = FewRoot(node, depth, seed, entries, y), NO_SPLIT, nodes.weight[node]
        if signals[1] == 0 and may_split(nodes, node, depth, limits):
            if not has_classes and stop - start <= FEW and weight <= MOST_WEIGHT:
                node = grow_few(table.codes, work, limits, root)
            else:
                about = BootstrapNode(entries, y, weight, float(max(limits.min_leaf, 1)))
                split = _find_split(table, about, work, limits.max_features)
        if split.feature < 0:
            signals[0] += np.int64(weight)
            n_waiting -= 1
            continue
        n_left = _part_node(work, root, split)
        if has_classes:
            _count_children(entries, n_left, work.counts, at + 1, at)
        middle = start + n_left
        wait(waiting, at, middle, stop, depth + 1, node)
        wait(waiting, at + 1, start, middle, depth + 1, np.int64(-1))
        work.seeds[at], work.seeds[at + 1] = child_seed(seed, False), child_seed(seed, True)
        n_waiting += 1
    _finish(table, work, node + 1)
    return node + 1


@kernel
def _grow_many(coded, task, work, limits, batch, sizes):
    """Grow a tree of each seed, as long as its nodes fit; return how many trees were grown.

    The number of nodes of each tree is written into sizes, negative if it was cut short.
    """
    n_draws, signals = batch.n_draws, batch.signals
    n = len(work.times)
    n_trees, first = 0, np.int64(0)
    for i in range(len(batch.seeds)):
        if first + 2 * n > len(work.nodes.feature):
            break
        for row in range(n if n_draws != GIVEN else 0):
            work.times[row] = 0 if n_draws > 0 else 1
        work.state[0] = np.uint64(batch.seeds[i])
        if n_draws > 0:
            draw_into(work.times, n_draws, work.state)
        size = _grow(coded, task, work, first, limits, signals)
        sizes[i] = -size if signals[1] != 0 else size
        first += size
        n_trees += 1
    return n_trees


def grow_coded(
    coded: OrdinalTable,
    task: Task,
    limits: GrowthLimits,
    work: TreeWorkspace,
    batch: TreeBatch,
    room: NodeRoom | None = None,
) -> list[tuple[Tree, bool]]:
    """Grow the trees of the first seeds, at least one; return each tree and whether it is complete.

    Their nodes come to lie in the room, if there is one.
    """
    sizes = np.zeros(len(batch.seeds), np.int64)
    n_trees = _grow_many(coded, task, work, limits, batch, sizes)
    n = work.nodes
    nodes = BatchNodes(
        n.feature, n.threshold, n.right, None, n.missing_left, n.weight, n.weight, n.value, n.impurity
    )
    return trees_of_batch(sizes[:n_trees], nodes, room)


def grow_given(
    coded: OrdinalTable, task: Task, limits: GrowthLimits, work: TreeWorkspace, signals: np.ndarray
) -> tuple[Tree, bool]:
    """Grow one tree of the samples that ``work.times`` counts; return it and whether it is complete."""
    return grow_coded(coded, task, limits, work, TreeBatch(np.zeros(1, np.int64), GIVEN, signals))[0]
