"""Compiling trees with linear formulas, in their leaves or in their splits."""

from __future__ import annotations

import numpy as np

from espalier.kernels.model_trees.best_models import ModelTask, best_models
from espalier.kernels.model_trees.turns import best_turns
from espalier.kernels.oblique.every_search import find_slanted
from espalier.kernels.oblique.route import oblique_leaf_of
from espalier.kernels.route import columns_of
from espalier.kernels.stages.table import CATEGORICAL, LABEL, N, X, stump
from espalier.oblique import make_oblique


def run() -> None:
    """Call every kernel of model trees and of oblique trees."""
    _run_models()
    _run_oblique()


def _run_models() -> None:
    """Call the kernels of model trees."""
    columns, ones, slopes = columns_of(X), np.ones((1, N)), np.zeros((4, 1))
    task = ModelTask(columns, CATEGORICAL, LABEL[np.newaxis] + 0.0, ones, np.ones(4), slopes, ones[0], 1.0)
    orders = np.argsort(columns, axis=1, kind="stable")
    best_models(task, orders)
    best_turns(task, orders, np.arange(len(columns)), np.zeros(1, np.int64))


def _run_oblique() -> None:
    """Call the kernels of oblique trees."""
    one, terms = stump(), (np.array([0, 2, 2, 2]), np.array([0, 1]), np.ones(2))
    tree = make_oblique(
        one.feature, one.threshold, one.left, one.right, one.categories, one.n_samples, one.weight, one.value,
        one.impurity, np.zeros(X.shape[1]), terms,
    )  # fmt: skip
    oblique_leaf_of(tree, X)
    find_slanted(X, LABEL)
