"""What trees grown on redrawn rows answer: votes, by which the most stable of the trees as good is found."""

from __future__ import annotations

import numpy as np

from espalier.learners.base import TrainingData
from espalier.learners.cart import CartClassifier

REDRAWS = 50


def bootstrap_votes(training: TrainingData, max_depth: int, n: int = REDRAWS, seed: int = 0) -> np.ndarray:
    """Return how many of `n` CART trees, each grown on rows drawn with replacement, give each answer.

    (n_samples, n_classes), for the samples of `training`, whose classes are 0, 1, ….

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> training = CartClassifier().prepare(iris.X, iris.y)
    >>> bootstrap_votes(training, max_depth=2, n=10).sum(axis=1).tolist() == [10.0] * 150
    True
    """
    source, n_samples = np.random.default_rng(seed), len(training.y)
    votes = np.zeros((n_samples, int(training.y.max()) + 1))
    for _ in range(n):
        rows = source.integers(0, n_samples, n_samples)
        model = CartClassifier(max_depth=max_depth, random_state=0)
        model.fit(training.X[rows], training.y[rows], training.weight[rows])
        votes[np.arange(n_samples), model.predict(training.X).astype(int)] += 1
    return votes


def agreement(votes: np.ndarray, answers: np.ndarray) -> float:
    """Return the share of votes that answers (n_samples,) have, 0 to 1."""
    return float(votes[np.arange(len(votes)), answers].sum() / votes.sum())
