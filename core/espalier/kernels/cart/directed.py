"""Splits where columns have directions: predictions may only rise, or only fall, with such a column.

A node has bounds for what its leaves may predict: a number, or the share of the second of two classes. On a
directed column a split is admitted if both of its sides predict within these bounds, and in the direction of the
column. Below it the middle of both sides bounds either of them, so that all leaves of one side stay on their side
of the other's, whatever is split later. Below any other split both sides keep the node's bounds. A node that would
predict more or less predicts its bound. That is the way of scikit-learn's trees.

Every node's prediction lies within its bounds, and so a tree that is pruned keeps its directions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.sweep import heavy, parts
from espalier.kernels.impurity import POISSON, beyond, score_of_sides


class Bounds(NamedTuple):
    """What the sides of a split on a column may predict."""

    low: float
    high: float
    direction: int  # 1 if predictions may only rise with the column, -1 fall, 0 anything


@inlined
def admits(bounds, left, right, apart):
    """Return whether the predictions of two sides are admitted; those of missing values set `apart` always are."""
    inside = min(left, right) >= bounds.low and max(left, right) <= bounds.high
    return apart or (inside and (right - left) * bounds.direction >= 0)


@inlined
def _prediction(sums, by_class):
    return sums[1] / (sums[0] + sums[1]) if by_class else sums[1] / sums[0]


@inlined
def _add(entry, task, sums):
    """Add a sample to the sums (2,) of a side: weights of two classes, or weight and weighted y."""
    row = entry >> np.uint32(1)
    if task.n_classes > 0:
        sums[task.label[row]] += task.weight[row]
    else:
        sums[0] += task.weight[row]
        sums[1] += task.weight[row] * task.y[row]


@kernel
def sweep_directed(sweep, terms, min_weight, best):
    """Return the best cut that the bounds admit as (score, position), for sums; terms are `SearchTerms`."""
    task, totals, by_class = terms.task, terms.totals, terms.task.n_classes > 0
    at, bar = -1, best if by_class else beyond(best)
    left, right = np.zeros(2), np.zeros(2)
    if sweep.missing_left:
        for i in range(sweep.known, len(sweep.entries)):
            _add(sweep.entries[i], task, left)
    weight = totals[0] + totals[1] if by_class else totals[0]
    for i in range(sweep.last + 1):
        _add(sweep.entries[i], task, left)
        if i < sweep.first:
            continue
        right[0], right[1] = totals[0] - left[0], totals[1] - left[1]
        here = score_of_sides(left, right, task.criterion)
        on_left = left[0] + left[1] if by_class else left[0]
        if not (here > bar and parts(sweep, i) and heavy(on_left, weight, min_weight)):
            continue
        if task.criterion == POISSON and not _has_events(sweep, task, i):
            continue
        if admits(terms.bounds, _prediction(left, by_class), _prediction(right, by_class), i + 1 == sweep.known):
            best, at, bar = here, i, here if by_class else beyond(here)
    return best, at


@kernel
def _has_events(sweep, task, cut):
    """Return whether samples of either side have a target above 0, without which Poisson has no mean."""
    left, right = False, False
    for i in range(len(sweep.entries)):
        positive = task.y[sweep.entries[i] >> np.uint32(1)] > 0
        if i <= cut or (i >= sweep.known and sweep.missing_left):
            left = left or positive
        else:
            right = right or positive
    return left and right


@kernel
def bound_children(nodes, values, parent, first, direction):
    """Write the bounds of two children, numbered from `first` on, whose values (n_nodes, n_outputs) are known.

    The middle of both binds them on a directed column, unless the split parts missing values from all others. A
    value past a bound is set to it.
    """
    node, out = nodes[parent], values.shape[1] - 1
    for child in (first, first + 1):
        nodes[child].low, nodes[child].high = node.low, node.high
    if direction != 0 and not np.isinf(node.threshold):
        middle = min(max((values[first, out] + values[first + 1, out]) / 2, node.low), node.high)
        below, above = (first, first + 1) if direction > 0 else (first + 1, first)
        nodes[below].high, nodes[above].low = middle, middle
    for child in (first, first + 1):
        _clip(values[child], nodes[child])


@kernel
def _clip(value, node):
    out = len(value) - 1
    if value[out] < node.low or value[out] > node.high:
        value[out] = min(max(value[out], node.low), node.high)
        if out > 0:
            value[0] = 1 - value[1]
