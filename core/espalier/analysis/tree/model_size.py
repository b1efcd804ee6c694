"""How large a model is, whatever its kind: leaves, rules, and the trees that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.gate import log_ensemble_size
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, is_leaf


class Size(NamedTuple):
    """How much there is to read."""

    leaves: float  # of all trees
    rules: float  # of all trees: leaves, those side by side that vote for the same class counted once
    log_trees: float  # log10 of the number of trees that are represented


LONE_ROOT = Size(1, 1, 0.0)


def size_of(estimator: Any) -> Size:
    """The size of a fitted estimator with ``tree_`` or ``forest_``; one without either says one thing of all rows.

    A cultivated tree represents every tree that decides for one feature and one cut at each node (Nalenz &
    Augustin 2021, equation 1), any other tree itself; a forest those of its trees together.
    """
    trees = trees_of(estimator)
    if not trees:
        return LONE_ROOT
    leaves = sum(tree.n_leaves for tree in trees)
    forest = getattr(estimator, "forest_", None)
    is_vote = forest is None or getattr(forest, "majority", False)  # where shares are averaged, all leaves differ
    rules = sum(map(n_rules, trees)) if is_vote else leaves
    return Size(leaves, rules, _log_of_sum([log_trees(tree) for tree in trees]))


def trees_of(estimator: Any) -> Sequence[AnyTree]:
    """The trees of a fitted estimator that have a say; none of one that grows no trees."""
    if hasattr(estimator, "tree_"):
        return (estimator.tree_,)
    forest = getattr(estimator, "forest_", ())
    if isinstance(forest, Forest):
        return [tree for tree, weight in zip(forest.trees, forest.weight, strict=True) if weight > 0]
    return forest


def log_trees(tree: AnyTree) -> float:
    """log10 of the number of trees that a tree represents: 0, but for cultivated ones."""
    return log_ensemble_size(tree) if isinstance(tree, CultivatedTree) else 0.0


def n_rules(tree: AnyTree) -> int:
    """Leaves that have to be told apart: two under the same split that predict the same class are one rule.

    A leaf of a cultivated tree, where rows are by fractions, or of a tree of numbers is a rule of its own.
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
