"""Compiling CART."""

from __future__ import annotations

import numpy as np

from espalier.kernels.averaging import averages, shares_of_rows
from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.cart.plain import sorted_columns
from espalier.kernels.cart.small.classes import grow_small
from espalier.kernels.impurity import SQUARED_ERROR
from espalier.kernels.prune import collapse_prices
from espalier.kernels.route import columns_of, leaf_of, path_of
from espalier.kernels.stages.growth import growth_state
from espalier.kernels.stages.table import SIGNALS, N, X
from espalier.kernels.task import Task
from espalier.trees import parents


def task_of_numbers(y: np.ndarray) -> Task:
    """Return the task to predict targets of unit weight."""
    return Task(SQUARED_ERROR, 0, np.empty(0, np.uint16), y, np.ones(N), True, False, np.zeros(1))


def run() -> None:
    """Call every kernel of CART, and those that all trees share."""
    work = growth_state()
    tree = grow_tree(work.columns, work.task, work.limits, 0, SIGNALS)
    numbers = sorted_columns(columns_of(X[:, :2]), np.zeros(2, np.bool_), np.empty(0))
    grow_tree(numbers, task_of_numbers(np.arange(N) / 7), work.limits, 0, SIGNALS)
    grow_small(columns_of(X[:, :1]), work.task, work.limits, SIGNALS)
    leaf_of(tree, X)
    path_of(tree, X[0])
    averages(tree, X, (0, 1), shares_of_rows(tree, X, (0, 1)))
    collapse_prices(tree, parents(tree))
