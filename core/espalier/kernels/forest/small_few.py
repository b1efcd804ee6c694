"""Subtrees of few samples, by squared error: every sample stands for a cut of every feature tried.

A feature is read once for all nodes of a subtree, and becomes a byte a sample: how many samples come before it.
The cut after a sample sends all ranks up to its own to the left, so its sums are those of the samples whose rank
is not greater. Eight features are compared at once; no list is sorted or moved when a node is split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.forest.nodes import (
    GREATEST,
    ROW,
    Nodes,
    draw_feature,
    draws_of,
    may_split,
    wait,
    write_leaf,
)
from espalier.kernels.octets import (
    add_at_most,
    first_at_least,
    largest,
    plus_bytes,
    weigh_at_most,
    where_larger,
    within,
)
from espalier.kernels.randomness import child_seed
from espalier.kernels.simd import (
    LANES,
    REALS,
    above,
    alike,
    borrow,
    load,
    load_reals,
    same,
    spread,
    store,
    store_reals,
)
from espalier.kernels.task import ROUNDING, beyond

FEW = 32  # samples
MOST_WEIGHT = 255  # of them: a byte
TOGETHER = 4  # cuts whose sums are made at once


class FewDraws(NamedTuple):
    """Memory for a subtree of few samples, node after node; their places are as the subtree had them at first."""

    place: np.ndarray  # (FEW,) int64: of each sample, node after node
    spare: np.ndarray  # (FEW,) int64
    entries: np.ndarray  # (FEW,) uint64: see espalier.kernels.forest.nodes.ROW; by place
    y: np.ndarray  # (FEW,) float64: by place
    weight: np.ndarray  # (FEW,) int64: how often each of a node's samples was drawn
    moment: np.ndarray  # (FEW,) float64: its number times that
    code: np.ndarray  # (n_features * FEW,) int32: by feature and place
    rank: np.ndarray  # ((n_features + 1) * FEW,) uint8: by feature and place; then zeros
    before: np.ndarray  # (FEW,) int32: ranks while they are made
    ranked: np.ndarray  # (n_features + 1,) int64: the last subtree that ranked each; then how many there were
    words: np.ndarray  # (FEW + TOGETHER,) int64: ranks of a node's samples by eight features
    over: np.ndarray  # ((FEW + TOGETHER) * REALS,) float64: score of the cut after each sample, its numerator
    under: np.ndarray  # the same, its denominator
    best: np.ndarray  # (REALS,) float64: of each feature
    waiting: np.ndarray  # (FEW + 1, 4) int64: as in espalier.kernels.forest.grow.TreeWorkspace
    seeds: np.ndarray  # (FEW + 1,) uint64


class FewRoot(NamedTuple):
    """The root of a subtree."""

    node: int
    depth: int
    seed: int
    entries: np.ndarray  # (n,) uint64: its samples
    y: np.ndarray  # (n,) float64


class FewState(NamedTuple):
    """What growing one subtree reads and writes, with borrowed arrays."""

    codes: np.ndarray
    few: FewDraws
    nodes: Nodes
    features: np.ndarray
    state: np.ndarray
    beside: np.ndarray


class DrawnNode(NamedTuple):
    """A node of few samples: n of them from `first` on, of this weight, and the sum of their numbers."""

    first: int
    n: int
    weight: float
    total: float


class RankCut(NamedTuple):
    """A cut of a feature by ranks, and the score that another one must exceed."""

    bar: float
    feature: int  # -1: there is none
    rank: int  # the last on the left


def make_few_draws(n_features: int) -> FewDraws:
    """Allocate the memory."""
    ints, bits, real = (lambda size: np.zeros(size, np.int64)), (lambda size: np.zeros(size, np.uint64)), np.zeros
    return FewDraws(
        ints(FEW), ints(FEW), bits(FEW), real(FEW), ints(FEW), real(FEW), np.zeros(n_features * FEW, np.int32),
        np.zeros((n_features + 1) * FEW, np.uint8), np.zeros(FEW, np.int32), ints(n_features + 1),
        ints(FEW + TOGETHER), real((FEW + TOGETHER) * REALS), real((FEW + TOGETHER) * REALS), real(REALS),
        np.zeros((FEW + 1, 4), np.int64), bits(FEW + 1),
    )  # fmt: skip


@uncounted
def _enter(few, root):
    few.ranked[len(few.ranked) - 1] += 1
    few.seeds[0] = root.seed
    for i in range(len(root.entries)):
        few.place[i], few.entries[i], few.y[i] = i, root.entries[i], root.y[i]
    wait(few.waiting, 0, np.int64(0), np.int64(len(root.entries)), root.depth, np.int64(-1))


@uncounted
def _rank(codes, few, n, feature):
    """Read the codes of a feature of the n samples of a subtree, and rank them."""
    first, begin, column = feature * FEW, np.uint32(feature * FEW), np.uint32(feature)
    few.ranked[feature] = few.ranked[len(few.ranked) - 1]
    for i in range(np.uint32(n)):
        few.code[np.uint32(begin + i)] = np.int32(codes[few.entries[i] & ROW, column])
    for at in range(0, n, LANES):  # what is read beyond the last sample does no harm
        mine, before = load(few.code, first + at), spread(np.int64(0))
        for j in range(n):
            before = before + above(mine, same(few.code, first + j))
        store(few.before, at, before)
    for i in range(np.uint32(n)):
        few.rank[np.uint32(begin + i)] = few.before[i]


@uncounted
def _rank_two(codes, few, first, feature):
    """Rank the two samples of a node; return whether they differ, the lower rank, and the least weight."""
    a, b = few.place[first], few.place[first + 1]
    at = feature * FEW
    if few.ranked[feature] != few.ranked[len(few.ranked) - 1]:
        x, y = np.int32(codes[few.entries[a] & ROW, feature]), np.int32(codes[few.entries[b] & ROW, feature])
        few.code[at + a], few.code[at + b] = x, y
        few.rank[at + a], few.rank[at + b] = x > y, y > x
    least = min(draws_of(few.entries[a]), draws_of(few.entries[b]))
    return few.rank[at + a] != few.rank[at + b], np.int64(min(few.rank[at + a], few.rank[at + b])), least


@uncounted
def _write_words(few, features, node):
    """Write the ranks of a node's samples by up to eight features, a byte each; return whether any differ."""
    rank, p, n, first = few.rank, len(few.ranked) - 1, len(features), np.uint32(node.first)
    a = np.uint32(features[0] * FEW)
    b = np.uint32((features[1] if n > 1 else p) * FEW)
    c = np.uint32((features[2] if n > 2 else p) * FEW)
    d = np.uint32((features[3] if n > 3 else p) * FEW)
    e = np.uint32((features[4] if n > 4 else p) * FEW)
    f = np.uint32((features[5] if n > 5 else p) * FEW)
    g = np.uint32((features[6] if n > 6 else p) * FEW)
    h = np.uint32((features[7] if n > 7 else p) * FEW)
    differ = np.int64(0)
    for i in range(np.uint32(node.n)):
        at = np.uint32(few.place[np.uint32(first + i)])
        low = np.int64(rank[a + at]) | np.int64(rank[b + at]) << 8
        low |= np.int64(rank[c + at]) << 16 | np.int64(rank[d + at]) << 24
        high = np.int64(rank[e + at]) | np.int64(rank[f + at]) << 8
        high |= np.int64(rank[g + at]) << 16 | np.int64(rank[h + at]) << 24
        few.words[i] = low | high << 32
        few.weight[i] = draws_of(few.entries[at])
        few.moment[i] = float(few.weight[i]) * few.y[at]
        differ |= few.words[i] ^ few.words[0]
    return differ != 0


@uncounted
def _better_parts(few, node, least, at, counts, moment, best):
    """Keep the scores of eight cuts, of the counts and sums on their left, and return the best so far.

    Scores are compared multiplied out: divisions would take longer than all the rest.
    """
    left = within(plus_bytes(alike(0.0), counts), least, node.weight - least)
    right, rest = alike(node.weight) - left, alike(node.total) - moment
    over, under = moment * moment * right + rest * rest * left, left * right
    store_reals(few.over, at * REALS, over)
    store_reals(few.under, at * REALS, under)
    here, there = over * best[1], best[0] * under
    return where_larger(here, there, over, best[0]), where_larger(here, there, under, best[1])


@uncounted
def _score_cuts(few, node, least):
    """Score the cut after every sample by each feature of the words, and note the best of each."""
    n, words, weights, moments = node.n, few.words, few.weight, few.moment
    best = (alike(-1.0), alike(1.0))
    for j in range(0, n, TOGETHER):  # what is read beyond the last sample does no harm
        a, b, c, d = words[j], words[j + 1], words[j + 2], words[j + 3]
        count_a = count_b = count_c = count_d = np.int64(0)
        sum_a, sum_b, sum_c, sum_d = alike(0.0), alike(0.0), alike(0.0), alike(0.0)
        for k in range(n):
            here, w, number = words[k], weights[k], moments[k]
            count_a, sum_a = weigh_at_most(count_a, w, here, a), add_at_most(sum_a, number, here, a)
            count_b, sum_b = weigh_at_most(count_b, w, here, b), add_at_most(sum_b, number, here, b)
            count_c, sum_c = weigh_at_most(count_c, w, here, c), add_at_most(sum_c, number, here, c)
            count_d, sum_d = weigh_at_most(count_d, w, here, d), add_at_most(sum_d, number, here, d)
        best = _better_parts(few, node, least, j, count_a, sum_a, best)
        if j + 1 < n:
            best = _better_parts(few, node, least, j + 1, count_b, sum_b, best)
        if j + 2 < n:
            best = _better_parts(few, node, least, j + 2, count_c, sum_c, best)
        if j + 3 < n:
            best = _better_parts(few, node, least, j + 3, count_d, sum_d, best)
    store_reals(few.best, 0, where_larger(alike(0.0), best[0], alike(-np.inf), best[0] / best[1]))


@uncounted
def _better_cut(few, node, features, cut):
    """Return the better of the given cut and the best one of the features of the words, the first of equals."""
    best = load_reals(few.best, 0)
    most = largest(best)
    bar, feature, rank = cut.bar, cut.feature, cut.rank
    if most > bar:
        lane = first_at_least(best, most - ROUNDING * abs(most))
        bar, feature, rank = beyond(most), features[lane], np.int64(255)
        for j in range(node.n):
            is_best = beyond(few.over[j * REALS + lane] / few.under[j * REALS + lane]) >= few.best[lane]
            here = few.words[j] >> np.int64(8 * lane) & 255
            rank = min(rank, here if is_best else np.int64(255))
    return RankCut(bar, feature, rank)


@uncounted
def _cut_among(codes, few, node, features, n_samples, least, cut):
    """Return the better of the given cut and the best one of up to eight features, and whether any varies."""
    for feature in features:
        if few.ranked[feature] != few.ranked[len(few.ranked) - 1]:
            _rank(codes, few, n_samples, feature)
    varies = _write_words(few, features, node)
    if varies:
        _score_cuts(few, node, least)
        cut = _better_cut(few, node, features, cut)
    return cut, varies


@uncounted
def _find_cut(own, node, limits, n_samples):
    """Return the best cut of a node; as many features are tried as espalier.kernels.forest.grow tries."""
    codes, few, features, state, n_tries = own.codes, own.few, own.features, own.state, limits.max_features
    p, least, two = len(features), float(max(limits.min_leaf, 1)), node.n == 2
    is_random, can_split = n_tries < p, False
    n_tries = 1 if two else n_tries
    first = last = np.int64(0)
    cut = RankCut(-np.inf, np.int64(-1), np.int64(0))
    for i in range(p):
        features[i] = i
    while last < p and (last < n_tries or not can_split):
        first = last
        last = min(first + REALS, n_tries) if first < n_tries else first + 1
        for i in range(first, last if is_random else first):
            draw_feature(features, i, state)
        if two:
            can_split, rank, lightest = _rank_two(codes, few, node.first, features[first])
            if can_split and lightest >= least:
                cut = RankCut(0.0, features[first], rank)
        else:
            cut, varies = _cut_among(codes, few, node, features[first:last], n_samples, least, cut)
            can_split = can_split or varies
    return cut


@uncounted
def _part(few, first, n, cut):
    """Partition samples, stably; return how many go left, and the codes on both sides of the cut."""
    n_left, n_right, base = np.int64(0), np.int64(0), np.uint32(cut.feature * FEW)
    low, high = np.int32(0), GREATEST
    for i in range(np.uint32(first), np.uint32(first + n)):
        place = np.uint32(few.place[i])
        code, goes = few.code[base + place], np.int64(few.rank[base + place] <= cut.rank)
        few.place[first + n_left], few.spare[n_right] = place, place
        low, high = max(low, code if goes else np.int32(0)), min(high, GREATEST if goes else code)
        n_left, n_right = n_left + goes, n_right + 1 - goes
    for i in range(n_right):
        few.place[first + n_left + i] = few.spare[i]
    return n_left, low, high


@uncounted
def _describe(few, first, stop, value):
    """Describe samples as `espalier.kernels.forest.nodes.describe_numbers` does."""
    weight, total = 0.0, 0.0
    low, high = np.inf, -np.inf
    for i in range(np.uint32(first), np.uint32(stop)):
        at = np.uint32(few.place[i])
        w, y = float(draws_of(few.entries[at])), few.y[at]
        weight += w
        total += w * y
        low, high = min(low, y), max(high, y)
    value[0] = total / weight if low < high else low
    mean, variation = value[0], 0.0
    for i in range(np.uint32(first), np.uint32(stop)):
        at = np.uint32(few.place[i])
        off = few.y[at] - mean
        variation += float(draws_of(few.entries[at])) * (off * off)
    return weight, total, variation / weight


@uncounted
def _await_children(few, at, node, number, depth, n_left):
    """Let both children of a node wait, the left one on top, each with its seed."""
    seed, middle = few.seeds[at], node.first + n_left
    wait(few.waiting, at, middle, node.first + node.n, depth + 1, number)
    wait(few.waiting, at + 1, node.first, middle, depth + 1, np.int64(-1))
    few.seeds[at], few.seeds[at + 1] = child_seed(seed, False), child_seed(seed, True)


@uncounted
def _start_node(few, nodes, at, number):
    """Describe the node that waits at a place as a leaf."""
    first, stop, parent = few.waiting[at, 0], few.waiting[at, 1], few.waiting[at, 3]
    if parent >= 0:
        nodes.right[parent] = number
    weight, total, impurity = _describe(few, first, stop, nodes.value[number])
    write_leaf(nodes, number, weight, impurity)
    return DrawnNode(first, stop - first, weight, total)


@kernel
def grow_few(codes, work, limits, root):
    """Grow the subtree of a node that may be split, a `FewRoot`; return the number of its last node."""
    own = borrow(FewState(codes, work.few, work.nodes, work.features, work.state, work.beside))
    n_samples = len(root.entries)
    few, nodes = own.few, own.nodes
    _enter(few, root)
    n_waiting, number = 1, root.node - 1
    while n_waiting > 0:
        at = n_waiting - 1
        number += 1
        node, depth = _start_node(few, nodes, at, number), few.waiting[at, 2]
        n_waiting -= 1
        if may_split(nodes, number, depth, limits):
            own.state[0] = few.seeds[at]
            cut = _find_cut(own, node, limits, n_samples)
            if cut.feature >= 0:
                n_left, low, high = _part(few, node.first, node.n, cut)
                nodes.feature[number] = cut.feature
                own.beside[number, 0], own.beside[number, 1] = low, high
                _await_children(few, at, node, number, depth, n_left)
                n_waiting += 2
    return number
