"""Statistics of a node, and the partition of its lists between its children; each list keeps its order."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.sequence import weighted_median
from espalier.kernels.route import passes
from espalier.kernels.task import ABSOLUTE_ERROR, POISSON, SQUARED_ERROR, class_impurity, clear, total


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


# ---- Partition


class ChildSlices(NamedTuple):
    """Where the children of a node stand in each list: one from start to middle, the other to stop."""

    start: int
    middle: int
    stop: int


@kernel
def part_rows(source, target, column, node, side):
    """Partition list 0 of a node and write each row's side into `side`; return (left samples, any missing)."""
    missing = False
    n_left = 0
    for i in range(node.start, node.stop):
        row = source[i] >> np.uint32(1)
        goes = passes(column[row], node.threshold, node.categories, node.missing_left)
        missing = missing or np.isnan(column[row])
        side[row] = goes
        n_left += goes
    part_both(source, target, side, ChildSlices(node.start, node.start + n_left, node.stop))
    return n_left, missing


@kernel
def part_levels(source, target, codes, levels, node, side):
    """Do as `part_rows` for a column of numbers in levels (64,), by the codes (n_samples,) uint8 of its values.

    The search has just read the codes of these rows, and the values are eight times as large.
    """
    n_below = np.uint8(0)
    while n_below < len(levels) and levels[n_below] <= node.threshold:
        n_below += np.uint8(1)
    missing, n_left = False, 0
    for i in range(node.start, node.stop):
        row = source[i] >> np.uint32(1)
        is_missing = codes[row] == len(levels)
        goes = (codes[row] < n_below) | (is_missing & node.missing_left)
        missing |= is_missing
        side[row] = goes
        n_left += goes
    part_both(source, target, side, ChildSlices(node.start, node.start + n_left, node.stop))
    return n_left, missing


@kernel
def part_both(source, target, side, slices):
    """Partition a node's slice of a list between both children, stably.

    The loop has no branch to mispredict; unsigned indices spare the test for negative ones.
    """
    left, right = np.uint32(slices.start), np.uint32(slices.middle)
    for i in range(np.uint32(slices.start), np.uint32(slices.stop)):
        entry = source[i]
        goes = np.uint32(side[entry >> np.uint32(1)])
        target[left if goes else right] = entry
        left = np.uint32(left + goes)
        right = np.uint32(right + np.uint32(1) - goes)


@kernel
def part_lists(lists, buffer, slices, side, left, right):
    """Partition a node's slice of lists[buffer] for its left child, its right child, or both.

    List 0 has been partitioned before. For one child alone, every entry is written, and the next entry
    overwrites it if it belongs to the other child.
    """
    both = left and right
    first, end = (slices.start, slices.middle) if left else (slices.middle, slices.stop)
    for number in range(1, lists.shape[1]):
        if both:
            part_both(lists[buffer, number], lists[1 - buffer, number], side, slices)
            continue
        at = first
        for i in range(slices.start, slices.stop):
            if at == end:
                break
            entry = lists[buffer, number, i]
            lists[1 - buffer, number, at] = entry
            at += np.int64(side[entry >> np.uint32(1)] == left)
