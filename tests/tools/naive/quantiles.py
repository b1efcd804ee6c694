"""Quantiles of a forest as Meinshausen (2006) writes them: weights of all samples, then their sums."""

from __future__ import annotations

import numpy as np

from espalier.kernels.route import leaf_of


def weights(forest, X: np.ndarray, x: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The weight of each training sample for the row x, (n_samples,): equations 4 and 5.

    times (n_trees, n_samples) is how much each counts in each tree.
    """
    total = np.zeros(len(X))
    for tree, mine in zip(forest.trees, times, strict=True):
        together = (leaf_of(tree, X) == leaf_of(tree, x[None])) * mine
        total += together / together.sum()
    return total / len(forest.trees)


def quantile(y: np.ndarray, weight: np.ndarray, level: float) -> float:
    """The least target of any weight up to which the weights sum to the level (equations 2 and 6)."""
    reached = [value for value in np.unique(y[weight > 0]) if weight[y <= value].sum() >= level - 1e-12]
    return float(min(reached))
