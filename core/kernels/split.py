"""The best split of one node: over the features tried, the best cut of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels import kernel
from core.kernels.columns import CATEGORIES, LEVELS, MISSING, SORTED, Columns
from core.kernels.impurity import ABSOLUTE_ERROR
from core.kernels.levels import order_by_target, present_levels, sum_levels, sweep_levels
from core.kernels.median import Ranks, sweep_medians
from core.kernels.randomness import below, uniform
from core.kernels.sweep import sweep_classes, sweep_means, sweep_pairs
from core.kernels.task import LevelSweep, Limits, Split, Sweep, Task


class Work(NamedTuple):
    """All that the search reads, and the room it works in."""

    columns: Columns
    task: Task
    limits: Limits
    lists: np.ndarray  # (2, n_lists, n_samples) uint32: the lists of `columns.order`, before and after a split
    features: np.ndarray  # (n_features,) int64: a permutation, for random subsets
    sums: np.ndarray  # (65, n_sums) float64
    counts: np.ndarray  # (65,) int64
    sequence: np.ndarray  # (n_samples,) uint32, for absolute error; else (1,)
    ranks: Ranks  # likewise
    state: np.ndarray  # (1,) uint64: of the random numbers


class Segment(NamedTuple):
    """Where a node's samples stand: ``lists[buffer, :, start:stop]``."""

    buffer: int
    start: int
    stop: int


@kernel
def no_split():
    """The split that every other one beats."""
    return Split(-np.inf, -1, np.nan, np.uint64(0), False)


@kernel
def find_split(work, segment, totals):
    """Best split of a node whose sums are totals (n_sums,); `no_split` where there is none."""
    best = no_split()
    p = len(work.features)
    subset = work.limits.max_features < p
    varied = False
    if work.task.criterion == ABSOLUTE_ERROR:
        _rank_targets(work, segment)
    for i in range(p):
        if varied and i >= work.limits.max_features:
            break
        if subset:
            j = i + below(work.state, p - i)
            work.features[i], work.features[j] = work.features[j], work.features[i]
        feature = work.features[i]
        if work.task.criterion == ABSOLUTE_ERROR:
            varies, split = _split_by_median(work, segment, feature, best)
        elif work.columns.kind[feature] == SORTED:
            varies, split = _split_sorted(work, segment, totals, feature, best)
        else:
            varies, split = _split_levels(work, segment, totals, feature, best)
        varied = varied or varies
        best = split
    return best


@kernel
def midpoint(low, high):
    """A threshold with low on its left and high on its right: the middle, if rounding allows."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


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
def _value(sweep, position):
    return sweep.column[sweep.entries[position] >> np.uint32(1)]


@kernel
def _threshold_after(sweep, cut):
    if cut + 1 == sweep.known:
        return np.inf
    return midpoint(_value(sweep, cut), _value(sweep, cut + 1))


@kernel
def _random_cut(sweep, state):
    """Random threshold between the smallest and largest value, and its cut (Geurts et al. 2006)."""
    low, high = _value(sweep, 0), _value(sweep, sweep.known - 1)
    if low == high:
        return np.inf, sweep.known - 1
    threshold = low + (high - low) * uniform(state)
    if not threshold < high:
        threshold = low
    cut = 0
    for step in range(1, sweep.known):
        if _value(sweep, step) > threshold:
            break
        cut = step
    return threshold, cut


@kernel
def _within(sweep, missing_left, first, last, min_leaf):
    """The sweep with missing values on one side and its cuts limited to `first`..`last` and `min_leaf`."""
    n = len(sweep.entries)
    extra = n - sweep.known if missing_left else 0
    first = max(first, min_leaf - 1 - extra)
    last = min(last, n - min_leaf - 1 - extra)
    last = min(last, sweep.known - 1 if sweep.known < n and not missing_left else sweep.known - 2)
    return Sweep(sweep.entries, sweep.known, sweep.column, missing_left, first, last)


@kernel
def _best_cut(work, sweep, totals, best):
    task = work.task
    if task.criterion == ABSOLUTE_ERROR:
        return sweep_medians(sweep, work.ranks, task, work.limits.min_leaf_weight, best)
    if task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        return sweep_pairs(sweep, counts, task, best)
    if task.n_classes:
        return sweep_classes(sweep, totals, task, work.limits.min_leaf_weight, best)
    return sweep_means(sweep, totals, task, work.limits.min_leaf_weight, best)


@kernel
def _search(work, sweep, totals, best, span):
    """Best cut within span (first, last), over both sides for the missing: (score, cut, missing_left)."""
    at, at_left = -1, False
    for missing_left in (False, True):
        if missing_left and sweep.known == len(sweep.entries):
            break
        candidates = _within(sweep, missing_left, span[0], span[1], work.limits.min_leaf)
        if candidates.first <= candidates.last:
            best, cut = _best_cut(work, candidates, totals, best)
            if cut >= 0:
                at, at_left = cut, missing_left
    return best, at, at_left


@kernel
def _split_sorted(work, segment, totals, feature, best):
    """(whether the feature varies in the node, the better of its best split and the given one)."""
    columns = work.columns
    entries = work.lists[segment.buffer, columns.slot[feature], segment.start : segment.stop]
    column = columns.values[feature]
    known = _known(entries, column) if columns.has_missing[feature] else len(entries)
    sweep = Sweep(entries, known, column, False, 0, known - 1)
    if known == 0 or (known == len(entries) and _value(sweep, 0) == _value(sweep, known - 1)):
        return False, best
    return True, _split_sequence(work, sweep, totals, feature, best)


@kernel
def _split_sequence(work, sweep, totals, feature, best):
    span = (0, sweep.known - 1)
    threshold = np.nan
    if work.limits.random:
        threshold, cut = _random_cut(sweep, work.state)
        span = (cut, cut)
    found, cut, missing_left = _search(work, sweep, totals, best.score, span)
    if cut < 0:
        return best
    if not work.limits.random:
        threshold = _threshold_after(sweep, cut)
    return Split(found, feature, threshold, np.uint64(0), missing_left)


@kernel
def _shuffle(order, state):
    for i in range(len(order) - 1, 0, -1):
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]


@kernel
def _mask_of(order):
    mask = np.uint64(0)
    for level in order:
        mask |= np.uint64(1) << np.uint64(level)
    return mask


@kernel
def _random_level(work, feature, order):
    """Random threshold and the position of its cut among the levels; categories: a cut of the shuffled order."""
    if work.columns.kind[feature] == CATEGORIES:
        return np.nan, below(work.state, max(len(order) - 1, 1))
    values = work.columns.levels[work.columns.slot[feature]]
    low, high = values[order[0]], values[order[-1]]
    if low == high:
        return np.inf, len(order) - 1
    threshold = low + (high - low) * uniform(work.state)
    cut = 0
    while values[order[cut + 1]] <= threshold:
        cut += 1
    return threshold, cut


@kernel
def _split_levels(work, segment, totals, feature, best):
    """(whether the feature varies in the node, the better of its best split and the given one)."""
    columns = work.columns
    entries = work.lists[segment.buffer, 0, segment.start : segment.stop]
    sum_levels(entries, columns.codes[columns.slot[feature]], work.task, work.sums, work.counts)
    order = np.empty(MISSING, np.int64)
    order = order[: present_levels(work.counts, order)]
    if len(order) == 0 or (len(order) == 1 and work.counts[MISSING] == 0):
        return False, best
    if columns.kind[feature] == LEVELS:
        return True, _cut_levels(work, totals, feature, best, order)
    if work.limits.random:
        _shuffle(order, work.state)
        return True, _cut_levels(work, totals, feature, best, order)
    first_class, last_class = (0, work.task.n_classes) if work.task.n_classes > 2 else (1, 2)
    for k in range(first_class, last_class):
        order_by_target(order, work.sums, work.task, k)
        best = _cut_levels(work, totals, feature, best, order)
    return True, best


@kernel
def _cut_levels(work, totals, feature, best, order):
    threshold, first, last = np.nan, 0, len(order) - 1
    if work.limits.random:
        threshold, first = _random_level(work, feature, order)
        last = first
    found, at, at_left = best.score, -1, False
    for missing_left in (False, True):
        if missing_left and work.counts[MISSING] == 0:
            break
        sweep = LevelSweep(order, missing_left, first, last, work.sums, work.counts)
        found, cut = sweep_levels(sweep, totals, work.task, work.limits, found)
        if cut >= 0:
            at, at_left = cut, missing_left
    if at < 0:
        return best
    if work.columns.kind[feature] == CATEGORIES:
        return Split(found, feature, np.nan, _mask_of(order[: at + 1]), at_left)
    if not work.limits.random:
        values = work.columns.levels[work.columns.slot[feature]]
        threshold = np.inf if at + 1 == len(order) else midpoint(values[order[at]], values[order[at + 1]])
    return Split(found, feature, threshold, np.uint64(0), at_left)


@kernel
def _rank_targets(work, segment):
    """Ranks of the node's targets, for absolute error; the last list is in order of the target."""
    entries = work.lists[segment.buffer, -1, segment.start : segment.stop]
    for i in range(len(entries)):
        row = entries[i] >> np.uint32(1)
        work.ranks.rank[row] = i
        work.ranks.y[i] = work.task.y[row]


@kernel
def _sequence_by_level(work, segment, feature):
    """The node's entries in order of the feature's levels, categories by their mean target, missing last."""
    columns = work.columns
    entries = work.lists[segment.buffer, 0, segment.start : segment.stop]
    codes = columns.codes[columns.slot[feature]]
    sum_levels(entries, codes, work.task, work.sums, work.counts)
    order = np.empty(MISSING + 1, np.int64)
    n = present_levels(work.counts, order)
    if columns.kind[feature] == CATEGORIES:
        if work.limits.random:
            _shuffle(order[:n], work.state)
        else:
            order_by_target(order[:n], work.sums, work.task, 1)
    order[n] = MISSING
    at = 0
    for level in order[: n + 1]:
        count = work.counts[level]
        work.counts[level] = at
        at += count
    sequence = work.sequence[: len(entries)]
    known = work.counts[MISSING]
    for entry in entries:
        level = codes[entry >> np.uint32(1)]
        sequence[work.counts[level]] = entry
        work.counts[level] += 1
    return sequence, known


@kernel
def _split_by_median(work, segment, feature, best):
    n = segment.stop - segment.start
    ranks = work.ranks
    node_ranks = Ranks(ranks.y[:n], ranks.rank, ranks.weight[:n], ranks.total[:n], ranks.loss[:n])
    work = Work(
        work.columns, work.task, work.limits, work.lists, work.features,
        work.sums, work.counts, work.sequence, node_ranks, work.state,
    )  # fmt: skip
    totals = work.sums[0]  # not read under absolute error
    if work.columns.kind[feature] == SORTED:
        return _split_sorted(work, segment, totals, feature, best)
    sequence, known = _sequence_by_level(work, segment, feature)
    column = work.columns.values[feature]
    sweep = Sweep(sequence, known, column, False, 0, known - 1)
    if known == 0 or (known == n and _value(sweep, 0) == _value(sweep, known - 1)):
        return False, best
    if work.columns.kind[feature] == LEVELS:
        return True, _split_sequence(work, sweep, totals, feature, best)
    return True, _split_categories_by_median(work, sweep, totals, feature, best)


@kernel
def _split_categories_by_median(work, sweep, totals, feature, best):
    span = (0, sweep.known - 1)
    if work.limits.random:
        cut = below(work.state, sweep.known)
        while cut + 1 < sweep.known and _value(sweep, cut) == _value(sweep, cut + 1):
            cut += 1
        span = (cut, cut)
    found, cut, missing_left = _search(work, sweep, totals, best.score, span)
    if cut < 0:
        return best
    mask = np.uint64(0)
    for i in range(cut + 1):
        mask |= np.uint64(1) << np.uint64(_value(sweep, i))
    return Split(found, feature, np.nan, mask, missing_left)
