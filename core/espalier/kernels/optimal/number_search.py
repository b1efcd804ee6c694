"""The search for the best regression tree: of depth two by rounds of passes, of any depth best first.

The search for the best regression tree of any depth: best first, over the gaps of all columns. The gap with the
least bound is divided by a threshold in its middle, whose two sides are solved in the same way, one level less
deep; the first threshold of a node is the root of its best tree of depth two. So the least bound of all gaps
rises, while the best tree improves, until they meet. A limit of splits is dealt to both sides in every possible
way, one after the other.

Bounds that are handed between levels hold for trees whose leaves may have any number of rows, since they are
used for other sets of rows than their own: `KNOWN` was found on fewer rows, or with more splits, and `BOUND` will
bound more rows. `LOSS` alone is exact, with enough rows in each leaf, of its own rows.

A tree is written in preorder, without the splits of its lowest level: a column (-1: nothing), a rank, below
which rows go left, and how many splits the left side may have. Where nothing is written at the end of a path, the
rest is a leaf or a stump, which is quick to find.

The best regression tree of depth two over every threshold, by rounds of passes in lanes. The loss of the best tree
on a side of a threshold can only rise as rows join it, since the same tree remains when they leave. So two
thresholds that were solved bound all between them: from the left side of the lower one together with the right
side of the higher one (Mazumder, Meng & Wang 2022, Quant-BnB, section 3). A round tries as many thresholds as
there are lanes, of the most promising column, spread over its gaps that may still hold a better root; where these
are few, the next columns have the other lanes.

This holds of trees whose leaves may have any number of rows, even none. Where leaves need some, a tree may become
possible only as rows join. So whatever is handed on to other sets of rows bounds trees of any leaves: also those
whose root is a cut that leaves too few rows here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.number_stumps import (
    COUNT,
    NEVER,
    LaneScratch,
    TargetNode,
    TargetRows,
    best_stump,
    divide,
    leaf_loss,
    make_lane_scratch,
    make_nodes,
    node_at,
    note_cuts,
    rank_behind,
    solve_lanes,
    squared_loss,
)
from espalier.kernels.simd import REALS

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
    points, column_bounds = make_points((n_columns,), n_rows), np.zeros(n_columns)
    marks = (np.zeros(n_columns, np.bool_) for _ in range(2))
    return DepthTwoScratch(make_lane_scratch(n_rows), points, column_bounds, *marks, stop)


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
    low = min(_depth_two_least(rows, node, budget, scratch.points), least_beyond_ends(rows, node, scratch.points))
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
    n_seen, total = 0, max(total, room)
    for k in range(points.n[f] - 1):
        first, inside = points.cut[f, k] + 1, points.cut[f, k + 1] - points.cut[f, k] - 1
        if inside > 0 and gap_bound(rows, node, budget, points, f, k) < goal:
            share = (n_seen + inside) * room // total - n_seen * room // total
            for j in range(share):
                lane[n_lanes] = first + (2 * j + 1) * inside // (2 * share)
                scratch.stumps.column[n_lanes] = f
                n_lanes += 1
            n_seen += inside
    return n_lanes


@kernel
def _depth_two_least(rows, node, budget, points):
    """Return the least loss that a tree may have, by all points and gaps."""
    least = NEVER
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            if k > 0:
                least = min(least, points.left[f, k] + points.right[f, k] + rows.per_split)
            if points.cut[f, k + 1] - points.cut[f, k] > 1:
                least = min(least, gap_bound(rows, node, budget, points, f, k))
    return least


# ---- Trees of any depth

# Places in `work`: the root that is being solved, its gap, cut and rank; which side is, 0 or 1; whether the node
# is new; its splits at most, those of its root's left side, and the most that this side may get; the cut to try
# first.
COLUMN, GAP, CUT, RANK, SIDE, IS_NEW, SPLITS, OF_LEFT, MOST_LEFT, HINT_COLUMN, HINT_CUT = range(11)
# Places in `found`: the loss of the best tree; the least that a tree may have; the same for finished ways of
# dealing the splits; bound and limit that the node was given; of the left side, loss and bound; of the right one,
# its bound; and the limit of the side that is being solved.
LOSS, BOUND, LOW, KNOWN, LIMIT, LEFT_LOSS, LEFT_LOW, RIGHT_KNOWN, SIDE_LIMIT = range(9)
AT, SOLVED, WRITTEN = range(3)  # places in `state`
DONE = -1  # level of a search that is over
LAST_TREES = 64  # best trees that are kept, the newest of them


class RegressionStack(NamedTuple):
    """A search for the best tree; the levels are of the greatest depth, one less, ..., 2."""

    rows: TargetRows
    root: TargetNode
    points: SolvedPoints  # whose arrays, as all that follow, have a first axis for the levels
    left: TargetNode
    right: TargetNode
    work: np.ndarray  # (n_levels, 11) int64
    found: np.ndarray  # (n_levels, 9) float64
    tree: np.ndarray  # (n_levels, 3, n_splits) int32: the best one
    of_left: np.ndarray  # the same for the left side of the root that is being solved
    scratch: DepthTwoScratch
    state: np.ndarray  # (3,) int64: level where it goes on; nodes solved at the last level, finds written
    losses: np.ndarray  # (LAST_TREES,) float64: of the newest of the best trees, each in the place of its number
    trees: np.ndarray  # (LAST_TREES, 3, n_splits) int32
    stop: np.ndarray  # (1,) int64: not 0 to stop


def make_regression_search(
    rows: TargetRows, root: TargetNode, depth: int, splits: int, stop: np.ndarray
) -> RegressionStack:
    """Allocate the memory of a search for trees of this depth, at least 2, with so many splits at most."""
    n_levels, (n_columns, n) = depth - 1, rows.rank.shape
    n_inner = 2**n_levels - 1
    work, values = np.zeros((n_levels, 11), np.int64), np.zeros((n_levels, 9))
    work[0, IS_NEW], work[0, SPLITS] = 1, splits
    values[0, LIMIT] = values[0, LOSS] = NEVER
    trees = (np.full((n_levels, 3, n_inner), -1, np.int32) for _ in range(2))
    sides = (make_nodes(n_levels, n_columns, n) for _ in range(2))
    finds = np.zeros(LAST_TREES), np.full((LAST_TREES, 3, n_inner), -1, np.int32)
    points, scratch = make_points((n_levels, n_columns), n), make_scratch(n_columns, n, stop)
    return RegressionStack(
        rows, root, points, *sides, work, values, *trees, scratch, np.zeros(3, np.int64), *finds, stop
    )


@kernel
def run_regression(search):
    """Search until the best tree is proved, or the search is stopped; another call goes on from there.

    The levels are a stack: each but the last divides its node, and waits for the losses of both sides.
    """
    last = len(search.work) - 1
    k = search.state[AT]
    while k >= 0 and not search.stop[0]:
        if search.work[k, IS_NEW]:
            if _begin(search, k) and k == last:
                k = _hand_up(search, k)
        elif _divide_most_promising(search, k):
            k += 1
        else:
            k = _hand_up(search, k)
    search.state[AT] = k


@kernel
def node_of(search, k):
    """Return the node that is being solved at level k."""
    if k == 0:
        return search.root
    return node_at(search.right if search.work[k - 1, SIDE] else search.left, k - 1)


@kernel
def points_of(search, k):
    """Return the points of level k."""
    points = search.points
    return SolvedPoints(points.cut[k], points.left[k], points.right[k], points.n[k])


@kernel
def _begin(search, k):
    """Solve a new node at level k by trees of depth two; return False if that was stopped."""
    work, values, node, last = search.work[k], search.found[k], node_of(search, k), len(search.work) - 1
    least, limit = (values[KNOWN], values[LIMIT]) if k == last else (0.0, NEVER)
    best = best_pair(search.rows, node, min(work[SPLITS], STUMPS), least, limit, search.scratch)
    is_whole = search.stop[0] == 0
    if is_whole or k == 0:
        values[LOSS] = best.loss
        _write_root(search, k, node, best)
        if k == 0:
            _write_find(search)
    if is_whole:
        work[IS_NEW] = 0
        values[BOUND], values[LOW] = (best.low, best.low) if k == last else (values[KNOWN], NEVER)
        search.state[SOLVED] += 1
        if k < last:
            _begin_gaps(search, k, node, best)
    return is_whole


@kernel
def _write_root(search, k, node, best):
    """Write a tree of depth two as the best one of level k."""
    tree, splits = search.tree[k], search.work[k, SPLITS]
    tree[:] = -1
    tree[0, 0] = best.column
    if best.column >= 0:
        tree[1, 0] = rank_behind(search.rows, node, best.column, best.cut)
        tree[2, 0] = -1 if splits == 2 else 1  # of two splits, the side of the second one is found again


@kernel
def _begin_gaps(search, k, node, best):
    """Deal the splits of a node at level k in the first way, and open its gaps."""
    work, values = search.work[k], search.found[k]
    most, rest = 2 ** (len(search.work) - k) - 1, work[SPLITS] - 1  # of either side
    work[OF_LEFT], work[MOST_LEFT] = max(rest - most, 0), min(rest, most)
    work[HINT_COLUMN], work[HINT_CUT] = best.column, best.cut
    if work[SPLITS] <= 1:  # is solved
        work[OF_LEFT], values[LOW] = work[MOST_LEFT] + 1, best.low
    begin_points(search.rows, node, points_of(search, k))


@kernel
def _write_find(search):
    """Write the best tree of all rows among the finds, and count it when it is whole."""
    place = search.state[WRITTEN] % LAST_TREES
    search.losses[place] = search.found[0, LOSS]
    search.trees[place] = search.tree[0]
    search.state[WRITTEN] += 1


@kernel
def _divide_most_promising(search, k):
    """Divide the node at level k in the most promising gap; return False if none can hold a better tree."""
    work, values, node = search.work[k], search.found[k], node_of(search, k)
    while work[OF_LEFT] <= work[MOST_LEFT]:
        goal = min(values[LOSS], values[LIMIT])
        if _choose_gap(search, k, goal - search.rows.near):
            _divide_gap(search, k, node, goal)
            return True
        values[LOW] = min(values[LOW], _least(search, k, goal))
        if k > 0:  # of the root, no bound is handed on to more rows
            values[LOW] = min(values[LOW], least_beyond_ends(search.rows, node, points_of(search, k)))
        work[OF_LEFT] += 1
        begin_points(search.rows, node, points_of(search, k))
    values[BOUND] = max(min(values[LOW], min(values[LOSS], values[LIMIT])), values[KNOWN])
    return False


@kernel
def _choose_gap(search, k, goal):
    """Write the gap with the least bound below the goal, of several the longest, into `work`; False for none."""
    work, points, node = search.work[k], points_of(search, k), node_of(search, k)
    least, longest, is_found = goal, 0, False
    for f in range(len(node.n_cuts)):
        for at in range(points.n[f] - 1):
            inside = points.cut[f, at + 1] - points.cut[f, at] - 1
            low = points.left[f, at] + points.right[f, at + 1] + search.rows.per_split
            if inside > 0 and (low < least or (low == least and is_found and inside > longest)):
                least, longest, is_found = low, inside, True
                work[COLUMN], work[GAP] = f, at
    is_last_way = work[OF_LEFT] >= work[MOST_LEFT]
    search.found[k, BOUND] = max(min(least, search.found[k, LOW]) if is_last_way else 0.0, search.found[k, KNOWN])
    work[CUT] = (points.cut[work[COLUMN], work[GAP]] + points.cut[work[COLUMN], work[GAP] + 1]) // 2
    f, cut = work[HINT_COLUMN], work[HINT_CUT]
    if f >= 0 and points.n[f] == 2 and points.cut[f, 0] < cut < points.cut[f, 1]:
        work[COLUMN], work[GAP], work[CUT] = f, 0, cut
    work[HINT_COLUMN] = -1
    return is_found


@kernel
def _divide_gap(search, k, node, goal):
    """Divide the node at level k by the cut in `work`, and have the left side solved."""
    work, values, points = search.work[k], search.found[k], points_of(search, k)
    f, gap = work[COLUMN], work[GAP]
    work[RANK], work[SIDE] = rank_behind(search.rows, node, f, work[CUT]), 0
    divide(search.rows, node, f, work[RANK], node_at(search.left, k), node_at(search.right, k))
    values[RIGHT_KNOWN] = points.right[f, gap + 1]
    values[SIDE_LIMIT] = goal - values[RIGHT_KNOWN] - search.rows.per_split
    _hand_down(search, k, points.left[f, gap], work[OF_LEFT])


@kernel
def _hand_down(search, k, known, splits):
    """Have the level below k solve a side."""
    search.work[k + 1, IS_NEW], search.work[k + 1, SPLITS] = 1, splits
    search.found[k + 1, KNOWN], search.found[k + 1, LIMIT] = known, search.found[k, SIDE_LIMIT]


@kernel
def _hand_up(search, below):
    """Hand the loss of a solved node to the level above; return the level that goes on."""
    if below == 0:
        return DONE
    k = below - 1
    work, values, near, per_split = search.work[k], search.found[k], search.rows.near, search.rows.per_split
    loss, low, half = search.found[below, LOSS], search.found[below, BOUND], 2 ** (len(search.work) - below) - 1
    goal, points = min(values[LOSS], values[LIMIT]), points_of(search, k)
    if work[SIDE] == 0:
        values[LEFT_LOSS], values[LEFT_LOW] = loss, low
        search.of_left[k, :, :half] = search.tree[below, :, :half]
        if min(loss, values[SIDE_LIMIT]) + values[RIGHT_KNOWN] + per_split < goal - near:
            work[SIDE] = 1
            values[SIDE_LIMIT] = goal - points.left[work[COLUMN], work[GAP]] - per_split
            _hand_down(search, k, values[RIGHT_KNOWN], work[SPLITS] - 1 - work[OF_LEFT])
            return below
        low = values[RIGHT_KNOWN]
    elif values[LEFT_LOSS] + loss + per_split < values[LOSS] - near:
        values[LOSS] = values[LEFT_LOSS] + loss + per_split
        tree = search.tree[k]
        tree[0, 0], tree[1, 0], tree[2, 0] = work[COLUMN], work[RANK], work[OF_LEFT]
        tree[:, 1 : 1 + half] = search.of_left[k, :, :half]
        tree[:, 1 + half : 1 + 2 * half] = search.tree[below, :, :half]
        if k == 0:
            _write_find(search)
    insert(points, work[COLUMN], work[CUT], values[LEFT_LOW], low)
    return k


@kernel
def _least(search, k, goal):
    """Return the least loss of a tree with the splits dealt as now, by all points; at most the goal."""
    points, least = points_of(search, k), goal
    for f in range(len(points.n)):
        for at in range(1, points.n[f] - 1):
            least = min(least, points.left[f, at] + points.right[f, at] + search.rows.per_split)
    return least
