"""The surrogate splits of a node as conditions, and refusals of trees that have any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.analysis.tree.rules import ALL, N_BITS, Bound, step
from espalier.trees import Tree


class SurrogateTest(NamedTuple):
    """A surrogate split: the values of its feature that go left, and how well it stands in for the node's own."""

    bound: Bound
    agreement: float  # share of the weight of samples with both values that it sends to the same side


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
    open_rows = ~_is_known(X, own)
    counts = []
    for bound in others:
        here = open_rows & _is_known(X, bound)
        counts.append(np.count_nonzero(here))
        open_rows &= ~here
    return np.array([*counts, np.count_nonzero(open_rows)], dtype=np.int64)


def _is_known(X: np.ndarray, bound: Bound) -> np.ndarray:
    values = X[:, bound.feature]
    return ~np.isnan(values) & ((bound.categories == ALL) | ((values >= 0) & (values < N_BITS)))


def questions_in_order(tree: Tree, node: int) -> list[Bound]:
    """Return the values that go left by the node's own split, and by each of its surrogates."""
    return [
        step(tree, node, left=True)._replace(missing=False),
        *(one.bound for one in surrogate_tests(tree, node)),
    ]


def refuse_surrogates(tree: Tree, what: str, x: np.ndarray | None = None) -> None:
    """Raise ValueError for a tree with surrogate splits, of which `what` knows nothing.

    Given a sample x (n_features,), only if it has missing values: without any, no surrogate is asked.
    """
    if tree.has_surrogates and (x is None or np.isnan(x).any()):
        raise ValueError(
            f"{what} cannot be had of a tree with surrogate splits, where other columns decide about a missing "
            "value: grow the tree with missing='side', 'category' or 'impute'"
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
        mask = int(pool.categories[at])
        return Bound(feature, categories=mask if passes else ALL & ~mask, missing=False)
    if passes:
        return Bound(feature, high=threshold, missing=False)
    return Bound(feature, low=threshold, missing=False)
