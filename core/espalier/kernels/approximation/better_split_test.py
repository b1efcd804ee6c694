"""The better-split test: which of many candidate splits is best, and would another sample agree?

Zhou & Hooker (2016, section 2) compare two splits by the difference of their soft-label Gini indices. With the
labels as points Y, a split's index is a constant plus the mean of ``|Y - theta(side of X)|^2``, where theta is the
mean label of the side; so the difference is the mean of a paired loss

    d = |Y - theta_1(side under split 1)|^2 - |Y - theta_2(side under split 2)|^2,

whose variance over the samples is that of the delta method with every mean estimated, including the shares of
the sides. In each of the four cells (side under 1, side under 2) d is affine in Y; so it is enough to keep, for
each cell, the number of samples, the sum of Y and the sum of its products. For thresholds of one column these
are sums over bins, which are added up once for all the column's thresholds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

SLOTS = 2048  # equal pieces of a feature's range; each stores the rank at its beginning


def slots_of(thresholds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank at each slot (n_lists, SLOTS + 1), and the scales, of lists of ascending thresholds."""
    slots, scale = np.zeros((len(thresholds), SLOTS + 1), np.int32), np.zeros((len(thresholds), 2))
    for i, cuts in enumerate(thresholds):
        finite = cuts[np.isfinite(cuts)]
        if not len(finite):
            scale[i] = np.inf, 0.0  # no value is above the least
            continue
        low, span = finite[0], finite[-1] - finite[0]
        per_unit = SLOTS / span if span > 0 and np.isfinite(SLOTS / span) else 0.0
        scale[i] = low, per_unit
        slot_of = np.minimum((finite - low) * per_unit, SLOTS).astype(np.int64)  # as in `rank_of`
        slots[i] = np.searchsorted(slot_of, np.arange(SLOTS + 1))
    return slots, scale


@kernel
def rank_of(value, threshold, slots, low, per_unit):
    """Return how many of the ascending thresholds are less than a value that is not missing.

    slots (SLOTS + 1,), low and per_unit come from `slots_of`; they give the rank at which to begin.
    """
    if not value > low:
        return 0
    rank = slots[int(min((value - low) * per_unit, float(SLOTS)))]
    while rank < len(threshold) and threshold[rank] < value:
        rank += 1
    return rank


# ---- The test

ROOT_2 = math.sqrt(2.0)
LEAST_SHARE = 1e-9  # of the samples: two splits that differ on fewer are the same split, up to rounding


class Candidates(NamedTuple):
    """Candidate splits, column by column: thresholds of a number, or cuts of an order of categories.

    Split i of a column sends its bins 0 to i left; a column of n splits has n + 1 bins. Bins are numbered
    consecutively over all columns.
    """

    feature: np.ndarray  # (n_columns,) int64: column of X
    start: np.ndarray  # (n_columns + 1,) int64: the splits of column c are ``start[c]:start[c + 1]``
    threshold: np.ndarray  # (n_splits,) float64, ascending in a column; nan for categories
    order: np.ndarray  # (n_columns, 64) int64: bin of each category, -1: a column of numbers
    missing_bin: np.ndarray  # (n_columns,) int64: bin of missing values and of unknown codes
    slots: np.ndarray  # (n_columns, SLOTS + 1) int32: bin in which each piece of a column's range begins
    scale: np.ndarray  # (n_columns, 2) float64: least threshold, pieces per unit


@kernel
def n_sums(n_targets):
    """Return how many sums a cell has: the number of samples, each target's sum, and that of each product."""
    return 1 + n_targets + n_targets * (n_targets + 1) // 2


@kernel
def put_in_bins(candidates, rows, bins):
    """Write the bin of each of rows (n, n_features) into bins (n_columns, n).

    The bin of a number is the number of the column's thresholds below it.
    """
    for column in range(len(candidates.feature)):
        values, missing = rows[:, candidates.feature[column]], candidates.missing_bin[column]
        if candidates.order[column, 0] >= 0:
            _put_codes(values, candidates.order[column], missing, bins[column])
            continue
        _put_numbers(candidates, column, values, bins[column])


@kernel
def _put_codes(values, order, missing, bins):
    for row in range(len(values)):
        value = values[row]
        bins[row] = order[int(value)] if value >= 0 and value < 64 else missing


@kernel
def _put_numbers(candidates, column, values, bins):
    threshold = candidates.threshold[candidates.start[column] : candidates.start[column + 1]]
    slots, missing = candidates.slots[column], candidates.missing_bin[column]
    low, per_unit = candidates.scale[column]
    for row in range(len(values)):
        value = values[row]
        bins[row] = missing if np.isnan(value) else rank_of(value, threshold, slots, low, per_unit)


@kernel
def count(bins, y, side, sums, start):
    """Add samples to the sums (n_bins, 2, n_sums) of each bin and side of the best split.

    bins (n_columns, n), labels y (n, n_targets), side (n,) uint8; start as in `Candidates`.
    """
    m = y.shape[1]
    for column in range(len(bins)):
        first = start[column] + column
        for row in range(len(y)):
            cell = sums[first + bins[column, row], side[row]]
            cell[0] += 1.0
            at = 1 + m
            for j in range(m):
                cell[1 + j] += y[row, j]
                for k in range(j + 1):
                    cell[at] += y[row, j] * y[row, k]
                    at += 1


@kernel
def add_up(start, sums):
    """Return the running sums over each column's bins, (n_bins, 2, n_sums)."""
    running = sums.copy()
    for column in range(len(start) - 1):
        for i in range(start[column] + column + 1, start[column + 1] + column + 1):
            for side in range(2):
                for j in range(sums.shape[2]):
                    running[i, side, j] += running[i - 1, side, j]
    return running


@kernel
def _square(sums, n_targets):
    """Return by how much a side lowers the Gini index, times the number of all samples: its count * its mean^2."""
    if sums[0] <= 0.0:
        return 0.0
    square = 0.0
    for j in range(1, 1 + n_targets):
        square += sums[j] * sums[j]
    return square / sums[0]


@kernel
def scores(start, running, n_targets):
    """Return by how much each split lowers the impurity, (n_splits,), in units of squared labels.

    This is the Gini index of the labels before the split less that after it; -inf where a side has no sample.
    """
    gains = np.empty(start[-1])
    left, right = np.empty(1 + n_targets), np.empty(1 + n_targets)
    for column in range(len(start) - 1):
        last = start[column + 1] + column
        all_sums = running[last, 0, : 1 + n_targets] + running[last, 1, : 1 + n_targets]
        before = _square(all_sums, n_targets)
        for split in range(start[column], start[column + 1]):
            for j in range(1 + n_targets):
                left[j] = running[split + column, 0, j] + running[split + column, 1, j]
                right[j] = all_sums[j] - left[j]
            gains[split] = -np.inf
            if left[0] > 0 and right[0] > 0:
                gains[split] = (_square(left, n_targets) + _square(right, n_targets) - before) / all_sums[0]
    return gains


@kernel
def _write_mean(sums, n_targets, mean):
    """Write the mean labels of a side, and the square of their length in the last place."""
    square = 0.0
    for j in range(n_targets):
        mean[j] = sums[1 + j] / sums[0] if sums[0] > 0 else 0.0
        square += mean[j] * mean[j]
    mean[n_targets] = square


@kernel
def _add_cell(cell, best, other, fixed, moments):
    """Add a cell's sums of d and of its square to moments (2,).

    best and other are the mean labels of the two sides that make the cell. `fixed` leaves out the constant of d,
    which stands for the estimation of the sides' shares.
    """
    m = len(best) - 1
    constant = 0.0 if fixed else best[m] - other[m]
    linear, quadratic, at = 0.0, 0.0, 1 + m
    for j in range(m):
        slope = 2.0 * (other[j] - best[j])
        linear += slope * cell[1 + j]
        for k in range(j + 1):
            twice = 1.0 if j == k else 2.0
            quadratic += twice * slope * 2.0 * (other[k] - best[k]) * cell[at]
            at += 1
    moments[0] += linear + constant * cell[0]
    moments[1] += quadratic + 2.0 * constant * linear + constant * constant * cell[0]


@kernel
def variances(start, running, fixed, out):
    """Write the variance of d of every split against the best into out (n_splits,); -1 for the same split.

    `running` holds the running sums by side of the best split; `fixed` treats the shares of the sides as known, as
    the paper does. Splits are the same if they send the same samples to the same sides, or all to the other side.
    """
    m = 0
    while n_sums(m) < running.shape[2]:
        m += 1
    best, other, cells = np.empty((2, m + 1)), np.empty((2, m + 1)), np.empty((2, 2, running.shape[2]))
    moments = np.empty(2)
    for column in range(len(start) - 1):
        all_sums = running[start[column + 1] + column]
        n = all_sums[0, 0] + all_sums[1, 0]
        for side in range(2):
            _write_mean(all_sums[side], m, best[side])
        for split in range(start[column], start[column + 1]):
            for side in range(2):
                for j in range(running.shape[2]):
                    cells[side, 0, j] = running[split + column, side, j]
                    cells[side, 1, j] = all_sums[side, j] - cells[side, 0, j]
            for side in range(2):
                _write_mean(cells[0, side] + cells[1, side], m, other[side])
            moments[:] = 0.0
            for side in range(2):
                for beside in range(2):
                    _add_cell(cells[side, beside], best[side], other[beside], fixed, moments)
            unlike = min(cells[0, 1, 0] + cells[1, 0, 0], cells[0, 0, 0] + cells[1, 1, 0])
            variance = max(moments[1] / n - (moments[0] / n) ** 2, 0.0)
            out[split] = -1.0 if unlike <= LEAST_SHARE * n else variance


@kernel
def better_than(start, running, best_score, fixed, all_scores, p_values):
    """Write how probably other samples prefer each split to the best into p_values (n_splits,) (equation 4).

    A split of these samples into the same two sets as the best gets 0.5. `best_score` is the best split's score;
    others as in `variances`.
    """
    variances(start, running, fixed, p_values)
    n = running[start[1], 0, 0] + running[start[1], 1, 0]
    for split in range(len(p_values)):
        variance = p_values[split]
        p_values[split] = 0.5 if variance < 0.0 else _p_value(all_scores[split] - best_score, variance, n)


@kernel
def _p_value(difference, variance, n):
    """Return the probability that another sample of the same size reverses the sign of a difference <= 0."""
    if difference == -np.inf:
        return 0.0
    if variance <= 0.0:
        return 0.0 if difference < 0.0 else 0.5
    return 0.5 * math.erfc(-min(difference, 0.0) / math.sqrt(2.0 * variance / n) / ROOT_2)
