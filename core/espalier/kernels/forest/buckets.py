"""Scratch memory of the split search on ordinal codes, and the sorting of a node's samples by their codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.vectors.simd import LANES, above, borrow, load, same, spread, store

SMALL = 64  # samples that are sorted all at once; a place among them fits into 6 bits
AT_ONCE = 8  # features whose codes are read together
STRIDE = 264  # cells of a feature whose codes have 8 bits: not a multiple of a page
MOST_BUCKETS = 1024
EACH = np.int64(1) << np.int64(32)  # the scale at which each code has a bucket of its own

# An entry is a sample of a tree: its row, its class from bit 32 on, and from bit 48 on how often it was drawn.
ROW = np.uint64(0xFFFFFFFF)

# A cell counts entries (from bit 32 on) and adds up their weight (below).
ONE = np.int64(1) << np.int64(32)
WEIGHT = ONE - np.int64(1)


class BucketScores(NamedTuple):
    """The weight before each bucket of a feature, and the score of the cut there."""

    weight: np.ndarray  # (MOST_BUCKETS + 1,) float64
    left: np.ndarray  # (max(n_classes, 1), MOST_BUCKETS + 1) float64: the same by class; the sum, for numbers
    squares: np.ndarray  # (2, MOST_BUCKETS + 1) float64, for classes: squares of these, and of the rest
    score: np.ndarray  # (MOST_BUCKETS + 1,) float64: of cuts before each bucket; then bounds of cuts inside


class CutSums(NamedTuple):
    """Weight by class of a node's samples, or their sum, for numbers: (max(n_classes, 1),) float64."""

    totals: np.ndarray
    left: np.ndarray  # of those on the left of a cut


class BucketWorkspace(NamedTuple):
    """Scratch memory of one thread.

    Where the first axis is AT_ONCE, it is of features that are searched together.
    """

    by_class: bool  # whether the target is a class (else a number)
    code: np.ndarray  # (AT_ONCE, n_samples) int32: codes of the node's samples
    cells: np.ndarray  # (AT_ONCE, max(n_classes, 1), MOST_BUCKETS) int64: see ONE
    sums: np.ndarray  # (AT_ONCE, 2, MOST_BUCKETS) float64, for numbers: sum, and sum of the positive ones
    packed: np.ndarray  # (AT_ONCE * STRIDE,) int64, for two classes: weight, and from bit 32 on that of the second
    span: np.ndarray  # (AT_ONCE, 4) int64: lowest code, highest, number of buckets, scale
    order: np.ndarray  # (n_samples + LANES,) int32: places among the node's samples
    start: np.ndarray  # (MOST_BUCKETS + 1,) int64: where a bucket begins in `order`
    scores: BucketScores
    key: np.ndarray  # (SMALL + LANES,) int32
    rank: np.ndarray  # (SMALL + LANES,) int32
    node: CutSums


def make_bucket_workspace(n: int, n_classes: int, tried: int) -> BucketWorkspace:
    """Allocate it for n samples of so many classes, 0 for numbers, and for so many features tried at a node."""
    k, m, b = max(n_classes, 1), min(AT_ONCE, tried), MOST_BUCKETS
    return BucketWorkspace(
        n_classes > 0, np.empty((m, n), np.int32), np.zeros((m, k, b), np.int64), np.zeros((m, 2, b)),
        np.zeros(m * STRIDE, np.int64), np.zeros((m, 4), np.int64), np.empty(n + LANES, np.int32),
        np.zeros(b + 1, np.int64),
        BucketScores(np.zeros(b + 1), np.zeros((k, b + 1)), np.zeros((2, b + 1)), np.zeros(b + 1)),
        np.zeros(SMALL + LANES, np.int32), np.zeros(SMALL + LANES, np.int32), CutSums(np.zeros(k), np.zeros(k)),
    )  # fmt: skip


@inlined
def borrowed_workspace(r):
    """Return the scratch memory with borrowed arrays (espalier.kernels.vectors.simd)."""
    s = r.scores
    scores = BucketScores(borrow(s.weight), borrow(s.left), borrow(s.squares), borrow(s.score))
    node = CutSums(borrow(r.node.totals), borrow(r.node.left))
    return BucketWorkspace(
        r.by_class, borrow(r.code), borrow(r.cells), borrow(r.sums), borrow(r.packed), borrow(r.span),
        borrow(r.order), borrow(r.start), scores, borrow(r.key), borrow(r.rank), node,
    )  # fmt: skip


@inlined
def _rank(key, n, rank):
    """Write how many of n keys are less than each of them."""
    for at in range(0, n, LANES):
        mine, before = load(key, at), spread(np.int64(0))
        for j in range(n):
            before = before + above(mine, same(key, j))
        store(rank, at, before)


@kernel
def order_few(code, order, key, rank):
    """Sort places, at most SMALL, by their codes, stably."""
    n = len(order)
    base = code[order[0]]
    for i in range(1, n):
        base = min(base, code[order[i]])
    for i in range(n):
        key[i] = np.int32((code[order[i]] - base) << np.int32(6)) | np.int32(i)
    _rank(key, n, rank)
    for i in range(n):
        key[rank[i]] = order[i]
    for i in range(n):
        order[i] = key[i]


@kernel
def order_all(code, low, order, key, rank):
    """Write all places (n,), at most SMALL, in order of their codes; low is the least code."""
    n = len(order)
    for i in range(n):
        key[i] = np.int32((code[i] - low) << np.int64(6)) | np.int32(i)
    _rank(key, n, rank)
    for i in range(n):
        order[rank[i]] = i


@kernel
def order_many(code, order):
    """Sort any number of places by their codes, by Shell's sort: for buckets with many samples, which are rare."""
    n = len(order)
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            place = order[i]
            j = i
            while j >= gap and (code[order[j - gap]], order[j - gap]) > (code[place], place):
                order[j] = order[j - gap]
                j -= gap
            order[j] = place
        gap //= 3


@kernel
def buckets_for(n, low, high):
    """Return (number of buckets, scale): a code is in the bucket ``(code - low) * scale / 2**32``, rounded down.

    Each code has a bucket if there are few; else there are about as many buckets as samples in each.
    """
    span = high - low + 1
    few = 8
    while few * few < n and few < MOST_BUCKETS:
        few *= 2
    if span <= max(few, min(MOST_BUCKETS, n // 4)):
        return span, EACH
    return np.int64(few), (np.int64(few) << np.int64(32)) // span


@inlined
def bucket_of(code, low, scale):
    """Return the bucket of a code."""
    return np.uint32(((np.int64(code) - low) * scale) >> np.int64(32))


@kernel
def last_code(bucket, low, scale):
    """Return the greatest code in a bucket that is not the last."""
    return low + (((bucket + 1) << np.int64(32)) - 1) // scale


@kernel
def sort_into_buckets(code, n, span, cells, start, order):
    """Write the n places bucket by bucket into order, and where each begins into start."""
    low, n_buckets, scale = span[0], span[2], span[3]
    at = np.int64(0)
    for b in range(n_buckets):
        start[b] = at
        for k in range(cells.shape[0]):
            at += cells[k, b] >> np.int64(32)
    for i in range(n):
        b = bucket_of(code[i], low, scale)
        order[start[b]] = i
        start[b] += 1
    for b in range(n_buckets, 0, -1):
        start[b] = start[b - 1]
    start[0] = 0
