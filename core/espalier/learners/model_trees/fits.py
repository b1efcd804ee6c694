"""The model of a node, fitted: lines on both sides of its split, or one line for all of its samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.model_trees.best_models import BENT, STEP
from espalier.learners.model_trees.targets import Responses


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
    mean = np.average(responses.z, axis=1, weights=responses.weight)
    return FeatureLine(mean, np.zeros(len(mean)))


def fit_line(x: np.ndarray, responses: Responses, ridge: float, before: np.ndarray) -> FeatureLine:
    """Return the ridge regression line of each score, to be added to one with the slopes `before` (n_scores,)."""
    mean = fit_mean(responses).intercept
    centre = np.average(np.broadcast_to(x, responses.z.shape), axis=1, weights=responses.weight)
    away = x - centre[:, np.newaxis]
    varies = (responses.weight * away * away).sum(axis=1) + ridge
    together = (responses.weight * away * responses.z).sum(axis=1) - ridge * before
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


class SplitModel(NamedTuple):
    """A split's kind, and on what it is fitted."""

    kind: int  # STEP, BENT or LINES
    x: np.ndarray  # (n,) the feature of its lines
    goes_left: np.ndarray  # (n,) bool
    threshold: float
    ridge: float
    slope: np.ndarray  # (n_scores,) of that feature so far

    def fit(self, responses: Responses) -> tuple[FeatureLine, FeatureLine]:
        """Return the lines of both sides."""
        if self.kind == BENT:
            return fit_bent(self.x, responses, self.threshold, self.ridge)
        return self._side(responses, self.goes_left), self._side(responses, ~self.goes_left)

    def _side(self, responses: Responses, at: np.ndarray) -> FeatureLine:
        own = Responses(responses.z[:, at], responses.weight[:, at])
        return fit_mean(own) if self.kind == STEP else fit_line(self.x[at], own, self.ridge, self.slope)


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
