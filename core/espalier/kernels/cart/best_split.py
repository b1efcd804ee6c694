"""The best split of one node: over the features tried, the best cut of each.

Most features of most tables go through the plain search (espalier.kernels.cart.fast_split), all of them in one
call: in a small node, passing the record of the whole state for every feature would cost more than the search
itself. Cases that the plain search leaves out (missing values, categories, weights, absolute error, Poisson,
random cuts) are searched here, feature by feature.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.absolute_error import TargetRanks, sweep_medians
from espalier.kernels.cart.columns import CATEGORIES, MISSING, SORTED, SortedColumns
from espalier.kernels.cart.fast_split import NodeSlice, is_plain, search_means, search_pairs
from espalier.kernels.cart.gain_ratio import choose, split_information, weight_on_left
from espalier.kernels.cart.levels import LevelFeature, may_go_left, order_entries, split_levels
from espalier.kernels.cart.poisson import sweep_poisson
from espalier.kernels.cart.surrogates import SurrogatePool, known_entries, score_of_entries
from espalier.kernels.cart.sweep import sweep_classes, sweep_means, sweep_pairs
from espalier.kernels.impurity import ABSOLUTE_ERROR, POISSON, score, total
from espalier.kernels.randomness import below, uniform
from espalier.kernels.task import BY_SURROGATES, GrowthLimits, SearchWorkspace, Split, Sweep, Task, midpoint


class GrowthState(NamedTuple):
    """All that growing reads, and its scratch memory."""

    columns: SortedColumns
    task: Task
    limits: GrowthLimits
    lists: np.ndarray  # (2, n_lists, n_samples) uint32: the lists of `columns.order`, before and after a split
    features: np.ndarray  # (n_features,) int64: a permutation, for random subsets
    is_plain: bool  # whether the plain search (espalier.kernels.cart.fast_split) serves this task
    n_others: int  # features that it leaves out
    scratch: SearchWorkspace
    ranks: TargetRanks  # for absolute error
    surrogates: SurrogatePool  # of the nodes that are split so far


class Segment(NamedTuple):
    """The place of a node's samples: ``lists[buffer, :, start:stop]``."""

    buffer: int
    start: int
    stop: int


@inlined
def no_split(score):
    """Return a placeholder that every split with a larger score beats."""
    return Split(score, -1, -1, np.nan, np.uint64(0), False)


@kernel
def find_split(work, segment, totals):
    """Return the best split of a node whose sums are totals (n_sums,); feature -1 if there is none.

    Of equal splits the first feature's wins. If features are tried at random, more of them are drawn until one
    varies in the node.
    """
    p, tried = len(work.features), work.limits.max_features
    best = no_split(-np.inf)
    first = last = np.int64(0)  # a bare 0 is a type of its own to Numba: everything would compile twice
    varied = False
    if tried < p:
        for i in range(p):  # draws here must not depend on draws elsewhere
            work.features[i] = i
    while last < p and (last < tried or not varied):
        first, last = last, max(tried, last + 1)
        if tried < p:
            varied = _draw(work.features, (first, last), work.scratch.state, work, segment) or varied
        if work.task.by_ratio:
            best = _best_split_by_ratio(work, segment, totals, (first, last))
            continue
        if work.is_plain:
            best = _best_plain_split(work, segment, totals, (first, last), best)
        if work.n_others > 0:
            best = best_other_split(work, segment, totals, (first, last), best)
    if best.feature < 0 or not np.isnan(best.threshold) or work.columns.kind[best.feature] == CATEGORIES:
        return best
    threshold = _threshold(work, segment, best.feature, best.cut)
    return Split(best.score, best.feature, best.cut, threshold, best.categories, best.missing_left)


@inlined
def _best_plain_split(work, segment, totals, span, best):
    place = NodeSlice(segment.buffer, segment.start, segment.stop, max(work.limits.min_leaf, 1))
    features = work.features[span[0] : span[1]]
    if work.task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        scoring = (work.task.criterion, work.task.table, work.scratch.packed, work.scratch.counted)
        best_score, feature, cut = search_pairs(work.lists, work.columns, features, place, counts, scoring)
    else:
        best_score, feature, cut = search_means(work.lists, work.columns, features, place, totals[1], work.task.y)
    if best_score > best.score:
        best = Split(best_score, feature, cut, np.nan, np.uint64(0), False)
    return best


@kernel
def best_other_split(work, segment, totals, span, best):
    """Return the better of `best` and the best split over the features that need more than the plain search."""
    by_median = work.task.criterion == ABSOLUTE_ERROR
    ranks = _node_ranks(work, segment, by_median)
    one_by_one = by_median or work.task.criterion == POISSON  # sums by level do not suffice
    in_order = work.limits.max_features == len(work.features)
    rows = work.lists[segment.buffer, 0, segment.start : segment.stop]
    for i in range(span[0], span[1]):
        feature = work.features[i]
        if work.is_plain and is_plain(work.columns, feature, work.task.pairs):
            continue
        earlier = in_order and feature < best.feature
        split = no_split(np.nextafter(best.score, -np.inf) if earlier else best.score)
        if work.limits.missing == BY_SURROGATES and work.columns.has_missing[feature]:
            split = _better_known_split(work, segment, feature, len(totals), split)
            ranks = _node_ranks(work, segment, by_median)  # which that search has overwritten
        elif work.columns.kind[feature] != SORTED and not one_by_one:
            levels = _levels_of(work, feature, rows)
            split = split_levels(levels, totals, work.task, work.limits, work.scratch, split)
        else:
            sweep = _sequence(work, segment, feature, rows)
            if sweep.known > 0:
                which = (feature, work.columns.kind[feature])
                split = _split_sequence(sweep, which, (work.task, totals, ranks), work.limits, work.scratch, split)
        best = split if split.feature >= 0 else best
    return best


@kernel
def _better_known_split(work, segment, feature, n_sums, split):
    """Return the better of `split` and the feature's best one among the samples whose value is known.

    It gains what it gains in these samples, so that features with many missing values are at a disadvantage.
    """
    task, limits, kind = work.task, work.limits, work.columns.kind[feature]
    by_median, sums = task.criterion == ABSOLUTE_ERROR, np.zeros(n_sums)
    rows = work.lists[segment.buffer, -1 if by_median else 0, segment.start : segment.stop]
    known = known_entries(rows, work.columns.values[feature], kind == CATEGORIES)
    if len(known) < 2:
        return split
    before = score_of_entries(rows, task, sums)
    unknown = before - score_of_entries(known, task, sums)
    found = no_split(split.score - unknown)
    if kind != SORTED and not (by_median or task.criterion == POISSON):
        found = split_levels(_levels_of(work, feature, known), sums, task, limits, work.scratch, found)
    else:
        ranks = _ranks_of(work, known) if by_median else work.ranks
        sweep = _sequence(work, segment, feature, known)
        found = _split_sequence(sweep, (feature, kind), (task, sums, ranks), limits, work.scratch, found)
    if found.feature < 0:
        return split
    return Split(found.score + unknown, feature, found.cut, found.threshold, found.categories, False)


@kernel
def _best_split_by_ratio(work, segment, totals, span):
    """Return the best of the features' splits by gain ratio; each feature's own split is its best by gain."""
    splits = [
        best_other_split(work, segment, totals, (i, i + 1), no_split(-np.inf)) for i in range(span[0], span[1])
    ]
    gain, ratio = np.full(len(splits), np.nan), np.zeros(len(splits))
    before, weight = score(totals, work.task.criterion), total(totals)
    for i in range(len(splits)):
        if splits[i].feature >= 0:
            left = _weight_on_left(work, segment, splits[i])
            gain[i] = max((splits[i].score - before) / weight, 0.0)
            ratio[i] = gain[i] / split_information(left, weight - left)
    at = choose(gain, ratio)
    return splits[at] if at >= 0 else no_split(-np.inf)


@kernel
def _weight_on_left(work, segment, split):
    kind, column = work.columns.kind[split.feature], work.columns.values[split.feature]
    threshold = split.threshold
    if kind == SORTED and work.task.unit and not split.missing_left:
        return split.cut + 1.0  # a position among the sorted entries
    if kind == SORTED and np.isnan(threshold):
        threshold = _threshold(work, segment, split.feature, split.cut)
    rows = work.lists[segment.buffer, 0, segment.start : segment.stop]
    return weight_on_left(rows, column, work.task, (threshold, split.categories, split.missing_left))


@inlined
def _levels_of(work, feature, rows):
    slot = work.columns.slot[feature]
    is_category = work.columns.kind[feature] == CATEGORIES
    return LevelFeature(feature, rows, work.columns.codes[:, slot], work.columns.levels[slot], is_category)


@inlined
def _sequence(work, segment, feature, rows):
    """Return a sweep over the node's entries in order of the feature, missing last; rows are all, or the known."""
    kind, column = work.columns.kind[feature], work.columns.values[feature]
    entries, distinct = rows, False
    if kind == SORTED:
        place = work.lists[segment.buffer, work.columns.slot[feature], segment.start : segment.stop]
        entries = place[: len(rows)]
        known = _known(entries, column) if work.columns.has_missing[feature] else len(entries)
        distinct = work.columns.distinct[feature]
    else:
        known = order_entries(_levels_of(work, feature, rows), work.task, work.limits, work.scratch)
        entries = work.scratch.sequence[: len(entries)]
    return Sweep(entries, known, column, distinct, False, 0, known - 1)


@kernel
def _threshold(work, segment, feature, cut):
    """Return the threshold of a cut. Reading values costs cache misses, so only the winner's are read."""
    slot = work.columns.slot[feature]
    if work.columns.kind[feature] == SORTED:
        entries = work.lists[segment.buffer, slot, segment.start : segment.stop]
        return _threshold_after(entries, work.columns.values[feature], cut)
    rows = work.lists[segment.buffer, 0, segment.start : segment.stop]
    return _threshold_after_level(rows, work.columns.codes[:, slot], work.columns.levels[slot], cut)


@kernel
def _draw(features, span, state, work, segment):
    """Draw the features of span at random from those left; return whether one varies in the node."""
    columns, lists = work.columns, work.lists
    buffer, start, stop = segment.buffer, segment.start, segment.stop
    varied = False
    for i in range(span[0], span[1]):
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


# ---- features in order: sorted ones, and all of them under absolute error and Poisson


@kernel
def _known(entries, column):
    """Return how many entries have a value; they come first."""
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
    """Return the midpoint between a level and the next one that occurs among rows."""
    after = MISSING
    for entry in rows:
        level = codes[entry >> np.uint32(1)]
        if level > cut and level < after:
            after = level
    return midpoint(values[cut], values[after])


@kernel
def _random_cut(sweep, is_category, state):
    """Return a random threshold between the smallest and largest value, and its cut (Geurts et al. 2006).

    Categories come in random order, and the cut is after one of them.
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
    """Return the first and last cut within span that leave `min_leaf` samples, and at least one, on each side."""
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
        best_score, cut = sweep_medians(sweep, ranks, task, min_weight, best)
    elif task.criterion == POISSON:
        best_score, cut = sweep_poisson(sweep, totals, task, min_weight, best)
    else:
        best_score, cut = _best_cut_of_sums(sweep, task, totals, min_weight, best)
    return best_score, cut


@inlined
def _split_sequence(sweep, which, about, limits, scratch, best):
    """Return the better of the given split and the feature's best one, with missing values tried on both sides.

    which is (feature, its kind); about is (task, totals, ranks).
    """
    feature, kind = which
    threshold, span = np.nan, (0, sweep.known - 1)
    if limits.random:
        threshold, cut = _random_cut(sweep, kind == CATEGORIES, scratch.state)
        span = (cut, cut)
    best_score, at, at_left = best.score, np.int64(-1), False
    both = sweep.known < len(sweep.entries) and may_go_left(limits, kind == CATEGORIES)
    for side in range(2 if both else 1):
        missing_left = side == 1
        first, last = _bounds(sweep, missing_left, span, limits.min_leaf)
        if first <= last:
            candidates = Sweep(
                sweep.entries, sweep.known, sweep.column, sweep.distinct, missing_left, first, last
            )  # fmt: skip
            best_score, cut = _best_cut(candidates, about, limits.min_leaf_weight, best_score)
            if cut >= 0:
                at, at_left = cut, missing_left
    if at >= 0:
        mask = np.uint64(0)
        if kind == CATEGORIES:
            mask = _mask_until(sweep, at)
        elif kind != SORTED and not limits.random:
            threshold = _threshold_after(sweep.entries, sweep.column, at)
        best = Split(best_score, feature, at, threshold, mask, at_left)
    return best


@kernel
def _mask_until(sweep, cut):
    mask = np.uint64(0)
    for i in range(cut + 1):
        mask |= np.uint64(1) << np.uint64(sweep.column[sweep.entries[i] >> np.uint32(1)])
    return mask


@inlined
def _node_ranks(work, segment, by_median):
    """Return the ranks of the node's targets, for absolute error; the last list is in order of the target."""
    if not by_median:
        return work.ranks
    return _ranks_of(work, work.lists[segment.buffer, -1, segment.start : segment.stop])


@kernel
def _ranks_of(work, entries):
    """Return the ranks of entries (n,) in order of their targets."""
    ranks, n = work.ranks, len(entries)
    ranks = TargetRanks(ranks.y[:n], ranks.rank, ranks.weight[:n], ranks.total[:n], ranks.loss[:n])
    _rank(entries, work.task.y, ranks)
    return ranks


@kernel
def _rank(entries, y, ranks):
    for i in range(len(entries)):
        row = entries[i] >> np.uint32(1)
        ranks.rank[row] = i
        ranks.y[i] = y[row]
