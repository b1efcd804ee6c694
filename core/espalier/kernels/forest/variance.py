"""Squared-error scores of a feature's cuts, on codes: between buckets, inside one, and a bound for each bucket."""

from __future__ import annotations

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.buckets import ONE, WEIGHT, bucket_of
from espalier.kernels.forest.gini import BestCut, drawn
from espalier.kernels.impurity import beyond


@inlined
def _gain(moment, rest, left, right):
    """Return the score of a split: the sum of (sum w y)^2 / W over both sides."""
    return (moment * moment * right + rest * rest * left) / (left * right)


@kernel
def fill_numbers(entries, y, code, span, cells, sums):
    """Count the entries into cells (1, n_buckets), and add up their numbers in sums (2, n_buckets)."""
    low, n_buckets, scale = span[0], span[2], span[3]
    for b in range(n_buckets):
        cells[0, b] = 0
        sums[0, b] = 0.0
        sums[1, b] = 0.0
    for i in range(len(entries)):
        b, w = bucket_of(code[i], low, scale), drawn(entries[i])
        number = y[i] * w
        cells[0, b] += ONE + w
        sums[0, b] += number
        sums[1, b] += max(number, 0.0)


@kernel
def score_numbers(cells, sums, n_buckets, totals, scores):
    """Score the cuts before each bucket, and after the last."""
    weight, moment, score = scores.weight, scores.left[0], scores.score
    run, total = np.int64(0), 0.0
    for b in range(n_buckets):
        weight[b] = run
        moment[b] = total
        run += cells[0, b] & WEIGHT
        total += sums[0, b]
    weight[n_buckets] = run
    moment[n_buckets] = total
    n, whole = float(run), totals[0]
    for b in range(n_buckets + 1):
        score[b] = _gain(moment[b], whole - moment[b], weight[b], n - weight[b])


@kernel
def bound_numbers(cells, sums, n_buckets, totals, scores):
    """Write an upper bound on the score of the cuts inside each bucket: that at a corner of its box.

    The corners have none or all of its weight on the left, with all of its negative numbers or all of the
    positive.
    """
    weight, moment, bound = scores.weight, scores.left[0], scores.score
    n, whole = weight[n_buckets], totals[0]
    for b in range(n_buckets):
        up = moment[b] + sums[1, b]
        down = moment[b] + (sums[0, b] - sums[1, b])
        least, most = weight[b], weight[b + 1]
        one = max(_gain(up, whole - up, least, n - least), _gain(down, whole - down, least, n - least))
        other = max(_gain(up, whole - up, most, n - most), _gain(down, whole - down, most, n - most))
        inner = max(one, other)
        inner = inner if (least > 0) & (most < n) else np.inf
        bound[b] = inner if cells[0, b] >= 2 * ONE else -np.inf


@kernel
def scan_numbers(node, code, order, sums, terms, best):
    """Return the best cut between two neighbours of `order`, of a `BootstrapNode`, as `scan_two` does."""
    entries, y = node.entries, node.y
    at, nl, n, min_leaf = terms.place, terms.before, terms.weight, terms.min_leaf
    score, best_at, cut = best.score, best.place, best.code
    moment, whole = sums.left[0], sums.totals[0]
    bar = score - (beyond(score) - score) if score > -np.inf else score
    last = code[order[0]]
    for i in range(len(order) - 1):
        place = np.uint32(order[i])
        w = float(drawn(entries[place]))
        nl += w
        moment += w * y[place]
        nr, rest = n - nl, whole - moment
        c, last = last, code[np.uint32(order[i + 1])]
        if moment * moment * nr + rest * rest * nl < bar * (nl * nr):
            continue
        here = _gain(moment, rest, nl, nr)
        if here < bar or c == last or nl < min_leaf or nr < min_leaf:
            continue
        if here > beyond(score) or at < best_at or (at == best_at and c < cut):
            score, best_at, cut = max(here, score), at, np.int64(c)
            bar = score - (beyond(score) - score)
    return BestCut(score, best_at, cut)
