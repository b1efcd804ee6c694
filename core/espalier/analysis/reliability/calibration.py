"""Whether shares can be taken at their word: of the rows that a model gives 80 %, are 80 % of that class?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from sklearn import metrics

from espalier.learners.ties import winners

N_BINS = 10
Z = 1.959963984540054  # of a 95 % interval


class Calibration(NamedTuple):
    """Bins of equal width over the shares, without the empty ones."""

    told: np.ndarray  # (n_bins,) mean share that the model gave
    happened: np.ndarray  # (n_bins,) share of rows for which it was so
    low: np.ndarray  # (n_bins,) of Wilson's interval of what happened
    high: np.ndarray  # (n_bins,)
    n: np.ndarray  # (n_bins,) int64 rows

    @property
    def error(self) -> float:
        """Mean gap between what was told and what happened, over rows (expected calibration error)."""
        if not len(self.n):
            return math.nan
        return float(np.average(np.abs(self.told - self.happened), weights=self.n))


def calibration(
    y: np.ndarray, shares: np.ndarray, which: int | None = None, said: np.ndarray | None = None
) -> Calibration:
    """Of class codes y (n_samples,) and shares (n_samples, n_classes); rows with nan are left out.

    `which` is the class asked about; None: of every row the class that the model predicts, which is in `said`
    (n_samples,), or else the one with the greatest share, the first of equals.
    """
    share, is_so = asked(y, shares, which, said)
    place = np.minimum((share * N_BINS).astype(np.int64), N_BINS - 1)
    count = np.bincount(place, minlength=N_BINS)
    used = np.flatnonzero(count)
    told = np.bincount(place, share, N_BINS)[used] / count[used]
    happened = np.bincount(place, is_so, N_BINS)[used] / count[used]
    low, high = wilson(happened, count[used])
    return Calibration(told, happened, low, high, count[used])


def asked(
    y: np.ndarray, shares: np.ndarray, which: int | None, said: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(n,) share of the class asked about, and (n,) bool whether it was so; as in `calibration`."""
    known = np.flatnonzero(~np.isnan(shares).any(axis=1))
    shares, y = shares[known], y[known]
    picked = winners(shares) if said is None else said[known]
    picked = picked if which is None else np.full(len(known), which)
    return shares[np.arange(len(known)), picked], y == picked


def wilson(share: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the 95 % interval of a share of n rows (Wilson 1927)."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


class Roc(NamedTuple):
    """What a model catches at what price, as the share from which on it says yes falls."""

    false_alarms: np.ndarray  # (n,) of the rows that are not of the class, ascending from 0 to 1
    caught: np.ndarray  # (n,) of those that are
    area: float


def roc(y: np.ndarray, shares: np.ndarray, which: int) -> Roc | None:
    """The curve for one class against the rest; None where all rows are alike."""
    share, is_so = asked(y, shares, which)
    if is_so.all() or not is_so.any():
        return None
    false_alarms, caught, _ = metrics.roc_curve(is_so, share)
    return Roc(false_alarms, caught, float(metrics.roc_auc_score(is_so, share)))
