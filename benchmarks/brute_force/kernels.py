"""Exhaustive search for the best trees of a small table, compiled, without anything of the searches under test.

A set of rows is a whole number whose bit i stands for row i; so is a set of cells of the grid of all columns.
Every tree is tried: the best one of a set of rows is that of the best pair of sides, over all questions and
numbers of splits. Results of equal sets of rows are remembered; nothing is bounded but where a leaf costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable)

MOST_ROWS, HALF = 20, 10
LEVELS = 5  # depths 0 to 4
SLOTS_LOG = 17
USED, ROUND, IS_FULL = 0, 1, 2  # places of `Memo.state`


def compiled(function: Function) -> Function:
    """Compile a function with Numba, and keep it on disk, but not where the library keeps its own."""
    numba.config.CACHE_DIR = ""  # type: ignore[attr-defined]
    return numba.njit(cache=True, nogil=True)(function)  # type: ignore[return-value]


class Memo(NamedTuple):
    """Results by set of rows and depth; those of earlier rounds count as free places."""

    key: np.ndarray  # (2**SLOTS_LOG,) int64
    value: np.ndarray  # (2**SLOTS_LOG, 8) float64: least cost of at most 0, 1, ... splits
    scratch: np.ndarray  # (LEVELS, 16) float64
    state: np.ndarray  # (3,) int64


class Table(NamedTuple):
    """What leaves cost, which sets may be leaves, and what splits may ask."""

    low: np.ndarray  # (2**10, n_sums) float64: sums over each set of the first ten rows
    high: np.ndarray  # the same of the other rows
    n_labels: int  # sums 0, 1, ... are the costs of leaves of each class; 0: they are w, w * y and w * y * y
    least_weight: float  # of a leaf, whose weight is the last but one of the sums
    least_count: float  # the same for its number of rows, the last one
    rows: np.ndarray  # (n_questions,) int64: the rows that answer yes
    cells: np.ndarray  # (n_questions,) uint64: the cells that do
    feature: np.ndarray  # (n_questions,) int64, ascending


def make_memo() -> Memo:
    """Return an empty memory."""
    n = 1 << SLOTS_LOG
    return Memo(np.full(n, -1, np.int64), np.empty((n, 8)), np.empty((LEVELS, 16)), np.zeros(3, np.int64))


@compiled
def fill_sums(amounts, out):
    """Write the sums of the rows (n, n_sums) in each set of them into `out` (2**n or more, n_sums)."""
    n, m = amounts.shape
    out[0] = 0.0
    for i in range(n):
        for part in range(1 << i):
            for s in range(m):
                out[part | 1 << i, s] = out[part, s] + amounts[i, s]


@compiled
def total(table, rows, s):
    """Return one of the sums over a set of rows."""
    return table.low[rows & 1023, s] + table.high[rows >> 10, s]


@compiled
def leaf(table, rows):
    """Return the least cost of a leaf."""
    if table.n_labels == 0:
        w, wy = total(table, rows, 0), total(table, rows, 1)
        return max(total(table, rows, 2) - wy * wy / w, 0.0)
    least = total(table, rows, 0)
    for label in range(1, table.n_labels):
        least = min(least, total(table, rows, label))
    return least


@compiled
def may_be_leaf(table, rows):
    """Return whether a set has rows, enough of them and enough weight."""
    if rows == 0:
        return False
    last = table.low.shape[1] - 1
    return total(table, rows, last - 1) >= table.least_weight and total(table, rows, last) >= table.least_count


@compiled
def place_of(memo, key):
    """Return the place of a key, or the free one where it belongs."""
    n = memo.key.shape[0]
    at = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - SLOTS_LOG))
    newest = memo.state[ROUND]
    while memo.key[at] != key and memo.key[at] >> 23 == newest:
        at = (at + 1) & (n - 1)
    return at


@compiled
def start_round(memo):
    """Forget everything."""
    memo.state[ROUND] += 1
    memo.state[USED] = memo.state[IS_FULL] = 0


@compiled
def best(table, memo, rows, depth):
    """Return the place in the memory of the least costs of a set of rows, by number of splits."""
    key = memo.state[ROUND] << 23 | rows << 3 | depth
    at = place_of(memo, key)
    if memo.key[at] == key or memo.state[IS_FULL]:
        return at
    size, own = 1 << depth, memo.scratch[depth]
    own[:size] = leaf(table, rows)
    if depth > 0 and own[0] > 0.0:
        for question in table.rows:
            one = rows & question
            other = rows ^ one
            if not (may_be_leaf(table, one) and may_be_leaf(table, other)):
                continue
            if depth == 1:
                own[1] = min(own[1], leaf(table, one) + leaf(table, other))
                continue
            a, b = best(table, memo, one, depth - 1), best(table, memo, other, depth - 1)
            for i in range(size >> 1):
                for j in range(size >> 1):
                    own[i + j + 1] = min(own[i + j + 1], memo.value[a, i] + memo.value[b, j])
    for n in range(1, size):
        own[n] = min(own[n], own[n - 1])
    at = place_of(memo, key)
    memo.key[at] = key
    memo.value[at, : min(size, 8)] = own[: min(size, 8)]
    memo.state[USED] += 1
    if memo.state[USED] > memo.key.shape[0] // 2:
        memo.state[IS_FULL] = 1
    return at


@compiled
def least_costs(table, memo, rows, depth):
    """Return the least costs of trees of at most 0, 1, ... splits, (2**depth,); not to be trusted once full."""
    best(table, memo, rows, depth)
    return memo.scratch[depth, : 1 << depth].copy()


# ---- functions: the labels that trees give to all cells


class Functions(NamedTuple):
    """Different functions of subtrees on a part, for each level of the recursion."""

    ones: np.ndarray  # (LEVELS, most) uint64: cells with an odd label
    twos: np.ndarray  # (LEVELS, most) uint64: cells with label 2
    cost: np.ndarray  # (LEVELS, most) float64
    splits: np.ndarray  # (LEVELS, most) int64: fewest
    bucket: np.ndarray  # (LEVELS, 4 * most) int32: numbers of functions by name, -1 where there is none
    place: np.ndarray  # (LEVELS, most) int32: of each function in `bucket`
    size: np.ndarray  # (LEVELS + 1,) int64; the last is 1 once there are too many


class Steps(NamedTuple):
    """Which cells lie one above the other in columns with directions."""

    start: np.ndarray  # (n_directed,) uint64: the cells with one above
    stride: np.ndarray  # (n_directed,) uint64
    rises: np.ndarray  # (n_directed,) bool: else labels fall


def make_functions(most: int) -> Functions:
    """Return room for so many functions."""
    wide = (LEVELS, most)
    names = np.empty(wide, np.uint64), np.empty(wide, np.uint64)
    rest = np.full((LEVELS, 4 * most), -1, np.int32), np.empty(wide, np.int32)
    size = np.zeros(LEVELS + 1, np.int64)
    return Functions(*names, np.empty(wide), np.empty(wide, np.int64), *rest, size)


@compiled
def add_function(found, level, ones, twos, cost, splits):
    """Add a function, or note that it takes fewer splits."""
    n = found.bucket.shape[1]
    name = (ones * np.uint64(0x9E3779B97F4A7C15)) ^ (twos * np.uint64(0xC2B2AE3D27D4EB4F))
    at = np.int64(((name ^ name >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(33)) % n
    while found.bucket[level, at] >= 0:
        i = found.bucket[level, at]
        if found.ones[level, i] == ones and found.twos[level, i] == twos:
            found.splits[level, i] = min(found.splits[level, i], splits)
            return
        at = (at + 1) % n
    i = found.size[level]
    if i == found.ones.shape[1]:
        found.size[LEVELS] = 1
        return
    found.bucket[level, at] = i
    found.place[level, i] = at
    found.ones[level, i], found.twos[level, i] = ones, twos
    found.cost[level, i], found.splits[level, i] = cost, splits
    found.size[level] = i + 1


@compiled
def keeps(steps, ones, cells):
    """Return whether labels 0 and 1 keep to the directions within a part."""
    for d in range(len(steps.start)):
        if steps.rises[d]:
            if ((ones & steps.start[d]) << steps.stride[d]) & cells & ~ones:
                return False
        elif ((~ones & cells & steps.start[d]) << steps.stride[d]) & ones:
            return False
    return True


@compiled
def functions(table, memo, found, steps, level, rows, cells, depth, splits, budget):
    """Write all functions of trees of a part within the budget of their cost and number of splits."""
    for i in range(found.size[level]):
        found.bucket[level, found.place[level, i]] = -1
    found.size[level] = 0
    nothing = np.uint64(0)
    for label in range(table.n_labels):
        cost = total(table, rows, label)
        if cost <= budget:
            ones, twos = cells if label == 1 else nothing, cells if label == 2 else nothing
            add_function(found, level, ones, twos, cost, 0)
    if depth == 0 or splits == 0:
        return
    most = min(splits - 1, (1 << (depth - 1)) - 1)
    for question in range(len(table.rows)):
        one = rows & table.rows[question]
        other = rows ^ one
        if not (may_be_leaf(table, one) and may_be_leaf(table, other)):
            continue
        a = memo.value[best(table, memo, one, depth - 1), most]
        b = memo.value[best(table, memo, other, depth - 1), most]
        if a + b > budget:
            continue
        there, rest, below = cells & table.cells[question], splits - 1, level + 1
        functions(table, memo, found, steps, below, one, there, depth - 1, rest, budget - b)
        n = found.size[below]
        ones_of, twos_of = found.ones[below, :n].copy(), found.twos[below, :n].copy()
        cost_of, splits_of = found.cost[below, :n].copy(), found.splits[below, :n].copy()
        functions(table, memo, found, steps, below, other, cells & ~there, depth - 1, rest, budget - a)
        for i in range(n):
            for j in range(found.size[below]):
                cost, used = cost_of[i] + found.cost[below, j], splits_of[i] + found.splits[below, j] + 1
                if cost > budget or used > splits:
                    continue
                ones, twos = ones_of[i] | found.ones[below, j], twos_of[i] | found.twos[below, j]
                if keeps(steps, ones, cells):
                    add_function(found, level, ones, twos, cost, used)
        if found.size[LEVELS] or memo.state[IS_FULL]:
            return


# ---- trees, each by itself


class Trees(NamedTuple):
    """Trees of a set of rows, for each level of the recursion."""

    label: np.ndarray  # (LEVELS, most) int64: of a leaf; -1 for a tree with splits
    ones: np.ndarray  # (LEVELS, most) int64: rows with label 1
    twos: np.ndarray  # (LEVELS, most) int64: rows with label 2
    cost: np.ndarray  # (LEVELS, most) float64
    splits: np.ndarray  # (LEVELS, most) int64
    asked: np.ndarray  # (LEVELS, most) int64: the columns that it asks about, as bits
    size: np.ndarray  # (LEVELS + 1,) int64; the last is 1 once there are too many


def make_trees(most: int) -> Trees:
    """Return room for so many trees."""
    label, ones, twos, splits, asked = np.empty((5, LEVELS, most), np.int64)
    size = np.zeros(LEVELS + 1, np.int64)
    return Trees(label, ones, twos, np.empty((LEVELS, most)), splits, asked, size)


@compiled
def trees(table, memo, found, seen, level, rows, depth, splits, budget):
    """Write all trees of a set of rows within the budget of their cost and number of splits.

    Splits of one column that part the rows alike are one; a split into two leaves of one class is none. `seen`
    (LEVELS, n_questions) is room for the parts of one column.
    """
    found.size[level] = 0
    for label in range(table.n_labels):
        cost = total(table, rows, label)
        if cost <= budget:
            add_tree(found, level, label, rows * (label == 1), rows * (label == 2), cost, 0, 0)
    if depth == 0 or splits == 0:
        return
    most, below, rest = min(splits - 1, (1 << (depth - 1)) - 1), level + 1, splits - 1
    n_seen, feature = 0, -1
    for question in range(len(table.rows)):
        if table.feature[question] != feature:
            n_seen, feature = 0, table.feature[question]
        one = rows & table.rows[question]
        if not one & rows & -rows:
            one = rows ^ one
        other = rows ^ one
        is_new = may_be_leaf(table, one) and may_be_leaf(table, other)
        for i in range(n_seen):
            is_new &= seen[level, i] != one
        if not is_new:
            continue
        seen[level, n_seen] = one
        n_seen += 1
        a = memo.value[best(table, memo, one, depth - 1), most]
        b = memo.value[best(table, memo, other, depth - 1), most]
        if a + b > budget:
            continue
        trees(table, memo, found, seen, below, one, depth - 1, rest, budget - b)
        n = found.size[below]
        label_of, cost_of = found.label[below, :n].copy(), found.cost[below, :n].copy()
        splits_of = found.splits[below, :n].copy()
        ones_of, twos_of = found.ones[below, :n].copy(), found.twos[below, :n].copy()
        asked_of = found.asked[below, :n].copy()
        trees(table, memo, found, seen, below, other, depth - 1, rest, budget - a)
        for i in range(n):
            for j in range(found.size[below]):
                cost, used = cost_of[i] + found.cost[below, j], splits_of[i] + found.splits[below, j] + 1
                is_none = label_of[i] >= 0 and label_of[i] == found.label[below, j]
                if cost <= budget and used <= splits and not is_none:
                    ones, twos = ones_of[i] | found.ones[below, j], twos_of[i] | found.twos[below, j]
                    asked = asked_of[i] | found.asked[below, j] | 1 << feature
                    add_tree(found, level, -1, ones, twos, cost, used, asked)
        if found.size[LEVELS] or memo.state[IS_FULL]:
            return


@compiled
def add_tree(found, level, label, ones, twos, cost, splits, asked):
    """Add a tree."""
    i = found.size[level]
    if i == found.label.shape[1]:
        found.size[LEVELS] = 1
        return
    found.label[level, i], found.cost[level, i], found.splits[level, i] = label, cost, splits
    found.ones[level, i], found.twos[level, i] = ones, twos
    found.asked[level, i] = asked
    found.size[level] = i + 1


# ---- the tree of an estimator


@compiled
def rows_of_nodes(feature, threshold, left, right, categories, missing_left, X):
    """Return the rows that each node's question sends left, of all rows; and the rows of each node."""
    n = len(feature)
    yes, rows = np.zeros(n, np.int64), np.zeros(n, np.int64)
    rows[0] = (1 << len(X)) - 1
    for node in range(n):
        if feature[node] < 0:
            continue
        for i in range(len(X)):
            value = X[i, feature[node]]
            if np.isnan(value):
                is_yes = missing_left[node]
            elif categories[node]:
                is_yes = (categories[node] >> np.uint64(value)) & np.uint64(1) == 1
            else:
                is_yes = value <= threshold[node]
            if is_yes:
                yes[node] |= 1 << i
        rows[left[node]], rows[right[node]] = rows[node] & yes[node], rows[node] & ~yes[node]
    return yes, rows
