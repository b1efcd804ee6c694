"""Rows with a number as target in the order of every column, and their best stumps.

The best stump of a node, and those on either side of some thresholds at once, in lanes. Each lane is a threshold
of some column. One pass over the rows in the order of another column adds up what lies left of every threshold;
the right side is the rest. A split of rows of weight W into two parts, one of weight w and moment d around the
mean of all, lowers the squared error by d^2 W / (w (W - w)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.simd import REALS, alike, at_least, load_reals, only_above, store_reals

WEIGHT, MOMENT, SQUARE, COUNT = range(4)  # places in sums


class TargetRows(NamedTuple):
    """All rows, with their places in the columns; rows with equal places everywhere may be one, of several."""

    rank: np.ndarray  # (n_columns, n_rows) int32: of a row's value among the column's values
    part: np.ndarray  # (n_rows, 4) float64: whole weight, weight * target, weight * target^2, rows
    least: float  # rows that a leaf needs
    near: float  # losses that differ by less are equal
    per_split: float  # what a split must save at least, so that of equal trees the one with the fewest is best


class TargetNode(NamedTuple):
    """The rows of a node, in the order of every column."""

    order: np.ndarray  # (n_columns, n_rows) int32, of which each column uses the first `size`
    size: np.ndarray  # (1,) int64
    cut: np.ndarray  # (n_columns, n_rows + 1) int32: how many rows are left of each cut; the first is 0
    n_cuts: np.ndarray  # (n_columns,) int64: with the one before all rows and the one behind them
    sums: np.ndarray  # (n_columns, n_rows + 1, 4) float64: of the parts of the rows left of each cut


def make_nodes(n_levels: int, n_columns: int, n_rows: int) -> TargetNode:
    """Allocate nodes for so many rows at most; each array has a first axis for the levels."""
    shape = n_levels, n_columns, n_rows + 1
    order, size = np.zeros((n_levels, n_columns, n_rows), np.int32), np.zeros((n_levels, 1), np.int64)
    n_cuts, sums = np.zeros((n_levels, n_columns), np.int64), np.zeros((*shape, 4))
    return TargetNode(order, size, np.zeros(shape, np.int32), n_cuts, sums)


@kernel
def node_at(nodes, k):
    """Return the node of level k."""
    return TargetNode(nodes.order[k], nodes.size[k], nodes.cut[k], nodes.n_cuts[k], nodes.sums[k])


@kernel
def note_cuts(rows, node):
    """Write the cuts of every column, between different values of the node's rows, and the sums before them."""
    m = node.size[0]
    for f in range(len(node.n_cuts)):
        order, rank, k = node.order[f], rows.rank[f], 1
        node.cut[f, 0], node.sums[f, 0] = 0, 0.0
        weight, moment, square, count = 0.0, 0.0, 0.0, 0.0
        for i in range(m):
            here = order[i]
            weight += rows.part[here, WEIGHT]
            moment += rows.part[here, MOMENT]
            square += rows.part[here, SQUARE]
            count += rows.part[here, COUNT]
            if i == m - 1 or rank[here] != rank[order[i + 1]]:
                node.cut[f, k] = i + 1
                node.sums[f, k, WEIGHT], node.sums[f, k, MOMENT] = weight, moment
                node.sums[f, k, SQUARE], node.sums[f, k, COUNT] = square, count
                k += 1
        node.n_cuts[f] = k


@kernel
def rank_behind(rows, node, f, cut):
    """Return the rank of the first row behind this cut of column f: rows of lower ranks go left."""
    return rows.rank[f, node.order[f, node.cut[f, cut]]]


@kernel
def divide(rows, node, f, rank, left, right):
    """Write the rows whose rank in column f is lower into `left`, the others into `right`, in all orders."""
    m, n_left = node.size[0], 0
    own = rows.rank[f]
    for g in range(len(node.order)):
        order, on_left, on_right = node.order[g], left.order[g], right.order[g]
        n_left = 0
        for i in range(m):
            here = order[i]
            is_left = own[here] < rank
            on_left[n_left], on_right[i - n_left] = here, here
            n_left += is_left
    left.size[0], right.size[0] = n_left, m - n_left


@kernel
def squared_loss(weight, moment, square):
    """Return the squared error of rows with these sums around their mean; 0 for none."""
    return max(square - moment * moment / weight, 0.0) if weight > 0 else 0.0


# ---- Stumps

NEVER = np.inf  # the loss of a tree that may not be


class LaneScratch(NamedTuple):
    """Scratch memory for lanes; each is a threshold of some column."""

    lane: np.ndarray  # (REALS,) int64: the cut of each lane
    column: np.ndarray  # (REALS,) int64: its column
    places: np.ndarray  # (n_rows,) int32: a bit for each lane that a row is left of
    mask: np.ndarray  # (2 ** REALS * REALS,) float64: by these bits, 1 in the lanes whose bits are set
    whole: np.ndarray  # (6 * REALS,) float64: of each side in turn, its weight, mean and rows
    gain: np.ndarray  # (4 * REALS,) float64: of left and right, the best split; and the best with enough rows
    leaf: np.ndarray  # (2, REALS) float64: loss of both sides as leaves
    bound: np.ndarray  # (2, REALS) float64: and as stumps or leaves of any number of rows
    fit: np.ndarray  # (2, REALS) float64: and with enough rows in each leaf


class NumberStump(NamedTuple):
    """The best stump or leaf: its loss, column (-1 for a leaf) and cut; and its loss with any rows in a leaf."""

    loss: float
    column: int
    cut: int
    bound: float


def make_lane_scratch(n_rows: int) -> LaneScratch:
    """Allocate scratch memory."""
    bits = np.arange(2**REALS)[:, None] >> np.arange(REALS) & 1
    sides = (np.zeros((2, REALS)) for _ in range(3))
    lane, column, places = np.zeros(REALS, np.int64), np.zeros(REALS, np.int64), np.zeros(n_rows, np.int32)
    mask, sizes = bits.astype(np.float64).ravel(), (6 * REALS, 4 * REALS)
    return LaneScratch(lane, column, places, mask, *map(np.zeros, sizes), *sides)


@kernel
def leaf_loss(node):
    """Return the loss of the node as a leaf; its cuts must be noted."""
    all_ = node.sums[0, node.n_cuts[0] - 1]
    return squared_loss(all_[WEIGHT], all_[MOMENT], all_[SQUARE])


@kernel
def best_stump(rows, node, of_column):
    """Return the best stump or leaf of the node; write the loss of each column's best into `of_column`."""
    loss = leaf_loss(node)
    best, bound = NumberStump(loss, -1, 0, loss), loss
    for f in range(len(node.n_cuts)):
        last = node.n_cuts[f] - 1
        of_column[f] = loss
        for k in range(1, last):
            own, all_ = node.sums[f, k], node.sums[f, last]
            both = squared_loss(own[WEIGHT], own[MOMENT], own[SQUARE]) + squared_loss(
                all_[WEIGHT] - own[WEIGHT], all_[MOMENT] - own[MOMENT], all_[SQUARE] - own[SQUARE]
            )
            both += rows.per_split
            of_column[f] = min(of_column[f], both)
            if both < best.loss - rows.near and _are_enough(rows, node, f, k):
                best = NumberStump(both, f, k, 0.0)
        bound = min(bound, of_column[f])
    return NumberStump(best.loss, best.column, best.cut, bound)


@kernel
def _are_enough(rows, node, f, k):
    """Return whether both sides of a cut have as many rows as a leaf needs."""
    own, count = node.sums[f, k, COUNT], node.sums[f, node.n_cuts[f] - 1, COUNT]
    return own >= rows.least and count - own >= rows.least


@kernel
def solve_lanes(rows, node, n_lanes, scratch):
    """Write the losses of both sides of the first lanes' cuts into `leaf`, `bound` and `fit`."""
    _set_lanes(node, n_lanes, scratch)
    if rows.least > 1:
        _gains_of_enough(rows, node, scratch)
    else:
        _gains(rows, node, scratch)
    for j in range(n_lanes):
        f = scratch.column[j]
        own, all_ = node.sums[f, scratch.lane[j]], node.sums[f, node.n_cuts[f] - 1]
        for side in range(2):
            weight, moment = own[WEIGHT], own[MOMENT]
            square = own[SQUARE]
            if side:
                weight, moment, square = all_[WEIGHT] - weight, all_[MOMENT] - moment, all_[SQUARE] - square
            leaf, at = squared_loss(weight, moment, square), side * REALS + j
            scratch.leaf[side, j] = leaf
            scratch.bound[side, j] = _lower(leaf, scratch.gain[at] * weight, rows)
            scratch.fit[side, j] = _lower(leaf, scratch.gain[2 * REALS + at] * weight, rows)


@kernel
def _lower(leaf, gain, rows):
    """Return the loss of a leaf, or of a stump that saves so much."""
    return min(leaf, max(leaf - gain, 0.0) + rows.per_split)


@kernel
def _set_lanes(node, n_lanes, scratch):
    """Write which lanes each row is left of, and what is known of each lane's sides."""
    all_ = node.sums[0, node.n_cuts[0] - 1]
    for i in range(node.size[0]):
        scratch.places[node.order[0, i]] = 0
    for j in range(n_lanes):
        f = scratch.column[j]
        for i in range(node.cut[f, scratch.lane[j]]):
            scratch.places[node.order[f, i]] |= 1 << j
    for j in range(REALS):
        own = node.sums[scratch.column[j], scratch.lane[j]] if j < n_lanes else node.sums[0, 0]
        weight, rest = own[WEIGHT], all_[WEIGHT] - own[WEIGHT]
        values = weight, own[MOMENT] / max(weight, 1.0), own[COUNT]
        rest_moments = rest, (all_[MOMENT] - own[MOMENT]) / max(rest, 1.0), all_[COUNT] - own[COUNT]
        for i in range(3):
            scratch.whole[i * REALS + j], scratch.whole[(3 + i) * REALS + j] = values[i], rest_moments[i]


@kernel
def _gains(rows, node, scratch):
    """Write the greatest d^2 / (w (W - w)) of all columns' cuts, of both sides of every lane."""
    none, places, mask, part = alike(0.0), scratch.places, scratch.mask, rows.part
    left_weight, mean_left = load_reals(scratch.whole, 0), load_reals(scratch.whole, REALS)
    right_weight, mean_right = load_reals(scratch.whole, 3 * REALS), load_reals(scratch.whole, 4 * REALS)
    best_left, best_right = none, none
    for g in range(len(node.n_cuts)):
        order, cut = node.order[g], node.cut[g]
        weight, moment, all_weight, all_moment, start = none, none, 0.0, 0.0, 0
        for k in range(1, node.n_cuts[g] - 1):
            end = cut[k]
            for i in range(start, end):
                here = order[i]
                is_left = load_reals(mask, places[here] * REALS)
                weight = weight + is_left * alike(part[here, WEIGHT])
                moment = moment + is_left * alike(part[here, MOMENT])
                all_weight += part[here, WEIGHT]
                all_moment += part[here, MOMENT]
            start = end
            away = moment - weight * mean_left
            gain = away * away / at_least(weight * (left_weight - weight), 0.5)
            best_left = best_left + only_above(gain - best_left, 0.0)
            other = alike(all_weight) - weight
            away = alike(all_moment) - moment - other * mean_right
            gain = away * away / at_least(other * (right_weight - other), 0.5)
            best_right = best_right + only_above(gain - best_right, 0.0)
    for i in range(2):
        store_reals(scratch.gain, 2 * i * REALS, best_left)
        store_reals(scratch.gain, (2 * i + 1) * REALS, best_right)


@kernel
def _gains_of_enough(rows, node, scratch):
    """As `_gains`, and also write the greatest of cuts that leave enough rows on both of their sides."""
    none, unit, least = alike(0.0), alike(1.0), rows.least - 0.5
    left_weight, mean_left = load_reals(scratch.whole, 0), load_reals(scratch.whole, REALS)
    right_weight, mean_right = load_reals(scratch.whole, 3 * REALS), load_reals(scratch.whole, 4 * REALS)
    n_left, n_right = load_reals(scratch.whole, 2 * REALS), load_reals(scratch.whole, 5 * REALS)
    best_left, best_right, fit_left, fit_right = none, none, none, none
    for g in range(len(node.n_cuts)):
        weight, moment, count, all_ = none, none, none, np.zeros(4)
        start = 0
        for k in range(1, node.n_cuts[g] - 1):
            end = node.cut[g, k]
            for i in range(start, end):
                here = node.order[g, i]
                is_left = load_reals(scratch.mask, scratch.places[here] * REALS)
                weight = weight + is_left * alike(rows.part[here, WEIGHT])
                moment = moment + is_left * alike(rows.part[here, MOMENT])
                count = count + is_left * alike(rows.part[here, COUNT])
                all_ += rows.part[here]
            start = end
            away = moment - weight * mean_left
            gain = away * away / at_least(weight * (left_weight - weight), 0.5)
            best_left = best_left + only_above(gain - best_left, 0.0)
            enough = only_above(count, least) * only_above(n_left - count, least)
            gain = gain * (unit - only_above(unit - enough, 0.0))  # times 1, or 0 where there are not enough
            fit_left = fit_left + only_above(gain - fit_left, 0.0)
            other, rest = alike(all_[WEIGHT]) - weight, alike(all_[COUNT]) - count
            away = alike(all_[MOMENT]) - moment - other * mean_right
            gain = away * away / at_least(other * (right_weight - other), 0.5)
            best_right = best_right + only_above(gain - best_right, 0.0)
            enough = only_above(rest, least) * only_above(n_right - rest, least)
            gain = gain * (unit - only_above(unit - enough, 0.0))
            fit_right = fit_right + only_above(gain - fit_right, 0.0)
    store_reals(scratch.gain, 0, best_left)
    store_reals(scratch.gain, REALS, best_right)
    store_reals(scratch.gain, 2 * REALS, fit_left)
    store_reals(scratch.gain, 3 * REALS, fit_right)
