"""The best tree of depth two over every threshold, by rounds of passes in lanes.

A round tries as many thresholds as there are lanes, spread over the gaps that may still hold a better root, and
closes what the results rule out. What a pass counts depends on the task: of classes see `stumps`, of numbers
`numbers`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.kernels import by_record, kernel
from espalier.kernels.optimal.thresholds import classes, numbers
from espalier.kernels.optimal.thresholds.classes import (
    WORTH,
    SideScratch,
    SortedSamples,
    leaf_cost,
    make_side_scratch,
    solve_sides,
)
from espalier.kernels.optimal.thresholds.nodes import (
    BOTH,
    LEFT,
    NEVER,
    NONE,
    RIGHT,
    Ends,
    Points,
    begin_points,
    bound_gap,
    ends,
    loose_bound,
    make_points,
    rank_behind,
)
from espalier.kernels.optimal.thresholds.numbers import (
    TargetRows,
    leaf_loss,
    make_lane_scratch,
    solve_lanes,
)
from espalier.kernels.optimal.thresholds.solved_nodes import (
    MOST_BYTES,
    NearNode,
    SolvedNodes,
    look_around,
    make_solved_nodes,
    note_solved,
)
from espalier.kernels.optimal.thresholds.stumps import (
    HeavyScratch,
    StumpScratch,
    heavy_sums,
    make_heavy_scratch,
    make_stump_scratch,
    note_runs,
    part_samples,
    sums_beside,
    sums_of_classes,
)


class PairScratch(NamedTuple):
    """Scratch memory for trees of depth two."""

    own: Any  # ClassScratch or LaneScratch
    points: Points
    spare: Points  # of one column: where new points are merged
    lane: np.ndarray  # (n_lanes,) int64: the cut of each lane
    column: np.ndarray  # (n_lanes,) int64: its column
    way: np.ndarray  # (1,) int64: which sides of the root may be stumps
    stop: np.ndarray  # (1,) int64: not 0 to stop


class ClassScratch(NamedTuple):
    """What only classes need of it."""

    stumps: StumpScratch  # of one lane more: there the left side is the whole node
    heavy: HeavyScratch
    sides: SideScratch
    sums: np.ndarray  # (n_classes,) int64
    positive: np.ndarray  # (n_columns, n_samples + 1) int64: of two classes, what samples of 1 left of a cut save
    solved: SolvedNodes


class Best(NamedTuple):
    """The value of the best tree found, and its root: a column and a cut; -1 for a leaf or stump.

    `stumps` tells which sides of the root may be stumps, or whether the whole tree may be one.
    """

    value: Any
    column: int
    cut: int
    stumps: int


class Start(NamedTuple):
    """What is known of a node before its first round."""

    best: Best
    known: Any  # no tree has a lower value
    goal: Any  # trees of this value or a higher one do not matter


def make_pair_scratch(
    task: SortedSamples | TargetRows, n_columns: int, stop: np.ndarray, memory: float = MOST_BYTES
) -> PairScratch:
    """Allocate scratch memory, of which so many bytes may remember nodes."""
    n, is_weighed = len(task.amount), task.least > 0
    own = (
        _make_class_scratch(task, n_columns, memory)
        if isinstance(task, SortedSamples)
        else make_lane_scratch(n_columns, n)
    )
    kind, n_lanes = (
        (np.int64, len(own.stumps.found) // 4 - 1) if isinstance(own, ClassScratch) else (float, numbers.REALS)
    )
    points, spare = (make_points((m, n + 1), kind, is_weighed) for m in (n_columns, 1))
    lane, column = np.zeros(n_lanes, np.int64), np.zeros(n_lanes, np.int64)
    return PairScratch(own, points, spare, lane, column, np.zeros(1, np.int64), stop)


def _make_class_scratch(samples: SortedSamples, n_columns: int, memory: float) -> ClassScratch:
    n_samples, n_classes, dtype = len(samples.label), samples.n_classes, samples.amount.dtype.type
    stumps = make_stump_scratch(n_columns, n_samples, n_classes, dtype)
    heavy = make_heavy_scratch(n_samples, len(stumps.found) // 4 if samples.least > 0 else 0, dtype)
    positive = np.zeros((n_columns if n_classes == 2 else 0, n_samples + 1), np.int64)
    sides, sums = make_side_scratch(n_classes, samples.least), np.zeros(n_classes, np.int64)
    return ClassScratch(stumps, heavy, sides, sums, positive, make_solved_nodes(n_columns, n_samples, memory))


# ---- A task: classes


@kernel
def _first_leaf(samples, node, splits, scratch):
    """Return a leaf: a search looks for a better tree than this one."""
    classes.note_cuts(samples, node)
    return Best(samples.unit * leaf_cost(samples, node, scratch.own.sums), -1, 0, NONE)


@kernel
def _best_stump_of_classes(samples, node, splits, scratch):
    classes.note_cuts(samples, node)
    sides, stumps, n = scratch.own.sides, LEFT if splits else NONE, len(samples.label)
    solve_sides(samples, node, samples.rank, n, stumps, sides)
    best = Best(sides.value[0], -1, 0, stumps)
    if samples.least > 0:
        sides.least[0] = 0
        solve_sides(samples, node, samples.rank, n, stumps, sides)
        sides.least[0] = samples.least
    return best, sides.value[0]


@kernel
def _look_at_classes(samples, node, known, limit, splits, scratch):
    classes.note_cuts(samples, node)
    own = scratch.own
    if samples.n_classes == 2:
        _note_positive(samples, node, own.positive)
    else:
        note_runs(samples, node, own.stumps)
    best = Best(samples.unit * leaf_cost(samples, node, own.sums), -1, 0, BOTH)
    # Other nodes tell something of this one only where all have three splits, and leaves of any weight.
    near = NearNode(known, NEVER)
    if splits > 2 and samples.least == 0:
        near = look_around(samples, node, own.solved)
    else:
        own.solved.floor[:] = 0
    # A tree of at most near.most is there to be found.
    return Start(best, max(known, near.least), min(limit, near.most + 1))


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
def _note_classes(samples, node, best, least, splits, scratch):
    if splits > 2 and samples.least == 0 and not scratch.stop[0]:
        note_solved(samples, node, scratch.points, best.value, least, scratch.own.solved)


@kernel
def _without_known_roots(samples, gap, f, limit, scratch):
    """Return the ends of a gap without roots that other nodes rule out."""
    first, last, floor = gap.first, gap.last, scratch.own.solved.floor[f]
    while first <= last and floor[first] >= limit:
        first += 1
    while first <= last and floor[last] >= limit:
        last -= 1
    return Ends(first, last)


@kernel
def _choose_of_all(samples, node, limit, scratch):
    return _spread_lanes(samples, node, (0, len(node.n_cuts) - 1), limit, 0, scratch)


@kernel
def _pass_classes(samples, node, n_lanes, best, scratch):
    """Find the best stumps on both sides of the chosen cuts, and of the whole node; return the best tree."""
    n_used = _set_thresholds(samples, node, n_lanes, scratch)
    own, stumps = scratch.own, scratch.own.stumps
    if samples.n_classes == 2:
        part_samples(samples, node, samples.signed, n_used, stumps, stumps.left)
        sums_beside(samples, node, stumps)
    else:
        part_samples(samples, node, samples.amount, n_used, stumps, stumps.left)
        sums_of_classes(samples, node, stumps)
    if samples.least > 0:
        if _promises(samples, node, n_lanes, best.value, scratch):
            heavy_sums(samples, node, n_used, stumps, own.heavy)
        else:
            own.heavy.found[:] = stumps.found
    total, _ = _sides_of_classes(samples, node, 0, len(scratch.lane), node.n_cuts[0] - 1, True, scratch)
    return Best(total, -1, 0, BOTH) if total < best.value else best


@kernel
def _promises(samples, node, n_lanes, limit, scratch):
    """Return whether a lane has a tree below the limit, or the whole node a stump, of leaves of any weight."""
    left, right = _sides_of_classes(samples, node, 0, len(scratch.lane), node.n_cuts[0] - 1, False, scratch)
    for j in range(n_lanes):
        if left < limit:
            break
        left, right = _sides_of_classes(samples, node, scratch.column[j], j, scratch.lane[j], False, scratch)
        left += right + samples.tie
    return left < limit


@kernel
def _set_thresholds(samples, node, n_lanes, scratch):
    """Write the thresholds of the chosen cuts; return how many columns they have."""
    stumps, n_used, lanes = scratch.own.stumps, 0, len(scratch.own.stumps.found) // 4
    for j in range(n_lanes):
        f = scratch.column[j]
        if j == 0 or f != scratch.column[j - 1]:
            stumps.threshold[f * lanes : (f + 1) * lanes] = 0
            stumps.column[n_used] = f
            n_used += 1
        stumps.threshold[f * lanes + j] = rank_behind(samples, node, f, scratch.lane[j])
    stumps.threshold[(scratch.column[0] + 1) * lanes - 1] = len(samples.label)
    return n_used


@kernel
def _sides_of_classes(samples, node, f, lane, cut, keeps_weight, scratch):
    own = scratch.own
    found = own.heavy.found if keeps_weight and samples.least > 0 else own.stumps.found
    stumps, lanes, last = scratch.way[0], len(found) // 4, node.n_cuts[f] - 1
    worth, all_worth = node.sums[f, cut, WORTH], node.sums[f, last, WORTH]
    a, b = np.int64(found[lane]), np.int64(found[lanes + lane])
    c, d = np.int64(found[2 * lanes + lane]), np.int64(found[3 * lanes + lane])
    if samples.n_classes == 2:
        positive = own.positive[f, cut]
        other = own.positive[f, last] - positive
        negative, rest = worth - positive, all_worth - worth - other
        stump, leaf = max(positive - a, negative + b), max(positive, negative)
        stump_right, leaf_right = max(other - c, rest + d), max(other, rest)
    else:
        stump, leaf, stump_right, leaf_right = a, c, b, d
    left, right = samples.unit * (worth - leaf), samples.unit * (all_worth - worth - leaf_right)
    if stumps & LEFT:
        left = min(left, samples.unit * (worth - stump) + samples.tie)
    if stumps & RIGHT:
        right = min(right, samples.unit * (all_worth - worth - stump_right) + samples.tie)
    return left, right


# ---- A task: numbers


@kernel
def _first_pair(rows, node, splits, scratch):
    """Return the best tree of depth two: it has the root that is tried first."""
    best, _ = best_pair(rows, node, 0.0, np.inf, 3, scratch)
    return best


@kernel
def _best_stump_of_numbers(rows, node, splits, scratch):
    numbers.note_cuts(rows, node)
    if splits == 0:
        loss = leaf_loss(node)
        return Best(loss, -1, 0, NONE), loss
    stump = numbers.best_stump(rows, node)
    return Best(stump.loss, -1, 0, LEFT), stump.bound


@kernel
def _look_at_numbers(rows, node, known, limit, splits, scratch):
    numbers.note_cuts(rows, node)
    return Start(Best(numbers.best_stump(rows, node).loss, -1, 0, BOTH), known, limit)


@kernel
def _note_numbers(rows, node, best, least, splits, scratch):
    """Note nothing: of numbers no node tells anything of another one that lacks some of its rows."""


@kernel
def _every_root(rows, gap, f, limit, scratch):
    return gap


@kernel
def _choose_by_column(rows, node, limit, scratch):
    """Give lanes, which are few here, to the column with the least bound, and to the next one if any are left."""
    points, n_lanes = scratch.points, 0
    scratch.own.has_lanes[: len(node.n_cuts)] = False
    while n_lanes < len(scratch.lane):
        least, column = limit, -1
        for f in range(len(node.n_cuts)):
            for k in range(points.n[f] - 1):
                if points.low[f, k] < least and not scratch.own.has_lanes[f]:
                    least, column = points.low[f, k], f
        if column < 0:
            break
        scratch.own.has_lanes[column] = True
        n_lanes = _spread_lanes(rows, node, (column, column), limit, n_lanes, scratch)
    return n_lanes


@kernel
def _pass_numbers(rows, node, n_lanes, best, scratch):
    solve_lanes(rows, node, n_lanes, scratch.lane, scratch.column, scratch.own)
    return best


@kernel
def _sides_of_numbers(rows, node, f, lane, cut, keeps_weight, scratch):
    own, stumps = scratch.own, scratch.way[0]
    found = own.fit if keeps_weight else own.bound
    left, right = own.leaf[0, lane], own.leaf[1, lane]
    if stumps & LEFT:
        left = found[0, lane]
    if stumps & RIGHT:
        right = found[1, lane]
    return left, right


def _by_task(of_classes, of_numbers):
    return by_record({SortedSamples: of_classes, TargetRows: of_numbers})


# The tree that a search begins with, with its cuts noted; it has at most so many splits
first_tree = _by_task(_first_leaf, _first_pair)
# The best stump, or leaf if there are no splits; and a bound that holds for more rows, too
best_stump = _by_task(_best_stump_of_classes, _best_stump_of_numbers)
look = _by_task(_look_at_classes, _look_at_numbers)  # what is known before the first round, with the cuts noted
note_pair = _by_task(_note_classes, _note_numbers)  # remember what was found of a node
choose_lanes = _by_task(_choose_of_all, _choose_by_column)  # cuts of gaps below a limit; returns how many
narrow = _by_task(_without_known_roots, _every_root)  # ends of a gap, of roots that may be below the limit
pass_lanes = _by_task(_pass_classes, _pass_numbers)  # find stumps beside the chosen cuts
# Values of the best leaves on both sides of a cut of column f, by what a lane found, or of the best stumps of the
# sides that may be stumps; whether they keep to the least weight, or may have any
side_values = _by_task(_sides_of_classes, _sides_of_numbers)


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
        n_lanes = choose_lanes(task, node, min(best.value, start.goal) - task.near, scratch)
        if n_lanes == 0:
            break
        best = _try_lanes(task, node, n_lanes, best, scratch)
    if task.least > 0:
        return best, loose_bound(task, node, scratch.points, min(best.value, start.goal))
    # What was tried is in no gap, and may be less than the bounds of all that are left.
    if best.value < start.goal:
        return best, best.value
    return best, min(best.value, _least_bound(node, scratch.points, start.goal))


@kernel
def _spread_lanes(task, node, columns, limit, n_lanes, scratch):
    """Spread the lanes from `n_lanes` on over the gaps of some columns that may hold a tree below the limit.

    `columns` are the first and the last of them. Return how many lanes there are then.
    """
    points, room, total = scratch.points, len(scratch.lane) - n_lanes, 0
    for f in range(columns[0], columns[1] + 1):
        for k in range(points.n[f] - 1):
            if points.low[f, k] < limit:
                gap = narrow(task, ends(task, node, points, f, k, limit), f, limit, scratch)
                if gap.first > gap.last:
                    points.low[f, k] = limit
                points.first[f, k], points.last[f, k] = gap.first, max(gap.last, gap.first - 1)
                total += points.last[f, k] - gap.first + 1
    n_seen, total = 0, max(total, room)
    for f in range(columns[0], columns[1] + 1):
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


@kernel
def _try_lanes(task, node, n_lanes, best, scratch):
    """Solve both sides of the chosen cuts, insert them as points, and return the best tree."""
    best, start = pass_lanes(task, node, n_lanes, best, scratch), 0
    for end in range(1, n_lanes + 1):
        if end == n_lanes or scratch.column[end] != scratch.column[start]:
            best = _merge(task, node, start, end, best, scratch)
            start = end
    return best


@kernel
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


@kernel
def _least_bound(node, points, limit):
    """Return the least bound of a gap, or `limit` where the bounds of cuts in it are better than its own."""
    least = points.low[0, 0]
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            least = min(least, points.low[f, k])
    return max(least, limit)
