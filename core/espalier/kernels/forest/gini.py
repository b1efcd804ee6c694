"""Gini scores of a feature's cuts, on codes: between buckets, inside one, and an upper bound for each bucket."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.buckets import ONE, ROW, WEIGHT, bucket_of

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
def drawn(entry):
    """Return how often an entry's sample was drawn."""
    return np.int64(entry >> np.uint64(48))


@inlined
def gini_of(squares_left, squares_right, left, right):
    """Return the score of a split. With one division, equal gains of whole weights are equal to the last bit."""
    return (squares_left * right + squares_right * left) / (left * right)


@kernel
def fill_classes(entries, code, span, cells):
    """Count the entries into cells (n_classes, n_buckets)."""
    low, n_buckets, scale = span[0], span[2], span[3]
    for k in range(cells.shape[0]):
        for b in range(n_buckets):
            cells[k, b] = 0
    for i in range(len(entries)):
        cells[class_of(entries[i]), bucket_of(code[i], low, scale)] += ONE + drawn(entries[i])


@kernel
def _count_four(short, entries, features, cells):
    a, b, c, d = cells[0], cells[1], cells[2], cells[3]
    codes, step, apart = short.codes, short.step, short.apart
    fa, fb = np.uint64(features[0]) * apart, np.uint64(features[1]) * apart
    fc, fd = np.uint64(features[2]) * apart, np.uint64(features[3]) * apart
    for i in range(np.uint32(len(entries))):
        entry = entries[i]
        row, k, one = (entry & ROW) * step, class_of(entry), ONE + drawn(entry)
        a[k, codes[row + fa]] += one
        b[k, codes[row + fb]] += one
        c[k, codes[row + fc]] += one
        d[k, codes[row + fd]] += one


@kernel
def count_classes(short, entries, features, span, cells):
    """Do what `fill_classes` does for features whose every code has a bucket, four at once, with codes of 8 bits.

    short are `espalier.kernels.forest.small.few_values.ShortCodes`. The span (n_features, 4) says how many buckets
    each feature has in cells (n_features, n_classes, n_buckets).
    """
    together, done = 4 if len(features) >= 4 else 1, 0
    while done < len(features):
        first = min(done, len(features) - together)  # the last four may begin with some that are counted once more
        done = first + together
        for i in range(first, done):
            for k in range(cells.shape[1]):
                for b in range(span[i, 2]):
                    cells[i, k, b] = 0
        if together == 4:
            _count_four(short, entries, features[first:done], cells[first:done])
        else:
            place, own = np.uint64(features[first]) * short.apart, cells[first]
            for i in range(np.uint32(len(entries))):
                entry = entries[i]
                own[class_of(entry), short.codes[(entry & ROW) * short.step + place]] += ONE + drawn(entry)


@kernel
def score_classes(cells, n_buckets, totals, scores):
    """Score the cuts before each bucket, and after the last. Loops over buckets, so that they vectorise."""
    weight, left, squares, score = scores.weight, scores.left, scores.squares, scores.score
    n = 0.0
    for b in range(n_buckets + 1):
        weight[b] = 0.0
        squares[0, b] = 0.0
        squares[1, b] = 0.0
    for k in range(len(totals)):
        run, whole = np.int64(0), totals[k]
        n += whole
        for b in range(n_buckets):
            left[k, b] = run
            run += cells[k, b] & WEIGHT
        left[k, n_buckets] = run
        for b in range(n_buckets + 1):
            here = left[k, b]
            weight[b] += here
            squares[0, b] += here * here
            squares[1, b] += (whole - here) * (whole - here)
    for b in range(n_buckets + 1):
        score[b] = gini_of(squares[0, b], squares[1, b], weight[b], n - weight[b])


@kernel
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
        whole = totals[k]
        for b in range(n_buckets):
            here = weight[b + 1] - weight[b]
            more = float(cells[k, b] & WEIGHT)
            pure = (more == 0.0) | (more == here)
            more = more if two else here
            before = weight[b] + more
            squares_left = squares[0, b] + more * (2 * left[k, b] + more)
            squares_right = squares[1, b] - more * (2 * (whole - left[k, b]) - more)
            corner = gini_of(squares_left, squares_right, before, n - before)
            corner = -np.inf if pure else corner
            bound[b] = corner if corner > bound[b] else bound[b]


@kernel
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
        w = float(drawn(entry))
        one = w * float(class_of(entry))
        l1 += one
        l0 += w - one
        r0, r1 = n0 - l0, n1 - l1
        nl, nr = l0 + l1, r0 + r1
        c, last = last, code[np.uint32(order[i + 1])]
        squares_left, squares_right = l0 * l0 + l1 * l1, r0 * r0 + r1 * r1
        if squares_left * nr + squares_right * nl < bar * (nl * nr):
            continue
        here = gini_of(squares_left, squares_right, nl, nr)
        if here < score or c == last or nl < min_leaf or nr < min_leaf:
            continue
        if here > score or at < best_at or (at == best_at and c < cut):
            score, best_at, cut, bar = here, at, np.int64(c), here * ALMOST
    return BestCut(score, best_at, cut)


@kernel
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
        k, w = class_of(entry), float(drawn(entry))
        sl += w * (2 * counts[k] + w)
        sr -= w * (2 * (totals[k] - counts[k]) - w)
        counts[k] += w
        nl += w
        nr -= w
        c, last = last, code[np.uint32(order[i + 1])]
        if sl * nr + sr * nl < bar * (nl * nr):
            continue
        here = gini_of(sl, sr, nl, nr)
        if here < score or c == last or nl < min_leaf or nr < min_leaf:
            continue
        if here > score or at < best_at or (at == best_at and c < cut):
            score, best_at, cut, bar = here, at, np.int64(c), here * ALMOST
    return BestCut(score, best_at, cut)
