"""A cultivated tree with fewer levels: which splits stay, and what it answers, for all levels at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from espalier.kernels import gate
from espalier.learners.pruning import prices
from espalier.trees import CultivatedTree, depths, is_leaf, parents, prune_to

NEVER = 10**9  # more than there are levels


def kept_by_level(tree: CultivatedTree, alpha: float = 0.0) -> list[np.ndarray]:
    """Return which splits are left in the tree of each level from 1 on, pruned at alpha, (n_nodes,) bool each.

    A split that is left in one of them is left in all with more levels.

    >>> from espalier.data import samples
    >>> from espalier.learners import CultivatedClassifier
    >>> iris = samples.load("iris")
    >>> tree = CultivatedClassifier(max_depth=3).fit(iris.X, iris.y).tree_
    >>> [int(kept.sum()) for kept in kept_by_level(tree)]
    [1, 3, 6]
    """
    depth, kept = depths(tree), []
    for level in range(1, tree.depth + 1):
        keep = (depth < level) & ~is_leaf(tree)
        if alpha > 0:
            keep[depth <= level] &= prices(prune_to(tree, depth < level)) > alpha
        kept.append(keep)
    return kept


def stops(kept: Sequence[np.ndarray]) -> list[int]:
    """Return for each node the number of levels up to which it is no split, and `NEVER` if it always is a leaf."""
    if not len(kept):
        return [NEVER]
    times = np.sum(kept, axis=0)
    return np.where(times > 0, len(kept) - times, NEVER).tolist()


def answers_of_cuts(tree: CultivatedTree, X: np.ndarray, kept: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield what the tree answers to X (n_samples, n_features) if only these splits stay, (n_samples, n_outputs).

    The samples go through the tree once for all.
    """
    start, rows, fraction = gate.reach(tree, X)
    for keep in kept:
        answers = np.zeros((len(X), tree.value.shape[1]))
        for leaf in _leaves(tree, keep).tolist():
            here = slice(int(start[leaf]), int(start[leaf + 1]))
            answers[rows[here]] += fraction[here, np.newaxis] * tree.value[leaf]
        yield answers


def _leaves(tree: CultivatedTree, keep: np.ndarray) -> np.ndarray:
    """Return the nodes that are not split, and whose parent is."""
    parent = parents(tree)
    return np.flatnonzero(~keep & ((parent < 0) | keep[parent]))
