"""Two further definitions of "the same tree": within cultivated neighbourhoods, and as functions.

`stability.structures` compares splits exactly, within a tolerance, or by features alone. Here trees are
the same down to a depth if

- each threshold lies in the other one's neighbourhood (`within_neighbourhoods`), in every node. Cultivated trees
  bring their neighbourhoods along: the cuts of a node's first decision; a plain tree's is its threshold alone. To
  be in each other's neighbourhood is not transitive: the rule that makes groups of it is that of `structures`;
- they say the same of every row of a table, where both are cut off at that depth (`as_functions`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from espalier.predict import leaves, shares
from espalier.stability.structures import Splits, Structures, by_frequency, numbered, splits_by_level, splits_of
from espalier.tree_checks import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, depths, parents, prune_to


def within_neighbourhoods(trees: Sequence[AnyTree], max_depth: int) -> Structures:
    """Return the structures of the trees down to depths 1 to `max_depth`, with thresholds equal within
    neighbourhoods.

    Raises ValueError for no trees, or a depth below 1.
    """
    _demand(trees, max_depth)
    splits = [splits_of(tree) for tree in trees]
    ends = [ends_of(tree) for tree in trees]
    lows, highs = ([one._replace(threshold=end[i]) for one, end in zip(splits, ends, strict=True)] for i in (0, 1))
    label, labels = np.zeros(len(trees), np.int64), []
    by_level = (splits_by_level(each, max_depth) for each in (splits, lows, highs))
    for level, low, high in zip(*by_level, strict=True):
        is_category = np.isnan(level.threshold)
        alike = numbered(label[:, None], level.feature, is_category, level.categories)
        bands = np.stack([np.where(is_category, 0.0, one.threshold) for one in (low, level, high)])
        label = numbered(alike[:, None], _told_apart(alike, bands)[:, None])
        labels.append(by_frequency(label))
    return Structures(np.stack(labels))


def as_functions(trees: Sequence[AnyTree], max_depth: int, X: np.ndarray) -> Structures:
    """Return the trees as functions on the rows of X (n, n_features), cut off at each depth 1 to `max_depth`.

    Classification trees are the same if they predict the same class in every row; regression trees, whose values
    change with redrawn data, if they partition the rows alike. Cultivated regression trees do not partition: these
    must predict the same numbers. Deeper functions do not refine the higher ones. Raises ValueError for no trees,
    no rows, or a depth below 1.
    """
    _demand(trees, max_depth)
    if not len(X):
        raise ValueError("there are no rows on which the trees could be compared; give at least one")
    X = np.asfortranarray(X, dtype=np.float64)
    names = np.array([_names(tree, max_depth, X) for tree in trees])
    return Structures(np.stack([by_frequency(np.unique(of, return_inverse=True)[1]) for of in names.T]))


def _demand(trees: Sequence[AnyTree], max_depth: int) -> None:
    if not trees:
        raise ValueError("there are no trees that could be compared")
    if max_depth < 1:
        raise ValueError(f"max_depth is {max_depth}; it must be at least 1")


# ---- neighbourhoods


def ends_of(tree: AnyTree) -> tuple[np.ndarray, np.ndarray]:
    """Return least and greatest cut of each node's first decision, (n_nodes,).

    It is nan for categories and at leaves.
    """
    tree = boxed(tree, "a comparison of structures")
    if isinstance(tree, Tree):
        return tree.threshold, tree.threshold
    splits: Splits = splits_of(tree)
    low, high = splits.threshold.copy(), splits.threshold.copy()
    start = tree.cuts.start
    for node in np.flatnonzero((tree.left != LEAF) & ~np.isnan(low)):
        decision = tree.decisions.start[node]
        low[node], high[node] = tree.cuts.value[start[decision]], tree.cuts.value[start[decision + 1] - 1]
    return low, high


def _told_apart(alike: np.ndarray, bands: np.ndarray) -> np.ndarray:
    """Return groups within those that are `alike` (n_trees,), by bands (3, n_trees, n_places), (n_trees,)
    int64.
    """
    apart = np.zeros(len(alike), np.int64)
    for group in np.split(np.argsort(alike, kind="stable"), np.cumsum(np.bincount(alike))[:-1]):
        if len(group) > 1:
            apart[group] = _gathered(bands[:, group])
    return apart


def _gathered(bands: np.ndarray) -> np.ndarray:
    """Return the group of each row, (n,) int64: the row with the most remaining neighbours takes these."""
    flat = np.concatenate([bands[1], bands[0], bands[2]], axis=1) + 0.0
    rows, of_row, times = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    near, group, number = _near(*np.split(rows, 3, axis=1)), np.full(len(rows), -1), 0
    while (left := group < 0).any():
        n_near = np.where(left, near[:, left] @ times[left], -1)
        group[near[int(n_near.argmax())] & left] = number
        number += 1
    return group[of_row.reshape(-1)]


def _near(cut: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return which rows' cuts (n, n_places) are in each other's bands in every place, (n, n) bool."""
    near = np.ones((len(cut), len(cut)), dtype=bool)
    for t, lowest, highest in zip(cut.T, low.T, high.T, strict=True):
        inside = (lowest[:, None] <= t) & (t <= highest[:, None])
        near &= inside & inside.T
    return near


# ---- functions


def _names(tree: AnyTree, max_depth: int, X: np.ndarray) -> list[str]:
    """Return a name for the tree's function when cut off at each depth: equal for equal functions."""
    answers = _said_soft(tree, max_depth, X) if isinstance(tree, CultivatedTree) else _said(tree, max_depth, X)
    return [hashlib.blake2b(np.ascontiguousarray(one).tobytes(), digest_size=16).hexdigest() for one in answers]


def _said(tree: Tree, max_depth: int, X: np.ndarray) -> list[np.ndarray]:
    leaf = leaves(tree, X)
    above = ancestors(tree, max_depth)
    if tree.value.shape[1] > 1:
        best = tree.value.argmax(axis=1)
        return [best[up[leaf]] for up in above]
    return [_first_alike(up[leaf]) for up in above]


def _said_soft(tree: CultivatedTree, max_depth: int, X: np.ndarray) -> list[np.ndarray]:
    depth = depths(tree)
    values = [shares(prune_to(tree, depth < most), X) for most in range(1, max_depth + 1)]
    return [value.argmax(axis=1) if value.shape[1] > 1 else value for value in values]


def ancestors(tree: AnyTree, max_depth: int) -> np.ndarray:
    """Return each node, or its ancestor, where the tree is cut off at depths 1 and on, (max_depth, n_nodes)
    int64.
    """
    tree = boxed(tree, "a comparison of structures")
    depth, parent = depths(tree), parents(tree)
    above = np.tile(np.arange(tree.n_nodes), (max_depth, 1))
    for node in range(1, tree.n_nodes):  # preorder: parents come first
        deeper = depth[node] > np.arange(1, max_depth + 1)
        above[deeper, node] = above[deeper, parent[node]]
    return above


def _first_alike(nodes: np.ndarray) -> np.ndarray:
    """Return the first row that is in the same node, (n,) int64."""
    _, first, place = np.unique(nodes, return_index=True, return_inverse=True)
    return first[place]
