"""Subtrees of numbers whose samples fit the cache: lists of the samples in order of each feature.

The samples of a subtree are numbered anew and sorted once by every feature; a split parts the lists, so that no
node sorts. The best cut of a node is found by `espalier.kernels.forest.small.list_cuts`; nodes of a few samples
are split by `espalier.kernels.forest.small.few`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.buckets import ROW
from espalier.kernels.forest.gini import drawn
from espalier.kernels.forest.nodes import Nodes, borrowed_nodes, may_split, wait, write_leaf
from espalier.kernels.forest.small.few import FEW, MOST_WEIGHT, FewRoot, grow_few
from espalier.kernels.forest.small.list_cuts import ROOM, ListNode, find_cut
from espalier.kernels.randomness import child_seed
from espalier.kernels.vectors.simd import REALS, borrow

MOST = 16_384  # rows of a table that is sorted once for all trees; their numbers take 16 bits
MOST_SORTED = 1024  # samples of a subtree, in a larger table: their codes fit the cache while they are sorted
MOST_MEMORY = 1 << 20  # entries of the lists of all features
PER_FEATURE_TRIED = 4  # features: where there are more, sorting those that are tried at each node is quicker
FEW_VALUES = 64  # of a feature: where most features have no more, counting them at each node is quicker
BITS = 9  # of a digit, for sorting


class DrawnLists(NamedTuple):
    """Memory for one subtree; samples are numbered in the order of the tree's entries."""

    order: np.ndarray  # (n_features, n_rows) uint16: rows by each feature; (n_features, 0) for a larger table
    lists: np.ndarray  # (2, n_features, size) uint16: samples by each feature, before and after a split
    members: np.ndarray  # (size,) uint16: samples node after node
    spare: np.ndarray  # (size,) uint16
    place: np.ndarray  # (n_rows,) uint16: sample of each row; (1,) for a larger table
    entries: np.ndarray  # (size,) uint64: see espalier.kernels.forest.buckets.ROW
    y: np.ndarray  # (size,) float64
    moment: np.ndarray  # (size,) float64: y times how often it was drawn
    weight: np.ndarray  # (size,) float64: how often
    side: np.ndarray  # (size,) uint8: whether a sample goes left
    moments: np.ndarray  # (2 * ROOM,) float64: running sums of two lists
    weights: np.ndarray  # (2 * ROOM,) float64
    last: np.ndarray  # (4,) float64: moment and weight so far, of two lists
    best: np.ndarray  # (2 * 3 * REALS,) float64: of two lists, see espalier.kernels.forest.small.list_cuts
    keys: np.ndarray  # (2, size) uint64, to sort
    counts: np.ndarray  # (2**BITS,) int64
    waiting: np.ndarray  # (size + 1, 5) int64: first sample, stop, depth, a right child's parent, buffer
    seeds: np.ndarray  # (size + 1,) uint64
    few_entries: np.ndarray  # (FEW,) uint64: of a node of few samples
    few_y: np.ndarray  # (FEW,) float64


class ListState(NamedTuple):
    """What growing one subtree reads and writes, with borrowed arrays."""

    codes: np.ndarray
    own: DrawnLists
    nodes: Nodes
    features: np.ndarray
    state: np.ndarray
    beside: np.ndarray


def make_drawn_lists(codes: np.ndarray, value_starts: np.ndarray, tried: int) -> DrawnLists:
    """Allocate the memory for trees of codes (n_rows, n_features) that try so many features at a node."""
    n, p = codes.shape
    n_values = np.diff(value_starts)
    pays = tried * PER_FEATURE_TRIED >= p and 2 * np.count_nonzero(n_values > FEW_VALUES) > p
    has_order = pays and n <= MOST and n * p <= MOST_MEMORY
    size = n if has_order else min(MOST_SORTED, MOST_MEMORY // p) if pays else 0
    order = np.empty((p, n if has_order else 0), np.uint16)
    if has_order:
        order_rows(codes, np.zeros(int(n_values.max()) + 1, np.int64), order)
    whole, real, short = np.int64, np.float64, np.uint16
    return DrawnLists(
        order, np.empty((2, p, size), short), np.empty(size, short), np.empty(size, short),
        np.empty(n if has_order else 1, short), np.empty(size, np.uint64), np.empty(size, real),
        np.empty(size, real), np.empty(size, real), np.empty(size, np.uint8), np.zeros(2 * ROOM, real),
        np.zeros(2 * ROOM, real), np.zeros(4), np.zeros(6 * REALS, real), np.empty((2, size), np.uint64),
        np.zeros(1 << BITS, whole), np.empty((size + 1, 5), whole), np.empty(size + 1, np.uint64),
        np.empty(FEW, np.uint64), np.empty(FEW, real),
    )  # fmt: skip


@kernel
def order_rows(codes, counts, order):
    """Write the rows by each feature into order (n_features, n_rows); counts has room for one code more."""
    for feature in range(codes.shape[1]):
        for i in range(len(counts)):
            counts[i] = 0
        for row in range(codes.shape[0]):
            counts[codes[row, feature] + 1] += 1
        for i in range(1, len(counts)):
            counts[i] += counts[i - 1]
        for row in range(codes.shape[0]):
            code = codes[row, feature]
            order[feature, counts[code]] = row
            counts[code] += 1


@inlined
def borrowed_lists(s):
    """Return the memory with borrowed arrays (espalier.kernels.vectors.simd)."""
    return DrawnLists(
        borrow(s.order), borrow(s.lists), borrow(s.members), borrow(s.spare), borrow(s.place), borrow(s.entries),
        borrow(s.y), borrow(s.moment), borrow(s.weight), borrow(s.side), borrow(s.moments), borrow(s.weights),
        borrow(s.last), borrow(s.best), borrow(s.keys), borrow(s.counts), borrow(s.waiting), borrow(s.seeds),
        borrow(s.few_entries), borrow(s.few_y),
    )  # fmt: skip


@inlined
def _borrowed(codes, work):
    own, nodes = borrowed_lists(work.lists), borrowed_nodes(work.nodes)
    return ListState(borrow(codes), own, nodes, borrow(work.features), borrow(work.state), borrow(work.beside))


# ---- the samples of a subtree, and their lists


@inlined
def _enter(state, times, root):
    """Number the samples of a subtree, and list them by each feature."""
    own, n = state.own, len(root.entries)
    own.seeds[0] = root.seed
    _wait(own.waiting, 0, (0, n, root.depth), np.int64(-1), 0)
    for i in range(n):
        entry = root.entries[i]
        w = float(drawn(entry))
        own.members[i], own.entries[i], own.y[i] = i, entry, root.y[i]
        own.weight[i], own.moment[i] = w, root.y[i] * w
    if own.order.shape[1] > 0:
        _keep_drawn(own, times, n)
    else:
        for feature in range(own.lists.shape[1]):
            _sort_by(state.codes, own, feature, n)


@inlined
def _wait(waiting, at, span, parent, buffer):
    """Let a node wait at a place; its span is its first sample, where it stops, and its depth."""
    wait(waiting, at, span[0], span[1], span[2], parent)
    waiting[at, 4] = buffer


@kernel
def _keep_drawn(own, times, n):
    """List the n samples that were drawn by each feature, from the order of all rows."""
    for i in range(n):
        own.place[own.entries[i] & ROW] = i
    for feature in range(own.lists.shape[1]):
        order, listed, k = own.order[feature], own.lists[0, feature], np.uint32(0)
        last = np.uint32(len(listed) - 1)
        for i in range(np.uint32(len(order))):
            row = order[i]
            listed[min(k, last)] = own.place[row]  # what was not drawn is written over
            k = np.uint32(k + np.uint32(times[row] > 0))


@kernel
def _sort_by(codes, own, feature, n):
    """List n samples by a feature: a radix sort of their codes."""
    low, high = np.uint32(0xFFFFFFFF), np.uint32(0)
    for i in range(n):
        code = codes[own.entries[i] & ROW, feature]
        low, high = min(low, code), max(high, code)
        own.keys[0, i] = (np.uint64(code) << np.uint64(16)) | np.uint64(i)
    shift, buffer = np.uint64(16), 0
    least = np.uint64(low) << np.uint64(16)
    while buffer == 0 or (np.uint64(high - low) << np.uint64(16)) >> shift > 0:
        _scatter(own.keys[buffer % 2, :n], own.keys[1 - buffer % 2, :n], least, shift, own.counts)
        shift += np.uint64(BITS)
        buffer += 1
    for i in range(n):
        own.lists[0, feature, i] = own.keys[buffer % 2, i] & np.uint64(0xFFFF)


@kernel
def _scatter(source, target, least, shift, counts):
    """Do one stable pass of a radix sort by the digits of each key from `shift` up; the least key counts as 0."""
    mask, start = np.uint64(len(counts) - 1), np.int64(0)
    for digit in range(len(counts)):
        counts[digit] = 0
    for key in source:
        counts[((key - least) >> shift) & mask] += 1
    for digit in range(len(counts)):
        count = counts[digit]
        counts[digit] = start
        start += count
    for key in source:
        digit = ((key - least) >> shift) & mask
        target[counts[digit]] = key
        counts[digit] += 1


# ---- splitting a node


@kernel
def _part(source, target, side, n_left):
    left, right = np.uint32(0), np.uint32(n_left)
    for i in range(np.uint32(len(source))):
        sample = source[i]
        goes = np.uint32(side[sample])
        target[left if goes else right] = sample
        left = np.uint32(left + goes)
        right = np.uint32(right + np.uint32(1) - goes)


@inlined
def _part_all(own, node, cut):
    """Partition the samples of a node by its cut, and its lists, unless both sides are of a few samples."""
    first, stop, n_left = node.first, node.stop, cut.place + 1
    order = own.lists[node.buffer, cut.feature, first:stop]
    for i in range(len(order)):
        own.side[order[i]] = i < n_left
    members = own.members[first:stop]
    _part(members, own.spare, own.side, n_left)
    for i in range(len(members)):
        members[i] = own.spare[i]
    if max(n_left, len(order) - n_left) > FEW or node.weight > MOST_WEIGHT:
        for feature in range(own.lists.shape[1]):
            source = own.lists[node.buffer, feature, first:stop]
            _part(source, own.lists[1 - node.buffer, feature, first:stop], own.side, n_left)


@inlined
def _describe(own, first, stop, value):
    """Describe samples as `espalier.kernels.forest.nodes.describe_numbers` does."""
    weight, total, low, high = 0.0, 0.0, np.inf, -np.inf
    for i in range(first, stop):
        sample = own.members[i]
        weight += own.weight[sample]
        total += own.moment[sample]
        low, high = min(low, own.y[sample]), max(high, own.y[sample])
    value[0] = total / weight if low < high else low
    mean, variation = value[0], 0.0
    for i in range(first, stop):
        off = own.y[own.members[i]] - mean
        variation += own.weight[own.members[i]] * (off * off)
    return weight, total, variation / weight


@inlined
def _start_node(state, at, number, least):
    """Describe the node that waits at a place as a leaf."""
    waiting = state.own.waiting
    first, stop, parent = waiting[at, 0], waiting[at, 1], waiting[at, 3]
    if parent >= 0:
        state.nodes.right[parent] = number
    weight, total, impurity = _describe(state.own, first, stop, state.nodes.value[number])
    write_leaf(state.nodes, number, weight, impurity)
    return ListNode(first, stop, waiting[at, 4], weight, total, least)


@inlined
def _split(state, at, node, number, cut):
    """Split a node, and let its children wait, the left one on top, each with its seed."""
    own, middle, depth = state.own, node.first + cut.place + 1, state.own.waiting[at, 2] + 1
    order = own.lists[node.buffer, cut.feature, node.first : node.stop]
    row, after = own.entries[order[cut.place]] & ROW, own.entries[order[cut.place + 1]] & ROW
    state.nodes.feature[number] = cut.feature
    state.beside[number, 0] = state.codes[row, cut.feature]
    state.beside[number, 1] = state.codes[after, cut.feature]
    _part_all(own, node, cut)
    seed = own.seeds[at]
    _wait(own.waiting, at, (middle, node.stop, depth), number, 1 - node.buffer)
    _wait(own.waiting, at + 1, (node.first, middle, depth), np.int64(-1), 1 - node.buffer)
    own.seeds[at], own.seeds[at + 1] = child_seed(seed, False), child_seed(seed, True)


@inlined
def _root_of_few(own, at, node, number):
    """Return the `FewRoot` of a node of a few samples."""
    n = node.stop - node.first
    for i in range(n):
        sample = own.members[node.first + i]
        own.few_entries[i], own.few_y[i] = own.entries[sample], own.y[sample]
    return FewRoot(number, own.waiting[at, 2], own.seeds[at], own.few_entries[:n], own.few_y[:n])


@kernel
def grow_listed(codes, work, limits, root):
    """Grow the subtree of a node that may be split, a `FewRoot`; return the number of its last node."""
    state = _borrowed(codes, work)
    own, nodes, least = state.own, state.nodes, float(max(limits.min_leaf, 1))
    _enter(state, work.times, root)
    n_waiting, number = 1, root.node - 1
    while n_waiting > 0:
        at = n_waiting - 1
        number += 1
        node, depth = _start_node(state, at, number, least), own.waiting[at, 2]
        n_waiting -= 1
        if may_split(nodes, number, depth, limits):
            if node.stop - node.first <= FEW and node.weight <= MOST_WEIGHT:
                number = grow_few(codes, work, limits, _root_of_few(own, at, node, number))
                continue
            state.state[0] = own.seeds[at]
            cut = find_cut(state, node, limits.max_features)
            if cut.feature >= 0:
                _split(state, at, node, number, cut)
                n_waiting += 2
    return number
