"""The best stump of some rows, with its column and rank: the search itself needs only what stumps save."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

LEAF = -1  # in place of a column


class StumpRows(NamedTuple):
    """All rows, with what predictions save there."""

    rank: np.ndarray  # (n_columns, n_rows) int64: of a row's value among the column's values
    earned: np.ndarray  # (n_rows, n_classes) int64: what predicting a class saves
    weight: np.ndarray  # (n_rows,) int64
    direction: np.ndarray  # (n_columns,) int64: 1 where of two labels only the second may be right, -1 the first
    most: int  # number of values of a column, at most
    least: int  # weight of a leaf, at least; 0 for any


class Stump(NamedTuple):
    """The best tree of at most one split."""

    saved: int  # cost
    column: int = LEAF
    rank: int = 0  # rows of lower ranks go left


@kernel
def stump_of_rows(table, rows):
    """Return the best stump of these rows, the first of several, or a leaf if no stump saves more."""
    n_classes = table.earned.shape[1]
    total, left = np.zeros(n_classes + 1, np.int64), np.zeros(n_classes + 1, np.int64)  # weight at the end
    for i in rows:
        for c in range(n_classes):
            total[c] += table.earned[i, c]
        total[n_classes] += table.weight[i]
    saved, column, rank = total[:n_classes].max(), LEAF, 0
    sums = np.zeros((table.most, n_classes + 1), np.int64)
    for f in range(len(table.rank)):
        last = _sum_up(table, rows, f, sums)
        left[:] = 0
        for k in range(last):
            left += sums[k]
            if min(left[n_classes], total[n_classes] - left[n_classes]) >= table.least:
                here = _saved(left, total, table.direction[f])
                if here > saved:
                    saved, column, rank = here, f, k + 1
    return Stump(saved, column, rank)


@kernel
def _sum_up(table, rows, f, sums):
    """Write what predictions save at each rank of column f, and the weight; return the last rank."""
    last, n_classes = 0, table.earned.shape[1]
    for i in rows:
        last = max(last, table.rank[f, i])
    sums[: last + 1] = 0
    for i in rows:
        here = sums[table.rank[f, i]]
        for c in range(n_classes):
            here[c] += table.earned[i, c]
        here[n_classes] += table.weight[i]
    return last


@kernel
def _saved(left, total, direction):
    """Return the most that two leaves save, by what each class does; of two classes in a direction."""
    if direction > 0:
        return left[0] + total[1] - left[1]
    if direction < 0:
        return left[1] + total[0] - left[0]
    first, second = np.int64(0), np.int64(0)
    for c in range(len(left) - 1):
        first = max(first, left[c])
        second = max(second, total[c] - left[c])
    return first + second
