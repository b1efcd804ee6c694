"""The best models of a feature, by weighted least squares for every threshold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

LINE, STEP, BENT, LINES = range(1, 5)


def ridge_error(basis: np.ndarray, z: np.ndarray, weight: np.ndarray, ridge: float) -> float:
    """Squared errors of a fit with an intercept, and the penalty of the slopes."""
    design = np.column_stack([np.ones(len(z)), basis])
    penalty = ridge * np.eye(design.shape[1])
    penalty[0, 0] = 0.0
    weighted = design * weight[:, np.newaxis]
    slopes = np.linalg.solve(design.T @ weighted + penalty, weighted.T @ z)
    return float(weight @ (z - design @ slopes) ** 2 + slopes @ penalty @ slopes)


def thresholds(x: np.ndarray, least: int) -> Iterator[float]:
    """Midpoints with so many samples on both sides."""
    values = np.unique(x)
    for t in (values[:-1] + values[1:]) / 2:
        if min((x <= t).sum(), (x > t).sum()) >= least:
            yield float(t)


def least_errors(x: np.ndarray, z: np.ndarray, weight: np.ndarray, ridge: float, least: int) -> dict[int, float]:
    """The least error of each kind of model of one score."""
    none = np.empty((len(x), 0))
    found = {LINE: ridge_error(x[:, np.newaxis], z, weight, ridge), STEP: np.inf, BENT: np.inf, LINES: np.inf}
    for t in thresholds(x, least):
        left = x <= t
        sides = [(x[at, np.newaxis], none[at], z[at], weight[at]) for at in (left, ~left)]
        found[STEP] = min(found[STEP], sum(ridge_error(n, r, w, ridge) for _, n, r, w in sides))
        found[LINES] = min(found[LINES], sum(ridge_error(v, r, w, ridge) for v, _, r, w in sides))
        bent = np.column_stack([x, np.maximum(x - t, 0.0)])
        found[BENT] = min(found[BENT], ridge_error(bent, z, weight, ridge))
    return found
