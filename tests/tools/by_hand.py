"""Trees, folds, and forests whose trees answer as a table says, typed by hand, before any learner."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.folds import Fold, rows_to_fit
from espalier.data.roles import NO_ROLES
from espalier.oblique import ObliqueTree, make_oblique
from espalier.trees import LEAF, CultivatedTree, Tree, make_cultivated, make_forest, make_tree

NAN = math.nan


def tree_of(
    feature, threshold, value, categories: Any = 0, missing_left: Any = False, n: Any = 1, impurity: Any = 0.0
) -> Tree:
    """The tree, in preorder, of these splits (-1: a leaf); the other arguments are for all nodes, or for each."""
    left, right = [-1] * len(feature), [-1] * len(feature)
    above = []  # splits whose right side has not begun
    for node, asked in enumerate(feature):
        if node and feature[node - 1] < 0:
            right[above.pop()] = node
        if asked >= 0:
            left[node] = node + 1
            above.append(node)
    fields = (np.broadcast_to(one, len(feature)) for one in (categories, missing_left, n, n, impurity))
    masks, sides, n_samples, weight, impurities = fields
    return make_tree(feature, threshold, left, right, masks, sides, n_samples, weight, value, impurities)


def stump(
    threshold=0.5, values: Any = ((1, 0), (0, 1)), feature=0, categories=0, missing_left=False, n=(1, 1)
) -> Tree:
    """One split, by a set of categories where one is told, and what its sides say of so many samples."""
    value = [np.average(values, axis=0, weights=n), *values]
    asked, sides = [NAN if categories else threshold, NAN, NAN], [missing_left, False, False]
    return tree_of([feature, -1, -1], asked, value, [categories, 0, 0], sides, [sum(n), *n], [0.5, 0, 0])


def lone_leaf(*value, n=1) -> Tree:
    """A leaf that says this of so many samples."""
    return tree_of([-1], [NAN], [value], n=n)


def admission() -> Tree:
    """Reject below a gpa (feature 0) of 3.0, or below a toefl (feature 1) of 65; else accept.

    The example of the course slides (Concordia COMP 6321, Decision Trees), on ten made-up applicants.
    """
    value = [[0.6, 0.4], [1, 0], [2 / 6, 4 / 6], [1, 0], [0, 1]]
    threshold, impurity = [3.0, NAN, 64.5, NAN, NAN], [0.48, 0, 4 / 9, 0, 0]
    return tree_of([0, -1, 1, -1, -1], threshold, value, n=[10, 4, 6, 2, 4], impurity=impurity)


def colours() -> Tree:
    """Categories 0 and 2 of feature 0 go left and so does what is missing."""
    return stump(categories=0b101, missing_left=True, n=(2, 2))


def slanted() -> ObliqueTree:
    """A sum of features 0 and 1 up to 3 goes left; of the rest, category 1 of feature 2. Means are 1, 2 and 0."""
    return make_oblique(
        [0, -1, 2, -1, -1],
        [3.0, NAN, NAN, NAN, NAN],
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, 0, 0b10, 0, 0],
        [10, 4, 6, 2, 4],
        [10, 4, 6, 2, 4],
        [[0.6, 0.4], [1, 0], [2 / 6, 4 / 6], [1, 0], [0, 1]],
        [0.48, 0, 4 / 9, 0, 0],
        [1.0, 2.0, 0.0],
        ([0, 2, 2, 2, 2, 2], [0, 1], [1.0, 1.0]),
    )


def neighbourhoods() -> CultivatedTree:
    """Robust splits on features 0, 1 and 1, with the modules M1, M2 and M3 and four leaves.

    Nalenz & Augustin 2021, supplement A: M1 = {4, 5, 6}, M2 = {2, 3, 4}, M3 = {3, 4, 5}; the leaves' values are
    made up.
    """
    return make_cultivated(
        [1, 2, -1, -1, 5, -1, -1],
        [4, 3, -1, -1, 6, -1, -1],
        [12, 8, 5, 6, 8, 5, 6],
        [12, 6, 3, 3, 6, 3, 3],
        [[0.5, 0.5], [0.8, 0.2], [1, 0], [0.6, 0.4], [0.2, 0.8], [0.4, 0.6], [0, 1]],
        [0.5, 0.32, 0, 0.48, 0.32, 0.48, 0],
        ([0, 1, 2, 2, 2, 3, 3, 3], [0, 1, 1], [5, 3, 4], [False] * 3, [1] * 3, [0.5] * 3, [0.32, 0.24, 0.24]),
        ([0, 3, 6, 9], [4, 5, 6, 2, 3, 4, 3, 4, 5], [1] * 9),
    )


def options() -> CultivatedTree:
    """One module of two options: a robust split of feature 0 at 4, 5 and 6, and feature 1 directed: "> 3" is left.

    Nalenz & Augustin 2021, figure 1 (b), as far as the text tells; the numbers of samples are made up.
    """
    return make_cultivated(
        [1, -1, -1],
        [2, -1, -1],
        [8, 6, 6],
        [8, 4, 4],
        [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]],
        [0.5, 0.375, 0.375],
        ([0, 2, 2, 2], [0, 1], [5, 3], [False, True], [0.5, 0.5], [0.5, 0.25], [0.375, 0.4]),
        ([0, 3, 4], [4, 5, 6, 3], [1, 1, 1, 1]),
    )


def soft_colours() -> CultivatedTree:
    """A robust split on categories in the order 2, 0, 1, 3; only 0 and 1 are in the neighbourhood of 0."""
    return make_cultivated(
        [1, -1, -1],
        [2, -1, -1],
        [6, 4, 5],
        [6, 3, 3],
        [[0.5], [0.25], [0.75]],
        [0.25, 0.1, 0.1],
        ([0, 1, 1, 1], [0], [NAN], [False], [1], [0.4], [0.1]),
        ([0, 4], [2, 0, 1, 3], [0, 3, 1, 0]),
    )


def told_from_others(tested: Sequence[np.ndarray], n: int) -> list[Fold]:
    """The folds of these rows (indices), each of which all others of n rows tell."""
    return [Fold(number, rows, rows_to_fit(NO_ROLES, rows, n)) for number, rows in enumerate(tested)]


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
