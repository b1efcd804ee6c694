"""Rows with a class as target, in the order of every column, and the best stumps on the two sides of a threshold.

What a prediction saves is counted, as in `kernels.optimal.bitset`: each sample has one class, and the cost that
predicting this class for it saves. Samples with equal values everywhere are merged before, so that several samples
may stand for one row of a table, one for each class that saves something there.

The best stumps on the two sides of one threshold, whose leaves have a least weight. `stumps` looks for stumps
beside many thresholds at once, whatever their leaves weigh. Where these promise a better tree, the question is
asked here what keeps to the weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.optimal.thresholds.nodes import (
    BOTH,
    LEFT,
    NEVER,
    NONE,
    RIGHT,
    Best,
    Ends,
    Start,
    rank_behind,
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

WORTH, WEIGHT = range(2)  # places in sums; the weight is there only where leaves have a least one


class SortedSamples(NamedTuple):
    """All samples, with their places in the columns; what is flat holds one column after the other.

    Numbers that are added in lanes are int16 if all samples together save less than 2^15, else int32.
    """

    rank: np.ndarray  # (n_columns * n_samples,) int16 or int32: of a sample's value among the column's values
    label: np.ndarray  # (n_samples,) int64: class
    amount: np.ndarray  # (n_samples,) int16 or int32: the cost that predicting the class saves
    signed: np.ndarray  # (n_samples,) as amount: its negative for class 0
    worth: np.ndarray  # (n_samples,) int64: the most that a row saves, told by the first of its samples
    n_classes: int
    unit: int  # value of a tree: its cost, times this, and the number of its splits if the fewest are wanted
    tie: int  # value of a split
    weight: np.ndarray  # (n_samples,) as amount: of a row, told by the first of its samples
    least: int  # weight of a leaf, at least; 0 for any
    direction: np.ndarray  # (n_columns,): 1 if of two labels only the second may be right, -1 the first; or 0
    near: int = 0  # values differ or are equal


@uncounted
def note_cuts(samples, node):
    """Write the cuts of every column, between different values of the node's samples, and the sums before them."""
    n, m = len(samples.label), node.size[0]
    for f in range(len(node.n_cuts)):
        at, k, worth, weight = f * n, 1, 0, 0
        node.cut[f, 0], node.sums[f, 0, -1], node.sums[f, 0, WORTH] = 0, 0, 0
        for i in range(m):
            here = node.order[at + i]
            worth += samples.worth[here]
            weight += samples.weight[here]
            if i == m - 1 or samples.rank[at + here] != samples.rank[at + node.order[at + i + 1]]:
                node.cut[f, k], node.sums[f, k, -1] = i + 1, weight
                node.sums[f, k, WORTH] = worth  # in the same place where there is no weight
                k += 1
        node.n_cuts[f] = k


@uncounted
def leaf_cost(samples, node, sums):
    """Return the cost of the best leaf for all samples of the node; `sums` is scratch, (n_classes,) int64."""
    sums[:] = 0
    worth = 0
    for i in range(node.size[0]):
        here = node.order[i]
        sums[samples.label[here]] += samples.amount[here]
        worth += samples.worth[here]
    return worth - sums.max()


# ---- The best stumps on the two sides of one threshold, whose leaves have a least weight


class SideScratch(NamedTuple):
    """Scratch memory; of each side, the left one first."""

    sums: np.ndarray  # (2, n_classes) int64: what predicting a class saves
    before: np.ndarray  # the same left of a stump's threshold
    weight: np.ndarray  # (2, 2) int64: of the side, and left of a stump's threshold
    worth: np.ndarray  # (2,) int64
    value: np.ndarray  # (2,) int64: of the best stump or leaf
    least: np.ndarray  # (1,) int64: weight of a stump's leaf, at least


def make_side_scratch(n_classes: int, least: int) -> SideScratch:
    """Allocate scratch memory."""
    shapes = (2, n_classes), (2, n_classes), (2, 2), 2, 2
    return SideScratch(*(np.zeros(shape, np.int64) for shape in shapes), np.array([least]))


@kernel
def solve_sides(samples, node, own, rank, stumps, scratch):
    """Write the values of the best leaf on both sides of a threshold, or of the best stump where it may be one.

    Samples go left if their rank among `own` (n_samples,), those of a column, is lower; with a rank above all, the
    left side is the whole node.
    """
    scratch.sums[:], scratch.weight[:], scratch.worth[:] = 0, 0, 0
    for i in range(node.size[0]):
        here = node.order[i]
        side = np.int64(own[here] >= rank)
        scratch.sums[side, samples.label[here]] += samples.amount[here]
        scratch.weight[side, 0] += samples.weight[here]
        scratch.worth[side] += samples.worth[here]
    for side in range(2):
        scratch.value[side] = samples.unit * (scratch.worth[side] - scratch.sums[side].max())
    if stumps != NONE:
        for g in range(len(node.n_cuts)):
            _pass_column(samples, node, own, rank, stumps, g, scratch)


@kernel
def _pass_column(samples, node, own, rank, stumps, g, scratch):
    """Try the stumps of column g on both sides."""
    at, before, weight, least = g * len(samples.label), scratch.before, scratch.weight, scratch.least[0]
    before[:], weight[:, 1] = 0, 0
    for k in range(1, node.n_cuts[g] - 1):
        for i in range(node.cut[g, k - 1], node.cut[g, k]):
            here = node.order[at + i]
            side = np.int64(own[here] >= rank)
            before[side, samples.label[here]] += samples.amount[here]
            weight[side, 1] += samples.weight[here]
        for side in range(2):
            is_heavy = least <= weight[side, 1] <= weight[side, 0] - least
            if is_heavy and (stumps >> side) & 1:
                saving = _saving(samples, scratch.sums[side], before[side], samples.direction[g])
                value = samples.unit * (scratch.worth[side] - saving) + samples.tie
                scratch.value[side] = min(scratch.value[side], value)


@uncounted
def _saving(samples, sums, before, direction):
    """Return the most that the leaves of a stump save, of two classes in the column's direction."""
    if direction > 0:
        return before[0] + sums[1] - before[1]
    if direction < 0:
        return before[1] + sums[0] - before[0]
    left, right = 0, 0
    for c in range(samples.n_classes):
        left = max(left, before[c])
        right = max(right, sums[c] - before[c])
    return left + right


# ---- What was found of nodes that were solved

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
    worth = node.sums[0, node.n_cuts[0] - 1, WORTH]
    near = _neighbours(solved, samples.unit * worth / size)
    nearest = NearNode(0, NEVER)
    if near.below < 0:
        solved.floor[:] = 0
    else:
        nearest = _compare(samples, node, solved, near.below, nearest, True)
        if near.above != near.below:
            nearest = _compare(samples, node, solved, near.above, nearest, False)
    return nearest


@uncounted
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


@uncounted
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
    more = samples.unit * (node.sums[0, node.n_cuts[0] - 1, WORTH] - common)
    most, least = solved.most[slot] + more, max(found.least, solved.least[slot] - loss)
    return NearNode(least, min(most, found.most))


@kernel
def note_solved(samples, node, points, most, least, solved):
    """Note the marked node, bounds of its least value, and what the points of its columns tell of others."""
    slot = solved.n[0] % len(solved.least)
    solved.n[0] += 1
    solved.member[slot] = solved.mark
    solved.least[slot], solved.most[slot] = least, most
    solved.worth[slot] = node.sums[0, node.n_cuts[0] - 1, WORTH]
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


# ---- What the search of pairs asks of classes


class ClassScratch(NamedTuple):
    """What only classes need of it."""

    stumps: StumpScratch  # of one lane more: there the left side is the whole node
    heavy: HeavyScratch
    sides: SideScratch
    sums: np.ndarray  # (n_classes,) int64
    positive: np.ndarray  # (n_columns, n_samples + 1) int64: of two classes, what samples of 1 left of a cut save
    solved: SolvedNodes


def make_class_scratch(samples: SortedSamples, n_columns: int, memory: float) -> ClassScratch:
    """Allocate scratch memory, of which so many bytes may remember nodes."""
    n_samples, n_classes, dtype = len(samples.label), samples.n_classes, samples.amount.dtype.type
    stumps = make_stump_scratch(n_columns, n_samples, n_classes, dtype)
    heavy = make_heavy_scratch(n_samples, len(stumps.found) // 4 if samples.least > 0 else 0, dtype)
    positive = np.zeros((n_columns if n_classes == 2 else 0, n_samples + 1), np.int64)
    sides, sums = make_side_scratch(n_classes, samples.least), np.zeros(n_classes, np.int64)
    return ClassScratch(stumps, heavy, sides, sums, positive, make_solved_nodes(n_columns, n_samples, memory))


@uncounted
def first_leaf(samples, node, splits, scratch):
    """Return a leaf: a search looks for a better tree than this one."""
    note_cuts(samples, node)
    return Best(samples.unit * leaf_cost(samples, node, scratch.own.sums), -1, 0, NONE)


@kernel
def best_stump_of_classes(samples, node, splits, scratch):
    """Return the best stump, or leaf if there are no splits; and a bound that holds for more samples, too."""
    note_cuts(samples, node)
    sides, stumps, n = scratch.own.sides, LEFT if splits else NONE, len(samples.label)
    solve_sides(samples, node, samples.rank, n, stumps, sides)
    best = Best(sides.value[0], -1, 0, stumps)
    if samples.least > 0:
        sides.least[0] = 0
        solve_sides(samples, node, samples.rank, n, stumps, sides)
        sides.least[0] = samples.least
    return best, sides.value[0]


@kernel
def look_at_classes(samples, node, known, limit, splits, scratch):
    """Return what is known before the first round, and note the cuts."""
    note_cuts(samples, node)
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


@uncounted
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
def note_classes(samples, node, best, least, splits, scratch):
    """Remember what was found of a node."""
    if splits > 2 and samples.least == 0 and not scratch.stop[0]:
        note_solved(samples, node, scratch.points, best.value, least, scratch.own.solved)


@uncounted
def without_known_roots(samples, gap, f, limit, scratch):
    """Return the ends of a gap without roots that other nodes rule out."""
    first, last, floor = gap.first, gap.last, scratch.own.solved.floor
    while first <= last and floor[f, first] >= limit:
        first += 1
    while first <= last and floor[f, last] >= limit:
        last -= 1
    return Ends(first, last)


@uncounted
def every_column(samples, node, limit, scratch):
    """Return the first and the last column: there are lanes enough for all; or -1 where they have some."""
    return (-1, -1) if scratch.has_lanes[0] else (0, len(node.n_cuts) - 1)


@uncounted
def pass_classes(samples, node, n_lanes, best, scratch):
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
            for i in range(len(stumps.found)):
                own.heavy.found[i] = stumps.found[i]
    total, _ = sides_of_classes(samples, node, 0, len(scratch.lane), node.n_cuts[0] - 1, True, scratch)
    return Best(total, -1, 0, BOTH) if total < best.value else best


@uncounted
def _promises(samples, node, n_lanes, limit, scratch):
    """Return whether a lane has a tree below the limit, or the whole node a stump, of leaves of any weight."""
    left, right = sides_of_classes(samples, node, 0, len(scratch.lane), node.n_cuts[0] - 1, False, scratch)
    for j in range(n_lanes):
        if left < limit:
            break
        left, right = sides_of_classes(samples, node, scratch.column[j], j, scratch.lane[j], False, scratch)
        left += right + samples.tie
    return left < limit


@uncounted
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


@uncounted
def sides_of_classes(samples, node, f, lane, cut, keeps_weight, scratch):
    """Return the values of the best leaves or stumps on both sides of a cut, by what a lane found."""
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
