"""The search over the levels of one feature: few different values, or categories.

A node needs one sum per level. Ordered levels are cut between neighbours; categories are first sorted by
their target, after which the best cut is the best of all subsets for two classes (Breiman et al. 1984, theorem
4.5) and for squared error (Fisher 1958). For more classes no such order is known: every class in turn gives an
order, by its share among the levels, and the best cut of all these orders is taken (an approximation).

Neither theorem holds if a side must have a least number of samples or a least weight: the best subset that meets
the limit may not be a cut of the order. If a limit excludes the best cut, all subsets of up to `MOST_SUBSETS`
categories are tried; with more categories, the best cut within the limits is taken (also an approximation).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import MAX_LEVELS, MISSING
from espalier.kernels.randomness import below, shuffle, uniform
from espalier.kernels.task import (
    AS_CATEGORY,
    SQUARED_ERROR,
    GrowthLimits,
    LevelSweep,
    Split,
    Task,
    beyond,
    clear,
    midpoint,
    score_of_sides,
    total,
)

MOST_SUBSETS = 12  # categories in a node of which all subsets are tried: 2,048 of them


@kernel
def _count_pairs(entries, codes, sums, counts):
    # Count and class in one word, and two copies: half the additions, and few that wait for the one before.
    both = np.zeros((2, MAX_LEVELS + 1), np.uint64)
    two_words = np.uint64(1) << np.uint64(32)
    even = len(entries) - len(entries) % 2
    for i in range(0, even, 2):
        both[0, codes[entries[i] >> np.uint32(1)]] += two_words | (entries[i] & np.uint32(1))
        both[1, codes[entries[i + 1] >> np.uint32(1)]] += two_words | (entries[i + 1] & np.uint32(1))
    for i in range(even, len(entries)):
        both[0, codes[entries[i] >> np.uint32(1)]] += two_words | (entries[i] & np.uint32(1))
    for level in range(MAX_LEVELS + 1):
        pair = both[0, level] + both[1, level]
        counts[level] = np.int64(pair >> np.uint64(32))
        sums[level, 1] = np.float64(pair & np.uint64(0xFFFFFFFF))
        sums[level, 0] = counts[level] - sums[level, 1]


@kernel
def sum_levels(entries, codes, task, sums, counts):
    """Fill sums (65, n_sums) and counts (65,) of a node's samples by level; level 64 is missing."""
    if task.pairs:
        _count_pairs(entries, codes, sums, counts)
        return
    clear(counts)
    for level in range(len(sums)):
        clear(sums[level])
    for entry in entries:
        row = entry >> np.uint32(1)
        level = codes[row]
        counts[level] += 1
        if task.n_classes:
            sums[level, task.label[row]] += task.weight[row]
        else:
            sums[level, 0] += task.weight[row]
            sums[level, 1] += task.weight[row] * task.y[row]


@kernel
def present_levels(counts, order):
    """Write the levels that occur into order (64,), ascending; returns how many (missing does not count)."""
    n = 0
    for level in range(MAX_LEVELS):
        if counts[level] > 0:
            order[n] = level
            n += 1
    return n


@kernel
def order_by_target(order, sums, n_classes, k):
    """Sort order (n,) in place by the levels' share of class k, or mean target (k = 1); stable."""
    key = np.empty(len(order))
    for i in range(len(order)):
        level = sums[order[i]]
        weight = total(level) if n_classes else level[0]
        mean = level[k] / weight if weight > 0 else 0.0
        at = i
        this = order[i]
        while at > 0 and key[at - 1] > mean:
            key[at], order[at] = key[at - 1], order[at - 1]
            at -= 1
        key[at], order[at] = mean, this


@kernel
def sweep_levels(sweep, totals, criterion, limits, best):
    """Return the best cut of a node's levels as (score, position); totals (n_sums,) are the sums of the node.

    Position i puts the levels ``order[0..i]`` on the left; the last one separates known from missing values.
    """
    at, missing_left, has_numbers = -1, sweep.missing_left, criterion == SQUARED_ERROR
    bar = beyond(best) if has_numbers else best
    left, right = np.zeros(len(totals)), np.zeros(len(totals))
    n_left, n = 0, 0
    for count in sweep.counts:
        n += count
    if missing_left:
        _add(left, sweep.sums[MISSING])
        n_left = sweep.counts[MISSING]
    for i in range(sweep.last + 1):
        _add(left, sweep.sums[sweep.order[i]])
        n_left += sweep.counts[sweep.order[i]]
        if i < sweep.first or n_left < limits.min_leaf or n - n_left < max(limits.min_leaf, 1):
            continue
        for k in range(len(totals)):
            right[k] = totals[k] - left[k]
        here = score_of_sides(left, right, criterion)
        if here > bar and _heavy(left, right, criterion, limits):
            best, at, bar = here, i, beyond(here) if has_numbers else here
    return best, at


@kernel
def _add(sums, more):
    for k in range(len(sums)):
        sums[k] += more[k]


@inlined
def _heavy(left, right, criterion, limits):
    if criterion == SQUARED_ERROR:
        return left[0] >= limits.min_leaf_weight and right[0] >= limits.min_leaf_weight
    return total(left) >= limits.min_leaf_weight and total(right) >= limits.min_leaf_weight


@inlined
def _mask_of(order):
    mask = np.uint64(0)
    for level in order:
        mask |= np.uint64(1) << np.uint64(level)
    return mask


@kernel
def _random_level(values, order, state):
    """Return a random threshold between the smallest and largest level, and its cut."""
    low, high = values[order[0]], values[order[-1]]
    if low == high:
        return np.inf, len(order) - 1
    threshold = low + (high - low) * uniform(state)
    cut = 0
    while values[order[cut + 1]] <= threshold:
        cut += 1
    return threshold, cut


class LevelFeature(NamedTuple):
    """A feature in levels, within one node."""

    feature: int
    entries: np.ndarray  # (n,) uint32: the node's entries, in any order
    codes: np.ndarray  # (n_samples,) uint8: level of each sample
    values: np.ndarray  # (64,) float64: value of each level
    is_category: bool


class LevelTerms(NamedTuple):
    """The facts about a node that the search for its best set of categories reads."""

    totals: np.ndarray  # (n_sums,): of the node
    task: Task
    limits: GrowthLimits


@kernel
def _level_span(levels, order, limits, state):
    """Return (threshold, first cut, last cut): all cuts, or a random one (of categories in random order)."""
    last = len(order) - 1
    if not limits.random:
        return np.nan, 0, last
    if not levels.is_category:
        threshold, cut = _random_level(levels.values, order, state)
        return threshold, cut, cut
    shuffle(order, state)
    cut = below(state, max(last, 1))
    return np.nan, cut, cut


@kernel
def _level_split(levels, order, cut, threshold, missing_left):
    """Return (threshold, mask) of a cut of the ordered levels; a threshold that was drawn before is kept."""
    if levels.is_category:
        return np.nan, _mask_of(order[: cut + 1])
    if not np.isnan(threshold):
        return threshold, np.uint64(0)
    if cut + 1 == len(order):
        return np.inf, np.uint64(0)
    return midpoint(levels.values[order[cut]], levels.values[order[cut + 1]]), np.uint64(0)


@inlined
def may_go_left(limits, is_category):
    """Return whether missing values may go left: of numbers they may not where they stand beyond all of them."""
    return is_category or limits.missing != AS_CATEGORY


@kernel
def split_levels(levels, totals, task, limits, scratch, best):
    """Return the better of the given split and the feature's best one."""
    sum_levels(levels.entries, levels.codes, task, scratch.sums, scratch.counts)
    order = scratch.levels[: present_levels(scratch.counts, scratch.levels)]
    some_missing = scratch.counts[MISSING] > 0
    if len(order) == 0 or (len(order) == 1 and not some_missing):
        return best
    terms = LevelTerms(totals, task, limits)
    if levels.is_category and limits.one_category:
        return _split_one_category(levels.feature, order, terms, scratch, best)
    follows_target = levels.is_category and not limits.random
    # Every class gives one order of the categories; two classes and means need only one.
    n_orders = task.n_classes if follows_target and task.n_classes > 2 else 1
    for k in range(n_orders):
        if follows_target:
            order_by_target(order, scratch.sums, task.n_classes, np.int64(k if n_orders > 1 else 1))
        threshold, first, last = _level_span(levels, order, limits, scratch.state)
        for missing_left in (False, True):
            if missing_left and not (some_missing and may_go_left(limits, levels.is_category)):
                break
            sweep = LevelSweep(order, missing_left, first, last, scratch.sums, scratch.counts)
            best_score, cut = sweep_levels(sweep, totals, task.criterion, limits, best.score)
            if cut >= 0:
                at, mask = _level_split(levels, order, cut, threshold, missing_left)
                best = Split(best_score, levels.feature, cut, at, mask, missing_left)
    if (
        follows_target
        and n_orders == 1
        and len(order) <= MOST_SUBSETS
        and _limits_exclude_best(order, terms, scratch, best)
    ):
        best = _best_subset(levels.feature, order, terms, scratch, best)
    return best


@kernel
def _split_one_category(feature, order, terms, scratch, best):
    """Return the better of `best` and the best split of one category, or of missing values, from all others.

    Of equal splits the one of the least mean target wins, so that two categories are parted as their best set
    parts them. With random splits a single category is drawn.
    """
    task, limits = terms.task, terms.limits
    if limits.random:
        shuffle(order, scratch.state)
    else:
        order_by_target(order, scratch.sums, task.n_classes, np.int64(0 if task.n_classes > 2 else 1))
    n = len(order)
    for i in range(1 if limits.random else n + 1):
        own = order[i : i + 1] if i < n else order
        for missing_left in (False, True):
            if missing_left and scratch.counts[MISSING] == 0:
                break
            sweep = LevelSweep(own, missing_left, len(own) - 1, len(own) - 1, scratch.sums, scratch.counts)
            best_score, cut = sweep_levels(sweep, terms.totals, task.criterion, limits, best.score)
            if cut >= 0:
                best = Split(best_score, feature, cut, np.nan, _mask_of(own), missing_left)
    return best


# ---- all subsets of categories, for nodes where limits exclude the best cut of the order


@kernel
def _limits_exclude_best(order, terms, scratch, best):
    """Return whether some cut of the ordered categories would beat the best split if sides had no limits."""
    limits = terms.limits
    if limits.min_leaf <= 1 and limits.min_leaf_weight <= 0:
        return False
    free = GrowthLimits(0, 0, 1, 0.0, 0.0, 0, 0, False, 0.0, 0, 0, False)
    last = len(order) - 1
    for missing_left in (False, True):
        if missing_left and scratch.counts[MISSING] == 0:
            break
        sweep = LevelSweep(order, missing_left, 0, last, scratch.sums, scratch.counts)
        if sweep_levels(sweep, terms.totals, terms.task.criterion, free, best.score)[1] >= 0:
            return True
    return False


@kernel
def _best_subset(feature, order, terms, scratch, best):
    """Return the better of the given split and the best of all sets of categories.

    A set and its complement make the same split with the sides swapped, so one item is never in the set: the
    missing values, or the last category if none are missing. The left side is, as in the order of categories,
    the one with the smaller mean target.
    """
    totals, criterion, limits = terms.totals, terms.task.criterion, terms.limits
    n_sums, n_bits = len(totals), _n_bits(order, scratch)
    sums, counts = np.zeros((n_bits + 1, n_sums)), np.zeros(n_bits + 1, np.int64)
    right, n = np.zeros(n_sums), 0
    for count in scratch.counts:
        n += count
    most, at = best.score, np.int64(0)
    for code in range(1, 1 << n_bits):
        _sum_subset(code, order, scratch, sums, counts)
        left, n_left = sums[n_bits], counts[n_bits]
        if n_left < limits.min_leaf or n - n_left < max(limits.min_leaf, 1):
            continue
        for k in range(n_sums):
            right[k] = totals[k] - left[k]
        here = score_of_sides(left, right, criterion)
        if here > most and _heavy(left, right, criterion, limits):
            most, at = here, np.int64(code)
    if at == 0:
        return best
    return _split_of_subset(feature, order, at, criterion, most, scratch)


@inlined
def _n_bits(order, scratch):
    """Return how many categories have a bit in the code of a set: if none are missing, the last stays outside."""
    return len(order) if scratch.counts[MISSING] > 0 else len(order) - 1


@inlined
def _sum_subset(code, order, scratch, sums, counts):
    """Write the sums of the categories of a code into the last row; each row adds one category to the row before.

    Only rows from the first change on are written, and few are, since codes are counted up. Sums are only added
    to, never subtracted from, which keeps rounding small.
    """
    n_bits = len(sums) - 1
    change = 0
    while (code >> change) & 1 == 0:
        change += 1
    for row in range(n_bits - change, n_bits + 1):
        has = (code >> (n_bits - row)) & 1
        level = order[row - 1]
        counts[row] = counts[row - 1] + has * scratch.counts[level]
        for k in range(sums.shape[1]):
            sums[row, k] = sums[row - 1, k] + has * scratch.sums[level, k]


@kernel
def _split_of_subset(feature, order, code, criterion, score, scratch):
    n_bits = _n_bits(order, scratch)
    left, right = np.zeros(scratch.sums.shape[1]), np.zeros(scratch.sums.shape[1])
    inside, outside = np.uint64(0), np.uint64(0)
    for i in range(len(order)):
        bit = np.uint64(1) << np.uint64(order[i])
        if i < n_bits and (code >> (n_bits - 1 - i)) & 1:
            inside |= bit
            _add(left, scratch.sums[order[i]])
        else:
            outside |= bit
            _add(right, scratch.sums[order[i]])
    is_swap = outside != 0 and _mean(left, criterion) > _mean(right, criterion)
    missing_left = scratch.counts[MISSING] > 0 and is_swap
    return Split(score, feature, np.int64(0), np.nan, outside if is_swap else inside, missing_left)


@inlined
def _mean(sums, criterion):
    return sums[1] / (sums[0] if criterion == SQUARED_ERROR else max(total(sums), 1e-300))


@kernel
def order_entries(levels, task, limits, scratch, first):
    """Write a node's entries into scratch.sequence by level, missing last; return how many are known.

    Categories are sorted by their mean target, or shuffled if splits are random; the one at the place `first` of
    that order then changes places with its first one.
    """
    sum_levels(levels.entries, levels.codes, task, scratch.sums, scratch.counts)
    n = present_levels(scratch.counts, scratch.levels)
    if levels.is_category and limits.random:
        shuffle(scratch.levels[:n], scratch.state)
    elif levels.is_category:
        order_by_target(scratch.levels[:n], scratch.sums, np.int64(0), np.int64(1))
    scratch.levels[0], scratch.levels[first] = scratch.levels[first], scratch.levels[0]
    scratch.levels[n] = MISSING
    start = 0
    for i in range(n + 1):
        level = scratch.levels[i]
        count = scratch.counts[level]
        scratch.counts[level] = start
        start += count
    n_known = scratch.counts[MISSING]
    for entry in levels.entries:
        level = levels.codes[entry >> np.uint32(1)]
        scratch.sequence[scratch.counts[level]] = entry
        scratch.counts[level] += 1
    return n_known
