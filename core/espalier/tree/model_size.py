"""The size of a model of any kind: leaves, rules, and the number of trees that it represents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.cultivated.fractions import log_ensemble_size
from espalier.learners.imports.model import ReadyModel
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, is_leaf


class Size(NamedTuple):
    """The size of a model."""

    leaves: float  # of all trees
    rules: float  # of all trees: leaves, with siblings that vote for the same class counted once
    log_trees: float  # log10 of the number of trees that are represented


LONE_ROOT, UNKNOWN = Size(1, 1, 0.0), Size(math.nan, math.nan, math.nan)


def size_of(estimator: Any) -> Size:
    """Return the size of a fitted estimator; one without ``tree_`` or ``forest_`` has a single leaf and rule.

    Of a model that a person brought, and whose inside tells nothing, it is not known: nan.
    A cultivated tree represents every tree that has one of its features and cuts at each node (Nalenz & Augustin
    2021, equation 1); any other tree represents itself; a forest represents the trees of all its trees.
    """
    trees = trees_of(estimator)
    if not trees:
        return UNKNOWN if isinstance(estimator, ReadyModel) else LONE_ROOT
    leaves = sum(tree.n_leaves for tree in trees)
    forest = getattr(estimator, "forest_", None)
    is_vote = forest is None or getattr(forest, "combine", "") == "votes"  # else all leaves differ
    rules = sum(map(n_rules, trees)) if is_vote else leaves
    logs = np.array([log_trees(tree) for tree in trees])
    greatest = max(logs.tolist())
    return Size(leaves, rules, greatest + float(np.log10(np.sum(10.0 ** (logs - greatest)))))


def trees_of(estimator: Any) -> Sequence[AnyTree]:
    """Return the trees of a fitted estimator with a vote; none if it grows no trees."""
    if hasattr(estimator, "tree_"):
        return (estimator.tree_,)
    forest = getattr(estimator, "forest_", ())
    if isinstance(forest, Forest):
        return [tree for tree, weight in zip(forest.trees, forest.weight, strict=True) if weight > 0]
    return forest


def log_trees(tree: AnyTree) -> float:
    """Return log10 of the number of trees that a tree represents: 0 except for cultivated trees."""
    return log_ensemble_size(tree) if isinstance(tree, CultivatedTree) else 0.0


def n_rules(tree: AnyTree) -> int:
    """Return the number of rules: leaves, where two siblings that predict the same class count as one.

    Each leaf of a cultivated tree, which rows reach in fractions, and of a regression tree is a rule of its own.
    """
    if isinstance(tree, CultivatedTree) or tree.value.shape[1] < 2:
        return tree.n_leaves
    ends, says = is_leaf(tree), tree.value.argmax(axis=1)
    inner = np.flatnonzero(tree.left != LEAF)
    while True:
        left, right = tree.left[inner], tree.right[inner]
        merges = ends[left] & ends[right] & (says[left] == says[right])
        if not merges.any():
            return len(inner) + 1
        nodes = inner[merges]
        ends[nodes], says[nodes] = True, says[tree.left[nodes]]
        inner = inner[~merges]


# ---- the costs of trees' errors


class Prices(NamedTuple):
    """The costs of errors; by default all are equal."""

    weight: np.ndarray  # (n_classes,) float64: weight of a row of each class
    cost: np.ndarray  # (n_classes, n_classes) float64, [true, predicted]: cost of the confusion

    @property
    def are_equal(self) -> bool:
        """Whether every error costs 1, so that cost is the number of errors."""
        is_error = ~np.eye(len(self.weight), dtype=bool)
        return bool((self.weight == 1).all() and (self.cost[is_error] == 1).all())


def prices(
    y: np.ndarray,
    n_classes: int,
    balanced: bool,
    cost: np.ndarray | None = None,
) -> Prices:
    """Return prices on rows of classes y (n_samples,); `balanced` makes all classes that occur weigh the same.

    That is by their numbers of rows, as `class_weight` of learners has it, also where rows have weights.
    """
    equal = 1.0 - np.eye(n_classes)
    count = np.bincount(y, minlength=n_classes)
    weight = np.ones(n_classes)
    if balanced:
        weight = len(y) / (np.count_nonzero(count) * np.maximum(count, 1))
    return Prices(weight, equal if cost is None else np.asarray(cost, dtype=np.float64))


def row_weights(prices: Prices) -> np.ndarray:
    """Return equivalent class weights for a learner without costs, (n_classes,), if each class has one cost."""
    return prices.weight * prices.cost.max(axis=1)


def cost_of_errors(
    y: np.ndarray, predicted: np.ndarray, prices: Prices, weight: np.ndarray | None = None
) -> float:
    """Return the cost of the errors of `predicted` (n_samples,) for rows of classes y (n_samples,).

    Rows count by their `weight` (n_samples,), or all the same; equal prices make it the number of errors.
    """
    costs = prices.weight[y] * prices.cost[y, predicted]
    return float(costs.sum() if weight is None else (weight * costs).sum())
