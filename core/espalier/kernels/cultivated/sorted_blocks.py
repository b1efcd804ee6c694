"""A node's samples in the order of every sorted feature, without sorting again: lists in blocks.

Blocks lie one on top of the other. A node with all rows of its parent, in whatever fractions, reads its parent's
block; any other node has a block of its own, filtered from that one. Nodes are grown depth first, so everything
above the block of a node's parent is free.

    rows   | all rows by x1, by x2, … | some of them by x1, by x2, … | … | free
             read by the root, and by   read by a child, and by
             nodes with all its rows    nodes with all its rows
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import SORTED
from espalier.kernels.cultivated.neighbourhood import BEGINS, PLACE


class Blocks(NamedTuple):
    """The stack of all blocks in use."""

    rows: np.ndarray  # uint32: places, as in `espalier.kernels.cultivated.neighbourhood`
    start: np.ndarray  # (n_blocks, n_lists + 1) int64: where the lists of each block start and the last one ends
    size: np.ndarray  # (n_blocks,) int64: samples of the node that the block was written for


@kernel
def first_block(columns):
    """Return the blocks with the root's alone: all known rows by each sorted feature."""
    n_lists, n = columns.order.shape[0] - 1, columns.order.shape[1]
    rows = np.empty(2 * n_lists * n + 1, np.uint32)
    start, size = np.zeros((4, n_lists + 1), np.int64), np.zeros(4, np.int64)
    at, size[0] = 0, n
    for f in range(len(columns.kind)):
        if columns.kind[f] != SORTED:
            continue
        last = np.nan
        for row in columns.order[columns.slot[f]]:
            x = columns.values[f, row]
            if np.isnan(x):
                break
            rows[at] = row if x == last else row | BEGINS
            last = x
            at += 1
        start[0, columns.slot[f]] = at
    return Blocks(rows, start, size)


@kernel
def list_of(blocks, block, slot):
    """Return a block's list of the feature in this slot of `SortedColumns.order`."""
    return blocks.rows[blocks.start[block, slot - 1] : blocks.start[block, slot]]


@kernel
def wants_block(blocks, block, n_samples):
    """Return whether a node with so many samples needs a block of its own, since this one holds more."""
    return blocks.start.shape[1] > 1 and n_samples < blocks.size[block]


@kernel
def add_block(blocks, block, samples, is_here):
    """Return the blocks with a node's own one on top of this one.

    Is_here (n_rows,) uint8 is scratch memory, all 0.
    """
    blocks = _with_room(blocks, block)
    rows, start = blocks.rows, blocks.start
    n_lists = start.shape[1] - 1
    at = start[block, n_lists]
    start[block + 1, 0] = at
    blocks.size[block + 1] = len(samples)
    for row in samples:
        is_here[row] = 1
    i = 0
    while i < n_lists:
        begin, middle, end = start[block, i], start[block, i + 1], start[block, min(i + 2, n_lists)]
        if middle - begin == end - middle == blocks.size[block]:  # neither has missing values
            _filter_both(rows[begin:middle], rows[middle:end], rows[at:], rows[at + len(samples) :], is_here)
            start[block + 1, i + 1], start[block + 1, i + 2] = at + len(samples), at + 2 * len(samples)
            i += 2
        else:
            start[block + 1, i + 1] = at + _filter(rows[begin:middle], rows[at:], is_here)
            i += 1
        at = start[block + 1, i]
    for row in samples:
        is_here[row] = 0
    return blocks


@kernel
def _filter(source, target, is_here):
    """Copy those of the source that are in the node; return how many they are.

    BEGINS marks the first of them with each value.
    """
    begins, to = np.uint32(0), np.uint32(0)
    for i in range(len(source)):
        place = source[i]
        begins |= place & BEGINS
        target[to] = place | begins
        here = np.uint32(is_here[place & PLACE])
        to = np.uint32(to + here)
        begins &= np.uint32(here - np.uint32(1))  # cleared once written
    return np.int64(to)


@kernel
def _filter_both(source, other, target, beyond, is_here):
    """Do `_filter` for two lists of one length at once, since each copy waits for the one before."""
    begins, to, begins_too, to_too = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
    for i in range(len(source)):
        place, place_too = source[i], other[i]
        begins |= place & BEGINS
        begins_too |= place_too & BEGINS
        target[to], beyond[to_too] = place | begins, place_too | begins_too
        here, here_too = np.uint32(is_here[place & PLACE]), np.uint32(is_here[place_too & PLACE])
        to, to_too = np.uint32(to + here), np.uint32(to_too + here_too)
        begins &= np.uint32(here - np.uint32(1))
        begins_too &= np.uint32(here_too - np.uint32(1))
    for place in other:
        if is_here[place & PLACE]:
            beyond[0] = place | BEGINS  # again: what follows the end of the first copy was written over it
            break


@kernel
def _with_room(blocks, block):
    rows, start, size = blocks.rows, blocks.start, blocks.size
    n_lists = start.shape[1] - 1
    need = 2 * start[block, n_lists] - start[block, 0] + 1
    if need > len(rows):
        rows = np.empty(2 * need, np.uint32)
        for i in range(start[block, n_lists]):
            rows[i] = blocks.rows[i]
    if block + 1 == len(size):
        start, size = np.zeros((2 * len(size), n_lists + 1), np.int64), np.zeros(2 * len(size), np.int64)
        for b in range(block + 1):
            size[b] = blocks.size[b]
            for i in range(n_lists + 1):
                start[b, i] = blocks.start[b, i]
    return Blocks(rows, start, size)
