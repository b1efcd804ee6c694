"""Values as ranks: how many of a feature's thresholds are less than a value, found in about one look.

A value goes left of a threshold if its rank is at most the threshold's, so that what is asked of a rank once
serves all trees, and all comparisons are of small whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

SLOTS = 2048  # pieces of a feature's range, each of which knows the rank at which it begins


class ThresholdRanks(NamedTuple):
    """Thresholds of the features that are asked for, and what ranks among them are found with."""

    feature: np.ndarray  # (n_used,) int64: columns that are asked for
    start: np.ndarray  # (n_used + 1,) int64
    threshold: np.ndarray  # (n_thresholds,) float64, ascending for each of them, from `start` on
    slots: np.ndarray  # (n_used, SLOTS + 1) int32: rank of the first value of a slot
    scale: np.ndarray  # (n_used, 2) float64: least threshold, slots for a unit


def make_ranks(feature: np.ndarray, thresholds: list[np.ndarray]) -> ThresholdRanks:
    """Ranks among the thresholds, ascending, of each of the columns `feature` (n_used,) int64."""
    start = np.append(0, np.cumsum([len(t) for t in thresholds])).astype(np.int64)
    return ThresholdRanks(feature, start, np.concatenate([np.empty(0), *thresholds]), *slots_of(thresholds))


def slots_of(thresholds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """For lists of thresholds, ascending: where the slots of each begin (n_lists, SLOTS + 1), and their scale."""
    slots, scale = np.zeros((len(thresholds), SLOTS + 1), np.int32), np.zeros((len(thresholds), 2))
    for i, of_feature in enumerate(thresholds):
        finite = of_feature[np.isfinite(of_feature)]
        if not len(finite):
            scale[i] = np.inf, 0.0  # no value is above the least
            continue
        low, span = finite[0], finite[-1] - finite[0]
        per_unit = SLOTS / span if span > 0 and np.isfinite(SLOTS / span) else 0.0
        scale[i] = low, per_unit
        slot_of = np.minimum((finite - low) * per_unit, SLOTS).astype(np.int64)  # as `rank_rows` has it
        slots[i] = np.searchsorted(slot_of, np.arange(SLOTS + 1))
    return slots, scale


@kernel
def rank_of(value, threshold, slots, low, per_unit):
    """How many of the thresholds, ascending, are less than a known value.

    slots (SLOTS + 1,) and the two of a row of `scale`, as `slots_of` makes them, say where to begin to look.
    """
    if not value > low:
        return 0
    rank = slots[int(min((value - low) * per_unit, float(SLOTS)))]
    while rank < len(threshold) and threshold[rank] < value:
        rank += 1
    return rank


@kernel
def rank_rows(ranks, rows, found):
    """Write the ranks of rows (n, n_features), none of them missing, into found (n, n_used) int32."""
    for i in range(len(ranks.feature)):
        threshold = ranks.threshold[ranks.start[i] : ranks.start[i + 1]]
        slots, feature = ranks.slots[i], ranks.feature[i]
        low, per_unit = ranks.scale[i]
        for row in range(len(rows)):
            found[row, i] = rank_of(rows[row, feature], threshold, slots, low, per_unit)
