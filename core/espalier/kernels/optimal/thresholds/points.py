"""What is known of a column's thresholds, and what follows for those between them.

The value of the best tree on a side of a threshold can only fall when samples leave it, by at most what they are
worth, since the same tree remains (Briţa et al. 2025, sections 4.1 to 4.3). So two thresholds that were solved
bound all between them: from their neighbours, as far as these are near; and from the left side of the lower one
together with the right side of the higher one.

A least weight of leaves breaks half of this: with fewer samples a leaf may become too light. What holds for more
samples is then the bound of trees whose leaves may have any weight; with less of them, the tree's own bound.

A limit of splits gives each root several ways to share them out between its sides. Each way has columns of its
own here: those of the first way, then those of the next. So bounds are compared for one number of splits alone,
and the tree that remains when samples leave has no more of them. Directions do not matter here: they limit the
labels of a stump by its column, whichever samples there are. Nor do costs and fixed labels, which are what samples
are worth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.thresholds.samples import is_light

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
