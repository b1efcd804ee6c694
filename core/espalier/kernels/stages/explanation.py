"""Compiling explanations."""

from __future__ import annotations

import numpy as np

from espalier.kernels.explanation.answers import add_jumps
from espalier.kernels.explanation.shapley import (
    FREE,
    Coalition,
    add_shapley_values,
    expected,
    most_features,
    quadrature,
    sides_of_row,
)
from espalier.kernels.explanation.splits import make_splits
from espalier.kernels.route import columns_of
from espalier.kernels.stages.table import X, stump


def run() -> None:
    """Call every kernel of explanations."""
    here()
    beside()


def here() -> None:
    """Call the Shapley values."""
    columns, tree, n_features = columns_of(X), stump(), X.shape[1]
    splits, span = make_splits([tree], [tree.value]), np.array([0, 1])
    added = np.zeros((len(X), n_features, 2))
    add_shapley_values(splits, quadrature(1), Coalition(FREE, 0.0, 1.0), columns, span, added)
    sides_of_row(splits, columns, 0, np.empty(1))
    most_features(splits)
    expected(splits, np.zeros(2))


def beside() -> None:
    """Call the answers along a feature."""
    tree = stump()
    add_jumps(make_splits([tree], [tree.value]), 0, np.zeros(1), columns_of(X), np.zeros((len(X), 3, 2)))
