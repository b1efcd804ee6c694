"""Impurity on both sides of many cuts at once, for display; growing computes the same on its way.

Criteria are as in scikit-learn: gini ``1 - sum p^2``, entropy in bits, misclassification ``1 - max p``,
squared error about the mean, mean absolute deviation from the median, and half the Poisson deviance from the mean,
under which no side may be without events. Gain ratio is no impurity of its own: its
splits lower the entropy, and it only chooses between features (`espalier.tree.nodes.ratio`).
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from espalier.trees import Tree, path_to, read_only

ALIASES = {"log_loss": "entropy", "gain_ratio": "entropy"}  # criteria, and the impurity that they lower
CLASSIFICATION = ("gini", "entropy", "misclassification")
REGRESSION = ("squared_error", "absolute_error")  # of any numbers
POISSON = "poisson"  # of numbers of at least 0
NO_EVENTS = 1e-12  # part of all events that rounding may have left over


class SortedTarget(NamedTuple):
    """The target of a node's samples, prepared for running sums."""

    criterion: str
    y: np.ndarray  # (n,) class codes, or values less their mean (of "poisson" the values)
    weight: np.ndarray  # (n,)
    sums: np.ndarray  # (n_classes, n) weight by class; regression (3, n): weight times 1, y, and y^2 or y ln y
    origin: float = 0.0  # what was taken from the values

    def only(self, chosen: np.ndarray) -> SortedTarget:
        """The target of some samples (n,) bool."""
        return self._replace(y=self.y[chosen], weight=self.weight[chosen], sums=self.sums[:, chosen])


class Sides(NamedTuple):
    """The weighted impurity after each of m cuts, and the weight on the left."""

    impurity: np.ndarray  # (m,) per unit of weight: P I_L + (1 - P) I_R
    left_weight: np.ndarray  # (m,)


def target(y: np.ndarray, weight: np.ndarray | None, criterion: str, n_classes: int = 0) -> SortedTarget:
    """Return the target of samples y (n,), with `weight` (n,) or one each.

    Raises ValueError for a criterion that does not suit classification or, with ``n_classes=0``, regression.
    """
    criterion = ALIASES.get(criterion, criterion)
    choices = CLASSIFICATION if n_classes else (*REGRESSION, POISSON)
    if criterion not in choices:
        kind = "classification" if n_classes else "regression"
        raise ValueError(f"criterion {criterion!r} is none for {kind}: take one of {', '.join(choices)}")
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    if n_classes:
        sums = np.zeros((n_classes, len(y)))
        sums[y.astype(np.int64), np.arange(len(y))] = weight
        return SortedTarget(criterion, y, weight, sums)
    if criterion == POISSON:
        return SortedTarget(criterion, y, weight, np.stack([weight, weight * y, weight * _x_log_x(y, np.log)]))
    origin = float(y.mean()) if len(y) else 0.0  # centred, so that squares lose no digits
    y = y - origin
    return SortedTarget(criterion, y, weight, np.stack([weight, weight * y, weight * y * y]), origin)


def node_impurity(target: SortedTarget) -> float:
    """Return the impurity of all samples together; 0 if there are none."""
    weight = float(target.weight.sum())
    if not weight:
        return 0.0
    if target.criterion == "absolute_error":
        ranks = _rank_matrix(target, np.arange(len(target.y)))
        return float(_deviation(ranks, np.array([0]), np.array([len(target.y)]))[0]) / weight
    return float(_loss(target.sums.sum(axis=1, keepdims=True), target.criterion)[0]) / weight


def sides(target: SortedTarget, order: np.ndarray, cuts: np.ndarray) -> Sides:
    """Return both sides of each cut (m,): the first ``cuts[i]`` samples of `order` (n,) left, the others right.

    Every cut is between 1 and n.
    """
    if target.criterion == "absolute_error":
        return _sides_by_median(target, order, cuts)
    running = np.cumsum(target.sums.take(order, axis=1), axis=1)  # take: six times as fast as [:, order]
    left, total = running.take(cuts - 1, axis=1), running[:, -1:]
    loss = _loss_of_sides(left, total, target.criterion)
    return Sides(loss / _weight(total, target.criterion), _weight(left, target.criterion))


def answers_of_sides(target: SortedTarget, order: np.ndarray, cuts: np.ndarray) -> list[np.ndarray]:
    """Return what a tree would answer left and right of each cut (m,), as in `sides`, (m,) each.

    That is the mean, the median, or the share of the second of two classes.
    """
    if target.criterion == "absolute_error":
        ranks = _rank_matrix(target, order)
        ends = (np.zeros_like(cuts), cuts, np.full_like(cuts, len(order)))
        return [_median(ranks, a, b) + target.origin for a, b in itertools.pairwise(ends)]
    running = np.cumsum(target.sums[:2].take(order, axis=1), axis=1)
    left, total = running.take(cuts - 1, axis=1), running[:, -1:]
    weights = slice(0, 2 if target.criterion in CLASSIFICATION else 1)
    both = (left, total - left)
    return [side[1] / np.maximum(side[weights].sum(axis=0), 1e-300) + target.origin for side in both]


def sides_of_all(target: SortedTarget, order: np.ndarray) -> Sides:
    """Return `sides` of every cut from 1 to n - 1, for many orders (m, n) at once, as arrays (m, n - 1)."""
    m, n = order.shape
    if target.criterion == "absolute_error":
        each = [_sides_by_median(target, single, np.arange(1, n)) for single in order]
        return Sides(np.array([s.impurity for s in each]), np.array([s.left_weight for s in each]))
    running = np.cumsum(target.sums.take(order, axis=1), axis=2)
    left, total = running[:, :, :-1], running[:, :, -1:]
    flat, all_ = (part.reshape(len(running), -1) for part in np.broadcast_arrays(left, total))
    loss = _loss_of_sides(flat, all_, target.criterion)
    weight = _weight(total.reshape(len(running), -1), target.criterion)
    return Sides(loss.reshape(m, n - 1) / weight[:, None], _weight(flat, target.criterion).reshape(m, n - 1))


def _loss_of_sides(left: np.ndarray, total: np.ndarray, criterion: str) -> np.ndarray:
    """Return the loss of both sides, (m,); a cut that is not allowed loses as much as no cut."""
    loss = _loss(left, criterion) + _loss(total - left, criterion)
    if criterion != POISSON:
        return loss
    events = np.minimum(left[1], total[1] - left[1])
    return np.where(events > NO_EVENTS * total[1], loss, _loss(total, criterion))


def _weight(sums: np.ndarray, criterion: str) -> np.ndarray:
    return sums[0] if criterion in ("squared_error", POISSON) else np.einsum("ij->j", sums)


def _loss(sums: np.ndarray, criterion: str) -> np.ndarray:
    """Return impurity times weight of m sets of samples, given their sums (n_classes or 3, m), (m,)."""
    weight = np.maximum(_weight(sums, criterion), 1e-300)
    if criterion == "squared_error":
        loss = sums[2] - sums[1] * sums[1] / weight
    elif criterion == POISSON:
        events = np.maximum(sums[1], 0.0)
        loss = sums[2] - events * np.log(np.maximum(events, 1e-300) / weight)
    elif criterion == "gini":
        loss = weight - np.einsum("ij,ij->j", sums, sums) / weight
    elif criterion == "misclassification":
        loss = weight - sums.max(axis=0)
    else:
        loss = _x_log_x(weight, np.log2) - np.einsum("ij->j", _x_log_x(sums, np.log2))
    return np.maximum(loss, 0.0)


def _x_log_x(x: np.ndarray, log: np.ufunc) -> np.ndarray:
    return x * log(np.maximum(x, 1e-300))


def _sides_by_median(target: SortedTarget, order: np.ndarray, cuts: np.ndarray) -> Sides:
    ranks = _rank_matrix(target, order)
    loss = _deviation(ranks, np.zeros_like(cuts), cuts) + _deviation(ranks, cuts, np.full_like(cuts, len(order)))
    return Sides(loss / ranks.weight[-1], ranks.weight.take(cuts))


class _Ranks(NamedTuple):
    """A wavelet matrix (Claude et al. 2015) of the targets' ranks, in the given order of the samples.

    It finds the weighted median of any range of the order in one step per bit, for all ranges at once.
    """

    values: np.ndarray  # (n,) y, ascending
    weight: np.ndarray  # (n + 1,) weight summed along the order
    total: np.ndarray  # (n + 1,) weight times y likewise
    # by bit of the rank, the highest first: sums of numbers, weight and total of the samples whose bit is 0
    levels: list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def _rank_matrix(target: SortedTarget, order: np.ndarray) -> _Ranks:
    ascending = np.argsort(target.y)
    rank = np.empty(len(ascending), np.int64)
    rank[ascending] = np.arange(len(ascending))
    rank, weight = rank.take(order), target.weight.take(order)
    total = weight * target.y.take(order)
    levels, sums = [], (_running(weight), _running(total))
    for bit in reversed(range(max(len(order) - 1, 1).bit_length())):
        zero = (rank >> bit & 1) == 0
        levels.append((_running(zero), _running(zero * weight), _running(zero * total)))
        move = np.concatenate([np.flatnonzero(zero), np.flatnonzero(~zero)])
        rank, weight, total = rank.take(move), weight.take(move), total.take(move)
    return _Ranks(target.y[ascending], *sums, levels)


def _running(values: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(values)])


def _median(ranks: _Ranks, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the median in each ``start[i]:stop[i]``, (m,): the mean of two if half the weight lies below."""
    half = (ranks.weight.take(stop) - ranks.weight.take(start)) / 2
    ends = [_value_at(ranks, start, stop, half, past) for past in (False, True)]
    return (ends[0] + ends[1]) / 2


def _value_at(ranks: _Ranks, start: np.ndarray, stop: np.ndarray, half: np.ndarray, past: bool) -> np.ndarray:
    """Return the first value with `half` of the weight up to it, or more than half if `past`, (m,)."""
    below, rank = np.zeros(len(start)), np.zeros(len(start), np.int64)
    for zeros, weight, _ in ranks.levels:
        low, high = zeros.take(start), zeros.take(stop)
        more = below + weight.take(stop) - weight.take(start)
        up = (more < half) | (past & (more == half))
        below = np.where(up, more, below)
        rank = rank + rank + up
        start, stop = np.where(up, zeros[-1] + start - low, low), np.where(up, zeros[-1] + stop - high, high)
    return ranks.values.take(np.minimum(rank, len(ranks.values) - 1))


def _deviation(ranks: _Ranks, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the total weighted absolute deviation from the median in each ``start[i]:stop[i]``, (m,)."""
    weight = ranks.weight.take(stop) - ranks.weight.take(start)
    total = ranks.total.take(stop) - ranks.total.take(start)
    below, below_total, rank = np.zeros(len(start)), np.zeros(len(start)), np.zeros(len(start), np.int64)
    for zeros, weights, totals in ranks.levels:
        low, high = zeros.take(start), zeros.take(stop)
        zero_weight = weights.take(stop) - weights.take(start)
        up = below + zero_weight < weight / 2  # the median lies above the ranks whose bit is 0
        below += up * zero_weight
        below_total += up * (totals.take(stop) - totals.take(start))
        rank += rank + up
        start, stop = np.where(up, zeros[-1] + start - low, low), np.where(up, zeros[-1] + stop - high, high)
    median = ranks.values.take(np.minimum(rank, len(ranks.values) - 1))
    return np.maximum(median * (2 * below - weight) + total - 2 * below_total, 0.0)


# ---- the splits that a learner admits at a node, by its way with missing values and the directions of columns

NO_DIRECTIONS = read_only(np.empty(0, np.int64))


class SplitRules(NamedTuple):
    """What a split needs beside a gain; by default nothing, and missing values go to the better side."""

    by_surrogates: bool = (
        False  # it is chosen among the samples that have its value, and surrogates decide on others
    )
    beyond: bool = False  # missing numbers stand beyond all others, and so never go left
    direction: np.ndarray = NO_DIRECTIONS  # (n_features,) int64: 1 if answers may only rise, -1 fall, 0; empty: 0
    low: float = -math.inf  # bounds of the answers below the node
    high: float = math.inf

    def direction_of(self, feature: int) -> int:
        """Return the direction of a feature; 0 if it has none."""
        return int(self.direction[feature]) if feature < len(self.direction) else 0

    def admits(self, feature: int, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return whether the answers of both sides (m,) keep the direction of the feature, (m,) bool."""
        lower, upper = np.minimum(left, right), np.maximum(left, right)
        goes = (right - left) * self.direction_of(feature) >= 0
        return goes & (lower >= self.low) & (upper <= self.high)


FREE = SplitRules()


def rules_at(tree: Tree, node: int, missing: str, direction: np.ndarray = NO_DIRECTIONS) -> SplitRules:
    """Return the rules of the splits at a node of a CART tree; `missing` and `direction` are the learner's.

    Each split above the node on a column with a direction bounds its answers by the middle of both sides, as
    `espalier.kernels.cart.sweep` has it.

    >>> from espalier.learners import CartRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> tree = CartRegressor(monotonic_cst=[1]).fit(X, [0, 3, 1, 2, 6, 4]).tree_
    >>> rules_at(tree, 1, "side", np.array([1])).high
    3.25
    """
    low, high = -math.inf, math.inf
    for parent, child in itertools.pairwise(path_to(tree, node)):
        way = int(direction[tree.feature[parent]]) if len(direction) else 0
        if way == 0 or np.isinf(tree.threshold[parent]):
            continue
        sides = tree.value[[tree.left[parent], tree.right[parent]], -1]
        middle = min(max(float(sides.mean()), low), high)
        is_below = (child == tree.left[parent]) == (way > 0)
        low, high = (low, middle) if is_below else (middle, high)
    return SplitRules(missing == "surrogate", missing == "category", direction, low, high)
