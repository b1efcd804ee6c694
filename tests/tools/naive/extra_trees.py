"""Extremely randomised trees, naively: node by node, with the kernels' random numbers and no speed.

Geurts, Ernst & Wehenkel (2006), table 1. Every function takes the samples of one node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.forest.grow_random import draw_set, draw_threshold
from espalier.kernels.randomness import below, child_seed


class Split(NamedTuple):
    feature: int
    threshold: float  # nan for categories
    categories: int
    left: np.ndarray  # (n,) bool
    loss: float  # weighted impurity of both sides


def sum_of_squares(y: np.ndarray, weight: np.ndarray) -> float:
    """Weight times impurity of a node; for classes, each a column of 0 and 1, that is the gini impurity."""
    total = weight.sum()
    mean = (weight[:, None] * y).sum(axis=0) / total
    return float((weight[:, None] * (y - mean) ** 2).sum())


def candidates(x: np.ndarray, is_category: bool, state: np.ndarray) -> list[tuple[float, int, np.ndarray]]:
    """The random cut of one feature, missing values on the right and on the left."""
    known = ~np.isnan(x)
    if not known.any() or (known.all() and x.min() == x.max()):
        return []
    values = x[known]
    threshold, categories = np.inf, 0
    if is_category:
        threshold, present = np.nan, sum(1 << int(code) for code in np.unique(values))
        some = len(np.unique(values)) > 1
        categories = int(draw_set(np.uint64(present), state)) if some else present
        left = np.array([code == code and bool(categories >> int(code) & 1) for code in np.nan_to_num(x)]) & known
    else:
        if values.min() < values.max():
            threshold = float(draw_threshold(values.min(), values.max(), state))
        left = x <= threshold
    both = [(threshold, categories, left)]
    return both if known.all() else [*both, (threshold, categories, left | ~known)]


def best_split(X: np.ndarray, y: np.ndarray, weight: np.ndarray, about: Any, seed: np.uint64) -> Split | None:
    """The best of the random cuts; `about` has is_category, max_features and min_leaf."""
    p, state, best, varied = X.shape[1], np.array([seed], np.uint64), None, False
    order = np.arange(p)
    for i in range(p):
        if i >= (1 if len(X) == 2 else about["max_features"]) and varied:
            break
        j = i + below(state, p - i)
        order[i], order[j] = order[j], order[i]
        feature = int(order[i])
        cuts = candidates(X[:, feature], bool(about["is_category"][feature]), state)
        varied = varied or bool(cuts)
        for threshold, categories, left in cuts:
            if min(left.sum(), (~left).sum()) < max(about["min_leaf"], 1):
                continue
            loss = sum_of_squares(y[left], weight[left]) + sum_of_squares(y[~left], weight[~left])
            if best is None or loss < best.loss * (1 - 1e-12):
                best = Split(feature, threshold, categories, left, loss)
    return best


def grown(X: np.ndarray, y: np.ndarray, weight: np.ndarray, about: Any, seed: np.uint64) -> list[tuple]:
    """The nodes in preorder: feature, threshold, categories that go left and are there, samples."""
    pure = bool((y == y[0]).all())
    found = None if pure else best_split(X, y, weight, about, seed)
    if found is None:
        return [(-1, np.nan, 0, len(X))]
    nodes: list[tuple] = [(found.feature, found.threshold, found.categories, len(X))]
    for side, rows in ((True, found.left), (False, ~found.left)):
        nodes += grown(X[rows], y[rows], weight[rows], about, np.uint64(child_seed(seed, side) % 2**64))
    return nodes
