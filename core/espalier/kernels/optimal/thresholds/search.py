"""The search for the best tree of any depth over every threshold: best first, over the gaps of all columns.

The gap with the least bound is divided by a threshold in its middle, whose two sides are solved in the same way,
one level less deep. So the least bound of all gaps rises, while the best tree improves, until they meet. The first
threshold of a node is the root of a tree that is known, if there is one; beside a new best root of all rows, a few
gaps come first: better ones are often near.

A limit of splits leaves each root several ways to share them out between its sides; each way has gaps of its own,
in columns of its own (see `nodes.Points`).

Bounds are handed from one set of rows to another, values are not: `KNOWN` of a node holds for it since it was
found on fewer rows, and `BOUND` will hold for more rows; `VALUE` alone is that of a tree of these very rows.

A tree is written in preorder, without the stumps at its ends, which are quick to find: of each split a column (-1:
nothing) and a rank, below which rows go left; and which of its sides are stumps, or leaves if these are better, or
whether the rest is one where nothing else is written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.optimal.thresholds.classes import MOST_BYTES, SortedSamples
from espalier.kernels.optimal.thresholds.depth_two import (
    PairScratch,
    best_pair,
    best_stump,
    first_tree,
    make_pair_scratch,
)
from espalier.kernels.optimal.thresholds.nodes import (
    LEFT,
    NEVER,
    RIGHT,
    GapPlace,
    Points,
    SolvedCut,
    SortedNode,
    begin_points,
    divide,
    ends,
    insert_point,
    is_light,
    loose_bound,
    make_nodes,
    make_points,
    node_at,
    rank_behind,
)
from espalier.kernels.optimal.thresholds.numbers import TargetRows

VALUE, BOUND, KNOWN, LIMIT, OF_LEFT, OWN_LEFT, KNOWN_RIGHT, REACH = range(8)  # places in `found`
COLUMN, GAP, CUT, RANK, SIDE, IS_NEW, HINT, SPLITS, OPEN, PROBES, BEST, BEST_CUT = range(12)  # places in `work`
AT, SOLVED, WRITTEN, MOST = range(4)  # places in `state`
FEW = 2  # splits of a tree that has a depth of at most two, however deep it may be
DONE = -1  # level of a search that is over
LAST_TREES = 64  # best trees that are kept, the newest of them


class StackLevel(NamedTuple):
    """Memory of a search at one depth: what is known of the roots, and the rows on both sides of one.

    `found` holds the value of the best tree; the least value that a tree may have; the bound that the node was
    given, and the limit from which on its value does not matter; of the root that is being solved the bound of the
    left side for more rows and its own, and the bound of the right one; and how far the root is from the ends of
    its gap, or 0 where that tells nothing. `work` holds this root: its column, among those of all ways, and its
    gap, cut and rank; which side is being solved, 0 or 1; whether the node is new; the place of its hint, -1 for
    none; its most splits; how many cuts may still hold a better root; and of the best root the probes beside it
    that are left, its column, as above, and its cut.
    """

    points: Points
    left: SortedNode
    right: SortedNode
    found: np.ndarray  # (8,) int64 of classes, float64 of numbers: values
    work: np.ndarray  # (12,) int64
    tree: np.ndarray  # (3, n_splits) int32: the best one: columns, ranks, and which sides may be stumps
    of_left: np.ndarray  # the same for the left side of the root that is being solved


class Finds(NamedTuple):
    """The newest of the best trees that were found, each in the place of its number modulo LAST_TREES."""

    value: np.ndarray  # (LAST_TREES,)
    tree: np.ndarray  # (LAST_TREES, 3, n_splits) int32


class SearchStack(NamedTuple):
    """A search for the best tree of some rows; the levels are of the greatest depth, one less, ..., 2."""

    task: SortedSamples | TargetRows
    root: SortedNode
    levels: StackLevel  # whose arrays have a first axis for the levels
    scratch: PairScratch
    state: np.ndarray  # (4,) int64: level where it goes on; nodes solved, finds written; nodes at most
    finds: Finds
    hint: np.ndarray  # (3, n_splits) int32: a tree whose roots are tried first
    stop: np.ndarray  # (1,) int64: not 0 to stop


class SearchSize(NamedTuple):
    """The most that a tree may have."""

    depth: int
    splits: int


def make_search(
    task: SortedSamples | TargetRows, root: SortedNode, size: SearchSize, stop: np.ndarray,
    memory: float = MOST_BYTES,
) -> SearchStack:  # fmt: skip
    """Allocate a search for trees of this size, with a depth and splits of at least 2.

    It remembers nodes in so many bytes of memory.
    """
    n_levels, (n_columns, _, n_sums) = size.depth - 1, root.sums.shape
    kind, n_splits = root.sums.dtype.type, 2**n_levels - 1
    n_kept = len(task.amount) if n_levels > 1 else 0
    shape = n_levels, _most_ways(size) * n_columns, n_kept + 1
    points = make_points(shape, kind, task.least > 0, has_ends=False)  # only depth two has ends
    sides = (make_nodes((n_levels, n_columns), n_kept, n_sums, kind) for _ in range(2))
    trees = (np.zeros((n_levels, 3, n_splits), np.int32) for _ in range(2))
    levels = StackLevel(points, *sides, np.zeros((n_levels, 8), kind), np.zeros((n_levels, 12), np.int64), *trees)
    levels.work[0, IS_NEW], levels.work[0, SPLITS] = 1, size.splits
    levels.found[0, LIMIT] = levels.found[0, VALUE] = NEVER
    finds = Finds(np.zeros(LAST_TREES, kind), np.zeros((LAST_TREES, 3, n_splits), np.int32))
    scratch = make_pair_scratch(task, n_columns, stop, memory if n_levels > 1 else 0)
    hint, state = np.full((3, n_splits), -1, np.int32), np.array([0, 0, 0, NEVER])
    return SearchStack(task, root, levels, scratch, state, finds, hint, stop)


def _most_ways(size: SearchSize) -> int:
    """Return in how many ways a root may share out splits between its sides, at most."""
    if size.splits == 2**size.depth - 1:
        return 1  # all sides may have all their splits
    few = [range(min(2 ** (below + 1), size.splits + 1)) for below in range(1, size.depth)]
    return max(ways_of(below, splits).n for below, some in enumerate(few, 1) for splits in some)


class Ways(NamedTuple):
    """The ways to share out splits between the sides of a root: the least on the left side, and how many ways."""

    least: int
    n: int


@uncounted
def ways_of(below, splits):
    """Return the ways to share out so many splits, less that of the root, on sides of a depth `below`."""
    most = 2**below - 1
    least = max(splits - 1 - most, 0)
    return Ways(least, max(min(splits - 1, most) - least + 1, 1))


@uncounted
def splits_of_side(search, k, side):
    """Return the most splits of a side of the root that is being solved at level k."""
    work, below = search.levels.work[k], len(search.levels.found) - k
    left = ways_of(below, work[SPLITS]).least + work[COLUMN] // len(search.root.n_cuts)
    return work[SPLITS] - 1 - left if side else left


@kernel
def level_of(search, k):
    """Return level k."""
    all_, points = search.levels, search.levels.points
    level_points = Points(
        points.cut[k], points.left[k], points.right[k], points.own_left[k], points.own_right[k],
        points.low[k], points.first[k], points.last[k], points.n[k],
    )  # fmt: skip
    sides = node_at(all_.left, k), node_at(all_.right, k)
    return StackLevel(level_points, *sides, all_.found[k], all_.work[k], all_.tree[k], all_.of_left[k])


@kernel
def node_of(search, k):
    """Return the node that is being solved at level k."""
    if k == 0:
        return search.root
    return node_at(search.levels.right if search.levels.work[k - 1, SIDE] else search.levels.left, k - 1)


# ---- The search

NEAR = 6  # probes beside a new best root


@kernel
def run(search):
    """Search until the best tree is proved, or the search is stopped, or has solved as many nodes as it may.

    Another call goes on from there.

    The levels are a stack: each but the last, or one of few splits, divides its node, and waits for the values of
    both sides.
    """
    last = len(search.levels.found) - 1
    k = search.state[AT]
    while k >= 0 and not search.stop[0] and search.state[SOLVED] < search.state[MOST]:
        if k == last or search.levels.work[k, SPLITS] <= FEW:
            if _solve_pair(search, k):
                k = _hand_up(search, k)
        elif _divide_most_promising(search, k):
            k += 1
        else:
            _close(search, k)
            k = _hand_up(search, k)
    search.state[AT] = k


@kernel
def _solve_pair(search, k):
    """Solve a node by trees of depth two; return whether it was solved before a stop."""
    level, node, splits = level_of(search, k), node_of(search, k), search.levels.work[k, SPLITS]
    if splits < FEW:
        best, least = best_stump(search.task, node, splits, search.scratch)
    else:
        best, least = best_pair(search.task, node, level.found[KNOWN], level.found[LIMIT], splits, search.scratch)
    is_solved = not search.stop[0]
    if is_solved or k == 0:
        level.found[VALUE] = best.value
        _write_pair(search, k, best)
        if k == 0:
            _write_find(search)
    if is_solved:
        level.found[BOUND] = least
        search.state[SOLVED] += 1
    return is_solved


@kernel
def _write_pair(search, k, best):
    """Write the best tree of depth two at level k."""
    tree, below = level_of(search, k).tree, 2 ** (len(search.levels.found) - k - 1) - 1
    tree[0, : 1 + 2 * below], tree[2, : 1 + 2 * below] = -1, 0
    tree[0, 0] = best.column
    if best.column >= 0:
        tree[1, 0] = rank_behind(search.task, node_of(search, k), best.column, best.cut)
    if best.column < 0 or below == 0:
        tree[2, 0] = best.stumps
    else:
        tree[2, 1], tree[2, 1 + below] = best.stumps & LEFT, best.stumps & RIGHT


@kernel
def _close(search, k):
    """Note a node at level k that is solved; its bound is to hold for more rows, too.

    Where leaves may have any weight, the bound of all gaps and cuts does; else it is found anew, for such leaves.
    """
    level = level_of(search, k)
    if k > 0 and search.task.least > 0:
        most = min(level.found[VALUE], level.found[LIMIT])
        level.found[BOUND] = loose_bound(search.task, node_of(search, k), level.points, most)


@kernel
def _write_find(search):
    """Write the best tree of all rows among the finds, and count it when it is whole."""
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
    # The side itself has no tree below its best one, nor, where it was given up at its limit, below that.
    own = max(value, min(below.found[VALUE], below.found[LIMIT]))
    work, values, half = level.work, level.found, 2 ** (len(search.levels.found) - k) - 1
    goal = min(values[VALUE], values[LIMIT]) - search.task.near
    if work[SIDE] == 0:
        values[OF_LEFT], values[OWN_LEFT] = value, own
        level.of_left[:, :half] = below.tree[:, :half]
        # Beyond its limit the right side matters neither here nor, with more rows, to the gap before the root.
        least = min(own - values[REACH], level.points.left[work[COLUMN], work[GAP]])
        limit = goal - least - search.task.tie
        if values[KNOWN_RIGHT] < limit:
            work[SIDE] = 1
            _hand_down(level, below, values[KNOWN_RIGHT], limit, half + 1)
            below.work[SPLITS] = splits_of_side(search, k - 1, 1)
            return k
        value = own = values[KNOWN_RIGHT]  # for more rows, and so for these
    elif values[OWN_LEFT] + below.found[VALUE] + search.task.tie < goal:
        values[VALUE] = values[OWN_LEFT] + below.found[VALUE] + search.task.tie
        level.tree[0, 0], level.tree[1, 0] = work[COLUMN] % len(search.root.n_cuts), work[RANK]
        level.tree[:, 1 : 1 + half] = level.of_left[:, :half]
        level.tree[:, 1 + half : 1 + 2 * half] = below.tree[:, :half]
        if k == 1:
            work[PROBES], work[BEST], work[BEST_CUT] = NEAR, work[COLUMN], work[CUT]
            _write_find(search)
    place = GapPlace(work[COLUMN], work[GAP])
    cut = SolvedCut(work[CUT], values[OF_LEFT], value, values[OWN_LEFT], own)
    insert_point(search.task, node_of(search, k - 1), level.points, place, cut)
    return k - 1


@kernel
def _hand_down(level, below, known, limit, place):
    """Have the level below solve a side, whose hint is so many places behind the root's."""
    hint = level.work[HINT]
    below.work[IS_NEW], below.work[HINT] = 1, hint + place if hint >= 0 else -1
    below.found[KNOWN], below.found[LIMIT] = known, limit


@kernel
def _begin(search, k):
    """Begin to solve a new node at level k; return the place of the first root to try, if there is one."""
    level, node = level_of(search, k), node_of(search, k)
    first = first_tree(search.task, node, level.work[SPLITS], search.scratch)
    level.found[VALUE], level.work[IS_NEW] = first.value, 0
    _write_pair(search, k, first)
    n_ways = ways_of(len(search.levels.found) - k, level.work[SPLITS]).n
    level.work[OPEN] = n_ways * (node.n_cuts.sum() - 2 * len(node.n_cuts))
    begin_points(node, level.points, n_ways, level.found[KNOWN])
    if k == 0:
        _write_find(search)
    return _follow_hint(search, k, first)


@kernel
def _divide_most_promising(search, k):
    """Divide the node at level k by a threshold in the most promising gap; return whether there is such a gap."""
    work, place = level_of(search, k).work, GapPlace(-1, 0)
    if work[IS_NEW]:
        place = _begin(search, k)
    if place.column < 0:
        work[HINT] = -1
        place = _beside_best(search, k)
    if place.column < 0:
        place = _next_gap(search, k)
    if place.column >= 0:
        _divide_gap(search, k, place)
    return place.column >= 0


@kernel
def _follow_hint(search, k, first):
    """Return the gap of the root that is hinted at, or that of the first tree, or column -1.

    Its cut is written into `work`.
    """
    level, node = level_of(search, k), node_of(search, k)
    hint, points, f, cut = level.work[HINT], level.points, first.column, first.cut
    if hint >= 0 and search.hint[0, hint] >= 0:
        f, cut = search.hint[0, hint], 1
        while cut < node.n_cuts[f] - 1 and rank_behind(search.task, node, f, cut) < search.hint[1, hint]:
            cut += 1
    if f >= 0:
        level.work[CUT] = cut
        for gap in range(points.n[f] - 1):
            is_inside = points.cut[f, gap] < cut < points.cut[f, gap + 1] and points.low[f, gap] < NEVER
            if is_inside and is_light(search.task, node, f, cut) == 0:
                return GapPlace(f, gap)
    return GapPlace(-1, 0)


@kernel
def _beside_best(search, k):
    """Return a gap beside the best root, on either side in turn, or column -1; write its middle into `work`."""
    level, node = level_of(search, k), node_of(search, k)
    points, work, f = level.points, level.work, level.work[BEST]
    goal = min(level.found[VALUE], level.found[LIMIT]) - search.task.near
    while work[PROBES] > 0:
        work[PROBES] -= 1
        gap = -(work[PROBES] % 2)
        while points.cut[f, gap + work[PROBES] % 2] != work[BEST_CUT]:
            gap += 1
        if points.low[f, gap] < goal:
            near = ends(search.task, node, points, f, gap, goal)
            if near.first <= near.last:
                work[CUT] = (near.first + near.last) // 2
                return GapPlace(f, gap)
    return GapPlace(-1, 0)


@kernel
def _next_gap(search, k):
    """Return the most promising gap, or column -1 if none can hold a better tree; write its middle into `work`."""
    level, node = level_of(search, k), node_of(search, k)
    points, values, work = level.points, level.found, level.work
    while True:
        goal = min(values[VALUE], values[LIMIT]) - search.task.near
        place = _most_promising(node, points, level, goal)
        if place.column < 0:
            return place
        near = ends(search.task, node, points, place.column, place.point, goal)
        if near.first <= near.last:
            work[CUT] = (near.first + near.last) // 2
            return place
        points.low[place.column, place.point] = goal


@kernel
def _divide_gap(search, k, place):
    """Divide the node at level k by the cut in a gap that stands in `work`, and have the left side solved."""
    task, level, node = search.task, level_of(search, k), node_of(search, k)
    points, values, work = level.points, level.found, level.work
    f, gap, cut = place.column, place.point, work[CUT]
    a, b, column = points.cut[f, gap], points.cut[f, gap + 1], f % len(node.n_cuts)
    worth = node.sums[column, :, 0]
    before, behind = task.unit * (worth[cut] - worth[a]), task.unit * (worth[b] - worth[cut])
    # Bounds for leaves of any weight, so that they hold for more rows, too: of the side that is a part of this
    # one, and of the side that this one is a part of, less what the rest is worth. All have the same splits.
    left = max(points.left[f, gap], points.left[f, gap + 1] - behind)
    right = max(points.right[f, gap + 1], points.right[f, gap] - before)
    rank = rank_behind(task, node, column, cut)
    divide(task, node, column, rank, level.left, level.right)
    work[COLUMN], work[GAP], work[RANK], work[SIDE], values[KNOWN_RIGHT] = f, gap, rank, 0, right
    reach = max(before, behind) + task.unit
    values[REACH] = reach if reach < NEVER else 0
    below = level_of(search, k + 1)
    limit = min(values[VALUE], values[LIMIT]) - right - task.tie + values[REACH]
    _hand_down(level, below, left, limit, 1)
    below.work[SPLITS] = splits_of_side(search, k, 0)


@uncounted
def _most_promising(node, points, level, goal):
    """Return the gap with the least bound, of several the one of most worth.

    The column is -1 if no gap can hold a tree below the goal; then the best tree is proved to be best.
    """
    least, column, place, most, n_open = goal, -1, 0, -1, 0
    for f in range(len(points.n)):
        for k in range(points.n[f] - 1):
            low = points.low[f, k]
            if low < goal:
                a, b = points.cut[f, k], points.cut[f, k + 1]
                n_open += b - a - 1
                between = node.sums[f % len(node.n_cuts), b, 0] - node.sums[f % len(node.n_cuts), a, 0]
                if low < least or (low == least and between > most):
                    least, column, place, most = low, f, k, between
    level.found[BOUND], level.work[OPEN] = least, n_open
    return GapPlace(column, place)
