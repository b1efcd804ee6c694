"""Cost-complexity pruning: the alpha at which each split is pruned (Breiman et al. 1984, section 3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.kernels import kernel
from espalier.trees import LEAF


@kernel
def _tally(left, parent, cost):
    """Return the total cost and the number of the leaves below each node, both (n_nodes,)."""
    below = cost.copy()
    leaves = np.ones(len(cost), np.int64)
    for node in range(len(cost)):
        if left[node] != LEAF:
            below[node], leaves[node] = 0.0, 0
    for node in range(len(cost) - 1, 0, -1):
        below[parent[node]] += below[node]
        leaves[parent[node]] += leaves[node]
    return below, leaves


def collapse_prices(tree: Any, parent: np.ndarray) -> np.ndarray:
    """Return the alpha (price per leaf) from which each split is pruned, (n_nodes,) float64; -inf at leaves.

    Weakest-link pruning: again and again, the split with the least increase of impurity per leaf saved becomes
    a leaf. A split inside a pruned subtree has at most the alpha of that pruning.
    """
    return _collapse(tree.left, parent, tree.impurity * tree.weight / tree.weight[0])


@kernel
def _collapse(left, parent, cost):
    """Return `collapse_prices`; of a tree only what all kinds have alike, so that it is compiled once."""
    n = len(left)
    below, leaves = _tally(left, parent, cost)
    price = np.full(n, -np.inf)
    alive = left != LEAF
    alpha = 0.0
    while alive[0]:
        weakest, least = 0, np.inf
        for node in range(n):
            if alive[node]:
                link = (cost[node] - below[node]) / (leaves[node] - 1)
                if link < least:
                    weakest, least = node, link
        alpha = max(alpha, least)
        end = weakest + 1
        while end < n and _inside(parent, end, weakest):
            end += 1
        for node in range(weakest, end):
            if alive[node]:
                alive[node], price[node] = False, alpha
        saving, fewer = cost[weakest] - below[weakest], leaves[weakest] - 1
        node = weakest
        while node >= 0:
            below[node] += saving
            leaves[node] -= fewer
            node = parent[node]
    return price


@kernel
def _inside(parent, node, root):
    # In preorder, a node after `root` is in its subtree if its parent is.
    return parent[node] >= root
