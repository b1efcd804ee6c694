"""Directions in which a slanted split may measure samples: sparse linear discriminants of a node.

A node's features are standardised. Their weighted moments, the Gram matrix, then say of every set of features what
its ridge regression on a target explains. For classes these regressions are linear discriminants
(Hastie, Tibshirani & Friedman 2009, section 4.2), which trees split on since FACT (Loh & Vanichsetakul 1988).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from espalier.kernels.oblique.discriminants import Directions, Moments, find_discriminants, write_direction
from espalier.kernels.oblique.logistic import logistic_regression

RIDGE = 0.1  # added to the variances, which are 1: less follows small nodes too closely
MOST_FEATURES = 30  # of which all pairs are tried; of more, the best so many of each target
MOST_PAIRS = 12  # of each target, by what they explain


class NodeSample(NamedTuple):
    """The features of a node's samples that vary in it, with mean 0 and variance 1."""

    Z: np.ndarray  # (n_samples, n_varying) float64
    feature: np.ndarray  # (n_varying,) int64: column of X
    spread: np.ndarray  # (n_varying,) float64: standard deviation in the node
    weight: np.ndarray  # (n_samples,) float64, which sum to 1


class Direction(NamedTuple):
    """A weighted sum of features, the one that matters most first, with coefficient 1."""

    feature: np.ndarray  # (n_terms,) int32; column of X
    coefficient: np.ndarray  # (n_terms,) float64


def node_sample(columns: np.ndarray, numbers: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> NodeSample:
    """Return the standardised numbers of some rows.

    `columns` is (n_features, n_samples), `numbers` the features that are no categories, `weight` that of the rows.
    """
    weight = weight / weight.sum()
    values = columns[numbers[:, None], rows].T
    Z = values - weight @ values
    spread = np.sqrt(weight @ Z**2)
    varies = spread > 1e-9 * np.maximum(np.abs(values).max(axis=0), 1e-300)
    return NodeSample(np.ascontiguousarray(Z[:, varies] / spread[varies]), numbers[varies], spread[varies], weight)


def discriminants(sample: NodeSample, targets: np.ndarray, most: int) -> Directions:
    """Return directions of 2 to `most` features that explain the targets, (n_samples, n_targets), best.

    Of each target: the features chosen one by one by what the ridge regression on them explains, and the best
    pairs. `sample.weight` says how much each row counts.
    """
    return find_discriminants(_moments(sample, targets), min(most, len(sample.feature)), MOST_FEATURES, MOST_PAIRS)


def _moments(sample: NodeSample, targets: np.ndarray) -> Moments:
    """Return the Gram matrix with its ridge, and its products with the centred targets."""
    weighted = sample.Z * sample.weight[:, None]
    total = sample.weight.sum()
    middle = weighted.sum(axis=0) / total
    gram = weighted.T @ sample.Z / total - np.outer(middle, middle)
    products = (targets - sample.weight @ targets / total).T @ weighted / total
    return Moments(gram + RIDGE * np.eye(len(gram)), products, sample.feature, sample.spread)


def logistic(sample: NodeSample, direction: Direction, side: np.ndarray) -> Directions:
    """Return the direction of the logistic regression of `side` (n_samples,), 0 to 1, on its features."""
    support = np.flatnonzero(np.isin(sample.feature, direction.feature))
    weight = sample.weight / sample.weight.sum()
    beta = logistic_regression(np.ascontiguousarray(sample.Z[:, support]), side, weight)
    found = _empty(1, len(support))
    nothing = np.empty((0, 0))
    write_direction(Moments(nothing, nothing, sample.feature, sample.spread), support, beta[1:], found, 0)
    return found


def _empty(n: int, most: int) -> Directions:
    return Directions(np.zeros((n, most), np.int32), np.zeros((n, most)), np.zeros(n, np.int64))


def listed(directions: Iterable[Direction]) -> Directions:
    """Return single directions as one record of all."""
    directions = list(directions)
    found = _empty(len(directions), max((len(one.feature) for one in directions), default=1))
    for at, one in enumerate(directions):
        found.n_terms[at] = n = len(one.feature)
        found.feature[at, :n], found.coefficient[at, :n] = one.feature, one.coefficient
    return found


def one_of(directions: Directions, at: int) -> Direction:
    """Return a single direction of a record."""
    n = directions.n_terms[at]
    return Direction(directions.feature[at, :n], directions.coefficient[at, :n])
