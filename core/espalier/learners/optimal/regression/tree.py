"""Build a regression `Tree` from the questions that a search chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions
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

    A node's value is the mean of its samples `X` (n_samples, n_features), its impurity their mean squared error;
    the loss is the sum over the leaves, times the weight.
    """
    asked = np.unique([number for number in preorder if number != LEAF]).astype(np.int64)
    given = answers(make_questions(*(field[asked] for field in questions)), X)
    nodes: list[_Node] = []
    _add(iter(preorder), np.arange(len(X)), dict(zip(asked.tolist(), given.T, strict=True)), nodes)
    question = np.array([node.question for node in nodes])
    weight = np.array([task.weight[node.samples].sum() for node in nodes])
    value = np.array([_mean(task, node.samples) for node in nodes])
    error = np.array([_error(task, node.samples, at) for node, at in zip(nodes, value, strict=True)])
    n_samples = [len(node.samples) for node in nodes]
    left, right = [node.left for node in nodes], [node.right for node in nodes]
    fields = *_asked(questions, question), n_samples, weight, value[:, None], error
    feature, threshold, categories, missing_left, *rest = fields
    tree = make_tree(feature, threshold, left, right, categories, missing_left, *rest)
    return tree, float((weight * error)[question == LEAF].sum())


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


def _mean(task: RegressionTask, samples: np.ndarray) -> float:
    """Return the mean of the samples, exact where all are equal."""
    y = task.y[samples]
    return float(y[0]) + float(np.average(y - y[0], weights=task.weight[samples]))


def _error(task: RegressionTask, samples: np.ndarray, value: float) -> float:
    """Return the mean squared error of the samples around a value."""
    return float(np.average(np.abs(task.y[samples] - value) ** 2, weights=task.weight[samples]))


def _asked(questions: Questions, number: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the fields feature, threshold, categories and missing_left of nodes with these questions."""
    is_split = number != LEAF
    asked = number[is_split]
    feature, threshold = np.full(len(number), LEAF), np.full(len(number), np.nan)
    categories, missing_left = np.zeros(len(number), np.uint64), np.zeros(len(number), dtype=bool)
    feature[is_split], threshold[is_split] = questions.feature[asked], questions.threshold[asked]
    categories[is_split], missing_left[is_split] = questions.categories[asked], questions.missing_left[asked]
    return feature, threshold, categories, missing_left
