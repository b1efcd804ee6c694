"""Predictions of a forest's first trees, and of each tree alone."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from espalier.analysis.prediction import shares
from espalier.kernels.forest.out_of_bag import OutOfBag, WeightedTarget
from espalier.kernels.forest.packed import PackedForest, pack_forest, rows_of, weighted_sum
from espalier.learners.conventions import gains_of
from espalier.learners.forests.forest import judge_any, said_by
from espalier.learners.ties import winners
from espalier.trees import Forest, Tree

LEAST = 1e-300  # least sum of votes to divide by: trees without any vote predict nothing


def first_trees(forest: Forest, X: np.ndarray, counts: Sequence[int]) -> list[np.ndarray]:
    """Return the predictions of the first 1, 2, … trees for the rows of X: (n_rows, n_outputs) for each of
    `counts`.

    Weighted means, as for the whole forest; `counts` ascend. Raises ValueError for a count beyond the trees.
    """
    if list(counts) != [n for n in range(1, forest.n_trees + 1) if n in counts] or not counts:
        raise ValueError(f"{list(counts)} are no ascending numbers of trees from 1 to {forest.n_trees}")
    grove, rows, found = _grove(forest), rows_of(X), []
    total = np.zeros((len(X), forest.trees[0].value.shape[1]))
    for before, count in pairwise([0, *counts]):
        total = total + _summed(forest, grove, rows, slice(before, count))
        found.append(total / max(float(forest.weight[:count].sum()), LEAST))
    return found


def _grove(forest: Forest) -> PackedForest | None:
    return pack_forest(forest) if all(isinstance(tree, Tree) for tree in forest.trees) else None


def _summed(forest: Forest, grove: PackedForest | None, X: np.ndarray, part: slice) -> np.ndarray:
    """Return the weighted sum of these trees' predictions, (n_rows, n_outputs)."""
    if grove is not None:
        some = grove._replace(root=grove.root[part], weight=grove.weight[part])
        with ThreadPoolExecutor(1) as pool:
            return weighted_sum(some, X, pool, 1)
    X = np.asfortranarray(X)
    said = (said_by(tree, X, forest.majority) for tree in forest.trees[part])
    return sum((w * one for w, one in zip(forest.weight[part], said, strict=True)), np.zeros(()))


def judged(forest: Forest, X: np.ndarray, y: np.ndarray, in_bag: np.ndarray | None = None) -> OutOfBag:
    """Predict each row of X (n, n_features) by the trees that did not see it, and return the errors against y
    (n,).

    `in_bag` (n_trees, n) is how often each tree saw each row; None: no tree saw any. Classes are numbers; the
    error of the first 1, 2, … trees is their share of wrong classes, or the mean squared difference.
    """
    seen = np.zeros((forest.n_trees, len(X)), np.uint8) if in_bag is None else in_bag
    target = WeightedTarget(np.asarray(y, np.float64), np.ones(len(y)), bool(len(forest.prior)), forest.prior)
    return judge_any(forest, _grove(forest), np.asfortranarray(X), seen, target)


def each_says(forest: Forest, x: np.ndarray) -> np.ndarray:
    """Return the class shares, or the number, that each tree predicts for x (n_features,), (n_trees,
    n_outputs).
    """
    row = np.asfortranarray(x[None, :])
    return np.stack([shares(tree, row)[0] for tree in forest.trees])


def chosen(forest: Forest, answers: np.ndarray) -> np.ndarray:
    """Return the class that the forest predicts from these shares, (n_rows,) int64, with its rule for ties."""
    return winners(answers, forest.prior)


def own_errors(forest: Forest, X: np.ndarray, y: np.ndarray, in_bag: np.ndarray | None = None) -> np.ndarray:
    """Return the error of each tree on the rows that it did not see, (n_trees,); nan if it saw all. As
    `judged`.
    """
    X, errors = np.asfortranarray(X), np.full(forest.n_trees, np.nan)
    for number, tree in enumerate(forest.trees):
        unseen = np.ones(len(X), bool) if in_bag is None else in_bag[number] == 0
        if unseen.any():
            said = shares(tree, X[unseen])
            off = said.argmax(axis=1) != y[unseen] if len(forest.prior) else (said[:, 0] - y[unseen]) ** 2
            errors[number] = off.mean()
    return errors


def gains(forest: Forest, n_features: int) -> np.ndarray:
    """Return the decrease of impurity by the splits on each feature, by weight, summed over the trees,
    (n_features,).

    Breiman et al. (1984), section 5.3, without surrogates; the options of a module share its decrease.
    """
    return sum((gains_of(tree, n_features) for tree in forest.trees), np.zeros(n_features))
