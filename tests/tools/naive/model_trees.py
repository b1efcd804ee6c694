"""The best models of a feature, and of a pair of features, by weighted least squares for every split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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


class Pair(NamedTuple):
    """A feature to split on, and the other one, whose effect the split is to turn."""

    x: np.ndarray
    partner: np.ndarray
    x_has_categories: bool
    partner_has_categories: bool


def least_turn(pair: Pair, z: np.ndarray, weight: np.ndarray, ridge: float, least: float) -> float:
    """The least error of a split on x with a model of the partner on each side; inf where there is none."""
    heavy = [
        left for left in sides(pair, z, weight, ridge) if min(weight[left].sum(), weight[~left].sum()) >= least
    ]
    return min((side_error(pair, left, z, weight, ridge) for left in heavy), default=np.inf)


def side_error(pair: Pair, left: np.ndarray, z: np.ndarray, weight: np.ndarray, ridge: float) -> float:
    """The errors of a line on each side, or of the mean of each category."""
    if not pair.partner_has_categories:
        basis = pair.partner[:, np.newaxis]
        return sum(ridge_error(basis[at], z[at], weight[at], ridge) for at in (left, ~left))
    cells = [side & (pair.partner == code) for side in (left, ~left) for code in np.unique(pair.partner)]
    return sum(ridge_error(np.empty((at.sum(), 0)), z[at], weight[at], ridge) for at in cells if at.any())


def sides(pair: Pair, z: np.ndarray, weight: np.ndarray, ridge: float) -> Iterator[np.ndarray]:
    """The samples on the left of every split: thresholds, or sets of categories by the partner's effect."""
    if not pair.x_has_categories:
        values = np.unique(pair.x)
        yield from (pair.x <= t for t in values[:-1])
        return
    codes = np.unique(pair.x)
    for group in np.unique(pair.partner) if pair.partner_has_categories else (None,):
        effects = [effect(pair, pair.x == code, z, weight, ridge, group) for code in codes]
        order = codes[np.argsort(np.round(effects, 9), kind="stable")]  # a lone sample has no slope but rounding
        yield from (np.isin(pair.x, order[:n]) for n in range(1, len(order)))


def effect(
    pair: Pair, at: np.ndarray, z: np.ndarray, weight: np.ndarray, ridge: float, group: float | None
) -> float:
    """The slope of the partner in some samples, or the mean response of those of one of its categories."""
    if group is not None:
        at = at & (pair.partner == group)
        return float(np.average(z[at], weights=weight[at])) if at.any() else 0.0
    x = pair.partner[at] - np.average(pair.partner[at], weights=weight[at])
    return float((weight[at] * x) @ z[at] / (weight[at] @ x**2 + ridge))
