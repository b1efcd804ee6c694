"""Samples whose class is settled, because all trees as good give them the same one, and the other samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.learners.optimal.as_good.anywhere import in_objectives, least_values
from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nearest import nearest
from espalier.learners.optimal.as_good.nodes import shape_of
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
    bits, n_classes = trees.questions.inputs.columns.bits, len(trees.root.leaves)
    objective, n = in_objectives(trees, least_values(trees, bits)), len(bits)
    same = np.zeros((n, n_classes))
    same[np.arange(n), answers_of(trees, trees.shape(0))] = -1
    other = answers_of(trees, shape_of(nearest(trees, same)))
    return OpenClasses(objective, int((same[np.arange(n), other] == 0).sum()))


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
