"""The size of a model of any kind: leaves, rules, and the number of trees that it represents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.gate import log_ensemble_size
from espalier.learners.imports.ready import ReadyModel
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
    return Size(leaves, rules, _log_of_sum([log_trees(tree) for tree in trees]))


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
        merged = inner[merges]
        ends[merged], says[merged] = True, says[tree.left[merged]]
        inner = inner[~merges]


def _log_of_sum(logs: Sequence[float]) -> float:
    greatest = max(logs)
    return greatest + float(np.log10(np.sum(10.0 ** (np.array(logs) - greatest))))
