"""How many trees as good do without each feature."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import RowsNode, SplitNode

Tables: TypeAlias = "Mapping[int, np.ndarray]"  # by value: (n_features,) object, numbers of trees


def trees_without(trees: TreesAsGood, n_features: int) -> list[int]:
    """Return how many of the trees do not ask about each feature: 0 where no tree as good does without it.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees_without(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1), 4)
    [130, 128, 22, 13]
    """
    tables = _FeatureCounts(trees, n_features).tables(trees.root)
    return sum(tables.values(), np.zeros(n_features, object)).tolist()


class _FeatureCounts:
    """The numbers of the trees of nodes that do without each feature, each node once."""

    def __init__(self, trees: TreesAsGood, n_features: int):
        self._trees, self._n_features = trees, n_features
        self._known: dict[int, Tables] = {}

    def tables(self, node: RowsNode) -> Tables:
        """Return the tables of a node."""
        if id(node) not in self._known:
            counts: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(self._n_features, object))
            for cost in node.leaves:
                if cost <= node.budget:
                    counts[cost * self._trees.unit] += 1
            for split in node.splits:
                self._count(counts, split)
            self._known[id(node)] = {value: counts[value] for value in sorted(counts)}
        return self._known[id(node)]

    def _count(self, counts: dict[int, np.ndarray], split: SplitNode) -> None:
        """Add the trees that begin with a split."""
        others = np.arange(self._n_features) != self._trees.questions.feature[split.place]
        for a, n in self.tables(split.no).items():
            for b, m in self.tables(split.yes).items():
                if (value := a + b + 1) in split.table:
                    counts[value] += n * m * others
        for a, b in zip(split.no.leaves, split.yes.leaves, strict=True):
            is_pair = a <= split.no.budget and b <= split.yes.budget
            if is_pair and (value := (a + b) * self._trees.unit + 1) in split.table:
                counts[value] -= others
