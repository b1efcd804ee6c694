"""Gradient boosting as its papers say it, over and over all rows: slow, and easy to check by eye."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class NaiveLeaf(NamedTuple):
    """Rows of a leaf, and its best split: (gain, feature, threshold), or None."""

    rows: np.ndarray
    split: tuple[float, int, float] | None


class NaiveSettings(NamedTuple):
    n_rounds: int
    max_leaves: int
    min_leaf: int
    rate: float = 0.1
    ridge: float = 0.0


def best_split(X, g, h, rows, settings):
    """The split that gains most over all features and all thresholds midway between values of the whole column."""
    best = None
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2:
            left = rows[X[rows, feature] <= threshold]
            right = rows[X[rows, feature] > threshold]
            if min(len(left), len(right)) < settings.min_leaf:
                continue
            parts = [g[side].sum() ** 2 / (h[side].sum() + settings.ridge) for side in (left, right, rows)]
            gain = parts[0] + parts[1] - parts[2]
            if gain > 1e-9 and (best is None or gain > best[0] + 1e-9):
                best = (gain, feature, threshold)
    return best


def leaves_of(X, g, h, settings):
    """The leaves of a tree grown best first: rows of each."""
    leaves = [NaiveLeaf(rows := np.arange(len(X)), best_split(X, g, h, rows, settings))]
    while len(leaves) < settings.max_leaves:
        gains = [leaf.split[0] if leaf.split else -np.inf for leaf in leaves]
        best = leaves[int(np.argmax(gains))]
        if best.split is None:
            break
        leaves = [leaf for leaf in leaves if leaf is not best]
        _, feature, threshold = best.split
        goes = X[best.rows, feature] <= threshold
        for rows in (best.rows[goes], best.rows[~goes]):
            leaves.append(NaiveLeaf(rows, best_split(X, g, h, rows, settings)))
    return [leaf.rows for leaf in leaves]


def scores_of_numbers(X, y, settings):
    """(n_samples,) the sum after all rounds of least squares."""
    score = np.full(len(y), y.mean())
    for _ in range(settings.n_rounds):
        g, h = score - y, np.ones(len(y))
        step(X, g, h, score, settings)
    return score


def scores_of_classes(X, y, n_classes, settings):
    """(n_samples, n_classes) the scores after all rounds of the log loss; of two classes the second's alone."""
    share = np.bincount(y, minlength=n_classes) / len(y)
    if n_classes == 2:
        score = np.full((len(y), 1), np.log(share[1] / share[0]))
    else:
        score = np.tile(np.log(share) - np.log(share).mean(), (len(y), 1))
    for _ in range(settings.n_rounds):
        p = shares_of(score)
        for k in range(score.shape[1]):
            own = 1 if n_classes == 2 else k
            step(X, p[:, own] - (y == own), p[:, own] * (1 - p[:, own]), score[:, k], settings)
    return score


def shares_of(score):
    """(n_samples, n_classes) shares of scores."""
    if score.shape[1] == 1:
        score = np.hstack([np.zeros_like(score), score])
    e = np.exp(score - score.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def step(X, g, h, score, settings):
    """Add the steps of one tree to the scores."""
    for rows in leaves_of(X, g, h, settings):
        score[rows] -= settings.rate * g[rows].sum() / (h[rows].sum() + settings.ridge)
