"""First and second derivatives of the loss by each sample's score, and their sums in whole numbers.

The score of a sample is the sum of the trees so far. Derivatives are rounded to whole multiples of a power of two
before they are summed: sums of whole numbers are exact, so that neither the order of the samples nor the number of
threads changes a tree, and a sibling's sums are exactly its parent's less the other child's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

SMALL = 1e-300  # a share below this counts as this much in the loss


class Derivatives(NamedTuple):
    """Derivatives of the loss by the scores, times the samples' weights, one row for each output."""

    first: np.ndarray  # (n_outputs, n_samples) float64: the negative residuals
    second: np.ndarray  # (n_outputs, n_samples) float64


class DerivativeUnits(NamedTuple):
    """What whole numbers in `PackedDerivatives` stand for; units are powers of two."""

    first: float
    second: float
    n_bits: int  # bits of the count of samples


class PackedDerivatives(NamedTuple):
    """Derivatives of one output as whole numbers."""

    pair: np.ndarray  # (n_samples, 2) int64: first derivative; second derivative << n_bits, plus 1 that counts
    units: DerivativeUnits


@kernel
def squared_error(y, score, weight, derivatives):
    """Fill the derivatives of (y - score)^2 / 2; returns the weighted sum of (y - score)^2."""
    loss = 0.0
    for row in range(len(y)):
        off = score[0, row] - y[row]
        loss += weight[row] * (off * off)
        derivatives.first[0, row] = weight[row] * off
        derivatives.second[0, row] = weight[row]
    return loss


@kernel
def absolute_error(y, score, weight, derivatives):
    """Fill the signs of (score - y); returns the weighted sum of absolute differences.

    Trees are grown on the signs, and their leaves step by medians (Friedman 2001, section 4.3). The second
    derivative is 0, and 1 stands in for it.
    """
    loss = 0.0
    for row in range(len(y)):
        off = score[0, row] - y[row]
        loss += weight[row] * abs(off)
        derivatives.first[0, row] = weight[row] * np.sign(off)
        derivatives.second[0, row] = weight[row]
    return loss


@kernel
def poisson(y, score, weight, derivatives):
    """Fill the derivatives of half the Poisson deviance of exp(score) from y; returns its weighted sum."""
    loss = 0.0
    for row in range(len(y)):
        mean = math.exp(score[0, row])
        off = mean - y[row]
        if y[row] > 0:
            loss += weight[row] * (y[row] * (math.log(y[row]) - score[0, row]) + off)
        else:
            loss += weight[row] * off
        derivatives.first[0, row] = weight[row] * off
        derivatives.second[0, row] = weight[row] * mean
    return loss


@kernel
def log_loss(y, score, weight, derivatives):
    """Fill the derivatives of the log loss of two classes; returns its weighted sum.

    The score is the log odds of class 1: Friedman (2001), section 4.5, with half his scores.
    """
    loss = 0.0
    for row in range(len(y)):
        s, w = score[0, row], weight[row]
        e = math.exp(-abs(s))
        p = (1.0 if s >= 0 else e) / (1.0 + e)
        loss += w * (math.log1p(e) + max(s if y[row] == 0 else -s, 0.0))
        derivatives.first[0, row] = w * (p - y[row])
        derivatives.second[0, row] = w * (e / ((1.0 + e) * (1.0 + e)))
    return loss


@kernel
def log_loss_of_many(y, score, weight, derivatives):
    """Fill the derivatives of the log loss of three classes or more; returns its weighted sum.

    Shares are the softmax of the scores (n_classes, n_samples): Friedman (2001), section 4.6.
    """
    loss, n_classes = 0.0, len(score)
    share = np.empty(n_classes)
    for row in range(len(y)):
        greatest, total = -np.inf, 0.0
        for k in range(n_classes):
            greatest = max(greatest, score[k, row])
        for k in range(n_classes):
            share[k] = math.exp(score[k, row] - greatest)
            total += share[k]
        w, own = weight[row], np.int64(y[row])
        loss -= w * (score[own, row] - greatest - math.log(total))
        for k in range(n_classes):
            p = share[k] / total
            derivatives.first[k, row] = w * (p - (own == k))
            derivatives.second[k, row] = w * (p * (1.0 - p))
    return loss


@kernel
def _pack(first, second, units, pair):
    for row in range(len(first)):
        pair[row, 0] = np.int64(np.rint(first[row] / units.first))
        pair[row, 1] = (np.int64(np.rint(second[row] / units.second)) << units.n_bits) + 1


def pack_derivatives(first: np.ndarray, second: np.ndarray, pair: np.ndarray) -> PackedDerivatives:
    """Derivatives (n_samples,) as whole numbers, so fine that no sum of them overflows; written into pair."""
    n_bits = len(first).bit_length()
    units = DerivativeUnits(_unit(np.abs(first).sum(), 61), _unit(second.sum(), 61 - n_bits), n_bits)
    _pack(first, second, units, pair)
    return PackedDerivatives(pair, units)


def _unit(total: float, n_bits: int) -> float:
    """Power of two of which `total` is at most 2 ** n_bits; 1 where there is nothing to add."""
    return math.ldexp(1.0, math.frexp(float(total))[1] - n_bits) if total > 0 else 1.0
