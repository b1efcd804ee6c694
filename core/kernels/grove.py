"""Many trees as one: their nodes in one array, through which rows go in blocks, tree after tree.

Siblings stand side by side, so that a step is one addition; and the rows of a block go down together, so that
no step waits for the one before. The numbers of a leaf stand apart, in one table for all trees.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from core.kernels import kernel
from core.kernels.route import passes
from core.trees import LEAF, Forest, is_category_split, is_leaf, read_only

BLOCK = 512  # rows that go through a tree before the next tree is read

_FIELDS = {"threshold": np.float64, "feature": np.int32, "next": np.int32}
STEP = np.dtype((np.record, np.dtype(list(_FIELDS.items()), align=True)))


class Grove(NamedTuple):
    """The nodes of all trees; what is rarely needed stands apart."""

    nodes: (
        np.ndarray
    )  # (n_nodes,) STEP; next: the left child, whose sibling follows it; at a leaf its row in `value`
    categories: np.ndarray  # (n_nodes,) uint64
    missing_left: np.ndarray  # (n_nodes,) bool
    root: np.ndarray  # (n_trees,) int64
    value: np.ndarray  # (n_leaves, n_outputs) float64: what a leaf says
    weight: np.ndarray  # (n_trees,) float64: how much that counts
    has_categories: bool


@kernel
def _plant(tree, grove, first, first_leaf):
    """Write a tree's nodes from position `first`, its leaves' rows from `first_leaf`."""
    place = np.empty(len(tree.feature), np.int32)
    place[0] = first
    free = first + 1
    leaf = first_leaf
    for node in range(len(tree.feature)):
        at = place[node]
        step = grove.nodes[at]
        step.feature = tree.feature[node]
        step.threshold = tree.threshold[node]
        grove.categories[at] = tree.categories[node]
        grove.missing_left[at] = tree.missing_left[node]
        if tree.feature[node] == LEAF:
            step.next = leaf
            leaf += 1
        else:
            step.next = free
            place[tree.left[node]] = free
            place[tree.right[node]] = free + 1
            free += 2


def make_grove(forest: Forest) -> Grove:
    """The trees as one; where they vote by majority, a leaf says its first greatest class."""
    trees: Any = forest.trees
    value = np.concatenate([tree.value[is_leaf(tree)] for tree in trees])
    if forest.majority:
        value = np.eye(value.shape[1])[value.argmax(axis=1)]
    sizes, leaves = [tree.n_nodes for tree in trees], [tree.n_leaves for tree in trees]
    root, first_leaf = np.cumsum([0, *sizes]), np.cumsum([0, *leaves])
    n = int(root[-1])
    has_categories = any(is_category_split(tree).any() for tree in trees)
    nodes, categories, missing_left = np.zeros(n, STEP), np.zeros(n, np.uint64), np.zeros(n, np.bool_)
    grove = Grove(nodes, categories, missing_left, root[:-1], value, forest.weight, has_categories)
    for tree, first, leaf in zip(trees, root[:-1], first_leaf[:-1], strict=True):
        _plant(tree, grove, int(first), int(leaf))
    return grove


@kernel
def _descend(grove, X, active, at):
    """Move the rows `active` of X from the nodes `at` of the grove down to leaves. Uses `active` up."""
    n = len(active)
    while n > 0:
        still = 0
        for i in range(n):
            row = active[i]
            step = grove.nodes[at[row]]
            below = step.next + (not X[row, step.feature] <= step.threshold)
            at[row] = below
            active[still] = row
            still += grove.nodes[below].feature >= 0
        n = still


@kernel
def _descend_any(grove, X, active, at):
    """As `_descend`, for missing values and categories too."""
    n = len(active)
    while n > 0:
        still = 0
        for i in range(n):
            row = active[i]
            node = at[row]
            step = grove.nodes[node]
            value = X[row, step.feature]
            left = passes(value, step.threshold, grove.categories[node], grove.missing_left[node])
            below = step.next + (not left)
            at[row] = below
            active[still] = row
            still += grove.nodes[below].feature >= 0
        n = still


@kernel
def down(grove, tree, block, rows, room):
    """Send rows (n,) of a block through one tree; room[1] then has, at each of them, its leaf's row in `value`.

    block is (X, whether no value of it is missing); room is int32 (2, rows of X).
    """
    X, known = block
    active, at = room
    root = grove.root[tree]
    for i in range(len(rows)):
        active[i] = rows[i]
        at[rows[i]] = root
    if grove.nodes[root].feature != LEAF:
        if known and not grove.has_categories:
            _descend(grove, X, active[: len(rows)], at)
        else:
            _descend_any(grove, X, active[: len(rows)], at)
    for row in rows:
        at[row] = grove.nodes[at[row]].next


@kernel
def all_known(X):
    """Whether no value of X is missing. No branch, so that it vectorises."""
    total = 0.0
    for row in range(X.shape[0]):
        for feature in range(X.shape[1]):
            total += X[row, feature] * 0.0
    return not np.isnan(total)


@kernel
def _sum_up(grove, X, out):
    """Add to out (n, n_outputs) what all trees say of each row of X (n, n_features), times their weights."""
    rows = np.arange(BLOCK).astype(np.int32)
    room = (np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32))
    for start in range(0, len(X), BLOCK):
        stop = min(start + BLOCK, len(X))
        block = (X[start:stop], all_known(X[start:stop]))
        for tree in range(len(grove.root)):
            down(grove, tree, block, rows[: stop - start], room)
            for row in range(stop - start):
                leaf = room[1][row]
                for k in range(out.shape[1]):
                    out[start + row, k] += grove.weight[tree] * grove.value[leaf, k]


def weighted_sum(grove: Grove, X: np.ndarray, pool: ThreadPoolExecutor, n_parts: int) -> np.ndarray:
    """(n_samples, n_outputs): the sum over the trees, for X (n_samples, n_features); in n_parts threads."""
    X = rows_of(X)
    out = np.zeros((len(X), grove.value.shape[1]))
    list(pool.map(lambda span: _sum_up(grove, X[span], out[span]), parts_of(len(X), n_parts)))
    return out


def rows_of(X: np.ndarray) -> np.ndarray:
    """X (n_samples, n_features) float64 in C order, read-only: the layout that rows are sent down in."""
    return read_only(np.ascontiguousarray(X, dtype=np.float64))


def parts_of(n: int, n_parts: int) -> list[slice]:
    """The rows from 0 to n in about equal parts, one for each thread."""
    ends = np.linspace(0, n, n_parts + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(ends) if a < b]
