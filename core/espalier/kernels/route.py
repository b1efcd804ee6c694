"""Routing: the definition of the side of a split that a value falls on."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.trees import LEAF, Tree, read_only


@kernel
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


@kernel
def goes_left(tree, node, value):
    """Return whether a sample with this value of the node's feature goes to the left child."""
    return passes(value, tree.threshold[node], tree.categories[node], tree.missing_left[node])


@kernel
def _leaf_of(tree, columns):
    leaves = np.empty(columns.shape[1], np.int32)
    for row in range(columns.shape[1]):
        node = np.int32(0)
        while tree.feature[node] != LEAF:
            left = goes_left(tree, node, columns[tree.feature[node], row])
            node = tree.left[node] if left else tree.right[node]
        leaves[row] = node
    return leaves


def columns_of(X: np.ndarray) -> np.ndarray:
    """Return X (n_samples, n_features) as (n_features, n_samples) float64, C order, read-only.

    Kernels take only this layout, so that each compiles once. A float64 X in Fortran order is not copied.
    """
    return read_only(np.ascontiguousarray(np.asarray(X, dtype=np.float64).T))


def leaf_of(tree: Tree, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row of X (n_samples, n_features), as (n_samples,) int32."""
    return _leaf_of(tree, columns_of(X))


def path_of(tree: Tree, x: np.ndarray) -> list[int]:
    """Return the nodes on the path of the sample x (n_features,), from the root to its leaf."""
    path = [0]
    while tree.feature[path[-1]] != LEAF:
        node = path[-1]
        left = goes_left(tree, node, float(x[tree.feature[node]]))
        path.append(int(tree.left[node] if left else tree.right[node]))
    return path
