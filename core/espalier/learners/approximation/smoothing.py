"""Smoothing kernels of a table's features, from the data and the user's choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.kernels.approximation.density import CATEGORIES, LEVELS, SMOOTH, Smoothing
from espalier.learners.base import is_number
from espalier.learners.frames import category_mask

CENTRAL = 0.9  # share of the values that defines a feature's span, so that a few outliers do not stretch it
MOST_LEVELS = 12  # whole numbers with at most so many values count as discrete levels


class DistinctRows(NamedTuple):
    """Distinct rows, sorted, so that results depend on neither the order nor the repetition of the given rows."""

    X: np.ndarray  # (n_rows, n_features) float64, nan where missing
    weight: np.ndarray  # (n_rows,) float64: summed over the equal rows
    n_equal: np.ndarray  # (n_rows,) int64: number of equal rows


def distinct_rows(X: np.ndarray, weight: np.ndarray) -> DistinctRows:
    """Return the distinct rows of X (n_samples, n_features), sorted by their columns."""
    order = np.lexsort(X.T[::-1])
    X, weight = X[order], weight[order]
    is_new = np.ones(len(X), dtype=bool)
    is_new[1:] = ~((X[1:] == X[:-1]) | (np.isnan(X[1:]) & np.isnan(X[:-1]))).all(axis=1)
    first = np.flatnonzero(is_new)
    return DistinctRows(X[first], np.add.reduceat(weight, first), np.diff(np.append(first, len(X))))


def smoothing_of(
    table: DistinctRows, categorical: np.ndarray, discrete: np.ndarray, bandwidth, jump: float
) -> Smoothing:
    """Return the kernel for a table.

    Columns of the masks (n_features,) jump among the values that occur; others are smoothed by `bandwidth` (see
    `ApproximationClassifier`). Raises ValueError for an unusable bandwidth.
    """
    X = table.X
    kind = np.where(categorical, CATEGORIES, np.where(discrete, LEVELS, SMOOTH)).astype(np.uint8)
    levels = [_known(column) if k != SMOOTH else np.empty(0) for column, k in zip(X.T, kind, strict=True)]
    start = np.append(0, np.cumsum([len(values) for values in levels])).astype(np.int64)
    width = np.where(kind == SMOOTH, _widths(table, bandwidth), 0.0)
    return Smoothing(kind, width, float(jump), start, np.concatenate([np.empty(0), *levels]))


def discrete_mask(columns, X: np.ndarray, categorical: np.ndarray, names: Sequence | None = None) -> np.ndarray:
    """Return which numbers jump between levels, (n_features,) bool; "auto": whole numbers with few values.

    Raises ValueError for columns that X does not have.
    """
    if not (isinstance(columns, str) and columns == "auto"):
        return category_mask(columns, X.shape[1], names, "discrete_features") & ~categorical
    return np.array([_is_scale(column) for column in X.T], dtype=bool) & ~categorical


def _is_scale(column: np.ndarray) -> bool:
    known = _known(column)
    return 0 < len(known) <= MOST_LEVELS and bool((known == np.round(known)).all())


def _known(column: np.ndarray) -> np.ndarray:
    return np.unique(column[~np.isnan(column)])


def _widths(table: DistinctRows, bandwidth) -> np.ndarray:
    """Return the standard deviations of the kernels, (n_features,) float64."""
    n, p = table.weight.sum(), table.X.shape[1]
    if isinstance(bandwidth, str):
        if bandwidth != "normal":
            raise ValueError(f'bandwidth is {bandwidth!r}; it must be a share, "normal", or one number a feature')
        # Normal reference rule (Wand & Jones 1994; Silverman 1986, section 4.3.2).
        return (4 / ((p + 2) * n)) ** (1 / (p + 4)) * np.array([_spread(*_weighed(table, j)) for j in range(p)])
    if is_number(bandwidth) and bandwidth >= 0:
        return float(bandwidth) * np.array([_span(*_weighed(table, j)) for j in range(p)])
    widths = np.asarray(bandwidth, dtype=np.float64)
    if widths.shape != (p,) or not (widths >= 0).all():
        raise ValueError(f"bandwidth is {bandwidth!r}; for {p} features it must have {p} numbers of at least 0")
    return widths


def _weighed(table: DistinctRows, feature: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the known values of a column, and their weights."""
    column = table.X[:, feature]
    return column[~np.isnan(column)], table.weight[~np.isnan(column)]


def _spread(known: np.ndarray, weight: np.ndarray) -> float:
    if not len(known):
        return 0.0
    mean = np.average(known, weights=weight)
    return float(np.sqrt(np.average((known - mean) ** 2, weights=weight)))


def _span(known: np.ndarray, weight: np.ndarray) -> float:
    """Return the range of the central part of the values, extrapolated to all of them as if uniform."""
    if not len(known):
        return 0.0
    ends = [(1 - CENTRAL) / 2, (1 + CENTRAL) / 2]
    low, high = np.quantile(known, ends, method="inverted_cdf", weights=weight)
    return float((high - low) / CENTRAL) or float(known.max() - known.min())
