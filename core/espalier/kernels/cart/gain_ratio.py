"""The gain ratio: on which feature C4.5 splits a node (Quinlan 1993, section 2.2).

The ratio of a split is its gain over its split information, which is the entropy of the shares of weight that go
left and right. Dividing by it takes from a split of even halves what it owes to being even. Since a split of next
to nothing has next to no information, only features may win whose gain is at least the average; of these the
greatest ratio does.

Every feature comes with the split that has its greatest gain (Quinlan 1996, "Improved use of continuous
attributes in C4.5", section 3), and the average is over the features that can part the node at all. Other than
C4.5, a split is always in two, a missing value goes to the better side, and no threshold is charged for.
"""

from __future__ import annotations

import math

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import passes

TIE = 1e-12  # gains and ratios less far apart are equal: they differ by rounding


@kernel
def weight_on_left(rows, column, task, split):
    """Weight that goes left, of entries rows (n,); split is (threshold, categories, missing_left)."""
    threshold, categories, missing_left = split
    weight = 0.0
    for entry in rows:
        row = entry >> np.uint32(1)
        if passes(column[row], threshold, categories, missing_left):
            weight += task.weight[row]
    return weight


@kernel
def split_information(left, right):
    """Entropy, in nats, of the shares of two weights; each is positive."""
    both = left + right
    return (left * math.log(both / left) + right * math.log(both / right)) / both


@kernel
def choose(gain, ratio):
    """Position of the greatest ratio (n,) among gains (n,) of at least the average, the first of equals.

    A gain is nan where there is no split; -1 where there is none anywhere.
    """
    total, n = 0.0, 0
    for value in gain:
        if not np.isnan(value):
            total += value
            n += 1
    best, at = -1.0, -1
    for i in range(len(gain)):
        if gain[i] * n >= total - n * TIE and ratio[i] > best + TIE:
            best, at = ratio[i], i
    return at
