"""Samples in the order of every column, how a threshold divides them, and what follows for other thresholds.

What a prediction saves is counted, as in `kernels.optimal.bitset`: each sample has one class, and the cost that
predicting this class for it saves. Samples with equal values everywhere are merged before, so that several samples
may stand for one row of a table, one for each class that saves something there.

What is known of a column's thresholds, and what follows for those between them. The value of the best tree on a
side of a threshold can only fall when samples leave it, by at most what they are worth, since the same tree
remains (Briţa et al. 2025, sections 4.1 to 4.3). So two thresholds that were solved bound all between them: from
their neighbours, as far as these are near; and from the left side of the lower one together with the right side of
the higher one.

A least weight of leaves breaks half of this: with fewer samples a leaf may become too light. What holds for more
samples is then the bound of trees whose leaves may have any weight; with less of them, the tree's own bound.

A limit of splits gives each root several ways to share them out between its sides. Each way has columns of its
own here: those of the first way, then those of the next. So bounds are compared for one number of splits alone,
and the tree that remains when samples leave has no more of them. Directions do not matter here: they limit the
labels of a stump by its column, whichever samples there are. Nor do costs and fixed labels, which are what samples
are worth.

The best stumps on the two sides of one threshold, whose leaves have a least weight. `stumps` looks for stumps
beside many thresholds at once, whatever their leaves weigh. Where these promise a better tree, the question is
asked here what keeps to the weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel


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
    direction: (
        np.ndarray
    )  # (n_columns,) int64: 1 if of two labels only the second may be right, -1 the first; or 0


class SortedNode(NamedTuple):
    """The samples of a node, in the order of every column: by value, then by class."""

    order: np.ndarray  # (n_columns * n_samples,) int32, of which each column uses the first `size`
    size: np.ndarray  # (1,) int64
    cut: np.ndarray  # (n_columns, n_samples + 1) int32: how many samples are left of each cut; the first is 0
    n_cuts: np.ndarray  # (n_columns,) int64: with the one before all samples and the one behind them
    worth: np.ndarray  # (n_columns, n_samples + 1) int64: of the samples left of each cut
    weight: np.ndarray  # the same for their weight; empty where a leaf may have any


def make_node(n_columns: int, n_samples: int, weighs: bool = False) -> SortedNode:
    """Allocate a node for so many samples at most; with room for weights if a leaf has a least one."""
    shape = n_columns, n_samples + 1
    order, cut = np.zeros(n_columns * n_samples, np.int32), np.zeros(shape, np.int32)
    worth, weight = np.zeros(shape, np.int64), np.zeros(shape if weighs else (n_columns, 0), np.int64)
    return SortedNode(order, np.zeros(1, np.int64), cut, np.zeros(n_columns, np.int64), worth, weight)


@kernel
def note_cuts(samples, node):
    """Write the cuts of every column, between different values of the node's samples."""
    n, m = len(samples.label), node.size[0]
    for f in range(len(node.n_cuts)):
        at, k, worth = f * n, 1, 0
        node.cut[f, 0], node.worth[f, 0] = 0, 0
        for i in range(m):
            here = node.order[at + i]
            worth += samples.worth[here]
            if i == m - 1 or samples.rank[at + here] != samples.rank[at + node.order[at + i + 1]]:
                node.cut[f, k], node.worth[f, k] = i + 1, worth
                k += 1
        node.n_cuts[f] = k
    if samples.least > 0:
        _note_weights(samples, node)


@kernel
def _note_weights(samples, node):
    """Write the weight left of every cut."""
    n = len(samples.label)
    for f in range(len(node.n_cuts)):
        weight, node.weight[f, 0] = 0, 0
        for k in range(1, node.n_cuts[f]):
            for i in range(node.cut[f, k - 1], node.cut[f, k]):
                weight += samples.weight[node.order[f * n + i]]
            node.weight[f, k] = weight


@kernel
def is_light(samples, node, f, cut):
    """Return -1 if too little weight is left of the cut for a leaf, 1 if right of it, else 0."""
    if samples.least == 0:
        return 0
    left = node.weight[f, cut]
    if left < samples.least:
        return -1
    return 1 if node.weight[f, node.n_cuts[f] - 1] - left < samples.least else 0


@kernel
def rank_behind(samples, node, f, cut):
    """Return the rank of the first sample behind this cut of column f: samples of lower ranks go left."""
    at = f * len(samples.label)
    return samples.rank[at + node.order[at + node.cut[f, cut]]]


@kernel
def divide(samples, node, f, rank, left, right):
    """Write the samples whose rank in column f is lower into `left`, the others into `right`, in all orders."""
    n, m = len(samples.label), node.size[0]
    own = samples.rank[f * n : (f + 1) * n]
    n_left = 0
    for g in range(len(node.n_cuts)):
        at, n_left = g * n, 0
        for i in range(m):
            here = node.order[at + i]
            is_left = own[here] < rank
            left.order[at + n_left], right.order[at + i - n_left] = here, here
            n_left += is_left
    left.size[0], right.size[0] = n_left, m - n_left


@kernel
def leaf_cost(samples, node, sums):
    """Return the cost of the best leaf for all samples of the node; `sums` is scratch, (n_classes,) int64."""
    sums[:] = 0
    worth = 0
    for i in range(node.size[0]):
        here = node.order[i]
        sums[samples.label[here]] += samples.amount[here]
        worth += samples.worth[here]
    return worth - sums.max()


# ---- Bounds of the thresholds between those that were solved

NEVER = 1 << 60  # bound of a gap without thresholds


class Points(NamedTuple):
    """Solved cuts of every column, for each way in turn, in order; between two of them is a gap."""

    cut: np.ndarray  # (n_ways * n_columns, n_samples + 1) int32
    left: np.ndarray  # the same shape, int64: no tree on the left side, or on more samples, has a lower value
    right: np.ndarray  # the same for the right side
    own_left: np.ndarray  # as left, but on the left side alone; the same array where leaves may have any weight
    own_right: np.ndarray
    low: np.ndarray  # the same: no tree whose root is a threshold in the gap behind has a lower value
    first: np.ndarray  # the same shape, int32: the first cut in that gap that may be a better root
    last: np.ndarray  # the last one
    n: np.ndarray  # (n_ways * n_columns,) int64: how many


class Ends(NamedTuple):
    """The first and last cut in a gap whose trees may still have a value below a limit; none if first > last."""

    first: int
    last: int


class GapPlace(NamedTuple):
    """The place of a gap: its column, and the point before it."""

    column: int
    point: int


class SolvedCut(NamedTuple):
    """A cut, with bounds of the values of the trees on both sides, as in `Points`."""

    cut: int
    left: int
    right: int
    own_left: int
    own_right: int


def make_points(shape: tuple[int, ...], weighs: bool, has_ends: bool = True) -> Points:
    """Allocate room for cuts; `shape` is that of `Points.cut`. Weights of leaves take more of it, as do ends."""
    cut, left, right, low = (np.zeros(shape, kind) for kind in (np.int32, np.int64, np.int64, np.int64))
    own = (np.zeros(shape, np.int64), np.zeros(shape, np.int64)) if weighs else (left, right)
    first, last = (np.zeros(shape if has_ends else (*shape[:-1], 0), np.int32) for _ in range(2))
    return Points(cut, left, right, *own, low, first, last, np.zeros(shape[:-1], np.int64))


@kernel
def begin_points(node, points, n_ways, whole):
    """Begin with the two ends of every column, as many times as there are ways.

    No tree on all samples, or on more of them, has a lower value than `whole`; so none has with fewer splits, as a
    side of a way may have, and the two ends bound all cuts between them.
    """
    points.n[:] = 0
    for f in range(n_ways * len(node.n_cuts)):
        last = node.n_cuts[f % len(node.n_cuts)] - 1
        points.cut[f, 0], points.left[f, 0], points.right[f, 0] = 0, 0, whole
        points.cut[f, 1], points.left[f, 1], points.right[f, 1] = last, whole, 0
        points.own_left[f, 0], points.own_right[f, 0] = 0, whole
        points.own_left[f, 1], points.own_right[f, 1] = whole, 0
        points.n[f] = 2
        points.low[f, 0] = whole if last > 1 else NEVER


@kernel
def bound_gap(problem, node, points, f, k):
    """Write the bound of the gap behind point k of column f."""
    a, b = points.cut[f, k], points.cut[f, k + 1]
    if b - a < 2:
        points.low[f, k] = NEVER
        return
    worth = node.worth[f % len(node.n_cuts)]
    between = problem.unit * (worth[b] - worth[a])
    # A cut in the gap has more samples on its left than a, and more on its right than b: bounds for more samples.
    apart = points.left[f, k] + points.right[f, k + 1]
    # It has fewer on its left than b, and fewer on its right than a, which together lack all between a and b. The
    # best tree of a side keeps its leaves' weights when the rest comes back, so that a side's own bound will do.
    near = points.own_left[f, k + 1] + points.own_right[f, k] - between
    points.low[f, k] = max(apart, near) + problem.tie


@kernel
def ends(problem, node, points, f, k, limit):
    """Return the ends of the gap behind point k of column f, by its two neighbours alone.

    Behind a point the left side costs no less than at it, whatever leaves weigh (`left`), and the right side less
    by at most the worth of the samples between (`own_right`); before the next point it is the other way round.
    """
    a, b, column = points.cut[f, k], points.cut[f, k + 1], f % len(node.n_cuts)
    worth, unit = node.worth[column], problem.unit
    spare = points.left[f, k] + points.own_right[f, k] + problem.tie - limit
    first, stop = a + 1, b
    while first < stop:  # the first cut that is far enough from a
        middle = (first + stop) // 2
        if unit * (worth[middle] - worth[a]) > spare and is_light(problem, node, column, middle) >= 0:
            stop = middle
        else:
            first = middle + 1
    spare = points.own_left[f, k + 1] + points.right[f, k + 1] + problem.tie - limit
    start, last = a, b - 1
    while start < last:  # the last cut that is far enough from b
        middle = (start + last + 1) // 2
        if unit * (worth[b] - worth[middle]) > spare and is_light(problem, node, column, middle) <= 0:
            start = middle
        else:
            last = middle - 1
    return Ends(first, last)


@kernel
def insert_point(problem, node, points, place, solved):
    """Insert a solved cut into a gap."""
    f, k = place.column, place.point
    for i in range(points.n[f], k + 1, -1):
        points.cut[f, i], points.low[f, i] = points.cut[f, i - 1], points.low[f, i - 1]
        points.left[f, i], points.right[f, i] = points.left[f, i - 1], points.right[f, i - 1]
        points.own_left[f, i], points.own_right[f, i] = points.own_left[f, i - 1], points.own_right[f, i - 1]
    points.cut[f, k + 1], points.left[f, k + 1], points.right[f, k + 1] = solved.cut, solved.left, solved.right
    points.own_left[f, k + 1], points.own_right[f, k + 1] = solved.own_left, solved.own_right
    points.n[f] += 1
    bound_gap(problem, node, points, f, k)
    bound_gap(problem, node, points, f, k + 1)


@kernel
def loose_bound(problem, node, points, most):
    """Return a bound of the trees of a node, of at most `most`, that holds for more samples, too.

    It is needed where leaves have a least weight, since other bounds of gaps then hold for the node's own alone.
    So it looks at all cuts, solved ones and those too light for a leaf, by bounds for leaves of any weight.
    A root that parts only samples that are not here leaves the tree of one side, a smaller one of this node.
    """
    least = most
    for f in range(len(points.n)):
        worth = node.worth[f % len(node.n_cuts)]
        for k in range(points.n[f] - 1):
            if k > 0:
                least = min(least, points.left[f, k] + points.right[f, k] + problem.tie)
            if points.cut[f, k + 1] - points.cut[f, k] > 1:
                between = problem.unit * (worth[points.cut[f, k + 1]] - worth[points.cut[f, k]])
                apart = points.left[f, k] + points.right[f, k + 1]
                near = points.left[f, k + 1] + points.right[f, k] - between
                least = min(least, max(apart, near) + problem.tie)
    return least


# ---- The best stumps on the two sides of one threshold, whose leaves have a least weight

NONE, LEFT, RIGHT, BOTH = range(4)  # sides of a root that may be stumps; the others are leaves


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


@kernel
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
