"""Pruning of a grown tree: by cost and complexity (Breiman et al. 1984, chapter 3), or by errors on other samples.

The cost R(T) of a tree T is the mean impurity of its leaves, or the share of training errors. Cost-complexity
pruning minimises R(T) + alpha * (number of leaves). The trees that do so as alpha rises are nested, from the whole
tree to the root. Reduced-error pruning (Quinlan 1987) needs no price, but samples that the tree has not seen.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from espalier.kernels.prune import collapse_prices
from espalier.oblique import ObliqueTree, prune_oblique_to
from espalier.predict import leaves
from espalier.trees import CultivatedTree, Tree, is_leaf, parents, prune_to

ROUNDING = 1e-12  # differences of prices and losses that rounding may have made, as a part of the largest


SomeTree = TypeVar("SomeTree", Tree, CultivatedTree, ObliqueTree)


class PruningPath(NamedTuple):
    """The sequence of pruned trees, from the whole tree to the lone root."""

    alpha: np.ndarray  # (n_trees,) float64, ascending: the price per leaf from which each tree is best
    n_leaves: np.ndarray  # (n_trees,) int64
    cost: np.ndarray  # (n_trees,) float64: mean impurity of the leaves, or share of errors, per unit of weight


def prices(tree: SomeTree, cost: str = "impurity") -> np.ndarray:
    """Return the alpha from which each split is pruned, (n_nodes,) float64; -inf at leaves.

    The cost is the "impurity" of the leaves, as scikit-learn has it, or "errors", the share of the training
    samples that the leaves misclassify, as Breiman et al. (1984, section 3.3) and rpart have it. Raises ValueError
    for another cost, and for errors of a tree of numbers.
    """
    if cost not in ("impurity", "errors"):
        raise ValueError(f"cost is {cost!r}; it must be impurity or errors")
    if cost == "errors":
        if tree.value.shape[1] < 2:
            raise ValueError('a tree of numbers makes no errors to count; take cost="impurity"')
        tree = tree._replace(impurity=1.0 - tree.value.max(axis=1))
    nodes: Any = tree
    return collapse_prices(tree, parents(nodes))


def prune(tree: SomeTree, alpha: float, cost: str = "impurity") -> SomeTree:
    """Return the smallest subtree that minimises cost + alpha * number of leaves (cost per unit of weight).

    A slanted split of an oblique tree costs as much as any other.
    """
    return _pruned_to(tree, prices(tree, cost) > alpha)


def _pruned_to(tree: SomeTree, keep_split: np.ndarray) -> SomeTree:
    return prune_oblique_to(tree, keep_split) if isinstance(tree, ObliqueTree) else prune_to(tree, keep_split)


def pruning_path(tree: SomeTree, cost: str = "impurity") -> PruningPath:
    """Return all trees that `prune` can give, and the alphas at which they change; the cost as in `prices`.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> pruning_path(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_).n_leaves.tolist()
    [3, 2, 1]
    """
    nodes: Any = tree
    price, parent = prices(tree, cost), parents(nodes)
    alpha = _apart(np.unique(np.append(price[np.isfinite(price)], 0.0)))
    impurity = 1.0 - tree.value.max(axis=1) if cost == "errors" else tree.impurity
    n_leaves = sums_over_leaves(np.ones(tree.n_nodes, np.int64), price, parent, alpha)
    costs = sums_over_leaves(impurity * tree.weight / tree.weight[0], price, parent, alpha)
    return PruningPath(alpha, n_leaves, costs)


def _apart(alpha: np.ndarray) -> np.ndarray:
    """Return ascending alphas, the last one of those that only rounding tells apart."""
    return alpha[np.append(np.diff(alpha) > ROUNDING * alpha[-1], True)]


def sums_over_leaves(amount: np.ndarray, price: np.ndarray, parent: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return sums of the amounts (n_nodes,) over the leaves of the tree pruned at each alpha, (n_alphas,).

    A node is a leaf from its own price on up to that of its parent; alphas ascend, or are inf.
    """
    above = np.where(parent < 0, np.inf, price[parent])
    first = np.searchsorted(alpha, price)
    end = np.where(parent < 0, len(alpha), np.searchsorted(alpha, above))
    change = np.zeros(len(alpha) + 1, np.asarray(amount).dtype)
    np.add.at(change, first, amount)
    np.subtract.at(change, end, amount)
    return np.cumsum(change)[:-1]


def node_losses(
    tree: Tree, leaf: np.ndarray, y: np.ndarray, said: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the losses of samples with targets y (n_samples,) that fall into these leaves (n_samples,).

    Their sums and those of their squares in every node, (n_nodes,) float64, as if each node on a sample's way were
    its leaf.

    `said` (n_nodes,) is the prediction of each node: of integers an error costs 1, of floats the loss is squared.
    A loss counts by the `weight` (n_samples,) of its sample; None: as it is.
    """
    total, squares, parent = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes), parents(tree)
    node, weight = leaf, np.ones(len(y)) if weight is None else weight
    while len(node):
        loss = (y - said[node]) ** 2 if said.dtype.kind == "f" else (y != said[node]).astype(np.float64)
        total += np.bincount(node, weight * loss, minlength=tree.n_nodes)
        squares += np.bincount(node, weight * loss**2, minlength=tree.n_nodes)
        goes_on = node > 0
        node, y, weight = parent[node[goes_on]], y[goes_on], weight[goes_on]
    return total, squares


def said_at_nodes(tree: Tree) -> np.ndarray:
    """Return the class number (int64) or the number (float64) that each node predicts, (n_nodes,)."""
    return tree.value.argmax(axis=1) if tree.value.shape[1] > 1 else tree.value[:, 0]


def reduced_error(tree: SomeTree, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> SomeTree:
    """Return the tree pruned by its errors on samples that it was not grown on (Quinlan 1987, section 2.2).

    From the leaves up, a split stays only if the subtree below it makes fewer errors on X (n_samples, n_features)
    than the node would as a leaf; a tie goes to the leaf, also where no sample comes. y are class numbers, or
    numbers, whose loss is the squared error. No pruned tree has fewer errors on these samples, and of those with
    as few it is the smallest. Samples count by `weight` (n_samples,), or all the same. Raises
    ValueError if there are no samples.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> grown_on = [i for i in range(150) if i % 3]
    >>> tree = CartClassifier().fit(iris.X[grown_on], iris.y[grown_on]).tree_
    >>> tree.n_leaves, reduced_error(tree, iris.X[::3], iris.y[::3]).n_leaves
    (7, 3)
    """
    if not len(X):
        raise ValueError("there are no samples to count errors on; give some that the tree was not grown on")
    nodes: Any = tree
    fewest, _ = node_losses(nodes, leaves(tree, X), y, said_at_nodes(nodes), weight)
    keep, least_gain = ~is_leaf(nodes), ROUNDING * fewest[0]
    for node in range(tree.n_nodes - 1, -1, -1):
        if keep[node]:
            below = fewest[tree.left[node]] + fewest[tree.right[node]]
            keep[node] = below < fewest[node] - least_gain
            fewest[node] = below if keep[node] else fewest[node]
    return _pruned_to(tree, keep)
