"""Ranks of values among a feature's thresholds, looked up in nearly constant time.

The rank of a value is the number of thresholds below it. A value goes left of a threshold if its rank is at most
the threshold's. One look-up therefore serves all trees, and all comparisons are of small whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

SLOTS = 2048  # equal pieces of a feature's range; each stores the rank at its beginning


class ThresholdRanks(NamedTuple):
    """Thresholds of the features that trees use, and a table to find ranks among them."""

    feature: np.ndarray  # (n_used,) int64: columns of X that are used
    start: np.ndarray  # (n_used + 1,) int64
    threshold: np.ndarray  # (n_thresholds,) float64: of column i from ``start[i]`` on, ascending
    slots: np.ndarray  # (n_used, SLOTS + 1) int32: rank of the first value of a slot
    scale: np.ndarray  # (n_used, 2) float64: least threshold, slots per unit


def make_ranks(feature: np.ndarray, thresholds: list[np.ndarray]) -> ThresholdRanks:
    """Return the table of ranks for the columns `feature` (n_used,) int64, each with its ascending thresholds."""
    start = np.append(0, np.cumsum([len(t) for t in thresholds])).astype(np.int64)
    return ThresholdRanks(feature, start, np.concatenate([np.empty(0), *thresholds]), *slots_of(thresholds))


def slots_of(thresholds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank at each slot (n_lists, SLOTS + 1), and the scales, of lists of ascending thresholds."""
    slots, scale = np.zeros((len(thresholds), SLOTS + 1), np.int32), np.zeros((len(thresholds), 2))
    for i, of_feature in enumerate(thresholds):
        finite = of_feature[np.isfinite(of_feature)]
        if not len(finite):
            scale[i] = np.inf, 0.0  # no value is above the least
            continue
        low, span = finite[0], finite[-1] - finite[0]
        per_unit = SLOTS / span if span > 0 and np.isfinite(SLOTS / span) else 0.0
        scale[i] = low, per_unit
        slot_of = np.minimum((finite - low) * per_unit, SLOTS).astype(np.int64)  # as in `rank_of`
        slots[i] = np.searchsorted(slot_of, np.arange(SLOTS + 1))
    return slots, scale


@kernel
def rank_of(value, threshold, slots, low, per_unit):
    """Return how many of the ascending thresholds are less than a value that is not missing.

    slots (SLOTS + 1,), low and per_unit come from `slots_of`; they give the rank at which to begin.
    """
    if not value > low:
        return 0
    rank = slots[int(min((value - low) * per_unit, float(SLOTS)))]
    while rank < len(threshold) and threshold[rank] < value:
        rank += 1
    return rank


@kernel
def rank_rows(ranks, rows, out):
    """Write the ranks of rows (n, n_features), in which nothing is missing, into out (n, n_used) int32."""
    for i in range(len(ranks.feature)):
        threshold = ranks.threshold[ranks.start[i] : ranks.start[i + 1]]
        slots, feature = ranks.slots[i], ranks.feature[i]
        low, per_unit = ranks.scale[i]
        for row in range(len(rows)):
            out[row, i] = rank_of(rows[row, feature], threshold, slots, low, per_unit)
