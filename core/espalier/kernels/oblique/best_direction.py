"""The best cut along each of many directions, and the direction whose cut is best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import sort_rows
from espalier.kernels.cart.sweep import ClassSums, sweep_classes, sweep_means, sweep_pairs
from espalier.kernels.impurity import ENTROPY, SQUARED_ERROR, score, total
from espalier.kernels.oblique.route import weighted_sum_of
from espalier.kernels.task import Sweep, midpoint


class SideLimits(NamedTuple):
    """The least that each side of a cut has."""

    samples: int
    weight: float


@kernel
def best_direction(columns, rows, directions, task, limits):
    """Return the direction along which the rows (n,) are parted best, as (number, threshold, gain).

    The task's labels, targets and weights are those of the rows, one each. Of equal directions the first is
    returned, and -1 where no cut may be; limits are `SideLimits`. The gain is the decrease of impurity per unit of
    weight. Not for absolute error.
    """
    n = len(rows)
    values, order, keys = np.empty(n), np.empty(n, np.uint32), np.empty(n, np.uint64)
    spare, counts, fill = np.empty(n, np.uint64), np.empty((2, 2048), np.int64), np.zeros(len(columns))
    totals, best, found, threshold = _totals(task, n), -np.inf, -1, np.nan
    sums = ClassSums(totals, np.empty(len(totals)), np.empty(len(totals)), np.empty(len(totals)))
    for i in range(len(directions.n_terms)):
        m = directions.n_terms[i]
        if m == 0:
            continue
        feature, coefficient = directions.feature[i, :m], directions.coefficient[i, :m]
        for at in range(n):
            values[at] = weighted_sum_of(columns, rows[at], fill, feature, coefficient)
        _, equal = sort_rows(values, order, keys, spare, counts)
        if equal < 0:  # far outliers: sort by comparison
            order[:] = np.argsort(values, kind="mergesort").astype(np.uint32)
        here, cut = _best_cut(values, order, task, limits, sums, best)
        if cut >= 0:
            below, above = (order[cut] >> np.uint32(1)), (order[cut + 1] >> np.uint32(1))
            best, found, threshold = here, i, midpoint(values[below], values[above])
    return found, threshold, _gain(best, totals, task)


@kernel
def _gain(best, totals, task):
    weight = totals[0] if task.n_classes == 0 else total(totals)
    gain = (best - score(totals, task.criterion)) / weight
    return gain / np.log(2) if task.criterion == ENTROPY else gain


@kernel
def _totals(task, n):
    """Return the sums of a node: of the weights of each class, or the weight and the weighted sum of y."""
    totals = np.zeros(task.n_classes if task.n_classes > 0 else 2)
    for at in range(n):
        if task.n_classes > 0:
            totals[task.label[at]] += task.weight[at]
        else:
            totals[0] += task.weight[at]
            totals[1] += task.weight[at] * task.y[at]
    return totals


@kernel
def _best_cut(values, order, task, limits, sums, best):
    n, min_weight, totals = len(order), limits.weight, sums.node
    for at in range(n):
        order[at] = (order[at] << np.uint32(1)) | (
            np.uint32(task.label[order[at]]) if task.pairs else np.uint32(0)
        )
    sweep = Sweep(order, n, values, False, False, limits.samples - 1, n - limits.samples - 1)
    if task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        return sweep_pairs(sweep, counts, task.criterion, task.table, best)
    if task.criterion == SQUARED_ERROR:
        return sweep_means(sweep, totals, task, min_weight, best)
    return sweep_classes(sweep, sums, task, min_weight, best)
