"""The best stumps on the two sides of one threshold, whose leaves have a least weight.

`stumps` looks for stumps beside many thresholds at once, whatever their leaves weigh. Where these promise a better
tree, the question is asked here what keeps to the weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

NONE, LEFT, RIGHT, BOTH = range(4)  # sides of a root that may be stumps; the others are leaves


class SideScratch(NamedTuple):
    """Scratch memory; of each side, the left one first."""

    sums: np.ndarray  # (2, n_classes) int64: what predicting a class saves
    before: np.ndarray  # the same left of a stump's threshold
    weight: np.ndarray  # (2, 2) int64: of the side, and left of a stump's threshold
    worth: np.ndarray  # (2,) int64
    value: np.ndarray  # (2,) int64: of the best stump or leaf
    least: np.ndarray  # (1,) int64: weight of a stump's leaf, at least


def make_side_scratch(n_classes: int, least: int) -> SideScratch:
    """Allocate scratch memory."""
    shapes = (2, n_classes), (2, n_classes), (2, 2), 2, 2
    return SideScratch(*(np.zeros(shape, np.int64) for shape in shapes), np.array([least]))


@kernel
def solve_sides(samples, node, own, rank, stumps, scratch):
    """Write the values of the best leaf on both sides of a threshold, or of the best stump where it may be one.

    Samples go left if their rank among `own` (n_samples,), those of a column, is lower; with a rank above all, the
    left side is the whole node.
    """
    scratch.sums[:], scratch.weight[:], scratch.worth[:] = 0, 0, 0
    for i in range(node.size[0]):
        here = node.order[i]
        side = np.int64(own[here] >= rank)
        scratch.sums[side, samples.label[here]] += samples.amount[here]
        scratch.weight[side, 0] += samples.weight[here]
        scratch.worth[side] += samples.worth[here]
    for side in range(2):
        scratch.value[side] = samples.unit * (scratch.worth[side] - scratch.sums[side].max())
    if stumps != NONE:
        for g in range(len(node.n_cuts)):
            _pass_column(samples, node, own, rank, stumps, g, scratch)


@kernel
def _pass_column(samples, node, own, rank, stumps, g, scratch):
    """Try the stumps of column g on both sides."""
    at, before, weight, least = g * len(samples.label), scratch.before, scratch.weight, scratch.least[0]
    before[:], weight[:, 1] = 0, 0
    for k in range(1, node.n_cuts[g] - 1):
        for i in range(node.cut[g, k - 1], node.cut[g, k]):
            here = node.order[at + i]
            side = np.int64(own[here] >= rank)
            before[side, samples.label[here]] += samples.amount[here]
            weight[side, 1] += samples.weight[here]
        for side in range(2):
            is_heavy = least <= weight[side, 1] <= weight[side, 0] - least
            if is_heavy and (stumps >> side) & 1:
                saved = _saved(samples, scratch.sums[side], before[side], samples.direction[g])
                value = samples.unit * (scratch.worth[side] - saved) + samples.tie
                scratch.value[side] = min(scratch.value[side], value)


@kernel
def _saved(samples, sums, before, direction):
    """Return the most that the leaves of a stump save, of two classes in the column's direction."""
    if direction > 0:
        return before[0] + sums[1] - before[1]
    if direction < 0:
        return before[1] + sums[0] - before[0]
    left, right = 0, 0
    for c in range(samples.n_classes):
        left = max(left, before[c])
        right = max(right, sums[c] - before[c])
    return left + right
