"""The packed forest: nodes of all trees in one array, through which rows descend in blocks, tree after tree.

Siblings are adjacent, so that a step is one addition; a leaf leads to itself, so that a step needs no branch; and
eight rows descend together, so that no step waits for the one before. The values of leaves are in a table of their
own, for all trees.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.route import passes
from espalier.trees import LEAF, Forest, read_only

EIGHT = 8
BLOCK_BYTES = 1 << 23  # of the rows of a block: with the nodes of one tree they stay in a cache
FEWEST, MOST = 1024, 65_536  # rows of a block

_FIELDS = {"threshold": np.float64, "feature": np.int32, "next": np.int32}
STEP = np.dtype((np.record, np.dtype(list(_FIELDS.items()), align=True)))


class PackedForest(NamedTuple):
    """The nodes of all trees; fields that are rarely needed have arrays of their own."""

    nodes: np.ndarray  # (n_nodes,) STEP; next: the left child, whose sibling follows it, or the leaf itself
    leaf: np.ndarray  # (n_nodes,) int32: a leaf's row in `value`, else -1
    categories: np.ndarray  # (n_nodes,) uint64
    missing_left: np.ndarray  # (n_nodes,) bool
    root: np.ndarray  # (n_trees,) int64
    value: np.ndarray  # (n_leaves, n_outputs) float64: value of each leaf
    weight: np.ndarray  # (n_trees,) float64: weight of each tree's vote
    has_categories: bool


class RowBlock(NamedTuple):
    """Rows that go through a tree before the next tree is read."""

    X: np.ndarray  # (n, n_features) float64, in C order
    is_known: bool  # whether none of their values is missing


class DescentScratch(NamedTuple):
    """Memory for the descent of a block of rows."""

    active: np.ndarray  # (n,) uint32: rows that have not reached a leaf
    leaf: np.ndarray  # (n,) uint32: where each row is; in the end its leaf's row in `PackedForest.value`


@kernel
def _write_tree(tree, packed, start, leaf):
    """Write a tree's nodes from place `start` on; return whether any of its splits is on categories.

    The values of its leaves are written from the row `leaf` on. What is written of a node does not hang on
    whether it is a leaf, which no processor guesses; in the last place is what a leaf does not have.
    """
    n, free, has_categories = len(tree.feature), start + 1, False
    place, spot = np.empty(n + 1, np.int32), np.uint32(n)
    place[0] = start
    for node in range(n):
        at, feature, threshold = place[node], tree.feature[node], tree.threshold[node]
        is_leaf, step = feature == LEAF, packed.nodes[at]
        step.feature = 0 if is_leaf else feature
        step.threshold = np.inf if is_leaf else threshold
        step.next = at if is_leaf else free
        packed.missing_left[at] = tree.missing_left[node]
        packed.leaf[at] = leaf if is_leaf else LEAF
        for k in range(tree.value.shape[1]):  # of a split, what the next leaf writes over
            packed.value[leaf, k] = tree.value[node, k]
        place[spot if is_leaf else np.uint32(node + 1)] = free
        place[spot if is_leaf else np.uint32(tree.right[node])] = free + 1
        leaf += np.int64(is_leaf)
        free += 0 if is_leaf else 2
        if not is_leaf and np.isnan(threshold):
            packed.categories[at] = tree.categories[node]
            has_categories = True
    return has_categories


def pack_forest(forest: Forest) -> PackedForest:
    """Return the forest packed; where each tree votes for one class, a leaf votes for its first greatest.

    Raises ValueError for trees with surrogate splits.
    """
    trees: Any = forest.trees
    if any(tree.has_surrogates for tree in trees):
        raise ValueError(
            "trees of a packed forest have no surrogate splits: grow them without missing='surrogate'"
        )
    root = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    first_leaf = (root + np.arange(len(root))) // 2  # a tree has one leaf more than it has splits
    n, shape = int(root[-1]), (int(first_leaf[-1]), trees[0].value.shape[1])
    parts = np.empty(n, STEP), np.empty(n, np.int32), np.zeros(n, np.uint64), np.empty(n, np.bool_)
    arrays = PackedForest(*parts, root[:-1], np.empty(shape), forest.weight, False)
    has_categories = [
        _write_tree(tree, arrays, *places) for tree, *places in zip(trees, root, first_leaf, strict=False)
    ]
    if forest.combine == "votes":
        arrays = arrays._replace(value=np.eye(shape[1])[arrays.value.argmax(axis=1)])
    return arrays._replace(has_categories=any(has_categories))


@uncounted
def _step(nodes, X, row, at):
    """Return the node below, or the leaf itself, for values that are not missing."""
    step = nodes[at]
    return np.uint32(step.next + (X[row, np.uint32(step.feature)] > step.threshold))


@uncounted
def _descend_eight(nodes, X, rows, root):
    """Return the leaves of eight rows of X."""
    i, j, k, m, n, p, q, r = rows
    a = b = c = d = e = f = g = h = root
    while True:
        a1, b1, c1, d1 = _step(nodes, X, i, a), _step(nodes, X, j, b), _step(nodes, X, k, c), _step(nodes, X, m, d)
        e1, f1, g1, h1 = _step(nodes, X, n, e), _step(nodes, X, p, f), _step(nodes, X, q, g), _step(nodes, X, r, h)
        change = (a ^ a1) | (b ^ b1) | (c ^ c1) | (d ^ d1) | (e ^ e1) | (f ^ f1) | (g ^ g1) | (h ^ h1)
        a, b, c, d, e, f, g, h = a1, b1, c1, d1, e1, f1, g1, h1
        if change == 0:
            return a, b, c, d, e, f, g, h


@uncounted
def _descend(nodes, X, rows, root, at):
    """Write into `at` the leaf of each row, for values that are not missing."""
    n = len(rows)
    for start in range(0, n - EIGHT + 1, EIGHT):
        r = rows[start : start + EIGHT]
        eight = (r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
        at[r[0]], at[r[1]], at[r[2]], at[r[3]], at[r[4]], at[r[5]], at[r[6]], at[r[7]] = _descend_eight(
            nodes, X, eight, root
        )
    for i in range(n - n % EIGHT, n):
        row, node, below = rows[i], root, _step(nodes, X, rows[i], root)
        while below != node:
            node, below = below, _step(nodes, X, row, below)
        at[row] = node


@uncounted
def _descend_any(packed, X, active, at):
    """Move the rows `active` of X from the nodes `at` down to leaves, with missing values and categories too.

    `active` is overwritten.
    """
    n = len(active)
    while n > 0:
        still = 0
        for i in range(n):
            row = active[i]
            node = at[row]
            step = packed.nodes[node]
            value = X[row, step.feature]
            left = passes(value, step.threshold, packed.categories[node], packed.missing_left[node])
            below = step.next + (not left)
            at[row] = below
            active[still] = row
            still += packed.leaf[below] < 0
        n = still


@uncounted
def down(packed, tree, block, rows, scratch):
    """Send rows (n,) of a `RowBlock` through one tree; write their leaves into scratch, a `DescentScratch`."""
    X, active, at = block.X, scratch.active, scratch.leaf
    root = np.uint32(packed.root[tree])
    if block.is_known and not packed.has_categories:
        _descend(packed.nodes, X, rows, root, at)
    else:
        for i in range(len(rows)):
            active[i] = rows[i]
            at[rows[i]] = root
        if packed.leaf[root] < 0:
            _descend_any(packed, X, active[: len(rows)], at)
    for row in rows:
        at[row] = packed.leaf[at[row]]


@inlined
def descent_scratch(n):
    """Return memory for a block of n rows."""
    return DescentScratch(np.empty(n, np.uint32), np.empty(n, np.uint32))


@uncounted
def none_missing(X):
    """Return whether no value of X is missing. Without a branch, it vectorises."""
    total = 0.0
    for row in range(X.shape[0]):
        for feature in range(X.shape[1]):
            total += X[row, feature] * 0.0
    return not np.isnan(total)


@uncounted
def block_rows(row_bytes):
    """Return how many rows go through a tree before the next tree is read.

    Many, because every block of rows fetches the nodes of all trees again; but not more than a cache holds, since
    a wide row is read at a few places only.
    """
    return min(max(BLOCK_BYTES // max(row_bytes, 1), FEWEST), MOST)


@kernel
def sum_up(packed, X, out):
    """Add to out (n, n_outputs) the predictions of all trees, times their weights, for X (n, n_features).

    X is as from `rows_of`.
    """
    size = min(block_rows(X.shape[1] * X.itemsize), len(X))
    rows = np.arange(size).astype(np.uint32)
    scratch = descent_scratch(size)
    leaves = scratch.leaf
    for start in range(0, len(X), max(size, 1)):
        stop = min(start + size, len(X))
        block = RowBlock(X[start:stop], none_missing(X[start:stop]))
        for tree in range(len(packed.root)):
            down(packed, tree, block, rows[: stop - start], scratch)
            for row in range(stop - start):
                leaf = leaves[row]
                for k in range(out.shape[1]):
                    out[start + row, k] += packed.weight[tree] * packed.value[leaf, k]


def weighted_sum(packed: PackedForest, X: np.ndarray) -> np.ndarray:
    """Return the weighted sum over the trees, (n_samples, n_outputs), for X (n_samples, n_features)."""
    out = np.zeros((len(X), packed.value.shape[1]))
    sum_up(packed, rows_of(X), out)
    return out


def rows_of(X: np.ndarray) -> np.ndarray:
    """Return X (n_samples, n_features) as float64 in C order, read-only: the layout for packed forests."""
    return read_only(np.ascontiguousarray(X, dtype=np.float64))


def parts_of(n: int, n_parts: int) -> list[slice]:
    """Return the rows from 0 to n in about equal parts, one for each thread."""
    ends = np.linspace(0, n, n_parts + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(ends) if a < b]
