"""Predictions of a forest's first trees, and of each tree alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from espalier.data.weights import weighted_mean
from espalier.kernels.averaging import averages, shares_of_rows
from espalier.kernels.forest.out_of_bag import OutOfBag, WeightedTarget
from espalier.kinds import are_boxes
from espalier.learners.conventions import gains_of
from espalier.learners.forests.forest import judge_any
from espalier.predict import check_votes, linked, packed, samples_over, shares, staged
from espalier.ties import winners
from espalier.trees import Forest, Tree, is_leaf, read_only

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


# ---- answers of a forest's first trees over a plane: exact partial dependence (Friedman, 2001)

CORNERS = ((0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0))  # low or high along x, and y; its sign


def can_average(forest: Forest) -> bool:
    """Whether the mean of the forest's answers is that of its trees: not of sums that pass through a link.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingClassifier, RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> kinds = RandomForestClassifier(n_estimators=2), GradientBoostingClassifier(n_estimators=2)
    >>> [can_average(kind.fit(iris.X, iris.y).forest_) for kind in kinds]
    [True, False]
    """
    return forest.link == "identity" and are_boxes(forest)


def averages_of_first(
    forest: Forest, axes: Sequence[int], at: Sequence[np.ndarray], rows: np.ndarray, counts: Sequence[int]
) -> list[np.ndarray]:
    """Return the mean answers of the first 1, 2, … trees: (n_cells, n_outputs) for each of `counts`, x fastest.

    `at` has the values along each of one or two axes, ascending; `rows` (n_rows, n_features) keep their own values
    of all other features. The forest is one that `can_average`; `counts` ascend.
    """
    votes, total, found = forest.combine == "votes", 0.0, []
    trees = cast("Sequence[Tree]", forest.trees)
    for before, count in pairwise([0, *counts]):
        for tree, weight in zip(trees[before:count], forest.weight[before:count], strict=True):
            total = total + weight * _average(_voting(tree) if votes else tree, axes, at, rows)
        weights = float(forest.weight[:count].sum())
        found.append(total + forest.start if forest.combine == "sum" else total / max(weights, LEAST))
    return found


def _voting(tree: Tree) -> Tree:
    """Return the tree with a whole vote in each leaf."""
    return tree._replace(value=read_only(np.eye(tree.value.shape[1])[tree.value.argmax(axis=1)]))


def _average(tree: Tree, axes: Sequence[int], at: Sequence[np.ndarray], rows: np.ndarray) -> np.ndarray:
    share = shares_of_rows(tree, rows, axes)
    if np.isnan(tree.threshold[np.isin(tree.feature, axes)]).any():  # a set of categories is no box
        return averages(tree, samples_over(axes, at, rows[0]), axes, share)
    leaf = is_leaf(tree) & (share > 0)
    low, high = _boxes(tree, axes, at)
    ends, says = (low[leaf], high[leaf]), share[leaf, np.newaxis] * tree.value[leaf]
    size = [len(values) for values in at] + [1] * (2 - len(at))
    plane = np.zeros((size[1] + 1, size[0] + 1, says.shape[1]))
    for x, y, sign in CORNERS:
        np.add.at(plane, (ends[y][:, 1], ends[x][:, 0]), sign * says)
    return plane.cumsum(axis=0).cumsum(axis=1)[:-1, :-1].reshape(-1, says.shape[1])


def _boxes(tree: Tree, axes: Sequence[int], at: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first cell of each node's box, and one past the last, along x and y: both (n_nodes, 2)."""
    low, high = np.zeros((tree.n_nodes, 2), np.int64), np.ones((tree.n_nodes, 2), np.int64)
    high[0, : len(at)] = [len(values) for values in at]
    nodes = np.zeros(1, np.int64)
    while nodes.size:
        nodes = nodes[tree.feature[nodes] >= 0]
        left, right = tree.left[nodes], tree.right[nodes]
        low[left], low[right], high[left], high[right] = low[nodes], low[nodes], high[nodes], high[nodes]
        for j, axis in enumerate(axes):
            asked = tree.feature[nodes] == axis
            cut = np.searchsorted(at[j], tree.threshold[nodes[asked]], side="right")
            high[left[asked], j] = np.minimum(high[left[asked], j], cut)
            low[right[asked], j] = np.maximum(low[right[asked], j], cut)
        nodes = np.concatenate([left, right])
    return low, np.maximum(low, high)
