"""Votes of trees and the weights of the votes (Molhoek 2021, section 3.4.4)."""

from __future__ import annotations

import numpy as np

from espalier.learners.base import TrainingData
from espalier.predict import classes
from espalier.trees import AnyTree


def accuracies(trees: list[AnyTree], training: TrainingData, judges: np.ndarray) -> np.ndarray:
    """Return each tree's weighted accuracy, (n_trees,), on its samples `judges` (n_trees, n_samples) bool.

    nan for a tree without test samples.
    """
    found = np.full(len(trees), np.nan)
    for number, (tree, rows) in enumerate(zip(trees, judges, strict=True)):
        if rows.any():
            right = classes(tree, training.X[rows]) == training.y[rows]
            found[number] = np.average(right, weights=training.weight[rows])
    return found


def by_accuracy(accuracy: np.ndarray) -> np.ndarray:
    """Return votes in proportion to the accuracy, (n_trees,); equal ones if it gives no preference."""
    votes = _filled(accuracy)
    return votes if votes.any() else np.ones(len(votes))


def by_error(accuracy: np.ndarray, n_judges: np.ndarray) -> np.ndarray:
    """Return votes inverse to the error on so many test samples, (n_trees,).

    A tree without any error counts as one with half a sample wrong: the more test samples, the larger its vote.
    """
    return 1.0 / _filled(np.maximum(1.0 - accuracy, 0.5 / np.maximum(n_judges, 1)))


def _filled(found: np.ndarray) -> np.ndarray:
    """Replace nan (unknown) by the mean of the other trees."""
    known = ~np.isnan(found)
    return np.where(known, found, found[known].mean()) if known.any() else np.ones(len(found))
