"""The best cut of a node by squared error, from lists of its samples in order of each feature.

Four lists are read at once into running sums, and eight cuts are compared at a time, without a branch. Only the
best cut of each list is then looked at: whether it is one between two values. Where it is not, the list is
searched cut by cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import uncounted
from espalier.kernels.cart.columns import SORTED
from espalier.kernels.impurity import ROUNDING, beyond
from espalier.kernels.vectors.octets import largest, where_larger
from espalier.kernels.vectors.simd import REALS, alike, is_any_above, load_reals, store_reals

TOGETHER = 4  # lists that are read at once
BLOCK = 256  # samples of a list whose sums are made at once
ROOM = BLOCK + REALS
NO_PLACE = 65_536  # beyond every place of a list


class ListedCut(NamedTuple):
    """A cut of a feature after a place of its list, and the score that another one must exceed."""

    bar: float
    feature: int
    place: int


@uncounted
def is_between(state, feature, order, i):
    """Return whether a cut of a list after place i is one between two values."""
    if state.table.distinct[feature]:
        return True
    column = state.table.values[feature]
    return column[state.tree.rows[order[i]]] != column[state.tree.rows[order[i + 1]]]


class ListedNode(NamedTuple):
    """A node: n samples from `first` on, in the lists of a buffer, and the sum of their targets."""

    buffer: int
    first: int
    n: int
    total: float


@uncounted
def _sum_lists(tree, node, feature, start, n):
    """Add up n samples from `start` on of four lists at once, since each addition waits for the one before."""
    y, moments, last, end = tree.y, tree.moments, tree.last, tree.lists.shape[1] - 1
    first, stop = node.first + start, node.first + start + n
    a, b = tree.lists[node.buffer, feature, first:stop], tree.lists[node.buffer, min(feature + 1, end), first:stop]
    c = tree.lists[node.buffer, min(feature + 2, end), first:stop]
    d = tree.lists[node.buffer, min(feature + 3, end), first:stop]
    sum_a, sum_b, sum_c, sum_d = last[0], last[1], last[2], last[3]
    for i in range(np.uint32(n)):
        sum_a += y[a[i]]
        sum_b += y[b[i]]
        sum_c += y[c[i]]
        sum_d += y[d[i]]
        moments[i], moments[i + np.uint32(ROOM)] = sum_a, sum_b
        moments[i + np.uint32(2 * ROOM)], moments[i + np.uint32(3 * ROOM)] = sum_c, sum_d
    last[0], last[1], last[2], last[3] = sum_a, sum_b, sum_c, sum_d


@uncounted
def _compare(tree, at, node, start, cuts):
    """Compare cuts, from one to before another, of the list at place `at`, whose sums begin at `start`.

    In each of eight places, `best` holds the score that another cut must exceed, and where it was found.
    """
    spot, sums, whole = at * 2 * REALS, at * ROOM, alike(node.total)
    bar, found, exceeding = load_reals(tree.best, spot), load_reals(tree.best, spot + REALS), alike(1 + ROUNDING)
    more, less = start + 1, len(tree.descending) - REALS - node.n + 1 + start  # samples on the left, on the right
    for j in range(cuts[0], cuts[1], REALS):
        moment = load_reals(tree.moments, sums + j)
        rest = whole - moment
        score = moment * moment * load_reals(tree.inverse, more + j)
        score = score + rest * rest * load_reals(tree.descending, less + j)
        found = where_larger(score, bar, alike(float(start + j)), found)
        bar = where_larger(score, bar, score * exceeding, bar)
    store_reals(tree.best, spot, bar)
    store_reals(tree.best, spot + REALS, found)


@uncounted
def _compare_lists(tree, node, feature, least):
    """Compare the cuts of four lists from a feature on that leave at least so many samples on both sides."""
    for k in range(2 * TOGETHER):
        store_reals(tree.best, k * REALS, alike(-np.inf))
    for k in range(TOGETHER):
        tree.last[k] = 0.0
    stop = node.n - least
    for start in range(0, stop, BLOCK):
        n = min(BLOCK, stop - start)
        _sum_lists(tree, node, feature, start, n)
        for k in range(TOGETHER):
            store_reals(tree.moments, k * ROOM + n, alike(np.nan))  # eight are always read: these are no cuts
            _compare(tree, k, node, start, (max(least - 1 - start, 0), n))


@uncounted
def _best_place(tree, spot):
    """Return the bar and place of the best cut of the list whose bars are at `spot`, the first of equals."""
    most, place = largest(load_reals(tree.best, spot)), np.int64(NO_PLACE)
    for k in range(REALS):
        here = np.int64(tree.best[spot + REALS + k]) + k
        place = min(place, here if beyond(tree.best[spot + k]) >= most else np.int64(NO_PLACE))
    return most, place


@uncounted
def _cut_among_ties(state, node, feature, cut):
    """Return the better of the given cut and the best one of a feature that has many equal values."""
    tree, least, inverse, place = state.tree, max(state.limits.min_leaf, 1), state.tree.inverse, np.int64(-1)
    order = tree.lists[node.buffer, feature, node.first : node.first + node.n]
    moment, bar = 0.0, cut.bar
    for i in range(node.n - least):
        moment += tree.y[order[i]]
        rest = node.total - moment
        score = moment * moment * inverse[i + 1] + rest * rest * inverse[node.n - 1 - i]
        if score > bar and i >= least - 1 and is_between(state, feature, order, i):
            bar, place = beyond(score), np.int64(i)
    return ListedCut(bar, np.int64(feature), place) if place >= 0 else cut


@uncounted
def _better(state, node, feature, at, cut):
    """Return the better of the given cut and the best one of a feature, whose list was compared at `at`."""
    tree, spot, better = state.tree, at * 2 * REALS, cut
    if is_any_above(load_reals(tree.best, spot), beyond(cut.bar)):
        bar, place = _best_place(tree, spot)
        order = tree.lists[node.buffer, feature, node.first : node.first + node.n]
        if is_between(state, feature, order, place):
            better = ListedCut(bar, np.int64(feature), place)
        else:
            better = _cut_among_ties(state, node, feature, cut)
    return better


@uncounted
def best_cut(state, node):
    """Return the best cut of a `ListedNode`, the first one of the first feature among equals."""
    tree, least, p = state.tree, max(state.limits.min_leaf, 1), state.tree.lists.shape[1]
    cut = ListedCut(-np.inf, np.int64(-1), np.int64(-1))
    for first in range(0, p, TOGETHER):
        last, some_sorted = min(first + TOGETHER, p), False
        for feature in range(first, last):
            some_sorted = some_sorted or state.table.kind[feature] == SORTED
        if some_sorted:
            _compare_lists(tree, node, first, least)
        for feature in range(first, last):
            if state.table.kind[feature] == SORTED:
                cut = _better(state, node, feature, feature - first, cut)
            else:
                cut = _cut_among_ties(state, node, feature, cut)
    return cut
