"""Rows with a number as target in the order of every column, and their best stumps.

The loss of the best tree can only rise as rows join (Mazumder, Meng & Wang 2022, Quant-BnB, section 3), but a row
that leaves may lower it by any amount: `TargetRows.unit` has no limit, and no node tells anything of another one
but by the rows that both have.

The best stump of a node, and those on either side of some thresholds at once, in lanes. Each lane is a threshold
of some column. One pass over the rows in the order of another column adds up what lies left of every threshold;
the right side is the rest. A split of rows of weight W into two parts, one of weight w and moment d around the
mean of all, lowers the squared error by d^2 W / (w (W - w)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.optimal.thresholds.nodes import BOTH, LEFT, NONE, RIGHT, Best, Start, is_light
from espalier.kernels.simd import REALS, alike, at_least, load_reals, only_above, store_reals

WEIGHT, MOMENT, SQUARE, COUNT = range(4)  # places in sums


class TargetRows(NamedTuple):
    """All rows, with their places in the columns; rows with equal places everywhere may be one, of several."""

    rank: np.ndarray  # (n_columns * n_rows,) int32: of a row's value among the column's values
    amount: np.ndarray  # (n_rows, 4) float64: whole weight, weight * target, weight * target^2, rows
    least: float  # rows that a leaf needs; 0 for any
    near: float  # losses that differ by less are equal
    tie: float  # what a split must save at least, so that of equal trees the one with the fewest is best
    unit: float = np.inf  # by how much more than this, times its weight, a row that leaves may lower the loss


@uncounted
def note_cuts(rows, node):
    """Write the cuts of every column, between different values of the node's rows, and the sums before them."""
    m = node.size[0]
    for f in range(len(node.n_cuts)):
        at, k = f * len(rows.amount), 1
        node.cut[f, 0] = 0
        for i in range(4):
            node.sums[f, 0, i] = 0.0
        weight, moment, square, count = 0.0, 0.0, 0.0, 0.0
        for i in range(m):
            here = node.order[at + i]
            weight += rows.amount[here, WEIGHT]
            moment += rows.amount[here, MOMENT]
            square += rows.amount[here, SQUARE]
            count += rows.amount[here, COUNT]
            if i == m - 1 or rows.rank[at + here] != rows.rank[at + node.order[at + i + 1]]:
                node.cut[f, k] = i + 1
                node.sums[f, k, WEIGHT], node.sums[f, k, MOMENT] = weight, moment
                node.sums[f, k, SQUARE], node.sums[f, k, COUNT] = square, count
                k += 1
        node.n_cuts[f] = k


@uncounted
def squared_loss(weight, moment, square):
    """Return the squared error of rows with these sums around their mean; 0 for none."""
    return max(square - moment * moment / weight, 0.0) if weight > 0 else 0.0


# ---- Stumps


class LaneScratch(NamedTuple):
    """Scratch memory for lanes; each is a threshold of some column."""

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
    places, mask, sizes = np.zeros(n_rows, np.int32), bits.astype(np.float64).ravel(), (6 * REALS, 4 * REALS)
    return LaneScratch(places, mask, *map(np.zeros, sizes), *sides)


@uncounted
def loss_between(node, f, first, end):
    """Return the squared error of the node's rows between two cuts of column f, around their mean."""
    weight = node.sums[f, end, WEIGHT] - node.sums[f, first, WEIGHT]
    moment = node.sums[f, end, MOMENT] - node.sums[f, first, MOMENT]
    return squared_loss(weight, moment, node.sums[f, end, SQUARE] - node.sums[f, first, SQUARE])


@uncounted
def leaf_loss(node):
    """Return the loss of the node as a leaf; its cuts must be noted."""
    return loss_between(node, 0, 0, node.n_cuts[0] - 1)


@uncounted
def best_stump(rows, node):
    """Return the best stump or leaf of the node, whose cuts must be noted."""
    loss = leaf_loss(node)
    best, bound = NumberStump(loss, -1, 0, loss), loss
    for f in range(len(node.n_cuts)):
        last = node.n_cuts[f] - 1
        for k in range(1, last):
            both = loss_between(node, f, 0, k) + loss_between(node, f, k, last) + rows.tie
            bound = min(bound, both)
            if both < best.loss - rows.near and is_light(rows, node, f, k) == 0:
                best = NumberStump(both, f, k, 0.0)
    return NumberStump(best.loss, best.column, best.cut, bound)


@uncounted
def solve_lanes(rows, node, n_lanes, lane, column, scratch):
    """Write the losses of both sides of the first lanes' cuts into `leaf`, `bound` and `fit`."""
    _set_lanes(node, n_lanes, lane, column, scratch)
    if rows.least > 0:
        _gains_of_enough(rows, node, scratch)
    else:
        _gains(rows, node, scratch)
    for j in range(n_lanes):
        f = column[j]
        own, all_ = node.sums[f, lane[j]], node.sums[f, node.n_cuts[f] - 1]
        for side in range(2):
            weight, moment = own[WEIGHT], own[MOMENT]
            square = own[SQUARE]
            if side:
                weight, moment, square = all_[WEIGHT] - weight, all_[MOMENT] - moment, all_[SQUARE] - square
            leaf, at = squared_loss(weight, moment, square), side * REALS + j
            scratch.leaf[side, j] = leaf
            scratch.bound[side, j] = _lower(leaf, scratch.gain[at] * weight, rows)
            scratch.fit[side, j] = _lower(leaf, scratch.gain[2 * REALS + at] * weight, rows)


@uncounted
def _lower(leaf, gain, rows):
    """Return the loss of a leaf, or of a stump that saves so much."""
    return min(leaf, max(leaf - gain, 0.0) + rows.tie)


@uncounted
def _set_lanes(node, n_lanes, lane, column, scratch):
    """Write which lanes each row is left of, and what is known of each lane's sides."""
    all_ = node.sums[0, node.n_cuts[0] - 1]
    for i in range(node.size[0]):
        scratch.places[node.order[i]] = 0
    for j in range(n_lanes):
        f = column[j]
        for i in range(node.cut[f, lane[j]]):
            scratch.places[node.order[f * len(scratch.places) + i]] |= 1 << j
    for j in range(REALS):
        own = node.sums[column[j], lane[j]] if j < n_lanes else node.sums[0, 0]
        weight, rest = own[WEIGHT], all_[WEIGHT] - own[WEIGHT]
        values = weight, own[MOMENT] / max(weight, 1.0), own[COUNT]
        rest_moments = rest, (all_[MOMENT] - own[MOMENT]) / max(rest, 1.0), all_[COUNT] - own[COUNT]
        for i in range(3):
            scratch.whole[i * REALS + j], scratch.whole[(3 + i) * REALS + j] = values[i], rest_moments[i]


@uncounted
def _gains(rows, node, scratch):
    """Write the greatest d^2 / (w (W - w)) of all columns' cuts, of both sides of every lane."""
    none, places, mask, part = alike(0.0), scratch.places, scratch.mask, rows.amount
    left_weight, mean_left = load_reals(scratch.whole, 0), load_reals(scratch.whole, REALS)
    right_weight, mean_right = load_reals(scratch.whole, 3 * REALS), load_reals(scratch.whole, 4 * REALS)
    best_left, best_right = none, none
    for g in range(len(node.n_cuts)):
        order, cut = node.order[g * len(part) : (g + 1) * len(part)], node.cut[g]
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


@uncounted
def _gains_of_enough(rows, node, scratch):
    """As `_gains`, and also write the greatest of cuts that leave enough rows on both of their sides."""
    none, unit, least = alike(0.0), alike(1.0), rows.least - 0.5
    left_weight, mean_left = load_reals(scratch.whole, 0), load_reals(scratch.whole, REALS)
    right_weight, mean_right = load_reals(scratch.whole, 3 * REALS), load_reals(scratch.whole, 4 * REALS)
    n_left, n_right = load_reals(scratch.whole, 2 * REALS), load_reals(scratch.whole, 5 * REALS)
    best_left, best_right, fit_left, fit_right = none, none, none, none
    for g in range(len(node.n_cuts)):
        weight, moment, count, at, start = none, none, none, g * len(rows.amount), 0
        all_weight, all_moment, all_count = 0.0, 0.0, 0.0
        for k in range(1, node.n_cuts[g] - 1):
            end = node.cut[g, k]
            for i in range(start, end):
                here = node.order[at + i]
                is_left = load_reals(scratch.mask, scratch.places[here] * REALS)
                weight = weight + is_left * alike(rows.amount[here, WEIGHT])
                moment = moment + is_left * alike(rows.amount[here, MOMENT])
                count = count + is_left * alike(rows.amount[here, COUNT])
                all_weight += rows.amount[here, WEIGHT]
                all_moment += rows.amount[here, MOMENT]
                all_count += rows.amount[here, COUNT]
            start = end
            away = moment - weight * mean_left
            gain = away * away / at_least(weight * (left_weight - weight), 0.5)
            best_left = best_left + only_above(gain - best_left, 0.0)
            enough = only_above(count, least) * only_above(n_left - count, least)
            gain = gain * (unit - only_above(unit - enough, 0.0))  # times 1, or 0 where there are not enough
            fit_left = fit_left + only_above(gain - fit_left, 0.0)
            other, rest = alike(all_weight) - weight, alike(all_count) - count
            away = alike(all_moment) - moment - other * mean_right
            gain = away * away / at_least(other * (right_weight - other), 0.5)
            best_right = best_right + only_above(gain - best_right, 0.0)
            enough = only_above(rest, least) * only_above(n_right - rest, least)
            gain = gain * (unit - only_above(unit - enough, 0.0))
            fit_right = fit_right + only_above(gain - fit_right, 0.0)
    store_reals(scratch.gain, 0, best_left)
    store_reals(scratch.gain, REALS, best_right)
    store_reals(scratch.gain, 2 * REALS, fit_left)
    store_reals(scratch.gain, 3 * REALS, fit_right)


# ---- What the search of pairs asks of numbers


@kernel
def best_stump_of_numbers(rows, node, splits, scratch):
    """Return the best stump, or leaf if there are no splits; and a bound that holds for more rows, too."""
    note_cuts(rows, node)
    if splits == 0:
        loss = leaf_loss(node)
        return Best(loss, -1, 0, NONE), loss
    stump = best_stump(rows, node)
    return Best(stump.loss, -1, 0, LEFT), stump.bound


@kernel
def look_at_numbers(rows, node, known, limit, splits, scratch):
    """Return what is known before the first round, and note the cuts."""
    note_cuts(rows, node)
    return Start(Best(best_stump(rows, node).loss, -1, 0, BOTH), known, limit)


@kernel
def note_nothing(rows, node, best, least, splits, scratch):
    """Note nothing: of numbers no node tells anything of another one that lacks some of its rows."""


@uncounted
def every_root(rows, gap, f, limit, scratch):
    """Return the ends of a gap as they are."""
    return gap


@uncounted
def most_promising_column(rows, node, limit, scratch):
    """Return the column with the least bound below the limit that has no lanes yet, twice; -1 for none."""
    points, least, column = scratch.points, limit, -1
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            if points.low[f, k] < least and not scratch.has_lanes[f]:
                least, column = points.low[f, k], f
    return column, column


@uncounted
def pass_numbers(rows, node, n_lanes, best, scratch):
    """Find the best stumps on both sides of the chosen cuts; return the best tree as it was."""
    solve_lanes(rows, node, n_lanes, scratch.lane, scratch.column, scratch.own)
    return best


@uncounted
def sides_of_numbers(rows, node, f, lane, cut, keeps_weight, scratch):
    """Return the losses of the best leaves or stumps on both sides of a cut, by what a lane found."""
    own, stumps = scratch.own, scratch.way[0]
    stump = own.fit if keeps_weight else own.bound
    left, right = own.leaf[0, lane], own.leaf[1, lane]
    if stumps & LEFT:
        left = stump[0, lane]
    if stumps & RIGHT:
        right = stump[1, lane]
    return left, right
