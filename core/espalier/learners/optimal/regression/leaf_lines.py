"""The line over one column in each leaf of a regression tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.leaf_models import LeafModels, make_leaf_models
from espalier.learners.optimal.regression.problem import RegressionTask
from espalier.trees import LEAF, Tree

LEAST_SAVED = 1e-12  # of a leaf's loss: less may be rounding, and the leaf has a constant


class LeafLine(NamedTuple):
    """The best line of a leaf: its column among those with lines (-1: a constant), its loss with penalty."""

    column: int
    slope: float
    intercept: float
    loss: float


def best_line(task: RegressionTask, samples: np.ndarray) -> LeafLine:
    """Return the line of least loss over the samples, by number.

    >>> x, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
    >>> best_line(RegressionTask(y, np.ones(3), False, 1, True, x, 0.0), np.arange(3)).column
    0
    """
    y, weight, x = task.y[samples], task.weight[samples], task.x[samples]
    middle, centre = float(np.average(y, weights=weight)), np.average(x, axis=0, weights=weight)
    y, x = y - middle, x - centre
    strength = task.strength
    varies = weight @ x**2 + strength
    together = (weight * y) @ x
    saved = np.divide(together**2, varies, out=np.zeros(len(varies)), where=strength > 0)
    loss = float(weight @ y**2)
    if not len(saved) or saved.max() <= LEAST_SAVED * loss:
        return LeafLine(-1, 0.0, middle, loss)
    column = int(saved.argmax())
    slope = float(together[column] / varies[column])
    return LeafLine(column, slope, middle - slope * float(centre[column]), max(loss - float(saved[column]), 0.0))


class LineColumns(NamedTuple):
    """Which features have lines, and what stands in for missing values of all features."""

    feature: np.ndarray  # (n_lines,) int64
    fill: np.ndarray  # (n_features,) float64


def leaf_lines(task: RegressionTask, columns: LineColumns, tree: Tree, leaf: np.ndarray) -> LeafModels:
    """Return the formulas of the leaves of a tree; `leaf` (n_samples,) is that of each sample.

    Scores are kept within the range of the target.
    """
    intercept, start, terms = np.full((tree.n_nodes, 1), np.nan), [0], []
    for node in range(tree.n_nodes):
        if tree.feature[node] == LEAF:
            samples = np.flatnonzero(leaf == node)
            line = best_line(task, samples)
            intercept[node] = line.intercept
            if line.column >= 0:
                x = task.x[samples, line.column]
                terms.append((int(columns.feature[line.column]), [line.slope], x.min(), x.max()))
        start.append(len(terms))
    feature, slope, low, high = zip(*terms, strict=True) if terms else ([], np.empty((0, 1)), [], [])
    ends = [task.y.min()], [task.y.max()]
    return make_leaf_models(intercept, start, feature, slope, low, high, columns.fill, *ends, "identity")
