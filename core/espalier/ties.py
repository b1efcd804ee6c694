"""Predicted class when several have the greatest share: one rule, for `predict` and every view of it.

A single tree predicts the first of equal shares. A forest, whose shares are floating-point sums, treats those
within `ALIKE` as equal and predicts the class that was the most frequent in training, of several the first: so its
prior, (n_classes,), is needed wherever its shares become a class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.kernels.forest.out_of_bag import ALIKE, NO_PRIOR
from espalier.trees import Forest

TIED = 1e-9  # shares that differ by less tie


def winners(shares: np.ndarray, prior: np.ndarray = NO_PRIOR) -> np.ndarray:
    """Return class numbers (n_samples,): the greatest of the shares (n_samples, n_classes), ties broken by the
    prior.

    Of tied classes, return the one with the greatest prior (n_classes,), then the first. Without a prior, the
    first of those that are exactly equal.

    >>> winners(np.array([[0.5, 0.5], [0.6, 0.4]]), prior=np.array([0.3, 0.7])).tolist()
    [1, 0]
    """
    if not len(prior):
        return shares.argmax(axis=1)
    tied = shares >= shares.max(axis=1, keepdims=True) - ALIKE
    return np.where(tied, prior, -1.0).argmax(axis=1)


def winner(shares: np.ndarray, prior: np.ndarray = NO_PRIOR) -> int:
    """Return the class number that `winners` gives the shares (n_classes,) of one sample."""
    return int(winners(shares[None, :], prior)[0])


def leaders(shares: np.ndarray) -> list[int]:
    """Return the classes that have the greatest of the shares (n_classes,): one, or all that tie.

    >>> leaders(np.array([0.4, 0.2, 0.4]))
    [0, 2]
    """
    return np.flatnonzero(shares > shares.max() - TIED).tolist()


def are_tied(shares: np.ndarray) -> np.ndarray:
    """Return which of the shares (n_samples, n_classes) have several `leaders`, (n_samples,) bool.

    >>> are_tied(np.array([[0.4, 0.2, 0.4], [0.2, 0.2, 0.6]])).tolist()
    [True, False]
    """
    return (shares > shares.max(axis=1, keepdims=True) - TIED).sum(axis=1) > 1


def prior_of(model: Any) -> np.ndarray:
    """Return the prior (n_classes,) by which a `Forest` or an estimator breaks ties; (0,) if it has none."""
    forest = model if isinstance(model, Forest) else getattr(model, "forest_", None)
    return forest.prior if isinstance(forest, Forest) else NO_PRIOR


def prior_among(model: Any, n_classes: int) -> np.ndarray:
    """Return `prior_of` an estimator whose ``classes_`` are numbers below `n_classes`, for shares of all of
    these.
    """
    prior = prior_of(model)
    if not len(prior):
        return NO_PRIOR
    among = np.zeros(n_classes)
    among[np.asarray(model.classes_, dtype=np.int64)] = prior
    return among
