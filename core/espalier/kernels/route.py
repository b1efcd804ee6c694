"""Routing: the definition of the side of a split that a value falls on, and what follows from it for many rows.

What takes a tree is a part of its caller's machine code (`uncounted`): a call would hand over every field of the
record at each step of each sample, and take twenty times as long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.plain import choose_form
from espalier.trees import LEAF, Tree, read_only


@uncounted
def passes(value, threshold, categories, missing_left):
    """Return whether a value goes left.

    ``value <= threshold``, or its category's bit where `threshold` is nan. A missing value, and a code that
    is no category (negative, or 64 and above), goes where `missing_left` says. The threshold inf separates
    the known values (left) from the missing ones.
    """
    if np.isnan(value):
        return missing_left
    if not np.isnan(threshold):
        return value <= threshold
    if value < 0 or value >= 64:
        return missing_left
    return (categories >> np.uint64(value)) & np.uint64(1) != 0


@uncounted
def decides(value, threshold, seen):
    """Return whether a split whose missing values follow surrogates decides about a value itself.

    It does about any number, and about the categories whose bit in `seen` is set.
    """
    if np.isnan(value) or not np.isnan(threshold):
        return not np.isnan(value)
    return 0 <= value < 64 and (seen >> np.uint64(value)) & np.uint64(1) != 0


@uncounted
def goes_left(tree, node, value):
    """Return whether a sample with this value of the node's feature goes to the left child."""
    return passes(value, tree.threshold[node], tree.categories[node], tree.missing_left[node])


@uncounted
def surrogate_goes_left(tree, node, columns, row):
    """Return whether the node's surrogates send the row of `columns` left, which has no value for its own split.

    The first whose value is known decides, else `missing_left`. A category that it never saw counts as missing.
    """
    pool = tree.surrogates
    for at in range(pool.start[node], pool.start[node + 1]):
        value = columns[pool.feature[at], row]
        if decides(value, pool.threshold[at], pool.seen[at]):
            return passes(value, pool.threshold[at], pool.categories[at], False) != pool.reversed[at]
    return tree.missing_left[node]


@uncounted
def row_goes_left(tree, node, columns, row):
    """Return whether a row of (n_features, n_samples) goes left; surrogates decide where its value is missing.

    With surrogates, a category that the node never saw counts as missing, too.
    """
    value = columns[tree.feature[node], row]
    if tree.surrogates.start[node] == tree.surrogates.start[node + 1]:
        return goes_left(tree, node, value)
    if decides(value, tree.threshold[node], tree.surrogates.own_seen[node]):
        return goes_left(tree, node, value)
    return surrogate_goes_left(tree, node, columns, row)


@kernel
def _leaf_of(tree, columns):
    leaves = np.empty(columns.shape[1], np.int32)
    for row in range(columns.shape[1]):
        node = np.int32(0)
        while tree.feature[node] != LEAF:
            value, threshold = columns[tree.feature[node], row], tree.threshold[node]
            if value <= threshold:  # nothing else is asked in the usual cases; the left child is the next node
                node += 1
            elif value > threshold:
                node = tree.right[node]
            else:
                node = tree.left[node] if row_goes_left(tree, node, columns, row) else tree.right[node]
        leaves[row] = node
    return leaves


def columns_of(X: np.ndarray) -> np.ndarray:
    """Return X (n_samples, n_features) as (n_features, n_samples) float64, C order, read-only.

    Kernels take only this layout, so that each compiles once. A float64 X in Fortran order is not copied.
    """
    return read_only(np.ascontiguousarray(np.asarray(X, dtype=np.float64).T))


def leaf_of(tree: Tree, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row of X (n_samples, n_features), as (n_samples,) int32."""
    return choose_form(_leaf_of, len(X))(tree, columns_of(X))


def path_of(tree: Tree, x: np.ndarray, node: int = 0) -> list[int]:
    """Return the nodes on the path of the sample x (n_features,), from the root (or another node) to its leaf."""
    path, column = [node], columns_of(np.asarray(x, dtype=np.float64)[np.newaxis])
    is_left = choose_form(row_goes_left, 1)
    while tree.feature[path[-1]] != LEAF:
        node = path[-1]
        path.append(int(tree.left[node] if is_left(tree, node, column, 0) else tree.right[node]))
    return path


# Averages of a tree's answers over rows, of which a few features are given another value: partial dependence


@kernel
def _count_reaching(tree, columns, axes):
    """Return for each node the rows that reach it if every split on an axis sends them both ways."""
    count, stack = np.zeros(len(tree.feature)), np.empty(len(tree.feature), np.int64)
    for row in range(columns.shape[1]):
        stack[0], top = 0, 1
        while top:
            top -= 1
            node = stack[top]
            count[node] += 1.0
            feature = tree.feature[node]
            if feature == LEAF:
                continue
            both = feature == axes[0] or feature == axes[1]
            left = both or row_goes_left(tree, node, columns, row)
            if left:
                stack[top] = tree.left[node]
                top += 1
            if both or not left:
                stack[top] = tree.right[node]
                top += 1
    return count


@kernel
def _add_up_leaves(tree, columns, axes, share):
    """Return the mean answer (n_places, n_outputs) where the axes have the values of each column of `columns`."""
    mean = np.zeros((columns.shape[1], tree.value.shape[1]))
    stack = np.empty(len(tree.feature), np.int64)
    for place in range(columns.shape[1]):
        stack[0], top = 0, 1
        while top:
            top -= 1
            node = stack[top]
            feature = tree.feature[node]
            if feature == LEAF:
                for k in range(mean.shape[1]):
                    mean[place, k] += share[node] * tree.value[node, k]
                continue
            is_axis = feature == axes[0] or feature == axes[1]
            left = is_axis and row_goes_left(tree, node, columns, place)
            for child, is_way in ((tree.left[node], left), (tree.right[node], not left)):
                if share[child] > 0 and (is_way or not is_axis):
                    stack[top] = child
                    top += 1
    return mean


def shares_of_rows(tree: Tree, X: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """Return the share of the rows of X that reaches each node if splits on an axis send every row both ways.

    X is (n_samples, n_features), with a row at least; `axes` are one or two features. The result is (n_nodes,)
    float64. A surrogate split on an axis asks for the row's own value.
    """
    return _count_reaching(tree, columns_of(X), _pair(axes)) / len(X)


def averages(tree: Tree, places: np.ndarray, axes: Sequence[int], shares: np.ndarray) -> np.ndarray:
    """Return the tree's answer averaged over rows, (n_places, n_outputs) float64, at each place.

    Of `places` (n_places, n_features) only the values of the axes count; `shares` are those of `shares_of_rows`.
    """
    return _add_up_leaves(tree, columns_of(places), _pair(axes), shares)


def _pair(axes: Sequence[int]) -> np.ndarray:
    """Return the axes as (2,) int64; -2, which is no feature, where there is no second one."""
    return np.array([*axes, -2][:2], np.int64)
