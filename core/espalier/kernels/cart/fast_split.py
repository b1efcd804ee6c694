"""The plain search: all complete, sorted features of a node in one call, without random choices.

Growing spends most of its time here, and most of that in small nodes. One kernel therefore loops over the
features, on whole arrays: taking a view of an array for every feature would cost more than a small sweep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import CATEGORIES, LEVELS, SORTED
from espalier.kernels.cart.level_counts import count_levels, score_levels
from espalier.kernels.cart.sweep import BLOCK, score_of_cut, sweep_pairs
from espalier.kernels.impurity import ENTROPY, GINI, beyond
from espalier.kernels.task import Sweep

SMALL = BLOCK  # samples up to which a node is swept cut by cut


class NodeSlice(NamedTuple):
    """A node's samples, ``lists[buffer, :, start:stop]``, and the cuts that leave enough on both sides."""

    buffer: int
    start: int
    stop: int
    min_leaf: int


class PairScoring(NamedTuple):
    """The criterion for two classes of unit weight, and scratch memory for counts by level."""

    criterion: int  # espalier.kernels.impurity.CODES
    table: np.ndarray  # x ln x of whole numbers, for entropy; else (1,)
    counts: np.ndarray  # float64: see espalier.kernels.cart.level_counts.count_levels
    best: np.ndarray  # (width,) float64: see espalier.kernels.cart.level_counts.score_levels


class SortedFeature(NamedTuple):
    """A feature of a sorted list."""

    number: int
    slot: int  # of its list
    distinct: bool  # whether no two values of the whole column are equal


@kernel
def is_plain(columns, feature, pairs):
    """Return whether the plain search takes a feature: no missing values, no categories; levels only for pairs."""
    kind = columns.kind[feature]
    return (kind == SORTED or (pairs and kind == LEVELS)) and not columns.has_missing[feature]


@kernel
def _sweep_of(lists, columns, feature, place):
    n = place.stop - place.start
    entries = lists[place.buffer, columns.slot[feature], place.start : place.stop]
    return Sweep(
        entries, n, columns.values[feature], columns.distinct[feature],
        False, place.min_leaf - 1, n - place.min_leaf - 1,
    )  # fmt: skip


@kernel
def search_pairs(lists, columns, features, place, totals, scoring):
    """Return the best cut for two classes of unit weight as (score, feature, cut).

    totals are the node's two counts; scoring is a `PairScoring`. Of equal cuts the first of the first feature
    wins. The cut of a feature in levels is the last level on the left.
    """
    criterion, table = scoring.criterion, scoring.table
    kinds, slots, has_missing = columns.kind, columns.slot, columns.has_missing
    if columns.most_levels > 1:
        count_levels(
            lists[place.buffer, 0, place.start : place.stop], columns.codes, columns.most_levels, scoring.counts
        )
        if criterion == GINI:
            score_levels(scoring.counts, columns.most_levels, totals, place.min_leaf, scoring.best)
    best, best_feature, best_cut = -np.inf, -1, -1
    small = place.stop - place.start <= SMALL and criterion == GINI
    pure = 0.0 if criterion == ENTROPY else float(totals[0] + totals[1])  # the score of two pure sides
    for feature in features:
        if best >= pure:
            break  # no later feature can do better, and the first of equals wins
        kind = kinds[feature]
        if has_missing[feature] or kind == CATEGORIES:
            continue
        if kind == LEVELS:
            if criterion == GINI and not scoring.best[slots[feature]] > best:
                continue
            score, cut = _best_level(scoring, columns, slots[feature], place.min_leaf, totals, best)
        elif small:
            which = SortedFeature(feature, slots[feature], columns.distinct[feature])
            score, cut = _small_pairs(lists, columns.values, which, place, totals, best)
        else:
            sweep = _sweep_of(lists, columns, feature, place)
            score, cut = sweep_pairs(sweep, totals, criterion, table, best)
        if cut >= 0:
            best, best_feature, best_cut = score, feature, cut
    return best, best_feature, best_cut


@kernel
def _small_pairs(lists, values, feature, place, totals, best):
    slot, number = feature.slot, feature.number
    buffer, start, n = place.buffer, place.start, place.stop - place.start
    n0, n1 = float(totals[0]), float(totals[1])
    l1 = 0.0
    at = -1
    for i in range(n - place.min_leaf):
        entry = lists[buffer, slot, start + i]
        l1 += float(entry & np.uint32(1))
        left = float(i + 1)
        right = n - left
        l0 = left - l1
        r0, r1 = n0 - l0, n1 - l1
        here = ((l0 * l0 + l1 * l1) * right + (r0 * r0 + r1 * r1) * left) / (left * right)
        if here > best and i >= place.min_leaf - 1:
            row, after = entry >> np.uint32(1), lists[buffer, slot, start + i + 1] >> np.uint32(1)
            if feature.distinct or values[number, row] != values[number, after]:
                best, at = here, i
    return best, at


@kernel
def _best_level(scoring, columns, slot, min_leaf, totals, best):
    """Return the best cut between two levels of a feature: the last level on the left."""
    counts, criterion, table, n_levels = scoring.counts, scoring.criterion, scoring.table, columns.most_levels
    n = totals[0] + totals[1]
    width = len(counts) // (2 * n_levels)
    before, at = np.int64(0), -1
    for level in range(columns.level_start[slot + 1] - columns.level_start[slot] - 1):
        left = np.int64(counts[level * width + slot])
        if left > n - min_leaf:
            break
        if left > before and left >= min_leaf:
            l1 = np.int64(counts[(n_levels + level) * width + slot])
            here = score_of_cut(left - l1, l1, totals, criterion, table)
            if here > best:
                best, at = here, level
        before = left
    return best, at


@kernel
def search_means(lists, columns, features, place, total, y):
    """Return the best squared-error cut for unit weights as (score, feature, cut); total is the sum of y."""
    slots, kinds, has_missing = columns.slot, columns.kind, columns.has_missing
    distinct, values = columns.distinct, columns.values
    best, best_feature, best_cut, bar = -np.inf, -1, -1, -np.inf
    buffer, start, n = place.buffer, place.start, place.stop - place.start
    for feature in features:
        if best_feature >= 0 and n == 2:
            break  # two samples can be split in only one way
        if kinds[feature] != SORTED or has_missing[feature]:
            continue
        slot = slots[feature]
        moment = 0.0
        for i in range(n - place.min_leaf):
            row = lists[buffer, slot, start + i] >> np.uint32(1)
            moment += y[row]
            left = float(i + 1)
            right = n - left
            rest = total - moment
            here = (moment * moment * right + rest * rest * left) / (left * right)
            if here > bar and i >= place.min_leaf - 1:
                after = lists[buffer, slot, start + i + 1] >> np.uint32(1)
                if distinct[feature] or values[feature, row] != values[feature, after]:
                    best, best_feature, best_cut, bar = here, feature, i, beyond(here)
    return best, best_feature, best_cut
