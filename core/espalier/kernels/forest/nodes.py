"""The nodes of a random forest's trees, their samples sorted by ordinal codes, and gini scores of cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.randomness import below
from espalier.kernels.simd import LANES, above, load, same, spread, store
from espalier.kernels.task import score_of_squares
from espalier.trees import LEAF

GREATEST = np.int32(2147483647)  # beyond every code


class Nodes(NamedTuple):
    """The nodes of several trees, one tree after the other, in the order they are made."""

    feature: np.ndarray  # (2 n_samples, and room for more trees,) int32
    threshold: np.ndarray  # float64
    right: np.ndarray  # int32
    missing_left: np.ndarray  # bool
    weight: np.ndarray  # float64
    value: np.ndarray  # (the same, n_outputs) float64
    impurity: np.ndarray  # float64


@inlined
def write_leaf(nodes, node, weight, impurity):
    """Write of a node what its samples weigh and how they differ, and that it is a leaf."""
    nodes.weight[node], nodes.impurity[node] = weight, impurity
    nodes.feature[node], nodes.right[node] = LEAF, LEAF
    nodes.threshold[node], nodes.missing_left[node] = np.nan, False


@inlined
def may_split(nodes, node, depth, limits):
    """Return whether a node may be split."""
    weight = nodes.weight[node]
    enough = weight >= limits.min_split and weight >= 2 * limits.min_leaf
    return enough and depth < limits.max_depth and nodes.impurity[node] > 0


@inlined
def wait(waiting, at, start, stop, depth, parent):
    """Let a node wait at a place: its samples, its depth, and a right child's parent (else -1)."""
    waiting[at, 0], waiting[at, 1], waiting[at, 2], waiting[at, 3] = start, stop, depth, parent


@inlined
def draw_feature(features, i, state):
    """Draw the i-th feature to be tried, (n_features,) int64, which are in order before the first is drawn."""
    j = i + below(state, len(features) - i)
    features[i], features[j] = features[j], features[i]


@kernel
def describe_numbers(entries, y, value):
    """Fill value (1,) of the entries' numbers; return (weight, sum, variance); exactly 0 where all are equal."""
    weight, total = 0.0, 0.0
    low, high = np.inf, -np.inf
    for i in range(len(y)):
        w = float(draws_of(entries[i]))
        weight += w
        total += w * y[i]
        low, high = min(low, y[i]), max(high, y[i])
    value[0] = total / weight if low < high else low
    spread = 0.0
    for i in range(len(y)):  # a second pass: exact where the deviations are small beside the mean
        off = y[i] - value[0]
        spread += float(draws_of(entries[i])) * (off * off)
    return weight, total, spread / weight


# ---- Scratch memory of the split search, and the sorting of a node's samples by their codes

SMALL = 64  # samples that are sorted all at once; a place among them fits into 6 bits
AT_ONCE = 8  # features whose codes are read together
MOST_BUCKETS = 1024
EACH = np.int64(1) << np.int64(32)  # the scale at which each code has a bucket of its own

# An entry is a sample of a tree: its row, its class from bit 32 on, and from bit 48 on how often it was drawn.
ROW = np.uint64(0xFFFFFFFF)

# A cell counts entries (from bit 32 on) and adds up their weight (below).
ONE_DRAW = np.int64(1) << np.int64(32)
WEIGHT = ONE_DRAW - np.int64(1)


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
    cells: np.ndarray  # (AT_ONCE, max(n_classes, 1), MOST_BUCKETS) int64: see ONE_DRAW
    sums: np.ndarray  # (AT_ONCE, 2, MOST_BUCKETS) float64, for numbers: sum, and sum of the positive ones
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
        np.zeros((m, 4), np.int64), np.empty(n + LANES, np.int32),
        np.zeros(b + 1, np.int64),
        BucketScores(np.zeros(b + 1), np.zeros((k, b + 1)), np.zeros((2, b + 1)), np.zeros(b + 1)),
        np.zeros(SMALL + LANES, np.int32), np.zeros(SMALL + LANES, np.int32), CutSums(np.zeros(k), np.zeros(k)),
    )  # fmt: skip


@inlined
def _rank(key, n, rank):
    """Write how many of n keys are less than each of them."""
    for at in range(0, n, LANES):
        mine, before = load(key, at), spread(np.int64(0))
        for j in range(n):
            before = before + above(mine, same(key, j))
        store(rank, at, before)


@uncounted
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


@uncounted
def order_all(code, low, order, key, rank):
    """Write all places (n,), at most SMALL, in order of their codes; low is the least code."""
    n = len(order)
    for i in range(n):
        key[i] = np.int32((code[i] - low) << np.int64(6)) | np.int32(i)
    _rank(key, n, rank)
    for i in range(n):
        order[rank[i]] = i


@uncounted
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


@uncounted
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


@uncounted
def last_code(bucket, low, scale):
    """Return the greatest code in a bucket that is not the last."""
    return low + (((bucket + 1) << np.int64(32)) - 1) // scale


@uncounted
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


# ---- Gini scores of a feature's cuts: between buckets, inside one, and an upper bound for each bucket

ALMOST = 1 - 1e-12


class BestCut(NamedTuple):
    """The best cut of a node so far; of equal ones the first cut of the first feature."""

    score: float
    place: int  # of its feature among those tried; -1: none yet
    code: int  # the last on its left


class ScanTerms(NamedTuple):
    """The facts that a scan of neighbours reads beside the samples."""

    place: int  # of the feature among those tried
    before: float  # weight on the left of the first cut
    weight: float  # of the node
    min_leaf: float  # least weight of a side


@inlined
def class_of(entry):
    """Return the class of an entry."""
    return np.uint32((entry >> np.uint64(32)) & np.uint64(0xFFFF))


@inlined
def draws_of(entry):
    """Return how often an entry's sample was drawn."""
    return np.int64(entry >> np.uint64(48))


@uncounted
def fill_classes(entries, code, span, cells):
    """Count the entries into cells (n_classes, n_buckets)."""
    low, n_buckets, scale = span[0], span[2], span[3]
    for k in range(cells.shape[0]):
        for b in range(n_buckets):
            cells[k, b] = 0
    for i in range(len(entries)):
        cells[class_of(entries[i]), bucket_of(code[i], low, scale)] += ONE_DRAW + draws_of(entries[i])


@uncounted
def score_classes(cells, n_buckets, totals, scores):
    """Score the cuts before each bucket, and after the last. Loops over buckets, so that they vectorise."""
    weight, left, squares, score = scores.weight, scores.left, scores.squares, scores.score
    n = 0.0
    for b in range(n_buckets + 1):
        weight[b] = 0.0
        squares[0, b] = 0.0
        squares[1, b] = 0.0
    for k in range(len(totals)):
        run, class_weight = np.int64(0), totals[k]
        n += class_weight
        for b in range(n_buckets):
            left[k, b] = run
            run += cells[k, b] & WEIGHT
        left[k, n_buckets] = run
        for b in range(n_buckets + 1):
            here = left[k, b]
            weight[b] += here
            squares[0, b] += here * here
            squares[1, b] += (class_weight - here) * (class_weight - here)
    for b in range(n_buckets + 1):
        score[b] = score_of_squares(squares[0, b], squares[1, b], weight[b], n - weight[b])


@uncounted
def bound_classes(cells, n_buckets, totals, scores):
    """Write an upper bound on the score of the cuts inside each bucket; -inf where none can be the best.

    With two classes, the corners have all samples of one class before any of the other. With more, all samples of
    the bucket are taken to be of one class. In a bucket of a single class, no cut beats both cuts around it.
    """
    weight, left, squares, bound = scores.weight, scores.left, scores.squares, scores.score
    two = len(totals) == 2
    n = weight[n_buckets]
    for b in range(n_buckets):
        bound[b] = -np.inf
    for k in range(len(totals)):
        class_weight = totals[k]
        for b in range(n_buckets):
            here = weight[b + 1] - weight[b]
            more = float(cells[k, b] & WEIGHT)
            pure = (more == 0.0) | (more == here)
            more = more if two else here
            before = weight[b] + more
            squares_left = squares[0, b] + more * (2 * left[k, b] + more)
            squares_right = squares[1, b] - more * (2 * (class_weight - left[k, b]) - more)
            corner = score_of_squares(squares_left, squares_right, before, n - before)
            corner = -np.inf if pure else corner
            bound[b] = corner if corner > bound[b] else bound[b]


@uncounted
def scan_two(entries, code, order, sums, terms, best):
    """Return the best cut between two neighbours of `order`, for two classes.

    sums are `CutSums`, on the left those before `order`; terms are `ScanTerms`, best is a `BestCut`.
    """
    at, min_leaf = terms.place, terms.min_leaf
    score, best_at, cut = best.score, best.place, best.code
    bar = score * ALMOST  # below it, no division is needed
    l0, l1, n0, n1 = sums.left[0], sums.left[1], sums.totals[0], sums.totals[1]
    last = code[order[0]]
    for i in range(len(order) - 1):
        entry = entries[np.uint32(order[i])]
        w = float(draws_of(entry))
        ones = w * float(class_of(entry))
        l1 += ones
        l0 += w - ones
        r0, r1 = n0 - l0, n1 - l1
        nl, nr = l0 + l1, r0 + r1
        c, last = last, code[np.uint32(order[i + 1])]
        squares_left, squares_right = l0 * l0 + l1 * l1, r0 * r0 + r1 * r1
        if squares_left * nr + squares_right * nl < bar * (nl * nr):
            continue
        here = score_of_squares(squares_left, squares_right, nl, nr)
        if here < score or c == last or nl < min_leaf or nr < min_leaf:
            continue
        if here > score or at < best_at or (at == best_at and c < cut):
            score, best_at, cut, bar = here, at, np.int64(c), here * ALMOST
    return BestCut(score, best_at, cut)


@uncounted
def scan_classes(entries, code, order, sums, terms, best):
    """Return the best cut as `scan_two` does, for any number of classes; the sums on the left are updated."""
    at, min_leaf = terms.place, terms.min_leaf
    score, best_at, cut = best.score, best.place, best.code
    bar = score * ALMOST  # below it, no division is needed
    counts, totals = sums.left, sums.totals
    sl, sr, nl, nr = 0.0, 0.0, 0.0, 0.0
    for k in range(len(counts)):
        r = totals[k] - counts[k]
        sl += counts[k] * counts[k]
        sr += r * r
        nl += counts[k]
        nr += r
    last = code[order[0]]
    for i in range(len(order) - 1):
        entry = entries[np.uint32(order[i])]
        k, w = class_of(entry), float(draws_of(entry))
        sl += w * (2 * counts[k] + w)
        sr -= w * (2 * (totals[k] - counts[k]) - w)
        counts[k] += w
        nl += w
        nr -= w
        c, last = last, code[np.uint32(order[i + 1])]
        if sl * nr + sr * nl < bar * (nl * nr):
            continue
        here = score_of_squares(sl, sr, nl, nr)
        if here < score or c == last or nl < min_leaf or nr < min_leaf:
            continue
        if here > score or at < best_at or (at == best_at and c < cut):
            score, best_at, cut, bar = here, at, np.int64(c), here * ALMOST
    return BestCut(score, best_at, cut)
