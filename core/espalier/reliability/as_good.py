"""The classes that trees as good as an optimal one give to rows that none of them has seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.data.dataset import Dataset
from espalier.fitting import weights_for
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.rashomon import StoppedEarly, least_objectives, most_trees_as_good
from espalier.progress import Progress

SLACK = 0.01  # of the weight of all rows: what trees as good may cost more than the best one
MOST_SPLITS = 10_000  # of the graph of these trees


def possible_classes(
    estimator: Any, dataset: Dataset, fitted_to: np.ndarray, rows: np.ndarray, progress: Progress | None = None
) -> np.ndarray | None:
    """Return which classes trees as good give to rows, (n_rows, n_classes) bool; None where they are not counted.

    The estimator was fitted to the rows `fitted_to`. Trees as good are those whose cost on these is at most
    `SLACK` of their weight above the proved optimum. They are not counted for models other than optimal trees, for
    those that do not list them (`OptimalClassifier.lists_trees`), nor where they are too many.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> possible_classes(model, iris, np.arange(150), np.array([0, 70, 149])).astype(int).tolist()
    [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    """
    if not isinstance(estimator, OptimalClassifier) or not estimator.lists_trees:
        return None
    X, y, weight = dataset.X[fitted_to], dataset.y[fitted_to], weights_for(estimator, dataset, fitted_to)
    training = estimator.prepare(X, y, weight)
    try:
        slack = SLACK * float(training.weight.sum())
        trees = most_trees_as_good(estimator, training, slack, progress, MOST_SPLITS)
    except StoppedEarly:
        return None
    found = np.zeros((len(rows), len(dataset.classes)), dtype=bool)
    found[:, estimator.classes_] = np.isfinite(least_objectives(trees, dataset.X[rows]))
    return found
