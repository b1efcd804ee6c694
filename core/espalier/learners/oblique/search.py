"""The best split of a node: on one feature as CART has it, or on a weighted sum of a few, whichever is purer.

Every candidate, whatever it comes from, is judged by one sweep over its thresholds with the impurity kernels. In
a small node some slanted split is always purer, by chance; there the price of its coefficients decides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.impurity import ABSOLUTE_ERROR
from espalier.kernels.oblique.best_direction import SideLimits, best_direction
from espalier.kernels.oblique.discriminants import Directions
from espalier.kernels.oblique.route import project
from espalier.kernels.task import GrowthLimits, Task
from espalier.learners.oblique.directions import (
    Direction,
    NodeSample,
    discriminants,
    listed,
    logistic,
    node_sample,
    one_of,
)
from espalier.trees import Tree, read_only

DIGITS = (1, 2, 3)  # significant ones of coefficients, if they part the samples as well as all of them do
ROUNDING = 1e-9  # a slanted split must be purer by more than this part of the node's impurity
EXACT = 1e-12  # of a node's impurity: numbers that fit so well fit exactly
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


class NodeRows(NamedTuple):
    """The samples of a node, and what is to be learned of them."""

    rows: np.ndarray  # (n,) int64
    task: Task  # whose labels, targets and weights are those of these rows


class Cut(NamedTuple):
    """A direction, the best threshold along it, and the decrease of impurity there per unit of weight."""

    direction: Direction
    threshold: float
    gain: float


class NodeSplit(NamedTuple):
    """A split of a node, and what it makes of it."""

    stump: Tree  # of three nodes, on one feature, or (feature 0) on the direction
    direction: Direction | None  # None: the stump's own feature
    gain: float  # impurity of the node less that of its children, weighted by their share of it


def describe(ground: Ground, rows: np.ndarray) -> Tree:
    """Return the tree of one node: what the samples are before any split."""
    node = NodeRows(rows, _task_of(ground.task, rows))
    return _stump(ground, node, ground.columns[:1, rows], ground.categorical[:1], 0)


def best_split(ground: Ground, rows: np.ndarray) -> NodeSplit | None:
    """Return the best split of these samples (n,), on one feature if no slanted one is purer; None if none can be.

    The axis-parallel split is CART's. Directions come from the discriminants of the node; the best of them is
    refined by logistic regression of its sides, and by discriminants of the samples near its border. It wins if
    each further coefficient spares log2(weight) / 2 bits of the targets' description (BIC; Schwarz 1978).
    """
    node = NodeRows(rows, _task_of(ground.task, rows))
    stump = _stump(ground, node, ground.columns[:, rows], ground.categorical)
    if stump.n_nodes == 1:
        return None
    straight = NodeSplit(stump, None, gain_of(stump))
    sample = node_sample(ground.columns, ground.numbers, rows, node.task.weight)
    if len(sample.feature) < 2 or ground.max_terms < 2:
        return straight
    best = _slanted(ground, node, sample)
    if best is None or best.gain <= straight.gain + ROUNDING * float(stump.impurity[0]):
        return straight
    slanted = _split_along(ground, node, _rounded(ground, node, best).direction)
    spared = _bits_of_children(stump, ground.task) - _bits_of_children(slanted.stump, ground.task)
    return slanted if spared > _price(best.direction, float(stump.weight[0])) else straight


def _price(direction: Direction, weight: float) -> float:
    """Return the bits of the coefficients after the first, learned from samples of this weight."""
    return (len(direction.feature) - 1) * math.log2(max(weight, 2.0)) / 2


def _bits_of_children(stump: Tree, task: Task) -> float:
    """Return the bits that the targets take in both children of a stump: less their log-likelihood there.

    Numbers are normal around their means, with one variance; under absolute error Laplacian around their medians.
    """
    weight, value = stump.weight[1:], stump.value[1:]
    if task.n_classes:
        share = value[value > 0]
        return float(-(np.repeat(weight, (value > 0).sum(axis=1)) * share * np.log2(share)).sum())
    loss = max(float(weight @ stump.impurity[1:]) / stump.weight[0], EXACT * float(stump.impurity[0]))
    return float(stump.weight[0] * math.log2(loss)) / (1 if task.criterion == ABSOLUTE_ERROR else 2)


def _split_along(ground: Ground, node: NodeRows, direction: Direction) -> NodeSplit:
    """Return the best split along a direction that has one."""
    columns = projected(ground, node.rows, direction)[np.newaxis]
    stump = _stump(ground, node, columns, np.zeros(1, dtype=bool))
    return NodeSplit(stump, direction, gain_of(stump))


def _task_of(task: Task, rows: np.ndarray) -> Task:
    return task._replace(
        label=task.label[rows] if task.n_classes else task.label,
        y=task.y if task.n_classes else task.y[rows],
        weight=task.weight[rows],
    )


def gain_of(stump: Tree) -> float:
    """Return the decrease of impurity by a split, per unit of the node's weight; -inf for a single node."""
    if stump.n_nodes == 1:
        return -np.inf
    content = stump.impurity * stump.weight
    return float((content[0] - content[1] - content[2]) / stump.weight[0])


def _least(ground: Ground) -> int:
    """Return the least number of samples of a side; rows of weight one are counted, not weighed."""
    by_weight = math.ceil(ground.min_leaf_weight) if ground.task.unit else 0
    return max(ground.min_samples_leaf, by_weight, 1)


def _stump(ground: Ground, node: NodeRows, columns: np.ndarray, categorical: np.ndarray, depth: int = 1) -> Tree:
    """Return the best tree of one split on these columns (n_columns, n) of the node's rows."""
    least = _least(ground)
    limits = GrowthLimits(depth, 2, least, ground.min_leaf_weight, 0.0, 0, len(columns), False)
    prepared = make_columns(read_only(np.ascontiguousarray(columns)), categorical)  # as compiled for CART
    return grow_tree(prepared, node.task, limits, 0, np.zeros(2, np.int64))


def _along(ground: Ground, node: NodeRows, directions: Directions) -> Cut | None:
    """Return the best cut along one of the directions, the first of equals."""
    if ground.task.criterion == ABSOLUTE_ERROR:
        return _along_by_median(ground, node, directions)
    limits = SideLimits(_least(ground), ground.min_leaf_weight)
    at, threshold, gain = best_direction(ground.columns, node.rows, directions, node.task, limits)
    return None if at < 0 else Cut(one_of(directions, at), threshold, gain)


def _along_by_median(ground: Ground, node: NodeRows, directions: Directions) -> Cut | None:
    """Return what `_along` returns, of the absolute error."""
    found = [one_of(directions, at) for at in np.flatnonzero(directions.n_terms).tolist()]
    if not found:
        return None
    columns = np.array([projected(ground, node.rows, one) for one in found])
    stump = _stump(ground, node, columns, np.zeros(len(columns), dtype=bool))
    if stump.n_nodes == 1:
        return None
    return Cut(found[stump.feature[0]], float(stump.threshold[0]), gain_of(stump))


def projected(ground: Ground, rows: np.ndarray, one: Direction) -> np.ndarray:
    """Return the weighted sum of each row, (n,) float64, as trees compute it."""
    return project(ground.columns, rows, ground.no_fill, one.feature.astype(np.int32), one.coefficient)


def _slanted(ground: Ground, node: NodeRows, sample: NodeSample) -> Cut | None:
    """Return the best slanted split of the node, refined once: more of that overfits."""
    best = _along(ground, node, discriminants(sample, ground.targets[node.rows], ground.max_terms))
    if best is None:
        return None
    for directions in _refinements(ground, node.rows, sample, best):
        found = _along(ground, node, directions)
        best = best if found is None or found.gain <= best.gain else found
    return best


def _refinements(ground: Ground, rows: np.ndarray, sample: NodeSample, cut: Cut) -> list[Directions]:
    """Return directions near that of the split."""
    along = projected(ground, rows, cut.direction)
    left = along <= cut.threshold
    targets = ground.targets[rows]
    found = [logistic(sample, cut.direction, _share_of_left(targets, left, sample.weight))]
    away = (along - cut.threshold) / max(along.std(), 1e-300)
    for width in NEAR:
        near = sample._replace(weight=sample.weight * np.exp(-((away / width) ** 2) / 2))
        found.append(discriminants(near, targets, ground.max_terms))
    return found


def _share_of_left(targets: np.ndarray, left: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return for each sample whether most of its class, or most numbers like it, are on the left: 0 or 1."""
    if targets.shape[1] == 1:
        means = [np.average(targets[side, 0], weights=weight[side]) for side in (left, ~left)]
        return (np.abs(targets[:, 0] - means[0]) < np.abs(targets[:, 0] - means[1])).astype(np.float64)
    share = (weight * left) @ targets / np.maximum(weight @ targets, 1e-300)
    return targets @ (share > (weight @ left)).astype(np.float64)


def _rounded(ground: Ground, node: NodeRows, cut: Cut) -> Cut:
    """Return the cut with the shortest coefficients that are as good; all digits where no others are."""
    for digits in DIGITS:
        short = np.array([float(f"{c:.{digits}g}") for c in cut.direction.coefficient])
        found = _along(ground, node, listed([cut.direction._replace(coefficient=short)]))
        if found is not None and found.gain >= cut.gain:
            return found
    return cut
