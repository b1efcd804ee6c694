"""Directions in which a slanted split may measure samples: sparse linear discriminants of a node.

A node's features are standardised. Their weighted moments, the Gram matrix, then say of every set of features what
its ridge regression on a target explains. For classes these regressions are linear discriminants
(Hastie, Tibshirani & Friedman 2009, section 4.2), which trees split on since FACT (Loh & Vanichsetakul 1988).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RIDGE = 0.1  # added to the variances, which are 1: less follows small nodes too closely
MOST_FEATURES = 30  # of which all pairs are tried; of more, the best so many of each target
MOST_PAIRS = 12  # of each target, by what they explain
NEWTON_STEPS = 12
SMALL = 1e-8  # ridge of the logistic regression: so small that it parts whatever can be parted


class NodeSample(NamedTuple):
    """The features of a node's samples that vary in it, with mean 0 and variance 1."""

    Z: np.ndarray  # (n_samples, n_varying) float64
    feature: np.ndarray  # (n_varying,) int64: column of X
    spread: np.ndarray  # (n_varying,) float64: standard deviation in the node
    weight: np.ndarray  # (n_samples,) float64, which sum to 1


class Direction(NamedTuple):
    """A weighted sum of features, the one that matters most first, with coefficient 1."""

    feature: np.ndarray  # (n_terms,) int64; column of X
    coefficient: np.ndarray  # (n_terms,) float64


def node_sample(columns: np.ndarray, numbers: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> NodeSample:
    """Return the standardised numbers of some rows.

    `columns` is (n_features, n_samples), `numbers` the features that are no categories, `weight` that of the rows.
    """
    weight = weight / weight.sum()
    values = columns[numbers][:, rows].T
    Z = values - weight @ values
    spread = np.sqrt(weight @ Z**2)
    varies = spread > 1e-9 * np.maximum(np.abs(values).max(axis=0), 1e-300)
    return NodeSample(Z[:, varies] / spread[varies], numbers[varies], spread[varies], weight)


def discriminants(sample: NodeSample, targets: np.ndarray, most: int) -> list[Direction]:
    """Return directions of 2 to `most` features that explain the targets, (n_samples, n_targets), best.

    Of each target: the features chosen one by one by what the ridge regression on them explains, and the best
    pairs. `sample.weight` says how much each row counts.
    """
    gram, moments = _moments(sample, targets)
    found = []
    for target in moments.T:
        supports = _forward(gram, target, most)
        if len(target) > 1:
            supports += _pairs(gram, target)
        found += [_direction(sample, s, _fits(gram, target, s[None])[0][0]) for s in supports]
    return [one for one in found if one is not None]


def _moments(sample: NodeSample, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the Gram matrix with its ridge (n_varying, n_varying), and its products with the centred targets."""
    weighted = sample.Z * sample.weight[:, None]
    total = sample.weight.sum()
    middle = weighted.sum(axis=0) / total
    gram = weighted.T @ sample.Z / total - np.outer(middle, middle)
    moments = weighted.T @ (targets - sample.weight @ targets / total) / total
    return gram + RIDGE * np.eye(len(gram)), moments


def _fits(gram: np.ndarray, target: np.ndarray, supports: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients (n, size) of regressions on sets of features (n, size), and what they explain."""
    part = gram[supports[:, :, None], supports[:, None, :]]
    moments = target[supports]
    coefficient = np.linalg.solve(part, moments[:, :, None])[:, :, 0]
    return coefficient, (coefficient * moments).sum(axis=1)


def _forward(gram: np.ndarray, target: np.ndarray, most: int) -> list[np.ndarray]:
    """Return sets of 2, 3, … features, each the one before with the feature that explains most more."""
    chosen = np.empty(0, np.int64)
    found = []
    while len(chosen) < min(most, len(target)):
        others = np.setdiff1d(np.arange(len(target)), chosen)
        supports = np.column_stack([np.tile(chosen, (len(others), 1)), others]).astype(np.int64)
        chosen = supports[_fits(gram, target, supports)[1].argmax()]
        found.append(chosen)
    return found[1:]


def _pairs(gram: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
    """Return the pairs of features that explain the target best."""
    best = np.sort(np.argsort(-np.abs(target), kind="stable")[:MOST_FEATURES])
    first, second = np.triu_indices(len(best), 1)
    supports = np.column_stack([best[first], best[second]])
    explained = _fits(gram, target, supports)[1]
    return list(supports[np.argsort(-explained, kind="stable")[:MOST_PAIRS]])


def _direction(sample: NodeSample, support: np.ndarray, standardised: np.ndarray) -> Direction | None:
    """Return the direction of these coefficients of standardised features; None where fewer than two count."""
    size = np.abs(standardised)
    counts = size > 1e-6 * size.max(initial=1e-300)
    if np.count_nonzero(counts) < 2:
        return None
    support, standardised = support[counts], standardised[counts]
    order = np.argsort(-np.abs(standardised), kind="stable")
    coefficient = standardised[order] / sample.spread[support[order]]
    return Direction(sample.feature[support[order]], coefficient / coefficient[0])


def logistic(sample: NodeSample, direction: Direction, side: np.ndarray) -> Direction | None:
    """Return the direction of the logistic regression of `side` (n_samples,), 0 to 1, on the direction's features.

    Newton's steps, halved as long as the loss rises (Hastie, Tibshirani & Friedman 2009, section 4.4.1). Where a
    line parts the sides the loss falls without end, and the direction comes to part them.
    """
    support = np.flatnonzero(np.isin(sample.feature, direction.feature))
    Z = np.column_stack([np.ones(len(side)), sample.Z[:, support]])
    weight = sample.weight / sample.weight.sum()
    beta = np.zeros(Z.shape[1])
    loss = np.inf
    for _ in range(NEWTON_STEPS):
        share = 1 / (1 + np.exp(-np.clip(Z @ beta, -500, 500)))
        curvature = (Z.T * (weight * share * (1 - share))) @ Z + SMALL * np.eye(len(beta))
        step = np.linalg.solve(curvature, Z.T @ (weight * (side - share)) - SMALL * beta)
        for _ in range(6):
            after = _log_loss(Z @ (beta + step), side, weight)
            if after < loss:
                break
            step = step / 2
        else:
            break
        beta, loss = beta + step, after
    return _direction(sample, support, beta[1:])


def _log_loss(score: np.ndarray, side: np.ndarray, weight: np.ndarray) -> float:
    return float(weight @ (np.logaddexp(0, score) - side * score))
