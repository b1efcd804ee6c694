"""Growing an oblique tree: node after node in preorder, each split by the best split on one feature or on a sum.

Every candidate, whatever it comes from, is judged by one sweep over its thresholds with the impurity kernels. In a
small node some slanted split is always purer, by chance; there the price of its coefficients decides. Directions
of sums come from a node's standardised features: their weighted moments, the Gram matrix, say of every set of
features what its ridge regression on a target explains. For classes these regressions are linear discriminants
(Hastie, Tibshirani & Friedman 2009, section 4.2), which trees split on since FACT (Loh & Vanichsetakul 1988).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.oblique import (
    Directions,
    Moments,
    SideLimits,
    best_direction,
    find_discriminants,
    logistic_regression,
    project,
    write_direction,
)
from espalier.kernels.task import ABSOLUTE_ERROR, GrowthLimits, Task
from espalier.oblique import ObliqueTree, make_oblique
from espalier.progress import Progress
from espalier.trees import LEAF, Tree, read_only

RIDGE = 0.1  # added to the variances, which are 1: less follows small nodes too closely
MOST_FEATURES = 30  # of which all pairs are tried; of more, the best so many of each target
MOST_PAIRS = 12  # of each target, by what they explain
DIGITS = (1, 2, 3)  # significant ones of coefficients, if they part the samples as well as all of them do
ROUNDING = 1e-9  # a slanted split must be purer by more than this part of the node's impurity
EXACT = 1e-12  # of a node's impurity: numbers that fit so well fit exactly
NEAR = (0.5, 1.0)  # widths around the border, in standard deviations, of the rows that move it


# ---- growing


class Ground(NamedTuple):
    """All samples that a tree grows from, and its limits."""

    columns: np.ndarray  # (n_features, n_samples) float64, C order, nothing missing
    categorical: np.ndarray  # (n_features,) bool
    targets: np.ndarray  # (n_samples, n_targets) float64: class indicators, or the numbers
    task: Task
    min_samples_leaf: int
    min_leaf_weight: float
    max_terms: int
    max_depth: int
    min_samples_split: int
    min_impurity_decrease: float  # times the node's share of all weight

    @property
    def numbers(self) -> np.ndarray:
        """The features that are no categories."""
        return np.flatnonzero(~self.categorical)

    @property
    def no_fill(self) -> np.ndarray:
        """What stands in for missing values: nothing is missing here."""
        return np.zeros(len(self.columns))


def grow_oblique(ground: Ground, fill: np.ndarray, progress: Progress) -> ObliqueTree:
    """Return the tree of all samples; nodes that are not reached before `progress` is stopped stay leaves."""
    everything = np.arange(ground.columns.shape[1])
    root = describe(ground, everything)
    nodes, pending = _SlantedNodes(), [_PendingNode(everything, 0, -1, root, 0)]
    while pending:
        node = pending.pop()
        split = None if progress.is_stopped else _split(ground, node, float(root.weight[0]))
        number = nodes.add(node, split)
        if split is None:
            progress.advance(len(node.rows))
            continue
        stump, direction = split
        left = _goes_left(ground, node.rows, stump, direction)
        pending.append(_PendingNode(node.rows[~left], node.depth + 1, number, stump, 2))
        pending.append(_PendingNode(node.rows[left], node.depth + 1, -1, stump, 1))
    return nodes.tree(fill)


def _split(ground: Ground, node: _PendingNode, all_weight: float) -> NodeSplit | None:
    """Return the split of the node, if it may be split and gains enough."""
    n, impurity = len(node.rows), float(node.about.impurity[node.place])
    if node.depth >= ground.max_depth or n < ground.min_samples_split or impurity <= 0:
        return None
    split = best_split(ground, node.rows)
    if split is None:
        return None
    stump, _ = split
    share = float(stump.weight[0]) / all_weight
    return split if gain_of(stump) * share + 1e-12 >= ground.min_impurity_decrease else None


def _goes_left(ground: Ground, rows: np.ndarray, stump: Tree, direction: Direction | None) -> np.ndarray:
    if direction is not None:
        return project_rows(ground, rows, direction) <= stump.threshold[0]
    values = ground.columns[stump.feature[0], rows]
    if not np.isnan(stump.threshold[0]):
        return values <= stump.threshold[0]
    return (stump.categories[0] >> values.astype(np.uint64)) & np.uint64(1) == 1


class _PendingNode(NamedTuple):
    """A node that is to be written."""

    rows: np.ndarray  # (n,) int64
    depth: int
    parent: int  # whose right child it is; -1 for a left child, which follows its parent
    about: Tree  # the stump that made it
    place: int  # its node there


_OWN = ("n_samples", "weight", "value", "impurity")


class _SlantedNodes:
    """The nodes of a tree under way, in preorder."""

    def __init__(self):
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.right: list[int] = []
        self.categories: list[int] = []
        self.about: list[_PendingNode] = []
        self.terms: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, node: _PendingNode, split: NodeSplit | None) -> int:
        """Write a node and return its number."""
        number = len(self.feature)
        if node.parent >= 0:
            self.right[node.parent] = number
        self.right.append(LEAF)
        self.about.append(node)
        stump, direction = (node.about, None) if split is None else split
        none = np.empty(0)
        self.terms.append((none, none) if direction is None else (direction.feature, direction.coefficient))
        self.threshold.append(np.nan if split is None else float(stump.threshold[0]))
        self.categories.append(0 if split is None else int(stump.categories[0]))
        straight = LEAF if split is None else int(stump.feature[0])
        self.feature.append(straight if direction is None else int(direction.feature[0]))
        return number

    def tree(self, fill: np.ndarray) -> ObliqueTree:
        """Return the tree of the nodes so far."""
        right = np.array(self.right)
        left = np.where(right == LEAF, LEAF, np.arange(1, len(right) + 1))
        own = [[getattr(n.about, name)[n.place] for n in self.about] for name in _OWN]
        start = np.cumsum([0, *(len(feature) for feature, _ in self.terms)])
        features, coefficients = (np.concatenate(arrays) for arrays in zip(*self.terms, strict=True))
        splits = (self.feature, self.threshold, left, right, np.array(self.categories, np.uint64))
        return make_oblique(*splits, *own, fill, (start, features, coefficients))


# ---- the best split of a node


# A split of a node: a tree of three nodes, on one feature, or (feature 0) on the direction, if there is one.
NodeSplit: TypeAlias = "tuple[Tree, Direction | None]"


def describe(ground: Ground, rows: np.ndarray) -> Tree:
    """Return the tree of one node: what the samples are before any split."""
    task = _task_of(ground.task, rows)
    return _stump(ground, task, ground.columns[:1, rows], ground.categorical[:1], 0)


def best_split(ground: Ground, rows: np.ndarray) -> NodeSplit | None:
    """Return the best split of these samples (n,), on one feature if no slanted one is purer; None if none can be.

    The axis-parallel split is CART's. Directions come from the discriminants of the node; the best of them is
    refined by logistic regression of its sides, and by discriminants of the samples near its border. It wins if
    each further coefficient spares log2(weight) / 2 bits of the targets' description (BIC; Schwarz 1978).
    """
    task = _task_of(ground.task, rows)
    stump = _stump(ground, task, ground.columns[:, rows], ground.categorical)
    if stump.n_nodes == 1:
        return None
    sample = node_sample(ground.columns, ground.numbers, rows, task.weight)
    if len(sample.feature) < 2 or ground.max_terms < 2:
        return stump, None
    best = _best_sum(ground, rows, task, sample)
    if best is None or best.gain <= gain_of(stump) + ROUNDING * float(stump.impurity[0]):
        return stump, None
    direction = _round_coefficients(ground, rows, task, best)
    column = project_rows(ground, rows, direction)[np.newaxis]
    slanted_stump = _stump(ground, task, column, np.zeros(1, dtype=bool))
    savings = _bits_of_children(stump, ground.task) - _bits_of_children(slanted_stump, ground.task)
    price = (len(best.feature) - 1) * math.log2(max(float(stump.weight[0]), 2.0)) / 2  # in bits
    return (slanted_stump, direction) if savings > price else (stump, None)


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


def _task_of(task: Task, rows: np.ndarray) -> Task:
    """Return the task with the labels, targets and weights of these rows."""
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
    n_for_weight = math.ceil(ground.min_leaf_weight) if ground.task.unit else 0
    return max(ground.min_samples_leaf, n_for_weight, 1)


def _stump(ground: Ground, task: Task, columns: np.ndarray, categorical: np.ndarray, depth: int = 1) -> Tree:
    """Return the best tree of one split on these columns (n_columns, n) of a node, whose task it is."""
    least = _least(ground)
    limits = GrowthLimits(depth, 2, least, ground.min_leaf_weight, 0.0, 0, len(columns), False)
    sorted_columns = make_columns(read_only(np.ascontiguousarray(columns)), categorical)  # as compiled for CART
    return grow_tree(sorted_columns, task, limits, 0, np.zeros(2, np.int64))


# ---- splits on sums


def _along(ground: Ground, rows: np.ndarray, task: Task, directions: Directions) -> Direction | None:
    """Return the direction whose best cut of a node gains most, the first of equals."""
    if ground.task.criterion == ABSOLUTE_ERROR:
        return _along_by_median(ground, rows, task, directions)
    limits = SideLimits(_least(ground), ground.min_leaf_weight)
    at, threshold, gain = best_direction(ground.columns, rows, directions, task, limits)
    return None if at < 0 else one_of(directions, at)._replace(threshold=threshold, gain=gain)


def _along_by_median(ground: Ground, rows: np.ndarray, task: Task, directions: Directions) -> Direction | None:
    """Return what `_along` returns, of the absolute error."""
    each = [one_of(directions, at) for at in np.flatnonzero(directions.n_terms).tolist()]
    if not each:
        return None
    columns = np.array([project_rows(ground, rows, direction) for direction in each])
    stump = _stump(ground, task, columns, np.zeros(len(columns), dtype=bool))
    if stump.n_nodes == 1:
        return None
    return each[stump.feature[0]]._replace(threshold=float(stump.threshold[0]), gain=gain_of(stump))


def project_rows(ground: Ground, rows: np.ndarray, direction: Direction) -> np.ndarray:
    """Return the weighted sum of each row, (n,) float64, as trees compute it."""
    return project(ground.columns, rows, ground.no_fill, direction.feature.astype(np.int32), direction.coefficient)


def _best_sum(ground: Ground, rows: np.ndarray, task: Task, sample: NodeSample) -> Direction | None:
    """Return the best slanted split of a node, refined once: more of that overfits."""
    best = _along(ground, rows, task, discriminants(sample, ground.targets[rows], ground.max_terms))
    if best is None:
        return None
    for directions in _refinements(ground, rows, sample, best):
        cut = _along(ground, rows, task, directions)
        best = best if cut is None or cut.gain <= best.gain else cut
    return best


def _refinements(ground: Ground, rows: np.ndarray, sample: NodeSample, cut: Direction) -> list[Directions]:
    """Return directions near that of the split."""
    along = project_rows(ground, rows, cut)
    left = along <= cut.threshold
    targets = ground.targets[rows]
    directions = [logistic(sample, cut, _share_of_left(targets, left, sample.weight))]
    spread = np.sqrt(sample.weight @ (along - sample.weight @ along) ** 2)
    away = (along - cut.threshold) / max(spread, 1e-300)
    for width in NEAR:
        near = sample._replace(weight=sample.weight * np.exp(-((away / width) ** 2) / 2))
        directions.append(discriminants(near, targets, ground.max_terms))
    return directions


def _share_of_left(targets: np.ndarray, left: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return for each sample whether most of its class, or most numbers like it, are on the left: 0 or 1."""
    if targets.shape[1] == 1:
        means = [np.average(targets[side, 0], weights=weight[side]) for side in (left, ~left)]
        return (np.abs(targets[:, 0] - means[0]) < np.abs(targets[:, 0] - means[1])).astype(np.float64)
    share = (weight * left) @ targets / np.maximum(weight @ targets, 1e-300)
    return targets @ (share > (weight @ left)).astype(np.float64)


def _round_coefficients(ground: Ground, rows: np.ndarray, task: Task, cut: Direction) -> Direction:
    """Return the cut with the shortest coefficients that are as good; all digits where no others are."""
    for digits in DIGITS:
        short = np.array([float(f"{c:.{digits}g}") for c in cut.coefficient])
        short_cut = _along(ground, rows, task, as_directions([cut._replace(coefficient=short)]))
        if short_cut is not None and short_cut.gain >= cut.gain:
            return short_cut
    return cut


# ---- directions: sparse linear discriminants of a node


# A node's features are standardised. Their weighted moments, the Gram matrix, then say of every set of features
# what its ridge regression on a target explains. For classes these regressions are linear discriminants (Hastie,
# Tibshirani & Friedman 2009, section 4.2), which trees split on since FACT (Loh & Vanichsetakul 1988).
class NodeSample(NamedTuple):
    """The features of a node's samples that vary in it, with mean 0 and variance 1."""

    Z: np.ndarray  # (n_samples, n_varying) float64
    feature: np.ndarray  # (n_varying,) int64: column of X
    spread: np.ndarray  # (n_varying,) float64: standard deviation in the node
    weight: np.ndarray  # (n_samples,) float64, which sum to 1


class Direction(NamedTuple):
    """A weighted sum of features, the one that matters most first, with coefficient 1; and the best cut of it."""

    feature: np.ndarray  # (n_terms,) int32; column of X
    coefficient: np.ndarray  # (n_terms,) float64
    threshold: float = math.nan
    gain: float = -math.inf  # decrease of impurity there, per unit of weight


def node_sample(columns: np.ndarray, numbers: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> NodeSample:
    """Return the standardised numbers of some rows.

    `columns` is (n_features, n_samples), `numbers` the features that are no categories, `weight` that of the rows.
    """
    weight = weight / weight.sum()
    values = columns[numbers[:, None], rows].T
    Z = values - weight @ values
    spread = np.sqrt(weight @ Z**2)
    varies = spread > 1e-9 * np.maximum(np.abs(values).max(axis=0), 1e-300)
    return NodeSample(np.ascontiguousarray(Z[:, varies] / spread[varies]), numbers[varies], spread[varies], weight)


def discriminants(sample: NodeSample, targets: np.ndarray, most: int) -> Directions:
    """Return directions of 2 to `most` features that explain the targets, (n_samples, n_targets), best.

    Of each target: the features chosen one by one by what the ridge regression on them explains, and the best
    pairs. `sample.weight` says how much each row counts.
    """
    return find_discriminants(_moments(sample, targets), min(most, len(sample.feature)), MOST_FEATURES, MOST_PAIRS)


def _moments(sample: NodeSample, targets: np.ndarray) -> Moments:
    """Return the Gram matrix with its ridge, and its products with the centred targets."""
    products_of_rows = sample.Z * sample.weight[:, None]
    total = sample.weight.sum()
    middle = products_of_rows.sum(axis=0) / total
    gram = products_of_rows.T @ sample.Z / total - np.outer(middle, middle)
    products = (targets - sample.weight @ targets / total).T @ products_of_rows / total
    return Moments(gram + RIDGE * np.eye(len(gram)), products, sample.feature, sample.spread)


def logistic(sample: NodeSample, direction: Direction, side: np.ndarray) -> Directions:
    """Return the direction of the logistic regression of `side` (n_samples,), 0 to 1, on its features."""
    support = np.flatnonzero(np.isin(sample.feature, direction.feature))
    weight = sample.weight / sample.weight.sum()
    beta = logistic_regression(np.ascontiguousarray(sample.Z[:, support]), side, weight)
    direction_ = _empty(1, len(support))
    nothing = np.empty((0, 0))
    write_direction(Moments(nothing, nothing, sample.feature, sample.spread), support, beta[1:], direction_, 0)
    return direction_


def _empty(n: int, most: int) -> Directions:
    return Directions(np.zeros((n, most), np.int32), np.zeros((n, most)), np.zeros(n, np.int64))


def as_directions(directions: Iterable[Direction]) -> Directions:
    """Return single directions as one record of all."""
    directions = list(directions)
    table = _empty(len(directions), max((len(direction.feature) for direction in directions), default=1))
    for at, direction in enumerate(directions):
        table.n_terms[at] = n = len(direction.feature)
        table.feature[at, :n], table.coefficient[at, :n] = direction.feature, direction.coefficient
    return table


def one_of(directions: Directions, at: int) -> Direction:
    """Return a single direction of a record."""
    n = directions.n_terms[at]
    return Direction(directions.feature[at, :n], directions.coefficient[at, :n])
