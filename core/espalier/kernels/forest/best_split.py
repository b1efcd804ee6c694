"""The best split of a node in a tree of a random forest, on ordinal codes.

Few samples are sorted by counting, for each, how many come before it: sixteen at once, without a branch. Many are
counted into buckets of neighbouring codes. The cuts between buckets are scored first; a bucket is sorted only if a
bound says that a cut inside could be better. The score is convex in the sums on the left, and the left sums of all
cuts inside a bucket lie in a box, so the largest score over the box is at a corner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import uncounted
from espalier.kernels.forest.nodes import (
    EACH,
    MOST_BUCKETS,
    ONE_DRAW,
    ROW,
    SMALL,
    WEIGHT,
    BestCut,
    ScanTerms,
    bound_classes,
    bucket_of,
    buckets_for,
    draws_of,
    fill_classes,
    last_code,
    order_all,
    order_few,
    order_many,
    scan_classes,
    scan_two,
    score_classes,
    sort_into_buckets,
)
from espalier.kernels.task import beyond, score_of_squares

# ---- Squared error


@uncounted
def fill_numbers(entries, y, code, span, cells, sums):
    """Count the entries into cells (1, n_buckets), and add up their numbers in sums (2, n_buckets)."""
    low, n_buckets, scale = span[0], span[2], span[3]
    for b in range(n_buckets):
        cells[0, b] = 0
        sums[0, b] = 0.0
        sums[1, b] = 0.0
    for i in range(len(entries)):
        b, w = bucket_of(code[i], low, scale), draws_of(entries[i])
        number = y[i] * w
        cells[0, b] += ONE_DRAW + w
        sums[0, b] += number
        sums[1, b] += max(number, 0.0)


@uncounted
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
    n, all_moment = float(run), totals[0]
    for b in range(n_buckets + 1):
        rest = all_moment - moment[b]
        score[b] = score_of_squares(moment[b] * moment[b], rest * rest, weight[b], n - weight[b])


@uncounted
def bound_numbers(cells, sums, n_buckets, totals, scores):
    """Write an upper bound on the score of the cuts inside each bucket: that at a corner of its box.

    The corners have none or all of its weight on the left, with all of its negative numbers or all of the
    positive.
    """
    weight, moment, bound = scores.weight, scores.left[0], scores.score
    n, all_moment = weight[n_buckets], totals[0]
    for b in range(n_buckets):
        up = moment[b] + sums[1, b]
        down = moment[b] + (sums[0, b] - sums[1, b])
        least, most = weight[b], weight[b + 1]
        up, rest_up = up * up, (all_moment - up) * (all_moment - up)
        down, rest_down = down * down, (all_moment - down) * (all_moment - down)
        corner = max(
            score_of_squares(up, rest_up, least, n - least), score_of_squares(down, rest_down, least, n - least)
        )
        other = max(
            score_of_squares(up, rest_up, most, n - most), score_of_squares(down, rest_down, most, n - most)
        )
        inner = max(corner, other)
        inner = inner if (least > 0) & (most < n) else np.inf
        bound[b] = inner if cells[0, b] >= 2 * ONE_DRAW else -np.inf


@uncounted
def scan_numbers(node, code, order, sums, terms, best):
    """Return the best cut between two neighbours of `order`, of a `BootstrapNode`, as `scan_two` does."""
    entries, y = node.entries, node.y
    at, nl, n, min_leaf = terms.place, terms.before, terms.weight, terms.min_leaf
    score, best_at, cut = best.score, best.place, best.code
    moment, moment_in_all = sums.left[0], sums.totals[0]
    bar = score - (beyond(score) - score) if score > -np.inf else score
    last = code[order[0]]
    for i in range(len(order) - 1):
        place = np.uint32(order[i])
        w = float(draws_of(entries[place]))
        nl += w
        moment += w * y[place]
        nr, rest = n - nl, moment_in_all - moment
        c, last = last, code[np.uint32(order[i + 1])]
        if moment * moment * nr + rest * rest * nl < bar * (nl * nr):
            continue
        here = score_of_squares(moment * moment, rest * rest, nl, nr)
        if here < bar or c == last or nl < min_leaf or nr < min_leaf:
            continue
        if here > beyond(score) or at < best_at or (at == best_at and c < cut):
            score, best_at, cut = max(here, score), at, np.int64(c)
            bar = score - (beyond(score) - score)
    return BestCut(score, best_at, cut)


# ---- The search


class BootstrapNode(NamedTuple):
    """Samples of a node, each drawn at least once."""

    entries: np.ndarray  # (n,) uint64: see `ROW`
    y: np.ndarray  # (n,) float64; unused for classes
    weight: float  # number of draws in all
    min_leaf: float  # least weight of a side


@uncounted
def _read_four(codes, entries, features, code):
    a, b, c, d = code[0], code[1], code[2], code[3]
    fa, fb, fc, fd = np.uint32(features[0]), np.uint32(features[1]), np.uint32(features[2]), np.uint32(features[3])
    for i in range(np.uint32(len(entries))):
        row = entries[i] & ROW
        a[i] = codes[row, fa]
        b[i] = codes[row, fb]
        c[i] = codes[row, fc]
        d[i] = codes[row, fd]


@uncounted
def read_codes(codes, entries, features, code):
    """Write the codes of the entries' samples into code (n_features, n), four features at once.

    The codes of a sample are adjacent in memory.
    """
    j = 0
    while j + 4 <= len(features):
        _read_four(codes, entries, features[j : j + 4], code[j : j + 4])
        j += 4
    while j < len(features):
        f, target = np.uint32(features[j]), code[j]
        for i in range(np.uint32(len(entries))):
            target[i] = codes[entries[i] & ROW, f]
        j += 1


@uncounted
def _extremes(code, n):
    low, high = np.int32(2147483647), np.int32(0)
    for i in range(n):
        low, high = min(low, code[i]), max(high, code[i])
    return np.int64(low), np.int64(high)


@uncounted
def _scan(node, code, order, scratch, terms, best):
    """Return the best cut between neighbours of `order`."""
    if not scratch.by_class:
        better = scan_numbers(node, code, order, scratch.node, terms, best)
    elif len(scratch.node.totals) == 2:
        better = scan_two(node.entries, code, order, scratch.node, terms, best)
    else:
        better = scan_classes(node.entries, code, order, scratch.node, terms, best)
    return better


@uncounted
def _among_few(node, scratch, j, place, best):
    """Return the better of the given cut and the best one of a feature, the j-th read, if samples are few."""
    order, code = scratch.order[: len(node.entries)], scratch.code[j]
    order_all(code, scratch.span[j, 0], order, scratch.key, scratch.rank)
    left = scratch.node.left
    for k in range(len(left)):
        left[k] = 0.0
    return _scan(node, code, order, scratch, ScanTerms(place, 0.0, node.weight, node.min_leaf), best)


@uncounted
def _score(scratch, j):
    n_buckets = scratch.span[j, 2]
    if scratch.by_class:
        score_classes(scratch.cells[j], n_buckets, scratch.node.totals, scratch.scores)
    else:
        score_numbers(scratch.cells[j], scratch.sums[j], n_buckets, scratch.node.totals, scratch.scores)


@uncounted
def _bound(scratch, j):
    n_buckets = scratch.span[j, 2]
    if scratch.by_class:
        bound_classes(scratch.cells[j], n_buckets, scratch.node.totals, scratch.scores)
    else:
        bound_numbers(scratch.cells[j], scratch.sums[j], n_buckets, scratch.node.totals, scratch.scores)


@uncounted
def _between(node, scratch, j, place, best):
    """Return the better of the given cut and a feature's best one between buckets, and whether it varies."""
    score, best_at, cut = best.score, best.place, best.code
    scores, span = scratch.scores, scratch.span[j]
    bar = score if scratch.by_class else beyond(score)  # class counts are whole: equal scores are equal
    if scratch.by_class:
        fill_classes(node.entries, scratch.code[j], span, scratch.cells[j])
    else:
        fill_numbers(node.entries, node.y, scratch.code[j], span, scratch.cells[j], scratch.sums[j])
    _score(scratch, j)
    varies = False
    for b in range(1, span[2]):
        left = scores.weight[b]
        varies = varies or (left > 0 and left < node.weight)
        if scores.score[b] > bar and left >= node.min_leaf and node.weight - left >= node.min_leaf:
            score, best_at, cut = scores.score[b], place, last_code(b - 1, span[0], span[3])
            bar = score if scratch.by_class else beyond(score)
    return BestCut(score, best_at, cut), varies


@uncounted
def _inside(node, scratch, j, place, best):
    """Return the better of the given cut and a feature's best one inside buckets."""
    _score(scratch, j)
    _bound(scratch, j)
    code, scores, left, sorted_yet = scratch.code[j], scratch.scores, scratch.node.left, False
    for b in range(scratch.span[j, 2]):
        bound = scores.score[b]
        if not (bound > best.score or (bound == best.score and place <= best.place)):
            continue
        if not sorted_yet:
            n = len(node.entries)
            sort_into_buckets(code, n, scratch.span[j], scratch.cells[j], scratch.start, scratch.order)
            sorted_yet = True
        order = scratch.order[scratch.start[b] : scratch.start[b + 1]]
        if len(order) <= SMALL:
            order_few(code, order, scratch.key, scratch.rank)
        else:
            order_many(code, order)
        for k in range(len(left)):
            left[k] = scores.left[k, b]
        terms = ScanTerms(place, scores.weight[b], node.weight, node.min_leaf)
        best = _scan(node, code, order, scratch, terms, best)
    return best


@uncounted
def _has_few_values(coded, feature, n, span):
    """Return whether a feature has so few values in the whole table that each gets a bucket.

    If so, fill span (4,).

    The node's codes then need not be searched for their extremes.
    """
    n_values = coded.start[feature + 1] - coded.start[feature]
    few = n_values <= max(8, min(MOST_BUCKETS, n // 4))
    if few:
        span[0], span[1], span[2], span[3] = 0, n_values - 1, n_values, EACH
    return few


@uncounted
def search_together(coded, node, features, first, scratch, best):
    """Return the better of the given cut and the best one of these features, and whether any of them varies.

    first is the place of the first of these features among those tried.
    """
    n, any_varies, look_inside = len(node.entries), False, False
    read_codes(coded.codes, node.entries, features, scratch.code)
    for j in range(len(features)):
        span = scratch.span[j]
        if not _has_few_values(coded, features[j], n, span):
            span[0], span[1] = _extremes(scratch.code[j], n)
            span[3] = EACH
            if span[0] == span[1]:
                continue
            any_varies = True
            if n <= SMALL:
                best = _among_few(node, scratch, j, first + j, best)
                continue
            span[2], span[3] = buckets_for(n, span[0], span[1])
        best, varies = _between(node, scratch, j, first + j, best)
        any_varies = any_varies or varies
        look_inside = look_inside or span[3] != EACH
    if look_inside:
        for j in range(len(features)):
            if scratch.span[j, 3] != EACH:
                best = _inside(node, scratch, j, first + j, best)
    return best, any_varies
