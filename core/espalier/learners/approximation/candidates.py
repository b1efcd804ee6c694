"""Candidate splits of a node: those that a tree grown on the node's own samples could make.

Zhou & Hooker (2016, section 2.5) take the midpoints of adjacent values of the node's original samples. Unordered
categories are ordered by the model's predictions for these samples (for more than two classes, one order for each
coordinate of the labels); a split cuts this order between two categories.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.binarise import midpoint
from espalier.kernels.approximation.better_split_test import Candidates, slots_of

MOST = 65_000  # most thresholds of a column: bins are numbered in 16 bits
N_CODES = 64


class CandidateColumn(NamedTuple):
    """One column of `Candidates`."""

    feature: int
    threshold: np.ndarray  # (n_splits,) float64
    order: np.ndarray  # (64,) int64
    missing_bin: int


def candidates_of(
    X: np.ndarray, sums: np.ndarray, categorical: np.ndarray, allowed: np.ndarray | None = None
) -> Candidates:
    """Return the candidate splits of a node with samples X (n, n_features).

    sums (n, 1 + n_targets) holds each sample's weight, and the weight times the labels that the model predicts.

    In a column with missing values each split is listed twice, with missing values right and left. The threshold
    inf adds the split that separates known values from missing ones. `allowed` are numbers of columns that may be
    asked about; None for all.
    """
    columns: list[CandidateColumn] = []
    for feature in range(X.shape[1]) if allowed is None else allowed.tolist():
        columns += (_of_categories if categorical[feature] else _of_numbers)(feature, X[:, feature], sums)
    sizes = [len(column.threshold) for column in columns]
    slots, scale = slots_of([column.threshold[~np.isnan(column.threshold)] for column in columns])
    return Candidates(
        np.array([column.feature for column in columns], np.int64),
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        np.concatenate([np.empty(0), *(column.threshold for column in columns)]),
        np.array([column.order for column in columns], np.int64).reshape(-1, N_CODES),
        np.array([column.missing_bin for column in columns], np.int64),
        slots,
        scale,
    )


def columns_kept(prospects: Candidates, kept: np.ndarray) -> Candidates:
    """Keep only the columns whose numbers are in `kept` (ascending)."""
    sizes = np.diff(prospects.start)[kept]
    return Candidates(
        prospects.feature[kept],
        np.append(0, np.cumsum(sizes)),
        prospects.threshold[np.repeat(np.isin(np.arange(len(prospects.feature)), kept), np.diff(prospects.start))],
        prospects.order[kept],
        prospects.missing_bin[kept],
        prospects.slots[kept],
        prospects.scale[kept],
    )


def mask_of(prospects: Candidates, column: int, split: int) -> int:
    """Return the categories that a split sends left, as bits; 0 for a split on a threshold."""
    if not np.isnan(prospects.threshold[split]):
        return 0
    left = np.flatnonzero(prospects.order[column] <= split - prospects.start[column])
    return sum(1 << int(code) for code in left)


def _of_numbers(feature: int, values: np.ndarray, _sums: np.ndarray) -> list[CandidateColumn]:
    known = np.unique(values[~np.isnan(values)])
    threshold = _evenly(midpoint(known[:-1], known[1:])) if len(known) > 1 else np.empty(0)
    return _with_missing(feature, threshold, np.full(N_CODES, -1), bool(np.isnan(values).any()), len(known) > 0)


def _of_categories(feature: int, values: np.ndarray, sums: np.ndarray) -> list[CandidateColumn]:
    is_known = ~np.isnan(values)
    codes, position = np.unique(values[is_known].astype(np.int64), return_inverse=True)
    by_code = [np.bincount(position, column, len(codes)) for column in sums[is_known].T]
    orders = {}
    for label in by_code[1:]:
        ranks = np.argsort(label / by_code[0], kind="stable")
        orders.setdefault(min(tuple(ranks), tuple(ranks[::-1])), ranks)  # the reversed order allows the same cuts
    columns = []
    for ranks in orders.values():
        order = np.full(N_CODES, max(len(codes) - 1, 0))  # categories without samples in the node go right
        order[codes[ranks]] = np.arange(len(codes))
        threshold = np.full(max(len(codes) - 1, 0), np.nan)
        columns += _with_missing(feature, threshold, order, not is_known.all(), len(codes) > 0)
    return columns


def _with_missing(
    feature: int, threshold: np.ndarray, order: np.ndarray, has_missing: bool, has_known: bool
) -> list[CandidateColumn]:
    if not has_missing:
        return [CandidateColumn(feature, threshold, order, len(threshold))] if len(threshold) else []
    if not has_known:
        return []
    missing_right = CandidateColumn(feature, np.append(threshold, np.inf), order, len(threshold) + 1)
    missing_left = CandidateColumn(feature, threshold, order, 0)
    return [missing_right, missing_left] if len(threshold) else [missing_right]


def _evenly(thresholds: np.ndarray) -> np.ndarray:
    """Return all thresholds, or as many as the bins allow, evenly spaced by rank."""
    if len(thresholds) <= MOST:
        return thresholds
    return thresholds[np.linspace(0, len(thresholds) - 1, MOST).astype(np.int64)]
