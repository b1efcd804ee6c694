"""The classes that trees as good give to any sample, also to one that they were not grown on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.binarise import answers, make_questions
from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import RowsNode, Table

VALUES = 4_000_000  # kept at a time: 32 MB

Reach: TypeAlias = "dict[int, np.ndarray]"  # by the id of a node: (n_samples,) bool, who may come to it


def least_objectives(trees: TreesAsGood, X: np.ndarray) -> np.ndarray:
    """Return the least objective of a tree as good that gives each class to each sample, inf where none does.

    (n_samples, n_classes), for X (n_samples, n_features) as the model reads it; over all trees, without listing
    them, each threshold in the middle of its range.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees = trees_as_good(model, model.prepare(iris.X, iris.y), slack=1)
    >>> least_objectives(trees, np.array([[5.0, 3.4, 1.5, 0.2], [6.0, 2.9, 5.0, 1.7]])).tolist()
    [[6.0, inf, inf], [7.0, 6.0, 6.0]]
    """
    asked = trees.questions.inputs.columns.question
    order = _in_order(trees.root)
    places = sorted({split.place for node in order for split in node.splits})
    questions = trees.questions.inputs.questions
    given = answers(make_questions(*(part[asked[places]] for part in questions)), X)
    kinds, kind_of = _kinds(given)
    bits = np.zeros((len(kinds), len(asked)), dtype=bool)
    bits[:, places] = kinds
    return in_objectives(trees, least_values(trees, bits, order))[kind_of]


def least_values(trees: TreesAsGood, bits: np.ndarray, order: list[RowsNode] | None = None) -> np.ndarray:
    """Return the least value of a tree for each class, (n, n_classes), inf where there is none.

    `bits` (n, n_places) are the answers to the questions of the trees.
    """
    order, sizes = _in_order(trees.root) if order is None else order, _Sizes.of(trees)
    n_classes = len(trees.root.leaves)
    most = max(VALUES // (len(order) * n_classes * sizes.n), 100)
    parts = [_LeastValues(trees, bits[at : at + most], order).of_all() for at in range(0, len(bits), most)]
    return np.concatenate([np.empty((0, n_classes)), *parts])


def in_objectives(trees: TreesAsGood, values: np.ndarray) -> np.ndarray:
    """Return the objectives of values, inf for inf."""
    step, found = trees.objective(trees.unit) - trees.objective(0), np.full(values.shape, np.inf)
    known = np.isfinite(values)
    found[known] = trees.objective(0) + values[known] // trees.unit * step
    return found


def _kinds(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows of bits, and which of them each row is."""
    packed = np.packbits(bits, axis=1)
    if not packed.size:
        return bits[:1], np.zeros(len(bits), np.int64)
    keys = np.ascontiguousarray(packed).view([("", f"V{packed.shape[1]}")]).ravel()
    _, first, kind_of = np.unique(keys, return_index=True, return_inverse=True)
    return bits[first], kind_of


def _in_order(root: RowsNode) -> list[RowsNode]:
    """Return all nodes, each after those below it."""
    found: dict[int, RowsNode] = {}

    def visit(node: RowsNode) -> None:
        if id(node) not in found:
            for split in node.splits:
                visit(split.no)
                visit(split.yes)
            found[id(node)] = node

    visit(root)
    return list(found.values())


class _Sizes(NamedTuple):
    """The sizes of subtrees that are told apart: each number of splits where it is limited, or none.

    With a limit the cheapest subtree may have too many splits beside the other side's, so that one of each number
    is kept.
    """

    n: int
    unit: int

    @classmethod
    def of(cls, trees: TreesAsGood) -> _Sizes:
        """Return the sizes that matter for these trees."""
        is_limited = trees.limits.splits < 2**trees.root.left - 1
        return cls(trees.limits.splits + 1 if is_limited else 1, trees.unit)

    def least(self, table: Table) -> list[float]:
        """Return the least value of each size in a table, inf where there is none."""
        found = [np.inf] * self.n
        for value in table:
            at = value % self.unit if self.n > 1 else 0
            if at < self.n:
                found[at] = min(found[at], value)
        return found

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the sizes of two sides, and that of the split above them."""
        if self.n == 1:
            yield 0, 0, 0
        for a in range(self.n - 1):
            for b in range(self.n - 1 - a):
                yield a, b, a + b + 1


class _Known(NamedTuple):
    """The samples that may come to a node, ascending, and the least value of each class for each of them."""

    samples: np.ndarray  # (n,)
    values: np.ndarray  # (n, n_classes, n_sizes)


class _LeastValues:
    """The least values of the trees of all nodes for samples that may come to them."""

    def __init__(self, trees: TreesAsGood, bits: np.ndarray, order: list[RowsNode]):
        self._unit, self._bits, self._order = trees.unit, bits, order
        self._sizes = _Sizes.of(trees)
        self._known: dict[int, _Known] = {}

    def of_all(self) -> np.ndarray:
        """Return the least values at the root, (n, n_classes)."""
        reach = self._reach()
        for node in self._order:
            samples = np.flatnonzero(reach[id(node)])
            self._known[id(node)] = _Known(samples, self._of(node, samples))
        return self._known[id(self._order[-1])].values.min(axis=2)

    def _reach(self) -> Reach:
        """Return which samples may come to each node: one node has several ways to it."""
        reach = {id(node): np.zeros(len(self._bits), dtype=bool) for node in self._order}
        reach[id(self._order[-1])][:] = True
        for node in reversed(self._order):
            here = reach[id(node)]
            for split in node.splits:
                is_yes = self._bits[:, split.place]
                reach[id(split.yes)] |= here & is_yes
                reach[id(split.no)] |= here & ~is_yes
        return reach

    def _of(self, node: RowsNode, samples: np.ndarray) -> np.ndarray:
        found = np.full((len(samples), len(node.leaves), self._sizes.n), np.inf)
        for label, cost in enumerate(node.leaves):
            if cost <= node.budget:
                found[:, label, 0] = cost * self._unit
        most = (node.budget + 1) * self._unit - 1
        for split in node.splits:
            is_yes = self._bits[samples, split.place]
            for side, other, of_side in ((split.yes, split.no, is_yes), (split.no, split.yes, ~is_yes)):
                below = self._known[id(side)]
                values = below.values[np.searchsorted(below.samples, samples[of_side])]
                values = self._joined(values, self._sizes.least(other.table))
                found[of_side] = np.minimum(found[of_side], np.where(values <= most, values, np.inf))
        return found

    def _joined(self, side: np.ndarray, other: list[float]) -> np.ndarray:
        """Return the values of splits with trees on this side, (n, n_classes, n_sizes), and on the other one."""
        found = np.full(side.shape, np.inf)
        for a, b, size in self._sizes.pairs():
            if other[b] < np.inf:
                found[:, :, size] = np.minimum(found[:, :, size], side[:, :, a] + other[b] + 1)
        return found
