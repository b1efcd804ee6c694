"""The search along the entries of a feature in order: sorted numbers, and whatever sums by level do not serve.

Such sums do not suffice under absolute error and Poisson, nor where columns have directions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.absolute_error import TargetRanks, sweep_directed_medians, sweep_medians
from espalier.kernels.cart.columns import CATEGORIES, SORTED
from espalier.kernels.cart.directed import Bounds, sweep_directed
from espalier.kernels.cart.levels import may_go_left
from espalier.kernels.cart.poisson import sweep_poisson
from espalier.kernels.cart.sweep import ClassSums, sweep_classes, sweep_means, sweep_pairs
from espalier.kernels.impurity import ABSOLUTE_ERROR, POISSON
from espalier.kernels.randomness import below, uniform
from espalier.kernels.task import Split, Sweep, Task, midpoint


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
