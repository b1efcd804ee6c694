"""How far two trees are apart by their paths (Bertsimas & Digalakis 2023).

A path is the box of its leaf and the leaf's answer. Two paths are apart by the sum over all features of

- of a number, half of how far both ends of the box are apart, in parts of the feature's range,
- of a category, the share of all categories that only one of the boxes admits,

and 1 if the answers differ; of numbers, their difference in parts of the target's range. Every path of the tree
with more of them is matched to one of the other tree, so that each of those has at least one and the sum is the
least; the distance of the trees is this sum, divided by ``2 ** depth * (2 * depth + 1)``, the most that two trees
of this depth may be apart. So the authors' own package (dt-distance) has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from espalier.analysis.tree.rules import N_BITS, leaf_bounds
from espalier.data.dataset import Dataset
from espalier.trees import Tree


class Ranges(NamedTuple):
    """What distances are measured in."""

    low: np.ndarray  # (n_features,) least value; 0 of a category
    high: np.ndarray  # (n_features,) greatest value; 0 of a category
    n_categories: np.ndarray  # (n_features,) int64; 0 of a number
    target: float  # range of a number; 0 of classes

    @property
    def share(self) -> np.ndarray:
        """What half of a unit of each feature counts, (n_features,); 0 for one that does not vary."""
        width = self.high - self.low
        return np.divide(0.5, width, out=np.zeros_like(width), where=width > 0)


class TreePaths(NamedTuple):
    """The paths of a tree, from left to right."""

    low: np.ndarray  # (n_leaves, n_features) within the ranges
    high: np.ndarray  # (n_leaves, n_features)
    admits: np.ndarray  # (n_leaves, n_cells) bool: the categories of all features, one after the other
    cell: np.ndarray  # (n_cells,) what one category that differs counts
    answer: np.ndarray  # (n_leaves,) class, or number
    depth: int


def ranges_of(dataset: Dataset) -> Ranges:
    """Return what distances between trees of these data are measured in.

    >>> from espalier.data import samples
    >>> ranges = ranges_of(samples.load("iris"))
    >>> (ranges.high - ranges.low).round(1).tolist(), ranges.target
    ([3.6, 2.4, 5.9, 2.4], 0.0)
    """
    sizes = np.array([len(feature.categories) for feature in dataset.features], np.int64)
    is_number = (sizes == 0) & np.isfinite(dataset.X).any(axis=0)
    low, high = np.zeros(len(sizes)), np.zeros(len(sizes))
    low[is_number] = np.nanmin(dataset.X[:, is_number], axis=0)
    high[is_number] = np.nanmax(dataset.X[:, is_number], axis=0)
    target = 0.0 if dataset.is_classification else float(np.ptp(dataset.y))
    return Ranges(low, high, sizes, target)


def paths_of(tree: Tree, ranges: Ranges, classes: np.ndarray | None = None) -> TreePaths:
    """Return the paths of a tree. Raises ValueError for trees whose leaves are no boxes.

    `classes` (n_outputs,) are the numbers of the classes that its values are of; None: 0, 1, ….
    """
    leaves = leaf_bounds(tree)
    low, high = np.tile(ranges.low, (len(leaves), 1)), np.tile(ranges.high, (len(leaves), 1))
    start = np.concatenate([[0], np.cumsum(ranges.n_categories)])
    admits = np.ones((len(leaves), start[-1]), dtype=bool)
    for at, (_, bounds) in enumerate(leaves):
        for bound in bounds:
            f = bound.feature
            low[at, f], high[at, f] = max(low[at, f], bound.low), min(high[at, f], bound.high)
            codes = np.arange(min(int(ranges.n_categories[f]), N_BITS))
            in_set = np.array([bound.categories >> int(code) & 1 for code in codes], dtype=bool)
            admits[at, start[f] : start[f] + len(codes)] = in_set & (codes > bound.low) & (codes <= bound.high)
    cell = 1 / np.repeat(ranges.n_categories, ranges.n_categories)
    value = tree.value[[leaf for leaf, _ in leaves]]
    answer = value[:, 0] if ranges.target else value.argmax(axis=1)
    answer = answer if classes is None else classes[answer]
    return TreePaths(low, high, admits, cell, answer, int(tree.depth))


def path_distance(a: TreePaths, b: TreePaths, ranges: Ranges, depth: int | None = None) -> float:
    """Return how far two trees are apart, 0 for the same paths. `depth` is the greatest allowed; None: of the two.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> ranges = ranges_of(iris)
    >>> one, two = (CartClassifier(max_depth=depth).fit(iris.X, iris.y) for depth in (1, 2))
    >>> round(path_distance(paths_of(one.tree_, ranges), paths_of(two.tree_, ranges), ranges), 4)
    0.075
    """
    deepest = max(a.depth, b.depth) if depth is None else depth
    return matched(costs(a, b, ranges)) / (2**deepest * (2 * deepest + 1))


def costs(a: TreePaths, b: TreePaths, ranges: Ranges) -> np.ndarray:
    """Return how far each path of a is from each of b, (n_leaves of a, n_leaves of b)."""
    ends = abs(a.low[:, None] - b.low[None]) + abs(a.high[:, None] - b.high[None])
    found = ends @ ranges.share + (a.admits[:, None] != b.admits[None]) @ a.cell
    apart = abs(a.answer[:, None] - b.answer[None])
    return found + (apart / ranges.target if ranges.target else apart != 0)


def matched(cost: np.ndarray) -> float:
    """Return the least sum of costs (n, m) with every one of the more matched once and of the fewer at least once.

    >>> matched(np.array([[0.0, 5.0], [1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    if cost.shape[0] < cost.shape[1]:
        cost = cost.T
    # Whoever is not the one that a path of the fewer must have takes the nearest of all.
    free = np.repeat(cost.min(axis=1, keepdims=True), cost.shape[0] - cost.shape[1], axis=1)
    square = np.hstack([cost, free])
    return float(square[linear_sum_assignment(square)].sum())


def mean_distance(one: TreePaths, others: Sequence[TreePaths], ranges: Ranges, depth: int | None = None) -> float:
    """Return the mean distance of a tree from others."""
    return float(np.mean([path_distance(one, other, ranges, depth) for other in others]))
