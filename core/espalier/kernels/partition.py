"""Partition of a node's lists between its children; each list keeps its order."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import passes


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
    part_both(source, target, side, (node.start, node.start + n_left, node.stop))
    return n_left, missing


@kernel
def part_both(source, target, side, span):
    """Partition a slice (start, middle, stop) of a list between both children, stably.

    The loop has no branch to mispredict; unsigned indices spare the test for negative ones.
    """
    left, right = np.uint32(span[0]), np.uint32(span[1])
    for i in range(np.uint32(span[0]), np.uint32(span[2])):
        entry = source[i]
        goes = np.uint32(side[entry >> np.uint32(1)])
        target[left if goes else right] = entry
        left = np.uint32(left + goes)
        right = np.uint32(right + np.uint32(1) - goes)


@kernel
def part_lists(lists, buffer, span, side, wanted):
    """Partition the slice span (start, middle, stop) of lists[buffer] for the children `wanted` (left, right).

    List 0 has been partitioned before. For one child alone, every entry is written, and the next entry
    overwrites it if it belongs to the other child.
    """
    start, middle, stop = span
    both = wanted[0] and wanted[1]
    first, end = (start, middle) if wanted[0] else (middle, stop)
    for number in range(1, lists.shape[1]):
        if both:
            part_both(lists[buffer, number], lists[1 - buffer, number], side, span)
            continue
        at = first
        for i in range(start, stop):
            if at == end:
                break
            entry = lists[buffer, number, i]
            lists[1 - buffer, number, at] = entry
            at += np.int64(side[entry >> np.uint32(1)] == wanted[0])
