"""Growing extremely randomised trees (Geurts, Ernst & Wehenkel 2006).

A node's samples are a slice of one list, with targets and weights beside it; a split partitions all three, stably,
so that a node reads the columns from the first row to the last. Nodes are made in preorder.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.bootstrap import BatchNodes, NodeRoom, TreeBatch, draw_into, trees_of_batch
from espalier.kernels.forest.random_split import (
    CutScratch,
    CutTask,
    RandomNode,
    RandomTable,
    find_random_cut,
    weight_in,
)
from espalier.kernels.impurity import (
    ENTROPY,
    GINI,
    MISCLASSIFICATION,
    SQUARED_ERROR,
    class_impurity,
    score,
)
from espalier.kernels.randomness import child_seed
from espalier.kernels.task import GrowthLimits, Task
from espalier.kernels.vectors.simd import borrow
from espalier.trees import LEAF, Tree

SPARE = 50_000  # nodes beyond the largest possible tree: one call grows several trees of so many nodes
ROUNDING = 1e-12  # of a gain, per unit of weight: a split of gain 0 is made, however it is rounded


class RandomTreeNodes(NamedTuple):
    """The nodes of several trees, one tree after the other, in preorder."""

    feature: np.ndarray  # (2 n_samples + SPARE,) int32
    threshold: np.ndarray  # float64
    right: np.ndarray  # int32
    categories: np.ndarray  # uint64
    missing_left: np.ndarray  # bool
    n_samples: np.ndarray  # float64: draws
    weight: np.ndarray  # float64
    value: np.ndarray  # (the same, n_outputs) float64
    impurity: np.ndarray  # float64


class RandomTreeWorkspace(NamedTuple):
    """Scratch memory in which one thread grows its trees, one after the other."""

    times: np.ndarray  # (n_samples,) uint8: how often each sample was drawn
    rows: np.ndarray  # (n_samples,) uint32: the samples drawn, node by node
    y: np.ndarray  # (n_samples,) float64: their classes or targets, beside the rows
    mass: np.ndarray  # (n_samples,) float64: their weights, times the draws, beside the rows
    spare_rows: np.ndarray
    spare: np.ndarray  # (n_samples,) float64
    waiting: np.ndarray  # (n_samples + 1, 4) int64: start, stop, depth, and a right child's parent (else -1)
    seeds: np.ndarray  # (n_samples + 1,) uint64: of the nodes that wait
    scratch: CutScratch
    nodes: RandomTreeNodes


def suits_random_cuts(task: Task, limits: GrowthLimits) -> bool:
    """Return whether trees of random thresholds can grow here; all others grow by `espalier.kernels.cart.grow`."""
    criteria = (GINI, ENTROPY, MISCLASSIFICATION, SQUARED_ERROR)
    return limits.random and not limits.max_leaves and not task.by_ratio and task.criterion in criteria


def make_random_workspace(table: RandomTable, task: Task) -> RandomTreeWorkspace:
    """Allocate the scratch memory in which one thread grows trees of this table.

    It has room for `SPARE` nodes beyond the largest tree.
    """
    p, n = table.columns.shape
    k, m = max(task.n_classes, 1), 2 * n + SPARE
    n_sums = task.n_classes or 2
    nodes = RandomTreeNodes(
        np.empty(m, np.int32), np.empty(m), np.empty(m, np.int32), np.empty(m, np.uint64), np.empty(m, np.bool_),
        np.empty(m), np.empty(m), np.empty((m, k)), np.empty(m),
    )  # fmt: skip
    scratch = CutScratch(
        np.empty((2, n)), np.arange(p), np.zeros(1, np.uint64), np.zeros(n_sums), np.zeros(n_sums),
        np.zeros(n_sums), np.zeros(n_sums),
    )  # fmt: skip
    return RandomTreeWorkspace(
        np.empty(n, np.uint8), np.empty(n, np.uint32), np.empty(n), np.empty(n), np.empty(n, np.uint32),
        np.empty(n), np.empty((n + 1, 4), np.int64), np.empty(n + 1, np.uint64), scratch, nodes,
    )  # fmt: skip


@kernel
def _enter(task, work):
    """List the samples that were drawn, with targets and weights; return how many there are."""
    n = 0
    for row in range(len(work.times)):
        if work.times[row] > 0:
            work.rows[n] = row
            work.y[n] = float(task.label[row]) if task.n_classes > 0 else task.y[row]
            work.mass[n] = task.weight[row] * work.times[row]
            n += 1
    return n


# ---- statistics of a node


@kernel
def _describe_classes(y, mass, criterion, totals, value):
    """Fill totals and value (n_classes,); return (weight, impurity, exactly 0 in a pure node)."""
    for k in range(len(totals)):
        totals[k] = 0.0
    for i in range(len(y)):
        totals[np.int64(y[i])] += mass[i]
    weight, n_present = weight_in(totals, True), 0
    for k in range(len(totals)):
        value[k] = totals[k] / weight
        n_present += totals[k] > 0
    return weight, class_impurity(totals, criterion) if n_present > 1 else 0.0


@kernel
def _describe_numbers(y, mass, totals, value):
    """Fill totals (weight, weighted y) and value (1,); return (weight, variance, 0 where all are equal)."""
    totals[0], totals[1] = 0.0, 0.0
    low, high = np.inf, -np.inf
    for i in range(len(y)):
        totals[0] += mass[i]
        totals[1] += mass[i] * y[i]
        low, high = min(low, y[i]), max(high, y[i])
    value[0] = totals[1] / totals[0] if low < high else low
    spread = 0.0
    for i in range(len(y)):  # a second pass: exact where the deviations are small beside the mean
        off = y[i] - value[0]
        spread += mass[i] * (off * off)
    return totals[0], spread / totals[0] if low < high else 0.0


@kernel
def _count(rows, times):
    n = 0
    for row in rows:
        n += times[row]
    return float(n)


@inlined
def _start_node(work, task, at, node):
    """Number the node that waits at a place, and describe it as a leaf; return its samples."""
    start, stop, parent = work.waiting[at, 0], work.waiting[at, 1], work.waiting[at, 3]
    nodes = work.nodes
    if parent >= 0:
        nodes.right[parent] = node
    rows, y, mass = work.rows[start:stop], work.y[start:stop], work.mass[start:stop]
    if task.n_classes > 0:
        about = _describe_classes(y, mass, task.criterion, work.scratch.totals, nodes.value[node])
    else:
        about = _describe_numbers(y, mass, work.scratch.totals, nodes.value[node])
    nodes.weight[node], nodes.impurity[node] = about
    nodes.n_samples[node] = about[0] if task.unit else _count(rows, work.times)
    nodes.feature[node], nodes.right[node] = LEAF, LEAF
    nodes.threshold[node], nodes.categories[node], nodes.missing_left[node] = np.nan, 0, False
    return RandomNode(rows, y, mass, nodes.n_samples[node])


@kernel
def _may_split(nodes, node, depth, limits):
    n = nodes.n_samples[node]
    enough = n >= limits.min_split and n >= 2 * limits.min_leaf
    heavy = nodes.weight[node] >= 2 * limits.min_leaf_weight
    return enough and heavy and depth < limits.max_depth and nodes.impurity[node] > 0


@kernel
def _gains_enough(found, totals, all_weight, task, limits):
    if limits.min_decrease <= 0:
        return True
    gain = found.score - score(totals, task.criterion)
    gain = gain / math.log(2) if task.criterion == ENTROPY else gain
    return gain / all_weight + ROUNDING >= limits.min_decrease


# ---- partition of a node


@kernel
def _part(value, threshold, missing_left, values, spare):
    """Partition the values by a cut of `value`, stably; return how many go left."""
    n_left, n_right = 0, 0
    for i in range(len(values)):
        one = values[i]
        goes = (value[i] <= threshold) | (missing_left & (value[i] != value[i]))
        values[n_left] = one
        spare[n_right] = one
        n_left += goes
        n_right += 1 - goes
    for i in range(n_right):
        values[n_left + i] = spare[i]
    return n_left


@inlined
def _write_split(work, node, table, found):
    """Write a cut into a node."""
    nodes, is_category = work.nodes, table.is_category[found.feature]
    nodes.feature[node] = found.feature
    nodes.threshold[node] = np.nan if is_category else found.threshold
    nodes.categories[node] = found.categories
    nodes.missing_left[node] = found.missing_left


@inlined
def _wait(waiting, at, start, stop, depth, parent):
    waiting[at, 0], waiting[at, 1], waiting[at, 2], waiting[at, 3] = start, stop, depth, parent


@kernel
def _split_node(work, at, node, table, found):
    """Write a split, partition the samples, and let both children wait, the left one on top."""
    _write_split(work, node, table, found)
    start, stop, depth = work.waiting[at, 0], work.waiting[at, 1], work.waiting[at, 2]
    value = work.scratch.value[found.at, : stop - start]
    threshold, missing_left = found.threshold, found.missing_left
    n_left = _part(value, threshold, missing_left, work.rows[start:stop], work.spare_rows)
    _part(value, threshold, missing_left, work.y[start:stop], work.spare)
    _part(value, threshold, missing_left, work.mass[start:stop], work.spare)
    if not found.some_missing:  # missing values, which the node has not seen, go to the larger side
        work.nodes.missing_left[node] = 2 * n_left > stop - start
    seed, middle = work.seeds[at], start + n_left
    _wait(work.waiting, at, middle, stop, depth + 1, node)
    _wait(work.waiting, at + 1, start, middle, depth + 1, np.int64(-1))
    work.seeds[at], work.seeds[at + 1] = child_seed(seed, False), child_seed(seed, True)


# ---- growing


@kernel
def _grow(table, task, work, first, limits, signals):
    """Grow a tree of the samples drawn, its nodes from place `first` on; return the number of nodes."""
    work = _borrowed(work, first)
    table = RandomTable(borrow(table.columns), borrow(table.is_category))
    n = _enter(task, work)
    _wait(work.waiting, 0, np.int64(0), np.int64(n), np.int64(0), np.int64(-1))
    work.seeds[0] = work.scratch.state[0]
    about = CutTask(task.criterion, task.n_classes > 0, task.unit, work.times)
    n_waiting, node = 1, -1
    while n_waiting > 0:
        at = n_waiting - 1
        node += 1
        inside = _start_node(work, task, at, node)
        is_split = False
        if signals[1] == 0 and _may_split(work.nodes, node, work.waiting[at, 2], limits):
            work.scratch.state[0] = work.seeds[at]
            found = find_random_cut(table, about, inside, limits, work.scratch)
            is_split = found.feature >= 0
            if is_split and _gains_enough(found, work.scratch.totals, work.nodes.weight[0], task, limits):
                _split_node(work, at, node, table, found)
                n_waiting += 1
            else:
                is_split = False
        if not is_split:
            signals[0] += np.int64(inside.n_samples)
            n_waiting -= 1
    return node + 1


@inlined
def _borrowed(work, first):
    """Return the workspace with borrowed arrays (`kernels.vectors.simd`), its nodes from place `first` on."""
    v, r = work.nodes, work.scratch
    nodes = RandomTreeNodes(
        borrow(v.feature)[first:], borrow(v.threshold)[first:], borrow(v.right)[first:],
        borrow(v.categories)[first:], borrow(v.missing_left)[first:], borrow(v.n_samples)[first:],
        borrow(v.weight)[first:], borrow(v.value)[first:], borrow(v.impurity)[first:],
    )  # fmt: skip
    scratch = CutScratch(
        borrow(r.value), borrow(r.features), borrow(r.state), borrow(r.totals), borrow(r.left), borrow(r.right),
        borrow(r.missing),
    )  # fmt: skip
    return RandomTreeWorkspace(
        borrow(work.times), borrow(work.rows), borrow(work.y), borrow(work.mass), borrow(work.spare_rows),
        borrow(work.spare), borrow(work.waiting), borrow(work.seeds), scratch, nodes,
    )  # fmt: skip


@kernel
def _grow_many(table, task, work, limits, batch, sizes):
    """Grow a tree of each seed, as long as its nodes fit; return how many trees were grown.

    The number of nodes of each tree is written into sizes, negative if it was cut short.
    """
    n_draws, signals = batch.n_draws, batch.signals
    n, n_trees, first = len(work.times), 0, np.int64(0)
    for i in range(len(batch.seeds)):
        if first + 2 * n > len(work.nodes.feature):
            break
        for row in range(n):
            work.times[row] = 0 if n_draws > 0 else 1
        work.scratch.state[0] = np.uint64(batch.seeds[i])
        if n_draws > 0:
            draw_into(work.times, n_draws, work.scratch.state)
        size = _grow(table, task, work, first, limits, signals)
        sizes[i] = -size if signals[1] != 0 else size
        first += size
        n_trees += 1
    return n_trees


def grow_random(
    table: RandomTable,
    task: Task,
    limits: GrowthLimits,
    work: RandomTreeWorkspace,
    batch: TreeBatch,
    room: NodeRoom | None = None,
) -> list[tuple[Tree, bool]]:
    """Grow the trees of the first seeds, at least one; return each tree and whether it is complete.

    Their nodes come to lie in the room, if there is one.
    """
    sizes = np.zeros(len(batch.seeds), np.int64)
    n_trees = _grow_many(table, task, work, limits, batch, sizes)
    return trees_of_batch(sizes[:n_trees], BatchNodes(*work.nodes), room)
