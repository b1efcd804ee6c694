"""The best split of a node of a random forest's tree, on codes.

Few samples are put into order by counting, for each, how many come before it: sixteen at once, without a branch.
Many are counted into buckets of neighbouring codes. The cuts between buckets are scored first; a bucket is put
into order only if a bound says that a cut inside could be better. The score is convex in what stands on the
left, and what a cut inside a bucket has on its left lies in a box: the largest score over the box is at a corner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.buckets import (
    EACH,
    MOST_BUCKETS,
    ROW,
    SMALL,
    buckets_for,
    last_code,
    order_all,
    order_few,
    order_many,
    sort_into_buckets,
)
from espalier.kernels.forest.gini import bound_classes, fill_classes, scan_classes, scan_two, score_classes
from espalier.kernels.forest.variance import bound_numbers, fill_numbers, scan_numbers, score_numbers


class BootstrapNode(NamedTuple):
    """Samples of a node, each drawn at least once."""

    entries: np.ndarray  # (n,) uint64: see `ROW`
    y: np.ndarray  # (n,) float64; anything for classes
    weight: float  # how often they were drawn in all
    min_leaf: float  # least weight of a side


@kernel
def _read_four(codes, entries, features, code):
    a, b, c, d = code[0], code[1], code[2], code[3]
    fa, fb, fc, fd = np.uint32(features[0]), np.uint32(features[1]), np.uint32(features[2]), np.uint32(features[3])
    for i in range(np.uint32(len(entries))):
        row = entries[i] & ROW
        a[i] = codes[row, fa]
        b[i] = codes[row, fb]
        c[i] = codes[row, fc]
        d[i] = codes[row, fd]


@kernel
def read_codes(codes, entries, features, code):
    """Write the codes of the entries' samples into code (n_features, n). Four at once: they stand side by side."""
    j = 0
    while j + 4 <= len(features):
        _read_four(codes, entries, features[j : j + 4], code[j : j + 4])
        j += 4
    while j < len(features):
        f, one = np.uint32(features[j]), code[j]
        for i in range(np.uint32(len(entries))):
            one[i] = codes[entries[i] & ROW, f]
        j += 1


@kernel
def _extremes(code, n):
    low, high = np.int32(2147483647), np.int32(0)
    for i in range(n):
        low, high = min(low, code[i]), max(high, code[i])
    return np.int64(low), np.int64(high)


@inlined
def _scan(node, code, order, room, at, best):
    """Best cut between neighbours of `order`, after a bucket whose weight on the left is at[1]."""
    limits = (node.min_leaf, at[0])
    if not room.by_class:
        numbers = (node.min_leaf, at[0], at[1], node.weight)
        found = scan_numbers(node.entries, node.y, code, order, (room.counts, room.totals), numbers, best)
    elif len(room.totals) == 2:
        found = scan_two(node.entries, code, order, (room.counts, room.totals), limits, best)
    else:
        found = scan_classes(node.entries, code, order, (room.counts, room.totals), limits, best)
    return found


@inlined
def _among_few(node, room, at, best):
    """The better of a feature's best cut and the given one, where the samples are few. at is (j, its place)."""
    j, place = at
    n = len(node.entries)
    order, code = room.order[:n], room.code[j]
    order_all(code, n, room.span[j, 0], (room.key, room.rank, room.order))
    for k in range(len(room.counts)):
        room.counts[k] = 0.0
    return _scan(node, code, order, room, (place, 0.0), best)


@inlined
def _score(room, j):
    n_buckets = room.span[j, 2]
    if room.by_class:
        score_classes(room.cells[j], n_buckets, room.totals, (room.weight, room.left, room.squares, room.score))
    else:
        score_numbers(room.cells[j], room.sums[j], n_buckets, room.totals, (room.weight, room.left, room.score))


@inlined
def _between(node, room, at, best):
    """The better of a feature's best cut between buckets and the given one; and whether it varies."""
    j, place = at
    score, best_at, cut = best
    span = room.span[j]
    if room.by_class:
        fill_classes(node.entries, room.code[j], span, room.cells[j])
    else:
        fill_numbers(node.entries, node.y, room.code[j], span, room.cells[j], room.sums[j])
    _score(room, j)
    varies = False
    for b in range(1, span[2]):
        left = room.weight[b]
        varies = varies or (left > 0 and left < node.weight)
        if room.score[b] > score and left >= node.min_leaf and node.weight - left >= node.min_leaf:
            score, best_at, cut = room.score[b], place, last_code(b - 1, span[0], span[3])
    return (score, best_at, cut), varies


@inlined
def _inside(node, room, at, best):
    """The better of a feature's best cut inside buckets and the given one."""
    j, place = at
    n_buckets = room.span[j, 2]
    _score(room, j)
    if room.by_class:
        bound_classes(room.cells[j], n_buckets, room.totals, (room.weight, room.left, room.squares, room.score))
    else:
        bound_numbers(room.cells[j], room.sums[j], n_buckets, room.totals, (room.weight, room.left, room.score))
    code, sorted_yet = room.code[j], False
    for b in range(n_buckets):
        bound = room.score[b]
        if not (bound > best[0] or (bound == best[0] and place <= best[1])):
            continue
        if not sorted_yet:
            sort_into_buckets(code, len(node.entries), room.span[j], room.cells[j], (room.start, room.order))
            sorted_yet = True
        order = room.order[room.start[b] : room.start[b + 1]]
        if len(order) <= SMALL:
            order_few(code, order, (room.key, room.rank))
        else:
            order_many(code, order)
        for k in range(len(room.counts)):
            room.counts[k] = room.left[k, b]
        best = _scan(node, code, order, room, (place, room.weight[b]), best)
    return best


@inlined
def _has_few_values(coded, feature, n, span):
    """Whether a feature has so few values anywhere that each gets a bucket, without a look at the node's codes.

    Then fills span (4,).
    """
    n_values = coded.start[feature + 1] - coded.start[feature]
    few = n_values <= max(8, min(MOST_BUCKETS, n // 4))
    if few:
        span[0], span[1], span[2], span[3] = 0, n_values - 1, n_values, EACH
    return few


@inlined
def search_together(coded, node, features, room, best):
    """The better of the best cut of these features and the given one, and whether any of them varies.

    best is (score, place of its feature among those tried, last code on the left, place of the first of these).
    """
    first, best = best[3], (best[0], best[1], best[2])
    n = len(node.entries)
    read_codes(coded.codes, node.entries, features, room.code)
    any_varies, look_inside = False, False
    for j in range(len(features)):
        span = room.span[j]
        if not _has_few_values(coded, features[j], n, span):
            span[0], span[1] = _extremes(room.code[j], n)
            span[3] = EACH
            if span[0] == span[1]:
                continue
            any_varies = True
            if n <= SMALL:
                best = _among_few(node, room, (j, first + j), best)
                continue
            span[2], span[3] = buckets_for(n, span[0], span[1])
        best, varies = _between(node, room, (j, first + j), best)
        any_varies = any_varies or varies
        look_inside = look_inside or span[3] != EACH
    if look_inside:
        for j in range(len(features)):
            if room.span[j, 3] != EACH:
                best = _inside(node, room, (j, first + j), best)
    return best, any_varies
