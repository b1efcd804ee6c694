"""The best regression tree of depth two over every threshold, by rounds of passes in lanes.

The loss of the best tree on a side of a threshold can only rise as rows join it, since the same tree remains when
they leave. So two thresholds that were solved bound all between them: from the left side of the lower one together
with the right side of the higher one (Mazumder, Meng & Wang 2022, Quant-BnB, section 3). A round tries as many
thresholds as there are lanes, of the most promising column, spread over its gaps that may still hold a better
root; where these are few, the next columns have the other lanes.

This holds of trees whose leaves may have any number of rows, even none. Where leaves need some, a tree may become
possible only as rows join. So whatever is handed on to other sets of rows bounds trees of any leaves: also those
whose root is a cut that leaves too few rows here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.rows import COUNT, note_cuts, squared_loss
from espalier.kernels.optimal.regression.stumps import (
    NEVER,
    LaneScratch,
    best_stump,
    leaf_loss,
    make_lane_scratch,
    solve_lanes,
)
from espalier.kernels.vectors.simd import REALS

STUMPS = 3  # splits of a whole tree of depth two


class SolvedPoints(NamedTuple):
    """Cuts of every column at which both sides are bounded, in order; between two of them is a gap."""

    cut: np.ndarray  # (n_columns, n_rows + 1) int32
    left: np.ndarray  # the same shape, float64: no tree on the left side has a lower loss
    right: np.ndarray  # the same for the right side
    n: np.ndarray  # (n_columns,) int64: how many


class DepthTwoScratch(NamedTuple):
    """Scratch memory for trees of depth two."""

    stumps: LaneScratch
    points: SolvedPoints
    of_column: np.ndarray  # (n_columns,) float64: loss of the best stump
    is_tried: np.ndarray  # (n_columns,) bool: whether the column ever had lanes
    is_taken: np.ndarray  # (n_columns,) bool: whether it has some in this round
    stop: np.ndarray  # (1,) int64: not 0 to stop


class Solution(NamedTuple):
    """The loss of the best tree found, its root's column (-1: a leaf or stump) and cut; no tree has less than low.

    If loss is less than the limit that was asked for, no tree with enough rows in its leaves has less, either.
    """

    loss: float
    column: int
    cut: int
    low: float


def make_points(shape: tuple[int, ...], n_rows: int) -> SolvedPoints:
    """Allocate room for all cuts; `shape` ends with the number of columns."""
    full = *shape, n_rows + 1
    return SolvedPoints(np.zeros(full, np.int32), np.zeros(full), np.zeros(full), np.zeros(shape, np.int64))


def make_scratch(n_columns: int, n_rows: int, stop: np.ndarray) -> DepthTwoScratch:
    """Allocate scratch memory."""
    points, of_column = make_points((n_columns,), n_rows), np.zeros(n_columns)
    marks = (np.zeros(n_columns, np.bool_) for _ in range(2))
    return DepthTwoScratch(make_lane_scratch(n_rows), points, of_column, *marks, stop)


@kernel
def begin_points(rows, node, points):
    """Begin with two ends of every column, between which both sides have enough rows for a leaf."""
    for f in range(len(node.n_cuts)):
        last = node.n_cuts[f] - 1
        first, end, count = 0, last, node.sums[f, last, COUNT]
        while first < end - 1 and node.sums[f, first + 1, COUNT] < rows.least:
            first += 1
        while end > first + 1 and count - node.sums[f, end - 1, COUNT] < rows.least:
            end -= 1
        points.cut[f, 0], points.cut[f, 1] = first, end
        points.left[f, :2], points.right[f, :2] = 0.0, 0.0
        points.n[f] = 2


@kernel
def least_beyond_ends(rows, node, points):
    """Return a bound of the trees whose root leaves too few rows for a leaf here, but may not where rows join.

    Beyond the first end the right side has all rows that it has at any point, and so at least as great a loss.
    """
    least = NEVER
    for f in range(len(node.n_cuts)):
        if points.cut[f, 0] > 0:
            least = min(least, points.right[f, 0] + rows.per_split)
        end = points.n[f] - 1
        if points.cut[f, end] < node.n_cuts[f] - 1:
            least = min(least, points.left[f, end] + rows.per_split)
    return least


@kernel
def insert(points, f, cut, left, right):
    """Insert a cut of column f with bounds of both sides, which bound the cuts beyond, too; return its place."""
    at = points.n[f]
    while at > 0 and points.cut[f, at - 1] > cut:
        points.cut[f, at] = points.cut[f, at - 1]
        points.left[f, at] = max(points.left[f, at - 1], left)
        points.right[f, at] = points.right[f, at - 1]
        at -= 1
    points.n[f] += 1
    points.cut[f, at], points.left[f, at], points.right[f, at] = cut, left, right
    if at > 0:
        points.left[f, at] = max(left, points.left[f, at - 1])
    if at + 1 < points.n[f]:
        points.right[f, at] = max(right, points.right[f, at + 1])
    while at > 0 and points.right[f, at - 1] < right:
        at -= 1
        points.right[f, at] = right
    return at


@kernel
def best_pair(rows, node, budget, known, limit, scratch):
    """Return the best tree of depth two with `budget` splits at most: a `Solution`.

    No tree has a loss below `known`; trees of `limit` or more do not matter. Cuts of the node are noted here. Once
    stopped, it returns what it has.
    """
    note_cuts(rows, node)
    if budget == 0:
        loss = leaf_loss(node)
        return Solution(loss, -1, 0, loss)
    stump = best_stump(rows, node, scratch.of_column)
    best = Solution(stump.loss, -1, 0, known)
    if budget == 1:
        return Solution(stump.loss, -1, 0, stump.bound)
    if min(best.loss, limit) <= known + rows.near:
        return best
    begin_points(rows, node, scratch.points)
    scratch.is_tried[:] = False
    while not scratch.stop[0]:
        goal = min(best.loss, limit) - rows.near
        n_lanes = _fill_lanes(rows, node, budget, goal, scratch)
        if n_lanes == 0:
            break
        best = _try_lanes(rows, node, n_lanes, budget, best, scratch)
    low = min(_least(rows, node, budget, scratch.points), least_beyond_ends(rows, node, scratch.points))
    low = max(min(low, best.loss, limit), known)
    return Solution(best.loss, best.column, best.cut, low)


@kernel
def gap_bound(rows, node, budget, points, f, k):
    """Return the least loss of a tree with a root in the gap behind point k of column f."""
    left, right = points.left[f, k], points.right[f, k + 1] + rows.per_split
    if budget != 2:
        return left + right
    own, end = node.sums[f, points.cut[f, k]], node.sums[f, points.cut[f, k + 1]]
    all_ = node.sums[f, node.n_cuts[f] - 1]
    leaf = squared_loss(own[0], own[1], own[2])
    leaf_right = squared_loss(all_[0] - end[0], all_[1] - end[1], all_[2] - end[2])
    return min(left + max(leaf_right + rows.per_split, right), max(leaf, left) + right)


@kernel
def _fill_lanes(rows, node, budget, goal, scratch):
    """Choose cuts of the most promising columns for the lanes; return how many."""
    n_lanes = 0
    scratch.is_taken[:] = False
    while n_lanes < REALS:
        f = _next_column(rows, node, budget, goal, scratch)
        if f < 0:
            break
        scratch.is_taken[f] = True
        n_lanes = _choose_lanes(rows, node, f, budget, goal, scratch, n_lanes)
    return n_lanes


@kernel
def _next_column(rows, node, budget, goal, scratch):
    """Return the column to try next: first each once, by its best stump; then the one with the least bound."""
    points, column, least = scratch.points, -1, NEVER
    for f in range(len(node.n_cuts)):
        is_new = not scratch.is_tried[f] and not scratch.is_taken[f]
        if is_new and points.cut[f, 1] - points.cut[f, 0] > 1 and scratch.of_column[f] < least:
            column, least = f, scratch.of_column[f]
    if column >= 0 and gap_bound(rows, node, budget, points, column, 0) < goal:
        scratch.is_tried[column] = True
        return column
    column, least = -1, goal
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            if points.cut[f, k + 1] - points.cut[f, k] > 1 and not scratch.is_taken[f]:
                low = gap_bound(rows, node, budget, points, f, k)
                if low < least:
                    column, least = f, low
    return column


@kernel
def _try_lanes(rows, node, n_lanes, budget, best, scratch):
    """Solve both sides of the chosen cuts, insert them as points, and return the best tree."""
    stumps, points = scratch.stumps, scratch.points
    solve_lanes(rows, node, n_lanes, stumps)
    for j in range(n_lanes):
        f = stumps.column[j]
        left, right = stumps.fit[0, j], stumps.fit[1, j]
        loss = left + right
        if budget == 2:
            loss = min(left + stumps.leaf[1, j], stumps.leaf[0, j] + right)
        loss += rows.per_split
        if loss < best.loss - rows.near:
            best = Solution(loss, f, stumps.lane[j], best.low)
        insert(points, f, stumps.lane[j], stumps.bound[0, j], stumps.bound[1, j])
    return best


@kernel
def _choose_lanes(rows, node, f, budget, goal, scratch, n_lanes):
    """Spread the lanes from `n_lanes` on over the gaps of column f that may hold a tree below the goal.

    Return how many lanes there are then.
    """
    points, lane, total, room = scratch.points, scratch.stumps.lane, 0, REALS - n_lanes
    for k in range(points.n[f] - 1):
        inside = points.cut[f, k + 1] - points.cut[f, k] - 1
        if inside > 0 and gap_bound(rows, node, budget, points, f, k) < goal:
            total += inside
    seen, total = 0, max(total, room)
    for k in range(points.n[f] - 1):
        first, inside = points.cut[f, k] + 1, points.cut[f, k + 1] - points.cut[f, k] - 1
        if inside > 0 and gap_bound(rows, node, budget, points, f, k) < goal:
            share = (seen + inside) * room // total - seen * room // total
            for j in range(share):
                lane[n_lanes] = first + (2 * j + 1) * inside // (2 * share)
                scratch.stumps.column[n_lanes] = f
                n_lanes += 1
            seen += inside
    return n_lanes


@kernel
def _least(rows, node, budget, points):
    """Return the least loss that a tree may have, by all points and gaps."""
    least = NEVER
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            if k > 0:
                least = min(least, points.left[f, k] + points.right[f, k] + rows.per_split)
            if points.cut[f, k + 1] - points.cut[f, k] > 1:
                least = min(least, gap_bound(rows, node, budget, points, f, k))
    return least
