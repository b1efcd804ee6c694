"""A model that is fitted already, where estimators stand that are to be fitted."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from espalier.trees import Forest


class ReadyModel(BaseEstimator):
    """A fitted model in a table's terms (`TableForest`, `OnnxModel`), which `fit` leaves as it is.

    It has ``predict_proba`` and ``classes_`` if the model has, and ``forest_`` if the model is one.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.base import clone
    >>> ready = ReadyModel(DummyClassifier().fit([[0.0], [1.0], [2.0]], [1, 1, 0]))
    >>> clone(ready).fit([[0.0]], [0]).predict([[5.0]]).tolist()
    [1]
    """

    def __init__(self, model: Any):
        self.model = model

    def fit(self, X, y, sample_weight=None) -> ReadyModel:
        """Return the model as it is."""
        return self

    def predict(self, X) -> np.ndarray:
        """Return what the model says of X (n_samples, n_features), (n_samples,)."""
        return self.model.predict(X)

    def __getattr__(self, name: str) -> Any:
        # Only a classifier has classes and their shares, and only some models are forests: `hasattr` tells.
        if name in ("predict_proba", "classes_", "forest_", "averages") and "model" in self.__dict__:
            return getattr(self.__dict__["model"], name)
        raise AttributeError(name)

    def __sklearn_clone__(self) -> ReadyModel:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @cached_property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round: of scores of several classes as many, where each tree adds to the next one's."""
        forest: Forest = self.forest_
        k = len(forest.start) if forest.combine == "sum" else 1
        if k < 2 or forest.n_trees % k:
            return 1
        trees: Any = forest.trees
        in_turn = all(not np.delete(tree.value, i % k, axis=1).any() for i, tree in enumerate(trees))
        return k if in_turn else 1
