"""The best cut of a small node by squared error: from lists of its samples, or among few of them.

The best cut of a node by squared error, from lists of its samples in order of each feature. Four lists are read at
once into running sums, and eight cuts are compared at a time, without a branch. Only the best cut of each list is
then looked at: whether it is one between two values. Where it is not, the list is searched cut by cut.

The best cut among few samples: every sample stands for a cut of every feature. Each feature is a byte a sample:
the rank of its value. The cut after a sample sends all ranks up to its own to the left, so its sums are those of
the samples whose rank is not greater. Eight features are compared at once; no list is read, and none must be moved
when such a node is split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import uncounted
from espalier.kernels.cart.columns import SORTED
from espalier.kernels.octets import (
    add_at_most,
    count_at_most,
    first_at_least,
    larger,
    largest,
    plus_bytes,
    where_larger,
    within,
)
from espalier.kernels.simd import REALS, alike, is_any_above, load_reals, store_reals
from espalier.kernels.task import ROUNDING, beyond, score_of_squares

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
    spot, sums, node_total = at * 2 * REALS, at * ROOM, alike(node.total)
    bar, place, exceeding = load_reals(tree.best, spot), load_reals(tree.best, spot + REALS), alike(1 + ROUNDING)
    more, less = start + 1, len(tree.descending) - REALS - node.n + 1 + start  # samples on the left, on the right
    for j in range(cuts[0], cuts[1], REALS):
        moment = load_reals(tree.moments, sums + j)
        rest = node_total - moment
        score = moment * moment * load_reals(tree.inverse, more + j)
        score = score + rest * rest * load_reals(tree.descending, less + j)
        place = where_larger(score, bar, alike(float(start + j)), place)
        bar = where_larger(score, bar, score * exceeding, bar)
    store_reals(tree.best, spot, bar)
    store_reals(tree.best, spot + REALS, place)


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


# ---- Few samples

FEW = 16  # samples


class FewSamples(NamedTuple):
    """Memory for few samples, node after node, with features in groups of eight."""

    place: np.ndarray  # (n_samples,) uint8: of each sample among the few
    ranks: np.ndarray  # ((FEW + TOGETHER) * width,) uint8
    words: np.ndarray  # ((FEW + TOGETHER) * width / 8,) int64: the same memory
    y: np.ndarray  # (FEW,) float64
    number: np.ndarray  # (FEW,) int64: of each sample, as the caller has it
    spare_words: np.ndarray  # (FEW * width / 8,) int64
    spare_y: np.ndarray  # (FEW,) float64
    spare_number: np.ndarray  # (FEW,) int64
    scores: np.ndarray  # ((FEW + TOGETHER) * width,) float64: of the cut after each sample of a node
    best: np.ndarray  # (width,) float64: of each feature
    width: int  # the number of features, rounded up


class FewNode(NamedTuple):
    """A node of few samples: n of them from `first` on, and what its cuts must leave."""

    first: int
    n: int
    total: float  # of the targets
    min_leaf: int


def make_few_samples(n_samples: int, n_features: int) -> FewSamples:
    """Allocate the memory."""
    width = -(-n_features // REALS) * REALS
    ranks = np.zeros((FEW + TOGETHER) * width, np.uint8)
    return FewSamples(
        np.zeros(n_samples, np.uint8), ranks, ranks.view(np.int64), np.zeros(FEW), np.zeros(FEW, np.int64),
        np.zeros(FEW * width // REALS, np.int64), np.zeros(FEW), np.zeros(FEW, np.int64),
        np.zeros((FEW + TOGETHER) * width), np.zeros(width), width,
    )  # fmt: skip


@uncounted
def _score_block(few, node, at, word, counts, moment, best):
    """Score eight cuts by squared error, of the counts and sums on their left; return the best so far."""
    left = within(plus_bytes(alike(0.0), counts), float(node.min_leaf), float(node.n - node.min_leaf))
    right, rest = alike(float(node.n)) - left, alike(node.total) - moment
    score = score_of_squares(moment * moment, rest * rest, left, right)
    store_reals(few.scores, at * few.width + word * REALS, score)
    return larger(score, best)


@uncounted
def _score_cuts(few, node):
    """Score the cut after every sample on every feature, and note the best of each feature."""
    n_words, n = few.width // REALS, node.n
    words, y = few.words[node.first * n_words :], few.y[node.first :]
    for word in range(n_words):
        best = alike(-np.inf)
        for j in range(0, n, TOGETHER):  # what is read beyond the last sample does no harm
            at = j * n_words + word
            a, b, c, d = words[at], words[at + n_words], words[at + 2 * n_words], words[at + 3 * n_words]
            count_a = count_b = count_c = count_d = np.int64(0)
            sum_a, sum_b, sum_c, sum_d = alike(0.0), alike(0.0), alike(0.0), alike(0.0)
            for k in range(n):
                here, number = words[k * n_words + word], y[k]
                count_a, sum_a = count_at_most(count_a, here, a), add_at_most(sum_a, number, here, a)
                count_b, sum_b = count_at_most(count_b, here, b), add_at_most(sum_b, number, here, b)
                count_c, sum_c = count_at_most(count_c, here, c), add_at_most(sum_c, number, here, c)
                count_d, sum_d = count_at_most(count_d, here, d), add_at_most(sum_d, number, here, d)
            best = _score_block(few, node, j, word, count_a, sum_a, best)
            if j + 1 < n:
                best = _score_block(few, node, j + 1, word, count_b, sum_b, best)
            if j + 2 < n:
                best = _score_block(few, node, j + 2, word, count_c, sum_c, best)
            if j + 3 < n:
                best = _score_block(few, node, j + 3, word, count_d, sum_d, best)
        store_reals(few.best, word * REALS, best)


@uncounted
def _cut_of_two(few, first):
    """Return (feature, rank) of the only split of two samples: by the first feature in which they differ."""
    a, b = first * few.width, (first + 1) * few.width
    feature, rank = np.int64(-1), np.int64(0)
    for f in range(few.width):
        if few.ranks[a + f] != few.ranks[b + f]:
            feature, rank = np.int64(f), np.int64(min(few.ranks[a + f], few.ranks[b + f]))
            break
    return feature, rank


@uncounted
def best_cut_of_few(few, node):
    """Return (feature, last rank on the left) of the best cut by squared error; feature -1 if there is none.

    node is a `FewNode` of at least two. Of equal cuts the first of the first feature wins.
    """
    if node.n == 2:
        return _cut_of_two(few, node.first)
    _score_cuts(few, node)
    feature = _first_best(few)
    rank = np.int64(255 if feature >= 0 else 0)
    for j in range(node.n if feature >= 0 else 0):
        is_best = beyond(few.scores[j * few.width + feature]) >= few.best[feature]
        here = np.int64(few.ranks[(node.first + j) * few.width + feature])
        rank = min(rank, here if is_best else np.int64(255))
    return feature, rank


@uncounted
def _first_best(few):
    """Return the first feature whose best score is the best of all, but for rounding; -1 if there is no cut."""
    bar, feature = -np.inf, np.int64(-1)
    for at in range(0, few.width, REALS):
        most = largest(load_reals(few.best, at))
        if most > bar:
            feature = at + first_at_least(load_reals(few.best, at), most - ROUNDING * abs(most))
            bar = beyond(most)
    return feature


@uncounted
def part_few(few, first, n, feature, rank):
    """Partition samples, stably; return how many go left, and the numbers of those on both sides of the cut."""
    n_left, n_right, n_words = 0, 0, few.width // REALS
    low, high, after = np.int64(0), np.int64(0), np.int64(256)
    for i in range(first, first + n):
        here, y, number = np.int64(few.ranks[i * few.width + feature]), few.y[i], few.number[i]
        to_left, to_right = first + n_left, n_right
        for word in range(n_words):
            word_here = few.words[i * n_words + word]
            few.words[to_left * n_words + word] = word_here
            few.spare_words[to_right * n_words + word] = word_here
        few.y[to_left], few.spare_y[to_right] = y, y
        few.number[to_left], few.spare_number[to_right] = number, number
        n_left += here <= rank
        n_right += here > rank
        if here == rank:
            low = number
        elif rank < here < after:
            high, after = number, here
    for i in range(n_right):
        to = first + n_left + i
        for word in range(n_words):
            few.words[to * n_words + word] = few.spare_words[i * n_words + word]
        few.y[to], few.number[to] = few.spare_y[i], few.spare_number[i]
    return n_left, low, high
