"""Build a `Tree` of the original features and thresholds from the columns that a search chose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions
from espalier.learners.optimal.problem import Costs, DistinctQuestions
from espalier.trees import LEAF, Tree, make_tree


class ColumnSplit(NamedTuple):
    """A split on a column, with the subtrees for 1 and for 0."""

    column: int
    one: Shape
    zero: Shape


Shape: TypeAlias = "ColumnSplit | int | None"  # a leaf is the class it predicts, None for the best class


class BuildingData(NamedTuple):
    """Data for building trees: questions, their columns, and the samples."""

    questions: Questions
    columns: DistinctQuestions
    label: np.ndarray  # (n_samples,) class numbers
    weight: np.ndarray  # (n_samples,) float64
    cost: np.ndarray  # (n_classes, n_classes) float64: [true, predicted]
    saving: np.ndarray  # the same shape: cost saved against the worst prediction
    costs: Costs | None = None  # weights and costs in whole numbers, where these are part of a larger table's


def shape_of(preorder: Iterable[int]) -> Shape:
    """Return the shape of columns in preorder, the side of 1 first, with -1 for a leaf."""
    return _read(iter(preorder))


def _read(columns: Iterator[int]) -> Shape:
    column = next(columns)
    return None if column == LEAF else ColumnSplit(column, _read(columns), _read(columns))


class _Nodes:
    """The nodes of a tree in preorder, with the fields of a `Tree`, and the leaf of each sample."""

    def __init__(self, inputs: BuildingData):
        self._bits, self._flipped = inputs.columns.bits.T, inputs.columns.flipped.tolist()
        self.columns: list[int] = []  # LEAF for leaves
        self.labels: list[int] = []  # predicted class of a leaf; -1 for splits and for the best class
        self.left: list[int] = []
        self.right: list[int] = []
        self.leaf = np.empty(len(inputs.label), np.int64)

    def add(self, shape: Shape, samples: np.ndarray) -> int:
        """Append the nodes of the subtree on these samples; return the number of its root."""
        at = len(self.columns)
        is_split = isinstance(shape, ColumnSplit)
        self.columns.append(shape.column if is_split else LEAF)
        self.labels.append(-1 if is_split or shape is None else shape)
        self.left.append(-1)
        self.right.append(-1)
        if not is_split:
            self.leaf[samples] = at
        else:
            is_one = self._bits[shape.column] & samples
            sides = (shape.one, is_one), (shape.zero, samples ^ is_one)
            first, second = reversed(sides) if self._flipped[shape.column] else sides
            self.left[at], self.right[at] = self.add(*first), self.add(*second)
        return at


def build_tree(inputs: BuildingData, shape: Shape) -> tuple[Tree, float]:
    """Return the tree of this shape, and the misclassification cost of its samples.

    A node's value holds the shares of the costs that predicting each class saves among its samples, which are the
    class shares if all mistakes cost the same: the greatest is the best prediction. A leaf of a class that is not
    the best gives that class the whole share.
    """
    nodes = _Nodes(inputs)
    nodes.add(shape, np.ones(len(inputs.label), dtype=bool))
    column, label = np.array(nodes.columns), np.array(nodes.labels)
    n_samples, mass = _masses(inputs, nodes)
    value = _shares(inputs, mass)
    best, is_leaf = value.argmax(axis=1), column == LEAF
    label = np.where(label < 0, best, label)
    value[label != best] = np.eye(len(inputs.cost))[label[label != best]]
    impurity = 1.0 - (value * value).sum(axis=1)
    cost = float((mass * inputs.cost[:, label].T)[is_leaf].sum())
    asked = nodes.left, nodes.right, *_asked(inputs, column)
    left, right, feature, threshold, categories, missing_left = asked
    weight = mass.sum(axis=1)
    fields = feature, threshold, left, right, categories, missing_left, n_samples, weight, value, impurity
    return make_tree(*fields), cost


def tree_of_questions(inputs: BuildingData, X: np.ndarray, questions: list[int]) -> tuple[Tree, float]:
    """Return the tree of these numbers of questions in preorder, -1 for a leaf, and the cost of its samples X."""
    asked = np.unique([number for number in questions if number != LEAF]).astype(np.int64)
    given = answers(make_questions(*(field[asked] for field in inputs.questions)), X)
    columns = DistinctQuestions(asked, np.zeros(len(asked), dtype=bool), given)
    places = [int(np.searchsorted(asked, number)) if number != LEAF else LEAF for number in questions]
    return build_tree(inputs._replace(columns=columns), shape_of(places))


def _masses(inputs: BuildingData, nodes: _Nodes) -> tuple[np.ndarray, np.ndarray]:
    """Return samples (n_nodes,) and class weights (n_nodes, n_classes) of each node."""
    n, n_classes = len(nodes.columns), len(inputs.cost)
    mass = np.bincount(nodes.leaf * n_classes + inputs.label, inputs.weight, n * n_classes).reshape(n, n_classes)
    n_samples = np.bincount(nodes.leaf, minlength=n)
    for at in range(n - 1, -1, -1):  # children come after their parents
        if nodes.columns[at] != LEAF:
            sides = [nodes.left[at], nodes.right[at]]
            mass[at], n_samples[at] = mass[sides].sum(axis=0), n_samples[sides].sum()
    return n_samples, mass


def _asked(inputs: BuildingData, column: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the fields feature, threshold, categories and missing_left of nodes that split on these columns."""
    is_split = column != LEAF
    question = inputs.columns.question[column[is_split]]
    feature, threshold = np.full(len(column), LEAF), np.full(len(column), np.nan)
    categories, missing_left = np.zeros(len(column), np.uint64), np.zeros(len(column), dtype=bool)
    feature[is_split], threshold[is_split] = (
        inputs.questions.feature[question],
        inputs.questions.threshold[question],
    )
    categories[is_split], missing_left[is_split] = (
        inputs.questions.categories[question],
        inputs.questions.missing_left[question],
    )
    return feature, threshold, categories, missing_left


def _shares(inputs: BuildingData, mass: np.ndarray) -> np.ndarray:
    """Return the values of nodes, (n_nodes, n_classes): see `build_tree`."""
    saved = mass @ inputs.saving
    total = saved.sum(axis=1, keepdims=True)
    return np.where(total > 0, saved, mass) / np.where(total > 0, total, mass.sum(axis=1, keepdims=True))
