"""The structures of trees: how many different ones there are among many, down to every depth.

This is the measure of stability. Zhou & Hooker (2016, section 4.1.2) call two trees the same structure down to a
depth if all splits above it agree "by both the chosen covariate and the value used to split". There are three
readings of that:

- exact: the same feature and the same threshold;
- within a tolerance: the same feature, and thresholds that nearly agree;
- features alone.

Categories that go left are compared as a set, except for features alone. If one tree has a leaf where another one
splits, they differ. The predictions of leaves, and the side of missing values, are not part of a structure.

Nearness is not transitive, so "within a tolerance" needs a rule. Trees that are one structure down to a depth
are divided by all their splits at that depth at once. The representative of a structure is the set of thresholds
that is near, in every split, to most of these trees, and the structure takes these trees; the next structure is
formed in the same way from the remaining trees. So every tree is within the tolerance of its structure's
representative, and deeper structures refine higher ones. The order of the trees does not matter: of equals, the
one with smaller feature numbers, then smaller thresholds, comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from espalier.tree_checks import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree

# How far thresholds may be apart, in the units of the features: 0 for exactly equal, a number, one for each
# feature (n_features,); None: features alone are compared.
Tolerance: TypeAlias = "ArrayLike | None"
DEEPEST = 60  # since positions of nodes are 64-bit numbers
ROUNDING = 1 + 1e-9  # so that thresholds exactly as far apart as allowed are near


class Structures(NamedTuple):
    """The structures of trees down to the depths 1, 2, …: down to depth d, all splits of nodes above d."""

    label: np.ndarray  # (n_depths, n_trees) int64: the structure of each tree, 0 the most frequent

    @property
    def counts(self) -> list[np.ndarray]:
        """For each depth, how many trees have each structure, descending."""
        return [np.bincount(labels) for labels in self.label]

    @property
    def n_structures(self) -> np.ndarray:
        """The number of different structures, (n_depths,) int64."""
        return self.label.max(axis=1) + 1

    @property
    def top_share(self) -> np.ndarray:
        """The share of the trees that have the most frequent structure, (n_depths,) float64."""
        return (self.label == 0).mean(axis=1)

    @property
    def entropy(self) -> np.ndarray:
        """The entropy of the structures in bits, (n_depths,) float64: log2(n) for n equally frequent ones."""
        shares = [counts / counts.sum() for counts in self.counts]
        return np.array([-(share * np.log2(share)).sum() + 0.0 for share in shares])

    def typical(self, depth: int) -> int:
        """Return the number of the first tree that has the most frequent structure down to `depth`."""
        return int(np.flatnonzero(self.label[depth - 1] == 0)[0])


class Splits(NamedTuple):
    """The splits of a tree, as structures compare them; all arrays (n_nodes,)."""

    feature: np.ndarray  # int64, LEAF at a leaf
    threshold: np.ndarray  # float64, nan for categories and at a leaf
    categories: np.ndarray  # uint64: that go left, as bits
    left: np.ndarray  # int64
    right: np.ndarray  # int64


class _DepthSplits(NamedTuple):
    """The splits of all trees at one depth; columns are the places where any tree has one."""

    feature: np.ndarray  # (n_trees, n_places) int64, LEAF: no split
    threshold: np.ndarray  # (n_trees, n_places) float64, 0 where there is none
    categories: np.ndarray  # (n_trees, n_places) int64: the bits


def structures(trees: Sequence[AnyTree], max_depth: int, tolerance: Tolerance = 0.0) -> Structures:
    """Return the structures of the trees down to the depths 1 to `max_depth`; see the head of this file.

    A cultivated tree is compared by the first decision of every node. Raises ValueError for no trees, for a depth
    that is not between 1 and 60, and for a tolerance below 0 or of another number of features than trees ask.
    """
    if not trees:
        raise ValueError("there are no trees whose structures could be compared")
    if not 1 <= max_depth <= DEEPEST:
        raise ValueError(f"max_depth is {max_depth}; it must be between 1 and {DEEPEST}")
    splits = [splits_of(tree) for tree in trees]
    widths = _checked(tolerance, 1 + max(int(one.feature.max()) for one in splits))
    label, labels = np.zeros(len(trees), np.int64), []
    for level in splits_by_level(splits, max_depth):
        label = _told_apart(label, level, widths)
        labels.append(by_frequency(label))
    return Structures(np.stack(labels))


def splits_of(tree: AnyTree) -> Splits:
    """Return the splits of a tree; of a cultivated one, the first decision of every node at its best cut."""
    tree = boxed(tree, "a comparison of structures")
    left, right = tree.left.astype(np.int64), tree.right.astype(np.int64)
    if isinstance(tree, Tree):
        return Splits(tree.feature.astype(np.int64), tree.threshold, tree.categories, left, right)
    first = tree.decisions.start[:-1]
    threshold = np.append(tree.decisions.threshold, np.nan)[first]
    categories = np.zeros(tree.n_nodes, np.uint64)
    for node in np.flatnonzero((left != LEAF) & np.isnan(threshold)):
        categories[node] = _first_set(tree, int(first[node]))
    return Splits(
        tree.feature.astype(np.int64), np.where(left == LEAF, np.nan, threshold), categories, left, right
    )


def _first_set(tree: CultivatedTree, decision: int) -> int:
    """Return the categories up to the heaviest cut of a decision, as bits."""
    span = slice(*tree.cuts.start[decision : decision + 2])
    codes, weight = tree.cuts.value[span].astype(int), tree.cuts.weight[span]
    return sum(1 << int(code) for code in codes[: int(weight.argmax()) + 1])


def splits_by_level(splits: list[Splits], max_depth: int) -> list[_DepthSplits]:
    """Return the splits at the depths 0 to ``max_depth - 1``, of all trees at once."""
    shift = np.append(0, np.cumsum([len(one.feature) for one in splits]))
    feature, threshold, categories = (np.concatenate([one[i] for one in splits]) for i in range(3))
    left, right = (np.concatenate([one[i] + at for one, at in zip(splits, shift, strict=False)]) for i in (3, 4))
    node, tree, place = shift[:-1], np.arange(len(splits)), np.zeros(len(splits), np.int64)
    levels = []
    for _ in range(max_depth):
        is_split = feature[node] != LEAF
        node, tree, place = node[is_split], tree[is_split], place[is_split]
        at = (tree, np.unique(place, return_inverse=True)[1])
        shape = (len(splits), len(np.unique(place)))
        level = _DepthSplits(np.full(shape, LEAF, np.int64), np.zeros(shape), np.zeros(shape, np.int64))
        level.feature[at], level.threshold[at] = feature[node], threshold[node]
        level.categories[at] = categories[node].view(np.int64)
        levels.append(level)
        node, tree = np.concatenate([left[node], right[node]]), np.tile(tree, 2)
        place = np.concatenate([2 * place, 2 * place + 1])
    return levels


def _told_apart(label: np.ndarray, level: _DepthSplits, tolerance: np.ndarray | None) -> np.ndarray:
    """Return labels of the trees with one more depth, in the order of the splits, (n_trees,) int64."""
    if tolerance is None:
        return numbered(label[:, None], level.feature)
    is_category = np.isnan(level.threshold)
    threshold = np.where(is_category, 0.0, level.threshold) + 0.0  # turns -0 into 0
    kinds = (label[:, None], level.feature, is_category, level.categories)
    if not tolerance.any():
        return numbered(*kinds, _in_order(threshold))
    alike, apart = numbered(*kinds), np.zeros(len(label), np.int64)
    for group in np.split(np.argsort(alike, kind="stable"), np.cumsum(np.bincount(alike))[:-1]):
        if len(group) > 1:
            apart[group] = _gathered(threshold[group], _widths(tolerance, level.feature[group[0]]))
    return numbered(alike[:, None], apart[:, None])


def numbered(*columns: np.ndarray) -> np.ndarray:
    """Return numbers of the distinct rows of these columns (n, m), in their order, (n,) int64."""
    rows = np.concatenate([column.astype(np.int64) for column in columns], axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def _in_order(threshold: np.ndarray) -> np.ndarray:
    """Return the rank of every threshold among all: whole numbers with the same order and ties."""
    return np.unique(threshold, return_inverse=True)[1].reshape(threshold.shape)


def _checked(tolerance: Tolerance, n_asked: int) -> np.ndarray | None:
    """Return the tolerance, None: features alone; `n_asked` is one more than the last feature that a tree uses."""
    if tolerance is None:
        return None
    widths = np.asarray(tolerance, dtype=np.float64)
    if widths.ndim > 1 or not (widths >= 0).all():
        raise ValueError(f"tolerance is {tolerance!r}; it must be at least 0: one number, or one a feature")
    if widths.ndim == 1 and n_asked > len(widths):
        raise ValueError(f"tolerance has {len(widths)} numbers, but a tree asks feature {n_asked - 1}")
    return widths


def _widths(tolerance: np.ndarray, feature: np.ndarray) -> np.ndarray:
    """Return how far thresholds on these features may be apart, (n_places,) float64."""
    return np.where(feature == LEAF, 0.0, tolerance if tolerance.ndim == 0 else tolerance[feature])


def _gathered(threshold: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Return the group of each row of thresholds (n, n_places), (n,) int64; `width` (n_places,) is the tolerance.

    The row to which most remaining rows are near makes a group of these.
    """
    rows, of_row, times = np.unique(threshold, axis=0, return_inverse=True, return_counts=True)
    near, group = _near(rows, width), np.full(len(rows), -1)
    n_near, number = near @ times, 0
    while (left := group < 0).any():
        taken = near[int(np.where(left, n_near, -1).argmax())] & left
        group[taken] = number
        n_near -= near[:, taken] @ times[taken]
        number += 1
    return group[of_row.reshape(-1)]


def _near(rows: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Return which rows are near to each other in every place, (n, n) bool."""
    near = np.ones((len(rows), len(rows)), dtype=bool)
    for values, most in zip(rows.T, width, strict=True):
        with np.errstate(invalid="ignore"):  # inf and inf are equal, although their difference is nan
            apart = np.abs(values[:, None] - values)
        near &= (apart <= most * ROUNDING) | (values[:, None] == values)
    return near


def by_frequency(label: np.ndarray) -> np.ndarray:
    """Return the same labels, numbered from the most frequent one on, (n_trees,) int64."""
    rank = np.argsort(-np.bincount(label), kind="stable")
    number = np.empty(len(rank), np.int64)
    number[rank] = np.arange(len(rank))
    return number[label]
