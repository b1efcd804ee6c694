"""Forests whose trees vote, or answer, as a table says: tree t reads its answer off column t of X."""

import numpy as np

from espalier.trees import LEAF, Tree, make_forest, make_tree


def voter(column: int, n_classes: int) -> Tree:
    """A tree that votes for the class number that stands in a column."""
    n = 2 * n_classes - 1  # a chain: split, leaf, split, leaf, …, leaf
    is_split = (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    says = np.eye(n_classes)[np.minimum((np.arange(n) + 1) // 2, n_classes - 1)]
    says[1::2] = np.eye(n_classes)[: n_classes - 1]
    return make_tree(
        np.where(is_split, column, LEAF),
        np.where(is_split, np.arange(n) / 2 + 0.5, np.nan),
        np.where(is_split, np.arange(n) + 1, LEAF),
        np.where(is_split, np.arange(n) + 2, LEAF),
        *(np.zeros(n), np.zeros(n), np.ones(n), np.ones(n), says, np.zeros(n)),
    )


def voters(votes, n_classes=2, weight=None):
    """(forest, X): a forest whose tree t votes for ``votes[t, i]`` on row i of X."""
    votes = np.asarray(votes)
    trees = [voter(column, n_classes) for column in range(len(votes))]
    prior = np.full(n_classes, 1 / n_classes)
    forest = make_forest(trees, np.ones(len(votes)) if weight is None else weight, "votes", prior)
    return forest, np.ascontiguousarray(votes.T, dtype=float)


def tellers(numbers):
    """(forest, X): a forest whose tree t says ``numbers[t, i]`` on row i of X."""
    numbers = np.asarray(numbers, dtype=float)
    n = numbers.shape[1]
    trees = [voter(column, n) for column in range(len(numbers))]
    leaves = [np.flatnonzero(tree.left == LEAF) for tree in trees]
    values = [np.zeros((tree.n_nodes, 1)) for tree in trees]
    for value, leaf, said in zip(values, leaves, numbers, strict=True):
        value[leaf, 0] = said
    trees = [tree._replace(value=value) for tree, value in zip(trees, values, strict=True)]
    X = np.repeat(np.arange(n, dtype=float)[:, None], len(numbers), axis=1)
    return make_forest([make_tree(*tree) for tree in trees], np.ones(len(numbers)), "mean", []), X
