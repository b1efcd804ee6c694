"""The best cut of a node by squared error, from lists of the samples drawn in order of each feature.

Of the features tried two lists are read at once into running sums, and eight cuts are compared at a time, without
a branch, and multiplied out: divisions would take longer than all the rest. Only the best cut of each list is
then looked at: whether it is one between two values. Where it is not, the list is searched cut by cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined
from espalier.kernels.forest.buckets import ROW
from espalier.kernels.forest.nodes import draw_feature
from espalier.kernels.impurity import ROUNDING, beyond
from espalier.kernels.vectors.octets import largest, where_larger
from espalier.kernels.vectors.simd import REALS, alike, is_any_above, load_reals, store_reals

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
    whole, exceeding = alike(node.weight), alike(1 + ROUNDING)
    same = alike(ROUNDING * (node.total / node.weight) * (node.total / node.weight))
    numerator, denominator = load_reals(best, spot), load_reals(best, spot + REALS)
    found = load_reals(best, spot + 2 * REALS)
    for j in range(cuts[0], cuts[1], REALS):
        left = load_reals(own.weights, sums + j)
        off = load_reals(own.moments, sums + j) - left * mean
        here, beside = off * off, left * (whole - left)
        one, other = here * denominator, numerator * beside
        numerator = where_larger(one, other, here * exceeding + same * beside, numerator)
        denominator = where_larger(one, other, beside, denominator)
        found = where_larger(one, other, alike(float(start + j)), found)
    store_reals(best, spot, numerator)
    store_reals(best, spot + REALS, denominator)
    store_reals(best, spot + 2 * REALS, found)


@inlined
def _sum_two(own, a, b, start, n):
    """Add up the n samples from `start` on of two lists: two, since each addition waits for the one before."""
    moments, weights, moment, weight, last = own.moments, own.weights, own.moment, own.weight, own.last
    sum_a, left_a, sum_b, left_b = last[0], last[1], last[2], last[3]
    for i in range(np.uint32(n)):
        one, other = a[np.uint32(i + np.uint32(start))], b[np.uint32(i + np.uint32(start))]
        sum_a += moment[one]
        sum_b += moment[other]
        left_a += weight[one]
        left_b += weight[other]
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
    own, listed, bar, place = state.own, one.samples, cut.bar, np.int64(-1)
    moment, left = 0.0, 0.0
    for i in range(one.stop):
        moment += own.moment[listed[i]]
        left += own.weight[listed[i]]
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
def find_cut(state, node, tried):
    """Return the best cut of a node; as many features are tried as espalier.kernels.forest.grow tries."""
    features, p = state.features, len(state.features)
    by_chance, varied = tried < p, False
    tried = 1 if node.stop - node.first == 2 else tried
    first = last = np.int64(0)
    cut = ListCut(-np.inf, np.int64(-1), np.int64(-1))
    for i in range(p):
        features[i] = i
    while last < p and (last < tried or not varied):
        first = last
        last = min(first + 2, tried) if first < tried else first + 1
        for i in range(first, last if by_chance else first):
            draw_feature(features, i, state.state)
        cut, varies = _cut_of_two(state, node, features[first:last], cut)
        varied = varied or varies
    return cut
