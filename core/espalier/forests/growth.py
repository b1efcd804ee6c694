"""Predictions of a forest's first trees, and of each tree alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from espalier.data.weights import weighted_mean
from espalier.kernels.forest.out_of_bag import OutOfBag, WeightedTarget
from espalier.learners.conventions import gains_of
from espalier.learners.forests.forest import judge_any
from espalier.predict import check_votes, linked, packed, shares, staged
from espalier.ties import winners
from espalier.trees import Forest

LEAST = 1e-300  # least sum of votes to divide by: trees without any vote predict nothing


def first_trees(forest: Forest, X: np.ndarray, counts: Sequence[int]) -> list[np.ndarray]:
    """Return predictions of the first 1, 2, … trees for X: (n_rows, n_outputs) for each of `counts`.

    Weighted means or sums, as for the whole forest; `counts` ascend. Raises ValueError for a count beyond the
    trees.
    """
    if list(counts) != [n for n in range(1, forest.n_trees + 1) if n in counts] or not counts:
        raise ValueError(f"{list(counts)} are no ascending numbers of trees from 1 to {forest.n_trees}")
    if forest.combine == "sum":
        return [shares(_first(forest, count), X) for count in counts]
    predictions, total = [], np.zeros((len(X), forest.trees[0].value.shape[1]))
    for before, count in pairwise([0, *counts]):
        more = forest._replace(trees=forest.trees[before:count], weight=forest.weight[before:count])
        total = total + shares(more, X)
        predictions.append(total / max(float(forest.weight[:count].sum()), LEAST))
    return predictions


def _first(forest: Forest, count: int) -> Forest:
    return forest._replace(trees=forest.trees[:count], weight=forest.weight[:count])


def judged(
    forest: Forest,
    X: np.ndarray,
    y: np.ndarray,
    in_bag: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> OutOfBag:
    """Return the errors against y (n,) of each row of X (n, n_features), by the trees that did not see it.

    `in_bag` (n_trees, n) is how often each tree saw each row; None: no tree saw any. Classes are numbers; the
    error of the first 1, 2, … trees is their share of wrong classes, or the mean squared difference, by `weight`
    (n,) where rows do not count the same. Raises ValueError for a boosted sum with an `in_bag`: without some of
    its steps it predicts nothing.
    """
    if forest.combine == "sum" and in_bag is None:
        return _judged_sum(forest, X, y, weight)
    seen = np.zeros((forest.n_trees, len(X)), np.uint8) if in_bag is None else in_bag
    counts = np.ones(len(y)) if weight is None else weight
    target = WeightedTarget(np.asarray(y, np.float64), counts, bool(len(forest.prior)), forest.prior)
    return judge_any(forest, packed(forest), np.asfortranarray(X), seen, target)


def _judged_sum(forest: Forest, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> OutOfBag:
    """Return the predictions of a boosted sum, and the error after each of its trees."""
    value, errors = linked(forest, np.zeros((len(X), len(forest.start)))), []
    for value in staged(forest, X):
        of_classes = len(forest.prior) > 0
        off = winners(value, forest.prior) != y if of_classes else (value[:, 0] - y) ** 2
        errors.append(weighted_mean(off, weight))
    return OutOfBag(value, np.array(errors))


def own_errors(
    forest: Forest,
    X: np.ndarray,
    y: np.ndarray,
    in_bag: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Return the error of each tree on the rows that it did not see, (n_trees,).

    It is nan for a tree that saw all of them. Arguments as for `judged`.
    """
    check_votes(forest)
    X, errors = np.asfortranarray(X), np.full(forest.n_trees, np.nan)
    for number, tree in enumerate(forest.trees):
        unseen = np.ones(len(X), bool) if in_bag is None else in_bag[number] == 0
        if unseen.any():
            prediction = shares(tree, X[unseen])
            off = (
                prediction.argmax(axis=1) != y[unseen]
                if len(forest.prior)
                else (prediction[:, 0] - y[unseen]) ** 2
            )
            errors[number] = weighted_mean(off, None if weight is None else weight[unseen])
    return errors


def gains(forest: Forest, n_features: int) -> np.ndarray:
    """Return the decrease of impurity by the splits on each feature, summed over the trees, (n_features,).

    Breiman et al. (1984), section 5.3, without surrogates; the options of a module share its decrease.
    """
    return sum((gains_of(tree, n_features) for tree in forest.trees), np.zeros(n_features))
