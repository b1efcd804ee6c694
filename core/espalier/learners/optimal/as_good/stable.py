"""What trees grown on redrawn rows answer: votes, by which the most stable of the trees as good is found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.learners.base import TrainingData
from espalier.learners.cart import CartClassifier

REDRAWS = 50


def bootstrap_trees(
    training: TrainingData, max_depth: int, n: int = REDRAWS, seed: int = 0, n_splits: int | None = None
) -> list[CartClassifier]:
    """Return `n` CART trees of at most `n_splits`, each grown on rows of `training` drawn with replacement.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> training = CartClassifier().prepare(iris.X, iris.y)
    >>> [model.tree_.n_leaves for model in bootstrap_trees(training, max_depth=1, n=3)]
    [2, 2, 2]
    """
    source, n_samples, found = np.random.default_rng(seed), len(training.y), []
    leaves = None if n_splits is None else max(n_splits, 1) + 1  # CART has no trees without a split
    for _ in range(n):
        rows = source.integers(0, n_samples, n_samples)
        model = CartClassifier(max_depth=max_depth, max_leaf_nodes=leaves, random_state=0)
        found.append(model.fit(training.X[rows], training.y[rows], training.weight[rows]))
    return found


def bootstrap_votes(training: TrainingData, max_depth: int, n: int = REDRAWS, seed: int = 0) -> np.ndarray:
    """Return how many of `bootstrap_trees` give each answer to each sample of `training`, (n_samples, n_classes).

    The classes are 0, 1, ….

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> training = CartClassifier().prepare(iris.X, iris.y)
    >>> bootstrap_votes(training, max_depth=2, n=10).sum(axis=1).tolist() == [10.0] * 150
    True
    """
    return votes_of(bootstrap_trees(training, max_depth, n, seed), training)


def votes_of(models: Sequence[CartClassifier], training: TrainingData) -> np.ndarray:
    """Return how many models give each answer to each sample of `training`, (n_samples, n_classes)."""
    n_samples = len(training.y)
    votes = np.zeros((n_samples, int(training.y.max()) + 1))
    for model in models:
        votes[np.arange(n_samples), model.predict(training.X).astype(int)] += 1
    return votes
