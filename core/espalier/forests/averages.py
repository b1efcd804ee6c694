"""Answers of a forest's first trees over a plane, averaged over rows: exact partial dependence (Friedman, 2001).

Each leaf of a tree is a box in the plane, with the share of rows that the other splits on the way send there
(`kernels.averaging`). What it says, times that share, is added to the cells of its box: at the box's four corners,
so that the size of the box costs nothing, and sums along both axes then fill the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from espalier.forests.growth import LEAST
from espalier.grids import samples_over
from espalier.kernels.averaging import averages, shares_of_rows
from espalier.trees import Forest, Tree, is_leaf, read_only

CORNERS = ((0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0))  # low or high along x, and y; its sign


def can_average(forest: Forest) -> bool:
    """Whether the mean of the forest's answers is that of its trees: not of sums that pass through a link.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingClassifier, RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> kinds = RandomForestClassifier(n_estimators=2), GradientBoostingClassifier(n_estimators=2)
    >>> [can_average(kind.fit(iris.X, iris.y).forest_) for kind in kinds]
    [True, False]
    """
    return forest.link == "identity" and all(isinstance(tree, Tree) for tree in forest.trees)


def averages_of_first(
    forest: Forest, axes: Sequence[int], at: Sequence[np.ndarray], rows: np.ndarray, counts: Sequence[int]
) -> list[np.ndarray]:
    """Return the mean answers of the first 1, 2, … trees: (n_cells, n_outputs) for each of `counts`, x fastest.

    `at` has the values along each of one or two axes, ascending; `rows` (n_rows, n_features) keep their own values
    of all other features. The forest is one that `can_average`; `counts` ascend.
    """
    votes, total, found = forest.combine == "votes", 0.0, []
    trees = cast("Sequence[Tree]", forest.trees)
    for before, count in pairwise([0, *counts]):
        for tree, weight in zip(trees[before:count], forest.weight[before:count], strict=True):
            total = total + weight * _average(_voting(tree) if votes else tree, axes, at, rows)
        weights = float(forest.weight[:count].sum())
        found.append(total + forest.start if forest.combine == "sum" else total / max(weights, LEAST))
    return found


def _voting(tree: Tree) -> Tree:
    """Return the tree with a whole vote in each leaf."""
    return tree._replace(value=read_only(np.eye(tree.value.shape[1])[tree.value.argmax(axis=1)]))


def _average(tree: Tree, axes: Sequence[int], at: Sequence[np.ndarray], rows: np.ndarray) -> np.ndarray:
    share = shares_of_rows(tree, rows, axes)
    if np.isnan(tree.threshold[np.isin(tree.feature, axes)]).any():  # a set of categories is no box
        return averages(tree, samples_over(axes, at, rows[0]), axes, share)
    leaf = is_leaf(tree) & (share > 0)
    low, high = _boxes(tree, axes, at)
    ends, says = (low[leaf], high[leaf]), share[leaf, np.newaxis] * tree.value[leaf]
    size = [len(values) for values in at] + [1] * (2 - len(at))
    plane = np.zeros((size[1] + 1, size[0] + 1, says.shape[1]))
    for x, y, sign in CORNERS:
        np.add.at(plane, (ends[y][:, 1], ends[x][:, 0]), sign * says)
    return plane.cumsum(axis=0).cumsum(axis=1)[:-1, :-1].reshape(-1, says.shape[1])


def _boxes(tree: Tree, axes: Sequence[int], at: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first cell of each node's box, and one past the last, along x and y: both (n_nodes, 2)."""
    low, high = np.zeros((tree.n_nodes, 2), np.int64), np.ones((tree.n_nodes, 2), np.int64)
    high[0, : len(at)] = [len(values) for values in at]
    nodes = np.zeros(1, np.int64)
    while nodes.size:
        nodes = nodes[tree.feature[nodes] >= 0]
        left, right = tree.left[nodes], tree.right[nodes]
        low[left], low[right], high[left], high[right] = low[nodes], low[nodes], high[nodes], high[nodes]
        for j, axis in enumerate(axes):
            asked = tree.feature[nodes] == axis
            cut = np.searchsorted(at[j], tree.threshold[nodes[asked]], side="right")
            high[left[asked], j] = np.minimum(high[left[asked], j], cut)
            low[right[asked], j] = np.maximum(low[right[asked], j], cut)
        nodes = np.concatenate([left, right])
    return low, np.maximum(low, high)
