"""The cut search under absolute error, whose score needs the median of every prefix of a list.

Samples enter a Fenwick tree at the rank of their target; the weighted median of the samples inside, and the sum
of absolute deviations from it, then take O(log n) each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.directed import admits
from espalier.kernels.cart.sweep import parts
from espalier.kernels.impurity import clear


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
