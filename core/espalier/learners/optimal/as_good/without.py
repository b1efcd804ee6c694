"""How many trees as good do without features, one by one or several at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import RowsNode, SplitNode

Tables: TypeAlias = "Mapping[int, np.ndarray]"  # by value: (n_sets,) object, numbers of trees


def trees_without(trees: TreesAsGood, n_features: int) -> list[int]:
    """Return how many of the trees do not ask about each feature: 0 where no tree as good does without it.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees_without(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1), 4)
    [130, 128, 22, 13]
    """
    tables = WithoutSets(trees, np.eye(n_features, dtype=bool)).of(trees.root)
    return sum(tables.values(), np.zeros(n_features, object)).tolist()


class WithoutSets:
    """The numbers of the trees of nodes that do without sets of features, each node once."""

    def __init__(self, trees: TreesAsGood, is_in: np.ndarray):
        """`is_in` (n_sets, n_features) bool says which features are in each set."""
        self._trees, self._is_in = trees, is_in
        self._known: dict[int, Tables] = {}

    def of(self, node: RowsNode) -> Tables:
        """Return the tables of a node."""
        if id(node) not in self._known:
            self._known[id(node)] = self.of_options(node, node.splits, node.leaves)
        return self._known[id(node)]

    def of_options(self, node: RowsNode, splits: Iterable[SplitNode], leaves: Iterable[int] = ()) -> Tables:
        """Return the tables of some of a node's options: of these splits, and leaves of these costs."""
        counts: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(len(self._is_in), object))
        for cost in leaves:
            if cost <= node.budget:
                counts[cost * self._trees.unit] += 1
        for split in splits:
            self._count(counts, split)
        return {value: counts[value] for value in sorted(counts)}

    def _count(self, counts: dict[int, np.ndarray], split: SplitNode) -> None:
        """Add the trees that begin with a split."""
        others = ~self._is_in[:, self._trees.questions.feature[split.place]]
        for a, n in self.of(split.no).items():
            for b, m in self.of(split.yes).items():
                if (value := a + b + 1) in split.table:
                    counts[value] += n * m * others
        for a, b in zip(split.no.leaves, split.yes.leaves, strict=True):
            is_pair = a <= split.no.budget and b <= split.yes.budget
            if is_pair and (value := (a + b) * self._trees.unit + 1) in split.table:
                counts[value] -= others
