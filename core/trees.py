"""The grown tree: one immutable record of arrays that every learner makes and every view reads.

Numba reads a `Tree` as it is (`tree.threshold[node]` inside a kernel). A tree knows no names, no data and
no parameters: those stand beside it, in the `Dataset` and the estimator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

LEAF = -1


class Tree(NamedTuple):
    """A binary decision tree in preorder: node 0 is the root, and a subtree is a slice of every array.

    A sample with a threshold goes left on ``x <= threshold``; at a split on categories it goes left if the
    bit of its category is set; a missing value (nan) goes where ``missing_left`` says.
    """

    feature: np.ndarray  # (n_nodes,) int32; column of X that the node splits on, -1 at a leaf
    threshold: np.ndarray  # (n_nodes,) float64; nan at a leaf and at a split on categories
    left: np.ndarray  # (n_nodes,) int32; node + 1, or -1 at a leaf
    right: np.ndarray  # (n_nodes,) int32; -1 at a leaf
    categories: np.ndarray  # (n_nodes,) uint64; bit c set: category c goes left; 0 elsewhere
    missing_left: np.ndarray  # (n_nodes,) bool; where a missing value goes; False at a leaf
    n_samples: np.ndarray  # (n_nodes,) int64; samples in the node
    weight: np.ndarray  # (n_nodes,) float64; the samples' summed weight
    value: np.ndarray  # (n_nodes, n_outputs) float64; class shares (rows sum to 1), or the mean (median)
    impurity: np.ndarray  # (n_nodes,) float64; of the node, per unit of weight

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature == LEAF))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; a lone root has depth 0."""
        return int(depths(self).max())

    def __reduce__(self):
        # Pickle and deepcopy would hand back writeable arrays.
        return make_tree, tuple(self)


def make_tree(*arrays: ArrayLike) -> Tree:
    """Tree of the given arrays, in the order of the fields, each with its dtype and read-only."""
    dtypes = ("i4", "f8", "i4", "i4", "u8", "?", "i8", "f8", "f8", "f8")
    return Tree(*(read_only(np.ascontiguousarray(a, dtype=d)) for a, d in zip(arrays, dtypes, strict=True)))


def read_only(array: np.ndarray) -> np.ndarray:
    """View of the array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def is_leaf(tree: Tree) -> np.ndarray:
    """(n_nodes,) bool: which nodes are leaves."""
    return tree.feature == LEAF


def is_category_split(tree: Tree) -> np.ndarray:
    """(n_nodes,) bool: which nodes split on a set of categories."""
    return (tree.feature != LEAF) & np.isnan(tree.threshold)


def parents(tree: Tree) -> np.ndarray:
    """(n_nodes,) int32: the parent of each node, -1 for the root."""
    parent = np.full(tree.n_nodes, -1, np.int32)
    inner = np.flatnonzero(tree.feature != LEAF)
    parent[tree.left[inner]] = inner
    parent[tree.right[inner]] = inner
    return parent


def depths(tree: Tree) -> np.ndarray:
    """(n_nodes,) int32: distance of each node from the root."""
    depth = np.zeros(tree.n_nodes, np.int32)
    for node, parent in enumerate(parents(tree)):
        if parent >= 0:  # preorder: a parent stands before its children
            depth[node] = depth[parent] + 1
    return depth


def subtree_end(tree: Tree, node: int) -> int:
    """One past the last node of the subtree at `node`: the subtree is the slice ``node:subtree_end``."""
    while tree.feature[node] != LEAF:
        node = int(tree.right[node])
    return node + 1


def path_to(tree: Tree, node: int) -> list[int]:
    """Nodes from the root to `node`, both included."""
    parent = parents(tree)
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(int(parent[path[-1]]))
    return path[::-1]


def prune_to(tree: Tree, keep_split: np.ndarray) -> Tree:
    """Tree in which every node whose ``keep_split`` (n_nodes,) bool is False has become a leaf."""
    kept, is_split = [], []
    node = 0
    while node < tree.n_nodes:
        split = bool(tree.feature[node] != LEAF and keep_split[node])
        kept.append(node)
        is_split.append(split)
        node = node + 1 if split else subtree_end(tree, node)
    kept, is_split = np.array(kept), np.array(is_split)
    number = np.full(tree.n_nodes + 1, LEAF)  # the last entry answers for child -1
    number[kept] = np.arange(len(kept))

    def at_splits(array, otherwise):
        return np.where(is_split, array[kept], otherwise)

    return make_tree(
        at_splits(tree.feature, LEAF),
        at_splits(tree.threshold, np.nan),
        at_splits(number[tree.left], LEAF),
        at_splits(number[tree.right], LEAF),
        at_splits(tree.categories, np.uint64(0)),
        at_splits(tree.missing_left, False),
        tree.n_samples[kept],
        tree.weight[kept],
        tree.value[kept],
        tree.impurity[kept],
    )


def check_tree(tree: Tree) -> None:
    """Raise ValueError, naming the node, where the arrays do not make a tree in preorder."""
    n = tree.n_nodes
    if n == 0:
        raise ValueError("a tree has at least one node")
    for name, array in zip(tree._fields, tree, strict=True):
        if len(array) != n:
            raise ValueError(f"{name} has {len(array)} entries, feature has {n}")
    expected = [0]  # nodes that must come next, in preorder
    for node in range(n):
        if not expected or expected.pop() != node:
            raise ValueError(f"node {node} does not stand where preorder puts it")
        if tree.feature[node] == LEAF:
            if tree.left[node] != LEAF or tree.right[node] != LEAF or not np.isnan(tree.threshold[node]):
                raise ValueError(f"leaf {node} has children or a threshold")
            continue
        if tree.left[node] != node + 1 or not node + 1 < tree.right[node] < n:
            raise ValueError(f"children of node {node} are not in preorder")
        if np.isnan(tree.threshold[node]) == (tree.categories[node] == 0):
            raise ValueError(f"node {node} needs either a threshold or a set of categories")
        expected += [int(tree.right[node]), int(tree.left[node])]
    if expected:
        raise ValueError(f"node {expected[-1]} is a child but does not exist")
