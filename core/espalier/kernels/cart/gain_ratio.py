"""The gain ratio, by which C4.5 chooses the feature of a split (Quinlan 1993, section 2.2).

The ratio of a split is its gain over its split information, which is the entropy of the shares of weight that go
left and right. Dividing by it removes the advantage that an even split has by being even. Since a very uneven
split has next to no information, only features with at least the average gain compete; of these the greatest
ratio wins.

Every feature comes with the split that has its greatest gain (Quinlan 1996, "Improved use of continuous
attributes in C4.5", section 3), and the average is over the features that can part the node at all. Unlike in
C4.5, a split is always binary, missing values go to the better side, and there is no penalty for thresholds.
"""

from __future__ import annotations

import math

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.route import passes

TIE = 1e-12  # gains and ratios less far apart are equal: they differ by rounding


@kernel
def weight_on_left(rows, column, task, split):
    """Return the weight of the entries rows (n,) that go left at a split."""
    weight = 0.0
    for entry in rows:
        row = entry >> np.uint32(1)
        if passes(column[row], split.threshold, split.categories, split.missing_left):
            weight += task.weight[row]
    return weight


@kernel
def split_information(left, right):
    """Return the entropy, in nats, of the shares of two positive weights."""
    both = left + right
    return (left * math.log(both / left) + right * math.log(both / right)) / both


@kernel
def choose(gain, ratio):
    """Return the position of the greatest ratio (n,) among those with at least the average gain (n,).

    The first of equals wins. A gain is nan where there is no split; -1 is returned if there is none at all.
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
