"""Calibration: of the rows that a model gives 80 %, are 80 % of that class? Also intervals of shares, and ROC."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from sklearn import metrics

from espalier.data.weights import effective_size
from espalier.ties import winners

Z = 1.959963984540054  # of a 95 % interval


def wilson(share: np.ndarray, n: np.ndarray, z: float = Z) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the interval of a share of n rows, from 0 to 1; arrays of any shape.

    It is that of 95 %, or of the level whose normal quantile is `z`.

    >>> low, high = wilson(np.array([0.3]), np.array([20]))
    >>> low.round(2), high.round(2)
    (array([0.15]), array([0.52]))
    """
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


# ---- calibration: of the rows that a model gives 80 %, are 80 % of that class?

N_BINS = 10


class Calibration(NamedTuple):
    """Bins of equal width over the shares, without the empty ones."""

    predicted_share: np.ndarray  # (n_bins,) mean predicted share
    observed_share: np.ndarray  # (n_bins,) observed share
    low: np.ndarray  # (n_bins,) Wilson's interval of the observed share
    high: np.ndarray  # (n_bins,)
    n: np.ndarray  # (n_bins,) int64 rows
    weight: np.ndarray  # (n_bins,) float64: of these rows; their number, if all count the same

    @property
    def error(self) -> float:
        """Mean gap between predicted and observed share, over rows (expected calibration error)."""
        if not len(self.n):
            return math.nan
        return float(np.average(np.abs(self.predicted_share - self.observed_share), weights=self.weight))


def calibration(
    y: np.ndarray,
    shares: np.ndarray,
    which: int | None = None,
    prediction: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> Calibration:
    """Return the calibration of shares (n_samples, n_classes) for class codes y (n_samples,).

    Rows with nan are left out, and those of `weight` (n_samples,) 0. Intervals take as many rows as the weights
    are worth (Kish 1965).

    `which` is the class in question; None: the predicted class of each row, from `prediction` (n_samples,) if
    given, else the one with the greatest share, the first of equals.

    >>> import numpy as np
    >>> shares = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    >>> calibration(np.array([0, 0, 1]), shares, which=1).observed_share
    array([0., 1.])
    """
    weight = np.ones(len(y)) if weight is None else weight
    shares = np.where(weight[:, None] > 0, shares, np.nan)
    share, is_so = asked(y, shares, which, prediction)
    weight = weight[~np.isnan(shares).any(axis=1)]
    place = np.minimum((share * N_BINS).astype(np.int64), N_BINS - 1)
    count = np.bincount(place, minlength=N_BINS)
    used = np.flatnonzero(count)
    total = np.bincount(place, weight, N_BINS)[used]
    predicted_share = np.bincount(place, share * weight, N_BINS)[used] / total
    observed_share = np.bincount(place, is_so * weight, N_BINS)[used] / total
    worth = np.array([effective_size(weight[place == bin_]) for bin_ in used])
    low, high = wilson(observed_share, worth)
    return Calibration(predicted_share, observed_share, low, high, count[used], total)


def asked(
    y: np.ndarray, shares: np.ndarray, which: int | None, prediction: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of the class in question, (n,), and whether it is the row's class, (n,) bool."""
    known = np.flatnonzero(~np.isnan(shares).any(axis=1))
    shares, y = shares[known], y[known]
    which_class = winners(shares) if prediction is None else prediction[known]
    which_class = which_class if which is None else np.full(len(known), which)
    return shares[np.arange(len(known)), which_class], y == which_class


class Roc(NamedTuple):
    """ROC curve: hits and false alarms as the decision threshold decreases."""

    false_alarms: np.ndarray  # (n,) share of the rows of other classes, ascending from 0 to 1
    caught: np.ndarray  # (n,) share of the rows of the class
    area: float


def roc(y: np.ndarray, shares: np.ndarray, which: int, weight: np.ndarray | None = None) -> Roc | None:
    """Return the curve for one class against the rest, rows counting by `weight`; None if all are alike."""
    if weight is not None:
        shares = np.where(weight[:, None] > 0, shares, np.nan)
        weight = weight[~np.isnan(shares).any(axis=1)]
    share, is_so = asked(y, shares, which)
    if is_so.all() or not is_so.any():
        return None
    false_alarms, caught, _ = metrics.roc_curve(is_so, share, sample_weight=weight)
    return Roc(false_alarms, caught, float(metrics.roc_auc_score(is_so, share, sample_weight=weight)))
