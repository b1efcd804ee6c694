"""The costs of trees' errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Prices(NamedTuple):
    """The costs of errors; by default all are equal."""

    weight: np.ndarray  # (n_classes,) float64: weight of a row of each class
    cost: np.ndarray  # (n_classes, n_classes) float64, [true, predicted]: cost of the confusion

    @property
    def are_equal(self) -> bool:
        """Whether every error costs 1, so that cost is the number of errors."""
        others = ~np.eye(len(self.weight), dtype=bool)
        return bool((self.weight == 1).all() and (self.cost[others] == 1).all())


class Mistakes(NamedTuple):
    """Errors on some rows; both numbers by weight, where rows do not count the same."""

    n_rows: float
    n_wrong: float
    cost: float  # equal to `n_wrong` if prices are equal


def prices(
    y: np.ndarray,
    n_classes: int,
    balanced: bool,
    cost: np.ndarray | None = None,
) -> Prices:
    """Return prices on rows of classes y (n_samples,); `balanced` makes all classes that occur weigh the same.

    That is by their numbers of rows, as `class_weight` of learners has it, also where rows have weights.
    """
    equal = 1.0 - np.eye(n_classes)
    count = np.bincount(y, minlength=n_classes)
    weight = np.ones(n_classes)
    if balanced:
        weight = len(y) / (np.count_nonzero(count) * np.maximum(count, 1))
    return Prices(weight, equal if cost is None else np.asarray(cost, dtype=np.float64))


def row_weights(prices: Prices) -> np.ndarray:
    """Return equivalent class weights for a learner without costs, (n_classes,), if each class has one cost."""
    return prices.weight * prices.cost.max(axis=1)


def mistakes(y: np.ndarray, predicted: np.ndarray, prices: Prices, weight: np.ndarray | None = None) -> Mistakes:
    """Return the number and the cost of errors of `predicted` (n_samples,) for rows of classes y (n_samples,).

    Rows count by their `weight` (n_samples,), or all the same.
    """
    spent = prices.weight[y] * prices.cost[y, predicted]
    if weight is None:
        return Mistakes(len(y), int(np.count_nonzero(y != predicted)), float(spent.sum()))
    return Mistakes(float(weight.sum()), float(weight[y != predicted].sum()), float((weight * spent).sum()))
