"""The search for the best regression tree of any depth: best first, over the gaps of all columns.

The gap with the least bound is divided by a threshold in its middle, whose two sides are solved in the same way,
one level less deep; the first threshold of a node is the root of its best tree of depth two. So the least bound of
all gaps rises, while the best tree improves, until they meet. A limit of splits is dealt to both sides in every
possible way, one after the other.

Bounds that are handed between levels hold for trees whose leaves may have any number of rows, since they are
used for other sets of rows than their own: `KNOWN` was found on fewer rows, or with more splits, and `BOUND` will
bound more rows. `LOSS` alone is exact, with enough rows in each leaf, of its own rows.

A tree is written in preorder, without the splits of its lowest level: a column (-1: nothing), a rank, below
which rows go left, and how many splits the left side may have. Where nothing is written at the end of a path, the
rest is a leaf or a stump, which is quick to find.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.depth_two import (
    STUMPS,
    DepthTwoScratch,
    SolvedPoints,
    begin_points,
    best_pair,
    insert,
    least_beyond_ends,
    make_points,
    make_scratch,
)
from espalier.kernels.optimal.regression.rows import (
    TargetNode,
    TargetRows,
    divide,
    make_nodes,
    node_at,
    rank_behind,
)
from espalier.kernels.optimal.regression.stumps import NEVER

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
    work, found = np.zeros((n_levels, 11), np.int64), np.zeros((n_levels, 9))
    work[0, IS_NEW], work[0, SPLITS] = 1, splits
    found[0, LIMIT] = found[0, LOSS] = NEVER
    kept = (np.full((n_levels, 3, n_inner), -1, np.int32) for _ in range(2))
    sides = (make_nodes(n_levels, n_columns, n) for _ in range(2))
    finds = np.zeros(LAST_TREES), np.full((LAST_TREES, 3, n_inner), -1, np.int32)
    points, scratch = make_points((n_levels, n_columns), n), make_scratch(n_columns, n, stop)
    return RegressionStack(
        rows, root, points, *sides, work, found, *kept, scratch, np.zeros(3, np.int64), *finds, stop
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
    work, found, node, last = search.work[k], search.found[k], node_of(search, k), len(search.work) - 1
    known, limit = (found[KNOWN], found[LIMIT]) if k == last else (0.0, NEVER)
    best = best_pair(search.rows, node, min(work[SPLITS], STUMPS), known, limit, search.scratch)
    is_whole = search.stop[0] == 0
    if is_whole or k == 0:
        found[LOSS] = best.loss
        _write_root(search, k, node, best)
        if k == 0:
            _write_find(search)
    if is_whole:
        work[IS_NEW] = 0
        found[BOUND], found[LOW] = (best.low, best.low) if k == last else (found[KNOWN], NEVER)
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
    work, found = search.work[k], search.found[k]
    most, rest = 2 ** (len(search.work) - k) - 1, work[SPLITS] - 1  # of either side
    work[OF_LEFT], work[MOST_LEFT] = max(rest - most, 0), min(rest, most)
    work[HINT_COLUMN], work[HINT_CUT] = best.column, best.cut
    if work[SPLITS] <= 1:  # is solved
        work[OF_LEFT], found[LOW] = work[MOST_LEFT] + 1, best.low
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
    work, found, node = search.work[k], search.found[k], node_of(search, k)
    while work[OF_LEFT] <= work[MOST_LEFT]:
        goal = min(found[LOSS], found[LIMIT])
        if _choose_gap(search, k, goal - search.rows.near):
            _divide_gap(search, k, node, goal)
            return True
        found[LOW] = min(found[LOW], _least(search, k, goal))
        if k > 0:  # of the root, no bound is handed on to more rows
            found[LOW] = min(found[LOW], least_beyond_ends(search.rows, node, points_of(search, k)))
        work[OF_LEFT] += 1
        begin_points(search.rows, node, points_of(search, k))
    found[BOUND] = max(min(found[LOW], min(found[LOSS], found[LIMIT])), found[KNOWN])
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
    work, found, points = search.work[k], search.found[k], points_of(search, k)
    f, gap = work[COLUMN], work[GAP]
    work[RANK], work[SIDE] = rank_behind(search.rows, node, f, work[CUT]), 0
    divide(search.rows, node, f, work[RANK], node_at(search.left, k), node_at(search.right, k))
    found[RIGHT_KNOWN] = points.right[f, gap + 1]
    found[SIDE_LIMIT] = goal - found[RIGHT_KNOWN] - search.rows.per_split
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
    work, found, near, per_split = search.work[k], search.found[k], search.rows.near, search.rows.per_split
    loss, low, half = search.found[below, LOSS], search.found[below, BOUND], 2 ** (len(search.work) - below) - 1
    goal, points = min(found[LOSS], found[LIMIT]), points_of(search, k)
    if work[SIDE] == 0:
        found[LEFT_LOSS], found[LEFT_LOW] = loss, low
        search.of_left[k, :, :half] = search.tree[below, :, :half]
        if min(loss, found[SIDE_LIMIT]) + found[RIGHT_KNOWN] + per_split < goal - near:
            work[SIDE] = 1
            found[SIDE_LIMIT] = goal - points.left[work[COLUMN], work[GAP]] - per_split
            _hand_down(search, k, found[RIGHT_KNOWN], work[SPLITS] - 1 - work[OF_LEFT])
            return below
        low = found[RIGHT_KNOWN]
    elif found[LEFT_LOSS] + loss + per_split < found[LOSS] - near:
        found[LOSS] = found[LEFT_LOSS] + loss + per_split
        tree = search.tree[k]
        tree[0, 0], tree[1, 0], tree[2, 0] = work[COLUMN], work[RANK], work[OF_LEFT]
        tree[:, 1 : 1 + half] = search.of_left[k, :, :half]
        tree[:, 1 + half : 1 + 2 * half] = search.tree[below, :, :half]
        if k == 0:
            _write_find(search)
    insert(points, work[COLUMN], work[CUT], found[LEFT_LOW], low)
    return k


@kernel
def _least(search, k, goal):
    """Return the least loss of a tree with the splits dealt as now, by all points; at most the goal."""
    points, least = points_of(search, k), goal
    for f in range(len(points.n)):
        for at in range(1, points.n[f] - 1):
            least = min(least, points.left[f, at] + points.right[f, at] + search.rows.per_split)
    return least
