"""Every pruned version of a tree, one by one, and the best of them."""

from __future__ import annotations

import itertools

import numpy as np

from espalier.predict import leaves
from espalier.trees import LEAF, Tree, prune_to


def pruned_versions(tree: Tree) -> list[Tree]:
    """All trees that come of turning splits into leaves, each once."""
    return [prune_to(tree, np.isin(np.arange(tree.n_nodes), kept)) for kept in kept_splits(tree, 0)]


def kept_splits(tree: Tree, node: int) -> list[list[int]]:
    """The sets of splits that the pruned versions of a subtree keep."""
    if tree.left[node] == LEAF:
        return [[]]
    sides = [kept_splits(tree, int(child)) for child in (tree.left[node], tree.right[node])]
    return [[], *([node, *left, *right] for left, right in itertools.product(*sides))]


def error_sum(tree: Tree, X: np.ndarray, y: np.ndarray) -> float:
    """Errors on these samples; of a tree of numbers the sum of their squares."""
    said = tree.value[leaves(tree, X)]
    if said.shape[1] > 1:
        return float(np.count_nonzero(said.argmax(axis=1) != y))
    return float(((y - said[:, 0]) ** 2).sum())


def fewest_errors(tree: Tree, X: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    """The fewest errors that a pruned version makes on these samples, and the fewest leaves of those that do."""
    versions = [(round(error_sum(one, X, y), 9), one.n_leaves) for one in pruned_versions(tree)]
    return min(versions)


def cheapest(tree: Tree, alpha: float) -> tuple[float, int]:
    """The least mean impurity plus alpha per leaf of any pruned version, and the fewest leaves at that."""
    found = []
    for one in pruned_versions(tree):
        leaf = one.left == LEAF
        cost = (one.impurity * one.weight)[leaf].sum() / one.weight[0]
        found.append((round(float(cost + alpha * one.n_leaves), 9), one.n_leaves))
    return min(found)
