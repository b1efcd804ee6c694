"""The surrogate splits of a node as conditions, and refusals of trees that have any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.tree.rules import ALL, Bound, admits, step
from espalier.trees import Tree, is_category_split


class SurrogateTest(NamedTuple):
    """A surrogate split: the values of its feature that go left, and how well it stands in for the node's own."""

    bound: Bound
    agreement: float  # share of the weight of samples with both values that it sends to the same side


class Question(NamedTuple):
    """A split of a node, its own or a surrogate: the values that go left and right, and those it knows at all."""

    left: Bound
    right: Bound
    known: Bound  # any number, or the categories that were there when the split was chosen


def surrogate_tests(tree: Tree, node: int) -> list[SurrogateTest]:
    """Return the surrogate splits of a node, the best one first.

    >>> from espalier.learners import CartClassifier
    >>> X = np.array([[1, 40], [2, 30], [3, 20], [4, 10]])
    >>> tree = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 1, 1]).tree_
    >>> test = surrogate_tests(tree, 0)[0]
    >>> test.bound.feature, test.bound.low, test.agreement
    (1, 25.0, 1.0)
    """
    pool, (first, stop) = tree.surrogates, tree.surrogates.start[node : node + 2]
    return [SurrogateTest(_side_of(tree, at, left=True), float(pool.agreement[at])) for at in range(first, stop)]


def deciders(tree: Tree, node: int, X: np.ndarray) -> np.ndarray:
    """Return how many samples of a node, X (n_samples, n_features), each of its surrogates decides about.

    The last number is of those that go to the larger side, since none of their values is known. (n + 1,) int64.
    """
    own, *others = questions_in_order(tree, node)
    open_rows = ~admits(own.known, X[:, own.known.feature])
    counts = []
    for question in others:
        here = open_rows & admits(question.known, X[:, question.known.feature])
        counts.append(np.count_nonzero(here))
        open_rows &= ~here
    return np.array([*counts, np.count_nonzero(open_rows)], dtype=np.int64)


def questions_in_order(tree: Tree, node: int) -> list[Question]:
    """Return the node's own split and each of its surrogates, the first of which that knows a value decides."""
    return [question_at(tree, node, number) for number in range(n_surrogates(tree, node) + 1)]


def question_at(tree: Tree, node: int, number: int) -> Question:
    """Return the node's own split (number 0), or one of its surrogates, numbered from 1.

    >>> from espalier.learners import CartClassifier
    >>> X = np.array([[1, 40], [2, 30], [3, 20], [4, 10]])
    >>> tree = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 1, 1]).tree_
    >>> question_at(tree, 0, 1).left.low, question_at(tree, 0, 1).right.high
    (25.0, 25.0)
    """
    ways = (
        surrogate_step(tree, node, number, left) if number else step(tree, node, left) for left in (True, False)
    )
    left, right = (way._replace(missing=False) for way in ways)
    is_set = left.categories != ALL or right.categories != ALL
    known = Bound(left.feature, categories=left.categories | right.categories if is_set else ALL, missing=False)
    return Question(left, right, known)


def may_ask_surrogates(tree: Tree, x: np.ndarray) -> bool:
    """Return whether surrogates may decide about a sample x (n_features,), or about what it can be changed into.

    They do where it has a missing value, and where a category is one that a node never saw.
    """
    has_own = np.diff(tree.surrogates.start) > 0
    return bool(tree.has_surrogates and (np.isnan(x).any() or (has_own & is_category_split(tree)).any()))


def refuse_surrogates(tree: Tree, what: str, x: np.ndarray | None = None) -> None:
    """Raise ValueError for a tree with surrogate splits, of which `what` knows nothing.

    Given a sample x (n_features,), only if they `may_ask_surrogates` about it.
    """
    if tree.has_surrogates if x is None else may_ask_surrogates(tree, x):
        raise ValueError(
            f"{what} cannot be had of a tree with surrogate splits, where other columns decide about a missing "
            "value, or a category that the node never saw: grow the tree with missing='side', 'category' or "
            "'impute'"
        )


def n_surrogates(tree: Tree, node: int) -> int:
    """Return the number of surrogate splits of a node."""
    return int(tree.surrogates.start[node + 1] - tree.surrogates.start[node])


def surrogate_step(tree: Tree, node: int, number: int, left: bool) -> Bound:
    """Return the condition under which a node's surrogate split, numbered from 1, sends samples left (right).

    >>> from espalier.learners import CartClassifier
    >>> X = np.array([[1, 40], [2, 30], [3, 20], [4, 10]])
    >>> tree = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 1, 1]).tree_
    >>> surrogate_step(tree, 0, 1, left=False).high
    25.0
    """
    return _side_of(tree, int(tree.surrogates.start[node]) + number - 1, left)


def _side_of(tree: Tree, at: int, left: bool) -> Bound:
    pool = tree.surrogates
    feature, threshold = int(pool.feature[at]), float(pool.threshold[at])
    passes = left != bool(pool.reversed[at])
    if np.isnan(threshold):
        mask = int(pool.categories[at]) if passes else ALL & ~int(pool.categories[at])
        return Bound(feature, categories=mask & int(pool.seen[at]), missing=False)
    if passes:
        return Bound(feature, high=threshold, missing=False)
    return Bound(feature, low=threshold, missing=False)
