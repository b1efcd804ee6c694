"""What is known of a column's thresholds, and what follows for those between them.

The value of the best tree on a side of a threshold can only fall when samples leave it, by at most what they are
worth, since the same tree remains (Briţa et al. 2025, sections 4.1 to 4.3). So two thresholds that were solved
bound all between them: from their neighbours, as far as these are near; and from the left side of the lower one
together with the right side of the higher one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

NEVER = 1 << 60  # bound of a gap without thresholds


class Points(NamedTuple):
    """Solved cuts of every column, in order; between two of them is a gap."""

    cut: np.ndarray  # (n_columns, n_samples + 1) int32
    left: np.ndarray  # the same shape, int64: no tree on the left side has a lower value
    right: np.ndarray  # the same for the right side
    low: np.ndarray  # the same: no tree whose root is a threshold in the gap behind has a lower value
    first: np.ndarray  # the same shape, int32: the first cut in that gap that may be a better root
    last: np.ndarray  # the last one
    n: np.ndarray  # (n_columns,) int64: how many


class Ends(NamedTuple):
    """The first and last cut in a gap whose trees may still have a value below a limit; none if first > last."""

    first: int
    last: int


class GapPlace(NamedTuple):
    """The place of a gap: its column, and the point before it."""

    column: int
    point: int


class SolvedCut(NamedTuple):
    """A cut, with the values of the best trees on both sides."""

    cut: int
    left: int
    right: int


def make_points(n_columns: int, n_samples: int) -> Points:
    """Allocate room for all cuts of all columns."""
    shape = n_columns, n_samples + 1
    values = (np.zeros(shape, np.int64) for _ in range(3))
    cut, first, last = (np.zeros(shape, np.int32) for _ in range(3))
    return Points(cut, *values, first, last, np.zeros(n_columns, np.int64))


@kernel
def begin_points(node, points, whole, tie):
    """Begin with the two ends of every column; no tree on all samples has a lower value than `whole`."""
    for f in range(len(node.n_cuts)):
        last = node.n_cuts[f] - 1
        points.cut[f, 0], points.left[f, 0], points.right[f, 0] = 0, 0, whole
        points.cut[f, 1], points.left[f, 1], points.right[f, 1] = last, whole, 0
        points.n[f] = 2
        points.low[f, 0] = whole if last > 1 else NEVER


@kernel
def bound_gap(problem, node, points, f, k):
    """Write the bound of the gap behind point k of column f."""
    a, b = points.cut[f, k], points.cut[f, k + 1]
    if b - a < 2:
        points.low[f, k] = NEVER
        return
    between = problem.unit * (node.worth[f, b] - node.worth[f, a])
    apart = points.left[f, k] + points.right[f, k + 1]
    near = points.left[f, k + 1] + points.right[f, k] - between
    points.low[f, k] = max(apart, near) + problem.tie


@kernel
def ends(problem, node, points, f, k, limit):
    """Return the ends of the gap behind point k of column f, by its two neighbours alone."""
    a, b = points.cut[f, k], points.cut[f, k + 1]
    worth, unit = node.worth[f], problem.unit
    spare = points.left[f, k] + points.right[f, k] + problem.tie - limit
    first, stop = a + 1, b
    while first < stop:  # the first cut that is far enough from a
        middle = (first + stop) // 2
        if unit * (worth[middle] - worth[a]) > spare:
            stop = middle
        else:
            first = middle + 1
    spare = points.left[f, k + 1] + points.right[f, k + 1] + problem.tie - limit
    start, last = a, b - 1
    while start < last:  # the last cut that is far enough from b
        middle = (start + last + 1) // 2
        if unit * (worth[b] - worth[middle]) > spare:
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
    points.cut[f, k + 1], points.left[f, k + 1], points.right[f, k + 1] = solved.cut, solved.left, solved.right
    points.n[f] += 1
    bound_gap(problem, node, points, f, k)
    bound_gap(problem, node, points, f, k + 1)
