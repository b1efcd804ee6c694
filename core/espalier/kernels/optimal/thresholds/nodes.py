"""Rows in the order of every column, how a threshold divides them, and what follows for other thresholds.

What is known of a column's thresholds bounds those between them. The value of the best tree on a side of a
threshold can only rise when rows join it, since the same tree remains when they leave; where rows have classes, by
at most what they are worth (Briţa et al. 2025, sections 4.1 to 4.3; of numbers Mazumder, Meng & Wang 2022, section
3). So two thresholds that were solved bound all between them, which are a gap::

    value of    0 |-- left of a --|---- gap ----|-- right of b --| n
                                  a             b

A threshold in the gap has all rows on its left that a has there, and all rows on its right that b has there: its
two sides cost at least as much as the left side of a and the right side of b together. Of classes, its neighbours
tell more, as far as they are near.

A least weight of leaves breaks half of this: with fewer rows a leaf may become too light. What holds for more rows
is then the bound of trees whose leaves may have any weight; with less of them, the tree's own bound.

A limit of splits gives each root several ways to share them out between its sides. Each way has columns of its
own here: those of the first way, then those of the next. So bounds are compared for one number of splits alone,
and the tree that remains when rows leave has no more of them. Directions do not matter here: they limit the labels
of a stump by its column, whichever rows there are. Nor do costs and fixed labels, which are what rows are worth.

A task is a record of all rows: `classes.SortedSamples` or `numbers.TargetRows`. Both have `rank` (n_columns *
n_rows,), places of the rows' values among those of a column; `amount` (n_rows, ...), what each row counts for;
`unit`, what a row may cost when it leaves, by its worth; `tie`, the value of a split; `near`, the difference below
which values are equal; and `least`, the weight of a leaf at least, 0 for any.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted

NEVER = 1 << 60  # bound of a gap without thresholds
NONE, LEFT, RIGHT, BOTH = range(4)  # sides of a root that may be stumps; the others are leaves


class SortedNode(NamedTuple):
    """The rows of a node, in the order of every column: by value, then by class."""

    order: np.ndarray  # (n_columns * n_rows,) int32, of which each column uses the first `size`
    size: np.ndarray  # (1,) int64
    cut: np.ndarray  # (n_columns, n_rows + 1) int32: how many rows are left of each cut; the first is 0
    n_cuts: np.ndarray  # (n_columns,) int64: with the one before all rows and the one behind them
    sums: np.ndarray  # (n_columns, n_rows + 1, n_sums): of the rows left of each cut, first worth, last weight


def make_nodes(shape: tuple[int, ...], n_rows: int, n_sums: int, kind: type) -> SortedNode:
    """Allocate nodes for so many rows at most; `shape` ends with the number of columns, others come before."""
    order, size = np.zeros((*shape[:-1], shape[-1] * n_rows), np.int32), np.zeros((*shape[:-1], 1), np.int64)
    cut, sums = np.zeros((*shape, n_rows + 1), np.int32), np.zeros((*shape, n_rows + 1, n_sums), kind)
    return SortedNode(order, size, cut, np.zeros(shape, np.int64), sums)


@kernel
def node_at(nodes, k):
    """Return the node of level k."""
    return SortedNode(nodes.order[k], nodes.size[k], nodes.cut[k], nodes.n_cuts[k], nodes.sums[k])


@uncounted
def is_light(task, node, f, cut):
    """Return -1 if too little weight is left of the cut for a leaf, 1 if right of it, else 0."""
    if task.least == 0:
        return 0
    left = node.sums[f, cut, -1]
    if left < task.least:
        return -1
    return 1 if node.sums[f, node.n_cuts[f] - 1, -1] - left < task.least else 0


@uncounted
def rank_behind(task, node, f, cut):
    """Return the rank of the first row behind this cut of column f: rows of lower ranks go left."""
    at = f * len(task.amount)
    return task.rank[at + node.order[at + node.cut[f, cut]]]


@kernel
def divide(task, node, f, rank, left, right):
    """Write the rows whose rank in column f is lower into `left`, the others into `right`, in all orders."""
    n, m = len(task.amount), node.size[0]
    own = task.rank[f * n : (f + 1) * n]
    n_left = 0
    for g in range(len(node.n_cuts)):
        at, n_left = g * n, 0
        for i in range(m):
            here = node.order[at + i]
            is_left = own[here] < rank
            left.order[at + n_left], right.order[at + i - n_left] = here, here
            n_left += is_left
    left.size[0], right.size[0] = n_left, m - n_left


# ---- Bounds of the thresholds between those that were solved


class Points(NamedTuple):
    """Solved cuts of every column, for each way in turn, in order; between two of them is a gap."""

    cut: np.ndarray  # (n_ways * n_columns, n_rows + 1) int32
    left: np.ndarray  # the same shape, as values: no tree on the left side, or on more rows, has a lower value
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


def make_points(shape: tuple[int, ...], kind: type, weighs: bool, has_ends: bool = True) -> Points:
    """Allocate room for cuts; `shape` is that of `Points.cut`. Weights of leaves take more of it, as do ends."""
    cut, (left, right, low) = np.zeros(shape, np.int32), (np.zeros(shape, kind) for _ in range(3))
    own = (np.zeros(shape, kind), np.zeros(shape, kind)) if weighs else (left, right)
    first, last = (np.zeros(shape if has_ends else (*shape[:-1], 0), np.int32) for _ in range(2))
    return Points(cut, left, right, *own, low, first, last, np.zeros(shape[:-1], np.int64))


@uncounted
def begin_points(node, points, n_ways, whole):
    """Begin with the two ends of every column, as many times as there are ways.

    No tree on all rows, or on more of them, has a lower value than `whole`; so none has with fewer splits, as a
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


@uncounted
def bound_gap(task, node, points, f, k):
    """Write the bound of the gap behind point k of column f."""
    a, b = points.cut[f, k], points.cut[f, k + 1]
    if b - a < 2:
        points.low[f, k] = NEVER
        return
    column = f % len(node.n_cuts)
    between = task.unit * (node.sums[column, b, 0] - node.sums[column, a, 0])
    # A cut in the gap has more rows on its left than a, and more on its right than b: bounds for more rows.
    apart = points.left[f, k] + points.right[f, k + 1]
    # It has fewer on its left than b, and fewer on its right than a, which together lack all between a and b. The
    # best tree of a side keeps its leaves' weights when the rest comes back, so that a side's own bound will do.
    near = points.own_left[f, k + 1] + points.own_right[f, k] - between
    points.low[f, k] = max(apart, near) + task.tie


@uncounted
def ends(task, node, points, f, k, limit):
    """Return the ends of the gap behind point k of column f, by its two neighbours alone.

    Behind a point the left side costs no less than at it, whatever leaves weigh (`left`), and the right side less
    by at most the worth of the rows between (`own_right`); before the next point it is the other way round.
    """
    a, b, column = points.cut[f, k], points.cut[f, k + 1], f % len(node.n_cuts)
    unit, before, behind = task.unit, node.sums[column, a, 0], node.sums[column, b, 0]
    spare = points.left[f, k] + points.own_right[f, k] + task.tie - limit
    first, stop = a + 1, b
    while first < stop:  # the first cut that is far enough from a
        middle = (first + stop) // 2
        if unit * (node.sums[column, middle, 0] - before) > spare and is_light(task, node, column, middle) >= 0:
            stop = middle
        else:
            first = middle + 1
    spare = points.own_left[f, k + 1] + points.right[f, k + 1] + task.tie - limit
    start, last = a, b - 1
    while start < last:  # the last cut that is far enough from b
        middle = (start + last + 1) // 2
        if unit * (behind - node.sums[column, middle, 0]) > spare and is_light(task, node, column, middle) <= 0:
            start = middle
        else:
            last = middle - 1
    return Ends(first, last)


@uncounted
def insert_point(task, node, points, place, solved):
    """Insert a solved cut into a gap."""
    f, k = place.column, place.point
    for i in range(points.n[f], k + 1, -1):
        points.cut[f, i], points.low[f, i] = points.cut[f, i - 1], points.low[f, i - 1]
        points.left[f, i], points.right[f, i] = points.left[f, i - 1], points.right[f, i - 1]
        points.own_left[f, i], points.own_right[f, i] = points.own_left[f, i - 1], points.own_right[f, i - 1]
    points.cut[f, k + 1], points.left[f, k + 1], points.right[f, k + 1] = solved.cut, solved.left, solved.right
    points.own_left[f, k + 1], points.own_right[f, k + 1] = solved.own_left, solved.own_right
    points.n[f] += 1
    first, last = k, k + 1
    while first > 0 and points.right[f, first] < solved.right:  # nor does any tree on more rows cost less
        points.right[f, first] = solved.right
        first -= 1
    while last + 1 < points.n[f] - 1 and points.left[f, last + 1] < solved.left:
        points.left[f, last + 1] = solved.left
        last += 1
    for gap in range(first, last + 1):
        bound_gap(task, node, points, f, gap)


@uncounted
def loose_bound(task, node, points, most):
    """Return a bound of the trees of a node, of at most `most`, that holds for more rows, too.

    It is needed where leaves have a least weight, since other bounds of gaps then hold for the node's own alone.
    So it looks at all cuts, solved ones and those too light for a leaf, by bounds for leaves of any weight.
    A root that parts only rows that are not here leaves the tree of one side, a smaller one of this node.
    """
    least = most
    for f in range(len(points.n)):
        column = f % len(node.n_cuts)
        for k in range(points.n[f] - 1):
            if k > 0:
                least = min(least, points.left[f, k] + points.right[f, k] + task.tie)
            a, b = points.cut[f, k], points.cut[f, k + 1]
            if b - a > 1:
                between = task.unit * (node.sums[column, b, 0] - node.sums[column, a, 0])
                apart = points.left[f, k] + points.right[f, k + 1]
                near = points.left[f, k + 1] + points.right[f, k] - between
                least = min(least, max(apart, near) + task.tie)
    return least


# ---- Trees of depth two


class PairScratch(NamedTuple):
    """Scratch memory for trees of depth two."""

    own: Any  # ClassScratch or LaneScratch
    points: Points
    spare: Points  # of one column: where new points are merged
    lane: np.ndarray  # (n_lanes,) int64: the cut of each lane
    column: np.ndarray  # (n_lanes,) int64: its column
    has_lanes: np.ndarray  # (n_columns,) bool: whether a column has lanes in this round
    way: np.ndarray  # (1,) int64: which sides of the root may be stumps
    stop: np.ndarray  # (1,) int64: not 0 to stop


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
