"""The search along the entries of a feature in order: sorted numbers, and whatever sums by level do not serve.

Such sums do not suffice under absolute error and Poisson, nor where columns have directions.

The cut search under absolute error, whose score needs the median of every prefix of a list. Samples enter a
Fenwick tree at the rank of their target; the weighted median of the samples inside, and the sum of absolute
deviations from it, then take O(log n) each.

The search under the Poisson deviance, for counts and other numbers of at least 0. No leaf may have the mean 0,
since the deviance of any later event from it would be infinite. Samples with events are counted, because the
difference of two sums may be rounded to more than 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import CATEGORIES, SORTED
from espalier.kernels.cart.levels import may_go_left
from espalier.kernels.cart.sweep import (
    Bounds,
    ClassSums,
    admits,
    heavy,
    parts,
    sweep_classes,
    sweep_directed,
    sweep_means,
    sweep_pairs,
)
from espalier.kernels.randomness import below, uniform
from espalier.kernels.task import (
    ABSOLUTE_ERROR,
    POISSON,
    Split,
    Sweep,
    Task,
    beyond,
    clear,
    midpoint,
    score_of_events,
)

# ---- Poisson


@kernel
def _n_positive(entries, y):
    n = 0
    for entry in entries:
        n += y[entry >> np.uint32(1)] > 0
    return n


@kernel
def sweep_poisson(sweep, totals, task, min_weight, best):
    """Return the best cut as (score, position) with events on both sides; totals are the weight and the events."""
    at, bar = -1, beyond(best)
    all_positive = _n_positive(sweep.entries, task.y)
    weight, events, positive = 0.0, 0.0, 0
    if sweep.missing_left:
        positive = _n_positive(sweep.entries[sweep.known :], task.y)
        for i in range(sweep.known, len(sweep.entries)):
            row = sweep.entries[i] >> np.uint32(1)
            weight += task.weight[row]
            events += task.weight[row] * task.y[row]
    for i in range(sweep.last + 1):
        row = sweep.entries[i] >> np.uint32(1)
        weight += task.weight[row]
        events += task.weight[row] * task.y[row]
        positive += task.y[row] > 0
        if i < sweep.first or positive == 0 or positive == all_positive:
            continue
        here = score_of_events(weight, events) + score_of_events(totals[0] - weight, totals[1] - events)
        if here > bar and parts(sweep, i) and heavy(weight, totals[0], min_weight):
            best, at, bar = here, i, beyond(here)
    return best, at


# ---- Absolute error


class TargetRanks(NamedTuple):
    """The targets of a node by rank, and scratch memory for Fenwick trees; all (n,) but `rank` (n_samples,)."""

    y: np.ndarray  # ascending
    rank: np.ndarray  # int64 rank of each row of the node
    weight: np.ndarray  # Fenwick tree of the weights
    total: np.ndarray  # Fenwick tree of weight times y
    loss: np.ndarray  # the loss of each suffix


@kernel
def _insert(ranks, row, w, y):
    i = ranks.rank[row] + 1
    while i <= len(ranks.y):
        ranks.weight[i - 1] += w
        ranks.total[i - 1] += w * y
        i += i & -i


@kernel
def _loss(ranks, weight, total):
    """Return the sum of absolute deviations from the median of the samples inside; weight and total are theirs."""
    step = 1
    while 2 * step <= len(ranks.y):
        step *= 2
    at, below, below_total = 0, 0.0, 0.0
    while step > 0:  # descend to the last rank with less than half of the weight up to it
        if at + step <= len(ranks.y) and below + ranks.weight[at + step - 1] < weight / 2:
            at += step
            below += ranks.weight[at - 1]
            below_total += ranks.total[at - 1]
        step //= 2
    median = ranks.y[min(at, len(ranks.y) - 1)]
    return median * below - below_total + (total - below_total) - median * (weight - below)


@kernel
def _rank_at(ranks, half, past):
    """Return the first rank up to which the samples inside have the weight `half`, or if `past` more than it."""
    step = 1
    while 2 * step <= len(ranks.y):
        step *= 2
    at, below = 0, 0.0
    while step > 0:
        if at + step <= len(ranks.y):
            more = below + ranks.weight[at + step - 1]
            if more < half or (past and more == half):
                at, below = at + step, more
        step //= 2
    return min(at, len(ranks.y) - 1)


@kernel
def _median(ranks, weight):
    """Return the median of the samples inside, of this weight: the mean of two if half of it lies below."""
    return (ranks.y[_rank_at(ranks, weight / 2, False)] + ranks.y[_rank_at(ranks, weight / 2, True)]) / 2


@kernel
def _insert_missing(sweep, task, ranks):
    weight, total = 0.0, 0.0
    for i in range(sweep.known, len(sweep.entries)):
        row = sweep.entries[i] >> np.uint32(1)
        _insert(ranks, row, task.weight[row], task.y[row])
        weight += task.weight[row]
        total += task.weight[row] * task.y[row]
    return weight, total


@kernel
def sweep_medians(sweep, ranks, task, min_weight, best):
    """Return the best cut for absolute error as (score, position); ranks hold the node's targets.

    One pass from the right records the loss of every suffix, one from the left adds that of every prefix.
    """
    at = -1
    clear(ranks.weight)
    clear(ranks.total)
    weight, total = (0.0, 0.0) if sweep.missing_left else _insert_missing(sweep, task, ranks)
    for i in range(sweep.known - 1, -1, -1):
        if weight > 0:
            ranks.loss[i] = _loss(ranks, weight, total)
        else:
            ranks.loss[i] = 0.0
        row = sweep.entries[i] >> np.uint32(1)
        _insert(ranks, row, task.weight[row], task.y[row])
        weight += task.weight[row]
        total += task.weight[row] * task.y[row]
    clear(ranks.weight)
    clear(ranks.total)
    all_weight = weight
    weight, total = _insert_missing(sweep, task, ranks) if sweep.missing_left else (0.0, 0.0)
    all_weight += weight
    for i in range(sweep.last + 1):
        row = sweep.entries[i] >> np.uint32(1)
        _insert(ranks, row, task.weight[row], task.y[row])
        weight += task.weight[row]
        total += task.weight[row] * task.y[row]
        if i < sweep.first or not parts(sweep, i):
            continue
        here = -_loss(ranks, weight, total) - ranks.loss[i]
        if here > best and weight >= min_weight and all_weight - weight >= min_weight:
            best, at = here, i
    return best, at


@kernel
def sweep_directed_medians(sweep, terms, min_weight, best):
    """Return the best cut that the bounds admit, as `sweep_medians` does; terms are `SearchTerms`."""
    ranks, task, n = terms.ranks, terms.task, sweep.known
    loss, median = np.zeros(n), np.zeros(n)
    clear(ranks.weight)
    clear(ranks.total)
    weight, total = (0.0, 0.0) if sweep.missing_left else _insert_missing(sweep, task, ranks)
    for i in range(n - 1, -1, -1):
        if weight > 0:
            loss[i], median[i] = _loss(ranks, weight, total), _median(ranks, weight)
        row = sweep.entries[i] >> np.uint32(1)
        _insert(ranks, row, task.weight[row], task.y[row])
        weight, total = weight + task.weight[row], total + task.weight[row] * task.y[row]
    all_weight, at = weight, -1
    clear(ranks.weight)
    clear(ranks.total)
    weight, total = _insert_missing(sweep, task, ranks) if sweep.missing_left else (0.0, 0.0)
    all_weight += weight
    for i in range(sweep.last + 1):
        row = sweep.entries[i] >> np.uint32(1)
        _insert(ranks, row, task.weight[row], task.y[row])
        weight, total = weight + task.weight[row], total + task.weight[row] * task.y[row]
        if i < sweep.first or not parts(sweep, i):
            continue
        here = -_loss(ranks, weight, total) - loss[i]
        is_heavy = weight >= min_weight and all_weight - weight >= min_weight
        if here > best and is_heavy and admits(terms.bounds, _median(ranks, weight), median[i], i + 1 == n):
            best, at = here, i
    return best, at


@kernel
def weighted_median(entries, task):
    """Return the median target of entries in order of y: the mean of two if exactly half the weight lies below."""
    half = 0.0
    for entry in entries:
        half += task.weight[entry >> np.uint32(1)] / 2
    below = 0.0
    for i in range(len(entries) - 1):
        row = entries[i] >> np.uint32(1)
        below += task.weight[row]
        if below > half:
            return task.y[row]
        if below == half:
            return (task.y[row] + task.y[entries[i + 1] >> np.uint32(1)]) / 2
    return task.y[entries[-1] >> np.uint32(1)]


# ---- The search


class SearchTerms(NamedTuple):
    """What the search for a cut of one node on one feature reads beside the entries."""

    feature: int
    kind: int  # espalier.kernels.cart.columns: SORTED, LEVELS or CATEGORIES
    task: Task
    totals: np.ndarray  # (n_sums,): of the entries
    ranks: TargetRanks  # of the entries, under absolute error
    bounds: Bounds
    sums: np.ndarray  # (65, n_sums) float64: scratch memory


@kernel
def known_first(entries, column):
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
def threshold_after(entries, column, cut):
    """Return the midpoint of the values beside a cut of sorted entries; inf if no value is beyond it."""
    low = column[entries[cut] >> np.uint32(1)]
    high = column[entries[cut + 1] >> np.uint32(1)]
    return np.inf if np.isnan(high) else midpoint(low, high)


@kernel
def _random_cut(sweep, is_category, state):
    """Return a random threshold between the smallest and largest value, and its cut (Geurts et al. 2006).

    Categories come in random order, and the cut is after one of them.
    """
    column, entries, stop = sweep.column, sweep.entries, sweep.known
    low, high = column[entries[0] >> np.uint32(1)], column[entries[stop - 1] >> np.uint32(1)]
    if is_category:
        cut = below(state, stop)
        while cut + 1 < stop and column[entries[cut] >> np.uint32(1)] == column[entries[cut + 1] >> np.uint32(1)]:
            cut += 1
        return np.nan, cut
    if low == high:
        return np.inf, stop - 1
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
def _best_cut_of_sums(sweep, terms, min_weight, best):
    task, totals = terms.task, terms.totals
    if task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        return sweep_pairs(sweep, counts, task.criterion, task.table, best)
    if task.n_classes > 0:
        sums = ClassSums(totals, terms.sums[0], terms.sums[1], terms.sums[2])
        return sweep_classes(sweep, sums, task, min_weight, best)
    return sweep_means(sweep, totals, task, min_weight, best)


@kernel
def _best_directed_cut(sweep, terms, min_weight, best):
    if terms.task.criterion == ABSOLUTE_ERROR:
        return sweep_directed_medians(sweep, terms, min_weight, best)
    return sweep_directed(sweep, terms, min_weight, best)


@inlined
def _best_cut(sweep, terms, min_weight, best):
    task, totals, ranks = terms.task, terms.totals, terms.ranks
    if terms.bounds.direction != 0:
        best_score, cut = _best_directed_cut(sweep, terms, min_weight, best)
    elif task.criterion == ABSOLUTE_ERROR:
        best_score, cut = sweep_medians(sweep, ranks, task, min_weight, best)
    elif task.criterion == POISSON:
        best_score, cut = sweep_poisson(sweep, totals, task, min_weight, best)
    else:
        best_score, cut = _best_cut_of_sums(sweep, terms, min_weight, best)
    return best_score, cut


@inlined
def split_sequence(sweep, terms, limits, scratch, best):
    """Return the better of the given split and the feature's best one, with missing values tried on both sides.

    Only cuts from ``sweep.first`` to ``sweep.last`` are tried, of them one drawn if splits are random.
    """
    kind = terms.kind
    threshold, span = np.nan, (sweep.first, sweep.last)
    if limits.random and not (limits.one_category and kind == CATEGORIES):
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
            best_score, cut = _best_cut(candidates, terms, limits.min_leaf_weight, best_score)
            if cut >= 0:
                at, at_left = cut, missing_left
    if at >= 0:
        mask = np.uint64(0)
        if kind == CATEGORIES:
            mask = _mask_until(sweep, at)
        elif kind != SORTED and not limits.random:
            threshold = threshold_after(sweep.entries, sweep.column, at)
        best = Split(best_score, terms.feature, at, threshold, mask, at_left)
    return best


@kernel
def _mask_until(sweep, cut):
    mask = np.uint64(0)
    for i in range(cut + 1):
        mask |= np.uint64(1) << np.uint64(sweep.column[sweep.entries[i] >> np.uint32(1)])
    return mask
