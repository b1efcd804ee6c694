"""How much trees as good rely on each feature, as a range over the trees (Fisher, Rudin & Dominici 2019)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape

MOST_TREES = 500  # of more, so many are drawn


class Reliance(NamedTuple):
    """What it costs when each sample gets a feature's value of another sample: the least and most of all trees."""

    least: np.ndarray  # (n_features,) misclassification cost more than with the sample's own value
    most: np.ndarray  # (n_features,)
    is_exact: bool  # whether all trees were asked; else the ranges are those of some, and may be wider


def reliance(trees: TreesAsGood, n_features: int, limit: int = MOST_TREES, seed: int = 0) -> Reliance:
    """Return how much the trees rely on each feature, over all trees or, of more than `limit`, so many drawn ones.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> found = reliance(trees_as_good(model, model.prepare(iris.X, iris.y), slack=0), 4)
    >>> found.least.round().tolist(), found.most.round().tolist(), found.is_exact
    ([0.0, 0.0, 0.0, 31.0], [0.0, 0.0, 78.0, 95.0], True)
    """
    is_exact = trees.n_trees <= limit
    numbers = range(trees.n_trees) if is_exact else trees.draw(limit, seed)
    every = np.array([reliance_of(trees, trees.shape(number), n_features) for number in numbers])
    return Reliance(every.min(axis=0), every.max(axis=0), is_exact)


def reliance_of(trees: TreesAsGood, shape: Shape, n_features: int) -> np.ndarray:
    """Return how much more a tree costs when values of a feature are swapped among samples, (n_features,).

    It is the mean over all pairs of two samples: a leaf's conditions on the feature hold for the one, all others
    for the other one.
    """
    search = _Swapping(trees)
    asked, own, found = search.features(shape), search.cost(shape, -1), np.zeros(n_features)
    for feature in asked:
        found[feature] = search.cost(shape, feature) - own
    return found


class _Swapping:
    """The costs of trees on the training samples when one feature's values are those of other samples."""

    def __init__(self, trees: TreesAsGood):
        self._inputs, self._feature = trees.questions.inputs, trees.questions.feature
        self._n = len(self._inputs.label)

    def features(self, shape: Shape) -> set[int]:
        """Return the features that a tree asks about."""
        if not isinstance(shape, ColumnSplit):
            return set()
        return {self._feature[shape.column]} | self.features(shape.one) | self.features(shape.zero)

    def cost(self, shape: Shape, swapped: int) -> float:
        """Return the mean cost over all pairs of two samples; `swapped` is the feature, -1 for none."""
        everyone = np.ones(self._n, dtype=bool)
        return self._part(shape, swapped, everyone, everyone)

    def _part(self, shape: Shape, swapped: int, own: np.ndarray, others: np.ndarray) -> float:
        """Return the cost below a node, to which `own` samples come if `others` give the value; both are masks."""
        if isinstance(shape, ColumnSplit):
            is_one, parts = self._inputs.columns.bits[:, shape.column], ((shape.one, True), (shape.zero, False))
            if self._feature[shape.column] == swapped:
                return sum(self._part(side, swapped, own, others & (is_one == one)) for side, one in parts)
            return sum(self._part(side, swapped, own & (is_one == one), others) for side, one in parts)
        label, weight = self._inputs.label[own], self._inputs.weight[own]
        chance = (np.count_nonzero(others) - others[own]) / max(self._n - 1, 1)
        return float((weight * self._inputs.cost[label, shape] * chance).sum())
