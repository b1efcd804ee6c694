"""Cost-complexity pruning of a grown tree (Breiman et al. 1984, section 3.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.prune import collapse_prices
from espalier.trees import T, is_leaf, parents, prune_to


class PruningPath(NamedTuple):
    """The sequence of pruned trees, from the whole tree to the lone root."""

    alpha: np.ndarray  # (n_trees,) float64, ascending: the price per leaf from which each tree is best
    n_leaves: np.ndarray  # (n_trees,) int64
    impurity: np.ndarray  # (n_trees,) float64: mean impurity of the leaves, per unit of weight


def prune(tree: T, alpha: float) -> T:
    """Return the smallest subtree that minimises impurity + alpha * number of leaves (impurity per unit of
    weight).
    """
    return prune_to(tree, collapse_prices(tree, parents(tree)) > alpha)


def pruning_path(tree: T) -> PruningPath:
    """Return all trees that `prune` can give, and the alphas at which they change."""
    price = collapse_prices(tree, parents(tree))
    alphas = np.unique(np.append(price[np.isfinite(price)], 0.0))
    pruned = [prune_to(tree, price > alpha) for alpha in alphas]
    return PruningPath(
        alphas,
        np.array([t.n_leaves for t in pruned]),
        np.array([(t.impurity * t.weight)[is_leaf(t)].sum() / t.weight[0] for t in pruned]),
    )
