"""The losses of gradient boosting: where the scores start, how they become predictions, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from espalier.kernels.boosting import gradients
from espalier.kernels.boosting.gradients import Derivatives

RARE = 1e-12  # least share of a class from which its score starts


class Loss(NamedTuple):
    """A loss of scores (n_scores, n_samples)."""

    link: str  # as in `espalier.trees.Forest`
    start: np.ndarray  # (n_scores,) float64: the constant scores of least loss
    differentiate: Callable  # (y, score, weight, derivatives): fills the derivatives, returns the weighted sum
    is_median: bool = False  # whether leaves step by the median residual, since there is no second derivative

    @property
    def n_scores(self) -> int:
        """How many scores a sample has, and so how many trees a round grows."""
        return len(self.start)

    def of(self, y: np.ndarray, score: np.ndarray, weight: np.ndarray, derivatives: Derivatives) -> float:
        """Fill the derivatives at the scores (n_scores, n_samples); return the weighted mean loss."""
        return self.differentiate(y, score, weight, derivatives) / weight.sum()


def squared_error(y: np.ndarray, weight: np.ndarray) -> Loss:
    """Return the squared error, from the mean of the targets on (ESL, algorithm 10.3, line 1)."""
    return Loss("identity", np.array([np.average(y, weights=weight)]), gradients.squared_error)


def absolute_error(y: np.ndarray, weight: np.ndarray) -> Loss:
    """Return the absolute error, from the median of the targets on (Friedman 2001, algorithm 3)."""
    return Loss("identity", np.array([weighted_median(y, weight)]), gradients.absolute_error, is_median=True)


def poisson(y: np.ndarray, weight: np.ndarray) -> Loss:
    """Return half the Poisson deviance of targets of at least 0, from the logarithm of their mean on."""
    return Loss("log", np.log([np.average(y, weights=weight)]), gradients.poisson)


NUMBER_LOSSES = {"squared_error": squared_error, "absolute_error": absolute_error, "poisson": poisson}


def weighted_median(y: np.ndarray, weight: np.ndarray) -> float:
    """Return the median of y (n,): the mean of two values if exactly half of the weight (n,) lies below.

    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 1.0]))
    2.0
    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 2.0]))
    5.5
    """
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    at = [np.searchsorted(below, below[-1] / 2, side) for side in ("left", "right")]
    return float(np.mean(y[order][np.minimum(at, len(y) - 1)]))


def log_loss(y: np.ndarray, weight: np.ndarray, n_classes: int) -> Loss:
    """Return the log loss: for two classes of one score, the log odds, else of one for each class.

    Scores start from the classes' shares (Friedman 2001, algorithms 5 and 6).
    """
    share = np.bincount(y.astype(np.int64), weight, n_classes) / weight.sum()
    score = np.log(np.maximum(share, RARE))
    if n_classes == 2:
        return Loss("logistic", score[1:] - score[:1], gradients.log_loss)
    return Loss("softmax", score - score.mean(), gradients.log_loss_of_many)


def no_derivatives(n_scores: int, n_samples: int) -> Derivatives:
    """Return room for the derivatives of so many scores and samples."""
    return Derivatives(np.empty((n_scores, n_samples)), np.empty((n_scores, n_samples)))
