"""Samples whose class is settled, because all trees as good give them the same one, and the other samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.learners.optimal.as_good.anywhere import in_objectives, least_values
from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import RowsNode
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape


class OpenClasses(NamedTuple):
    """The classes that trees as good give to each training sample (Marx, Calmon & Ustun 2020)."""

    objective: np.ndarray  # (n_samples, n_classes): the least of a tree with this answer; inf if none is as good
    discrepancy: int  # most samples that one tree as good answers otherwise than the best tree

    @property
    def is_open(self) -> np.ndarray:
        """(n_samples,) whether trees as good disagree."""
        return np.isfinite(self.objective).sum(axis=1) > 1

    @property
    def ambiguity(self) -> float:
        """Share of samples on which trees as good disagree."""
        return float(self.is_open.mean())


def open_classes(trees: TreesAsGood) -> OpenClasses:
    """Return the classes that trees as good give to each training sample, over all trees, without listing them.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> found = open_classes(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1))
    >>> int(found.is_open.sum()), found.discrepancy
    (16, 11)
    """
    values = least_values(trees, trees.questions.inputs.columns.bits)
    return OpenClasses(in_objectives(trees, values), _discrepancy(trees))


def _discrepancy(trees: TreesAsGood) -> int:
    """Return the most samples that one tree answers otherwise than the best tree."""
    bits, best = trees.questions.inputs.columns.bits, answers_of(trees, trees.shape(0))
    known: dict[int, dict[int, int]] = {}

    def count(node: RowsNode, rows: np.ndarray) -> dict[int, int]:
        if id(node) in known:
            return known[id(node)]
        same = np.bincount(best[rows], minlength=len(node.leaves))
        most: dict[int, int] = {}
        for cost, n in zip(node.leaves, (same.sum() - same).tolist(), strict=True):
            if cost <= node.budget:
                most[cost * trees.unit] = max(n, most.get(cost * trees.unit, 0))
        for split in node.splits:
            is_yes = bits[:, split.place]
            no, yes = count(split.no, rows & ~is_yes), count(split.yes, rows & is_yes)
            for a, n in no.items():
                for b, m in yes.items():
                    if (value := a + b + 1) in split.table:
                        most[value] = max(n + m, most.get(value, 0))
        known[id(node)] = most
        return most

    return max(count(trees.root, np.ones(len(bits), dtype=bool)).values())


def answers_of(trees: TreesAsGood, shape: Shape) -> np.ndarray:
    """Return the class that a tree gives to each training sample, (n_samples,)."""
    found = np.empty(len(trees.questions.inputs.label), np.int64)
    _answer(trees.questions.inputs.columns.bits, shape, np.arange(len(found)), found)
    return found


def _answer(bits: np.ndarray, shape: Shape, rows: np.ndarray, found: np.ndarray) -> None:
    if isinstance(shape, ColumnSplit):
        is_yes = bits[rows, shape.column]
        _answer(bits, shape.one, rows[is_yes], found)
        _answer(bits, shape.zero, rows[~is_yes], found)
    else:
        found[rows] = shape
