"""The absolute error of all sets of rows before and behind the cuts of a column.

Rows leave a list, linked in the order of their targets, one by one. The median moves by a step or two each time.
"""

from __future__ import annotations

from typing import NamedTuple

from espalier.kernels import kernel


class Median(NamedTuple):
    """The median of the rows in the list, and sums over them."""

    at: int  # its place; -1 where no rows are left
    weight: float  # of all rows
    moment: float
    weight_below: float  # of the rows before the median
    moment_below: float


@kernel
def median_losses(last, side):
    """Write the absolute error of the side's rows before and behind each cut, 0 to `last`, of a column."""
    middle = link(side)
    for k in range(last):  # rows leave from the first on
        middle = balanced(side, middle)
        side.high[k] = loss_around(side, middle)
        for i in range(side.end[k], side.end[k + 1]):
            middle = without(side, side.order[i], middle)
    side.high[last] = side.low[0] = 0.0
    middle = link(side)
    for k in range(last, 0, -1):
        middle = balanced(side, middle)
        side.low[k] = loss_around(side, middle)
        for i in range(side.end[k - 1], side.end[k]):
            middle = without(side, side.order[i], middle)


@kernel
def link(side):
    """Link all rows of the side; return their first one in place of the median."""
    n, weight, moment = side.n[0], 0.0, 0.0
    for i in range(n):
        side.before[i], side.behind[i] = i - 1, i + 1
        weight += side.weight[i]
        moment += side.moment[i]
    if n == 0:
        return Median(-1, 0.0, 0.0, 0.0, 0.0)
    side.behind[n - 1] = -1
    return Median(0, weight, moment, 0.0, 0.0)


@kernel
def balanced(side, middle):
    """Return the place where no more than half of the weight lies before it, nor behind it."""
    at, below, moment, half = middle.at, middle.weight_below, middle.moment_below, middle.weight / 2
    if at < 0:
        return middle
    while below > half:
        at = side.before[at]
        below -= side.weight[at]
        moment -= side.moment[at]
    while below + side.weight[at] < half:
        below += side.weight[at]
        moment += side.moment[at]
        at = side.behind[at]
    return Median(at, middle.weight, middle.moment, below, moment)


@kernel
def without(side, here, middle):
    """Take a row out of the list."""
    before, behind, at = side.before[here], side.behind[here], middle.at
    below, moment_below = middle.weight_below, middle.moment_below
    if here < at:
        below -= side.weight[here]
        moment_below -= side.moment[here]
    elif here == at and behind >= 0:
        at = behind
    elif here == at:
        at = before
        if at >= 0:
            below -= side.weight[at]
            moment_below -= side.moment[at]
    if before >= 0:
        side.behind[before] = behind
    if behind >= 0:
        side.before[behind] = before
    return Median(at, middle.weight - side.weight[here], middle.moment - side.moment[here], below, moment_below)


@kernel
def loss_around(side, middle):
    """Return the absolute error of the rows in the list around their median."""
    at = middle.at
    if at < 0:
        return 0.0
    target, weight, moment = side.target[at], side.weight[at], side.moment[at]
    below = target * middle.weight_below - middle.moment_below
    rest = middle.moment - middle.moment_below - moment
    return max(below + rest - target * (middle.weight - middle.weight_below - weight), 0.0)
