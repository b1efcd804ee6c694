"""The best tree of depth two over every threshold, by rounds of passes in lanes.

A round tries as many thresholds as there are lanes, spread over the gaps that may still hold a better root, and
closes what the results rule out. What a pass counts depends on the task: of classes see `stumps`, of numbers
`numbers`.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import by_record, kernel, uncounted
from espalier.kernels.optimal.thresholds.classes import (
    MOST_BYTES,
    SortedSamples,
    best_stump_of_classes,
    every_column,
    first_leaf,
    look_at_classes,
    make_class_scratch,
    note_classes,
    pass_classes,
    sides_of_classes,
    without_known_roots,
)
from espalier.kernels.optimal.thresholds.nodes import (
    BOTH,
    LEFT,
    RIGHT,
    Best,
    PairScratch,
    begin_points,
    bound_gap,
    ends,
    loose_bound,
    make_points,
)
from espalier.kernels.optimal.thresholds.numbers import (
    TargetRows,
    best_stump_of_numbers,
    every_root,
    look_at_numbers,
    make_lane_scratch,
    most_promising_column,
    note_nothing,
    pass_numbers,
    sides_of_numbers,
)
from espalier.kernels.simd import REALS


def _by_task(of_classes, of_numbers):
    return by_record({SortedSamples: of_classes, TargetRows: of_numbers})


@kernel
def _first_pair(rows, node, splits, scratch):
    """Return the best tree of depth two: it has the root that is tried first."""
    best, _ = best_pair(rows, node, 0.0, np.inf, 3, scratch)
    return best


# The tree that a search begins with, with its cuts noted; it has at most so many splits
first_tree = _by_task(first_leaf, _first_pair)
# The best stump, or leaf if there are no splits; and a bound that holds for more rows, too
best_stump = _by_task(best_stump_of_classes, best_stump_of_numbers)
look = _by_task(look_at_classes, look_at_numbers)  # what is known before the first round, with the cuts noted
note_pair = _by_task(note_classes, note_nothing)  # remember what was found of a node
next_columns = _by_task(every_column, most_promising_column)  # those that get lanes in this round, first and last
narrow = _by_task(without_known_roots, every_root)  # ends of a gap, of roots that may be below the limit
pass_lanes = _by_task(pass_classes, pass_numbers)  # find stumps beside the chosen cuts
# Values of the best leaves on both sides of a cut of column f, by what a lane found, or of the best stumps of the
# sides that may be stumps; whether they keep to the least weight, or may have any
side_values = _by_task(sides_of_classes, sides_of_numbers)


def make_pair_scratch(
    task: SortedSamples | TargetRows, n_columns: int, stop: np.ndarray, memory: float = MOST_BYTES
) -> PairScratch:
    """Allocate scratch memory, of which so many bytes may remember nodes."""
    n, kind, n_lanes, own = len(task.amount), np.float64, REALS, None
    if isinstance(task, SortedSamples):
        kind, own = np.int64, make_class_scratch(task, n_columns, memory)
        n_lanes = len(own.stumps.found) // 4 - 1
    points, spare = (make_points((m, n + 1), kind, task.least > 0) for m in (n_columns, 1))
    marks = np.zeros(n_lanes, np.int64), np.zeros(n_lanes, np.int64), np.zeros(n_columns, np.bool_)
    return PairScratch(own or make_lane_scratch(n), points, spare, *marks, np.zeros(1, np.int64), stop)


# ---- Rounds of passes


@kernel
def best_pair(task, node, known, limit, splits, scratch):
    """Return the best tree of depth two and so many splits on the node's rows, and a lower bound of its value.

    They agree if the value is less than `limit`; else the bound may be lower, but no less than `limit`. No tree
    has a lower value than `known`. Cuts of the node are noted here. Once stopped, it returns what it has.
    The bound holds for more rows, too.
    """
    start = look(task, node, known, limit, splits, scratch)
    best = start.best
    if min(best.value, limit) <= start.known + task.near:
        return best, min(best.value, start.known)
    if splits == 2:
        best, other = _close_way(task, node, start, LEFT, best, scratch)
        best, least = _close_way(task, node, start, RIGHT, best, scratch)
        return best, min(least, other)
    best, least = _close_way(task, node, start, BOTH, best, scratch)
    note_pair(task, node, best, least, splits, scratch)
    return best, least


@kernel
def _close_way(task, node, start, stumps, best, scratch):
    """Return the best tree, where only these sides of the root may be stumps, and a bound for more rows.

    A side that must be a leaf, or that may be a stump, costs no less with more rows. With a least weight of leaves
    a stump may, so that points hold what stumps of any weight cost, and beside it what they cost here.
    """
    scratch.way[0] = stumps
    begin_points(node, scratch.points, 1, start.known)
    while min(best.value, start.goal) > start.known + task.near and not scratch.stop[0]:
        n_lanes = _choose_lanes(task, node, min(best.value, start.goal) - task.near, scratch)
        if n_lanes == 0:
            break
        best = _try_lanes(task, node, n_lanes, best, scratch)
    if task.least > 0:
        return best, loose_bound(task, node, scratch.points, min(best.value, start.goal))
    # What was tried is in no gap, and may be less than the bounds of all that are left.
    if best.value < start.goal:
        return best, best.value
    return best, min(best.value, _least_bound(node, scratch.points, start.goal))


@uncounted
def _choose_lanes(task, node, limit, scratch):
    """Choose cuts, by column, from gaps that may hold a tree below the limit; return how many."""
    n_lanes, scratch.has_lanes[:] = 0, False
    while n_lanes < len(scratch.lane):
        first, last = next_columns(task, node, limit, scratch)
        if first < 0:
            break
        scratch.has_lanes[first : last + 1] = True
        n_lanes = _spread_lanes(task, node, first, last, limit, n_lanes, scratch)
    return n_lanes


@uncounted
def _spread_lanes(task, node, first_column, last_column, limit, n_lanes, scratch):
    """Spread the lanes from `n_lanes` on over the gaps of these columns that may hold a tree below the limit.

    Return how many lanes there are then.
    """
    points, room, total = scratch.points, len(scratch.lane) - n_lanes, 0
    for f in range(first_column, last_column + 1):
        for k in range(points.n[f] - 1):
            if points.low[f, k] < limit:
                gap = narrow(task, ends(task, node, points, f, k, limit), f, limit, scratch)
                if gap.first > gap.last:
                    points.low[f, k] = limit
                points.first[f, k], points.last[f, k] = gap.first, max(gap.last, gap.first - 1)
                total += points.last[f, k] - gap.first + 1
    n_seen, total = 0, max(total, room)
    for f in range(first_column, last_column + 1):
        for k in range(points.n[f] - 1):
            if points.low[f, k] < limit:
                first, length = points.first[f, k], points.last[f, k] - points.first[f, k] + 1
                share = (n_seen + length) * room // total - n_seen * room // total
                for j in range(share):
                    scratch.lane[n_lanes] = first + (2 * j + 1) * length // (2 * share)
                    scratch.column[n_lanes] = f
                    n_lanes += 1
                n_seen += length
    return n_lanes


@uncounted
def _try_lanes(task, node, n_lanes, best, scratch):
    """Solve both sides of the chosen cuts, insert them as points, and return the best tree."""
    best, start = pass_lanes(task, node, n_lanes, best, scratch), 0
    for end in range(1, n_lanes + 1):
        if end == n_lanes or scratch.column[end] != scratch.column[start]:
            best = _merge(task, node, start, end, best, scratch)
            start = end
    return best


@uncounted
def _merge(task, node, start, end, best, scratch):
    """Insert the solved lanes from `start` to `end` between the points of their column; return the best tree."""
    points, spare, lane, f = scratch.points, scratch.spare, scratch.lane, scratch.column[start]
    i, j, k, n_old = 0, start, 0, points.n[f]
    while i < n_old or j < end:
        if j == end or (i < n_old and points.cut[f, i] < lane[j]):
            cut, left, right = np.int64(points.cut[f, i]), points.left[f, i], points.right[f, i]
            own_left, own_right = points.own_left[f, i], points.own_right[f, i]
            i += 1
        else:
            cut = lane[j]
            left, right = side_values(task, node, f, j, cut, False, scratch)
            own_left, own_right = left, right
            if task.least > 0:
                own_left, own_right = side_values(task, node, f, j, cut, True, scratch)
            if own_left + own_right + task.tie < best.value - task.near:
                best = Best(own_left + own_right + task.tie, f, cut, scratch.way[0])
            j += 1
        spare.cut[0, k], spare.left[0, k], spare.right[0, k] = cut, left, right
        spare.own_left[0, k], spare.own_right[0, k] = own_left, own_right
        k += 1
    points.n[f] = k
    for i in range(k):
        points.cut[f, i] = spare.cut[0, i]
        points.left[f, i], points.right[f, i] = spare.left[0, i], spare.right[0, i]
        points.own_left[f, i], points.own_right[f, i] = spare.own_left[0, i], spare.own_right[0, i]
    for i in range(k - 1):
        bound_gap(task, node, points, f, i)
    return best


@uncounted
def _least_bound(node, points, limit):
    """Return the least bound of a gap, or `limit` where the bounds of cuts in it are better than its own."""
    least = points.low[0, 0]
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            least = min(least, points.low[f, k])
    return max(least, limit)
