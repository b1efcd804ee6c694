"""The plain search: all complete, sorted features of a node in one call, without random choices.

Growing spends most of its time here, and most of that in small nodes. One kernel therefore loops over the
features, on whole arrays: taking a view of an array for every feature would cost more than a small sweep.

Counts of two classes up to each level of every feature in levels: 64 features at once. A row's levels are bytes
beside each other. To count the rows up to a level is to compare their bytes with it and to add 1 where they are
not greater; for the counts of class 1, other rows get bytes greater than any level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import CATEGORIES, LEVELS, SORTED
from espalier.kernels.cart.sweep import BLOCK, score_of_cut, sweep_pairs
from espalier.kernels.octets import (
    count_up_to,
    larger,
    load_bytes,
    none_counted,
    or_all,
    plus_bytes,
    store_bytes,
    within,
)
from espalier.kernels.simd import BYTES, REALS, alike, borrow, load_reals, store_reals
from espalier.kernels.task import ENTROPY, GINI, Sweep, beyond, score_of_squares

TOGETHER = 4  # levels whose counts are made at once
MOST_ROWS = 255  # that a byte counts


def width_of(n_features: int) -> int:
    """Return the number of features, rounded up to whole vectors."""
    return -(-n_features // BYTES) * BYTES


@kernel
def count_levels(entries, codes, n_levels, counts):
    """Count a node's samples, and those of class 1, up to each level but the last.

    Codes (n_samples, n_features) uint8 are followed by 64 bytes that may be read. Counts are flat: of all samples,
    then of class 1, each (n_levels, width) for `width_of` features.
    """
    stride, flat = codes.shape[1], borrow(codes).reshape(codes.size)
    part = np.empty(2 * TOGETHER * BYTES, np.uint8)
    width = (stride + BYTES - 1) // BYTES * BYTES
    for first in range(0, n_levels - 1, TOGETHER):
        n_together = min(TOGETHER, n_levels - 1 - first)
        for block in range(0, width, BYTES):
            for start in range(0, len(entries), MOST_ROWS):
                _count_part(entries[start : start + MOST_ROWS], flat, stride, block, first, part)
                for level in range(n_together):
                    at = (first + level) * width + block
                    _add_part(part.view(np.int64), level, counts, at, start > 0)
                    _add_part(part.view(np.int64), TOGETHER + level, counts, n_levels * width + at, start > 0)


@inlined
def _add_part(words, level, counts, at, add):
    """Write the 64 counts of a level as real numbers, or add them to those that are there."""
    for i in range(REALS):
        before = load_reals(counts, at + i * REALS) if add else alike(0.0)
        store_reals(counts, at + i * REALS, plus_bytes(before, words[level * REALS + i]))


@kernel
def score_levels(counts, n_levels, totals, min_leaf, best):
    """Write the score by gini of each feature's best cut between two levels into best (width,); -inf for none.

    Counts are those of `count_levels`, totals the node's two counts. A level that no sample has scores as the one
    before it, or not at all.
    """
    width, n = len(best), float(totals[0] + totals[1])
    n0, n1, samples = alike(float(totals[0])), alike(float(totals[1])), alike(n)
    for block in range(0, width, REALS):
        most = alike(-np.inf)
        for level in range(n_levels - 1):
            left = within(load_reals(counts, level * width + block), float(min_leaf), n - min_leaf)
            l1 = load_reals(counts, (n_levels + level) * width + block)
            l0, right = left - l1, samples - left
            r0, r1 = n0 - l0, n1 - l1
            score = score_of_squares(l0 * l0 + l1 * l1, r0 * r0 + r1 * r1, left, right)
            most = larger(score, most)
        store_reals(best, block, most)


@kernel
def _count_part(entries, flat, stride, block, level, part):
    """Count at most 255 entries up to four levels, in one block of features."""
    a = b = c = d = none_counted()
    a1 = b1 = c1 = d1 = none_counted()
    for entry in entries:
        here = load_bytes(flat, np.int64(entry >> np.uint32(1)) * stride + block)
        a, b = count_up_to(a, here, level), count_up_to(b, here, level + 1)
        c, d = count_up_to(c, here, level + 2), count_up_to(d, here, level + 3)
        here = or_all(here, np.int64(entry & np.uint32(1)) * 255 ^ 255)
        a1, b1 = count_up_to(a1, here, level), count_up_to(b1, here, level + 1)
        c1, d1 = count_up_to(c1, here, level + 2), count_up_to(d1, here, level + 3)
    store_bytes(part, 0, a)
    store_bytes(part, BYTES, b)
    store_bytes(part, 2 * BYTES, c)
    store_bytes(part, 3 * BYTES, d)
    store_bytes(part, 4 * BYTES, a1)
    store_bytes(part, 5 * BYTES, b1)
    store_bytes(part, 6 * BYTES, c1)
    store_bytes(part, 7 * BYTES, d1)


# ---- The search

SMALL = BLOCK  # samples up to which a node is swept cut by cut


class NodeSlice(NamedTuple):
    """A node's samples, ``lists[buffer, :, start:stop]``, and the cuts that leave enough on both sides."""

    buffer: int
    start: int
    stop: int
    min_leaf: int


class PairScoring(NamedTuple):
    """The criterion for two classes of unit weight, and scratch memory for counts by level."""

    criterion: int  # espalier.kernels.task.CODES
    table: np.ndarray  # x ln x of whole numbers, for entropy; else (1,)
    counts: np.ndarray  # float64: see espalier.kernels.cart.fast_split.count_levels
    best: np.ndarray  # (width,) float64: see espalier.kernels.cart.fast_split.score_levels


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
        here = score_of_squares(l0 * l0 + l1 * l1, r0 * r0 + r1 * r1, left, right)
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
            here = score_of_squares(moment * moment, rest * rest, left, right)
            if here > bar and i >= place.min_leaf - 1:
                after = lists[buffer, slot, start + i + 1] >> np.uint32(1)
                if distinct[feature] or values[feature, row] != values[feature, after]:
                    best, best_feature, best_cut, bar = here, feature, i, beyond(here)
    return best, best_feature, best_cut
