"""Permutation importance: how much worse a forest's trees become if a feature's values are shuffled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeAlias

import numpy as np
from joblib import effective_n_jobs

from espalier.kernels.forest.out_of_bag import WeightedTarget, rise
from espalier.kernels.forest.packed import pack_forest, rows_of
from espalier.kinds import are_cultivated
from espalier.language import Refusal
from espalier.learners.forests.forest import ForestOfClasses, ForestOfNumbers
from espalier.predict import check_votes
from espalier.trees import Forest

AnyForest: TypeAlias = ForestOfClasses | ForestOfNumbers


class Importance(NamedTuple):
    """Increase of the out-of-bag error of the trees after shuffling a feature."""

    # (n_features,): mean over the trees; error is the share of wrong classes, or the mean squared error
    mean: np.ndarray
    spread: np.ndarray  # (n_features,): standard deviation over the trees
    rises: np.ndarray  # (n_trees, n_features): for each tree with out-of-bag samples

    @property
    def error(self) -> np.ndarray:
        """Standard error of the mean over the trees, s / √(number of trees), (n_features,); nan for a single tree.

        Covers the chance in growing the trees, not that in the data.
        """
        n = len(self.rises)
        return self.rises.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(self.mean), np.nan)


def permutation_importance(forest: AnyForest, X, y, sample_weight=None, seed: int = 0) -> Importance:
    """Return the permutation importance on out-of-bag samples (Breiman 2001, section 10).

    X (n_samples, n_features), y (n_samples,) and sample_weight (n_samples,) must be those given to `forest.fit`.
    Raises ValueError if they cannot be, if every tree saw every sample, or for cultivated trees.

    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(iris.X, iris.y)
    >>> iris.features[permutation_importance(forest, iris.X, iris.y).mean.argmax()].name
    'petal length'
    """
    in_bag = forest.in_bag()
    X, target = rows_of(X), _target(forest, y, sample_weight)
    _check_shapes(X, target, (in_bag.shape[1], forest.n_features_in_))
    return importance_of(forest.forest_, X, target, in_bag, seed, effective_n_jobs(forest.n_jobs or 1))


def importance_of(
    forest: Forest, X: np.ndarray, target: WeightedTarget, in_bag: np.ndarray, seed: int = 0, n_threads: int = 1
) -> Importance:
    """Return `permutation_importance` on any rows X (n_samples, n_features); trees predict only unseen samples.

    in_bag (n_trees, n_samples) is how often a tree saw a sample.
    """
    check_votes(forest)
    if are_cultivated(forest):
        raise Refusal(
            "a sample is in several leaves of a cultivated tree, and shuffling is done for one leaf only"
        )
    X, packed = rows_of(X), pack_forest(forest)
    seeds = np.random.default_rng(seed).integers(2**31, size=len(in_bag))

    def of_tree(number: int) -> np.ndarray | None:
        left_out = np.flatnonzero((in_bag[number] == 0) & (target.weight > 0))
        if len(left_out) == 0:
            return None
        judges = target._replace(y=target.y[left_out], weight=target.weight[left_out])
        return rise(packed, number, X[left_out], judges, int(seeds[number]))

    with ThreadPoolExecutor(n_threads) as pool:
        rises = [each for each in pool.map(of_tree, range(len(in_bag))) if each is not None]
    if not rises:
        raise Refusal("every tree saw every sample; grow the forest with bootstrap=True, on more samples")
    stacked = np.stack(rises)
    return Importance(stacked.mean(axis=0), stacked.std(axis=0), stacked)


def _target(forest: AnyForest, y, sample_weight) -> WeightedTarget:
    """Return labels as class numbers, or the numbers unchanged, with their weights."""
    y, is_classifier = np.asarray(y), isinstance(forest, ForestOfClasses)
    numbers = _class_numbers(forest, y) if isinstance(forest, ForestOfClasses) else y
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    return WeightedTarget(numbers.astype(np.float64), weight.astype(np.float64), is_classifier)


def _class_numbers(forest: ForestOfClasses, y: np.ndarray) -> np.ndarray:
    if not np.isin(y, forest.classes_).all():
        raise ValueError("y has classes that the forest did not grow on")
    return np.searchsorted(forest.classes_, y)


def _check_shapes(X: np.ndarray, target: WeightedTarget, shape: tuple[int, int]) -> None:
    if X.shape != shape:
        raise ValueError(f"the forest grew on X of shape {shape}; this X has the shape {X.shape}")
    for name, array in (("y", target.y), ("sample_weight", target.weight)):
        if array.shape != shape[:1]:
            raise ValueError(f"{name} has the shape {array.shape}; X has {shape[0]} samples")
