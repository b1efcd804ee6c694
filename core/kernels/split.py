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
from core.kernels.levels import LevelFeature, order_entries, split_levels
from core.kernels.median import Ranks, sweep_medians
from core.kernels.randomness import below, uniform
from core.kernels.search import Place, is_plain, search_means, search_pairs
from core.kernels.sweep import sweep_classes, sweep_means, sweep_pairs
from core.kernels.task import Limits, Room, Split, Sweep, Task, midpoint


class Work(NamedTuple):
    """All that growing reads, and the room it works in."""

    columns: Columns
    task: Task
    limits: Limits
    lists: np.ndarray  # (2, n_lists, n_samples) uint32: the lists of `columns.order`, before and after a split
    features: np.ndarray  # (n_features,) int64: a permutation, for random subsets
    room: Room
    ranks: Ranks  # for absolute error


class Segment(NamedTuple):
    """Where a node's samples stand: ``lists[buffer, :, start:stop]``."""

    buffer: int
    start: int
    stop: int


@inlined
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
    plain = task.unit and not limits.random and not by_median and (task.pairs or task.n_classes == 0)
    best = no_split()
    p = len(features)
    first, last = 0, 0
    varied = False
    while last < p and (last < limits.max_features or not varied):
        first, last = last, max(limits.max_features, last + 1)
        if limits.max_features < p:
            varied = _draw(features, first, last, room.state, columns, lists, (buffer, start, stop)) or varied
        if plain:
            place = Place(buffer, start, stop, max(limits.min_leaf, 1))
            if task.pairs:
                counts = (np.int64(totals[0]), np.int64(totals[1]))
                scoring = (task.criterion, task.table, room.packed, room.counted)
                found, feature, cut = search_pairs(lists, columns, features[first:last], place, counts, scoring)
            else:
                found, feature, cut = search_means(
                    lists, columns, features[first:last], place, totals[1], task.y
                )  # fmt: skip
            if found > best.score:
                best = Split(found, feature, cut, np.nan, np.uint64(0), False)
        for i in range(first, last):
            feature = features[i]
            kind, slot, column = kinds[feature], slots[feature], values[feature]
            if plain and is_plain(columns, feature, task.pairs):
                continue
            earlier = (
                feature < best.feature and limits.max_features == p
            )  # of equal splits the first feature's wins
            bar = np.nextafter(best.score, -np.inf) if earlier else best.score
            split = Split(bar, -1, -1, np.nan, np.uint64(0), False)
            if kind != SORTED and not by_median:
                rows, is_category = lists[buffer, 0, start:stop], kind == CATEGORIES
                levels = LevelFeature(feature, rows, columns.codes[:, slot], columns.levels[slot], is_category)
                split = split_levels(levels, totals, task, limits, room, split)
                best = split if split.feature >= 0 else best
                continue
            if kind == SORTED:
                entries = lists[buffer, slot, start:stop]
                known = _known(entries, column) if columns.has_missing[feature] else stop - start
            else:
                rows, is_category = lists[buffer, 0, start:stop], kind == CATEGORIES
                levels = LevelFeature(feature, rows, columns.codes[:, slot], columns.levels[slot], is_category)
                known = order_entries(levels, task, limits, room)
                entries = room.sequence[: stop - start]
            distinct = kind == SORTED and columns.distinct[feature]
            sweep = Sweep(entries, known, column, distinct, False, 0, known - 1)
            if known > 0:
                split = _split_sequence(sweep, (feature, kind), (task, totals, ranks), limits, room, split)
                best = split if split.feature >= 0 else best
    threshold = best.threshold
    if best.feature >= 0 and np.isnan(threshold) and kinds[best.feature] != CATEGORIES:
        # Reading values costs cache misses: only the winner's are read.
        slot = slots[best.feature]
        if kinds[best.feature] == SORTED:
            threshold = _threshold_after(lists[buffer, slot, start:stop], values[best.feature], best.cut)
        else:
            rows = lists[buffer, 0, start:stop]
            threshold = _threshold_after_level(rows, columns.codes[:, slot], columns.levels[slot], best.cut)
    return Split(best.score, best.feature, best.cut, threshold, best.categories, best.missing_left)


@kernel
def _draw(features, first, last, state, columns, lists, segment):
    """Draw features[first:last] at random from what is left; returns whether one varies in the node."""
    buffer, start, stop = segment
    varied = False
    for i in range(first, last):
        j = i + below(state, len(features) - i)
        features[i], features[j] = features[j], features[i]
        column = columns.values[features[i]]
        known = column[lists[buffer, 0, start] >> np.uint32(1)]
        for at in range(start + 1, stop):
            if varied:
                break
            value = column[lists[buffer, 0, at] >> np.uint32(1)]
            varied = value != known and not (np.isnan(value) and np.isnan(known))
    return varied


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
def _threshold_after(entries, column, cut):
    low = column[entries[cut] >> np.uint32(1)]
    high = column[entries[cut + 1] >> np.uint32(1)]
    return np.inf if np.isnan(high) else midpoint(low, high)


@kernel
def _threshold_after_level(rows, codes, values, cut):
    """Midpoint between a level and the next one that occurs among rows."""
    after = MISSING
    for entry in rows:
        level = codes[entry >> np.uint32(1)]
        if level > cut and level < after:
            after = level
    return midpoint(values[cut], values[after])


@kernel
def _random_cut(sweep, is_category, state):
    """Random threshold and its cut: between the smallest and largest value (Geurts et al. 2006).

    Categories come in random order, and are cut after one of them.
    """
    column, entries, known = sweep.column, sweep.entries, sweep.known
    low, high = column[entries[0] >> np.uint32(1)], column[entries[known - 1] >> np.uint32(1)]
    if is_category:
        cut = below(state, known)
        while cut + 1 < known and column[entries[cut] >> np.uint32(1)] == column[entries[cut + 1] >> np.uint32(1)]:
            cut += 1
        return np.nan, cut
    if low == high:
        return np.inf, known - 1
    threshold = low + (high - low) * uniform(state)
    if not threshold < high:
        threshold = low
    cut = 0
    while column[entries[cut + 1] >> np.uint32(1)] <= threshold:
        cut += 1
    return threshold, cut


@inlined
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


@inlined
def _best_cut(sweep, about, min_weight, best):
    task, totals, ranks = about
    if task.criterion == ABSOLUTE_ERROR:
        found, cut = sweep_medians(sweep, ranks, task, min_weight, best)
    else:
        found, cut = _best_cut_of_sums(sweep, task, totals, min_weight, best)
    return found, cut


@inlined
def _split_sequence(sweep, which, about, limits, room, best):
    """The better of a feature's best split, over both sides for the missing, and the given one.

    which is (feature, its kind); about is (task, totals, ranks).
    """
    feature, kind = which
    threshold, span = np.nan, (0, sweep.known - 1)
    if limits.random:
        threshold, cut = _random_cut(sweep, kind == CATEGORIES, room.state)
        span = (cut, cut)
    found, at, at_left = best.score, -1, False
    for side in range(2 if sweep.known < len(sweep.entries) else 1):
        missing_left = side == 1
        first, last = _bounds(sweep, missing_left, span, limits.min_leaf)
        if first <= last:
            candidates = Sweep(
                sweep.entries, sweep.known, sweep.column, sweep.distinct, missing_left, first, last
            )  # fmt: skip
            found, cut = _best_cut(candidates, about, limits.min_leaf_weight, found)
            if cut >= 0:
                at, at_left = cut, missing_left
    if at >= 0:
        mask = np.uint64(0)
        if kind == CATEGORIES:
            mask = _mask_until(sweep, at)
        elif kind != SORTED and not limits.random:
            threshold = _threshold_after(sweep.entries, sweep.column, at)
        best = Split(found, feature, at, threshold, mask, at_left)
    return best


@kernel
def _mask_until(sweep, cut):
    mask = np.uint64(0)
    for i in range(cut + 1):
        mask |= np.uint64(1) << np.uint64(sweep.column[sweep.entries[i] >> np.uint32(1)])
    return mask


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
