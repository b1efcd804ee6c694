"""The best stumps on either side of a cut whose leaves lie between two values, in the directions of columns.

A leaf whose mean lies beyond a bound has the bound, which costs its weight times the square of the distance. Under
absolute error a target beyond a bound may as well lie on it, but for that distance. Where a split on a column with
a direction would have its leaves the wrong way round, the best two values in order are equal: it is no better than
a leaf.

A bound may be about to move: then what a leaf beyond it loses is also told by its tangent. As the bound moves
inwards by some slack, the leaf's loss rises by the slack times its slope at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.medians import balanced, link, loss_around, without
from espalier.kernels.optimal.regression.rows import COUNT, MOMENT, SQUARE, WEIGHT, rank_behind, squared_loss
from espalier.kernels.optimal.regression.sides import SideRows, follow_column, make_side, take_side

LEFT, RIGHT = range(2)
# Places in `fits`: loss and value of the side as a leaf; loss of the best stump or leaf with enough rows, its
# column (-1: a leaf), cut, and the least and the greatest of its values; its loss with any number of rows; and the
# least tangents of stumps with enough rows, and of the leaf.
LEAF, VALUE, FIT, COLUMN, CUT, LEAST, MOST, ANY, TANGENT, LEAF_TANGENT = range(10)
# Places in `limit`: the least and greatest value of a side's leaves; the slack of both, which counts in every
# loss, and the slack that counts in tangents alone.
LOW, HIGH, LOW_SLACK, HIGH_SLACK, LOW_MORE, HIGH_MORE = range(6)


class ColumnOrder(NamedTuple):
    """The directions of columns, which every split keeps but those that part missing values from all others."""

    direction: np.ndarray  # (n_columns,) int64: 1 where values may only rise with the ranks, -1 fall; else 0
    free: np.ndarray  # (n_columns,) int64: the rank of missing values that a cut may part from all others, or -1


class StumpLeaves(NamedTuple):
    """A stump of a side: its column and cut, and the values of both leaves."""

    column: int
    cut: int
    left: float
    right: float


class OrderedSides(NamedTuple):
    """Scratch memory for both sides of a cut."""

    places: np.ndarray  # (n_rows,) int32: 1 for rows on the left, 0 for those on the right
    limit: np.ndarray  # (2, 6) float64: of each side, what its leaves may have
    total: np.ndarray  # (2, 4) float64: of each side, the sums of the parts of its rows
    sums: np.ndarray  # (2, 4) float64: and of those before a cut
    fits: np.ndarray  # (2, 10) float64
    side: SideRows
    medians: np.ndarray  # (4, n_rows + 1) float64: least and greatest median before each cut, and behind it


def make_sides(n_rows: int) -> OrderedSides:
    """Allocate scratch memory."""
    sums = (np.zeros((2, width)) for width in (6, 4, 4, 10))
    return OrderedSides(np.zeros(n_rows, np.int32), *sums, make_side(n_rows), np.zeros((4, n_rows + 1)))


@kernel
def direction_at(rows, order, node, f, cut):
    """Return the direction that a cut of column f keeps: 1, -1 or 0."""
    if order.direction[f] == 0 or rank_behind(rows, node, f, cut) == order.free[f]:
        return 0
    return order.direction[f]


@kernel
def place_rows(node, f, cut, places):
    """Write which rows are left of a cut of column f; a cut of -1 has all rows on the left."""
    end = node.size[0] if cut < 0 else node.cut[f, cut]
    for i in range(node.size[0]):
        places[node.order[f, i]] = i < end


@kernel
def fit_sides(rows, order, node, n_sides, scratch):
    """Write the best stump of the sides, of one or both, into `fits`; places and limits must be there."""
    if rows.is_absolute:
        for side in range(n_sides):
            _fit_medians(rows, order, node, side, scratch)
    else:
        _fit_means(rows, order, node, scratch)


@kernel
def _fit_means(rows, order, node, scratch):
    """As `fit_sides`, of both sides, for squared error."""
    part, sums, total = rows.part, scratch.sums, scratch.total
    total[:] = 0.0
    for i in range(node.size[0]):
        here = node.order[0, i]
        total[1 - scratch.places[here]] += part[here]
    for side in range(2):
        _fit_leaf(scratch, side)
    for g in range(len(node.n_cuts)):
        sums[:] = 0.0
        start = 0
        for k in range(1, node.n_cuts[g] - 1):
            is_new_left, is_new_right = False, False
            for i in range(start, node.cut[g, k]):
                here = node.order[g, i]
                is_left = scratch.places[here] == 1
                side = RIGHT - is_left
                sums[side, WEIGHT] += part[here, WEIGHT]
                sums[side, MOMENT] += part[here, MOMENT]
                sums[side, COUNT] += part[here, COUNT]
                is_new_left, is_new_right = is_new_left or is_left, is_new_right or not is_left
            start = node.cut[g, k]
            direction = direction_at(rows, order, node, g, k)
            if is_new_left:
                _try_means(rows, scratch, LEFT, g, k, direction)
            if is_new_right:
                _try_means(rows, scratch, RIGHT, g, k, direction)


@kernel
def _fit_leaf(scratch, side):
    """Write the side as a leaf, and as its best stump so far."""
    total, fit = scratch.total[side], scratch.fits[side]
    limit = scratch.limit[side]
    mean = total[MOMENT] / total[WEIGHT] if total[WEIGHT] > 0 else 0.0
    value = min(max(mean, limit[LOW]), limit[HIGH])
    above, below = total[WEIGHT] * max(mean - limit[HIGH], 0.0), total[WEIGHT] * max(limit[LOW] - mean, 0.0)
    loss = squared_loss(total[WEIGHT], total[MOMENT], total[SQUARE]) + total[WEIGHT] * (mean - value) ** 2
    loss += 2 * (above * limit[HIGH_SLACK] + below * limit[LOW_SLACK])
    fit[LEAF] = fit[FIT] = fit[ANY] = loss
    fit[TANGENT] = fit[LEAF_TANGENT] = loss + 2 * (above * limit[HIGH_MORE] + below * limit[LOW_MORE])
    fit[VALUE] = fit[LEAST] = fit[MOST] = value
    fit[COLUMN] = -1


@kernel
def _try_means(rows, scratch, side, g, k, direction):
    """Take a cut of a side as its stump where that is better."""
    total, sums = scratch.total[side], scratch.sums[side]
    weight, moment, count = sums[WEIGHT], sums[MOMENT], sums[COUNT]
    rest, rest_moment, rest_count = total[WEIGHT] - weight, total[MOMENT] - moment, total[COUNT] - count
    if rest_count < 0.5:
        return
    limit = scratch.limit[side]
    low, high = limit[LOW], limit[HIGH]
    left, right = moment / weight, rest_moment / rest
    on_left, on_right = min(max(left, low), high), min(max(right, low), high)
    if direction * (on_right - on_left) < 0:
        return
    above = weight * max(left - high, 0.0) + rest * max(right - high, 0.0)
    below = weight * max(low - left, 0.0) + rest * max(low - right, 0.0)
    loss = max(total[SQUARE] - moment * left - rest_moment * right, 0.0) + rows.per_split
    loss += weight * (left - on_left) ** 2 + rest * (right - on_right) ** 2
    loss += 2 * (above * limit[HIGH_SLACK] + below * limit[LOW_SLACK])
    more = 2 * (above * limit[HIGH_MORE] + below * limit[LOW_MORE])
    _take(
        scratch.fits[side], loss, more, min(count, rest_count) >= rows.least, StumpLeaves(g, k, on_left, on_right)
    )


@kernel
def _take(fit, loss, more, is_enough, stump):
    """Note a stump if it is better; `more` is what its tangent has more."""
    fit[ANY] = min(fit[ANY], loss)
    if is_enough:
        fit[TANGENT] = min(fit[TANGENT], loss + more)
    if loss < fit[FIT] and is_enough:
        fit[FIT], fit[COLUMN], fit[CUT] = loss, stump.column, stump.cut
        fit[LEAST], fit[MOST] = min(stump.left, stump.right), max(stump.left, stump.right)


@kernel
def _fit_medians(rows, order, node, which, scratch):
    """As `fit_sides`, of one side, for absolute error."""
    side, fit, medians = scratch.side, scratch.fits[which], scratch.medians
    take_side(rows, node, which, 0, scratch.places, side)
    beyond = _move_inside(side, scratch.limit[which])
    for g in range(len(node.n_cuts)):
        follow_column(node, g, side)
        last = node.n_cuts[g] - 1
        _median_losses(last, side, medians)
        if g == 0:
            fit[LEAF] = fit[FIT] = fit[ANY] = fit[TANGENT] = fit[LEAF_TANGENT] = side.high[0] + beyond
            fit[VALUE] = fit[LEAST] = fit[MOST] = medians[2, 0]
            fit[COLUMN] = -1
        for k in range(1, last):
            before, behind = side.end[k], side.end[last] - side.end[k]
            if before == side.end[k - 1] or behind == 0:
                continue
            direction = direction_at(rows, order, node, g, k)
            on_left = medians[1, k] if direction < 0 else medians[0, k]
            on_right = medians[3, k] if direction > 0 else medians[2, k]
            if direction * (on_right - on_left) >= 0:
                loss = side.low[k] + side.high[k] + beyond + rows.per_split
                _take(fit, loss, 0.0, min(before, behind) >= rows.least, StumpLeaves(g, k, on_left, on_right))


@kernel
def _move_inside(side, limit):
    """Move the targets of a side that lie beyond its bounds onto them; return their error."""
    beyond = 0.0
    for i in range(side.n[0]):
        target = side.target[i]
        inside = min(max(target, limit[LOW]), limit[HIGH])
        beyond += side.weight[i] * abs(target - inside)
        side.target[i], side.moment[i] = inside, side.weight[i] * inside
    return beyond


@kernel
def _median_losses(last, side, medians):
    """Write the absolute error and the medians of the rows before and behind each cut, 0 to `last`."""
    middle = link(side)
    for k in range(last):
        middle = balanced(side, middle)
        side.high[k] = loss_around(side, middle)
        medians[2, k], medians[3, k] = _medians(side, middle)
        for i in range(side.end[k], side.end[k + 1]):
            middle = without(side, side.order[i], middle)
    side.high[last] = side.low[0] = 0.0
    middle = link(side)
    for k in range(last, 0, -1):
        middle = balanced(side, middle)
        side.low[k] = loss_around(side, middle)
        medians[0, k], medians[1, k] = _medians(side, middle)
        for i in range(side.end[k - 1], side.end[k]):
            middle = without(side, side.order[i], middle)


@kernel
def _medians(side, middle):
    """Return the least and the greatest median of the rows in the list."""
    at = middle.at
    if at < 0:
        return 0.0, 0.0
    low = high = side.target[at]
    if 2 * middle.weight_below == middle.weight and side.before[at] >= 0:
        low = side.target[side.before[at]]
    if 2 * (middle.weight_below + side.weight[at]) == middle.weight and side.behind[at] >= 0:
        high = side.target[side.behind[at]]
    return low, high
