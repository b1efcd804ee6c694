"""Shapley values by their definition, one coalition after the other: for tables of a few features."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np

from espalier.trees import LEAF
from tests.tools.naive.surrogates import goes_left


def values(tree, value, x):
    """(n_features, n_outputs): the mean of what a feature adds, over all orders in which features become known."""
    game, n = (lambda known: expectation(tree, value, x, known)), len(x)
    found = np.zeros((n, value.shape[1]))
    for feature in range(n):
        for others in _coalitions(set(range(n)) - {feature}):
            weight = factorial(len(others)) * factorial(n - len(others) - 1) / factorial(n)
            found[feature] += weight * (game(others | {feature}) - game(others))
    return found


def interactions(tree, value, x):
    """(n_features, n_features, n_outputs): as the supplement of Lundberg et al. 2020 defines them."""
    game, n, whole = (lambda known: expectation(tree, value, x, known)), len(x), values(tree, value, x)
    found = np.zeros((n, n, value.shape[1]))
    for i, j in combinations(range(n), 2):
        for others in _coalitions(set(range(n)) - {i, j}):
            weight = factorial(len(others)) * factorial(n - len(others) - 2) / (2 * factorial(n - 1))
            both = game(others | {i, j}) - game(others | {i}) - game(others | {j}) + game(others)
            found[i, j] += weight * both
        found[j, i] = found[i, j]
    for i in range(n):
        found[i, i] = whole[i] - found[i].sum(axis=0)
    return found


def expectation(tree, value, x, known, node=0):
    """What is predicted where only these features are known: other splits send a row both ways, by weight."""
    if tree.feature[node] == LEAF:
        return value[node]
    left, right = int(tree.left[node]), int(tree.right[node])
    if tree.feature[node] in known:
        return expectation(tree, value, x, known, left if goes_left(tree, node, x) else right)
    share = tree.weight[left] / (tree.weight[left] + tree.weight[right])
    sides = (expectation(tree, value, x, known, child) for child in (left, right))
    return share * next(sides) + (1 - share) * next(sides)


def _coalitions(features):
    return (set(some) for size in range(len(features) + 1) for some in combinations(sorted(features), size))
