"""The table as boosting wants it: every value as the number of a bin, at most 255 a column, and one for missing.

A bin of a number holds neighbouring values of the column; where a column has few different values each has a bin
of its own, and splits are exact. The threshold between two bins is midway between the values next to it, so that
a grown tree speaks of x, and predicting needs no bins.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
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
    ordered = np.sort(column)  # nan last
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    greatest, after = _edges(ordered, max_bins)
    _code_numbers(column, greatest, codes)
    between = [midpoint(float(low), float(high)) for low, high in zip(greatest, after, strict=True)]
    return np.array([*between, np.inf, np.inf])


def _edges(ordered: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Greatest value of every bin but the last, and the value that follows it, of ordered values (n_known,)."""
    is_last = np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]
    distinct = ordered[is_last]
    if len(distinct) > max_bins:  # bins of about as many samples each
        ends = np.arange(1, max_bins) * len(ordered) // max_bins
        chosen = np.unique(np.searchsorted(distinct, ordered[ends - 1]))
        chosen = chosen[chosen < len(distinct) - 1]
        return distinct[chosen], distinct[chosen + 1]
    return distinct[:-1], distinct[1:]


def _bin_categories(column: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Write the codes (n_samples,) of a column of categories; returns a threshold for each bin, which is none."""
    known = column[(column >= 0) & (column < MAX_LEVELS)]
    n_known = int(known.max(initial=0.0)) + 1
    _code_categories(column, n_known, codes)
    return np.full(n_known + 1, np.nan)
