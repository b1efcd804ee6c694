"""All kernels of the search for slanted splits, called once: for compiling ahead of use."""

from __future__ import annotations

import numpy as np

from espalier.kernels.impurity import GINI, SQUARED_ERROR, table_of_x_log_x
from espalier.kernels.oblique.best_direction import SideLimits, best_direction
from espalier.kernels.oblique.discriminants import Moments, find_discriminants, write_direction
from espalier.kernels.oblique.logistic import logistic_regression
from espalier.kernels.oblique.route import project
from espalier.kernels.task import Task
from espalier.trees import read_only


def find_slanted(X: np.ndarray, label: np.ndarray) -> None:
    """Look for slanted splits of two classes (n_samples,) uint16, and of numbers, by X (n_samples, n_features)."""
    n, p = X.shape
    columns, rows = read_only(np.ascontiguousarray(X.T)), np.arange(n)
    moments = Moments(np.eye(p), np.ones((2, p)), np.arange(p), np.ones(p))
    found = find_discriminants(moments, 3, p, 1)
    beta = logistic_regression(X[:, :2].copy(), label + 0.0, np.full(n, 1 / n))
    write_direction(moments, np.arange(2), beta[1:], found, 0)
    task = Task(GINI, 2, label, np.empty(0), np.ones(n), True, True, table_of_x_log_x(0))
    numbers = task._replace(criterion=SQUARED_ERROR, n_classes=0, y=label + 0.0, pairs=False)
    for one in (task, numbers):
        best_direction(columns, rows, found, one, SideLimits(1, 0.0))
    project(columns, rows, np.zeros(p), np.zeros(2, np.int32), np.ones(2))
