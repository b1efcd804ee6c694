"""The best tree of depth two over every threshold, by rounds of a pass in lanes for each column.

A round tries as many thresholds of a column as there are lanes, spread over the gaps that may still hold a better
root, and closes what the results rule out; the first round spreads them over the whole column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.points import (
    NEVER,
    Points,
    begin_points,
    bound_gap,
    ends,
    make_points,
)
from espalier.kernels.optimal.thresholds.samples import SortedSamples, leaf_cost, note_cuts, rank_behind
from espalier.kernels.optimal.thresholds.stumps import (
    StumpScratch,
    make_stump_scratch,
    note_runs,
    sums_beside,
    sums_of_classes,
)


class PairScratch(NamedTuple):
    """Scratch memory for trees of depth two."""

    stumps: StumpScratch
    points: Points
    spare: Points  # of one column: where new points are merged
    lane: np.ndarray  # (lanes,) int64: the cut of each lane
    sums: np.ndarray  # (n_classes,) int64
    positive: np.ndarray  # (n_columns, n_samples + 1) int64: of two classes, what samples of 1 left of a cut save
    stop: np.ndarray  # (1,) int64: not 0 to stop


class Best(NamedTuple):
    """The value of the best tree found, and its root: a column and a cut; -1 for a leaf or stump."""

    value: int
    column: int
    cut: int


def make_pair_scratch(samples: SortedSamples, n_columns: int, stop: np.ndarray) -> PairScratch:
    """Allocate scratch memory."""
    n_samples, n_classes, dtype = len(samples.label), samples.n_classes, samples.amount.dtype.type
    stumps = make_stump_scratch(n_columns, n_samples, n_classes, dtype)
    points, spare = make_points(n_columns, n_samples), make_points(1, n_samples)
    lane, sums = np.zeros(len(stumps.threshold), np.int64), np.zeros(n_classes, np.int64)
    shape = n_columns if n_classes == 2 else 0, n_samples + 1
    return PairScratch(stumps, points, spare, lane, sums, np.zeros(shape, np.int64), stop)


@kernel
def best_pair(samples, node, known, limit, scratch):
    """Return the best tree of depth two on the node's samples, and a lower bound of its value.

    They agree if the value is less than `limit`; else the bound may be lower, but no less than `limit`. No tree
    has a lower value than `known`. Cuts of the node are noted here. Once stopped, it returns what it has.
    """
    note_cuts(samples, node)
    if samples.n_classes == 2:
        _note_positive(samples, node, scratch.positive)
    else:
        note_runs(samples, node, scratch.stumps)
    best = Best(samples.unit * leaf_cost(samples, node, scratch.sums), -1, 0)
    if min(best.value, limit) <= known:
        return best, min(best.value, known)
    begin_points(node, scratch.points, known, samples.tie)
    is_open = True
    while is_open and min(best.value, limit) > known and not scratch.stop[0]:
        is_open = False
        for f in range(len(node.n_cuts)):
            if scratch.stop[0]:
                break
            n_lanes = _choose_lanes(samples, node, f, min(best.value, limit), scratch)
            if n_lanes > 0:
                is_open = True
                best = _try_lanes(samples, node, f, n_lanes, best, scratch)
    return best, best.value if best.value < limit else _least_bound(node, scratch.points, limit)


@kernel
def _note_positive(samples, node, positive):
    """Write what the samples of class 1 save that are left of each cut."""
    n = len(samples.label)
    for f in range(len(node.n_cuts)):
        total = 0
        for k in range(1, node.n_cuts[f]):
            for i in range(node.cut[f, k - 1], node.cut[f, k]):
                total += max(samples.signed[node.order[f * n + i]], 0)
            positive[f, k] = total


@kernel
def _choose_lanes(samples, node, f, limit, scratch):
    """Choose cuts of column f, in order, from gaps that may hold a tree below the limit; return how many.

    The last lane is left over: there the left side is the whole node.
    """
    points, lanes, room = scratch.points, scratch.lane, len(scratch.lane) - 1
    total = 0
    for k in range(points.n[f] - 1):
        if points.low[f, k] < limit:
            gap = ends(samples, node, points, f, k, limit)
            total += max(gap.last - gap.first + 1, 0)
    n_lanes, seen = 0, 0
    for k in range(points.n[f] - 1):
        if points.low[f, k] < limit:
            gap = ends(samples, node, points, f, k, limit)
            length = max(gap.last - gap.first + 1, 0)
            share = (seen + length) * room // max(total, room) - seen * room // max(total, room)
            share = min(max(share, min(length, 1)), room - n_lanes)
            for j in range(share):
                lanes[n_lanes] = gap.first + (2 * j + 1) * length // (2 * share)
                n_lanes += 1
            seen += length
    return n_lanes


@kernel
def _try_lanes(samples, node, f, n_lanes, best, scratch):
    """Solve both sides of the chosen cuts, insert them as points, and return the best tree."""
    stumps, lane = scratch.stumps, scratch.lane
    stumps.threshold[:] = len(samples.label)
    for j in range(n_lanes):
        stumps.threshold[j] = rank_behind(samples, node, f, lane[j])
    if samples.n_classes == 2:
        sums_beside(samples, node, f, stumps)
    else:
        sums_of_classes(samples, node, f, stumps)
    last = node.n_cuts[f] - 1
    whole, _ = _side_values(samples, node, f, len(lane) - 1, last, scratch)
    if whole < best.value:
        best = Best(whole, -1, 0)
    return _merge(samples, node, f, n_lanes, best, scratch)


@kernel
def _merge(samples, node, f, n_lanes, best, scratch):
    """Insert the solved lanes between the points of column f; return the best tree."""
    points, spare, lane = scratch.points, scratch.spare, scratch.lane
    i, j, k, n_old = 0, 0, 0, points.n[f]
    while i < n_old or j < n_lanes:
        if j == n_lanes or (i < n_old and points.cut[f, i] < lane[j]):
            cut, left, right = np.int64(points.cut[f, i]), points.left[f, i], points.right[f, i]
            i += 1
        else:
            cut = lane[j]
            left, right = _side_values(samples, node, f, j, cut, scratch)
            if left + right + samples.tie < best.value:
                best = Best(left + right + samples.tie, f, cut)
            j += 1
        spare.cut[0, k], spare.left[0, k], spare.right[0, k] = cut, left, right
        k += 1
    points.n[f] = k
    for i in range(k):
        points.cut[f, i] = spare.cut[0, i]
        points.left[f, i], points.right[f, i] = spare.left[0, i], spare.right[0, i]
    for i in range(k - 1):
        bound_gap(samples, node, points, f, i)
    return best


@kernel
def _side_values(samples, node, f, lane, cut, scratch):
    """Return the values of the best stumps or leaves on both sides of a cut of column f that a lane tried."""
    found, lanes, last = scratch.stumps.found, len(scratch.lane), node.n_cuts[f] - 1
    worth, all_worth = node.worth[f, cut], node.worth[f, last]
    a, b = np.int64(found[lane]), np.int64(found[lanes + lane])
    c, d = np.int64(found[2 * lanes + lane]), np.int64(found[3 * lanes + lane])
    if samples.n_classes == 2:
        positive = scratch.positive[f, cut]
        other = scratch.positive[f, last] - positive
        negative, rest = worth - positive, all_worth - worth - other
        stump, leaf = max(positive - a, negative + b), max(positive, negative)
        stump_right, leaf_right = max(other - c, rest + d), max(other, rest)
    else:
        stump, leaf, stump_right, leaf_right = a, c, b, d
    left = min(samples.unit * (worth - leaf), samples.unit * (worth - stump) + samples.tie)
    rest_worth = all_worth - worth
    right = min(samples.unit * (rest_worth - leaf_right), samples.unit * (rest_worth - stump_right) + samples.tie)
    return left, right


@kernel
def _least_bound(node, points, limit):
    """Return the least bound of a gap, or `limit` where the bounds of cuts in it are better than its own."""
    least = NEVER
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            least = min(least, points.low[f, k])
    return max(least, limit)
