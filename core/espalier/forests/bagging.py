"""One fit beside the mean of many on bootstrap samples, and how much a single row counts in either.

A mean, a line and a tree all answer by a weighted sum of the targets. What a target weighs in the answer at its
own row is that row's influence (in regression its leverage). Bagging makes influences more equal (Grandvalet 2004,
"Bagging equalizes influence", Machine Learning 55), and so it helps where an influential row is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.forest.bootstrap import draw
from espalier.learners import RandomForestRegressor
from espalier.predict import leaves

MODELS = ("tree", "line", "mean")


class BaggedFit(NamedTuple):
    """What one fit to all rows answers, and the mean of fits to bootstrap samples, at some places."""

    one: np.ndarray  # (n_at,)
    bags: np.ndarray  # (n_bags, n_at): each fit of the mean
    influence_in_one: np.ndarray  # (n_samples,): how far the answer at a row rises if its target rises by 1
    influence_in_mean: np.ndarray  # (n_samples,): the same of the mean; a tree keeps its splits meanwhile

    @property
    def mean(self) -> np.ndarray:
        """The mean of the bags' answers, (n_at,)."""
        return self.bags.mean(axis=0)


def bagged(model: str, x: np.ndarray, y: np.ndarray, at: np.ndarray, n_bags: int) -> BaggedFit:
    """Return the fits of a model, one of `MODELS`, to rows x, y (n_samples,), with answers at (n_at,) places.

    A tree is grown without a limit. The bags are drawn from a fixed seed: more of them begin with the same ones.

    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0])
    >>> bagged("line", x, y, np.array([3.0]), 10).one.round(6).tolist()
    [6.0]
    """
    places = np.concatenate([at, x])
    one, bags = (_weights(model, x, y, places, n) for n in (0, n_bags))
    of_rows = np.arange(len(x))
    influences = (each[:, len(at) + of_rows, of_rows].mean(axis=0) for each in (one, bags))
    return BaggedFit((one[:, : len(at)] @ y)[0], bags[:, : len(at)] @ y, *influences)


def _weights(model: str, x: np.ndarray, y: np.ndarray, places: np.ndarray, n_bags: int) -> np.ndarray:
    """Return what targets weigh in answers, (n_bags, n_places, n_samples); 0 bags: in one fit to all rows."""
    if model == "tree":
        return _of_trees(x, y, places, n_bags)
    times = _times(len(x), n_bags)
    return _of_lines(x, places, times) if model == "line" else _of_means(places, times)


def _times(n: int, n_bags: int) -> np.ndarray:
    """Return how often each row is in each bag, (n_bags, n_samples)."""
    return np.array([draw(number, n)[0] for number in range(n_bags)] or [np.ones(n)], dtype=np.float64)


def _of_means(places: np.ndarray, times: np.ndarray) -> np.ndarray:
    share = times / times.sum(axis=1, keepdims=True)
    return np.repeat(share[:, np.newaxis, :], len(places), axis=1)


def _of_lines(x: np.ndarray, places: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the weights of least squares; a bag whose rows all have one x answers their mean."""
    share = times / times.sum(axis=1, keepdims=True)
    centre = (share @ x)[:, np.newaxis]
    away = x - centre
    spread = (share * away**2).sum(axis=1, keepdims=True)
    slope = np.divide(share * away, spread, out=np.zeros_like(away), where=spread > 1e-12)
    return share[:, np.newaxis, :] + (places - centre)[:, :, np.newaxis] * slope[:, np.newaxis, :]


def _of_trees(x: np.ndarray, y: np.ndarray, places: np.ndarray, n_bags: int) -> np.ndarray:
    forest = RandomForestRegressor(
        n_estimators=max(n_bags, 1), max_features=None, bootstrap=n_bags > 0, random_state=0, n_jobs=1
    )
    forest.fit(x[:, np.newaxis], y)
    samples, rows = np.asfortranarray(places[:, np.newaxis]), np.asfortranarray(x[:, np.newaxis])
    weights = []
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        together = (leaves(tree, samples)[:, np.newaxis] == leaves(tree, rows)) * times.astype(np.float64)
        weights.append(together / together.sum(axis=1, keepdims=True))
    return np.array(weights)
