"""One feature of a node: its best cut t0, the neighbourhood T(t0) around it, and the impurity there.

A *profile* lists a node's samples by a feature, ascending: `places` are their rows (of a feature with few
values, its levels; categories in the order of their mean target), the highest bit set where a new value
begins, and `sums` the running sums up to each: row 0 is weight, row c weight times target c. Place i, if it is
the last of its value, is a cut: it separates places 0..i from the rest. All functions on cuts take profiles,
whatever the kind of feature.

    value       1.2  1.5  1.5  1.9          values may repeat
    places      7*   2*   4    9*           rows; * where a value begins
    sums[0]     1.0  2.0  2.6  3.6          weight up to here
    cut?        yes  no   yes  (yes)        the last one leaves nothing on the right

With a target for every class as 0 or 1 (of two classes only the second) the impurity of a split is
``factor * (sum of w y^2 - S) / W``, where S is the sum over both sides and all targets of (sum of w y)^2 / (sum
of w): twice that variance is gini for two classes, once is gini for more, and variance for a number.
Missing values are divided between the sides in the proportion of the known ones.

A node's samples in the order of every sorted feature, without sorting again: lists in blocks. Blocks lie one on
top of the other. A node with all rows of its parent, in whatever fractions, reads its parent's block; any other
node has a block of its own, filtered from that one. Nodes are grown depth first, so everything above the block of
a node's parent is free.

    rows   | all rows by x1, by x2, … | some of them by x1, by x2, … | … | free
             read by the root, and by   read by a child, and by
             nodes with all its rows    nodes with all its rows

A sample goes by its place among those of the node that the block was written for, not by its row: what a small
node reads of its samples then lies close together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import MAX_LEVELS, SORTED, SortedColumns
from espalier.kernels.simd import borrow

BEGINS = np.uint32(1 << 31)  # the bit of a place where a new value begins
PLACE = np.uint32((1 << 31) - 1)  # the other bits
HEAVY = 1e-12  # relative to a least weight: so much may be missing by rounding
EMPTY = 1e-12  # weight of a side relative to the node's: no mean is taken of less


class PlaceRange(NamedTuple):
    """Places of a profile side by side; empty if the first is beyond the last."""

    first: int
    last: int


@kernel
def order_levels(by_level, ordered, places, tie):
    """Write the levels that have weight into places (65,); return how many there are.

    by_level is (65, 1 + n_targets). Categories (not `ordered`) come in the order of their first target's mean;
    means that differ by no more than `tie` are equal.
    """
    n = 0
    for level in range(MAX_LEVELS):
        if by_level[level, 0] > 0:
            at = n
            while not ordered and at > 0 and _is_after(by_level[places[at - 1] & PLACE], by_level[level], tie):
                places[at] = places[at - 1]
                at -= 1
            places[at] = np.uint32(level) | BEGINS
            n += 1
    return n


@kernel
def _is_after(one, other, tie):
    """Return whether the mean target of one level's sums is greater than another's, by more than `tie`."""
    return one[1] / one[0] > other[1] / other[0] + tie


@kernel
def heavy_cuts(running, n, weight, least):
    """Return the range of the n places after which a cut leaves at least the weight `least` on both sides.

    running (n_places,) is the weight up to each place; `weight`, the node's, includes missing values.
    """
    first, last = 0, n - 1
    if least > 0.0:
        scale, low = weight / running[n - 1], least * (1 - HEAVY)
        while first <= last and scale * running[first] < low:
            first += 1
        while last >= first and weight - scale * running[last] < low:
            last -= 1
    return PlaceRange(first, last)


@kernel
def _value_begins(places, phi, i):
    """Return the first place of the value at place i, and write phi 0 at all of them before i."""
    while i > np.uint64(0) and places[i] < BEGINS:
        i -= np.uint64(1)
        phi[i] = 0.0
    return i


@kernel
def _value_ends(places, i):
    """Return the last place of the value at place i."""
    last = np.uint64(len(places) - 1)
    while i < last and places[i + np.uint64(1)] < BEGINS:
        i += np.uint64(1)
    return i


@kernel
def _weight_of(running, first, last):
    return running[last] - running[first - np.uint64(1)] if first > np.uint64(0) else running[last]


@kernel
def neighbourhood(places, sums, cut, k, phi, allowed):
    """Write phi of every cut of T(t0) at its place, and 0 between; return the range of places.

    Whole values are taken outwards from t0, at place `cut`, until their weight reaches k on each side; the
    outermost one gets the rest of k (Nalenz & Augustin 2021, equation 2). A side ends early where it runs out of
    values or leaves the `allowed` range.
    """
    places, running, phi = borrow(places), borrow(sums)[0], borrow(phi)
    step, enough = np.uint64(1), EMPTY * k  # unsigned places need no check whether they are negative
    lowest, highest = np.uint64(allowed.first), np.uint64(allowed.last)
    middle = np.uint64(cut)
    first = _value_begins(places, phi, middle)
    phi[middle] = _weight_of(running, first, middle)
    rest = k
    while rest > enough and first > lowest:
        end = first - step
        first = _value_begins(places, phi, end)
        weight = _weight_of(running, first, end)
        if weight >= rest:  # a branch that is foreseen, where a minimum would have to be waited for
            phi[end] = rest
            break
        phi[end] = weight
        rest -= weight
    rest, last = k, middle
    while rest > enough and last < highest:
        begin = last + step
        end = _value_ends(places, begin)
        if end > highest:
            break
        for i in range(begin, end):
            phi[i] = 0.0
        last = end
        weight = _weight_of(running, begin, last)
        if weight >= rest:
            phi[last] = rest
            break
        phi[last] = weight
        rest -= weight
    return PlaceRange(np.int64(first), np.int64(last))


# ---- Blocks: a node's samples in the order of every sorted feature

ROOM = 8  # lists of all rows by each feature, at first; what is not used is never touched
MOST_AT_FIRST = 1 << 22  # places
ABSENT = BEGINS  # the place of a sample that is not in the node: no place is so large


class Blocks(NamedTuple):
    """The stack of all blocks in use."""

    lists: np.ndarray  # uint32: places, as in `espalier.kernels.cultivated.neighbourhood`
    start: np.ndarray  # (n_blocks, n_lists + 1) int64: where the lists of each block start and the last one ends
    size: np.ndarray  # (n_blocks,) int64: samples of the node that the block was written for


def empty_lists(columns: SortedColumns) -> np.ndarray:
    """Return memory for `first_block`. NumPy's large arrays lie in large pages, where the system has them."""
    n_lists, n = columns.order.shape[0] - 1, columns.order.shape[1]
    return np.empty(max(2 * n_lists * n, min(ROOM * n_lists * n, MOST_AT_FIRST)) + 1, np.uint32)


@kernel
def first_block(columns, lists):
    """Return the blocks with the root's alone: all known rows by each sorted feature."""
    n_lists, n = columns.order.shape[0] - 1, columns.order.shape[1]
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
            lists[at] = row if x == last else row | BEGINS
            last = x
            at += 1
        start[0, columns.slot[f]] = at
    return Blocks(lists, start, size)


@kernel
def list_of(blocks, block, slot):
    """Return a block's list of the feature in this slot of `SortedColumns.order`."""
    return blocks.lists[blocks.start[block, slot - 1] : blocks.start[block, slot]]


@kernel
def wants_block(blocks, block, n_samples):
    """Return whether a node with so many samples needs a block of its own, since this one holds more."""
    return blocks.start.shape[1] > 1 and n_samples < blocks.size[block]


@kernel
def add_block(blocks, block, places, own):
    """Return the blocks with a node's own one on top of this one.

    places (n_samples,) are those of the node's samples in the node that this block was written for, ascending.
    own (n_rows,) uint32 is scratch memory.
    """
    if 2 * blocks.start[block, -1] >= len(blocks.lists) or block + 1 == len(blocks.size):
        blocks = _make_room(blocks, block)
    lists, start, n = borrow(blocks.lists), borrow(blocks.start), len(places)
    n_lists = start.shape[1] - 1
    at = start[block, n_lists]
    start[block + 1, 0] = at
    for i in range(blocks.size[block]):
        own[i] = ABSENT
    for i in range(n):
        own[places[i]] = i
    blocks.size[block + 1] = n
    i = 0
    while i < n_lists:
        begin, middle, end = start[block, i], start[block, i + 1], start[block, min(i + 2, n_lists)]
        if middle - begin == end - middle == blocks.size[block]:  # neither has missing values
            _filter_both(lists[begin:middle], lists[middle:end], lists[at:], lists[at + n :], own)
            start[block + 1, i + 1], start[block + 1, i + 2] = at + n, at + 2 * n
            i += 2
        else:
            start[block + 1, i + 1] = at + _filter(lists[begin:middle], lists[at:], own)
            i += 1
        at = start[block + 1, i]
    return blocks


@kernel
def _filter(source, target, own):
    """Copy those of the source that are in the node, as their own places; return how many they are.

    BEGINS marks the first of them with each value.
    """
    begins, to = np.uint32(0), np.uint32(0)
    for i in range(len(source)):
        place = source[i]
        begins |= place & BEGINS
        mine = own[place & PLACE]
        target[to] = mine | begins
        here = np.uint32(1) - (mine >> np.uint32(31))
        to = np.uint32(to + here)
        begins &= np.uint32(here - np.uint32(1))  # cleared once written
    return np.int64(to)


@kernel
def _filter_both(source, other, target, beyond, own):
    """Do `_filter` for two lists of one length at once, since each copy waits for the one before."""
    source, other, own, target, beyond = borrow(source), borrow(other), borrow(own), borrow(target), borrow(beyond)
    begins, to, begins_too, to_too = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
    for i in range(len(source)):
        place, place_too = source[i], other[i]
        begins |= place & BEGINS
        begins_too |= place_too & BEGINS
        mine, mine_too = own[place & PLACE], own[place_too & PLACE]
        target[to], beyond[to_too] = mine | begins, mine_too | begins_too
        here = np.uint32(1) - (mine >> np.uint32(31))
        here_too = np.uint32(1) - (mine_too >> np.uint32(31))
        to, to_too = np.uint32(to + here), np.uint32(to_too + here_too)
        begins &= np.uint32(here - np.uint32(1))
        begins_too &= np.uint32(here_too - np.uint32(1))
    # again, the first of the second copy: what follows the end of the first copy was written over it
    at = 0
    while at < len(other) and own[other[at] & PLACE] == ABSENT:
        at += 1
    if at < len(other):
        beyond[0] = own[other[at] & PLACE] | BEGINS


@kernel
def _make_room(blocks, block):
    lists, start, size = blocks.lists, blocks.start, blocks.size
    n_lists = start.shape[1] - 1
    need = 2 * start[block, n_lists] - start[block, 0] + 1
    if need > len(lists):
        lists = np.empty(2 * need, np.uint32)
        for i in range(start[block, n_lists]):
            lists[i] = blocks.lists[i]
    if block + 1 == len(size):
        start, size = np.zeros((2 * len(size), n_lists + 1), np.int64), np.zeros(2 * len(size), np.int64)
        for b in range(block + 1):
            size[b] = blocks.size[b]
            for i in range(n_lists + 1):
                start[b, i] = blocks.start[b, i]
    return Blocks(lists, start, size)
