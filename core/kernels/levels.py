"""The search over the levels of one feature: few different values, or categories.

A node needs one sum per level. Ordered levels are cut between neighbours; categories are first put in order
of their target, after which a cut is the best of all subsets for two classes (Breiman et al. 1984, theorem
4.5) and for squared error (Fisher 1958). For more classes no such order is known: every class in turn gives an
order, by its share among the levels, and the best cut of all these orders is taken (an approximation).
"""

from __future__ import annotations

import numpy as np

from core.kernels import kernel
from core.kernels.columns import MAX_LEVELS, MISSING
from core.kernels.impurity import SQUARED_ERROR, score


@kernel
def _count_pairs(entries, codes, sums, counts):
    # Count and class in one word, and two copies: half the additions, and few that wait for the one before.
    both = np.zeros((2, MAX_LEVELS + 1), np.uint64)
    whole = np.uint64(1) << np.uint64(32)
    even = len(entries) - len(entries) % 2
    for i in range(0, even, 2):
        both[0, codes[entries[i] >> np.uint32(1)]] += whole | (entries[i] & np.uint32(1))
        both[1, codes[entries[i + 1] >> np.uint32(1)]] += whole | (entries[i + 1] & np.uint32(1))
    for i in range(even, len(entries)):
        both[0, codes[entries[i] >> np.uint32(1)]] += whole | (entries[i] & np.uint32(1))
    for level in range(MAX_LEVELS + 1):
        packed = both[0, level] + both[1, level]
        counts[level] = np.int64(packed >> np.uint64(32))
        sums[level, 1] = np.float64(packed & np.uint64(0xFFFFFFFF))
        sums[level, 0] = counts[level] - sums[level, 1]


@kernel
def sum_levels(entries, codes, task, sums, counts):
    """Fill sums (65, n_sums) and counts (65,) of a node's samples by level; level 64 is missing."""
    if task.pairs:
        _count_pairs(entries, codes, sums, counts)
        return
    sums[:] = 0
    counts[:] = 0
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
def order_by_target(order, sums, task, k):
    """Sort order (n,) in place by the levels' mean target, or by their share of class k; stable."""
    key = np.empty(len(order))
    for i in range(len(order)):
        level = sums[order[i]]
        weight = level.sum() if task.n_classes else level[0]
        key[i] = level[k if task.n_classes else 1] / weight if weight > 0 else 0.0
    order[:] = order[np.argsort(key, kind="mergesort")]


@kernel
def sweep_levels(sweep, totals, task, limits, best):
    """Best cut of a node's levels as (score, position); totals (n_sums,) are the sums of the whole node.

    Position i puts the levels ``order[0..i]`` on the left; the last one parts known from missing.
    """
    at = -1
    missing_left = sweep.missing_left
    left = sweep.sums[MISSING].copy() if missing_left else np.zeros(len(totals))
    n_left = sweep.counts[MISSING] if missing_left else 0
    n = sweep.counts.sum()
    for i in range(sweep.last + 1):
        left += sweep.sums[sweep.order[i]]
        n_left += sweep.counts[sweep.order[i]]
        if i < sweep.first or n_left < limits.min_leaf or n - n_left < max(limits.min_leaf, 1):
            continue
        right = totals - left
        here = score(left, task.criterion) + score(right, task.criterion)
        if here > best and _heavy(left, right, task, limits):
            best, at = here, i
    return best, at


@kernel
def _heavy(left, right, task, limits):
    if task.criterion == SQUARED_ERROR:
        return left[0] >= limits.min_leaf_weight and right[0] >= limits.min_leaf_weight
    return left.sum() >= limits.min_leaf_weight and right.sum() >= limits.min_leaf_weight
