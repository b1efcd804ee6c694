"""Subtrees of numbers whose samples fit the cache: lists of the samples in order of each feature.

The samples of a subtree are numbered anew and sorted once by every feature; a split parts the lists, so that no
node sorts. The best cut of a node is found by `espalier.kernels.forest.small_lists`; nodes of a few samples
are split by `espalier.kernels.forest.small_few`.

The best cut of a node by squared error, from lists of the samples drawn in order of each feature. Of the features
tried two lists are read at once into running sums, and eight cuts are compared at a time, without a branch, and
multiplied out: divisions would take longer than all the rest. Only the best cut of each list is then looked at:
whether it is one between two values. Where it is not, the list is searched cut by cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.nodes import (
    ROW,
    Nodes,
    draw_feature,
    draws_of,
    may_split,
    wait,
    write_leaf,
)
from espalier.kernels.forest.small_few import FEW, MOST_WEIGHT, FewRoot, grow_few
from espalier.kernels.octets import largest, where_larger
from espalier.kernels.randomness import child_seed
from espalier.kernels.simd import REALS, alike, borrow, is_any_above, load_reals, store_reals
from espalier.kernels.task import ROUNDING, beyond

BLOCK = 256  # samples of a list whose sums are made at once
ROOM = BLOCK + REALS
NO_PLACE = 65_536  # beyond every place of a list


class ListNode(NamedTuple):
    """A node: its samples are ``first:stop`` of the lists of a buffer."""

    first: int
    stop: int
    buffer: int
    weight: float  # of its samples
    total: float  # of their numbers
    least: float  # weight of a side


class ListCut(NamedTuple):
    """A cut of a feature after a place of its list, and the score that another one must exceed."""

    bar: float
    feature: int  # -1: there is none
    place: int


class NodeList(NamedTuple):
    """A node's samples in order of a feature, and which cuts leave enough on both sides."""

    feature: int
    samples: np.ndarray  # (n,) uint16
    first: int  # the first such cut is after this place
    stop: int  # and they end before this one


@inlined
def _list_of(own, node, feature):
    """Return the `NodeList` of a feature."""
    samples = own.lists[node.buffer, feature, node.first : node.stop]
    first, stop = np.int64(0), len(samples) - 1
    left, right = own.weight[samples[0]], own.weight[samples[stop]]
    while left < node.least and first < stop:
        first += 1
        left += own.weight[samples[first]]
    while right < node.least and first < stop:
        stop -= 1
        right += own.weight[samples[stop]]
    return NodeList(feature, samples, first, stop)


@inlined
def _compare(own, at, node, cuts, start):
    """Compare the cuts of a block that begins at place `start`; its sums, and the best so far, are at `at`.

    In each of eight places, `best` holds the best cut so far as the numerator and denominator of the score that
    another one must exceed, less what is the same for all cuts, and where it was found; -1 and 1 at first.
    """
    best, sums, spot = own.best, at * ROOM, at * 3 * REALS
    mean = alike(node.total / node.weight)
    node_weight, exceeding = alike(node.weight), alike(1 + ROUNDING)
    same = alike(ROUNDING * (node.total / node.weight) * (node.total / node.weight))
    numerator, denominator = load_reals(best, spot), load_reals(best, spot + REALS)
    place = load_reals(best, spot + 2 * REALS)
    for j in range(cuts[0], cuts[1], REALS):
        left = load_reals(own.weights, sums + j)
        off = load_reals(own.moments, sums + j) - left * mean
        here, beside = off * off, left * (node_weight - left)
        mine, its = here * denominator, numerator * beside
        numerator = where_larger(mine, its, here * exceeding + same * beside, numerator)
        denominator = where_larger(mine, its, beside, denominator)
        place = where_larger(mine, its, alike(float(start + j)), place)
    store_reals(best, spot, numerator)
    store_reals(best, spot + REALS, denominator)
    store_reals(best, spot + 2 * REALS, place)


@inlined
def _sum_two(own, a, b, start, n):
    """Add up the n samples from `start` on of two lists: two, since each addition waits for the one before."""
    moments, weights, moment, weight, last = own.moments, own.weights, own.moment, own.weight, own.last
    sum_a, left_a, sum_b, left_b = last[0], last[1], last[2], last[3]
    for i in range(np.uint32(n)):
        first, second = a[np.uint32(i + np.uint32(start))], b[np.uint32(i + np.uint32(start))]
        sum_a += moment[first]
        sum_b += moment[second]
        left_a += weight[first]
        left_b += weight[second]
        moments[i], weights[i] = sum_a, left_a
        moments[i + np.uint32(ROOM)], weights[i + np.uint32(ROOM)] = sum_b, left_b
    last[0], last[1], last[2], last[3] = sum_a, left_a, sum_b, left_b


@inlined
def _compare_all(own, node, a, b):
    """Compare the cuts of two lists."""
    for k in range(2):
        store_reals(own.best, 3 * k * REALS, alike(-1.0))
        store_reals(own.best, (3 * k + 1) * REALS, alike(1.0))
        store_reals(own.best, (3 * k + 2) * REALS, alike(-1.0))
    for k in range(4):
        own.last[k] = 0.0
    for start in range(0, max(a.stop, b.stop), BLOCK):
        _sum_two(own, a.samples, b.samples, start, min(BLOCK, len(a.samples) - start))
        for k in range(2):
            first, stop = (a.first, a.stop) if k == 0 else (b.first, b.stop)
            end = min(stop - start, BLOCK)
            if end > 0:  # eight are always read: those beyond the last cut are no cuts
                store_reals(own.weights, k * ROOM + end, alike(0.0))
                store_reals(own.moments, k * ROOM + end, alike(0.0))
            _compare(own, k, node, (max(first - start, 0), end), start)


@inlined
def _best_place(own, spot):
    """Return the bar and place of the best cut of the list whose bars are at `spot`, the first of equals."""
    most, place = largest(load_reals(own.best, spot)), np.int64(NO_PLACE)
    for k in range(REALS):
        here = np.int64(own.best[spot + 2 * REALS + k]) + k
        place = min(place, here if beyond(own.best[spot + k]) >= most else np.int64(NO_PLACE))
    return most, place


@inlined
def _cut_among_ties(state, node, one, cut):
    """Return the better of the given cut and the best one of a list, one cut after the other."""
    own, samples, bar, place = state.own, one.samples, cut.bar, np.int64(-1)
    moment, left = 0.0, 0.0
    for i in range(one.stop):
        moment += own.moment[samples[i]]
        left += own.weight[samples[i]]
        rest, right = node.total - moment, node.weight - left
        score = (moment * moment * right + rest * rest * left) / (left * right)
        if score > bar and i >= one.first and _differ(state, one, i, i + 1):
            bar, place = beyond(score), np.int64(i)
    return ListCut(bar, one.feature, place) if place >= 0 else cut


@inlined
def _differ(state, one, i, j):
    """Return whether the samples at places i and j of a list differ in its feature."""
    entries, codes = state.own.entries, state.codes
    a, b = entries[one.samples[i]] & ROW, entries[one.samples[j]] & ROW
    return codes[a, one.feature] != codes[b, one.feature]


@inlined
def _better(state, node, one, at, cut):
    """Return the better of the given cut and the best one of a list, compared at `at`."""
    best, spot, better = state.own.best, at * 3 * REALS, cut
    parts = load_reals(best, spot) / load_reals(best, spot + REALS)
    bars = parts * alike(node.weight) + alike(node.total * node.total / node.weight)
    if is_any_above(bars, beyond(cut.bar)):
        store_reals(best, spot, where_larger(alike(0.0), load_reals(best, spot), alike(-np.inf), bars))
        bar, place = _best_place(state.own, spot)
        if bar > beyond(cut.bar):
            if _differ(state, one, place, place + 1):
                better = ListCut(bar, one.feature, place)
            else:  # the best place is none between two values
                better = _cut_among_ties(state, node, one, cut)
    return better


@inlined
def _cut_of_two(state, node, features, cut):
    """Return the better of the given cut and the best one of one or two features, and whether any varies."""
    own, last = state.own, node.stop - node.first - 1
    a, b = _list_of(own, node, features[0]), _list_of(own, node, features[len(features) - 1])
    varies_a, varies_b = _differ(state, a, 0, last), _differ(state, b, 0, last)
    if varies_a or varies_b:
        _compare_all(own, node, a, b)
    if varies_a:
        cut = _better(state, node, a, 0, cut)
    if varies_b and len(features) > 1:
        cut = _better(state, node, b, 1, cut)
    return cut, varies_a or varies_b


@inlined
def find_cut(state, node, n_tries):
    """Return the best cut of a node; as many features are tried as espalier.kernels.forest.grow tries."""
    features, p = state.features, len(state.features)
    is_random, can_split = n_tries < p, False
    n_tries = 1 if node.stop - node.first == 2 else n_tries
    first = last = np.int64(0)
    cut = ListCut(-np.inf, np.int64(-1), np.int64(-1))
    for i in range(p):
        features[i] = i
    while last < p and (last < n_tries or not can_split):
        first = last
        last = min(first + 2, n_tries) if first < n_tries else first + 1
        for i in range(first, last if is_random else first):
            draw_feature(features, i, state.state)
        cut, varies = _cut_of_two(state, node, features[first:last], cut)
        can_split = can_split or varies
    return cut


# ---- Growing a subtree

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
    entries: np.ndarray  # (size,) uint64: see espalier.kernels.forest.nodes.ROW
    y: np.ndarray  # (size,) float64
    moment: np.ndarray  # (size,) float64: y times how often it was drawn
    weight: np.ndarray  # (size,) float64: how often
    side: np.ndarray  # (size,) uint8: whether a sample goes left
    moments: np.ndarray  # (2 * ROOM,) float64: running sums of two lists
    weights: np.ndarray  # (2 * ROOM,) float64
    last: np.ndarray  # (4,) float64: moment and weight so far, of two lists
    best: np.ndarray  # (2 * 3 * REALS,) float64: of two lists, see espalier.kernels.forest.small_lists
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
    integer, real, short = np.int64, np.float64, np.uint16
    return DrawnLists(
        order, np.empty((2, p, size), short), np.empty(size, short), np.empty(size, short),
        np.empty(n if has_order else 1, short), np.empty(size, np.uint64), np.empty(size, real),
        np.empty(size, real), np.empty(size, real), np.empty(size, np.uint8), np.zeros(2 * ROOM, real),
        np.zeros(2 * ROOM, real), np.zeros(4), np.zeros(6 * REALS, real), np.empty((2, size), np.uint64),
        np.zeros(1 << BITS, integer), np.empty((size + 1, 5), integer), np.empty(size + 1, np.uint64),
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


# ---- the samples of a subtree, and their lists


@inlined
def _enter(state, times, root):
    """Number the samples of a subtree, and list them by each feature."""
    own, n = state.own, len(root.entries)
    own.seeds[0] = root.seed
    _wait(own.waiting, 0, (0, n, root.depth), np.int64(-1), 0)
    for i in range(n):
        entry = root.entries[i]
        w = float(draws_of(entry))
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
        order, target, k = own.order[feature], own.lists[0, feature], np.uint32(0)
        last = np.uint32(len(target) - 1)
        for i in range(np.uint32(len(order))):
            row = order[i]
            target[min(k, last)] = own.place[row]  # what was not drawn is written over
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
    state = borrow(ListState(codes, work.lists, work.nodes, work.features, work.state, work.beside))
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
