"""The best stumps on either side of many thresholds at once, in lanes, whose leaves have a least weight.

As in `stumps`, with the weight left of each cut beside what is saved there: cuts that leave too little of it on
either hand do not count. Runs of one class cannot be taken together, since the best cut may be too near to an end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.optimal.thresholds.stumps import part_samples
from espalier.kernels.vectors.simd import above, fill, greater, load, same, smaller, store


class HeavyScratch(NamedTuple):
    """Scratch memory for a pass with weights; of no length where leaves may have any."""

    part: np.ndarray  # (n_samples * lanes,): what each sample weighs left of each threshold
    side: np.ndarray  # (2 * lanes,): weight left of each threshold, then right of it
    found: np.ndarray  # (4 * lanes,): results, as in `StumpScratch`


def make_heavy_scratch(n_samples: int, lanes: int, dtype: type) -> HeavyScratch:
    """Allocate scratch memory."""
    return HeavyScratch(*(np.zeros(size * lanes, dtype) for size in (n_samples, 2, 4)))


@kernel
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
            _pass_forth(samples, node, g, scratch)
            _pass_back(samples, node, g, scratch, heavy)


@kernel
def _note_sides(samples, node, heavy):
    """Write the weight on both sides of each threshold."""
    lanes, left, total = len(heavy.side) // 2, fill(load(heavy.side, 0), 0), 0
    for i in range(node.size[0]):
        here = node.order[i]
        left = left + load(heavy.part, here * lanes)
        total += samples.weight[here]
    store(heavy.side, 0, left)
    store(heavy.side, lanes, fill(left, total) - left)


@kernel
def _pass_weights(samples, node, g, scratch, heavy):
    """Pass column g for two classes, in its direction."""
    at, order, found, parts = g * len(samples.label), node.order, heavy.found, scratch.left
    lanes, none = len(found) // 4, fill(load(found, 0), 0)
    low, side, side_right = fill(none, samples.least - 1), load(heavy.side, 0), load(heavy.side, lanes)
    least, most = load(found, 0), load(found, lanes)
    least_right, most_right = load(found, 2 * lanes), load(found, 3 * lanes)
    left, whole, weight, weight_right = none, none, none, none
    for k in range(1, node.n_cuts[g] - 1):
        for i in range(node.cut[g, k - 1], node.cut[g, k]):
            here = order[at + i]
            left, whole = left + load(parts, here * lanes), whole + same(samples.signed, here)
            own = load(heavy.part, here * lanes)
            weight, weight_right = weight + own, weight_right + same(samples.weight, here) - own
        on_left = left * (above(weight, low) * above(side - weight, low))
        on_right = (whole - left) * (above(weight_right, low) * above(side_right - weight_right, low))
        if samples.direction[g] >= 0:
            least, least_right = smaller(least, on_left), smaller(least_right, on_right)
        if samples.direction[g] <= 0:
            most, most_right = greater(most, on_left), greater(most_right, on_right)
    store(found, 0, least)
    store(found, lanes, most)
    store(found, 2 * lanes, least_right)
    store(found, 3 * lanes, most_right)


@kernel
def _pass_forth(samples, node, g, scratch):
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


@kernel
def _pass_back(samples, node, g, scratch, heavy):
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
