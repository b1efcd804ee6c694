"""What the errors of trees cost, and where two trees do not agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Prices(NamedTuple):
    """What errors cost: equal for all of them unless something else is said."""

    weight: np.ndarray  # (n_classes,) float64: what a row of each class counts
    cost: np.ndarray  # (n_classes, n_classes) float64, [true, predicted]: what taking one for the other costs

    @property
    def are_equal(self) -> bool:
        """Whether every error costs 1, so that cost is the number of errors."""
        others = ~np.eye(len(self.weight), dtype=bool)
        return bool((self.weight == 1).all() and (self.cost[others] == 1).all())


class Mistakes(NamedTuple):
    """Errors on some rows."""

    n_rows: int
    n_wrong: int
    cost: float  # the same as `n_wrong` where prices are equal


def prices(y: np.ndarray, n_classes: int, balanced: bool, cost: np.ndarray | None = None) -> Prices:
    """Prices on rows of classes y (n_samples,); `balanced` makes all classes that occur weigh the same."""
    equal = 1.0 - np.eye(n_classes)
    count = np.bincount(y, minlength=n_classes)
    weight = np.ones(n_classes)
    if balanced:
        weight = len(y) / (np.count_nonzero(count) * np.maximum(count, 1))
    return Prices(weight, equal if cost is None else np.asarray(cost, dtype=np.float64))


def row_weights(found: Prices) -> np.ndarray:
    """(n_classes,): class weights that mean the same to a learner without costs, where a row's costs are equal."""
    return found.weight * found.cost.max(axis=1)


def mistakes(y: np.ndarray, predicted: np.ndarray, found: Prices) -> Mistakes:
    """What predicting classes (n_samples,) costs where the rows are of classes y (n_samples,)."""
    spent = found.weight[y] * found.cost[y, predicted]
    return Mistakes(len(y), int(np.count_nonzero(y != predicted)), float(spent.sum()))
