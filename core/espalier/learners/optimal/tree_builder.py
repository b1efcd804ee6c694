"""Build a `Tree` of the original features and thresholds from the columns or questions that a search chose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

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
    label: np.ndarray  # (n_samples,) class numbers, or the numbers to predict
    weight: np.ndarray  # (n_samples,) float64
    cost: np.ndarray  # (n_classes, n_classes) float64: [true, predicted]
    saving: np.ndarray  # the same shape: cost saved against the worst prediction
    costs: Costs | None = None  # weights and costs in whole numbers, where these are part of a larger table's


def shape_of(preorder: Iterable[int]) -> Shape:
    """Return the shape of columns in preorder, the side of 1 first, with -1 for a leaf."""
    columns = iter(preorder)

    def read() -> Shape:
        column = next(columns)
        return None if column == LEAF else ColumnSplit(column, read(), read())

    return read()


class _Nodes:
    """The nodes of a tree in preorder, with the fields of a `Tree`, and the samples of each."""

    def __init__(self, inputs: BuildingData, shape: Shape):
        self._bits, self._flipped = inputs.columns.bits.T, inputs.columns.flipped.tolist()
        self.columns: list[int] = []  # LEAF for leaves
        self.labels: list[int] = []  # predicted class of a leaf; -1 for splits and for the best class
        self.left: list[int] = []
        self.right: list[int] = []
        self.samples: list[np.ndarray] = []  # (n_samples,) bool each
        self._add(shape, np.ones(len(inputs.label), dtype=bool))

    def _add(self, shape: Shape, samples: np.ndarray) -> int:
        """Append the nodes of the subtree on these samples; return the number of its root."""
        at = len(self.columns)
        is_split = isinstance(shape, ColumnSplit)
        self.columns.append(shape.column if is_split else LEAF)
        self.labels.append(-1 if is_split or shape is None else shape)
        self.left.append(LEAF)
        self.right.append(LEAF)
        self.samples.append(samples)
        if is_split:
            is_one = self._bits[shape.column] & samples
            sides = (shape.one, is_one), (shape.zero, samples ^ is_one)
            first, second = reversed(sides) if self._flipped[shape.column] else sides
            self.left[at], self.right[at] = self._add(*first), self._add(*second)
        return at


def build_tree(inputs: BuildingData, shape: Shape) -> tuple[Tree, float]:
    """Return the tree of this shape, and the misclassification cost of its samples.

    A node's value holds the shares of the costs that predicting each class saves among its samples, which are the
    class shares if all mistakes cost the same: the greatest is the best prediction. A leaf of a class that is not
    the best gives that class the whole share.
    """
    nodes = _Nodes(inputs, shape)
    label, is_leaf = np.array(nodes.labels), np.array(nodes.columns) == LEAF
    n_samples, mass = _masses(inputs, nodes)
    savings = mass @ inputs.saving
    total = savings.sum(axis=1, keepdims=True)
    value = np.where(total > 0, savings, mass) / np.where(total > 0, total, mass.sum(axis=1, keepdims=True))
    best = value.argmax(axis=1)
    label = np.where(label < 0, best, label)
    value[label != best] = np.eye(len(inputs.cost))[label[label != best]]
    impurity = 1.0 - (value * value).sum(axis=1)
    cost = float((mass * inputs.cost[:, label].T)[is_leaf].sum())
    return _make_tree(inputs, nodes, n_samples, mass.sum(axis=1), value, impurity), cost


def tree_of_questions(inputs: BuildingData, X: np.ndarray, questions: list[int]) -> tuple[Tree, float]:
    """Return the tree of these numbers of questions in preorder, -1 for a leaf, and the cost of its samples X."""
    return build_tree(*_without_search(inputs, X, questions))


def regression_tree(inputs: BuildingData, X: np.ndarray, questions: list[int]) -> tuple[Tree, float]:
    """Return the tree of these questions in preorder, answer yes first, -1 for a leaf; and its samples' loss.

    A node's value is the mean of its samples `X` (n_samples, n_features), exact where all are equal, its impurity
    their mean squared error; the loss is the sum over the leaves, times the weight.
    """
    inputs, shape = _without_search(inputs, X, questions)
    nodes = _Nodes(inputs, shape)
    y, weight = ([array[samples] for samples in nodes.samples] for array in (inputs.label, inputs.weight))
    mean = [float(a[0]) + float(np.average(a - a[0], weights=w)) for a, w in zip(y, weight, strict=True)]
    squares = [np.abs(a - m) ** 2 for a, m in zip(y, mean, strict=True)]
    error = np.array([float(np.average(s, weights=w)) for s, w in zip(squares, weight, strict=True)])
    total = np.array([w.sum() for w in weight])
    tree = _make_tree(inputs, nodes, [len(a) for a in y], total, np.array(mean)[:, None], error)
    return tree, float((total * error)[np.array(nodes.columns) == LEAF].sum())


def _without_search(inputs: BuildingData, X: np.ndarray, questions: list[int]) -> tuple[BuildingData, Shape]:
    """Return the data with columns for these questions (in preorder, -1 for a leaf) alone, and their shape."""
    numbers = np.unique([number for number in questions if number != LEAF]).astype(np.int64)
    bits = answers(make_questions(*(field[numbers] for field in inputs.questions)), X)
    columns = DistinctQuestions(numbers, np.zeros(len(numbers), dtype=bool), bits)
    places = [int(np.searchsorted(numbers, number)) if number != LEAF else LEAF for number in questions]
    return inputs._replace(columns=columns), shape_of(places)


def _masses(inputs: BuildingData, nodes: _Nodes) -> tuple[np.ndarray, np.ndarray]:
    """Return samples (n_nodes,) and class weights (n_nodes, n_classes) of each node."""
    n, n_classes, leaf = len(nodes.columns), len(inputs.cost), np.empty(len(inputs.label), np.int64)
    for at, samples in enumerate(nodes.samples):
        leaf[samples] = at  # children come after their parents
    mass = np.bincount(leaf * n_classes + inputs.label, inputs.weight, n * n_classes).reshape(n, n_classes)
    n_samples = np.bincount(leaf, minlength=n)
    for at in range(n - 1, -1, -1):
        if nodes.columns[at] != LEAF:
            sides = [nodes.left[at], nodes.right[at]]
            mass[at], n_samples[at] = mass[sides].sum(axis=0), n_samples[sides].sum()
    return n_samples, mass


def _make_tree(inputs: BuildingData, nodes: _Nodes, *numbers: Any) -> Tree:
    """Return the tree of these nodes, with their `numbers`: of samples, weights, values and impurities."""
    column = np.array(nodes.columns)
    is_split = column != LEAF
    question = inputs.columns.question[column[is_split]]
    feature, threshold = np.full(len(column), LEAF), np.full(len(column), np.nan)
    categories, missing_left = np.zeros(len(column), np.uint64), np.zeros(len(column), dtype=bool)
    fields = feature, threshold, categories, missing_left
    for field, values in zip(fields, inputs.questions, strict=True):
        field[is_split] = values[question]
    return make_tree(feature, threshold, nodes.left, nodes.right, categories, missing_left, *numbers)
