"""Why many trees vary less than one: rho sigma^2 + (1 - rho) sigma^2 / B.

That is the variance of the mean of B equally distributed numbers, each of variance sigma^2, any two of which have
the correlation rho (Breiman 2001; Hastie, Tibshirani & Friedman 2009, equation 15.1). More trees take the second
term away; only trees that are less alike lessen the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from espalier.learners.forests.forest import said_by
from espalier.trees import Forest


class Fall(NamedTuple):
    """How what one tree varies by falls with the number of trees."""

    variance: float  # sigma^2: of one tree
    correlation: float  # rho: of two trees

    @property
    def floor(self) -> float:
        """What is left however many trees there are: rho sigma^2."""
        return self.correlation * self.variance

    def of(self, n_trees: np.ndarray | int) -> np.ndarray:
        """rho sigma^2 + (1 - rho) sigma^2 / B for each number B of trees (m,)."""
        return self.floor + (self.variance - self.floor) / np.asarray(n_trees, dtype=np.float64)


def answers(forest: Forest, X: np.ndarray) -> np.ndarray:
    """(n_trees, n_samples, n_outputs): what each tree says of each row of X (n_samples, n_features)."""
    X = np.asfortranarray(X, dtype=np.float64)
    return np.stack([said_by(tree, X, forest.majority) for tree in forest.trees])


def redrawn(grow: Callable[[int], Forest], X: np.ndarray, n_forests: int) -> np.ndarray:
    """(n_forests, n_trees, n_samples, n_outputs): what the trees say of X (n_samples, n_features).

    ``grow(i)`` draws the data of forest i anew and grows it; all forests have as many trees. Raises ValueError
    for fewer than two forests, which show no variance.
    """
    _demand(n_forests)
    return np.stack([answers(grow(i), X) for i in range(n_forests)])


def fall_of(said: np.ndarray) -> Fall:
    """Variance and correlation of trees over redrawn data, on average over samples and outputs.

    said is (n_forests, n_trees, ...), forests grown on data drawn independently. The trees of one forest are alike
    as far as they come of the same data: the variance of what a forest says on average (less what chance in B
    trees adds to it) is rho sigma^2, that of trees about their forest (1 - rho) sigma^2. Both are unbiased.
    Raises ValueError for fewer than two forests, or two trees.
    """
    _demand(len(said))
    if said.shape[1] < 2:
        raise ValueError("one tree in a forest has no other to be correlated with; grow at least two")
    within = float(said.var(axis=1, ddof=1).mean())
    between = float(said.mean(axis=1).var(axis=0, ddof=1).mean()) - within / said.shape[1]
    return Fall(between + within, between / (between + within) if between + within > 0 else 1.0)


def measured(said: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(m,) variance over redrawn forests of the mean of `sizes` (m,) trees, on average over samples and outputs.

    said as in `fall_of`. Trees are taken in groups that do not overlap, as many as there are.
    Raises ValueError for fewer than two forests, or for sizes below one or above the number of trees.
    """
    _demand(len(said))
    n_trees = said.shape[1]
    if np.min(sizes) < 1 or np.max(sizes) > n_trees:
        raise ValueError(f"there are forests of {n_trees} trees; sizes must lie between 1 and {n_trees}")
    return np.array([_variance_of(said, int(size)) for size in sizes])


def _variance_of(said: np.ndarray, size: int) -> float:
    n_groups = said.shape[1] // size
    groups = said[:, : n_groups * size].reshape(len(said), n_groups, size, *said.shape[2:])
    return float(groups.mean(axis=2).var(axis=0, ddof=1).mean())


def _demand(n_forests: int) -> None:
    if n_forests < 2:
        raise ValueError("one forest does not show how forests vary; redraw the data at least twice")
