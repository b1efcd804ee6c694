"""Predictions of a tree of either kind, and the fraction of each sample in a node."""

from __future__ import annotations

import numpy as np

from espalier.kernels import gate
from espalier.kernels.route import leaf_of
from espalier.trees import AnyTree, CultivatedTree, path_to, prune_to, subtree_end

CHUNK = 65_536  # samples whose fractions are held in memory together


def shares(tree: AnyTree, X: np.ndarray) -> np.ndarray:
    """Return the class shares, or the mean, that the tree predicts for each row of X, (n_samples, n_outputs)."""
    if isinstance(tree, CultivatedTree):
        return gate.predict(tree, X)[0]
    return tree.value[leaf_of(tree, X)]


def classes(tree: AnyTree, X: np.ndarray) -> np.ndarray:
    """Return the class with the largest share, (n_samples,) int64; of equal ones, the first."""
    return shares(tree, X).argmax(axis=1)


def means(tree: AnyTree, X: np.ndarray) -> np.ndarray:
    """Return the predictions of a regression tree, (n_samples,) float64."""
    return shares(tree, X)[:, 0]


def spreads(tree: AnyTree, X: np.ndarray) -> np.ndarray:
    """Return the spread sigma of each prediction over its leaves, (n_samples,) float64; 0 for a single leaf."""
    return gate.predict(tree, X)[1] if isinstance(tree, CultivatedTree) else np.zeros(len(X))


def fractions_in(tree: AnyTree, X: np.ndarray, node: int) -> np.ndarray:
    """Return the fraction of each row of X in the node, (n_samples,) float64; 1 or 0 in a `Tree`."""
    if not isinstance(tree, CultivatedTree):
        leaf = leaf_of(tree, X)
        return np.logical_and(leaf >= node, leaf < subtree_end(tree, node)).astype(np.float64)
    way = np.zeros(tree.n_nodes, dtype=bool)
    way[path_to(tree, node)[:-1]] = True
    alone = prune_to(tree, way)  # only the path down is computed
    here = _number_in(tree, way, node)
    found = np.zeros(len(X))
    for first in range(0, len(X), CHUNK):
        start, rows, fraction = gate.reach(alone, X[first : first + CHUNK])
        inside = slice(start[here], start[here + 1])
        found[first + rows[inside].astype(np.int64)] = fraction[inside]
    return found


def _number_in(tree: CultivatedTree, way: np.ndarray, node: int) -> int:
    """Return the number of `node` in the tree pruned to `way`."""
    before, at = 0, 0
    while at != node:
        before, at = before + 1, at + 1 if way[at] else subtree_end(tree, at)
    return before
