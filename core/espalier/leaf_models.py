"""Models in the leaves of a tree: they stand beside it, one linear formula or a few for each leaf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from espalier.trees import LINKS, read_only


class LeafModels(NamedTuple):
    """A linear formula in each leaf of a `Tree`, for every score: ``intercept + sum of coefficient * x``.

    x is the sample's value of the term's feature, kept within `low` and `high`, the least and greatest of the
    leaf's training samples, so that no formula is used where it saw nothing. A missing value counts as the
    feature's `fill`. Scores are kept within `least` and `greatest`; the link makes predictions of them.
    """

    intercept: np.ndarray  # (n_nodes, n_scores) float64; nan at a split
    start: np.ndarray  # (n_nodes + 1,) int32: node i has terms ``start[i]:start[i + 1]``, none at a split
    feature: np.ndarray  # (n_terms,) int32: column of X
    coefficient: np.ndarray  # (n_terms, n_scores) float64
    low: np.ndarray  # (n_terms,) float64
    high: np.ndarray  # (n_terms,) float64
    fill: np.ndarray  # (n_features,) float64: stands in for a missing value; of categories their code
    least: np.ndarray  # (n_scores,) float64
    greatest: np.ndarray  # (n_scores,) float64
    link: str  # "identity"; of classes "logistic" (one score: log odds of class 1) or "softmax"

    @property
    def n_scores(self) -> int:
        """Number of scores: 1 for a number or two classes, else one for each class."""
        return len(self.least)

    def __reduce__(self):
        return make_leaf_models, tuple(self)


def make_leaf_models(*fields) -> LeafModels:
    """LeafModels of the given arrays and link, in the order of the fields, read-only.

    Raises ValueError for an unknown link.
    """
    *arrays, link = fields
    if link not in LINKS:
        raise ValueError(f"link is {link!r}; it must be one of {', '.join(LINKS)}")
    dtypes = ("f8", "i4", "i4", "f8", "f8", "f8", "f8", "f8", "f8")
    return LeafModels._make([*_read_only(arrays, dtypes), link])


def scores_of(models: LeafModels, leaves: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the scores (n_samples, n_scores) of samples X (n_samples, n_features) in these leaves (n_samples,).

    >>> line = make_leaf_models([[1.0]], [0, 1], [0], [[2.0]], [0.0], [3.0], [1.5], [-9.0], [9.0], "identity")
    >>> scores_of(line, np.zeros(3, int), np.array([[1.0], [5.0], [np.nan]])).ravel().tolist()
    [3.0, 7.0, 4.0]
    """
    scores = models.intercept[leaves]
    for leaf in np.unique(leaves).tolist():
        terms = slice(*models.start[leaf : leaf + 2])
        features = models.feature[terms]
        if not len(features):
            continue
        rows = np.flatnonzero(leaves == leaf)
        x = X[np.ix_(rows, features)]
        x = np.clip(np.where(np.isnan(x), models.fill[features], x), models.low[terms], models.high[terms])
        scores[rows] += x @ models.coefficient[terms]
    return np.clip(scores, models.least, models.greatest)


def _read_only(arrays: Iterable[ArrayLike], dtypes: tuple[str, ...]) -> list[np.ndarray]:
    return [read_only(np.ascontiguousarray(a, dtype=d)) for a, d in zip(arrays, dtypes, strict=True)]
