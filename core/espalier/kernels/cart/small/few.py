"""The best cut among few samples: every sample stands for a cut of every feature.

Each feature is a byte a sample: the rank of its value. The cut after a sample sends all ranks up to its own to the
left, so its sums are those of the samples whose rank is not greater. Eight features are compared at once; no list
is read, and none must be moved when such a node is split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import uncounted
from espalier.kernels.impurity import ROUNDING, beyond
from espalier.kernels.vectors.octets import (
    add_at_most,
    count_at_most,
    first_at_least,
    larger,
    largest,
    plus_bytes,
    within,
)
from espalier.kernels.vectors.simd import REALS, alike, load_reals, store_reals

FEW = 16  # samples
TOGETHER = 4  # cuts whose sums are made at once


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
def _scored(few, node, at, word, counts, moment, best):
    """Score eight cuts by squared error, of the counts and sums on their left; return the best so far."""
    left = within(plus_bytes(alike(0.0), counts), float(node.min_leaf), float(node.n - node.min_leaf))
    right, rest = alike(float(node.n)) - left, alike(node.total) - moment
    score = (moment * moment * right + rest * rest * left) / (left * right)
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
            best = _scored(few, node, j, word, count_a, sum_a, best)
            if j + 1 < n:
                best = _scored(few, node, j + 1, word, count_b, sum_b, best)
            if j + 2 < n:
                best = _scored(few, node, j + 2, word, count_c, sum_c, best)
            if j + 3 < n:
                best = _scored(few, node, j + 3, word, count_d, sum_d, best)
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
            moved = few.words[i * n_words + word]
            few.words[to_left * n_words + word] = moved
            few.spare_words[to_right * n_words + word] = moved
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
