"""The squared error of lines for all sets of rows before and behind the cuts of a column.

A set has a constant, or a line over one column, whichever is better: that of ridge regression, whose penalty, a
strength times the square of the slope, counts as error. The slope over a column then saves t^2 / (v + strength),
where v and t are the sums of squares of x, and of products of x and the target, around their means. Eight columns
are added up at once; what is left of them is filled up with zeros.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.rows import SQUARE, squared_loss
from espalier.kernels.vectors.simd import REALS, alike, at_least, load_reals, store_reals

WEIGHT_AT, MOMENT_AT, SQUARE_AT = 3 * REALS, 3 * REALS + 1, 3 * REALS + 2  # places in sums


@kernel
def line_losses(rows, last, side):
    """Write the error of the side's rows before and behind each cut, 0 to `last`, of a column."""
    side.low[: last + 1] = side.high[: last + 1] = np.inf
    for first in range(0, rows.width, REALS):
        _fit_lines(rows, last, first, side)


@kernel
def _fit_lines(rows, last, first, side):
    """Lower the errors to those of the best lines over eight columns, from `first` on."""
    all_, sums = side.sums[0], side.sums[1]
    all_[:], sums[:] = 0.0, 0.0
    for place in range(side.n[0]):
        _add_row(rows, place, first, side, all_)
    for k in range(last + 1):
        for i in range(side.end[k - 1] if k > 0 else 0, side.end[k]):
            _add_row(rows, side.order[i], first, side, sums)
        side.low[k] = min(side.low[k], _least_error(sums, rows.ridge, side.gain))
        side.sums[2] = all_ - sums
        side.high[k] = min(side.high[k], _least_error(side.sums[2], rows.ridge, side.gain))


@kernel
def _add_row(rows, place, first, side, sums):
    """Add a row to the sums (3 * 8 + 3,): of weight * x, weight * x^2, moment * x; weight, moment and square."""
    row, weight, moment = side.row[place], side.weight[place], side.moment[place]
    x = load_reals(rows.x, row * rows.width + first)
    weighted = x * alike(weight)
    store_reals(sums, 0, load_reals(sums, 0) + weighted)
    store_reals(sums, REALS, load_reals(sums, REALS) + weighted * x)
    store_reals(sums, 2 * REALS, load_reals(sums, 2 * REALS) + x * alike(moment))
    sums[WEIGHT_AT] += weight
    sums[MOMENT_AT] += moment
    sums[SQUARE_AT] += rows.part[row, SQUARE]


@kernel
def _least_error(sums, strength, gain):
    """Return the squared error of the best of eight lines and the constant, for these sums."""
    weight, moment = sums[WEIGHT_AT], sums[MOMENT_AT]
    if weight <= 0:
        return 0.0
    mean, x = alike(1 / weight) * load_reals(sums, 0), load_reals(sums, 0)
    varies = load_reals(sums, REALS) - x * mean
    together = load_reals(sums, 2 * REALS) - mean * alike(moment)
    store_reals(gain, 0, together * together / (at_least(varies, 0.0) + alike(strength)))
    most = 0.0
    for j in range(REALS):
        most = max(most, gain[j])
    return max(squared_loss(weight, moment, sums[SQUARE_AT]) - most, 0.0)
