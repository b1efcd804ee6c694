"""The best split of one node: over the features tried, the best cut of each.

The glue here is written into the growing loop (`inlined`): records that hold the whole state are never
handed from function to function, which would cost more than the search itself in a small node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels import inlined, kernel
from core.kernels.columns import CATEGORIES, MISSING, SORTED, Columns
from core.kernels.impurity import ABSOLUTE_ERROR
from core.kernels.levels import LevelFeature, order_by_target, present_levels, split_levels, sum_levels
from core.kernels.median import Ranks, sweep_medians
from core.kernels.randomness import below, shuffle, uniform
from core.kernels.sweep import sweep_classes, sweep_means, sweep_pairs
from core.kernels.task import Limits, Room, Split, Sweep, Task, midpoint


class Work(NamedTuple):
    """All that growing reads, and the room it works in."""

    columns: Columns
    task: Task
    limits: Limits
    lists: (
        np.ndarray
    )  # (2, n_lists, n_samples) uint32: the lists of `columns.order`, before and after a split
    features: np.ndarray  # (n_features,) int64: a permutation, for random subsets
    room: Room
    ranks: Ranks  # for absolute error


class Segment(NamedTuple):
    """Where a node's samples stand: ``lists[buffer, :, start:stop]``."""

    buffer: int
    start: int
    stop: int


@kernel
def no_split():
    """The split that every other one beats."""
    return Split(-np.inf, -1, -1, np.nan, np.uint64(0), False)


@inlined
def find_split(work, segment, totals):
    """Best split of a node whose sums are totals (n_sums,); `no_split` where there is none."""
    # Unpacked once a node: handing whole records on for every feature would cost more than the search.
    columns, task, limits, room, features = work.columns, work.task, work.limits, work.room, work.features
    kinds, slots, values, lists = columns.kind, columns.slot, columns.values, work.lists
    buffer, start, stop = segment.buffer, segment.start, segment.stop
    by_median = task.criterion == ABSOLUTE_ERROR
    ranks = _node_ranks(work.ranks, lists[buffer, -1, start:stop], task.y, by_median)
    best = no_split()
    p = len(features)
    plain = not limits.random and not by_median  # the usual case, kept clear of everything else
    varied = False
    for i in range(p):
        if varied and i >= limits.max_features:
            break
        if limits.max_features < p:
            j = i + below(room.state, p - i)
            features[i], features[j] = features[j], features[i]
        feature = features[i]
        kind, slot, column = kinds[feature], slots[feature], values[feature]
        if kind == SORTED:
            entries = lists[buffer, slot, start:stop]
            known = _known(entries, column) if columns.has_missing[feature] else stop - start
            sweep = Sweep(entries, known, column, columns.distinct[feature], False, 0, known - 1)
            varies = _varies(sweep)
            if varies and plain and known == stop - start:
                first, last = max(limits.min_leaf - 1, 0), min(known - 1, known - limits.min_leaf - 1)
                sweep = Sweep(entries, known, column, columns.distinct[feature], False, first, last)
                found, cut = _best_cut_of_sums(sweep, task, totals, limits.min_leaf_weight, best.score)
                if cut >= 0:
                    best = Split(found, feature, cut, np.nan, np.uint64(0), False)
            elif varies:
                best = _split_sequence(sweep, (feature, False), (task, totals, ranks), limits, room, best)
        else:
            rows = lists[buffer, 0, start:stop]
            levels = LevelFeature(
                feature, rows, column, columns.codes[slot], columns.levels[slot], kind == CATEGORIES
            )  # fmt: skip
            if by_median:
                varies, best = _split_levels_by_median(levels, (task, totals, ranks), limits, room, best)
            else:
                varies, best = split_levels(levels, totals, task, limits, room, best)
        varied = varied or varies
    threshold = best.threshold
    if best.feature >= 0 and np.isnan(threshold) and kinds[best.feature] == SORTED:
        # Reading values costs cache misses: only the winner's are read.
        entries = lists[buffer, slots[best.feature], start:stop]
        threshold = _threshold_after(entries, values[best.feature], best.cut)
    return Split(best.score, best.feature, best.cut, threshold, best.categories, best.missing_left)


# ---- features in order: sorted ones, and all of them under absolute error


@kernel
def _known(entries, column):
    """How many entries have a value; they come first."""
    low, high = 0, len(entries)
    while low < high:
        middle = (low + high) // 2
        if np.isnan(column[entries[middle] >> np.uint32(1)]):
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _varies(sweep):
    known = sweep.known
    if known == 0 or sweep.distinct:
        return known > 1 or 0 < known < len(sweep.entries)
    first, last = sweep.entries[0] >> np.uint32(1), sweep.entries[known - 1] >> np.uint32(1)
    return known < len(sweep.entries) or sweep.column[first] != sweep.column[last]


@kernel
def _threshold_after(entries, column, cut):
    low = column[entries[cut] >> np.uint32(1)]
    high = column[entries[cut + 1] >> np.uint32(1)]
    return np.inf if np.isnan(high) else midpoint(low, high)


@kernel
def _random_cut(sweep, state):
    """Random threshold between the smallest and largest value, and its cut (Geurts et al. 2006)."""
    low = sweep.column[sweep.entries[0] >> np.uint32(1)]
    high = sweep.column[sweep.entries[sweep.known - 1] >> np.uint32(1)]
    if low == high:
        return np.inf, sweep.known - 1
    threshold = low + (high - low) * uniform(state)
    if not threshold < high:
        threshold = low
    cut = 0
    while sweep.column[sweep.entries[cut + 1] >> np.uint32(1)] <= threshold:
        cut += 1
    return threshold, cut


@kernel
def _random_boundary(sweep, state):
    """Random cut between two categories of a shuffled sequence."""
    cut = below(state, sweep.known)
    while cut + 1 < sweep.known and (
        sweep.column[sweep.entries[cut] >> np.uint32(1)]
        == sweep.column[sweep.entries[cut + 1] >> np.uint32(1)]
    ):
        cut += 1
    return np.nan, cut


@kernel
def _bounds(sweep, missing_left, span, min_leaf):
    """First and last cut within span that leave `min_leaf` samples and a known value on each side."""
    n = len(sweep.entries)
    extra = n - sweep.known if missing_left else 0
    end = sweep.known - 1 if sweep.known < n and not missing_left else sweep.known - 2
    return max(span[0], min_leaf - 1 - extra), min(min(span[1], end), n - min_leaf - 1 - extra)


@kernel
def _best_cut_of_sums(sweep, task, totals, min_weight, best):
    if task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        return sweep_pairs(sweep, counts, task.criterion, task.table, best)
    if task.n_classes > 0:
        return sweep_classes(sweep, totals, task, min_weight, best)
    return sweep_means(sweep, totals, task, min_weight, best)


@kernel
def _best_cut(sweep, about, min_weight, best):
    task, totals, ranks = about
    if task.criterion == ABSOLUTE_ERROR:
        return sweep_medians(sweep, ranks, task, min_weight, best)
    return _best_cut_of_sums(sweep, task, totals, min_weight, best)


@kernel
def _split_sequence(sweep, which, about, limits, room, best):
    """The better of a feature's best split, over both sides for the missing, and the given one.

    which is (feature, whether it is categories); about is (task, totals, ranks).
    """
    feature, is_category = which
    threshold, span = np.nan, (0, sweep.known - 1)
    if limits.random:
        if is_category:
            threshold, cut = _random_boundary(sweep, room.state)
        else:
            threshold, cut = _random_cut(sweep, room.state)
        span = (cut, cut)
    found, at, at_left = best.score, -1, False
    for missing_left in (False, True):
        if missing_left and sweep.known == len(sweep.entries):
            break
        first, last = _bounds(sweep, missing_left, span, limits.min_leaf)
        if first <= last:
            candidates = Sweep(
                sweep.entries, sweep.known, sweep.column, sweep.distinct, missing_left, first, last
            )  # fmt: skip
            found, cut = _best_cut(candidates, about, limits.min_leaf_weight, found)
            if cut >= 0:
                at, at_left = cut, missing_left
    if at < 0:
        return best
    mask = _mask_until(sweep, at) if is_category else np.uint64(0)
    return Split(found, feature, at, threshold, mask, at_left)


@kernel
def _mask_until(sweep, cut):
    mask = np.uint64(0)
    for i in range(cut + 1):
        mask |= np.uint64(1) << np.uint64(sweep.column[sweep.entries[i] >> np.uint32(1)])
    return mask


# ---- absolute error


@inlined
def _node_ranks(ranks, by_target, y, by_median):
    """Ranks of the node's targets, for absolute error; by_target are its entries in order of the target."""
    size = len(by_target) if by_median else 1
    ranks = Ranks(ranks.y[:size], ranks.rank, ranks.weight[:size], ranks.total[:size], ranks.loss[:size])
    if by_median:
        _rank(by_target, y, ranks)
    return ranks


@kernel
def _rank(entries, y, ranks):
    for i in range(len(entries)):
        row = entries[i] >> np.uint32(1)
        ranks.rank[row] = i
        ranks.y[i] = y[row]


@kernel
def _split_levels_by_median(levels, about, limits, room, best):
    """As `_split_levels`, through a list of the node's entries in order of their levels."""
    known = _order_by_level(levels, about[0], limits, room)
    entries = room.sequence[: len(levels.entries)]
    sweep = Sweep(entries, known, levels.column, False, False, 0, known - 1)
    if not _varies(sweep):
        return False, best
    split = _split_sequence(sweep, (levels.feature, levels.is_category), about, limits, room, best)
    threshold = split.threshold
    if split.score > best.score and not levels.is_category and np.isnan(threshold):
        threshold = _threshold_after(entries, levels.column, split.cut)
    return True, Split(
        split.score, split.feature, split.cut, threshold, split.categories, split.missing_left
    )  # fmt: skip


@kernel
def _order_by_level(levels, task, limits, room):
    """Write the entries into room.sequence by level, missing last; returns how many are known."""
    sum_levels(levels.entries, levels.codes, task, room.sums, room.counts)
    n = present_levels(room.counts, room.levels)
    if levels.is_category and limits.random:
        shuffle(room.levels[:n], room.state)
    elif levels.is_category:
        order_by_target(room.levels[:n], room.sums, 0, 1)
    room.levels[n] = MISSING
    return _lay_out(levels.entries, levels.codes, room.levels[: n + 1], room.counts, room.sequence)


@kernel
def _lay_out(entries, codes, order, counts, sequence):
    at = 0
    for level in order:
        count = counts[level]
        counts[level] = at
        at += count
    known = counts[MISSING]
    for entry in entries:
        level = codes[entry >> np.uint32(1)]
        sequence[counts[level]] = entry
        counts[level] += 1
    return known
