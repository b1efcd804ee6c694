"""How closely a tree follows the model that it approximates, at every depth.

Zhou & Hooker (2016, section 4) use both measures: by class probabilities and by class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.weights import weighted_mean
from espalier.kernels.forest.out_of_bag import NO_PRIOR
from espalier.predict import shares
from espalier.ties import winners
from espalier.trees import Tree, depths, prune_to

ADDS = 0.02  # of the distance of a tree without splits: levels that reduce it by less are not worth reading


class Fidelity(NamedTuple):
    """Fidelity of a tree to a model on some rows."""

    n_samples: int
    # L1: half of the sum over the classes of the differences of class shares (for two classes the difference of
    # either share); of numbers the mean absolute difference. Lower is better, 0 the same.
    distance: float
    # share of rows of the same class; for regression R², nan if the model's predictions do not vary
    agreement: float


class FidelityLevel(NamedTuple):
    """The tree cut off at a depth."""

    depth: int
    n_leaves: int
    fidelity: Fidelity


def fidelity(
    model_says: np.ndarray,
    tree_says: np.ndarray,
    is_classification: bool,
    prior: np.ndarray = NO_PRIOR,
    weight: np.ndarray | None = None,
) -> Fidelity:
    """Return the fidelity for class shares (n, n_classes), or numbers (n, 1); nan without rows.

    The prior breaks the model's ties (`espalier.ties.prior_of`). Rows count by `weight` (n,), or all the same.

    >>> import numpy as np
    >>> model, tree = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.8, 0.2], [0.6, 0.4]])
    >>> fidelity(model, tree, is_classification=True).agreement
    0.5
    """
    n = len(model_says)
    if not n:
        return Fidelity(0, math.nan, math.nan)
    apart = np.abs(model_says - tree_says).sum(axis=1)
    if is_classification:
        same = winners(model_says, prior) == winners(tree_says)
        return Fidelity(n, weighted_mean(apart, weight) / 2, weighted_mean(same, weight))
    return Fidelity(n, weighted_mean(apart, weight), r2(model_says[:, 0], tree_says[:, 0], weight))


def r2(answers: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the share of the variance of answers (n,) that predictions (n,) explain; nan if they do not vary."""
    weight = np.ones(len(answers)) if weight is None else weight
    spread = float((weight * (answers - weighted_mean(answers, weight)) ** 2).sum())
    return 1 - float((weight * (answers - predicted) ** 2).sum()) / spread if spread > 0 else math.nan


def cut(tree: Tree, depth: int) -> Tree:
    """Cut the tree off at `depth`; nodes there predict as within the whole tree."""
    return prune_to(tree, depths(tree) < depth)


def by_depth(
    tree: Tree,
    X: np.ndarray,
    model_says: np.ndarray,
    is_classification: bool,
    prior: np.ndarray = NO_PRIOR,
    weight: np.ndarray | None = None,
) -> list[FidelityLevel]:
    """`fidelity` on rows X (n, n_features) of the tree cut off at every depth from 0, a lone root, to its own."""
    levels = []
    for depth in range(tree.depth + 1):
        part = cut(tree, depth)
        closeness = fidelity(model_says, shares(part, X), is_classification, prior, weight)
        levels.append(FidelityLevel(depth, part.n_leaves, closeness))
    return levels


def enough(levels: Sequence[FidelityLevel], adds: float = ADDS) -> int:
    """Return the least depth below which all levels together reduce the distance by less than `adds`.

    Measured in parts of the distance at depth 0. The deepest level if none qualifies.
    """
    distance = [level.fidelity.distance for level in levels]
    for depth, here in enumerate(distance):
        if here - min(distance[depth:]) <= adds * distance[0]:
            return depth
    return len(levels) - 1


class OfClass(NamedTuple):
    """Agreement on the rows that the model assigns to one class."""

    n_samples: int
    agreement: float  # share of them that the tree assigns to the same class; nan without rows


def by_class(
    model_says: np.ndarray, tree_says: np.ndarray, prior: np.ndarray = NO_PRIOR, weight: np.ndarray | None = None
) -> list[OfClass]:
    """Return for every class of the shares (n, n_classes) how often the tree agrees with the model, by weight."""
    model, tree = winners(model_says, prior), winners(tree_says)
    classes = []
    for k in range(model_says.shape[1]):
        same = tree[model == k] == k
        classes.append(OfClass(len(same), weighted_mean(same, None if weight is None else weight[model == k])))
    return classes
