"""Thresholds that ensembles of scikit-learn rely on, for optimal trees to choose among."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from espalier.data.binarise import midpoint

# The ensembles that are only asked for thresholds: their favourites are the same long before they predict well.
ASKED_TREES = 50
ASKED_BOOSTED = 60  # trees of all rounds: with more classes there are fewer rounds
ASKED_SAMPLES = 5_000
FOREST_DEPTH, BOOSTED_DEPTH = 6, 3
CROWDED = 4  # thresholds fewer samples apart than one part in so many of an even share are of a crowd


def forest_thresholds(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
) -> list[np.ndarray]:
    """For each column of X (n_samples, n_features), nan where missing: the thresholds a random forest relies on.

    The at most `max_thresholds` (None: all it uses) with the greatest decrease of impurity over all its trees,
    ascending; of equals the lower. Its trees are so alike that their favourites crowd around the best split: of
    a crowd only the best is taken, and others where too few are left. y (n_samples,) are class numbers, `weight`
    (n_samples,) or None for ones.
    """
    part = _part(X, y, weight, seed)
    if part.has_one_class:
        return [np.empty(0) for _ in X.T]
    columns = [_ranked(column) for column in part.X.T]
    ranks = np.column_stack([column.ranks for column in columns])
    forest = RandomForestClassifier(ASKED_TREES, max_depth=FOREST_DEPTH, random_state=seed)
    forest.fit(ranks, part.y, part.weight)
    favourites = _favourites(forest.estimators_, len(columns))
    if max_thresholds is not None:
        favourites = [_thinned(f, c.below, max_thresholds) for f, c in zip(favourites, columns, strict=True)]
    return [_thresholds(c, f[:max_thresholds]) for f, c in zip(favourites, columns, strict=True)]


def boosted_thresholds(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
) -> list[np.ndarray]:
    """As `forest_thresholds`, of gradient boosting.

    Its trees look for what earlier ones left unexplained, so that crowds need no thinning.
    """
    part = _part(X, y, weight, seed)
    if part.has_one_class:
        return [np.empty(0) for _ in X.T]
    columns = [_ranked(column) for column in part.X.T]
    ranks = np.nan_to_num(np.column_stack([column.ranks for column in columns]), nan=-1.0)  # it takes no nan
    n_classes = len(np.unique(part.y))
    rounds = max(ASKED_BOOSTED // (n_classes if n_classes > 2 else 1), 3)
    model = GradientBoostingClassifier(
        n_estimators=rounds, max_depth=BOOSTED_DEPTH, learning_rate=0.3, random_state=seed
    )
    model.fit(ranks, part.y, part.weight)
    favourites = _favourites(model.estimators_.ravel(), len(columns))
    return [_thresholds(c, f[:max_thresholds]) for f, c in zip(favourites, columns, strict=True)]


class _Part(NamedTuple):
    """The samples that an ensemble is grown on."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None

    @property
    def has_one_class(self) -> bool:
        return bool((self.y == self.y[0]).all())


class _Ranked(NamedTuple):
    """A column by the ranks of its values, which single precision holds exactly, and infinities have them too."""

    ranks: np.ndarray  # (n_samples,) float64: 0, 1, ... of the distinct values; nan where missing
    values: np.ndarray  # (n_values,): what the ranks stand for
    below: np.ndarray  # (n_values,) int64: samples with at most this value


def _part(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int) -> _Part:
    """At most about `ASKED_SAMPLES`, drawn with the classes in their proportions and at least one of each."""
    if len(y) <= ASKED_SAMPLES:
        return _Part(X, y, weight)
    rng = np.random.default_rng(seed)
    rows = []
    for label in np.unique(y):
        of_class = np.flatnonzero(y == label)
        rows.append(rng.choice(of_class, -(-len(of_class) * ASKED_SAMPLES // len(y)), replace=False))
    rows = np.sort(np.concatenate(rows))
    return _Part(X[rows], y[rows], None if weight is None else weight[rows])


def _ranked(column: np.ndarray) -> _Ranked:
    known = ~np.isnan(column)
    values, position, counts = np.unique(column[known], return_inverse=True, return_counts=True)
    ranks = np.full(len(column), np.nan)
    ranks[known] = position
    return _Ranked(ranks, values, np.cumsum(counts))


def _favourites(trees: Iterable, n_features: int) -> list[np.ndarray]:
    """For each feature: after which ranks the trees cut it, the greatest decrease of impurity first."""
    found = [_cuts_of_tree(tree.tree_) for tree in trees]
    feature, at, decrease = (np.concatenate(parts) for parts in zip(*found, strict=True))
    parting = np.isfinite(at) & (at >= 0)  # others part known values from missing ones
    feature, rank, decrease = feature[parting], np.floor(at[parting]).astype(np.int64), decrease[parting]
    favourites = []
    for of_feature in (feature == f for f in range(n_features)):
        ranks, position = np.unique(rank[of_feature], return_inverse=True)
        sums = np.bincount(position, decrease[of_feature], len(ranks))
        favourites.append(ranks[np.argsort(-sums, kind="stable")])
    return favourites


def _cuts_of_tree(tree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each split: its feature, its threshold, and the decrease of impurity times the weight in the node."""
    node = np.flatnonzero(tree.feature >= 0)
    left, right = tree.children_left[node], tree.children_right[node]
    amount = tree.weighted_n_node_samples * tree.impurity
    return tree.feature[node], tree.threshold[node], amount[node] - amount[left] - amount[right]


def _thinned(favourites: np.ndarray, below: np.ndarray, most: int) -> np.ndarray:
    """The ranks with those at the end that are too close to a better one, as long as `most` stand before them."""
    first, later = [], []
    for rank in favourites.tolist():
        apart = np.abs(below[first] - below[rank]) * (CROWDED * most)
        (first if len(first) < most and (apart > below[-1]).all() else later).append(rank)
    return np.array([*first, *later], dtype=np.int64)


def _thresholds(column: _Ranked, ranks: np.ndarray) -> np.ndarray:
    """The thresholds after these ranks, ascending."""
    after = np.sort(ranks)
    return midpoint(column.values[after], column.values[after + 1])
