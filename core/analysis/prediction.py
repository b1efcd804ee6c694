"""What a tree predicts for samples."""

from __future__ import annotations

import numpy as np

from core.kernels.route import leaf_of
from core.trees import Tree


def shares(tree: Tree, X: np.ndarray) -> np.ndarray:
    """(n_samples, n_outputs): the class shares, or the mean, of the leaf that each row of X falls into."""
    return tree.value[leaf_of(tree, X)]


def classes(tree: Tree, X: np.ndarray) -> np.ndarray:
    """(n_samples,) int64: the class with the largest share; of equal ones, the first."""
    return tree.value.argmax(axis=1)[leaf_of(tree, X)]


def means(tree: Tree, X: np.ndarray) -> np.ndarray:
    """(n_samples,) float64: what a regression tree predicts."""
    return shares(tree, X)[:, 0]
