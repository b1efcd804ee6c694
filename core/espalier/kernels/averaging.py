"""Averages of a tree's answers over rows, of which a few features are given another value: partial dependence.

A split on one of those features, the axes, does not ask the rows: it parts the plane that the axes span. Any other
split parts the rows. The average at a place is a sum over the leaves whose box in the plane has the place: the
leaf's answer times the share of rows that the other splits on the way send there, counted once for all places.
That is the average itself; the traversal of Friedman (2001, section 8.2) weighs by the rows of each node instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import columns_of, row_goes_left
from espalier.trees import LEAF, Tree


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
