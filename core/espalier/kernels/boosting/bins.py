"""The table as boosting wants it, in bins, and the workspace in which all trees of a fit grow.

The table as boosting wants it: every value as the number of a bin, at most 255 a column, and one for missing. A
bin of a number holds neighbouring values of the column; where a column has few different values each has a bin of
its own, and splits are exact. The threshold between two bins is midway between the values next to it, so that a
grown tree speaks of x, and predicting needs no bins.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.boosting.grow import SplitLimits
from espalier.kernels.cart.columns import MAX_LEVELS
from espalier.kernels.task import midpoint

MOST_BINS = 255  # besides that of missing values: a code is a byte


class BinnedTable(NamedTuple):
    """The bins of all features stand in one sequence, each feature's bin for missing values last."""

    codes: np.ndarray  # (n_samples, n_features) uint8: bin of each value among those of its feature
    start: np.ndarray  # (n_features + 1,) int64: where a feature's bins begin
    threshold: np.ndarray  # (n_bins,) float64: between a bin and the next; inf after the last that is known
    is_category: np.ndarray  # (n_features,) bool: a bin is a category


@kernel
def _code_numbers(column, greatest, codes):
    """Write the bin of each value: the first whose greatest value is not below it."""
    n = len(greatest)
    for row in range(len(column)):
        x = column[row]
        first, size = 0, n
        while size > 1:
            half = size // 2
            first = first + half if greatest[first + half - 1] < x else first
            size -= half
        first += n > 0 and greatest[first] < x
        codes[row] = n + 1 if np.isnan(x) else first


@kernel
def _code_categories(column, n_known, codes):
    """Write the category of each value; what is no category counts as missing, as in espalier.kernels.route."""
    for row in range(len(column)):
        x = column[row]
        codes[row] = x if 0 <= x < n_known else n_known


def make_bins(columns: np.ndarray, is_category: np.ndarray, max_bins: int, n_threads: int = 1) -> BinnedTable:
    """Bins of columns (n_features, n_samples) float64, nan where missing, at most max_bins for a number."""
    p, n = columns.shape
    codes = np.empty((n, p), np.uint8)

    def code(feature: int) -> np.ndarray:
        if is_category[feature]:
            return _bin_categories(columns[feature], codes[:, feature])
        return _bin_numbers(columns[feature], codes[:, feature], max_bins)

    with ThreadPoolExecutor(n_threads) as pool:
        threshold = list(pool.map(code, range(p)))
    return BinnedTable(codes, np.cumsum([0, *map(len, threshold)]), np.concatenate(threshold), is_category)


def _bin_numbers(column: np.ndarray, codes: np.ndarray, max_bins: int) -> np.ndarray:
    """Write the codes (n_samples,) of a column of numbers; returns the threshold after each of its bins."""
    ascending = np.sort(column)  # nan last
    ascending = ascending[: np.searchsorted(ascending, np.nan)]
    greatest, after = _edges(ascending, max_bins)
    _code_numbers(column, greatest, codes)
    between = [midpoint(float(low), float(high)) for low, high in zip(greatest, after, strict=True)]
    return np.array([*between, np.inf, np.inf])


def _edges(ascending: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Greatest value of every bin but the last, and the value that follows it, of ordered values (n_known,)."""
    is_last = np.append(ascending[1:] != ascending[:-1], True)[: len(ascending)]
    distinct = ascending[is_last]
    if len(distinct) > max_bins:  # bins of about as many samples each
        ends = np.arange(1, max_bins) * len(ascending) // max_bins
        ends_of_bins = np.unique(np.searchsorted(distinct, ascending[ends - 1]))
        ends_of_bins = ends_of_bins[ends_of_bins < len(distinct) - 1]
        return distinct[ends_of_bins], distinct[ends_of_bins + 1]
    return distinct[:-1], distinct[1:]


def _bin_categories(column: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Write the codes (n_samples,) of a column of categories; returns a threshold for each bin, which is none."""
    present = column[(column >= 0) & (column < MAX_LEVELS)]
    n_known = int(present.max(initial=0.0)) + 1
    _code_categories(column, n_known, codes)
    return np.full(n_known + 1, np.nan)


# ---- Workspace

HISTOGRAM_BYTES = 2**28  # for histograms of leaves that wait; without one, a node sums its own rows


class LeafwiseLimits(NamedTuple):
    """When growing stops."""

    max_leaves: int  # 0: no limit
    max_depth: int
    split: SplitLimits


class LeafwiseNodes(NamedTuple):
    """The nodes of the tree that grows, in the order in which they are made: siblings side by side."""

    start: np.ndarray  # (n_nodes,) int64: the node's rows are rows[start:stop]
    stop: np.ndarray  # int64
    depth: np.ndarray  # int64
    child: np.ndarray  # int64: the left child, whose sibling follows it; -1 at a leaf
    slot: np.ndarray  # int64: place of its histogram, -1: it has none
    total: np.ndarray  # (n_nodes, 2) int64: sums of the pairs of its rows
    gain: np.ndarray  # float64: of its best split
    feature: np.ndarray  # int64: of its best split, as in `LeafSplit`; -1: it has none
    bin: np.ndarray  # int64
    mask: np.ndarray  # uint64
    missing_left: np.ndarray  # bool
    low: np.ndarray  # float64: least step, in units of the sums
    high: np.ndarray  # float64: greatest step


class LeafwiseWorkspace(NamedTuple):
    """Rows, nodes and histograms."""

    rows: np.ndarray  # (n,) uint32: those a tree grows on, node after node
    spare: np.ndarray  # (n,) uint32
    side: np.ndarray  # (256,) uint8: whether a code goes left
    cells: np.ndarray  # (n_slots + 1, 2 n_bins) int64: histograms; the last one is for those that are not kept
    free: np.ndarray  # (n_slots + 1,) int64: slots without a histogram; free[0] is their number
    waiting: np.ndarray  # (n_nodes + 1,) int64: nodes that may be split; waiting[0] is their number
    nodes: LeafwiseNodes


def make_leafwise_workspace(table: BinnedTable, max_leaves: int) -> LeafwiseWorkspace:
    """Workspace for trees of this table, with up to max_leaves leaves (0: no limit)."""
    n, n_bins = len(table.codes), len(table.threshold)
    most = min(max_leaves or n, n)
    n_slots = min(max(HISTOGRAM_BYTES // (16 * n_bins), 2), most + 1, n)
    m = 2 * most + 1
    nodes = LeafwiseNodes(
        *(np.empty(m, np.int64) for _ in range(5)), np.empty((m, 2), np.int64), np.empty(m), np.empty(m, np.int64),
        np.empty(m, np.int64), np.empty(m, np.uint64), np.empty(m, np.bool_), np.empty(m), np.empty(m),
    )  # fmt: skip
    return LeafwiseWorkspace(
        np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(256, np.uint8),
        np.empty((n_slots + 1, 2 * n_bins), np.int64), np.empty(n_slots + 1, np.int64), np.empty(m + 1, np.int64),
        nodes,
    )  # fmt: skip
