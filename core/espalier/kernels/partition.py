"""Partition of a node's lists between its children; each list keeps its order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import passes


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
