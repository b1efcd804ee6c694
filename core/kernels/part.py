"""Parting the lists of a node between its children, each still in its order."""

from __future__ import annotations

import numpy as np

from core.kernels import kernel
from core.kernels.route import passes


@kernel
def part_rows(source, target, column, node, side):
    """Move list 0 of a node by its split, note the side of each row; returns (left samples, any missing)."""
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
    """Move a list's slice, stably, to both children. No branch to mispredict; unsigned, to index without tests."""
    left, right = np.uint32(span[0]), np.uint32(span[1])
    for i in range(np.uint32(span[0]), np.uint32(span[2])):
        entry = source[i]
        goes = np.uint32(side[entry >> np.uint32(1)])
        target[left if goes else right] = entry
        left = np.uint32(left + goes)
        right = np.uint32(right + np.uint32(1) - goes)


@kernel
def _part_one(source, target, side, span, keep_left):
    """Write one child only. A write too many is overwritten by the next, or falls into the other child."""
    start, middle, stop = span
    at, end = (start, middle) if keep_left else (middle, stop)
    for i in range(start, stop):
        if at == end:
            break
        entry = source[i]
        target[at] = entry
        at += np.int64(side[entry >> np.uint32(1)] == keep_left)


@kernel
def part_list(source, target, side, span, wanted):
    """Move a list's slice, span (start, middle, stop), to the children that are wanted: (left, right)."""
    if wanted[0] and wanted[1]:
        part_both(source, target, side, span)
    else:
        _part_one(source, target, side, span, wanted[0])
