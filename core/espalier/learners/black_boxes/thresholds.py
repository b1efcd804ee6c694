"""Thresholds that scikit-learn ensembles rely on, as candidates for optimal trees."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from espalier.data.binarise import midpoint

# Ensembles grown for their thresholds only: favourites stabilise long before predictions do.
ASKED_TREES = 50
ASKED_BOOSTED = 60  # trees of all rounds: more classes mean fewer rounds
ASKED_SAMPLES = 5_000
FOREST_DEPTH, BOOSTED_DEPTH = 6, 3
MOST_REMEMBERED = 8  # proposals of each kind
CROWD_SHARE = 4  # thresholds are crowded if fewer samples lie between them than this part of an even share

Propose = Callable[[np.ndarray, np.ndarray, np.ndarray | None, int, int | None], list[np.ndarray]]


def _remember(propose: Propose) -> Propose:
    """Return the function with a memory of its last results, by a digest of what it is asked.

    Searches of other depths and costs ask the same samples again; an ensemble takes longer than a short search.
    """
    memory: OrderedDict[bytes, list[np.ndarray]] = OrderedDict()
    lock = Lock()

    @functools.wraps(propose)
    def ask(
        X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
    ) -> list[np.ndarray]:
        key = _digest((X, y, weight), (seed, max_thresholds))
        with lock:
            found = memory.pop(key, None)
        found = propose(X, y, weight, seed, max_thresholds) if found is None else found
        with lock:
            memory[key] = found
            while len(memory) > MOST_REMEMBERED:
                memory.popitem(last=False)
        return [thresholds.copy() for thresholds in found]

    return ask


def _digest(arrays: Iterable[np.ndarray | None], numbers: tuple[int | None, ...]) -> bytes:
    digest = hashlib.blake2b(repr(numbers).encode(), digest_size=16)
    for array in arrays:
        digest.update(repr(None if array is None else (array.shape, array.dtype.str)).encode())
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.digest()


@_remember
def forest_thresholds(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
) -> list[np.ndarray]:
    """Return for each column of X (n_samples, n_features) the thresholds a random forest relies on.

    nan is missing.

    At most `max_thresholds` (None: all), those with the greatest decrease of impurity over all trees, ascending;
    of equals the lower. The trees are so alike that their favourites crowd around the best split: of a crowd only
    the best is taken, and others only if too few remain. y (n_samples,) are class numbers, `weight` (n_samples,)
    or None for ones.
    """
    forest = RandomForestClassifier(ASKED_TREES, max_depth=FOREST_DEPTH, random_state=seed)
    return _relied_on(forest, *_part(X, y, weight, seed), max_thresholds, np.nan)


@_remember
def boosted_thresholds(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
) -> list[np.ndarray]:
    """Return the thresholds of gradient boosting; as `forest_thresholds`.

    Boosted trees look for structure that earlier ones left unexplained, so crowds need no thinning.
    """
    X, y, weight = _part(X, y, weight, seed)
    n_classes = len(np.unique(y))
    rounds = max(ASKED_BOOSTED // (n_classes if n_classes > 2 else 1), 3)
    model = GradientBoostingClassifier(
        n_estimators=rounds, max_depth=BOOSTED_DEPTH, learning_rate=0.3, random_state=seed
    )
    return _relied_on(model, X, y, weight, max_thresholds, -1.0)  # it takes no nan


def _part(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Draw about `ASKED_SAMPLES` at most, stratified by class, with at least one of each."""
    if len(y) <= ASKED_SAMPLES:
        return X, y, weight
    rng = np.random.default_rng(seed)
    rows = []
    for label in np.unique(y):
        rows_ = np.flatnonzero(y == label)
        rows.append(rng.choice(rows_, -(-len(rows_) * ASKED_SAMPLES // len(y)), replace=False))
    rows = np.sort(np.concatenate(rows))
    return X[rows], y[rows], None if weight is None else weight[rows]


def _relied_on(
    model: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, most: int | None, missing: float
) -> list[np.ndarray]:
    """Return the thresholds of each column that an ensemble relies on, grown on ranks, `missing` for nan."""
    if (y == y[0]).all():
        return [np.empty(0) for _ in X.T]
    ranks, values, counts = zip(*map(_rank_column, X.T), strict=True)
    model.fit(np.nan_to_num(np.column_stack(ranks), nan=missing), y, weight)
    favourites = _favourites(np.ravel(model.estimators_), len(ranks))
    if most is not None and isinstance(model, RandomForestClassifier):
        favourites = [_thin_out(f, np.cumsum(n), most) for f, n in zip(favourites, counts, strict=True)]
    return [_thresholds(v, f[:most]) for f, v in zip(favourites, values, strict=True)]


def _rank_column(column: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a column as ranks of its values, nan where missing; and the value and the number of samples of each.

    Ranks are exact in single precision, also for infinities.
    """
    is_known = ~np.isnan(column)
    values, position, counts = np.unique(column[is_known], return_inverse=True, return_counts=True)
    ranks = np.full(len(column), np.nan)
    ranks[is_known] = position
    return ranks, values, counts


def _favourites(trees: Iterable, n_features: int) -> list[np.ndarray]:
    """Return for each feature the ranks after which the trees cut it, the greatest decrease of impurity first."""
    cuts_ = [_cuts_of_tree(tree.tree_) for tree in trees]
    feature, at, decrease = (np.concatenate(parts) for parts in zip(*cuts_, strict=True))
    parting = np.isfinite(at) & (at >= 0)  # the others separate known from missing values
    feature, rank, decrease = feature[parting], np.floor(at[parting]).astype(np.int64), decrease[parting]
    favourites = []
    for is_feature in (feature == f for f in range(n_features)):
        ranks, position = np.unique(rank[is_feature], return_inverse=True)
        sums = np.bincount(position, decrease[is_feature], len(ranks))
        favourites.append(ranks[np.argsort(-sums, kind="stable")])
    return favourites


def _cuts_of_tree(tree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each split its feature, its threshold, and the decrease of impurity times the node's weight."""
    node = np.flatnonzero(tree.feature >= 0)
    left, right = tree.children_left[node], tree.children_right[node]
    amount = tree.weighted_n_node_samples * tree.impurity
    return tree.feature[node], tree.threshold[node], amount[node] - amount[left] - amount[right]


def _thin_out(favourites: np.ndarray, below: np.ndarray, most: int) -> np.ndarray:
    """Move ranks that are too close to a better one to the end, as long as `most` remain before them.

    `below` (n_values,) int64 are the numbers of samples with at most the value of each rank.
    """
    first, later = [], []
    for rank in favourites.tolist():
        apart = np.abs(below[first] - below[rank]) * (CROWD_SHARE * most)
        (first if len(first) < most and (apart > below[-1]).all() else later).append(rank)
    return np.array([*first, *later], dtype=np.int64)


def _thresholds(values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return the thresholds after these ranks, ascending; `values` (n_values,) are those of all ranks."""
    after = np.sort(ranks)
    return midpoint(values[after], values[after + 1])
