"""Compiling what grows trees of small tables of classes and finds their leaves: ready long before the rest."""

from __future__ import annotations

import numpy as np

from espalier.kernels.cart.small.classes import grow_small
from espalier.kernels.impurity import GINI, table_of_x_log_x
from espalier.kernels.route import columns_of, leaf_of
from espalier.kernels.stages.table import LABEL, SIGNALS, N, X
from espalier.kernels.task import GrowthLimits, Task


def run() -> None:
    """Grow a tree of a small table of classes, and find the leaf of each row."""
    task = Task(GINI, 2, LABEL, np.empty(0), np.ones(N), True, True, table_of_x_log_x(0))
    tree = grow_small(columns_of(X[:, :1]), task, GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 1, False), SIGNALS)
    assert tree is not None
    leaf_of(tree, X)
