"""Ordinal codes: each value of the table as its position among the column's distinct values.

A node then needs whole numbers only: its samples are sorted by counting, and a column of few values is counted
without sorting. The codes of a sample are adjacent in memory, so that a node can read some features of a few
scattered samples with one or two cache misses each.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import sort_rows
from espalier.kernels.task import GINI, SQUARED_ERROR, Task

MOST_SAMPLES = 2**25  # a code and a place among SMALL samples fit into 31 bits
MANY = 1 << 16  # values of a table: to code fewer takes no longer than to wake threads


class OrdinalTable(NamedTuple):
    """A table without missing values or categories."""

    codes: np.ndarray  # (n_samples, n_features) uint32
    value: np.ndarray  # float64: the different values of each column, ascending, column after column
    start: np.ndarray  # (n_features + 1,) int64: where a column's values begin


@kernel
def _code(column, order, codes, value):
    """Write the codes (n_samples,) of a column and its distinct values; return how many there are."""
    n = 0
    for row in order:
        x = column[row]
        if n == 0 or x != value[n - 1]:
            value[n] = x
            n += 1
        codes[row] = n - 1
    return n


def serves(task: Task, X: np.ndarray) -> bool:
    """Return whether trees of this task can grow from codes of X (n_samples, n_features).

    They can if nothing is missing, weights are equal and the criterion is gini or squared error. All other trees
    grow from sorted columns (espalier.kernels.cart.grow).
    """
    if not task.unit or task.by_ratio or len(X) > MOST_SAMPLES or np.isnan(X).any():
        return False
    return task.criterion in (GINI, SQUARED_ERROR)


def make_coded(columns: np.ndarray, n_threads: int = 1) -> OrdinalTable:
    """Return the codes of columns (n_features, n_samples) float64, in which no value is missing."""
    p, n = columns.shape
    codes, values, features = np.empty((n, p), np.uint32), [np.empty(0)] * p, iter(range(p))

    def code_some(_: int) -> None:
        for feature in features:
            values[feature] = _column(columns[feature], codes[:, feature])

    if n_threads == 1 or codes.size < MANY:
        code_some(0)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(code_some, range(n_threads)))
    return OrdinalTable(codes, np.concatenate(values), np.cumsum([0, *map(len, values)]))


def _column(column: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Write the codes (n_samples,) of a column; return its distinct values, ascending."""
    n = len(column)
    order, counts = np.empty(n, np.uint32), np.empty((2, 2048), np.int64)
    _, equal = sort_rows(column, order, np.empty(n, np.uint64), np.empty(n, np.uint64), counts)
    if equal < 0:  # far outliers: sort by comparison
        order[:] = np.argsort(column, kind="stable")
    value = np.empty(n)
    return value[: _code(column, order, codes, value)].copy()
