"""The best stump on either side of many thresholds at once, in lanes.

Each lane is a threshold of some column. For each sample it is written down once what it saves left of every
threshold. Then one pass over the samples in the order of a column adds that up; the right side is the rest. With
two classes a stump is told by the least and the greatest running sum of signed amounts; with more by the greatest
sum of a class before a cut and after it, which takes a pass forth and a pass back. Between two cuts no stump is
better than at them if all samples there are of one class, so that the passes go by runs of one class.

Where leaves have a least weight, the weight left of each cut stands beside what is saved there: cuts that leave
too little of it on either hand do not count. Runs of one class cannot be taken together, since the best cut may be
too near to an end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.simd import SHORTS, above, fill, greater, load, same, smaller, store

FEW = 3  # samples a value, on average: from here on a loop over values costs less than a look at every sample


class StumpScratch(NamedTuple):
    """Scratch memory for one pass; `lanes` is 32 for int16 and 16 for int32."""

    threshold: (
        np.ndarray
    )  # (n_columns * lanes,) as rank: samples of lower ranks go left; 0 in other columns' lanes
    column: np.ndarray  # (n_columns,) int64: the columns that lanes have
    left: np.ndarray  # (n_samples * lanes,): what each sample saves left of each threshold
    found: np.ndarray  # (4 * lanes,): results of a pass
    sums: np.ndarray  # (2 * n_classes * lanes,): of a class, left of the threshold and right of it
    before: np.ndarray  # (2 * lanes * (n_samples + 1),): the greatest sum of a class before each cut
    run: np.ndarray  # (n_columns, n_samples) int32: twice the end of each run of one class, plus 1 at a cut
    n_runs: np.ndarray  # (n_columns,) int64


def make_stump_scratch(n_columns: int, n_samples: int, n_classes: int, dtype: type) -> StumpScratch:
    """Allocate scratch memory."""
    lanes = SHORTS * 2 // np.dtype(dtype).itemsize
    sizes = 4 * lanes, 2 * n_classes * lanes, 2 * lanes * (n_samples + 1 if n_classes > 2 else 1)
    run = np.zeros((n_columns, n_samples if n_classes > 2 else 0), np.int32)
    threshold, left = np.zeros(n_columns * lanes, dtype), np.zeros(n_samples * lanes, dtype)
    column, n_runs = np.zeros(n_columns, np.int64), np.zeros(n_columns, np.int64)
    return StumpScratch(threshold, column, left, *(np.zeros(size, dtype) for size in sizes), run, n_runs)


@uncounted
def part_samples(samples, node, weight, n_used, scratch, part):
    """Write into `part` what each sample saves left of each threshold; lanes have the first `n_used` columns.

    `weight` (n_samples,) is what a sample saves.
    """
    n, lanes, none = len(samples.label), len(scratch.found) // 4, fill(load(scratch.threshold, 0), 0)
    for i in range(node.size[0]):
        here = node.order[i]
        is_left = none
        for k in range(n_used):
            f = scratch.column[k]
            is_left = is_left + above(load(scratch.threshold, f * lanes), same(samples.rank, f * n + here))
        store(part, here * lanes, is_left * same(weight, here))


@uncounted
def sums_beside(samples, node, scratch):
    """Write, for two classes, the extreme running sums over all columns into `scratch.found`.

    In turn: the least and the greatest left of the thresholds, and the same right of them. Where labels may only
    rise with a column, the greatest do not count, and where they may only fall, the least.
    """
    sums, lanes, m = scratch.found, len(scratch.found) // 4, node.size[0]
    none = fill(load(scratch.threshold, 0), 0)
    for i in range(4):
        store(scratch.found, i * lanes, none)
    for g in range(len(node.n_cuts)):
        n_values, direction = node.n_cuts[g] - 1, samples.direction[g]
        idle = lanes if direction > 0 else 0
        best, best_right = load(sums, idle), load(sums, idle + 2 * lanes)
        if n_values == m:
            _pass_samples(samples, node, g, scratch)
        elif n_values * FEW < m:
            _pass_values(samples, node, g, scratch)
        else:
            _pass_some(samples, node, g, scratch)
        if direction != 0:
            store(sums, idle, best)
            store(sums, idle + 2 * lanes, best_right)


@uncounted
def _pass_samples(samples, node, g, scratch):
    """Pass a column g whose values all differ."""
    at, amounts, order, parts = g * len(samples.label), samples.signed, node.order, scratch.left
    lanes, limit = len(scratch.found) // 4, load(scratch.threshold, 0)
    least, most = load(scratch.found, 0), load(scratch.found, lanes)
    least_right, most_right = load(scratch.found, 2 * lanes), load(scratch.found, 3 * lanes)
    left, total = fill(limit, 0), fill(limit, 0)
    for i in range(node.size[0]):
        here = order[at + i]
        left, total = left + load(parts, here * lanes), total + same(amounts, here)
        right = total - left
        least, most = smaller(least, left), greater(most, left)
        least_right, most_right = smaller(least_right, right), greater(most_right, right)
    _keep(scratch.found, least, most, least_right, most_right)


@uncounted
def _pass_values(samples, node, g, scratch):
    """Pass a column g of few values: sums count where a value ends."""
    at, amounts, order, cut, parts = g * len(samples.label), samples.signed, node.order, node.cut, scratch.left
    lanes, limit = len(scratch.found) // 4, load(scratch.threshold, 0)
    least, most = load(scratch.found, 0), load(scratch.found, lanes)
    least_right, most_right = load(scratch.found, 2 * lanes), load(scratch.found, 3 * lanes)
    left, total = fill(limit, 0), fill(limit, 0)
    for k in range(1, node.n_cuts[g]):
        for i in range(cut[g, k - 1], cut[g, k]):
            here = order[at + i]
            left, total = left + load(parts, here * lanes), total + same(amounts, here)
        right = total - left
        least, most = smaller(least, left), greater(most, left)
        least_right, most_right = smaller(least_right, right), greater(most_right, right)
    _keep(scratch.found, least, most, least_right, most_right)


@uncounted
def _pass_some(samples, node, g, scratch):
    """Pass a column g with some equal values: sums inside of a value are taken for the last ones before it."""
    at, amounts, order, cut, parts = g * len(samples.label), samples.signed, node.order, node.cut, scratch.left
    lanes, limit = len(scratch.found) // 4, load(scratch.threshold, 0)
    least, most = load(scratch.found, 0), load(scratch.found, lanes)
    least_right, most_right = load(scratch.found, 2 * lanes), load(scratch.found, 3 * lanes)
    left, total, k = fill(limit, 0), fill(limit, 0), 1
    for i in range(node.size[0]):
        here = order[at + i]
        left, total = left + load(parts, here * lanes), total + same(amounts, here)
        is_cut = i + 1 == cut[g, k]
        k += is_cut
        is_counted = fill(limit, is_cut)
        on_left, on_right = left * is_counted, (total - left) * is_counted
        least, most = smaller(least, on_left), greater(most, on_left)
        least_right, most_right = smaller(least_right, on_right), greater(most_right, on_right)
    _keep(scratch.found, least, most, least_right, most_right)


@inlined
def _keep(found, least, most, least_right, most_right):
    lanes = len(found) // 4
    store(found, 0, least)
    store(found, lanes, most)
    store(found, 2 * lanes, least_right)
    store(found, 3 * lanes, most_right)


@uncounted
def note_runs(samples, node, scratch):
    """Write the runs of one class in the order of every column.

    A cut between two values matters unless all samples of both are of one class.
    """
    n, m = len(samples.label), node.size[0]
    for g in range(len(node.n_cuts)):
        at, k, before = g * n, 0, -1
        for c in range(1, node.n_cuts[g]):
            start, end = node.cut[g, c - 1], node.cut[g, c]
            first, last = samples.label[node.order[at + start]], samples.label[node.order[at + end - 1]]
            if start > 0 and (before != first or first != last):
                scratch.run[g, k] = 2 * start + 1
                k += 1
            for i in range(start + 1, end):
                if samples.label[node.order[at + i]] != samples.label[node.order[at + i - 1]]:
                    scratch.run[g, k] = 2 * i
                    k += 1
            before = first if first == last else -1
        scratch.run[g, k] = 2 * m + 1
        scratch.n_runs[g] = k + 1


@uncounted
def sums_of_classes(samples, node, scratch):
    """Write the most that stumps save left and right of the thresholds, in turn, into `scratch.found`.

    Behind them the most that leaves save.
    """
    lanes = len(scratch.found) // 4
    none = fill(load(scratch.threshold, 0), 0)
    store(scratch.found, 0, none)
    store(scratch.found, lanes, none)
    for g in range(len(node.n_cuts)):
        n_cuts = _pass_forth(samples, node, g, scratch)
        _pass_back(samples, node, g, scratch, n_cuts)


@uncounted
def _pass_forth(samples, node, g, scratch):
    """Note the greatest sum of a class before each cut; return how many cuts there are."""
    sums, before, lanes, at = scratch.sums, scratch.before, len(scratch.found) // 4, g * len(samples.label)
    none = fill(load(scratch.threshold, 0), 0)
    for i in range(2 * samples.n_classes):
        store(sums, i * lanes, none)
    left, right, start, place = none, none, 0, 0
    for k in range(scratch.n_runs[g]):
        end, is_cut = scratch.run[g, k] >> 1, scratch.run[g, k] & 1
        c = 2 * lanes * samples.label[node.order[at + start]]
        _add_run(samples, node, at + start, at + end, scratch, c)
        left, right = greater(left, load(sums, c)), greater(right, load(sums, c + lanes))
        if is_cut:
            store(before, place, left)
            store(before, place + lanes, right)
            place += 2 * lanes
        start = end
    store(scratch.found, 0, greater(load(scratch.found, 0), left))
    store(scratch.found, lanes, greater(load(scratch.found, lanes), right))
    store(scratch.found, 2 * lanes, left)
    store(scratch.found, 3 * lanes, right)
    return place


@uncounted
def _pass_back(samples, node, g, scratch, place):
    """Add the greatest sum of a class behind each cut, from the last to the first."""
    sums, before, lanes, at = scratch.sums, scratch.before, len(scratch.found) // 4, g * len(samples.label)
    none = fill(load(scratch.threshold, 0), 0)
    for i in range(2 * samples.n_classes):
        store(sums, i * lanes, none)
    best, best_right = load(scratch.found, 0), load(scratch.found, lanes)
    left, right, end = none, none, node.size[0]
    place -= 2 * lanes
    for k in range(scratch.n_runs[g] - 2, -1, -1):
        start, is_cut = scratch.run[g, k] >> 1, scratch.run[g, k] & 1
        c = 2 * lanes * samples.label[node.order[at + start]]
        _add_run(samples, node, at + start, at + end, scratch, c)
        left, right = greater(left, load(sums, c)), greater(right, load(sums, c + lanes))
        if is_cut:
            place -= 2 * lanes
            best = greater(best, left + load(before, place))
            best_right = greater(best_right, right + load(before, place + lanes))
        end = start
    store(scratch.found, 0, best)
    store(scratch.found, lanes, best_right)


@inlined
def _add_run(samples, node, start, end, scratch, c):
    """Add samples of one class to the sums of the class, left and right of the thresholds."""
    sums, lanes, limit = scratch.sums, len(scratch.found) // 4, load(scratch.threshold, 0)
    amount, order, parts = samples.amount, node.order, scratch.left
    left, total = fill(limit, 0), 0
    for i in range(start, end):
        here = order[i]
        left = left + load(parts, here * lanes)
        total += amount[here]
    store(sums, c, load(sums, c) + left)
    store(sums, c + lanes, load(sums, c + lanes) + fill(limit, total) - left)


# ---- Leaves with a least weight


class HeavyScratch(NamedTuple):
    """Scratch memory for a pass with weights; of no length where leaves may have any."""

    part: np.ndarray  # (n_samples * lanes,): what each sample weighs left of each threshold
    side: np.ndarray  # (2 * lanes,): weight left of each threshold, then right of it
    found: np.ndarray  # (4 * lanes,): results, as in `StumpScratch`


def make_heavy_scratch(n_samples: int, lanes: int, dtype: type) -> HeavyScratch:
    """Allocate scratch memory."""
    return HeavyScratch(*(np.zeros(size * lanes, dtype) for size in (n_samples, 2, 4)))


@uncounted
def heavy_sums(samples, node, n_used, scratch, heavy):
    """Write into `heavy.found` what `scratch.found` holds, of stumps whose leaves have the least weight.

    The samples must be parted already, as `stumps.part_samples` does, by the first `n_used` columns.
    """
    part_samples(samples, node, samples.weight, n_used, scratch, heavy.part)
    _note_sides(samples, node, heavy)
    lanes, none = len(scratch.found) // 4, fill(load(scratch.threshold, 0), 0)
    for i in range(4):
        store(heavy.found, i * lanes, none)
    if samples.n_classes == 2:
        for g in range(len(node.n_cuts)):
            _pass_weights(samples, node, g, scratch, heavy)
    else:
        for i in range(2, 4):  # leaves are as they were
            store(heavy.found, i * lanes, load(scratch.found, i * lanes))
        for g in range(len(node.n_cuts)):
            _heavy_stumps_pass_forth(samples, node, g, scratch)
            _heavy_stumps_pass_back(samples, node, g, scratch, heavy)


@uncounted
def _note_sides(samples, node, heavy):
    """Write the weight on both sides of each threshold."""
    lanes, left, total = len(heavy.side) // 2, fill(load(heavy.side, 0), 0), 0
    for i in range(node.size[0]):
        here = node.order[i]
        left = left + load(heavy.part, here * lanes)
        total += samples.weight[here]
    store(heavy.side, 0, left)
    store(heavy.side, lanes, fill(left, total) - left)


@uncounted
def _pass_weights(samples, node, g, scratch, heavy):
    """Pass column g for two classes, in its direction."""
    at, order, sums, parts = g * len(samples.label), node.order, heavy.found, scratch.left
    lanes, none = len(sums) // 4, fill(load(sums, 0), 0)
    low, side, side_right = fill(none, samples.least - 1), load(heavy.side, 0), load(heavy.side, lanes)
    least, most = load(sums, 0), load(sums, lanes)
    least_right, most_right = load(sums, 2 * lanes), load(sums, 3 * lanes)
    left, total, weight, weight_right = none, none, none, none
    for k in range(1, node.n_cuts[g] - 1):
        for i in range(node.cut[g, k - 1], node.cut[g, k]):
            here = order[at + i]
            left, total = left + load(parts, here * lanes), total + same(samples.signed, here)
            own = load(heavy.part, here * lanes)
            weight, weight_right = weight + own, weight_right + same(samples.weight, here) - own
        on_left = left * (above(weight, low) * above(side - weight, low))
        on_right = (total - left) * (above(weight_right, low) * above(side_right - weight_right, low))
        if samples.direction[g] >= 0:
            least, least_right = smaller(least, on_left), smaller(least_right, on_right)
        if samples.direction[g] <= 0:
            most, most_right = greater(most, on_left), greater(most_right, on_right)
    store(sums, 0, least)
    store(sums, lanes, most)
    store(sums, 2 * lanes, least_right)
    store(sums, 3 * lanes, most_right)


@uncounted
def _heavy_stumps_pass_forth(samples, node, g, scratch):
    """Note the greatest sum of a class before each cut of column g."""
    sums, before, lanes = scratch.sums, scratch.before, len(scratch.found) // 4
    left = right = fill(load(scratch.threshold, 0), 0)
    for i in range(2 * samples.n_classes):
        store(sums, i * lanes, left)
    for k in range(1, node.n_cuts[g] - 1):
        for i in range(node.cut[g, k - 1], node.cut[g, k]):
            c = _add(samples, node, g, i, scratch)
            left, right = greater(left, load(sums, c)), greater(right, load(sums, c + lanes))
        store(before, 2 * k * lanes, left)
        store(before, (2 * k + 1) * lanes, right)


@uncounted
def _heavy_stumps_pass_back(samples, node, g, scratch, heavy):
    """Add the greatest sum of a class behind each cut, from the last to the first."""
    sums, before, lanes, at = scratch.sums, scratch.before, len(scratch.found) // 4, g * len(samples.label)
    none = fill(load(scratch.threshold, 0), 0)
    for i in range(2 * samples.n_classes):
        store(sums, i * lanes, none)
    low, side, side_right = fill(none, samples.least - 1), load(heavy.side, 0), load(heavy.side, lanes)
    best, best_right = load(heavy.found, 0), load(heavy.found, lanes)
    left, right, weight, weight_right = none, none, none, none
    for k in range(node.n_cuts[g] - 2, 0, -1):
        for i in range(node.cut[g, k], node.cut[g, k + 1]):
            c = _add(samples, node, g, i, scratch)
            left, right = greater(left, load(sums, c)), greater(right, load(sums, c + lanes))
            here = node.order[at + i]
            own = load(heavy.part, here * lanes)
            weight, weight_right = weight + own, weight_right + same(samples.weight, here) - own
        is_left = above(weight, low) * above(side - weight, low)
        is_right = above(weight_right, low) * above(side_right - weight_right, low)
        best = greater(best, (left + load(before, 2 * k * lanes)) * is_left)
        best_right = greater(best_right, (right + load(before, (2 * k + 1) * lanes)) * is_right)
    store(heavy.found, 0, best)
    store(heavy.found, lanes, best_right)


@inlined
def _add(samples, node, g, i, scratch):
    """Add a sample to the sums of its class; return their place."""
    sums, lanes = scratch.sums, len(scratch.found) // 4
    here = node.order[g * len(samples.label) + i]
    c = 2 * lanes * samples.label[here]
    part = load(scratch.left, here * lanes)
    store(sums, c, load(sums, c) + part)
    store(sums, c + lanes, load(sums, c + lanes) + same(samples.amount, here) - part)
    return c


# ---- The best stump of some rows, with its column and rank: the search itself needs only what stumps save

LEAF = -1  # in place of a column


class StumpRows(NamedTuple):
    """All rows, with what predictions save there."""

    rank: np.ndarray  # (n_columns, n_rows) int64: of a row's value among the column's values
    earned: np.ndarray  # (n_rows, n_classes) int64: what predicting a class saves
    weight: np.ndarray  # (n_rows,) int64
    direction: np.ndarray  # (n_columns,) int64: 1 where of two labels only the second may be right, -1 the first
    most: int  # number of values of a column, at most
    least: int  # weight of a leaf, at least; 0 for any


class Stump(NamedTuple):
    """The best tree of at most one split."""

    saved: int  # cost
    column: int = LEAF
    rank: int = 0  # rows of lower ranks go left


@kernel
def stump_of_rows(table, rows):
    """Return the best stump of these rows, the first of several, or a leaf if no stump saves more."""
    n_classes = table.earned.shape[1]
    total, left = np.zeros(n_classes + 1, np.int64), np.zeros(n_classes + 1, np.int64)  # weight at the end
    for i in rows:
        for c in range(n_classes):
            total[c] += table.earned[i, c]
        total[n_classes] += table.weight[i]
    saving, column, rank = total[:n_classes].max(), LEAF, 0
    sums = np.zeros((table.most, n_classes + 1), np.int64)
    for f in range(len(table.rank)):
        last = _sum_up(table, rows, f, sums)
        left[:] = 0
        for k in range(last):
            left += sums[k]
            if min(left[n_classes], total[n_classes] - left[n_classes]) >= table.least:
                here = _saving(left, total, table.direction[f])
                if here > saving:
                    saving, column, rank = here, f, k + 1
    return Stump(saving, column, rank)


@kernel
def _sum_up(table, rows, f, sums):
    """Write what predictions save at each rank of column f, and the weight; return the last rank."""
    last, n_classes = 0, table.earned.shape[1]
    for i in rows:
        last = max(last, table.rank[f, i])
    sums[: last + 1] = 0
    for i in rows:
        here = sums[table.rank[f, i]]
        for c in range(n_classes):
            here[c] += table.earned[i, c]
        here[n_classes] += table.weight[i]
    return last


@kernel
def _saving(left, total, direction):
    """Return the most that two leaves save, by what each class does; of two classes in a direction."""
    if direction > 0:
        return left[0] + total[1] - left[1]
    if direction < 0:
        return left[1] + total[0] - left[0]
    first, second = np.int64(0), np.int64(0)
    for c in range(len(left) - 1):
        first = max(first, left[c])
        second = max(second, total[c] - left[c])
    return first + second
