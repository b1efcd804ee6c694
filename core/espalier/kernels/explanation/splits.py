"""The splits of all trees of a forest in one set of arrays, as explanations read them.

What sends a row left or right has the names that it has in `Tree`, so that `kernels.route` reads it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.trees import LEAF, Surrogates, Tree


class ForestSplits(NamedTuple):
    """Splits in preorder, tree after tree; children and earlier splits have their numbers in their own tree."""

    feature: np.ndarray  # (n_splits,) int32
    threshold: np.ndarray  # (n_splits,) float64; nan for categories
    categories: np.ndarray  # (n_splits,) uint64
    missing_left: np.ndarray  # (n_splits,) bool
    surrogates: Surrogates
    is_plain: np.ndarray  # (n_splits,) bool: a threshold without surrogates
    left: np.ndarray  # (n_splits,) int64: the split on the left, or -1 - the number of the leaf
    right: np.ndarray  # (n_splits,) int64
    before: (
        np.ndarray
    )  # (n_splits,) int64: nearest split above on the same feature, twice, + 1 if on its left; or -1
    share: np.ndarray  # (n_splits,) float64: of the weight in the node, what goes left
    first: np.ndarray  # (n_trees + 1,) int64: tree t has the splits ``first[t]:first[t + 1]``
    value: np.ndarray  # (n_outputs, n_leaves) float64: a tree has one leaf more than it has splits


def make_splits(trees: Sequence[Tree], values: Sequence[np.ndarray]) -> ForestSplits:
    """Return the splits of trees whose nodes have these values, (n_nodes, n_outputs) each."""
    kinds, parts, first = ("i4", "f8", "u8", "?"), [], [0]
    for tree in trees:
        splits = np.flatnonzero(tree.feature != LEAF)
        number = np.empty(tree.n_nodes, np.int64)
        number[splits] = np.arange(len(splits))
        number[tree.feature == LEAF] = -1 - np.arange(tree.n_leaves)
        children = [number[side[splits]] for side in (tree.left, tree.right)]
        routing = (tree.feature, tree.threshold, tree.categories, tree.missing_left)
        before = _splits_before(np.asarray(tree.feature[splits]), *children)
        parts.append([*(array[splits] for array in routing), *children, before, _shares_left(tree, splits)])
        first.append(first[-1] + len(splits))
    arrays = [np.concatenate(each) for each in zip(*parts, strict=True)]
    routing = [np.ascontiguousarray(a, k) for a, k in zip(arrays, kinds, strict=False)]
    value = np.concatenate([v[t.feature == LEAF] for t, v in zip(trees, values, strict=True)])
    pool = _joined_surrogates(trees)
    is_plain = ~np.isnan(routing[1]) & (np.diff(pool.start) == 0)
    return ForestSplits(*routing, pool, is_plain, *arrays[4:], np.array(first), np.ascontiguousarray(value.T))


def _shares_left(tree: Tree, splits: np.ndarray) -> np.ndarray:
    """Return the share of each split's weight that goes left; a half where there is none."""
    left, right = (tree.weight[side[splits]] for side in (tree.left, tree.right))
    both = left + right
    return np.divide(left, both, out=np.full(len(splits), 0.5), where=both > 0)


def _joined_surrogates(trees: Sequence[Tree]) -> Surrogates:
    """Return the surrogates of all splits of the trees, in one pool."""
    starts, n = [], 0
    for tree in trees:
        starts.append(tree.surrogates.start[:-1][tree.feature != LEAF].astype(np.int64) + n)
        n += len(tree.surrogates.feature)
    seen = [tree.surrogates.own_seen[tree.feature != LEAF] for tree in trees]
    pool = (np.concatenate(each) for each in zip(*(tree.surrogates[2:] for tree in trees), strict=True))
    return Surrogates(np.concatenate([*starts, [n]]), np.concatenate(seen), *pool)


@kernel
def _splits_before(feature, left, right):
    """Return for each split of a tree the nearest one above it on the same feature, as `ForestSplits.before`."""
    n = len(feature)
    above, before = np.full(n, -1), np.full(n, -1)
    for i in range(n):
        if left[i] >= 0:
            above[left[i]] = 2 * i + 1
        if right[i] >= 0:
            above[right[i]] = 2 * i
        up = above[i]
        while up >= 0 and feature[up // 2] != feature[i]:
            up = above[up // 2]
        before[i] = up
    return before


@kernel
def splits_of(forest, tree):
    """Return the splits of one tree, as `ForestSplits`."""
    span = slice(forest.first[tree], forest.first[tree + 1])
    pool = forest.surrogates
    start = pool.start[forest.first[tree] : forest.first[tree + 1] + 1]
    surrogates = Surrogates(
        start, pool.own_seen[span], pool.feature, pool.threshold, pool.categories, pool.seen, pool.reversed,
        pool.agreement,
    )  # fmt: skip
    leaves = slice(forest.first[tree] + tree, forest.first[tree + 1] + tree + 1)
    return ForestSplits(
        forest.feature[span], forest.threshold[span], forest.categories[span], forest.missing_left[span],
        surrogates, forest.is_plain[span], forest.left[span], forest.right[span], forest.before[span],
        forest.share[span], forest.first, forest.value[:, leaves],
    )  # fmt: skip
