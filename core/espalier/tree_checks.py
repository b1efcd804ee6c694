"""Checks of trees that came from outside, such as a JSON file: whether their arrays make a tree."""

from __future__ import annotations

import numpy as np

from espalier.trees import LEAF, Tree


def check_tree(tree: Tree) -> None:
    """Raise ValueError, naming the node, where the arrays do not make a tree in preorder."""
    n = tree.n_nodes
    if n == 0:
        raise ValueError("a tree has at least one node")
    for name, array in zip(tree._fields[:-1], tree[:-1], strict=True):
        if len(array) != n:
            raise ValueError(f"{name} has {len(array)} entries, feature has {n}")
    _check_surrogates(tree)
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


def _check_surrogates(tree: Tree) -> None:
    start, *pool = tree.surrogates
    if len(start) != tree.n_nodes + 1 or start[0] != 0 or (np.diff(start) < 0).any():
        raise ValueError("the surrogates do not say where each node's begin")
    if any(len(array) != start[-1] for array in pool):
        raise ValueError(f"the surrogates of all nodes are {start[-1]}; every array needs as many entries")
    leaf = np.flatnonzero((np.diff(start) > 0) & (tree.feature == LEAF))
    if len(leaf):
        raise ValueError(f"leaf {leaf[0]} has surrogates")
