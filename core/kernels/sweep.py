"""The search along one sorted list: the cut with the largest score, as (score, position).

Each function answers (best, -1) when no cut beats the score `best` that it was given, so that ties keep the
first cut of the first feature.
"""

from __future__ import annotations

import numpy as np

from core.kernels import kernel
from core.kernels.impurity import ENTROPY, score, score_of_two

BLOCK = 64


@kernel
def parts(sweep, cut):
    """Whether the values on the two sides of a cut differ (missing values differ from all known ones)."""
    if cut + 1 == sweep.known:
        return True
    here = sweep.column[sweep.entries[cut] >> np.uint32(1)]
    return here != sweep.column[sweep.entries[cut + 1] >> np.uint32(1)]


@kernel
def _ones(entries, start, stop):
    total = np.uint32(0)
    for i in range(start, stop):
        total += entries[i] & np.uint32(1)
    return np.int64(total)


@kernel
def _best_corner(a, b, totals, criterion, table):
    """Upper bound of the score over all left counts between a and b: S is convex, so at a corner of the box."""
    best = -np.inf
    for l0 in (a[0], b[0]):
        for l1 in (a[1], b[1]):
            left = score_of_two(l0, l1, criterion, table)
            right = score_of_two(totals[0] - l0, totals[1] - l1, criterion, table)
            best = max(best, left + right)
    return best


@kernel
def sweep_pairs(sweep, totals, task, best):
    """Best cut for two classes of unit weight; totals are the node's two counts.

    Counts a block of entries at once, and looks at its single cuts only if a bound over the block beats
    the best so far: exact, and most blocks are skipped.
    """
    at = -1
    entries, criterion, table = sweep.entries, task.criterion, task.table
    l1 = _ones(entries, sweep.known, len(entries)) if sweep.missing_left else 0
    l0 = len(entries) - sweep.known - l1 if sweep.missing_left else 0
    before = _ones(entries, 0, sweep.first)
    l1 += before
    l0 += sweep.first - before
    start = sweep.first
    while start <= sweep.last:
        stop = min(start + BLOCK, sweep.last + 1)
        ones = _ones(entries, start, stop)
        after = (l0 + stop - start - ones, l1 + ones)
        if _best_corner((l0, l1), after, totals, criterion, table) > best:
            for i in range(start, stop):
                one = np.int64(entries[i] & np.uint32(1))
                l1 += one
                l0 += 1 - one
                here = score_of_two(l0, l1, criterion, table)
                here += score_of_two(totals[0] - l0, totals[1] - l1, criterion, table)
                if here > best and parts(sweep, i):
                    best, at = here, i
        l0, l1 = after
        start = stop
    return best, at


@kernel
def _add_classes(entries, start, stop, task, sums):
    for i in range(start, stop):
        row = entries[i] >> np.uint32(1)
        sums[task.label[row]] += task.weight[row]


@kernel
def sweep_classes(sweep, totals, task, min_weight, best):
    """Best cut for any number of classes and any weights; totals (n_classes,) are the node's class weights.

    Skips a block of entries d where S(before) + pure(d) + S(after) cannot beat the best so far (subadditivity;
    pure is the score d would have if it were pure: its weight, or 0 for entropy).
    """
    at = -1
    left, block = np.zeros(len(totals)), np.zeros(len(totals))
    if sweep.missing_left:
        _add_classes(sweep.entries, sweep.known, len(sweep.entries), task, left)
    _add_classes(sweep.entries, 0, sweep.first, task, left)
    step = min(max(len(sweep.entries) >> 6, 8), BLOCK)
    start = sweep.first
    while start <= sweep.last:
        stop = min(start + step, sweep.last + 1)
        block[:] = 0
        _add_classes(sweep.entries, start, stop, task, block)
        pure = 0.0 if task.criterion == ENTROPY else block.sum()
        bound = score(left, task.criterion) + score(totals - left - block, task.criterion) + pure
        if bound <= best:
            left += block
            start = stop
            continue
        for i in range(start, stop):
            row = sweep.entries[i] >> np.uint32(1)
            left[task.label[row]] += task.weight[row]
            if parts(sweep, i):
                here = score(left, task.criterion) + score(totals - left, task.criterion)
                if here > best and _heavy(left.sum(), totals.sum(), min_weight):
                    best, at = here, i
        start = stop
    return best, at


@kernel
def _heavy(left, total, min_weight):
    return left >= min_weight and total - left >= min_weight


@kernel
def sweep_means(sweep, totals, task, min_weight, best):
    """Best cut for squared error; totals are the node's weight and weighted sum of y."""
    at = -1
    weight, total = 0.0, 0.0
    if sweep.missing_left:
        for i in range(sweep.known, len(sweep.entries)):
            row = sweep.entries[i] >> np.uint32(1)
            weight += task.weight[row]
            total += task.weight[row] * task.y[row]
    for i in range(sweep.last + 1):
        row = sweep.entries[i] >> np.uint32(1)
        w = 1.0 if task.unit else task.weight[row]
        weight += w
        total += w * task.y[row]
        if i < sweep.first:
            continue
        others, rest = totals[0] - weight, totals[1] - total
        here = (total * total * others + rest * rest * weight) / (weight * others)
        if here > best and parts(sweep, i) and _heavy(weight, totals[0], min_weight):
            best, at = here, i
    return best, at
