"""The best regression tree of depth two whose values lie between two bounds, in the directions of columns.

Of a root on a column with a direction, no leaf of the one side has more than any leaf of the other: some middle
value lies between them. What the lower side loses falls as the middle rises, and what the upper side loses rises.
So two middles that were tried bound all between them, as two cuts do, and the span with a better tree is halved.
Under squared error the bound is sharper. As the middle moves into a span, the loss of every tree of the lower side
rises from the span's end by the slope there at least, and that of the upper side from its start. What the best
trees of both sides have at least by such lines is concave in the middle, and so is least at an end of the span.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.depth_two import (
    SolvedPoints,
    begin_points,
    gap_bound,
    insert,
    make_points,
)
from espalier.kernels.optimal.regression.ordered_stumps import (
    ANY,
    FIT,
    HIGH,
    HIGH_MORE,
    HIGH_SLACK,
    LEAF,
    LEAF_TANGENT,
    LEAST,
    LEFT,
    LOW,
    LOW_MORE,
    LOW_SLACK,
    MOST,
    RIGHT,
    TANGENT,
    VALUE,
    OrderedSides,
    direction_at,
    fit_sides,
    make_sides,
    place_rows,
)
from espalier.kernels.optimal.regression.rows import MOMENT, SQUARE, WEIGHT, note_cuts, squared_loss
from espalier.kernels.optimal.regression.stumps import NEVER

MOST_SPANS = 256  # that wait; each was half of the one before
FROM, TO, SPAN_LOW = range(3)  # places in `spans`: the least and the greatest middle, and a bound of its losses


class OrderedScratch(NamedTuple):
    """Scratch memory for trees of depth two."""

    sides: OrderedSides
    points: SolvedPoints
    hint: np.ndarray  # (n_columns,) int64: a cut to try first, or 0
    spans: np.ndarray  # (MOST_SPANS, 3) float64
    stop: np.ndarray  # (1,) int64: not 0 to stop


class ValueBounds(NamedTuple):
    """The least and the greatest value that leaves may have, and the slack of both."""

    low: float
    high: float
    low_slack: float
    high_slack: float


class RootCut(NamedTuple):
    """A root that is tried: its place, splits of the tree, the side of lower values, and losses that matter."""

    column: int
    cut: int
    budget: int
    below: int
    limit: float


class Middles(NamedTuple):
    """The greatest value of the lower side, the least of the upper one, and slack of both for tangents."""

    of_lower: float
    of_upper: float
    lower_more: float
    upper_more: float


class OrderedPair(NamedTuple):
    """The best tree found: its root's column (-1: a leaf or stump) and cut; no tree has a lower loss than low.

    Where the root has a direction, `middle` lies between the values of both sides; all lie between `least` and
    `most`.
    """

    loss: float
    column: int
    cut: int
    middle: float
    least: float
    most: float
    low: float


def make_ordered(n_columns: int, n_rows: int, stop: np.ndarray) -> OrderedScratch:
    """Allocate scratch memory."""
    points, hint = make_points((n_columns,), n_rows), np.zeros(n_columns, np.int64)
    return OrderedScratch(make_sides(n_rows), points, hint, np.zeros((MOST_SPANS, 3)), stop)


@kernel
def best_ordered_pair(rows, order, node, budget, known, limit, bounds, scratch):
    """Return the best tree of depth two with `budget` splits at most, and values between two bounds.

    `bounds` are `ValueBounds`. No tree has a loss below `known`; trees of `limit` or more do not matter. Cuts of
    the node are noted here; the best stump is left in `fits`. Once stopped, it returns what it has.
    """
    note_cuts(rows, node)
    fit = _fit_whole(rows, order, node, bounds, scratch)
    if budget == 0:
        return OrderedPair(fit[LEAF], -1, 0, 0.0, fit[VALUE], fit[VALUE], fit[LEAF])
    best = OrderedPair(fit[FIT], -1, 0, 0.0, fit[LEAST], fit[MOST], known)
    if budget == 1:
        return OrderedPair(fit[FIT], -1, 0, 0.0, fit[LEAST], fit[MOST], fit[ANY])
    if min(best.loss, limit) <= known + rows.near:
        return best
    begin_points(rows, node, scratch.points, known)
    _write_hints(rows, node, scratch)
    settled = NEVER
    while not scratch.stop[0]:
        f, cut = _next_cut(rows, node, budget, min(best.loss, limit) - rows.near, scratch)
        if f < 0:
            break
        below = LEFT if direction_at(rows, order, node, f, cut) >= 0 else RIGHT
        root = RootCut(f, cut, budget, below, limit)
        tried = _try_cut(rows, order, node, root, bounds, best, scratch)
        settled, best = min(settled, tried.low), tried  # whose `low` is that of this root
    least = min(settled, _least_of_gaps(rows, node, budget, scratch.points))
    least = max(min(least, min(best.loss, limit)), known)
    return OrderedPair(best.loss, best.column, best.cut, best.middle, best.least, best.most, least)


@kernel
def _fit_whole(rows, order, node, bounds, scratch):
    """Return the fit of all rows of the node."""
    place_rows(node, 0, -1, scratch.sides.places)
    _set_limits(bounds, 0, scratch.sides)
    fit_sides(rows, order, node, 1, scratch.sides)
    return scratch.sides.fits[LEFT]


@kernel
def _set_limits(bounds, direction, sides):
    """Give both sides the bounds of the node; in a column with a direction each has the slack of its outer one."""
    for side in range(2):
        sides.limit[side, LOW], sides.limit[side, HIGH] = bounds.low, bounds.high
        sides.limit[side, LOW_SLACK], sides.limit[side, HIGH_SLACK] = bounds.low_slack, bounds.high_slack
        sides.limit[side, LOW_MORE] = sides.limit[side, HIGH_MORE] = 0.0
    if direction != 0:
        below = LEFT if direction > 0 else RIGHT
        sides.limit[below, HIGH_SLACK] = sides.limit[1 - below, LOW_SLACK] = 0.0


@kernel
def _write_hints(rows, node, scratch):
    """Write the cut of each column's best stump by squared error, without bounds, where roots are allowed."""
    for f in range(len(node.n_cuts)):
        least, last = NEVER, node.n_cuts[f] - 1
        scratch.hint[f] = 0
        for k in range(scratch.points.cut[f, 0] + 1, scratch.points.cut[f, 1]):
            own, all_ = node.sums[f, k], node.sums[f, last]
            rest = all_[WEIGHT] - own[WEIGHT], all_[MOMENT] - own[MOMENT], all_[SQUARE] - own[SQUARE]
            loss = squared_loss(own[WEIGHT], own[MOMENT], own[SQUARE]) + squared_loss(rest[0], rest[1], rest[2])
            if loss < least:
                least, scratch.hint[f] = loss, k


@kernel
def _next_cut(rows, node, budget, goal, scratch):
    """Return column and cut to try next: first a hint of each; then the middle of the gap of the least bound."""
    points = scratch.points
    for f in range(len(node.n_cuts)):
        cut, scratch.hint[f] = scratch.hint[f], 0
        if cut > 0 and gap_bound(rows, node, budget, points, f, 0) < goal:
            return f, cut
    column, at, least, longest = -1, 0, goal, 0
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            inside = points.cut[f, k + 1] - points.cut[f, k] - 1
            if inside > 0:
                low = gap_bound(rows, node, budget, points, f, k)
                if low < least or (low == least and column >= 0 and inside > longest):
                    column, at, least, longest = f, k, low, inside
    if column < 0:
        return -1, 0
    return column, (points.cut[column, at] + points.cut[column, at + 1]) // 2


@kernel
def _least_of_gaps(rows, node, budget, points):
    """Return the least loss of a tree with a root that was not tried."""
    least = NEVER
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            if points.cut[f, k + 1] - points.cut[f, k] > 1:
                least = min(least, gap_bound(rows, node, budget, points, f, k))
    return least


@kernel
def _try_cut(rows, order, node, root, bounds, best, scratch):
    """Solve a root and note its point; return the best tree, with the least loss of this root as `low`."""
    f, cut, below, sides = root.column, root.cut, root.below, scratch.sides
    place_rows(node, f, cut, sides.places)
    _set_limits(bounds, order.direction[f], sides)
    fit_sides(rows, order, node, 2, sides)
    insert(scratch.points, f, cut, sides.fits[LEFT, ANY], sides.fits[RIGHT, ANY])
    direction = direction_at(rows, order, node, f, cut)
    loss = _together(rows, sides.fits[below], sides.fits[1 - below], root.budget)
    loosest = _loosest(rows, sides.fits, root.budget)
    from_, to = _span(sides.fits[below], sides.fits[1 - below], root.budget)
    if loss >= min(best.loss, root.limit) - rows.near:
        best = _with_low(best, loss)
    elif direction == 0 or to <= from_:
        best = _better(rows, root, (from_ + to) / 2, loss, sides.fits, best)
    else:
        scratch.spans[0, FROM], scratch.spans[0, TO] = from_, to
        best = _settle(rows, order, node, root, bounds, best, scratch)
    return best if rows.least <= 1 else _with_low(best, min(best.low, loosest))


@kernel
def _loosest(rows, fits, budget):
    """Return a bound of both sides that holds for fewer rows, too, of which leaves may have any number."""
    if budget == 2:
        return min(fits[LEFT, LEAF] + fits[RIGHT, ANY], fits[LEFT, ANY] + fits[RIGHT, LEAF]) + rows.per_split
    return fits[LEFT, ANY] + fits[RIGHT, ANY] + rows.per_split


@kernel
def _with_low(best, low):
    """Return the tree with another bound."""
    return OrderedPair(best.loss, best.column, best.cut, best.middle, best.least, best.most, low)


@kernel
def _better(rows, root, middle, loss, fits, best):
    """Return this tree where it is better than the best one, else that one; `low` is its own loss."""
    if loss >= best.loss - rows.near:
        return _with_low(best, loss)
    least, most = min(fits[0, LEAST], fits[1, LEAST]), max(fits[0, MOST], fits[1, MOST])
    least, most = min(least, fits[0, VALUE], fits[1, VALUE]), max(most, fits[0, VALUE], fits[1, VALUE])
    return OrderedPair(loss, root.column, root.cut, middle, least, most, loss)


@kernel
def _together(rows, lower, upper, budget):
    """Return the loss of both sides and the split between them; of two splits, one side is a leaf."""
    if budget == 2:
        return min(lower[LEAF] + upper[FIT], lower[FIT] + upper[LEAF]) + rows.per_split
    return lower[FIT] + upper[FIT] + rows.per_split


@kernel
def _span(lower, upper, budget):
    """Return the least value of the upper side and the greatest of the lower one: no middle beyond is better."""
    if budget == 2:
        return min(upper[LEAST], upper[VALUE]), max(lower[MOST], lower[VALUE])
    return upper[LEAST], lower[MOST]


@kernel
def _settle(rows, order, node, root, bounds, best, scratch):
    """Find the best middle of a root whose sides overlap, in the first span; as `low`, return the root's bound."""
    spans, low, n = scratch.spans, NEVER, 1
    spans[0, SPAN_LOW] = -NEVER
    for middle in (spans[0, FROM], spans[0, TO]):
        _fit_around(rows, order, node, root, Middles(middle, middle, 0.0, 0.0), bounds, scratch)
        best = _take_middle(rows, root, middle, scratch, best)
    while n > 0 and not scratch.stop[0]:
        n -= 1
        middle = _middle(rows, node, spans[n, FROM], spans[n, TO])
        is_open = spans[n, SPAN_LOW] < min(best.loss, root.limit) - rows.near
        if not (is_open and spans[n, FROM] < middle < spans[n, TO] and n + 2 < MOST_SPANS):
            if not is_open or not rows.is_absolute:  # of absolute error no middle between two targets is better
                low = min(low, spans[n, SPAN_LOW])
            continue
        best = _halve(rows, order, node, root, n, middle, bounds, best, scratch)
        n += 2
    for i in range(n):
        low = min(low, spans[i, SPAN_LOW])
    return _with_low(best, min(low, best.loss))


@kernel
def _halve(rows, order, node, root, n, middle, bounds, best, scratch):
    """Replace span n by its parts on either side of a middle that is tried; return the best tree."""
    budget, below, spans, sides = root.budget, root.below, scratch.spans, scratch.sides
    first, last = spans[n, FROM], spans[n, TO]
    tried = Middles(middle, middle, middle - first, last - middle)
    _fit_around(rows, order, node, root, tried, bounds, scratch)
    best = _take_middle(rows, root, middle, scratch, best)
    lower, upper = sides.fits[below].copy(), sides.fits[1 - below].copy()
    ends = Middles(last, first, last - middle, middle - first)
    _fit_around(rows, order, node, root, ends, bounds, scratch)
    outer_lower, outer_upper = sides.fits[below], sides.fits[1 - below]
    spans[n + 1, FROM], spans[n + 1, TO] = middle, last
    spans[n + 1, SPAN_LOW] = _span_bound(rows, outer_lower, upper, budget)
    spans[n, TO] = middle
    spans[n, SPAN_LOW] = _span_bound(rows, lower, outer_upper, budget)
    return best


@kernel
def _span_bound(rows, lower, upper, budget):
    """Return the least loss of a span, from the lower side at its end and the upper side at its start."""
    if budget == 2:
        a = _lines(lower[LEAF], lower[LEAF_TANGENT], upper[FIT], upper[TANGENT])
        b = _lines(lower[FIT], lower[TANGENT], upper[LEAF], upper[LEAF_TANGENT])
        return min(a, b) + rows.per_split
    return _lines(lower[FIT], lower[TANGENT], upper[FIT], upper[TANGENT]) + rows.per_split


@kernel
def _lines(lower, lower_tangent, upper, upper_tangent):
    """Return the least of two concave curves together, by what they have at the ends of a span."""
    return min(lower_tangent + upper, lower + upper_tangent)


@kernel
def _middle(rows, node, from_, to):
    """Return a middle within the span: a target of the node where the error is absolute, or `from_` if none is."""
    if not rows.is_absolute:
        return (from_ + to) / 2
    order, m = node.order[len(node.n_cuts)], node.size[0]
    first, end = 0, m
    while first < end:
        half = (first + end) // 2
        first, end = (half + 1, end) if rows.target[order[half]] <= from_ else (first, half)
    last, end = first, m
    while last < end:
        half = (last + end) // 2
        last, end = (half + 1, end) if rows.target[order[half]] < to else (last, half)
    return rows.target[order[(first + last - 1) // 2]] if last > first else from_


@kernel
def _fit_around(rows, order, node, root, middles, bounds, scratch):
    """Solve the lower side below a middle, and the upper side above one, each with slack for its tangent."""
    below, sides = root.below, scratch.sides
    _set_limits(bounds, order.direction[root.column], sides)
    sides.limit[below, HIGH], sides.limit[1 - below, LOW] = middles.of_lower, middles.of_upper
    sides.limit[below, HIGH_MORE], sides.limit[1 - below, LOW_MORE] = middles.lower_more, middles.upper_more
    fit_sides(rows, order, node, 2, sides)


@kernel
def _take_middle(rows, root, middle, scratch, best):
    """Return the best tree, of which both sides with a middle between them may be one."""
    fits = scratch.sides.fits
    loss = _together(rows, fits[root.below], fits[1 - root.below], root.budget)
    return _better(rows, root, middle, loss, fits, best)
