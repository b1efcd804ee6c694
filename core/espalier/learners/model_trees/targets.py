"""What a model tree is to explain: responses and their weights at the scores so far, and the loss that is left."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import expit, log_softmax, softmax

from espalier.learners.base import TrainingData

LEAST_VARIANCE = 1e-6  # of a share, in the weight of a working response


class Responses(NamedTuple):
    """What the next model is fitted to."""

    z: np.ndarray  # (n_scores, n) float64
    weight: np.ndarray  # (n_scores, n) float64


class Target(Protocol):
    """A target to be explained by additive scores (n_scores, n_samples)."""

    n_scores: int
    link: str

    def start(self) -> np.ndarray:
        """Return the constant scores of least loss, (n_scores,)."""
        ...

    def responses(self, score: np.ndarray) -> Responses:
        """Return the responses at these scores (n_scores, n_samples)."""
        ...

    def loss(self, score: np.ndarray, rows: np.ndarray) -> float:
        """Return the summed loss of some samples."""
        ...

    def information(self, error: np.ndarray, n_parameters: np.ndarray, weight: float) -> np.ndarray:
        """Return the Bayesian information criterion of models with these errors; less is better."""
        ...


class SquaredErrorTarget:
    """A target of numbers, by squared error."""

    n_scores, link = 1, "identity"

    def __init__(self, y: np.ndarray, weight: np.ndarray):
        self.y, self.weight = y, weight
        self._least = max(1e-14 * float(weight @ (y - np.average(y, weights=weight)) ** 2), np.finfo(float).tiny)

    def start(self) -> np.ndarray:
        """Return the mean."""
        return np.array([np.average(self.y, weights=self.weight)])

    def responses(self, score: np.ndarray) -> Responses:
        """Return the residuals."""
        return Responses((self.y - score[0])[np.newaxis], self.weight[np.newaxis])

    def loss(self, score: np.ndarray, rows: np.ndarray) -> float:
        """Return the sum of squared residuals."""
        return float(self.weight[rows] @ (self.y[rows] - score[0, rows]) ** 2)

    def information(self, error: np.ndarray, n_parameters: np.ndarray, weight: float) -> np.ndarray:
        """Return the criterion of normal errors of unknown variance."""
        # below the floor, what is left is rounding: the simplest model wins
        return weight * np.log(np.maximum(error, self._least) / weight) + n_parameters * np.log(weight)


class LogLossTarget:
    """A target of classes, by log loss: of two classes one score, the log odds, else one for each class.

    Responses and weights are those of Newton's step (LogitBoost; Friedman, Hastie & Tibshirani 2000, sections 4.3
    and 5), as in logistic model trees (Landwehr, Hall & Frank 2005).
    """

    def __init__(self, y: np.ndarray, weight: np.ndarray, n_classes: int):
        self.is_pair = n_classes == 2
        self.n_scores, self.link = (1, "logistic") if self.is_pair else (n_classes, "softmax")
        self.weight = weight
        members = np.arange(n_classes)[:, np.newaxis] == y
        self.y, self._class = (members[1:] if self.is_pair else members).astype(np.float64), y
        self._share = np.maximum(members @ weight / weight.sum(), LEAST_VARIANCE)

    def start(self) -> np.ndarray:
        """Return the scores of the classes' shares."""
        score = np.log(self._share)
        return score[1:] - score[:1] if self.is_pair else score - score.mean()

    def responses(self, score: np.ndarray) -> Responses:
        """Return the working responses of Newton's step."""
        share = expit(score) if self.is_pair else softmax(score, axis=0)
        variance = np.maximum(share * (1.0 - share), LEAST_VARIANCE)
        return Responses((self.y - share) / variance, self.weight * variance)

    def loss(self, score: np.ndarray, rows: np.ndarray) -> float:
        """Return the deviance, twice the log loss."""
        score = score[:, rows]
        both = np.vstack([np.zeros(len(rows)), score]) if self.is_pair else score
        logs = log_softmax(both, axis=0)[self._class[rows], np.arange(len(rows))]
        return -2.0 * float(self.weight[rows] @ logs)

    def information(self, error: np.ndarray, n_parameters: np.ndarray, weight: float) -> np.ndarray:
        """Return the criterion of errors that approximate the deviance."""
        return error + n_parameters * np.log(weight)


def fills(training: TrainingData, is_categorical: np.ndarray) -> np.ndarray:
    """Return what stands in for a missing value of each feature: the mean, or the most frequent category."""
    fills = np.zeros(training.X.shape[1])
    for feature, column in enumerate(training.X.T):
        known = ~np.isnan(column)
        x, weight = column[known], training.weight[known]
        if not len(x):
            continue
        of_category = is_categorical[feature]
        fills[feature] = (
            np.bincount(x.astype(int), weight).argmax() if of_category else np.average(x, weights=weight)
        )
    return fills
