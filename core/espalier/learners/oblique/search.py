"""The best split of a node: on one feature as CART has it, or on a weighted sum of a few, whichever is purer.

Every candidate, whatever it comes from, is judged by one sweep over its thresholds with the impurity kernels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.oblique import project
from espalier.kernels.task import GrowthLimits, Task
from espalier.learners.oblique.directions import (
    Direction,
    NodeSample,
    discriminants,
    logistic,
    node_sample,
)
from espalier.trees import Tree, read_only

DIGITS = (1, 2, 3)  # significant ones of coefficients, if they part the samples as well as all of them do
ROUNDING = 1e-9  # a slanted split must be purer by more than this part of the node's impurity
NEAR = (0.5, 1.0)  # widths around the border, in standard deviations, of the rows that move it


class Ground(NamedTuple):
    """All samples that a tree grows from, and its limits."""

    columns: np.ndarray  # (n_features, n_samples) float64, C order, nothing missing
    categorical: np.ndarray  # (n_features,) bool
    targets: np.ndarray  # (n_samples, n_targets) float64: class indicators, or the numbers
    task: Task
    min_samples_leaf: int
    min_leaf_weight: float
    max_terms: int

    @property
    def numbers(self) -> np.ndarray:
        """The features that are no categories."""
        return np.flatnonzero(~self.categorical)

    @property
    def no_fill(self) -> np.ndarray:
        """What stands in for missing values: nothing is missing here."""
        return np.zeros(len(self.columns))


class NodeSplit(NamedTuple):
    """A split of a node, and what it makes of it."""

    stump: Tree  # of three nodes, on one feature, or (feature 0) on the direction
    direction: Direction | None  # None: the stump's own feature
    gain: float  # impurity of the node less that of its children, weighted by their share of it


def describe(ground: Ground, rows: np.ndarray) -> Tree:
    """Return the tree of one node: what the samples are before any split."""
    return _stump(ground, rows, ground.columns[:1, rows], ground.categorical[:1], 0)


def best_split(ground: Ground, rows: np.ndarray) -> NodeSplit | None:
    """Return the best split of these samples (n,), on one feature if no slanted one is purer; None if none can be.

    The axis-parallel split is CART's. Directions come from the discriminants of the node; the best of them is
    refined by logistic regression of its sides, and by discriminants of the samples near its border.
    """
    stump = _stump(ground, rows, ground.columns[:, rows], ground.categorical)
    if stump.n_nodes == 1:
        return None
    straight = NodeSplit(stump, None, gain_of(stump))
    sample = node_sample(ground.columns, ground.numbers, rows, ground.task.weight[rows])
    if len(sample.feature) < 2 or ground.max_terms < 2:
        return straight
    best = _slanted(ground, rows, sample)
    bar = straight.gain + ROUNDING * float(stump.impurity[0])
    if best is None or best.gain <= bar:
        return straight
    return _rounded(ground, rows, best, bar)


def gain_of(stump: Tree) -> float:
    """Return the decrease of impurity by a split, per unit of the node's weight; -inf for a single node."""
    if stump.n_nodes == 1:
        return -np.inf
    content = stump.impurity * stump.weight
    return float((content[0] - content[1] - content[2]) / stump.weight[0])


def _stump(ground: Ground, rows: np.ndarray, columns: np.ndarray, categorical: np.ndarray, depth: int = 1) -> Tree:
    """Return the best tree of one split on these columns (n_columns, n) of the rows (n,)."""
    task = ground.task
    own = task._replace(
        label=task.label[rows] if task.n_classes else task.label,
        y=task.y if task.n_classes else task.y[rows],
        weight=task.weight[rows],
    )
    by_weight = math.ceil(ground.min_leaf_weight) if task.unit else 0
    least = max(ground.min_samples_leaf, by_weight)  # rows of weight one are counted, not weighed
    limits = GrowthLimits(depth, 2, least, ground.min_leaf_weight, 0.0, 0, len(columns), False)
    prepared = make_columns(read_only(np.ascontiguousarray(columns)), categorical)  # as compiled for CART
    return grow_tree(prepared, own, limits, 0, np.zeros(2, np.int64))


def _along(ground: Ground, rows: np.ndarray, directions: Iterable[Direction]) -> NodeSplit | None:
    """Return the best split along one of the directions, the first of equals."""
    directions = list(directions)
    if not directions:
        return None
    columns = np.array([projected(ground, rows, one) for one in directions])
    stump = _stump(ground, rows, columns, np.zeros(len(columns), dtype=bool))
    return None if stump.n_nodes == 1 else NodeSplit(stump, directions[stump.feature[0]], gain_of(stump))


def projected(ground: Ground, rows: np.ndarray, one: Direction) -> np.ndarray:
    """Return the weighted sum of each row, (n,) float64, as trees compute it."""
    return project(ground.columns, rows, ground.no_fill, one.feature.astype(np.int32), one.coefficient)


def _slanted(ground: Ground, rows: np.ndarray, sample: NodeSample) -> NodeSplit | None:
    """Return the best slanted split of the node, refined once: more of that overfits."""
    best = _along(ground, rows, discriminants(sample, ground.targets[rows], ground.max_terms))
    if best is None:
        return None
    found = _along(ground, rows, _refinements(ground, rows, sample, best))
    return best if found is None or found.gain <= best.gain else found


def _refinements(ground: Ground, rows: np.ndarray, sample: NodeSample, split: NodeSplit) -> list[Direction]:
    """Return directions near that of the split."""
    assert split.direction is not None
    along = projected(ground, rows, split.direction)
    left = along <= split.stump.threshold[0]
    targets = ground.targets[rows]
    found = [logistic(sample, split.direction, _share_of_left(targets, left, sample.weight))]
    away = (along - split.stump.threshold[0]) / max(along.std(), 1e-300)
    for width in NEAR:
        near = sample._replace(weight=sample.weight * np.exp(-((away / width) ** 2) / 2))
        found += discriminants(near, targets, ground.max_terms)
    return [one for one in found if one is not None]


def _share_of_left(targets: np.ndarray, left: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return for each sample whether most of its class, or most numbers like it, are on the left: 0 or 1."""
    if targets.shape[1] == 1:
        means = [np.average(targets[side, 0], weights=weight[side]) for side in (left, ~left)]
        return (np.abs(targets[:, 0] - means[0]) < np.abs(targets[:, 0] - means[1])).astype(np.float64)
    share = (weight * left) @ targets / np.maximum(weight @ targets, 1e-300)
    return targets @ (share > (weight @ left)).astype(np.float64)


def _rounded(ground: Ground, rows: np.ndarray, split: NodeSplit, bar: float) -> NodeSplit:
    """Return the split with the shortest coefficients that are as good; all digits where no others are."""
    assert split.direction is not None
    for digits in DIGITS:
        short = np.array([float(f"{c:.{digits}g}") for c in split.direction.coefficient])
        found = _along(ground, rows, [split.direction._replace(coefficient=short)])
        if found is not None and found.gain >= split.gain and found.gain > bar:
            return found
    return split
