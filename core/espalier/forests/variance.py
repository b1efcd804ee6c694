"""Why many trees vary less than one: rho sigma^2 + (1 - rho) sigma^2 / B.

This is the variance of the mean of B identically distributed numbers with variance sigma^2 and pairwise
correlation rho (Breiman 2001; Hastie, Tibshirani & Friedman 2009, equation 15.1). More trees remove the second
term; only less similar trees reduce the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from espalier.predict import votes
from espalier.trees import Forest


class Fall(NamedTuple):
    """Variance of a mean of trees as their number grows."""

    variance: float  # sigma^2: of one tree
    correlation: float  # rho: of two trees

    @property
    def floor(self) -> float:
        """Limit for many trees: rho sigma^2."""
        return self.correlation * self.variance

    def of(self, n_trees: np.ndarray | int) -> np.ndarray:
        """rho sigma^2 + (1 - rho) sigma^2 / B for each number B of trees (m,)."""
        return self.floor + (self.variance - self.floor) / np.asarray(n_trees, dtype=np.float64)


def redrawn(grow: Callable[[int], Forest], X: np.ndarray, n_forests: int) -> np.ndarray:
    """Return the trees' predictions for X (n_samples, n_features), (n_forests, n_trees, n_samples, n_outputs).

    ``grow(i)`` redraws the data of forest i and grows it; all forests have equally many trees. Raises ValueError
    for fewer than two forests, which show no variance.
    """
    _demand(n_forests)
    return np.stack([votes(grow(i), X) for i in range(n_forests)])


def fall_of(predictions: np.ndarray) -> Fall:
    """Return variance and correlation of trees over redrawn data, averaged over samples and outputs.

    Predictions (n_forests, n_trees, ...) are from forests grown on independent data. The trees of one forest are
    similar to the extent that they share data: the variance of a forest's mean prediction (minus the contribution
    of chance in B trees) is rho sigma^2, that of trees about their forest (1 - rho) sigma^2. Both are unbiased.
    Raises ValueError for fewer than two forests, or two trees.
    """
    _demand(len(predictions))
    if predictions.shape[1] < 2:
        raise ValueError("one tree in a forest has no other to be correlated with; grow at least two")
    within = float(predictions.var(axis=1, ddof=1).mean())
    between = float(predictions.mean(axis=1).var(axis=0, ddof=1).mean()) - within / predictions.shape[1]
    return Fall(between + within, between / (between + within) if between + within > 0 else 1.0)


def measured(predictions: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the variance over forests of the mean of `sizes` (m,) trees, (m,), averaged over samples and outputs.

    Predictions are as in `fall_of`. Trees are taken in as many non-overlapping groups as possible. Raises
    ValueError for fewer than two forests, or for sizes below one or above the number of trees.
    """
    _demand(len(predictions))
    n_trees = predictions.shape[1]
    if np.min(sizes) < 1 or np.max(sizes) > n_trees:
        raise ValueError(f"there are forests of {n_trees} trees; sizes must lie between 1 and {n_trees}")
    return np.array([_variance_of(predictions, int(size)) for size in sizes])


def _variance_of(predictions: np.ndarray, size: int) -> float:
    n_groups = predictions.shape[1] // size
    groups = predictions[:, : n_groups * size].reshape(len(predictions), n_groups, size, *predictions.shape[2:])
    return float(groups.mean(axis=2).var(axis=0, ddof=1).mean())


def _demand(n_forests: int) -> None:
    if n_forests < 2:
        raise ValueError("one forest does not show how forests vary; redraw the data at least twice")
