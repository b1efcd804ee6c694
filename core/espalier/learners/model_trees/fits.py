"""What a model tree is to explain, and a node's model: lines on both sides of its split, or one for all.

The target is responses and their weights at the scores so far, and the loss that is left.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, log_softmax, softmax

LEAST_VARIANCE = 1e-6  # of a share, in the weight of a working response


# What the next model is fitted to, and what it weighs: (n_scores, n) float64 each
Responses: TypeAlias = tuple[np.ndarray, np.ndarray]


class SquaredErrorTarget:
    """A target of numbers, by squared error."""

    n_scores, link = 1, "identity"

    def __init__(self, y: np.ndarray, weight: np.ndarray):
        self.y, self.weight = y, weight
        self._least = max(1e-14 * float(weight @ (y - np.average(y, weights=weight)) ** 2), np.finfo(float).tiny)

    def start(self) -> np.ndarray:
        """Return the constant scores of least loss, (n_scores,): the mean."""
        return np.array([np.average(self.y, weights=self.weight)])

    def responses(self, score: np.ndarray) -> Responses:
        """Return the responses at these scores (n_scores, n_samples): the residuals."""
        return (self.y - score[0])[np.newaxis], self.weight[np.newaxis]

    def loss(self, score: np.ndarray, rows: np.ndarray) -> float:
        """Return the summed loss of some samples: squared residuals."""
        return float(self.weight[rows] @ (self.y[rows] - score[0, rows]) ** 2)

    def information(self, error: np.ndarray, n_parameters: np.ndarray, weight: float) -> np.ndarray:
        """Return the Bayesian information criterion of models with these errors, normal ones of any variance."""
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
        return (self.y - share) / variance, self.weight * variance

    def loss(self, score: np.ndarray, rows: np.ndarray) -> float:
        """Return the deviance, twice the log loss."""
        score = score[:, rows]
        both = np.vstack([np.zeros(len(rows)), score]) if self.is_pair else score
        logs = log_softmax(both, axis=0)[self._class[rows], np.arange(len(rows))]
        return -2.0 * float(self.weight[rows] @ logs)

    def information(self, error: np.ndarray, n_parameters: np.ndarray, weight: float) -> np.ndarray:
        """Return the criterion of errors that approximate the deviance."""
        return error + n_parameters * np.log(weight)


# To be explained by additive scores (n_scores, n_samples): a constant `start`, then the `responses` at the scores
# so far, until the `information` criterion of a model with one more line or split falls no more.
Target: TypeAlias = SquaredErrorTarget | LogLossTarget


# ---- the model of a node


class FeatureLine(NamedTuple):
    """A line in one feature for every score."""

    intercept: np.ndarray  # (n_scores,)
    slope: np.ndarray  # (n_scores,)

    def at(self, x: np.ndarray) -> np.ndarray:
        """Return the line's values, (n_scores, n), at x (n,)."""
        return self.intercept[:, np.newaxis] + np.outer(self.slope, x)

    def shrunk(self, factor: float) -> FeatureLine:
        """Return the line times a factor."""
        return FeatureLine(self.intercept * factor, self.slope * factor)


def fit_mean(responses: Responses) -> FeatureLine:
    """Return the mean response of each score."""
    z, weight = responses
    mean = np.average(z, axis=1, weights=weight)
    return FeatureLine(mean, np.zeros(len(mean)))


def fit_line(x: np.ndarray, responses: Responses, ridge: float, before: np.ndarray) -> FeatureLine:
    """Return the ridge regression line of each score, to be added to one with the slopes `before` (n_scores,)."""
    (z, weight), mean = responses, fit_mean(responses).intercept
    centre = np.average(np.broadcast_to(x, z.shape), axis=1, weights=weight)
    away = x - centre[:, np.newaxis]
    varies = (weight * away * away).sum(axis=1) + ridge
    together = (weight * away * z).sum(axis=1) - ridge * before
    slope = np.divide(together, varies, out=np.zeros_like(mean), where=varies > 0)
    return FeatureLine(mean - slope * centre, slope)


def fit_bent(
    x: np.ndarray, responses: Responses, threshold: float, ridge: float
) -> tuple[FeatureLine, FeatureLine]:
    """Return the lines up to the threshold and beyond it, which meet there."""
    lines = []
    for z, w in zip(*responses, strict=True):
        basis = np.stack([x, np.maximum(x - threshold, 0.0)], axis=1)
        centre = np.average(basis, axis=0, weights=w)
        away = basis - centre
        slopes = np.linalg.solve(away.T @ (away * w[:, np.newaxis]) + ridge * np.eye(2), away.T @ (w * z))
        lines.append((np.average(z, weights=w) - slopes @ centre, *slopes))
    start, slope, bend = np.array(lines).T
    return FeatureLine(start, slope), FeatureLine(start - bend * threshold, slope + bend)


def parameters_of(n_scores: int) -> np.ndarray:
    """Return for each kind of model how many parameters its information criterion counts.

    Of one score 1, 2, 5, 5 and 7, as Raymaekers et al. (2024, section 3.2) have it: a threshold costs 3, of a line
    that bends 2. Of several classes, scores but one are free, and share their threshold.
    """
    free = max(n_scores - 1, 1)
    coefficients, thresholds = np.array([1, 2, 2, 3, 4]), np.array([0, 0, 3, 2, 3])
    return coefficients * free + thresholds


def parameters_of_turns(n_scores: int, n_coefficients: np.ndarray) -> np.ndarray:
    """Return how many parameters splits count whose sides have so many coefficients each; a split costs 3."""
    return 2 * n_coefficients * max(n_scores - 1, 1) + 3
