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
COLUMN, GAP, CUT, RANK, SIDE, OF_LEFT, KNOWN_RIGHT, IS_NEW, KNOWN = range(9)  # places in `work`
AT, SOLVED, WRITTEN = range(3)  # places in `state`
DONE = -1  # level of a search that is over
LAST_TREES = 64  # best trees that are kept, the newest of them


class StackLevel(NamedTuple):
    """Memory of a search at one depth: what is known of the roots, and the samples on both sides of one.

    `found` holds the value of the best tree; the least value that a tree may have; and how many cuts may still
    hold a better root. `work` holds the root that is being solved: its column, gap, cut and rank; which side is,
    0 or 1; the value of the left side, and the bound of the right one; and whether the node is new, with the
    bound of its value.
    """

    points: Points
    left: SortedNode
    right: SortedNode
    found: np.ndarray  # (3,) int64
    work: np.ndarray  # (9,) int64
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
    state: np.ndarray  # (3,) int64: level where it goes on; nodes solved at the last level; finds written
    finds: Finds
    stop: np.ndarray  # (1,) int64: not 0 to stop


def make_search(samples: SortedSamples, root: SortedNode, depth: int, stop: np.ndarray) -> SearchStack:
    """Allocate the memory of a search for trees of this depth, at least 2."""
    n_levels, n_columns, n = depth - 1, len(root.n_cuts), len(samples.label)
    shape, n_splits = (n_levels, n_columns, n + 1), 2**n_levels - 1
    values = (np.zeros(shape, np.int64) for _ in range(3))
    points = Points(np.zeros(shape, np.int32), *values, np.zeros((n_levels, n_columns), np.int64))
    sides = (_make_nodes(n_levels, n_columns, n) for _ in range(2))
    kept = (np.zeros((n_levels, 2, n_splits), np.int32) for _ in range(2))
    levels = StackLevel(
        points, *sides, np.zeros((n_levels, 3), np.int64), np.zeros((n_levels, 9), np.int64), *kept
    )
    levels.work[0, IS_NEW] = 1
    levels.found[0, VALUE] = NEVER
    finds = Finds(np.zeros(LAST_TREES, np.int64), np.zeros((LAST_TREES, 2, n_splits), np.int32))
    scratch = make_pair_scratch(samples, n_columns, stop)
    return SearchStack(samples, root, levels, scratch, np.zeros(3, np.int64), finds, stop)


def _make_nodes(n_levels: int, n_columns: int, n: int) -> SortedNode:
    shape, size = (n_levels, n_columns, n + 1), np.zeros((n_levels, 1), np.int64)
    order, n_cuts = np.zeros((n_levels, n_columns * n), np.int32), np.zeros((n_levels, n_columns), np.int64)
    return SortedNode(order, size, np.zeros(shape, np.int32), n_cuts, np.zeros(shape, np.int64))


@kernel
def run(search):
    """Search until the best tree is proved, or the search is stopped; another call goes on from there.

    The levels are a stack: each but the last divides its node, and waits for the values of both sides.
    """
    last = len(search.levels.found) - 1
    k = search.state[AT]
    while k >= 0 and not search.stop[0]:
        if k < last and _divide_most_promising(search, k):
            k += 1
        elif k < last or _solve_pair(search, k):
            k = _hand_up(search, k)
    search.state[AT] = k


@kernel
def level_of(search, k):
    """Return level k."""
    all_, points = search.levels, search.levels.points
    of_points = Points(points.cut[k], points.left[k], points.right[k], points.low[k], points.n[k])
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
    best, _ = best_pair(search.samples, node, level.work[KNOWN], NEVER, search.scratch)
    is_solved = not search.stop[0]
    if is_solved or k == 0:
        level.found[VALUE], level.tree[0, 0] = best.value, best.column
        if best.column >= 0:
            level.tree[1, 0] = rank_behind(search.samples, node, best.column, best.cut)
        if k == 0:
            _write_find(search)
    if is_solved:
        level.found[BOUND] = best.value
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
    value, level, below = search.levels.found[k, VALUE], level_of(search, k - 1), level_of(search, k)
    work, found, half = level.work, level.found, 2 ** (len(search.levels.found) - k) - 1
    if work[SIDE] == 0:
        work[OF_LEFT], work[SIDE] = value, 1
        level.of_left[:, :half] = below.tree[:, :half]
        below.work[IS_NEW], below.work[KNOWN] = 1, work[KNOWN_RIGHT]
        return k
    if work[OF_LEFT] + value + search.samples.tie < found[VALUE]:
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
def _begin(search, k):
    """Begin to solve a new node at level k."""
    level, samples, node = level_of(search, k), search.samples, node_of(search, k)
    note_cuts(samples, node)
    level.found[VALUE], level.tree[:] = samples.unit * leaf_cost(samples, node, search.scratch.sums), -1
    level.work[IS_NEW] = 0
    begin_points(node, level.points, level.work[KNOWN], samples.tie)
    if k == 0:
        _write_find(search)


@kernel
def _divide_most_promising(search, k):
    """Divide the node at level k by a threshold in the most promising gap; return whether there is such a gap."""
    samples, level, node = search.samples, level_of(search, k), node_of(search, k)
    points, found, work = level.points, level.found, level.work
    if work[IS_NEW]:
        _begin(search, k)
    while True:
        f, gap = _most_promising(node, points, found)
        if f < 0:
            return False
        near = ends(samples, node, points, f, gap, found[VALUE])
        if near.first <= near.last:
            break
        points.low[f, gap] = found[VALUE]
    cut = (near.first + near.last) // 2
    a, b, worth = points.cut[f, gap], points.cut[f, gap + 1], node.worth[f]
    left = max(points.left[f, gap], points.left[f, gap + 1] - samples.unit * (worth[b] - worth[cut]))
    right = max(points.right[f, gap + 1], points.right[f, gap] - samples.unit * (worth[cut] - worth[a]))
    rank = rank_behind(samples, node, f, cut)
    divide(samples, node, f, rank, level.left, level.right)
    work[COLUMN], work[GAP], work[CUT], work[RANK], work[SIDE], work[KNOWN_RIGHT] = f, gap, cut, rank, 0, right
    below = level_of(search, k + 1).work
    below[IS_NEW], below[KNOWN] = 1, left
    return True


@kernel
def _most_promising(node, points, found):
    """Return the column and the place of the gap with the least bound, of several the one of most worth.

    The column is -1 if no gap can hold a better tree; then the best tree is proved to be best.
    """
    least, column, place, most, n_open = found[VALUE], -1, 0, -1, 0
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            low = points.low[f, k]
            if low < found[VALUE]:
                n_open += points.cut[f, k + 1] - points.cut[f, k] - 1
                worth = node.worth[f, points.cut[f, k + 1]] - node.worth[f, points.cut[f, k]]
                if low < least or (low == least and worth > most):
                    least, column, place, most = low, f, k, worth
    found[BOUND], found[OPEN] = least, n_open
    return column, place
