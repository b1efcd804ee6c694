"""Checks of trees that came from outside, such as a JSON file: whether their arrays make a tree."""

from __future__ import annotations

import numpy as np

from espalier.kinds import nodes_of
from espalier.leaf_models import ModelTree
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, Tree


def check_tree(tree: Tree | ModelTree | ObliqueTree) -> None:
    """Raise ValueError, naming the node, where the arrays do not make a tree in preorder.

    Of a `ModelTree` its tree is checked, and an `ObliqueTree` by `check_oblique`; any other kind is refused.
    """
    if isinstance(tree, ObliqueTree):
        check_oblique(tree)
        return
    sharp = nodes_of(tree)
    if not isinstance(sharp, Tree):
        raise ValueError(f"check_tree knows no {type(sharp).__name__}: give it the tree of a CART learner")
    _check_lengths(sharp, sharp._fields[:-1])
    _check_surrogates(sharp)
    _check_preorder(sharp)


def check_oblique(tree: ObliqueTree) -> None:
    """Raise ValueError, naming the node, where the arrays do not make an oblique tree in preorder."""
    _check_lengths(tree, tree._fields[:-2])
    _check_terms(tree)
    _check_preorder(tree)


def _check_lengths(tree: Tree | ObliqueTree, names: tuple[str, ...]) -> None:
    n = len(tree.feature)
    if n == 0:
        raise ValueError("a tree has at least one node")
    for name in names:
        if len(getattr(tree, name)) != n:
            raise ValueError(f"{name} has {len(getattr(tree, name))} entries, feature has {n}")


def _check_preorder(tree: Tree | ObliqueTree) -> None:
    is_leaf, is_set = tree.feature == LEAF, np.isnan(tree.threshold)
    check_order(tree.left, tree.right, is_leaf)
    for node in np.flatnonzero(is_leaf & ((tree.left != LEAF) | (tree.right != LEAF) | ~is_set)):
        raise ValueError(f"leaf {node} has children or a threshold")
    for node in np.flatnonzero(~is_leaf & (is_set == (tree.categories == 0))):
        raise ValueError(f"node {node} needs either a threshold or a set of categories")


def check_order(left: np.ndarray, right: np.ndarray, is_leaf: np.ndarray) -> None:
    """Raise ValueError, naming the node, where nodes (n_nodes,) with these children do not stand in preorder."""
    n = len(left)
    expected = [0]  # nodes that must come next, in preorder
    for node in range(n):
        if not expected or expected.pop() != node:
            raise ValueError(f"node {node} does not stand where preorder puts it")
        if is_leaf[node]:
            continue
        if left[node] != node + 1 or not node + 1 < right[node] < n:
            raise ValueError(f"children of node {node} are not in preorder")
        expected += [int(right[node]), int(left[node])]
    if expected:
        raise ValueError(f"node {expected[-1]} is a child but does not exist")


def _check_surrogates(tree: Tree) -> None:
    start, own_seen, *pool = tree.surrogates
    if len(start) != tree.n_nodes + 1 or start[0] != 0 or (np.diff(start) < 0).any():
        raise ValueError("the surrogates do not say where each node's begin")
    if len(own_seen) != tree.n_nodes:
        raise ValueError(f"own_seen has {len(own_seen)} entries, the tree {tree.n_nodes} nodes")
    if any(len(array) != start[-1] for array in pool):
        raise ValueError(f"the surrogates of all nodes are {start[-1]}; every array needs as many entries")
    leaf = np.flatnonzero((np.diff(start) > 0) & (tree.feature == LEAF))
    if len(leaf):
        raise ValueError(f"leaf {leaf[0]} has surrogates")


def _check_terms(tree: ObliqueTree) -> None:
    start, feature, coefficient = tree.terms
    if len(start) != len(tree.feature) + 1 or start[0] != 0 or (np.diff(start) < 0).any():
        raise ValueError("the terms do not say where each node's begin")
    if len(feature) != start[-1] or len(coefficient) != start[-1]:
        raise ValueError(f"the terms of all nodes are {start[-1]}; every array needs as many entries")
    if len(feature) and (feature.min() < 0 or feature.max() >= len(tree.fill)):
        raise ValueError(f"a term is of a column outside of the tree's {len(tree.fill)}")
    if not (np.isfinite(coefficient).all() and np.isfinite(tree.fill).all()):
        raise ValueError("coefficients and fills need to be finite numbers")
    for node in np.flatnonzero(np.diff(start)):
        if tree.feature[node] == LEAF or np.isnan(tree.threshold[node]):
            raise ValueError(f"node {node} has terms, but is a leaf or splits on categories")
        if start[node + 1] - start[node] < 2 or tree.feature[node] != feature[start[node]]:
            raise ValueError(f"the terms of node {node} are fewer than two, or do not begin with its feature")
