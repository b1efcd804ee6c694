"""Build a regression `Tree` from the questions that a search chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions
from espalier.learners.optimal.regression.leaf_lines import best_line
from espalier.learners.optimal.regression.ordered_leaves import (
    DirectedNodes,
    LeafRows,
    middle_of,
    values_in_order,
)
from espalier.learners.optimal.regression.problem import RegressionTask
from espalier.trees import LEAF, Tree, make_tree


class _Node(NamedTuple):
    question: int  # LEAF for a leaf
    left: int
    right: int
    samples: np.ndarray  # numbers of its samples


def regression_tree(
    questions: Questions, X: np.ndarray, task: RegressionTask, preorder: list[int]
) -> tuple[Tree, float]:
    """Return the tree of these questions in preorder, answer yes first, -1 for a leaf; and its samples' loss.

    A node's value is the mean or median of its samples `X` (n_samples, n_features), its impurity their mean
    squared or absolute error; the loss is the sum over the leaves, times the weight. Where columns have directions
    the leaves have the best values that keep to them. Where leaves have lines it is that of the lines with their
    penalties.
    """
    asked = np.unique([number for number in preorder if number != LEAF]).astype(np.int64)
    given = answers(make_questions(*(field[asked] for field in questions)), X)
    nodes: list[_Node] = []
    _add(iter(preorder), np.arange(len(X)), dict(zip(asked.tolist(), given.T, strict=True)), nodes)
    question = np.array([node.question for node in nodes])
    weight = np.array([task.weight[node.samples].sum() for node in nodes])
    value = _values(questions, task, nodes)
    error = np.array([_error(task, node.samples, at) for node, at in zip(nodes, value, strict=True)])
    n_samples = [len(node.samples) for node in nodes]
    left, right = [node.left for node in nodes], [node.right for node in nodes]
    fields = *_asked(questions, question), n_samples, weight, value[:, None], error
    feature, threshold, categories, missing_left, *rest = fields
    tree = make_tree(feature, threshold, left, right, categories, missing_left, *rest)
    if not task.x.shape[1]:
        return tree, float((weight * error)[question == LEAF].sum())
    return tree, sum(best_line(task, node.samples).loss for node in nodes if node.question == LEAF)


def _add(preorder: Iterator[int], samples: np.ndarray, given: dict[int, np.ndarray], nodes: list[_Node]) -> int:
    """Append the nodes of a subtree on these samples; return the number of its root."""
    at, number = len(nodes), next(preorder)
    nodes.append(_Node(number, -1, -1, samples))
    if number != LEAF:
        is_left = given[number][samples]
        left = _add(preorder, samples[is_left], given, nodes)
        right = _add(preorder, samples[~is_left], given, nodes)
        nodes[at] = nodes[at]._replace(left=left, right=right)
    return at


def _values(questions: Questions, task: RegressionTask, nodes: list[_Node]) -> np.ndarray:
    """Return the mean or median of each node's samples, (n_nodes,); of leaves the best value in order."""
    value = np.array([middle_of(task.y[one.samples], task.weight[one.samples], task.is_absolute) for one in nodes])
    direction = [_direction(questions, task, node.question) for node in nodes]
    if any(direction):
        leaves = {number: node.samples for number, node in enumerate(nodes) if node.question == LEAF}
        shape = DirectedNodes([node.left for node in nodes], [node.right for node in nodes], direction)
        y, weight = ({at: of[rows] for at, rows in leaves.items()} for of in (task.y, task.weight))
        for leaf, best in values_in_order(shape, LeafRows(y, weight), task.is_absolute).items():
            value[leaf] = best
    return value


def _direction(questions: Questions, task: RegressionTask, question: int) -> int:
    """Return the direction that a split keeps; one between missing values and all others keeps none."""
    if question == LEAF or not len(task.directions) or not np.isfinite(questions.threshold[question]):
        return 0
    return int(task.directions[questions.feature[question]])


def _error(task: RegressionTask, samples: np.ndarray, value: float) -> float:
    """Return the mean squared or absolute error of the samples around a value."""
    away = np.abs(task.y[samples] - value)
    return float(np.average(away if task.is_absolute else away**2, weights=task.weight[samples]))


def _asked(questions: Questions, number: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the fields feature, threshold, categories and missing_left of nodes with these questions."""
    is_split = number != LEAF
    asked = number[is_split]
    feature, threshold = np.full(len(number), LEAF), np.full(len(number), np.nan)
    categories, missing_left = np.zeros(len(number), np.uint64), np.zeros(len(number), dtype=bool)
    feature[is_split], threshold[is_split] = questions.feature[asked], questions.threshold[asked]
    categories[is_split], missing_left[is_split] = questions.categories[asked], questions.missing_left[asked]
    return feature, threshold, categories, missing_left
