"""The splits of all trees of a forest in one set of arrays, and their answers along one feature or two.

What sends a row left or right has the names that it has in `Tree`, so that `kernels.route` reads it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.route import row_goes_left
from espalier.kernels.task import first_not_below
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
    own_seen = [tree.surrogates.own_seen[tree.feature != LEAF] for tree in trees]
    pool = (np.concatenate(each) for each in zip(*(tree.surrogates[2:] for tree in trees), strict=True))
    return Surrogates(np.concatenate([*starts, [n]]), np.concatenate(own_seen), *pool)


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


# ---- Answers along one feature, all else kept: for each row a function that changes at thresholds alone


@uncounted
def _add_tree(tree, columns, ranks, waiting, jumps):
    """Add a tree's answers to jumps (n_samples, n_places + 1, n_outputs).

    ranks (n_splits,) are of the thresholds on the feature, and -1 for other splits; waiting is (3, n_splits + 2).
    """
    feature, threshold, left, right = tree.feature, tree.threshold, tree.left, tree.right
    is_plain, value, last, n_outputs = tree.is_plain, tree.value, jumps.shape[1] - 2, jumps.shape[2]
    nodes, firsts, stops = waiting[0], waiting[1], waiting[2]
    for row in range(len(jumps)):
        nodes[0], firsts[0], stops[0], top = 0, 0, last, 1
        while top:
            top -= 1
            here, first, stop = nodes[top], firsts[top], stops[top]
            while here >= 0:
                at = ranks[here]
                if at >= 0:
                    if first <= at < stop:  # the right side waits on the stack
                        nodes[top], firsts[top], stops[top] = right[here], at + 1, stop
                        top, stop = top + 1, at
                    here = left[here] if first <= at else right[here]
                    continue
                own = columns[feature[here], row]
                is_left = own <= threshold[here]
                if not is_plain[here] or np.isnan(own):
                    is_left = row_goes_left(tree, here, columns, row)
                here = left[here] if is_left else right[here]
            for k in range(n_outputs):
                jumps[row, first, k] += value[k, -1 - here]
                jumps[row, stop + 1, k] -= value[k, -1 - here]


@kernel
def add_jumps(forest, feature, steps, columns, jumps):
    """Add to jumps (n_samples, n_steps + 2, n_outputs) how each row's answers change from place to place.

    steps (n_steps,) are the thresholds on the feature, ascending: place i is above step i - 1, and at most step i.
    columns is (n_features, n_samples). No split on the feature may be one of categories.
    """
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n = len(tree.feature)
        ranks, waiting = np.full(n, -1), np.empty((3, n + 2), np.int64)
        for i in range(n):
            if tree.feature[i] == feature:
                ranks[i] = first_not_below(steps, 0, len(steps), tree.threshold[i])
        if n:
            _add_tree(tree, columns, ranks, waiting, jumps)
            continue
        for row in range(len(jumps)):
            for k in range(jumps.shape[2]):
                jumps[row, 0, k] += tree.value[k, 0]


# ---- Mean answers over rows, wherever two features are


@uncounted
def _count_rows(tree, columns, is_on_axis, count, waiting):
    """Add to count (n_leaves,) the rows that reach each leaf if every split on an axis sends them both ways."""
    feature, threshold, left, right, is_plain = tree.feature, tree.threshold, tree.left, tree.right, tree.is_plain
    for row in range(columns.shape[1]):
        waiting[0], top = 0, 1
        while top:
            top -= 1
            here = waiting[top]
            while here >= 0:
                if is_on_axis[here]:
                    waiting[top] = right[here]
                    top += 1
                    here = left[here]
                    continue
                own = columns[feature[here], row]
                is_left = own <= threshold[here]
                if not is_plain[here] or np.isnan(own):
                    is_left = row_goes_left(tree, here, columns, row)
                here = left[here] if is_left else right[here]
            count[-1 - here] += 1.0


@uncounted
def _add_leaf(tree, leaf, box, share, changes):
    """Add a leaf's answer, times the share of the rows, to the places of its box: at the box's corners."""
    for k in range(changes.shape[2]):
        part = share * tree.value[k, leaf]
        changes[box[0], box[2], k] += part
        changes[box[1], box[2], k] -= part
        changes[box[0], box[3], k] -= part
        changes[box[1], box[3], k] += part


@kernel
def _pairs_add_tree(tree, axes, steps, count, n_rows, changes):
    """Add the answers of a tree's leaves, of which so many rows reach each."""
    n = len(tree.feature)
    waiting, boxes = np.empty(n + 2, np.int64), np.empty((n + 2, 4), np.int64)
    waiting[0], top = 0 if n else -1, 1
    boxes[0] = np.array([0, changes.shape[0] - 1, 0, changes.shape[1] - 1])
    while top:
        top -= 1
        here, box = waiting[top], boxes[top].copy()
        if here < 0:
            if count[-1 - here] > 0 and box[0] < box[1] and box[2] < box[3]:
                _add_leaf(tree, -1 - here, box, count[-1 - here] / n_rows, changes)
            continue
        waiting[top], waiting[top + 1] = tree.left[here], tree.right[here]
        boxes[top], boxes[top + 1] = box, box
        for axis in range(2):
            if tree.feature[here] == axes[axis]:
                cut = first_not_below(steps[axis], 0, len(steps[axis]), tree.threshold[here]) + 1
                boxes[top, 2 * axis + 1] = min(boxes[top, 2 * axis + 1], cut)
                boxes[top + 1, 2 * axis] = max(boxes[top + 1, 2 * axis], cut)
        top += 2


@kernel
def add_pair(forest, axes, steps, columns, changes):
    """Add to changes (n_places, n_places, n_outputs) how the trees' mean answer changes from place to place.

    axes (2,) are two features and steps the thresholds on each, ascending: place i is above step i - 1, and at
    most step i. Sums along both axes make answers of the changes; the last place of each axis is outside.
    columns is (n_features, n_samples). No split on an axis may be one of categories.
    """
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n = len(tree.feature)
        count, waiting = np.zeros(n + 1), np.empty(n + 2, np.int64)
        is_on_axis = (tree.feature == axes[0]) | (tree.feature == axes[1])
        if n:
            _count_rows(tree, columns, is_on_axis, count, waiting)
        else:
            count[0] = columns.shape[1]
        _pairs_add_tree(tree, axes, steps, count, columns.shape[1], changes)
