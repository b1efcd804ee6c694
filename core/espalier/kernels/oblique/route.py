"""Routing through trees with slanted splits: sums of several features against a threshold."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import columns_of, passes
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF


@kernel
def weighted_sum_of(columns, row, fill, feature, coefficient):
    """Return the sum of coefficient * value over the terms (n_terms,), added in this order; `fill` for nan."""
    total = 0.0
    for at in range(len(feature)):
        value = columns[feature[at], row]
        total += coefficient[at] * (fill[feature[at]] if np.isnan(value) else value)
    return total


@kernel
def _row_goes_left(tree, node, columns, row):
    start, stop = tree.terms.start[node], tree.terms.start[node + 1]
    if start < stop:
        feature, coefficient = tree.terms.feature[start:stop], tree.terms.coefficient[start:stop]
        return weighted_sum_of(columns, row, tree.fill, feature, coefficient) <= tree.threshold[node]
    feature = tree.feature[node]
    value = columns[feature, row]
    is_category = np.isnan(tree.threshold[node])
    if np.isnan(value) or (is_category and not 0 <= value < 64):
        value = tree.fill[feature]
    return passes(value, tree.threshold[node], tree.categories[node], False)


@kernel
def _leaves(tree, columns):
    leaves = np.empty(columns.shape[1], np.int32)
    for row in range(columns.shape[1]):
        node = np.int32(0)
        while tree.feature[node] != LEAF:
            node = tree.left[node] if _row_goes_left(tree, node, columns, row) else tree.right[node]
        leaves[row] = node
    return leaves


@kernel
def project(columns, rows, fill, feature, coefficient):
    """Return `weighted_sum_of` each of the rows (n,) of columns (n_features, n_samples), (n,) float64."""
    sums = np.empty(len(rows))
    for i in range(len(rows)):
        sums[i] = weighted_sum_of(columns, rows[i], fill, feature, coefficient)
    return sums


def oblique_leaf_of(tree: ObliqueTree, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row of X (n_samples, n_features), as (n_samples,) int32."""
    return _leaves(tree, columns_of(X))
