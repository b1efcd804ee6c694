"""Ways of missing values: the values that fill them in, and trees that send them where these values go.

The four ways are those of the textbooks. The course chapter and Hastie, Tibshirani & Friedman (2009, section
9.2.4) name filling in, a category of its own, and surrogate splits. The fourth lets a split send missing values to
the better side, or split them off ("missingness incorporated in attributes", Twala, Jones & Hand 2008).
"""

from __future__ import annotations

import numpy as np

from espalier.kernels.route import passes
from espalier.kernels.task import AS_CATEGORY, BY_SURROGATES, TO_BETTER_SIDE
from espalier.learners.base import TrainingData
from espalier.trees import LEAF, Tree, make_tree

WAYS = {"side": TO_BETTER_SIDE, "category": AS_CATEGORY, "impute": TO_BETTER_SIDE, "surrogate": BY_SURROGATES}
FILLS = ("mean", "median")
N_CODES = 64


def ways_with(criterion: str) -> tuple[str, ...]:
    """Return the ways of missing values that trees of a criterion may have.

    Gain ratio has no surrogate splits: its split information counts all samples, and a split that is chosen among
    those with a value knows only these.

    >>> ways_with("gain_ratio")
    ('side', 'category', 'impute')
    """
    return tuple(way for way in WAYS if way != "surrogate" or criterion != "gain_ratio")


def fills_of(training: TrainingData, is_category: np.ndarray, impute_with: str) -> np.ndarray:
    """Return the value that fills each column, (n_features,) float64; nan for one without any known value.

    The weighted mean, or the median, of numbers; of categories (is_category (n_features,) bool) the one with most
    weight, the first of equals.

    >>> X = np.array([[1.0, 2.0], [2.0, 2.0], [9.0, 1.0], [np.nan, np.nan]])
    >>> training = TrainingData(X, np.zeros(4), np.ones(4))
    >>> fills_of(training, np.array([False, True]), "mean").tolist()
    [4.0, 2.0]
    >>> fills_of(training, np.array([False, True]), "median").tolist()
    [2.0, 2.0]
    """
    kinds = ["mode" if category else impute_with for category in is_category]
    return np.array(
        [_fill(column, training.weight, kind) for column, kind in zip(training.X.T, kinds, strict=True)]
    )


def fill_in(X: np.ndarray, fills: np.ndarray, is_category: np.ndarray) -> np.ndarray:
    """Return X (n_samples, n_features) with its missing values filled in; codes that are no category are missing.

    >>> fill_in(np.array([[np.nan, 3.0]]), np.array([1.5, 0.0]), np.array([False, True])).tolist()
    [[1.5, 3.0]]
    """
    return np.where(_is_missing(X, is_category), fills, X)


def routed_as_filled(tree: Tree, fills: np.ndarray) -> Tree:
    """Return the tree, its missing values sent where the fills (n_features,) of their columns go.

    It predicts for X as the tree does for what `fill_in` makes of it.
    """
    missing_left = tree.missing_left.copy()
    for node in np.flatnonzero(tree.feature != LEAF):
        fill, threshold = float(fills[tree.feature[node]]), float(tree.threshold[node])
        missing_left[node] = passes(fill, threshold, tree.categories[node], bool(missing_left[node]))
    return make_tree(*tree._replace(missing_left=missing_left))


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
    low, high = y[order][np.minimum(at, len(y) - 1)].tolist()
    return low / 2 + high / 2


def _fill(column: np.ndarray, weight: np.ndarray, kind: str) -> float:
    has_value = ~_is_missing(column, np.array(kind == "mode"))
    values, weight = column[has_value], weight[has_value]
    if not len(values):
        return np.nan
    if kind == "mode":
        return float(np.bincount(values.astype(np.int64), weight).argmax())
    if kind == "mean":
        return float(np.average(values, weights=weight))
    return weighted_median(values, weight)


def _is_missing(values: np.ndarray, is_category: np.ndarray) -> np.ndarray:
    no_code = (values < 0) | (values >= N_CODES)
    return np.isnan(values) | (is_category & no_code)
