"""Writing a grown tree: its nodes in preorder, as the arrays of `espalier.trees.Tree`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.trees import LEAF


class TreeArrays(NamedTuple):
    """The fields of `espalier.trees.Tree`, but for surrogates, in their order; nodes in preorder."""

    feature: np.ndarray  # (n_nodes,) int32
    threshold: np.ndarray  # float64
    left: np.ndarray  # int32
    right: np.ndarray  # int32
    categories: np.ndarray  # uint64
    missing_left: np.ndarray  # bool
    n_samples: np.ndarray  # int64
    weight: np.ndarray  # float64
    value: np.ndarray  # (n_nodes, n_outputs) float64
    impurity: np.ndarray  # float64


@kernel
def write_tree(nodes, values):
    """Return (`TreeArrays`, seen (n_nodes,) uint64, place of each node in preorder) of all NODE records.

    Every node is reached from node 0.
    """
    n, n_outputs = len(nodes), values.shape[1]
    tree = TreeArrays(
        np.empty(n, np.int32), np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.uint64),
        np.empty(n, np.bool_), np.empty(n, np.int64), np.empty(n), np.empty((n, n_outputs)), np.empty(n),
    )  # fmt: skip
    seen, place, waiting = np.empty(n, np.uint64), np.empty(n, np.int32), np.empty(n + 1, np.int32)
    waiting[0] = 0
    n_waiting = 1
    for at in range(n):
        n_waiting -= 1
        number = waiting[n_waiting]
        node = nodes[number]
        place[number] = at
        is_leaf = node.feature == LEAF
        tree.feature[at], tree.threshold[at] = node.feature, np.nan if is_leaf else node.threshold
        tree.left[at], tree.right[at] = LEAF if is_leaf else at + 1, LEAF
        tree.categories[at] = np.uint64(0) if is_leaf else node.categories
        tree.missing_left[at] = node.missing_left and not is_leaf
        tree.n_samples[at], tree.weight[at], tree.impurity[at] = node.stop - node.start, node.weight, node.impurity
        seen[at] = np.uint64(0) if is_leaf else node.seen
        for k in range(n_outputs):
            tree.value[at, k] = values[number, k]
        if not is_leaf:
            waiting[n_waiting], waiting[n_waiting + 1] = node.right, node.left
            n_waiting += 2
    for number in range(n):
        if nodes[number].feature != LEAF:
            tree.right[place[number]] = place[nodes[number].right]
    return tree, seen, place
