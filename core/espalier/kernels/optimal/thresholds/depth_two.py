"""The best tree of depth two over every threshold, by rounds of passes in lanes.

A round tries as many thresholds as there are lanes, spread over the gaps of all columns that may still hold a
better root, and closes what the results rule out; the first round spreads them over all columns.

What was found of nodes that were solved, and what follows for a node that holds nearly the same samples. A tree
costs no more on some of a node's samples than on all of them. So on any node no tree has a lower value than on the
samples that it shares with another one, which is at least the value there less what the other samples of that one
are worth; and so for the trees with a certain root. And a tree of the other node costs here at most as much more
as this node's own other samples are worth. Briţa et al. (2025, section 4.1) compare thresholds of one column in
this way; here it is any two nodes of the search. All this holds as leaves may have any weight, and for trees of
the same three splits: no other nodes are noted. Directions limit labels by columns, not by samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.samples import (
    BOTH,
    LEFT,
    NEVER,
    NONE,
    RIGHT,
    Ends,
    GapPlace,
    Points,
    SideScratch,
    SortedSamples,
    begin_points,
    bound_gap,
    ends,
    leaf_cost,
    loose_bound,
    make_points,
    make_side_scratch,
    note_cuts,
    rank_behind,
    solve_sides,
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
from espalier.kernels.simd import count_ones

NODES, POINTS = 512, 64  # nodes that are kept, the newest ones; and bounds of a column
MOST_BYTES = 1 << 26
BITS = 62  # of a word


class SolvedNodes(NamedTuple):
    """The newest nodes that were solved: their samples, as bits; and bounds of their trees.

    A bound of a column holds for roots whose rank is above that of the bound before, and at most its own.
    """

    member: np.ndarray  # (n_nodes, n_words) int64
    least: np.ndarray  # (n_nodes,) int64: no tree has a lower value
    most: np.ndarray  # (n_nodes,) int64: value of a tree
    worth: np.ndarray  # (n_nodes,) int64: of the node's samples
    rank: np.ndarray  # (n_nodes, n_columns, POINTS) int64
    bound: np.ndarray  # the same shape, int64
    n: np.ndarray  # (1,) int64: how many were noted
    mark: np.ndarray  # (n_words,) int64: the samples of the node that is compared
    floor: np.ndarray  # (n_columns, n_samples + 1) int64: no tree with this cut of it for a root has a lower value


class NearNode(NamedTuple):
    """What follows for a node from others: bounds of the least value of its trees."""

    least: int
    most: int


class NearestNodes(NamedTuple):
    """Two noted nodes, -1 for none: the ones that promise the greatest lower and the least upper bound."""

    below: int
    above: int


def make_solved_nodes(n_columns: int, n_samples: int, memory: float = MOST_BYTES) -> SolvedNodes:
    """Allocate room for as many nodes as the memory (bytes) allows, and for two at least."""
    n_words = n_samples // BITS + 1
    n = min(max(int(memory) // (8 * n_words + 16 * POINTS * n_columns), 2), NODES)
    facts = (np.zeros(n, np.int64) for _ in range(3))
    bounds = (np.zeros((n, n_columns, POINTS), np.int64) for _ in range(2))
    floor = np.zeros((n_columns, n_samples + 1), np.int64)
    stamp, mark = np.zeros(1, np.int64), np.zeros(n_words, np.int64)
    return SolvedNodes(np.zeros((n, n_words), np.int64), *facts, *bounds, stamp, mark, floor)


@kernel
def look_around(samples, node, solved):
    """Write lower bounds of the trees with each root into `floor`; return what follows for the best one."""
    mark, size = solved.mark, node.size[0]
    mark[:] = 0
    for i in range(size):
        here = node.order[i]
        mark[here // BITS] |= 1 << (here % BITS)
    worth = node.worth[0, node.n_cuts[0] - 1]
    near = _neighbours(solved, samples.unit * worth / size)
    nearest = NearNode(0, NEVER)
    if near.below < 0:
        solved.floor[:] = 0
    else:
        nearest = _compare(samples, node, solved, near.below, nearest, True)
        if near.above != near.below:
            nearest = _compare(samples, node, solved, near.above, nearest, False)
    return nearest


@kernel
def _neighbours(solved, price):
    """Return the neighbours of the marked samples, if one more or less changes a value by this price."""
    highest, lowest, below, above = -np.inf, np.inf, -1, -1
    for slot in range(min(solved.n[0], len(solved.least))):
        n_others, own = 0, 0
        for w in range(len(solved.mark)):
            there, here = solved.member[slot, w], solved.mark[w]
            n_others += count_ones(there & ~here)
            own += count_ones(here & ~there)
        if solved.least[slot] - price * n_others > highest:
            highest, below = solved.least[slot] - price * n_others, slot
        if solved.most[slot] + price * own < lowest:
            lowest, above = solved.most[slot] + price * own, slot
    return NearestNodes(below, above)


@kernel
def _compare(samples, node, solved, slot, found, is_first):
    """Write what follows from one noted node; of what is there already the greater bounds remain."""
    common = 0
    for i in range(node.size[0]):
        here = node.order[i]
        common += samples.worth[here] * (solved.member[slot, here // BITS] >> (here % BITS) & 1)
    loss = samples.unit * (solved.worth[slot] - common)
    for f in range(len(node.n_cuts)):
        rank, bound, floor, j = solved.rank[slot, f], solved.bound[slot, f], solved.floor[f], 0
        for c in range(1, node.n_cuts[f] - 1):
            own = rank_behind(samples, node, f, c)
            while rank[j] < own:
                j += 1
            value = bound[j] - loss
            floor[c] = value if is_first else max(value, floor[c])
    more = samples.unit * (node.worth[0, node.n_cuts[0] - 1] - common)
    most, least = solved.most[slot] + more, max(found.least, solved.least[slot] - loss)
    return NearNode(least, min(most, found.most))


@kernel
def note_solved(samples, node, points, most, least, solved):
    """Note the marked node, bounds of its least value, and what the points of its columns tell of others."""
    slot = solved.n[0] % len(solved.least)
    solved.n[0] += 1
    solved.member[slot] = solved.mark
    solved.least[slot], solved.most[slot] = least, most
    solved.worth[slot] = node.worth[0, node.n_cuts[0] - 1]
    for f in range(len(node.n_cuts)):
        _note_column(samples, node, points, f, least, solved.rank[slot, f], solved.bound[slot, f])


@kernel
def _note_column(samples, node, points, f, least, rank, bound):
    """Note the bounds of a column, of several neighbouring points the least if there are too many."""
    at, last = f * len(samples.label), points.n[f] - 1
    rank[0], bound[0] = samples.rank[at + node.order[at]], least  # such a root leaves one side empty
    k, lowest, step = 1, NEVER, (last + POINTS - 3) // (POINTS - 2)
    for j in range(1, last + 1):
        lowest = min(lowest, max(points.low[f, j - 1], least))
        if j < last:
            lowest = min(lowest, max(points.left[f, j] + points.right[f, j] + samples.tie, least))
        if j == last or j % step == 0:
            cut = points.cut[f, j] if j < last else node.n_cuts[f] - 2
            rank[k] = rank_behind(samples, node, f, cut)
            bound[k], lowest = lowest, NEVER
            k += 1
    rank[k], bound[k] = NEVER, least


# ---- Rounds of passes


class PairScratch(NamedTuple):
    """Scratch memory for trees of depth two."""

    stumps: StumpScratch
    heavy: HeavyScratch
    sides: SideScratch
    points: Points
    spare: Points  # of one column: where new points are merged
    lane: np.ndarray  # (lanes,) int64: the cut of each lane
    column: np.ndarray  # (lanes,) int64: its column
    sums: np.ndarray  # (n_classes,) int64
    positive: np.ndarray  # (n_columns, n_samples + 1) int64: of two classes, what samples of 1 left of a cut save
    solved: SolvedNodes
    way: np.ndarray  # (1,) int64: which sides of the root may be stumps
    stop: np.ndarray  # (1,) int64: not 0 to stop


class Best(NamedTuple):
    """The value of the best tree found, and its root: a column and a cut; -1 for a leaf or stump.

    `stumps` tells which sides of the root may be stumps, or whether the whole tree may be one.
    """

    value: int
    column: int
    cut: int
    stumps: int


def make_pair_scratch(
    samples: SortedSamples, n_columns: int, stop: np.ndarray, memory: float = MOST_BYTES
) -> PairScratch:
    """Allocate scratch memory, of which so many bytes may remember nodes."""
    n_samples, n_classes, dtype = len(samples.label), samples.n_classes, samples.amount.dtype.type
    stumps = make_stump_scratch(n_columns, n_samples, n_classes, dtype)
    points, spare = (make_points((m, n_samples + 1), samples.least > 0) for m in (n_columns, 1))
    n_lanes, sums = len(stumps.found) // 4, np.zeros(n_classes, np.int64)
    lane, column = np.zeros(n_lanes, np.int64), np.zeros(n_lanes, np.int64)
    shape = n_columns if n_classes == 2 else 0, n_samples + 1
    positive, solutions = np.zeros(shape, np.int64), make_solved_nodes(n_columns, n_samples, memory)
    sides, way = make_side_scratch(n_classes, samples.least), np.zeros(1, np.int64)
    heavy = make_heavy_scratch(n_samples, n_lanes if samples.least > 0 else 0, dtype)
    return PairScratch(stumps, heavy, sides, points, spare, lane, column, sums, positive, solutions, way, stop)


@kernel
def best_pair(samples, node, known_least, limit, splits, scratch):
    """Return the best tree of depth two and so many splits on the node's samples, and a lower bound of its value.

    They agree if the value is less than `limit`; else the bound may be lower, but no less than `limit`. No tree
    has a lower value than `known_least`. Cuts of the node are noted here. Once stopped, it returns what it has.
    The bound holds for more samples, too.
    """
    note_cuts(samples, node)
    if samples.n_classes == 2:
        _note_positive(samples, node, scratch.positive)
    else:
        note_runs(samples, node, scratch.stumps)
    best = Best(samples.unit * leaf_cost(samples, node, scratch.sums), -1, 0, BOTH)
    # Other nodes tell something of this one only where all have three splits, and leaves of any weight.
    near, is_plain = NearNode(known_least, NEVER), splits > 2 and samples.least == 0
    if is_plain:
        near = look_around(samples, node, scratch.solved)
    else:
        scratch.solved.floor[:] = 0
    known_least = max(known_least, near.least)
    if min(best.value, limit) <= known_least:
        return best, min(best.value, known_least)
    goal = min(limit, near.most + 1)  # a tree of at most near.most is there to be found
    if splits == 2:
        best, other = _close_way(samples, node, known_least, goal, LEFT, best, scratch)
        best, least = _close_way(samples, node, known_least, goal, RIGHT, best, scratch)
        return best, min(least, other)
    best, least = _close_way(samples, node, known_least, goal, BOTH, best, scratch)
    if is_plain and not scratch.stop[0]:
        note_solved(samples, node, scratch.points, best.value, least, scratch.solved)
    return best, least


@kernel
def best_stump(samples, node, splits, scratch):
    """Return the best stump, or leaf if there are no splits; and a bound that holds for more samples, too."""
    note_cuts(samples, node)
    sides, stumps, n = scratch.sides, LEFT if splits else NONE, len(samples.label)
    solve_sides(samples, node, samples.rank, n, stumps, sides)
    best = Best(sides.value[0], -1, 0, stumps)
    if samples.least > 0:
        sides.least[0] = 0
        solve_sides(samples, node, samples.rank, n, stumps, sides)
        sides.least[0] = samples.least
    return best, sides.value[0]


@kernel
def _close_way(samples, node, known, goal, stumps, best, scratch):
    """Return the best tree, where only these sides of the root may be stumps, and a bound for more samples.

    A side that must be a leaf, or that may be a stump, costs no less with more samples. With a least weight of
    leaves a stump may, so that points hold what stumps of any weight cost, and beside it what they cost here.
    """
    scratch.way[0] = stumps
    begin_points(node, scratch.points, 1, known)
    best = _close_all(samples, node, known, goal, best, scratch)
    if samples.least > 0:
        return best, loose_bound(samples, node, scratch.points, min(best.value, goal))
    # What was tried is in no gap, and may be less than the bounds of all that are left.
    return best, best.value if best.value < goal else min(best.value, _least_bound(node, scratch.points, goal))


@kernel
def _close_all(samples, node, known, goal, best, scratch):
    """Try cuts in rounds until no root can be better than the goal."""
    while min(best.value, goal) > known and not scratch.stop[0]:
        n_lanes = _choose_lanes(samples, node, min(best.value, goal), scratch)
        if n_lanes == 0:
            break
        best = _try_lanes(samples, node, n_lanes, best, scratch)
    return best


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
def _choose_lanes(samples, node, limit, scratch):
    """Choose cuts, in order, from gaps that may hold a tree below the limit; return how many.

    The last lane is left over: there the left side is the whole node.
    """
    points, room, total = scratch.points, len(scratch.lane) - 1, 0
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            if points.low[f, k] < limit:
                gap = _open_cuts(samples, node, points, scratch.solved.floor[f], GapPlace(f, k), limit)
                points.first[f, k], points.last[f, k] = gap.first, gap.last
                total += gap.last - gap.first + 1
    n_lanes, n_seen, total = 0, 0, max(total, room)
    for f in range(len(node.n_cuts)):
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
def _open_cuts(samples, node, points, floor, place, limit):
    """Return the first and the last cut in a gap that may be roots of trees below the limit, by all that is known.

    `floor` (n_cuts,) holds lower bounds of the trees with each cut.
    """
    gap = ends(samples, node, points, place.column, place.point, limit)
    first, last = gap.first, gap.last
    while first <= last and floor[first] >= limit:
        first += 1
    while first <= last and floor[last] >= limit:
        last -= 1
    if first > last:
        points.low[place.column, place.point] = max(points.low[place.column, place.point], limit)
    return Ends(first, max(last, first - 1))


@kernel
def _try_lanes(samples, node, n_lanes, best, scratch):
    """Solve both sides of the chosen cuts, insert them as points, and return the best tree."""
    n_used = _set_thresholds(samples, node, n_lanes, scratch)
    stumps = scratch.stumps
    if samples.n_classes == 2:
        part_samples(samples, node, samples.signed, n_used, stumps, stumps.left)
        sums_beside(samples, node, stumps)
    else:
        part_samples(samples, node, samples.amount, n_used, stumps, stumps.left)
        sums_of_classes(samples, node, stumps)
    sums = stumps.found
    if samples.least > 0:
        sums = scratch.heavy.found
        if _promises(samples, node, n_lanes, best.value, scratch):
            heavy_sums(samples, node, n_used, stumps, scratch.heavy)
        else:
            sums[:] = stumps.found
    total, _ = _side_values(samples, node, 0, len(scratch.lane) - 1, node.n_cuts[0] - 1, sums, scratch)
    if total < best.value:
        best = Best(total, -1, 0, BOTH)
    start = 0
    for end in range(1, n_lanes + 1):
        if end == n_lanes or scratch.column[end] != scratch.column[start]:
            best = _merge(samples, node, start, end, best, scratch)
            start = end
    return best


@kernel
def _promises(samples, node, n_lanes, limit, scratch):
    """Return whether a lane has a tree below the limit, or the whole node a stump, of leaves of any weight."""
    sums, last = scratch.stumps.found, len(scratch.lane) - 1
    left, right = _side_values(samples, node, 0, last, node.n_cuts[0] - 1, sums, scratch)
    for j in range(n_lanes):
        if left < limit:
            break
        left, right = _side_values(samples, node, scratch.column[j], j, scratch.lane[j], sums, scratch)
        left += right + samples.tie
    return left < limit


@kernel
def _set_thresholds(samples, node, n_lanes, scratch):
    """Write the thresholds of the chosen cuts; return how many columns they have."""
    stumps, n_used, lanes = scratch.stumps, 0, len(scratch.lane)
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
def _merge(samples, node, start, end, best, scratch):
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
            left, right = _side_values(samples, node, f, j, cut, scratch.stumps.found, scratch)
            own_left, own_right = left, right
            if samples.least > 0:
                own_left, own_right = _side_values(samples, node, f, j, cut, scratch.heavy.found, scratch)
            if own_left + own_right + samples.tie < best.value:
                best = Best(own_left + own_right + samples.tie, f, cut, scratch.way[0])
            j += 1
        spare.cut[0, k], spare.left[0, k], spare.right[0, k] = cut, left, right
        spare.own_left[0, k], spare.own_right[0, k] = own_left, own_right
        k += 1
    _copy_points(spare, points, f, k)
    for i in range(k - 1):
        bound_gap(samples, node, points, f, i)
    return best


@kernel
def _copy_points(spare, points, f, n):
    """Copy so many merged points to those of column f."""
    points.n[f] = n
    for i in range(n):
        points.cut[f, i] = spare.cut[0, i]
        points.left[f, i], points.right[f, i] = spare.left[0, i], spare.right[0, i]
        points.own_left[f, i], points.own_right[f, i] = spare.own_left[0, i], spare.own_right[0, i]


@kernel
def _side_values(samples, node, f, lane, cut, found, scratch):
    """Return the values of the best leaves on both sides of a cut of column f, by what a lane found.

    Sides that may be stumps have the value of the best one if that is less.
    """
    stumps, lanes, last = scratch.way[0], len(scratch.lane), node.n_cuts[f] - 1
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
    left, right = samples.unit * (worth - leaf), samples.unit * (all_worth - worth - leaf_right)
    if stumps & LEFT:
        left = min(left, samples.unit * (worth - stump) + samples.tie)
    if stumps & RIGHT:
        right = min(right, samples.unit * (all_worth - worth - stump_right) + samples.tie)
    return left, right


@kernel
def _least_bound(node, points, limit):
    """Return the least bound of a gap, or `limit` where the bounds of cuts in it are better than its own."""
    least = NEVER
    for f in range(len(node.n_cuts)):
        for k in range(points.n[f] - 1):
            least = min(least, points.low[f, k])
    return max(least, limit)
