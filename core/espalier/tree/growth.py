"""The order in which a tree comes about, one split after the other."""

from __future__ import annotations

import heapq

import numpy as np

from espalier.tree_checks import boxed
from espalier.trees import LEAF, AnyTree, depths, is_leaf


def growth_order(tree: AnyTree, order: str = "gain") -> np.ndarray:
    """Return (n_nodes,) int64: the place of each split in the order of growth, from 0 on; -1 at a leaf.

    A node is split after its parent. "gain": of the nodes that may be split next, the one whose split takes most
    off the impurity of the whole tree, as a tree with a limit of leaves grows; "depth": level by level, from left
    to right; "found": down to the leftmost leaf first, as CART finds its splits. Raises ValueError for another
    order, and TypeError for trees without boxes.

    >>> import numpy as np
    >>> from espalier.learners import CartClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> tree = CartClassifier().fit(X, [0, 1, 1, 2, 2, 2]).tree_
    >>> tree.left.tolist()
    [1, 2, -1, -1, -1]
    >>> growth_order(tree).tolist()
    [0, 1, -1, -1, -1]
    """
    tree = boxed(tree, "the order of growth")
    splits = np.flatnonzero(~is_leaf(tree))
    if order == "found":
        sequence = splits.tolist()
    elif order == "depth":
        sequence = splits[np.argsort(depths(tree)[splits], kind="stable")].tolist()
    elif order == "gain":
        sequence = _best_first(tree)
    else:
        raise ValueError(f"order={order!r}: a tree grows by gain, by depth, or as found")
    places = np.full(tree.n_nodes, LEAF, np.int64)
    places[sequence] = np.arange(len(sequence))
    return places


def impurity_left(tree: AnyTree, places: np.ndarray) -> np.ndarray:
    """Return (n_leaves,) float64: the mean impurity of the leaves, by weight, after 0, 1, … splits.

    `places` is the order of growth (`growth_order`).

    >>> import numpy as np
    >>> from espalier.learners import CartClassifier
    >>> tree = CartClassifier().fit(np.arange(4.0)[:, None], [0, 0, 1, 1]).tree_
    >>> impurity_left(tree, growth_order(tree)).tolist()
    [0.5, 0.0]
    """
    tree = boxed(tree, "the impurity that is left")
    rest = tree.weight * tree.impurity
    sequence = np.flatnonzero(places != LEAF)
    sequence = sequence[np.argsort(places[sequence])]
    gain = rest[sequence] - rest[tree.left[sequence]] - rest[tree.right[sequence]]
    left = rest[0] - np.append(0.0, np.cumsum(gain))
    return np.maximum(left, 0.0) / tree.weight[0]


def _best_first(tree: AnyTree) -> list[int]:
    rest = tree.weight * tree.impurity
    gain = rest - rest[tree.left] - rest[tree.right]  # of a leaf it means nothing, and is not asked for
    waiting, sequence = [(-gain[0], 0)], []
    while waiting:
        _, node = heapq.heappop(waiting)
        if tree.left[node] != LEAF:
            sequence.append(node)
            for child in (int(tree.left[node]), int(tree.right[node])):
                heapq.heappush(waiting, (-gain[child], child))
    return sequence
