"""The feature that goes most closely together with another: with one, curves are to be read with care."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from espalier.data.dataset import Feature

LEAST_ROWS = 3  # with both values, of which a correlation is taken


class Companion(NamedTuple):
    """A feature, and how closely another one goes together with it."""

    feature: int
    correlation: float  # of the ranks (Spearman 1904), from -1 to 1


def closest_companion(X: np.ndarray, feature: int, features: tuple[Feature, ...]) -> Companion | None:
    """Return the feature whose ranks correlate most with those of another.

    X is (n_samples, n_features). Of two that are as close, the first; samples in which either value is missing
    are left out. None for a feature of unordered categories, for one that does not vary, and if no other feature
    has an order and varies.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> found = closest_companion(iris.X, 2, iris.features)  # petal length
    >>> iris.features[found.feature].name, round(found.correlation, 3)
    ('petal width', 0.938)
    """
    if features[feature].kind == "category":
        return None
    others = [f for f, one in enumerate(features) if f != feature and one.kind != "category"]
    found = [(f, _rank_correlation(X[:, feature], X[:, f])) for f in others]
    known = [Companion(f, r) for f, r in found if r is not None]
    return max(known, key=lambda one: abs(one.correlation), default=None)


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < LEAST_ROWS:
        return None
    a, b = rankdata(x[both]), rankdata(y[both])
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])
