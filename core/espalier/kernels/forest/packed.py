"""The packed forest: nodes of all trees in one array, through which rows descend in blocks, tree after tree.

Siblings are adjacent, so that a step is one addition; a leaf leads to itself, so that a step needs no branch; and
eight rows descend together, so that no step waits for the one before. The values of leaves are in a table of their
own, for all trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.route import passes
from espalier.trees import LEAF, Forest, Tree, read_only

EIGHT = 8
BLOCK_BYTES = 1 << 23  # of the rows of a block: with the nodes of one tree they stay in a cache
FEWEST, MOST = 1024, 65_536  # rows of a block
MANY_NODES = 100_000  # of a forest: to pack fewer takes no longer than to wake threads
MOST_TOGETHER = 8192  # nodes of trees that are packed in one go
FEW = 64  # rows that are looked at before all are made shorter

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

    X: np.ndarray  # (n, n_features) float64 or float32, in C order
    is_known: bool  # whether none of their values is missing


class DescentScratch(NamedTuple):
    """Memory for the descent of a block of rows."""

    active: np.ndarray  # (n,) uint32: rows that have not reached a leaf
    leaf: np.ndarray  # (n,) uint32: where each row is; in the end its leaf's row in `PackedForest.value`


class GivenNodes(NamedTuple):
    """What packing reads of the nodes of some trees, one tree after the other."""

    feature: np.ndarray
    threshold: np.ndarray
    right: np.ndarray
    categories: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray


@inlined
def _write_tree(given, packed, first, n, place):
    """Write a tree of n nodes; return whether any of its splits is on categories.

    first (3,): as for `_write_trees`. What is written of a node does not hang on whether it is a leaf, which no
    processor guesses; in the last place is what a leaf does not have.
    """
    start, free, leaf, has_categories = first[0], first[1] + 1, first[2], False
    spot, place[0] = np.uint32(len(place) - 1), first[1]
    for node in range(n):
        i, at = start + node, place[node]
        feature, threshold, is_leaf = given.feature[i], given.threshold[i], given.feature[i] == LEAF
        step = packed.nodes[at]
        step.feature = 0 if is_leaf else feature
        step.threshold = np.inf if is_leaf else threshold
        step.next = at if is_leaf else free
        packed.missing_left[at] = given.missing_left[i]
        packed.leaf[at] = leaf if is_leaf else LEAF
        for k in range(given.value.shape[1]):  # of a split, what the next leaf writes over
            packed.value[leaf, k] = given.value[i, k]
        place[spot if is_leaf else np.uint32(node + 1)] = free
        place[spot if is_leaf else np.uint32(given.right[i])] = free + 1
        leaf += np.int64(is_leaf)
        free += 0 if is_leaf else 2
        if not is_leaf and np.isnan(threshold):
            packed.categories[at] = given.categories[i]
            has_categories = True
    return has_categories


@kernel
def _write_trees(given, packed, first):
    """Write some trees, whose nodes are given; return whether any of their splits is on categories.

    first (n_trees + 1, 3) int64: where each tree begins among the nodes given, among those written, and among the
    values of leaves.
    """
    place, has_categories = np.empty(len(given.feature) + 1, np.int32), False
    for number in range(len(first) - 1):
        n = first[number + 1, 0] - first[number, 0]
        has_categories = _write_tree(given, packed, first[number], n, place) or has_categories
    return has_categories


def _join_nodes(trees: Sequence[Tree]) -> GivenNodes:
    """Return the nodes of some trees; those of a single one are not copied."""
    each = [GivenNodes(t.feature, t.threshold, t.right, t.categories, t.missing_left, t.value) for t in trees]
    return (
        each[0]
        if len(each) == 1
        else GivenNodes(*(read_only(np.concatenate(of)) for of in zip(*each, strict=True)))
    )


def _groups(sizes: list[int]) -> list[slice]:
    """Return the trees of so many nodes in groups: small ones are packed together, large ones one by one.

    >>> _groups([3, 5, 20_000, 7])
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    groups, start, n = list[slice](), 0, 0
    for number, size in enumerate(sizes):
        if n and n + size > MOST_TOGETHER:
            groups.append(slice(start, number))
            start, n = number, 0
        n += size
    return [*groups, slice(start, len(sizes))]


def pack_forest(forest: Forest, n_threads: int = 1) -> PackedForest:
    """Return the forest packed; where each tree votes for one class, a leaf votes for its first greatest.

    Of many nodes, each thread packs some of the trees. Raises ValueError for trees with surrogate splits.
    """
    trees: Any = forest.trees
    if any(tree.has_surrogates for tree in trees):
        raise ValueError(
            "trees of a packed forest have no surrogate splits: grow them without missing='surrogate'"
        )
    sizes = [tree.n_nodes for tree in trees]
    root = np.cumsum([0, *sizes])
    first_leaf = (root + np.arange(len(root))) // 2  # a tree has one leaf more than it has splits
    n, shape = int(root[-1]), (int(first_leaf[-1]), trees[0].value.shape[1])
    parts = np.empty(n, STEP), np.empty(n, np.int32), np.zeros(n, np.uint64), np.empty(n, np.bool_)
    forest_arrays = PackedForest(*parts, root[:-1], np.empty(shape), forest.weight, False)
    groups = _groups(sizes)

    def write(span: slice) -> bool:
        has_categories = False
        for group in groups[span]:
            ends = slice(group.start, group.stop + 1)
            first = np.stack([root[ends] - root[group.start], root[ends], first_leaf[ends]], axis=1)
            has_categories |= _write_trees(_join_nodes(trees[group]), forest_arrays, first)
        return has_categories

    with ThreadPoolExecutor(n_threads) as pool:
        each = pool.map if n > MANY_NODES else map
        forest_arrays = forest_arrays._replace(
            has_categories=any(list(each(write, parts_of(len(groups), n_threads))))
        )
    if forest.combine == "votes":
        forest_arrays = forest_arrays._replace(value=np.eye(shape[1])[forest_arrays.value.argmax(axis=1)])
    return forest_arrays


@kernel
def _step(nodes, X, row, at):
    """Return the node below, or the leaf itself, for values that are not missing."""
    step = nodes[at]
    return np.uint32(step.next + (X[row, np.uint32(step.feature)] > step.threshold))


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
def none_missing(X):
    """Return whether no value of X is missing. Without a branch, it vectorises."""
    total = 0.0
    for row in range(X.shape[0]):
        for feature in range(X.shape[1]):
            total += X[row, feature] * 0.0
    return not np.isnan(total)


@kernel
def block_rows(row_bytes):
    """Return how many rows go through a tree before the next tree is read.

    Many, because every block of rows fetches the nodes of all trees again; but not more than a cache holds, since
    a wide row is read at a few places only.
    """
    return min(max(BLOCK_BYTES // max(row_bytes, 1), FEWEST), MOST)


@kernel
def sum_up(packed, X, out):
    """Add to out (n, n_outputs) the predictions of all trees, times their weights, for X (n, n_features).

    X is as from `rows_of` or `short`.
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


def weighted_sum(packed: PackedForest, X: np.ndarray, pool: ThreadPoolExecutor, n_parts: int) -> np.ndarray:
    """Return the weighted sum over the trees, (n_samples, n_outputs), for X (n_samples, n_features).

    In n_parts jobs.
    """
    X = rows_of(X)
    out = np.zeros((len(X), packed.value.shape[1]))
    list(pool.map(lambda span: sum_up(packed, short(X[span]), out[span]), parts_of(len(X), n_parts)))
    return out


def rows_of(X: np.ndarray) -> np.ndarray:
    """Return X (n_samples, n_features) as float64 in C order, read-only: the layout for packed forests."""
    return read_only(np.ascontiguousarray(X, dtype=np.float64))


def short(X: np.ndarray) -> np.ndarray:
    """Return many rows X, as from `rows_of`, in float32 if no value changes by that, else as they are.

    Predictions are the same, and rows of half the size, as whole numbers and data of float32 allow, miss the cache
    less often.

    >>> short(rows_of(np.ones((100, 2)))).dtype.name, short(rows_of(np.full((100, 2), 0.1))).dtype.name
    ('float32', 'float64')
    """
    with np.errstate(over="ignore"):
        if len(X) <= FEW or not _are_equal(X[:FEW].astype(np.float32), X[:FEW]):
            return X
        singles = X.astype(np.float32)
    return read_only(singles) if _are_equal(singles, X) else X


def _are_equal(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(((a == b) | np.isnan(b)).all())


def parts_of(n: int, n_parts: int) -> list[slice]:
    """Return the rows from 0 to n in about equal parts, one for each thread."""
    ends = np.linspace(0, n, n_parts + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(ends) if a < b]
