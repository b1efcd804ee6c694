"""From the columns that a search chose to a `Tree` of the original features and thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from core.data.binarise import Questions
from core.learners.optimal.problem import Columns
from core.trees import LEAF, Tree, make_tree


class Split(NamedTuple):
    """A column that is asked, and what follows where it is 1 and where it is 0."""

    column: int
    one: Shape
    zero: Shape


Shape: TypeAlias = "Split | int | None"  # a leaf is the class it predicts, None for the best


class Plot(NamedTuple):
    """What trees stand on: questions, the columns that stand for them, and the samples."""

    questions: Questions
    columns: Columns
    label: np.ndarray  # (n_samples,) class numbers
    weight: np.ndarray  # (n_samples,) float64
    cost: np.ndarray  # (n_classes, n_classes) float64: [true, predicted]
    saving: np.ndarray  # the same shape: what is saved against the worst prediction


def shape_of(preorder: Iterable[int]) -> Shape:
    """The shape written as columns in preorder, where the column is 1 first, with -1 for a leaf."""
    return _read(iter(preorder))


def _read(columns: Iterator[int]) -> Shape:
    column = next(columns)
    return None if column == LEAF else Split(column, _read(columns), _read(columns))


def plant(plot: Plot, shape: Shape) -> tuple[Tree, float]:
    """The tree of this shape, and the misclassification cost of its samples.

    A node's value are the shares of what predicting each class saves among its samples, which are the class
    shares where all mistakes cost the same: the greatest is the best prediction. A leaf of a class that is not
    the best gives it the whole share.
    """
    nodes: list[list] = []
    cost = _add(plot, shape, np.arange(len(plot.label)), nodes)
    return make_tree(*zip(*nodes, strict=True)), cost


def _add(plot: Plot, shape: Shape, rows: np.ndarray, nodes: list[list]) -> float:
    """Append the nodes of the subtree, in preorder; the cost of its leaves."""
    mass = np.bincount(plot.label[rows], plot.weight[rows], len(plot.cost))
    value = _shares(plot, mass)
    if not isinstance(shape, Split):
        best = int(value.argmax())
        label = best if shape is None else shape
        value = value if label == best else np.eye(len(value))[label]
        nodes.append(_node(LEAF, np.nan, 0, False, len(rows), mass, value))
        return float(mass @ plot.cost[:, label])
    question = plot.columns.question[shape.column]
    feature, threshold, category, missing_left = (field[question] for field in plot.questions)
    bit = 0 if category < 0 else 1 << int(category)
    at = len(nodes)
    nodes.append(_node(feature, threshold, bit, missing_left, len(rows), mass, value))
    is_one = plot.columns.bits[rows, shape.column]
    sides = [(shape.one, rows[is_one]), (shape.zero, rows[~is_one])]
    cost = 0.0
    for child, (part, those) in enumerate(reversed(sides) if plot.columns.flipped[shape.column] else sides):
        nodes[at][2 + child] = len(nodes)
        cost += _add(plot, part, those, nodes)
    return cost


def _node(feature, threshold, categories, missing_left, n_samples, mass, value) -> list:
    """A node in the order of the fields of `Tree`, its children still unknown."""
    impurity = 1.0 - float(value @ value)
    return [feature, threshold, -1, -1, categories, missing_left, n_samples, mass.sum(), value, impurity]


def _shares(plot: Plot, mass: np.ndarray) -> np.ndarray:
    saved = mass @ plot.saving
    total = saved.sum()
    return saved / total if total else mass / mass.sum()
