"""Statistics of a node: its sums, its value and its impurity."""

from __future__ import annotations

import math

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.absolute_error import weighted_median
from espalier.kernels.impurity import ABSOLUTE_ERROR, POISSON, SQUARED_ERROR, class_impurity, clear, total


@kernel
def _sum_classes(entries, task, sums):
    if task.pairs:
        ones = np.uint32(0)
        for entry in entries:
            ones += entry & np.uint32(1)
        sums[1] = ones
        sums[0] = len(entries) - sums[1]
        return
    for entry in entries:
        row = entry >> np.uint32(1)
        sums[task.label[row]] += task.weight[row]


@kernel
def _describe_classes(entries, task, sums, value):
    """Fill sums and value (n_classes,); returns (weight, impurity, pure)."""
    clear(sums)
    _sum_classes(entries, task, sums)
    weight = total(sums)
    n_present = 0
    for k in range(len(sums)):
        value[k] = sums[k] / weight
        n_present += sums[k] > 0
    return weight, class_impurity(sums, task.criterion), n_present <= 1


@kernel
def _loss(y, value, criterion):
    if criterion == SQUARED_ERROR:
        return (y - value) * (y - value)
    if criterion == POISSON:
        return y * math.log(y / value) if y > 0 else 0.0
    return abs(y - value)


@kernel
def _describe_targets(entries, task, sums, value):
    """Fill sums (weight, weighted y) and value (the mean); returns (weight, impurity, pure)."""
    clear(sums)
    low, high = np.inf, -np.inf
    for entry in entries:
        row = entry >> np.uint32(1)
        y = task.y[row]
        sums[0] += task.weight[row]
        sums[1] += task.weight[row] * y
        low, high = min(low, y), max(high, y)
    value[0] = sums[1] / sums[0] if low < high else low
    if task.criterion == ABSOLUTE_ERROR:  # the entries then come in order of the target
        value[0] = weighted_median(entries, task)
    spread = 0.0
    for entry in entries:  # a second pass: exact where the deviations are small beside the mean
        row = entry >> np.uint32(1)
        spread += task.weight[row] * _loss(task.y[row], value[0], task.criterion)
    return sums[0], max(spread / sums[0], 0.0), low == high


@kernel
def describe(entries, task, sums, value):
    """Fill sums (n_sums,) and value (n_outputs,) of a node from its entries; returns (weight, impurity, pure).

    Under absolute error the entries come in order of the target.
    """
    if task.n_classes > 0:
        return _describe_classes(entries, task, sums, value)
    return _describe_targets(entries, task, sums, value)
