"""Growing extremely randomised trees (Geurts, Ernst & Wehenkel 2006).

A node's samples are a slice of one list, with targets and weights beside it; a split partitions all three, stably,
so that a node reads the columns from the first row to the last. Nodes are made in preorder.

The split of a node in an extremely randomised tree: a random cut of each feature tried, and the best of these.
Nothing is sorted. The values of one feature are read, with their extremes; a threshold is drawn between these, and
one more pass adds up what lies on its left (Geurts, Ernst & Wehenkel 2006, table 1).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.bootstrap import BatchNodes, NodeRoom, TreeBatch, draw_into, trees_of_batch
from espalier.kernels.randomness import below, child_seed, next_word, uniform
from espalier.kernels.simd import borrow
from espalier.kernels.task import (
    ENTROPY,
    GINI,
    MISCLASSIFICATION,
    SQUARED_ERROR,
    GrowthLimits,
    Task,
    beyond,
    class_impurity,
    score,
    score_of_sides,
)
from espalier.trees import LEAF, Tree

BETWEEN = 0.5  # threshold of the sides 0 (left) and 1 (right), which stand for categories


class RandomTable(NamedTuple):
    """A table in which random cuts are drawn; missing values are nan, categories codes from 0 to 63."""

    columns: np.ndarray  # (n_features, n_samples) float64
    is_category: np.ndarray  # (n_features,) bool


class RandomNode(NamedTuple):
    """The samples of a node, each drawn at least once."""

    rows: np.ndarray  # (n,) uint32
    y: np.ndarray  # (n,) float64: class number, or the target
    mass: np.ndarray  # (n,) float64: weight times the number of draws
    n_samples: float  # draws in all


class CutTask(NamedTuple):
    """The facts about a tree that the search reads."""

    criterion: int  # espalier.kernels.task.CODES
    by_class: bool  # whether the target is a class (else a number)
    unit: bool  # whether every sample has weight one
    times: np.ndarray  # (n_samples,) uint8: how often each was drawn


class CutScratch(NamedTuple):
    """Scratch memory of the search, of one thread."""

    value: np.ndarray  # (2, n_samples) float64: of the feature at hand, and of the best one so far
    features: np.ndarray  # (n_features,) int64: a permutation
    state: np.ndarray  # (1,) uint64: random state
    totals: np.ndarray  # (n_sums,) float64: weight by class, or (weight, weighted y), of the node
    left: np.ndarray  # the same of a cut's left side
    right: np.ndarray
    missing: np.ndarray  # the same of the samples without a value


class RandomCut(NamedTuple):
    """A cut of one feature; feature -1 stands for none."""

    score: float  # S(left) + S(right); see espalier.kernels.task
    feature: int
    threshold: float  # of the values in `CutScratch.value`
    categories: int  # uint64 mask of those that go left; 0 for a number
    missing_left: bool
    at: int  # the row of `CutScratch.value` that has the feature's values
    some_missing: bool


@kernel
def read_values(column, rows, value):
    """Write the rows' values into value (n,); return the least, the greatest, and how many are missing."""
    low, high, n_missing = np.inf, -np.inf, 0
    other_low, other_high, n = np.inf, -np.inf, len(rows)
    for i in range(0, n - 1, 2):  # two at once, so that one need not wait for the other
        x, z = column[rows[i]], column[rows[i + 1]]
        value[i], value[i + 1] = x, z
        low, other_low = x if x < low else low, z if z < other_low else other_low
        high, other_high = x if x > high else high, z if z > other_high else other_high
        n_missing += (x != x) + (z != z)
    if n % 2 == 1:
        x = column[rows[n - 1]]
        value[n - 1] = x
        low, high = x if x < low else low, x if x > high else high
        n_missing += x != x
    return min(low, other_low), max(high, other_high), n_missing


@kernel
def draw_threshold(low, high, state):
    """Return a random threshold t with low <= t < high, uniform between both."""
    u = uniform(state)
    threshold = low * (1.0 - u) + high * u
    return threshold if low < threshold < high else low


@kernel
def draw_set(present, state):
    """Return a random proper subset of the categories present, not empty, and of those absent any subset.

    Both are uint64 masks; at least two categories are present. The absent ones, which no sample of the node has,
    go left or right by chance (Geurts, Ernst & Wehenkel 2006, table 1).
    """
    while True:
        word = next_word(state)
        if word & present != 0 and word & present != present:
            return word


@kernel
def _present(value):
    mask = np.uint64(0)
    for x in value:
        if x == x:
            mask |= np.uint64(1) << np.uint64(x)
    return mask


@kernel
def _write_sides(value, left):
    """Replace categories by 0 where they are in the set `left`, else by 1; missing values stay."""
    for i in range(len(value)):
        if value[i] == value[i]:
            value[i] = 0.0 if (left >> np.uint64(value[i])) & np.uint64(1) != 0 else 1.0


@kernel
def _add_two(value, threshold, node, left):
    """Write weight and weighted sum of y of the samples up to the threshold into left (2,).

    There is no branch, since nothing predicts on which side of a random threshold a sample is; and two samples are
    added at once, so that one sum need not wait for the other.
    """
    weight, s, other_weight, other = 0.0, 0.0, 0.0, 0.0
    y, mass, n = node.y, node.mass, len(value)
    for i in range(0, n - 1, 2):
        m = mass[i] * (value[i] <= threshold)
        k = mass[i + 1] * (value[i + 1] <= threshold)
        weight += m
        s += m * y[i]
        other_weight += k
        other += k * y[i + 1]
    if n % 2 == 1:
        m = mass[n - 1] * (value[n - 1] <= threshold)
        weight += m
        s += m * y[n - 1]
    left[0], left[1] = weight + other_weight, s + other


@kernel
def _add_missing(value, node, by_class, missing):
    for k in range(len(missing)):
        missing[k] = 0.0
    for i in range(len(value)):
        if value[i] != value[i]:
            if by_class:
                missing[np.int64(node.y[i])] += node.mass[i]
            else:
                missing[0] += node.mass[i]
                missing[1] += node.mass[i] * node.y[i]


@kernel
def _add_left(value, threshold, node, by_class, left):
    """Write the sums of the samples up to the threshold into left (n_sums,)."""
    if len(left) == 2:
        _add_two(value, threshold, node, left)
        if by_class:
            left[0] -= left[1]
        return
    for k in range(len(left)):
        left[k] = 0.0
    for i in range(len(value)):
        left[np.int64(node.y[i])] += node.mass[i] * (value[i] <= threshold)


@kernel
def weight_in(sums, by_class):
    """Return the weight that the sums (n_sums,) are of."""
    weight = sums[0]
    if by_class:
        for k in range(1, len(sums)):
            weight += sums[k]
    return weight


@kernel
def _samples_left(value, cut, rows, times):
    """Return how many draws go left; cut is (threshold, missing_left)."""
    n = 0
    for i in range(len(rows)):
        goes = value[i] <= cut[0] or (cut[1] and value[i] != value[i])
        n += times[rows[i]] if goes else 0
    return n


@inlined
def _leaves_enough(node, value, cut, task, limits, scratch):
    """Return whether both sides of a cut (threshold, missing_left) have the samples and weight of a leaf."""
    left, right = weight_in(scratch.left, task.by_class), weight_in(scratch.right, task.by_class)
    enough = left > 0 and right > 0 and left >= limits.min_leaf_weight and right >= limits.min_leaf_weight
    if enough and limits.min_leaf > 1:
        n_left = left if task.unit else float(_samples_left(value, cut, node.rows, task.times))
        enough = n_left >= limits.min_leaf and node.n_samples - n_left >= limits.min_leaf
    return enough


@kernel
def _fill_sides(scratch, missing_left):
    if missing_left:
        for k in range(len(scratch.left)):
            scratch.left[k] += scratch.missing[k]
    for k in range(len(scratch.left)):
        scratch.right[k] = scratch.totals[k] - scratch.left[k]


@inlined
def _better(node, scratch, task, cut, limits, best):
    """Return the better of the best cut so far and this one, its missing values tried on both sides."""
    value = scratch.value[cut.at, : len(node.rows)]
    _add_left(value, cut.threshold, node, task.by_class, scratch.left)
    if cut.some_missing:
        _add_missing(value, node, task.by_class, scratch.missing)
    for side in range(2 if cut.some_missing else 1):
        _fill_sides(scratch, side == 1)
        if not _leaves_enough(node, value, (cut.threshold, side == 1), task, limits, scratch):
            continue
        here = score_of_sides(scratch.left, scratch.right, task.criterion)
        if here > beyond(best.score):
            best = RandomCut(here, cut.feature, cut.threshold, cut.categories, side == 1, cut.at, cut.some_missing)
    return best


@inlined
def _draw_cut(table, feature, node, scratch, at):
    """Return a random cut of a feature, of score 0; of score -1 if the feature does not vary in the node."""
    value = scratch.value[at, : len(node.rows)]
    low, high, n_missing = read_values(table.columns[feature], node.rows, value)
    threshold, left, some, score = np.inf, np.uint64(0), n_missing > 0, 0.0
    if n_missing == len(value) or (low == high and n_missing == 0):
        score = -1.0
    elif table.is_category[feature]:
        left = _present(value)
        if low < high:
            left = draw_set(left, scratch.state)
        _write_sides(value, left)
        threshold = BETWEEN
    elif low < high:
        threshold = draw_threshold(low, high, scratch.state)
    return RandomCut(score, feature, threshold, left, False, at, some)


@inlined
def find_random_cut(table, task, node, limits: GrowthLimits, scratch):
    """Return the best of the random cuts of so many features; feature -1 if there is none.

    Of equal cuts the first one drawn wins. More features are drawn until one varies in the node.
    """
    features, p = scratch.features, len(scratch.features)
    for i in range(p):  # draws here must not depend on draws elsewhere
        features[i] = i
    best = RandomCut(-np.inf, np.int64(-1), np.nan, np.uint64(0), False, np.int64(1), False)
    varies, n_tries = False, limits.max_features
    if len(node.rows) == 2:
        n_tries = 1  # two samples have one split, by the first feature that varies
    for i in range(p):
        if i >= n_tries and varies:
            break
        j = i + below(scratch.state, p - i)
        features[i], features[j] = features[j], features[i]
        cut = _draw_cut(table, features[i], node, scratch, 1 - best.at)
        if cut.score >= 0:
            varies = True
            best = _better(node, scratch, task, cut, limits, best)
    return best


# ---- Growing

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
        here = values[i]
        goes = (value[i] <= threshold) | (missing_left & (value[i] != value[i]))
        values[n_left] = here
        spare[n_right] = here
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
    work = _borrow_from(work, first)
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
            cut = find_random_cut(table, about, inside, limits, work.scratch)
            is_split = cut.feature >= 0
            if is_split and _gains_enough(cut, work.scratch.totals, work.nodes.weight[0], task, limits):
                _split_node(work, at, node, table, cut)
                n_waiting += 1
            else:
                is_split = False
        if not is_split:
            signals[0] += np.int64(inside.n_samples)
            n_waiting -= 1
    return node + 1


@inlined
def _borrow_from(work, first):
    """Return the workspace with borrowed arrays (`kernels.simd`), its nodes from place `first` on."""
    b = borrow(work)
    v = b.nodes
    nodes = RandomTreeNodes(
        v.feature[first:], v.threshold[first:], v.right[first:], v.categories[first:], v.missing_left[first:],
        v.n_samples[first:], v.weight[first:], v.value[first:], v.impurity[first:],
    )  # fmt: skip
    return RandomTreeWorkspace(
        b.times, b.rows, b.y, b.mass, b.spare_rows, b.spare, b.waiting, b.seeds, b.scratch, nodes
    )


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
