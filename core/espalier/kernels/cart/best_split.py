"""The best split of one node: over the features tried, the best cut of each.

Most features of most tables go through the plain search (espalier.kernels.cart.fast_split), all of them in one
call: in a small node, passing the record of the whole state for every feature would cost more than the search
itself. Cases that the plain search leaves out (missing values, categories, weights, absolute error, Poisson,
random cuts, columns with directions) are searched here, feature by feature.

The gain ratio, by which C4.5 chooses the feature of a split (Quinlan 1993, section 2.2). The ratio of a split is
its gain over its split information, which is the entropy of the shares of weight that go left and right. Dividing
by it removes the advantage that an even split has by being even. Since a very uneven split has next to no
information, only features with at least the average gain compete; of these the greatest ratio wins.

Every feature comes with the split that has its greatest gain (Quinlan 1996, "Improved use of continuous
attributes in C4.5", section 3), and the average is over the features that can part the node at all. Unlike in
C4.5, a split is always binary, missing values go to the better side, and there is no penalty for thresholds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import CATEGORIES, MISSING, SORTED, SortedColumns
from espalier.kernels.cart.fast_split import NodeSlice, PairScoring, is_plain, search_means, search_pairs
from espalier.kernels.cart.levels import LevelFeature, order_entries, present_levels, split_levels, sum_levels
from espalier.kernels.cart.sequence import SearchTerms, TargetRanks, known_first, split_sequence, threshold_after
from espalier.kernels.cart.surrogates import SurrogatePool, known_entries, score_of_entries
from espalier.kernels.cart.sweep import Bounds
from espalier.kernels.randomness import below
from espalier.kernels.route import passes
from espalier.kernels.task import (
    ABSOLUTE_ERROR,
    BY_SURROGATES,
    POISSON,
    GrowthLimits,
    SearchWorkspace,
    Split,
    Sweep,
    Task,
    midpoint,
    score,
    total,
)

TIE = 1e-12  # gains and ratios less far apart are equal: they differ by rounding


@kernel
def weight_on_left(rows, column, task, split):
    """Return the weight of the entries rows (n,) that go left at a split."""
    weight = 0.0
    for entry in rows:
        row = entry >> np.uint32(1)
        if passes(column[row], split.threshold, split.categories, split.missing_left):
            weight += task.weight[row]
    return weight


@kernel
def split_information(left, right):
    """Return the entropy, in nats, of the shares of two positive weights."""
    both = left + right
    return (left * math.log(both / left) + right * math.log(both / right)) / both


@kernel
def choose(gain, ratio):
    """Return the position of the greatest ratio (n,) among those with at least the average gain (n,).

    The first of equals wins. A gain is nan where there is no split; -1 is returned if there is none at all.
    """
    total, n = 0.0, 0
    for value in gain:
        if not np.isnan(value):
            total += value
            n += 1
    best, at = -1.0, -1
    for i in range(len(gain)):
        if gain[i] * n >= total - n * TIE and ratio[i] > best + TIE:
            best, at = ratio[i], i
    return at


# ---- The search


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
    is_directed: bool  # whether any column has a direction (espalier.kernels.cart.sweep)


class Segment(NamedTuple):
    """The place of a node's samples, ``lists[buffer, :, start:stop]``, and the bounds of its predictions."""

    buffer: int
    start: int
    stop: int
    low: float
    high: float


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
    p, n_tries = len(work.features), work.limits.max_features
    best = no_split(-np.inf)
    first = last = np.int64(0)  # a bare 0 is a type of its own to Numba: everything would compile twice
    varies = False
    if n_tries < p:
        for i in range(p):  # draws here must not depend on draws elsewhere
            work.features[i] = i
    while last < p and (last < n_tries or not varies):
        first, last = last, max(n_tries, last + 1)
        if n_tries < p:
            varies = _draw(work.features, (first, last), work.scratch.state, work, segment) or varies
        if work.task.by_ratio:
            best = _best_split_by_ratio(work, segment, totals, (first, last))
            continue
        if work.is_plain:
            best = _best_plain_split(work, segment, totals, (first, last), best)
        if work.n_others > 0:
            best = best_other_split(work, segment, totals, (first, last), best)
    if best.feature < 0 or not np.isnan(best.threshold) or work.columns.kind[best.feature] == CATEGORIES:
        return best
    return _replace_threshold(best, _threshold(work, segment, best.feature, best.cut))


@inlined
def _replace_threshold(split, threshold):
    return Split(split.score, split.feature, split.cut, threshold, split.categories, split.missing_left)


@inlined
def _best_plain_split(work, segment, totals, span, best):
    place = NodeSlice(segment.buffer, segment.start, segment.stop, max(work.limits.min_leaf, 1))
    features = work.features[span[0] : span[1]]
    if work.task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        scoring = PairScoring(work.task.criterion, work.task.table, work.scratch.up_to, work.scratch.best)
        best_score, feature, cut = search_pairs(work.lists, work.columns, features, place, counts, scoring)
    else:
        best_score, feature, cut = search_means(work.lists, work.columns, features, place, totals[1], work.task.y)
    if best_score > best.score:
        best = Split(best_score, feature, cut, np.nan, np.uint64(0), False)
    return best


@kernel
def best_other_split(work, segment, totals, span, best):
    """Return the better of `best` and the best split over the features that need more than the plain search."""
    needs_medians = work.task.criterion == ABSOLUTE_ERROR
    ranks = _node_ranks(work, segment, needs_medians)
    one_by_one = needs_medians or work.task.criterion == POISSON  # sums by level do not suffice
    tries_all = work.limits.max_features == len(work.features)
    rows = work.lists[segment.buffer, 0, segment.start : segment.stop]
    for i in range(span[0], span[1]):
        feature = work.features[i]
        if work.is_plain and is_plain(work.columns, feature, work.task.pairs):
            continue
        earlier = tries_all and feature < best.feature
        split = no_split(np.nextafter(best.score, -np.inf) if earlier else best.score)
        if work.limits.missing == BY_SURROGATES and work.columns.has_missing[feature]:
            split = _better_known_split(work, segment, feature, len(totals), split)
            ranks = _node_ranks(work, segment, needs_medians)  # which that search has overwritten
        elif work.columns.kind[feature] != SORTED and not (one_by_one or work.columns.direction[feature] != 0):
            levels = _levels_of(work, feature, rows)
            split = split_levels(levels, totals, work.task, work.limits, work.scratch, split)
        elif work.limits.one_category and work.columns.kind[feature] == CATEGORIES:
            terms = _terms_of(work, segment, feature, totals, ranks)
            split = _split_one_category(work, segment, rows, terms, split)
        else:
            sweep = _sequence(work, segment, feature, rows, np.int64(0))
            if sweep.known > 0:
                terms = _terms_of(work, segment, feature, totals, ranks)
                split = split_sequence(sweep, terms, work.limits, work.scratch, split)
        best = split if split.feature >= 0 else best
    return best


@kernel
def _better_known_split(work, segment, feature, n_sums, split):
    """Return the better of `split` and the feature's best one among the samples whose value is known.

    It gains what it gains in these samples, so that features with many missing values are at a disadvantage.
    """
    task, limits, kind = work.task, work.limits, work.columns.kind[feature]
    needs_medians, sums = task.criterion == ABSOLUTE_ERROR, np.zeros(n_sums)
    rows = work.lists[segment.buffer, -1 if needs_medians else 0, segment.start : segment.stop]
    known_rows = known_entries(rows, work.columns.values[feature], kind == CATEGORIES)
    if len(known_rows) < 2:
        return split
    before = score_of_entries(rows, task, sums)
    unknown = before - score_of_entries(known_rows, task, sums)
    better = no_split(split.score - unknown)
    if kind != SORTED and not (needs_medians or task.criterion == POISSON):
        better = split_levels(_levels_of(work, feature, known_rows), sums, task, limits, work.scratch, better)
    else:
        ranks = _ranks_of(work, known_rows) if needs_medians else work.ranks
        terms = _terms_of(work, segment, feature, sums, ranks)
        if limits.one_category and kind == CATEGORIES:
            better = _split_one_category(work, segment, known_rows, terms, better)
        else:
            sweep = _sequence(work, segment, feature, known_rows, np.int64(0))
            better = split_sequence(sweep, terms, limits, work.scratch, better)
    if better.feature < 0:
        return split
    return Split(better.score + unknown, feature, better.cut, better.threshold, better.categories, False)


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
    if kind == SORTED and work.task.unit and not split.missing_left:
        return split.cut + 1.0  # a position among the sorted entries
    if kind == SORTED and np.isnan(split.threshold):
        split = _replace_threshold(split, _threshold(work, segment, split.feature, split.cut))
    rows = work.lists[segment.buffer, 0, segment.start : segment.stop]
    return weight_on_left(rows, column, work.task, split)


@inlined
def _levels_of(work, feature, rows):
    slot = work.columns.slot[feature]
    is_category = work.columns.kind[feature] == CATEGORIES
    return LevelFeature(feature, rows, work.columns.codes[:, slot], work.columns.levels[slot], is_category)


@inlined
def _terms_of(work, segment, feature, totals, ranks):
    bounds = Bounds(segment.low, segment.high, work.columns.direction[feature])
    return SearchTerms(feature, work.columns.kind[feature], work.task, totals, ranks, bounds, work.scratch.sums)


@kernel
def _split_one_category(work, segment, rows, terms, best):
    """Return the better of `best` and the best split of one category, or of missing values, from all others.

    For criteria whose sums by level do not suffice; with random splits a single category is drawn.
    """
    levels = _levels_of(work, terms.feature, rows)
    sum_levels(levels.entries, levels.codes, work.task, work.scratch.sums, work.scratch.counts)
    n = present_levels(work.scratch.counts, work.scratch.levels)
    for i in range(min(n, 1) if work.limits.random else n + (n > 0)):
        sweep = _sequence(work, segment, terms.feature, rows, np.int64(i % n))
        cut = sweep.known - 1 if i == n else _first_category(sweep)
        sweep = Sweep(sweep.entries, sweep.known, sweep.column, False, False, cut, cut)
        best = split_sequence(sweep, terms, work.limits, work.scratch, best)
    return best


@kernel
def _first_category(sweep):
    """Return the last place of the category that comes first."""
    cut, code = 0, sweep.column[sweep.entries[0] >> np.uint32(1)]
    while cut + 1 < sweep.known and sweep.column[sweep.entries[cut + 1] >> np.uint32(1)] == code:
        cut += 1
    return cut


@inlined
def _sequence(work, segment, feature, rows, first):
    """Return a sweep over the node's entries in order of the feature, missing last; rows are all, or the known.

    first is as in `order_entries`.
    """
    kind, column = work.columns.kind[feature], work.columns.values[feature]
    entries, distinct = rows, False
    if kind == SORTED:
        place = work.lists[segment.buffer, work.columns.slot[feature], segment.start : segment.stop]
        entries = place[: len(rows)]
        n_known = known_first(entries, column) if work.columns.has_missing[feature] else len(entries)
        distinct = work.columns.distinct[feature]
    else:
        n_known = order_entries(_levels_of(work, feature, rows), work.task, work.limits, work.scratch, first)
        entries = work.scratch.sequence[: len(entries)]
    return Sweep(entries, n_known, column, distinct, False, 0, n_known - 1)


@kernel
def _threshold(work, segment, feature, cut):
    """Return the threshold of a cut. Reading values costs cache misses, so only the winner's are read."""
    slot = work.columns.slot[feature]
    if work.columns.kind[feature] == SORTED:
        entries = work.lists[segment.buffer, slot, segment.start : segment.stop]
        return threshold_after(entries, work.columns.values[feature], cut)
    rows = work.lists[segment.buffer, 0, segment.start : segment.stop]
    return _threshold_after_level(rows, work.columns.codes[:, slot], work.columns.levels[slot], cut)


@kernel
def _draw(features, span, state, work, segment):
    """Draw the features of span at random from those left; return whether one varies in the node."""
    columns, lists = work.columns, work.lists
    buffer, start, stop = segment.buffer, segment.start, segment.stop
    varies = False
    for i in range(span[0], span[1]):
        j = i + below(state, len(features) - i)
        features[i], features[j] = features[j], features[i]
        column = columns.values[features[i]]
        first_value = column[lists[buffer, 0, start] >> np.uint32(1)]
        for at in range(start + 1, stop):
            if varies:
                break
            value = column[lists[buffer, 0, at] >> np.uint32(1)]
            varies = value != first_value and not (np.isnan(value) and np.isnan(first_value))
    return varies


@kernel
def _threshold_after_level(rows, codes, values, cut):
    """Return the midpoint between a level and the next one that occurs among rows."""
    after = MISSING
    for entry in rows:
        level = codes[entry >> np.uint32(1)]
        if level > cut and level < after:
            after = level
    return midpoint(values[cut], values[after])


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
