"""Fitting an estimator to rows of a data set: the one place where the rows' weights are handed over."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from espalier.data import folds
from espalier.data.dataset import Dataset
from espalier.language import Refusal
from espalier.learners.approximation.classifier import Approximation
from espalier.learners.approximation.oracle import is_unfitted
from espalier.learners.cultivated import Cultivated
from espalier.learners.forests.forest import TreeForest
from espalier.progress import Progress


def fit(
    estimator: Any,
    dataset: Dataset,
    rows: np.ndarray | slice,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Any:
    """Return the estimator, fitted to these rows (indices, or a mask); each counts by its weight in the data.

    A forest draws rows with what belongs together with them, by the groups or times of the data. `progress`, and
    the `executor` of a forest whose trees do not grow in order, are as in the estimator's own `fit`. Raises
    ValueError for an estimator that takes no weights where the data have some, and the errors of fitting.

    >>> from espalier.data import RowWeights, make_dataset, samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> once = RowWeights("flowers", np.where(iris.y == 2, 3.0, 1.0))
    >>> weighed = make_dataset(iris.name, iris.X, iris.features, iris.y, iris.target, once)
    >>> fit(CartClassifier(max_depth=1), weighed, slice(None)).tree_.weight.tolist()
    [250.0, 97.0, 153.0]
    """
    options: dict[str, Any] = {} if progress is None else {"progress": progress}
    if executor is not None and not getattr(estimator, "grows_in_order", True):
        options["executor"] = executor
    weight = weights_for(estimator, dataset, rows)
    if weight is not None:
        options["sample_weight"] = weight
    together = folds.units(dataset.roles, 0)
    if together is not None and isinstance(estimator, TreeForest):
        options["groups"] = together[rows]
    return estimator.fit(dataset.X[rows], dataset.y[rows], **options)


def weights_for(estimator: Any, dataset: Dataset, rows: np.ndarray | slice) -> np.ndarray | None:
    """Return the weights of these rows as the estimator is to get them, (n,); None: all count the same.

    They are those of the data, but for cultivated trees divided by their mean: how far these grow, and how wide a
    neighbourhood is, depends on the sum of the weights, which is to mean rows whatever the unit of the column.
    Raises ValueError as `fit` does.
    """
    check_takes_weights(estimator, dataset)
    weight = dataset.weights_of(rows)
    if weight is None or not weight.any():
        return weight
    limits_weight = any(isinstance(one, Cultivated) for one in (estimator, getattr(estimator, "estimator", None)))
    return weight / weight.mean() if limits_weight else weight


def check_takes_weights(estimator: Any, dataset: Dataset) -> None:
    """Raise ValueError, by name, for an estimator that cannot count the rows of these data by their weights."""
    if dataset.row_weights is None or takes_weights(estimator):
        return
    raise Refusal(
        "rows count by weight “{weight}”, and {model} takes no weights of rows. Choose another model, or no "
        "weight (the table's name at the top opens its columns)",
        weight=dataset.row_weights.name,
        model=_title(estimator),
    )


def takes_weights(estimator: Any) -> bool:
    """Return whether the estimator can count samples by weight; of an approximation, whether its model can.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from espalier.learners import CartClassifier
    >>> takes_weights(CartClassifier()), takes_weights(KNeighborsClassifier())
    (True, False)
    """
    if isinstance(estimator, Approximation) and is_unfitted(estimator.model):
        return has_fit_parameter(estimator.model, "sample_weight")
    return has_fit_parameter(estimator, "sample_weight")


def _title(estimator: Any) -> str:
    """Return the name of the estimator that takes none: the model of an approximation, the last of a pipeline."""
    if isinstance(estimator, Approximation):
        return _title(estimator.model)
    if hasattr(estimator, "regressor"):
        return _title(estimator.regressor)
    return type(estimator[-1] if hasattr(estimator, "steps") else estimator).__name__
