"""Growing an oblique tree: node after node in preorder, each split by the best split that `search` finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.learners.oblique.search import Ground, NodeSplit, best_split, describe, projected
from espalier.oblique import ObliqueTree, make_oblique
from espalier.progress import Progress
from espalier.trees import LEAF, Tree


class ObliqueLimits(NamedTuple):
    """Limits of growth, as CART has them."""

    max_depth: int
    min_samples_split: int
    min_impurity_decrease: float  # times the node's share of all weight


class _PendingNode(NamedTuple):
    """A node that is to be written."""

    rows: np.ndarray  # (n,) int64
    depth: int
    parent: int  # whose right child it is; -1 for a left child, which follows its parent
    about: Tree  # the stump that made it
    place: int  # its node there


class _SlantedNodes:
    """The nodes of a tree under way, in preorder."""

    def __init__(self):
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.right: list[int] = []
        self.categories: list[int] = []
        self.about: list[_PendingNode] = []
        self.terms: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, node: _PendingNode, split: NodeSplit | None) -> int:
        """Write a node and return its number."""
        number = len(self.feature)
        if node.parent >= 0:
            self.right[node.parent] = number
        self.right.append(LEAF)
        self.about.append(node)
        stump = node.about if split is None else split.stump
        slanted = None if split is None else split.direction
        none = np.empty(0)
        self.terms.append((none, none) if slanted is None else (slanted.feature, slanted.coefficient))
        self.threshold.append(np.nan if split is None else float(stump.threshold[0]))
        self.categories.append(0 if split is None else int(stump.categories[0]))
        straight = LEAF if split is None else int(stump.feature[0])
        self.feature.append(straight if slanted is None else int(slanted.feature[0]))
        return number

    def tree(self, fill: np.ndarray) -> ObliqueTree:
        """Return the tree of the nodes so far."""
        right = np.array(self.right)
        left = np.where(right == LEAF, LEAF, np.arange(1, len(right) + 1))
        own = [[getattr(n.about, name)[n.place] for n in self.about] for name in _OWN]
        start = np.cumsum([0, *(len(feature) for feature, _ in self.terms)])
        features, coefficients = (np.concatenate(arrays) for arrays in zip(*self.terms, strict=True))
        splits = (self.feature, self.threshold, left, right, np.array(self.categories, np.uint64))
        return make_oblique(*splits, *own, fill, (start, features, coefficients))


_OWN = ("n_samples", "weight", "value", "impurity")


def grow_oblique(ground: Ground, limits: ObliqueLimits, fill: np.ndarray, progress: Progress) -> ObliqueTree:
    """Return the tree of all samples; nodes that are not reached before `progress` is stopped stay leaves."""
    everything = np.arange(ground.columns.shape[1])
    root = describe(ground, everything)
    nodes, pending = _SlantedNodes(), [_PendingNode(everything, 0, -1, root, 0)]
    while pending:
        node = pending.pop()
        split = None if progress.is_stopped else _split(ground, limits, node, float(root.weight[0]))
        number = nodes.add(node, split)
        if split is None:
            progress.advance(len(node.rows))
            continue
        left = _goes_left(ground, node.rows, split)
        pending.append(_PendingNode(node.rows[~left], node.depth + 1, number, split.stump, 2))
        pending.append(_PendingNode(node.rows[left], node.depth + 1, -1, split.stump, 1))
    return nodes.tree(fill)


def _split(ground: Ground, limits: ObliqueLimits, node: _PendingNode, all_weight: float) -> NodeSplit | None:
    """Return the split of the node, if it may be split and gains enough."""
    n, impurity = len(node.rows), float(node.about.impurity[node.place])
    if node.depth >= limits.max_depth or n < limits.min_samples_split or impurity <= 0:
        return None
    split = best_split(ground, node.rows)
    if split is None:
        return None
    share = float(split.stump.weight[0]) / all_weight
    return split if split.gain * share + 1e-12 >= limits.min_impurity_decrease else None


def _goes_left(ground: Ground, rows: np.ndarray, split: NodeSplit) -> np.ndarray:
    stump = split.stump
    if split.direction is not None:
        return projected(ground, rows, split.direction) <= stump.threshold[0]
    values = ground.columns[stump.feature[0], rows]
    if not np.isnan(stump.threshold[0]):
        return values <= stump.threshold[0]
    return (stump.categories[0] >> values.astype(np.uint64)) & np.uint64(1) == 1
