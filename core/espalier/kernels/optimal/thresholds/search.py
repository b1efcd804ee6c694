"""The search for the best tree of any depth over every threshold: best first, over the gaps of all columns.

The gap with the least bound is divided by a threshold in its middle, whose two sides are solved in the same way,
one level less deep. So the least bound of all gaps rises, while the best tree improves, until they meet.

A tree is written in preorder, without the splits of its lowest level: a column (-1: nothing) and a rank, below
which samples go left. Where nothing is written at the end of a path, the rest is a leaf or a stump, which is
quick to find.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.depth_two import PairScratch, best_pair, make_pair_scratch
from espalier.kernels.optimal.thresholds.points import (
    NEVER,
    GapPlace,
    Points,
    SolvedCut,
    begin_points,
    ends,
    insert_point,
)
from espalier.kernels.optimal.thresholds.samples import (
    SortedNode,
    SortedSamples,
    divide,
    leaf_cost,
    note_cuts,
    rank_behind,
)

VALUE, BOUND, OPEN = range(3)  # places in `found`
# Places in `work`
COLUMN, GAP, CUT, RANK, SIDE, OF_LEFT, KNOWN_RIGHT, IS_NEW, KNOWN, LIMIT, REACH, HINT = range(12)
AT, SOLVED, WRITTEN, MOST = range(4)  # places in `state`
DONE = -1  # level of a search that is over
LAST_TREES = 64  # best trees that are kept, the newest of them


class StackLevel(NamedTuple):
    """Memory of a search at one depth: what is known of the roots, and the samples on both sides of one.

    `found` holds the value of the best tree; the least value that a tree may have; and how many cuts may still
    hold a better root. `work` holds the root that is being solved: its column, gap, cut and rank; which side is,
    0 or 1; the value of the left side, and the bound of the right one; whether the node is new, with the bound of
    its value; the limit from which on its value does not matter; how far the root is from the ends of its gap; and
    the place of the hint for this node, -1 for none.
    """

    points: Points
    left: SortedNode
    right: SortedNode
    found: np.ndarray  # (3,) int64
    work: np.ndarray  # (12,) int64
    tree: np.ndarray  # (2, n_splits) int32: the best one, its columns and its ranks
    of_left: np.ndarray  # the same for the left side of the root that is being solved


class Finds(NamedTuple):
    """The newest of the best trees that were found, each in the place of its number modulo LAST_TREES."""

    value: np.ndarray  # (LAST_TREES,) int64
    tree: np.ndarray  # (LAST_TREES, 2, n_splits) int32


class SearchStack(NamedTuple):
    """A search for the best tree of some samples; the levels are of the greatest depth, one less, ..., 2."""

    samples: SortedSamples
    root: SortedNode
    levels: StackLevel  # whose arrays have a first axis for the levels
    scratch: PairScratch
    state: (
        np.ndarray
    )  # (4,) int64: level where it goes on; nodes solved at the last level, finds written; nodes at most
    finds: Finds
    hint: np.ndarray  # (2, n_splits) int32: a tree whose roots are tried first
    stop: np.ndarray  # (1,) int64: not 0 to stop


def make_search(samples: SortedSamples, root: SortedNode, depth: int, stop: np.ndarray) -> SearchStack:
    """Allocate the memory of a search for trees of this depth, at least 2."""
    n_levels, n_columns, n = depth - 1, len(root.n_cuts), len(samples.label)
    shape, n_splits = (n_levels, n_columns, n + 1), 2**n_levels - 1
    values = (np.zeros(shape, np.int64) for _ in range(3))
    cut, ends_ = np.zeros(shape, np.int32), np.zeros((n_levels, n_columns, 0), np.int32)  # only depth two has ends
    points = Points(cut, *values, ends_, ends_, np.zeros((n_levels, n_columns), np.int64))
    sides = (_make_nodes(n_levels, n_columns, n) for _ in range(2))
    kept = (np.zeros((n_levels, 2, n_splits), np.int32) for _ in range(2))
    levels = StackLevel(
        points, *sides, np.zeros((n_levels, 3), np.int64), np.zeros((n_levels, 12), np.int64), *kept
    )
    levels.work[0, IS_NEW], levels.work[0, LIMIT] = 1, NEVER
    levels.found[0, VALUE] = NEVER
    finds = Finds(np.zeros(LAST_TREES, np.int64), np.zeros((LAST_TREES, 2, n_splits), np.int32))
    scratch = make_pair_scratch(samples, n_columns, stop)
    hint, state = np.full((2, n_splits), -1, np.int32), np.array([0, 0, 0, NEVER])
    return SearchStack(samples, root, levels, scratch, state, finds, hint, stop)


def _make_nodes(n_levels: int, n_columns: int, n: int) -> SortedNode:
    shape, size = (n_levels, n_columns, n + 1), np.zeros((n_levels, 1), np.int64)
    order, n_cuts = np.zeros((n_levels, n_columns * n), np.int32), np.zeros((n_levels, n_columns), np.int64)
    return SortedNode(order, size, np.zeros(shape, np.int32), n_cuts, np.zeros(shape, np.int64))


@kernel
def run(search):
    """Search until the best tree is proved, or the search is stopped, or has solved as many nodes as it may.

    Another call goes on from there.

    The levels are a stack: each but the last divides its node, and waits for the values of both sides.
    """
    last = len(search.levels.found) - 1
    k = search.state[AT]
    while k >= 0 and not search.stop[0] and search.state[SOLVED] < search.state[MOST]:
        if k < last and _divide_most_promising(search, k):
            k += 1
        elif k < last or _solve_pair(search, k):
            k = _hand_up(search, k)
    search.state[AT] = k


@kernel
def level_of(search, k):
    """Return level k."""
    all_, points = search.levels, search.levels.points
    of_points = Points(
        points.cut[k], points.left[k], points.right[k], points.low[k], points.first[k], points.last[k], points.n[k]
    )
    sides = _node_at(all_.left, k), _node_at(all_.right, k)
    return StackLevel(of_points, *sides, all_.found[k], all_.work[k], all_.tree[k], all_.of_left[k])


@kernel
def _node_at(nodes, k):
    return SortedNode(nodes.order[k], nodes.size[k], nodes.cut[k], nodes.n_cuts[k], nodes.worth[k])


@kernel
def node_of(search, k):
    """Return the node that is being solved at level k."""
    if k == 0:
        return search.root
    return _node_at(search.levels.right if search.levels.work[k - 1, SIDE] else search.levels.left, k - 1)


@kernel
def _solve_pair(search, k):
    """Solve a node by trees of depth two, at the last level; return whether it was solved before a stop."""
    level, node = level_of(search, k), node_of(search, k)
    best, least = best_pair(search.samples, node, level.work[KNOWN], level.work[LIMIT], search.scratch)
    is_solved = not search.stop[0]
    if is_solved or k == 0:
        level.found[VALUE], level.tree[0, 0] = best.value, best.column
        if best.column >= 0:
            level.tree[1, 0] = rank_behind(search.samples, node, best.column, best.cut)
        if k == 0:
            _write_find(search)
    if is_solved:
        level.found[BOUND] = least
        search.state[SOLVED] += 1
    return is_solved


@kernel
def _write_find(search):
    """Write the best tree of all samples among the finds, and count it when it is whole."""
    place = search.state[WRITTEN] % LAST_TREES
    search.finds.value[place] = search.levels.found[0, VALUE]
    search.finds.tree[place] = search.levels.tree[0]
    search.state[WRITTEN] += 1


@kernel
def _hand_up(search, k):
    """Hand the value of a solved node to the level above; return the level that goes on."""
    if k == 0:
        return DONE
    value, level, below = search.levels.found[k, BOUND], level_of(search, k - 1), level_of(search, k)
    work, found, half = level.work, level.found, 2 ** (len(search.levels.found) - k) - 1
    goal = min(found[VALUE], work[LIMIT])
    if work[SIDE] == 0:
        work[OF_LEFT], limit = value, goal - value - search.samples.tie + work[REACH]
        level.of_left[:, :half] = below.tree[:, :half]
        if work[KNOWN_RIGHT] < limit:
            work[SIDE] = 1
            _hand_down(level, below, work[KNOWN_RIGHT], limit, half + 1)
            return k
        value = work[KNOWN_RIGHT]
    elif work[OF_LEFT] + value + search.samples.tie < goal:
        found[VALUE] = work[OF_LEFT] + value + search.samples.tie
        level.tree[0, 0], level.tree[1, 0] = work[COLUMN], work[RANK]
        level.tree[:, 1 : 1 + half] = level.of_left[:, :half]
        level.tree[:, 1 + half : 1 + 2 * half] = below.tree[:, :half]
        if k == 1:
            _write_find(search)
    place, solved = GapPlace(work[COLUMN], work[GAP]), SolvedCut(work[CUT], work[OF_LEFT], value)
    insert_point(search.samples, node_of(search, k - 1), level.points, place, solved)
    return k - 1


@kernel
def _hand_down(level, below, known, limit, place):
    """Have the level below solve a side, whose hint is so many places behind the root's."""
    work, hint = below.work, level.work[HINT]
    work[IS_NEW], work[KNOWN], work[LIMIT], work[HINT] = 1, known, limit, hint + place if hint >= 0 else -1


@kernel
def _begin(search, k):
    """Begin to solve a new node at level k."""
    level, samples, node = level_of(search, k), search.samples, node_of(search, k)
    note_cuts(samples, node)
    level.found[VALUE], level.tree[:] = samples.unit * leaf_cost(samples, node, search.scratch.sums), -1
    level.work[IS_NEW] = 0
    level.found[OPEN] = node.n_cuts.sum() - 2 * len(node.n_cuts)
    begin_points(node, level.points, level.work[KNOWN], samples.tie)
    if k == 0:
        _write_find(search)


@kernel
def _divide_most_promising(search, k):
    """Divide the node at level k by a threshold in the most promising gap; return whether there is such a gap."""
    work, place = level_of(search, k).work, GapPlace(-1, 0)
    if work[IS_NEW]:
        _begin(search, k)
        place = _hinted(search, k)
    if place.column < 0:
        work[HINT] = -1
        place = _next_gap(search, k)
    if place.column >= 0:
        _divide_gap(search, k, place)
    return place.column >= 0


@kernel
def _hinted(search, k):
    """Return the gap of the root that is hinted at, or column -1; write its cut into `work`."""
    level, node = level_of(search, k), node_of(search, k)
    hint = level.work[HINT]
    f = search.hint[0, hint] if hint >= 0 else -1
    if f >= 0:
        for cut in range(1, node.n_cuts[f] - 1):
            if rank_behind(search.samples, node, f, cut) >= search.hint[1, hint]:
                level.work[CUT] = cut
                return GapPlace(f, 0)
    return GapPlace(-1, 0)


@kernel
def _next_gap(search, k):
    """Return the most promising gap, or column -1 if none can hold a better tree; write its middle into `work`."""
    level, node = level_of(search, k), node_of(search, k)
    points, found, work = level.points, level.found, level.work
    while True:
        goal = min(found[VALUE], work[LIMIT])
        place = _most_promising(node, points, found, goal)
        if place.column < 0:
            return place
        near = ends(search.samples, node, points, place.column, place.point, goal)
        if near.first <= near.last:
            work[CUT] = (near.first + near.last) // 2
            return place
        points.low[place.column, place.point] = goal


@kernel
def _divide_gap(search, k, place):
    """Divide the node at level k by the cut in a gap that stands in `work`, and have the left side solved."""
    samples, level, node = search.samples, level_of(search, k), node_of(search, k)
    points, found, work = level.points, level.found, level.work
    f, gap, cut = place.column, place.point, work[CUT]
    a, b, worth = points.cut[f, gap], points.cut[f, gap + 1], node.worth[f]
    before, behind = samples.unit * (worth[cut] - worth[a]), samples.unit * (worth[b] - worth[cut])
    left = max(points.left[f, gap], points.left[f, gap + 1] - behind)
    right = max(points.right[f, gap + 1], points.right[f, gap] - before)
    rank = rank_behind(samples, node, f, cut)
    divide(samples, node, f, rank, level.left, level.right)
    work[COLUMN], work[GAP], work[RANK], work[SIDE], work[KNOWN_RIGHT] = f, gap, rank, 0, right
    work[REACH] = max(before, behind) + samples.unit
    goal = min(found[VALUE], work[LIMIT])
    _hand_down(level, level_of(search, k + 1), left, goal - right - samples.tie + work[REACH], 1)


@kernel
def _most_promising(node, points, found, goal):
    """Return the gap with the least bound, of several the one of most worth.

    The column is -1 if no gap can hold a tree below the goal; then the best tree is proved to be best.
    """
    least, column, place, most, n_open = goal, -1, 0, -1, 0
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            low = points.low[f, k]
            if low < goal:
                n_open += points.cut[f, k + 1] - points.cut[f, k] - 1
                worth = node.worth[f, points.cut[f, k + 1]] - node.worth[f, points.cut[f, k]]
                if low < least or (low == least and worth > most):
                    least, column, place, most = low, f, k, worth
    found[BOUND], found[OPEN] = least, n_open
    return GapPlace(column, place)
