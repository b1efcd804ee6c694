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

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from espalier.predict import leaves, shares
from espalier.tree.rules import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, depths, parents, prune_to

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
        return np.array([_entropy(counts) for counts in self.counts])

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


NO_SPLITS = Splits(*(np.empty(0, dtype) for dtype in (np.int64, np.float64, np.uint64, np.int64, np.int64)))


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
    widths = _check_tolerance(tolerance, 1 + max(int(part.feature.max()) for part in splits))
    label, labels = np.zeros(len(trees), np.int64), []
    for level in splits_by_level(splits, max_depth):
        label = _told_apart(label, *level, widths)
        labels.append(frequency_labels(label))
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
        span = slice(*tree.cuts.start[first[node] : first[node] + 2])
        heaviest = int(tree.cuts.weight[span].argmax())  # the categories up to this cut go left, as bits
        categories[node] = sum(1 << int(code) for code in tree.cuts.value[span][: heaviest + 1])
    return Splits(
        tree.feature.astype(np.int64), np.where(left == LEAF, np.nan, threshold), categories, left, right
    )


def pool_splits(splits: Sequence[Splits]) -> tuple[Splits, np.ndarray]:
    """Return the splits of trees one after the other, where children are positions, and those of the roots."""
    sizes = np.array([len(part.feature) for part in splits], np.int64)
    start = np.cumsum(sizes) - sizes
    parts = (
        part._replace(left=_shift(part.left, first), right=_shift(part.right, first))
        for part, first in zip(splits, start, strict=True)
    )
    return Splits(*(np.concatenate(arrays) for arrays in zip(NO_SPLITS, *parts, strict=True))), start


def _shift(child: np.ndarray, first: int) -> np.ndarray:
    return np.where(child == LEAF, LEAF, child + first)


def splits_by_level(splits: list[Splits], max_depth: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the splits at the depths 0 to ``max_depth - 1``, of all trees at once.

    Columns are the places where any tree has one. At each depth there are features, LEAF where there is no split;
    thresholds, then 0; and categories as bits; (n_trees, n_places) each.
    """
    (feature, threshold, categories, left, right), start = pool_splits(splits)
    node, tree, place = start, np.arange(len(splits)), np.zeros(len(splits), np.int64)
    levels = []
    for _ in range(max_depth):
        is_split = feature[node] != LEAF
        node, tree, place = node[is_split], tree[is_split], place[is_split]
        at = (tree, np.unique(place, return_inverse=True)[1])
        shape = (len(splits), len(np.unique(place)))
        level = np.full(shape, LEAF, np.int64), np.zeros(shape), np.zeros(shape, np.int64)
        for array, values in zip(level, (feature, threshold, categories.view(np.int64)), strict=True):
            array[at] = values[node]
        levels.append(level)
        node, tree = np.concatenate([left[node], right[node]]), np.tile(tree, 2)
        place = np.concatenate([2 * place, 2 * place + 1])
    return levels


def _told_apart(
    label: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    categories: np.ndarray,
    tolerance: np.ndarray | None,
) -> np.ndarray:
    """Return labels of the trees with one more depth, in the order of the splits, (n_trees,) int64."""
    if tolerance is None:
        return number_rows(label[:, None], feature)
    is_category = np.isnan(threshold)
    threshold = np.where(is_category, 0.0, threshold) + 0.0  # turns -0 into 0
    kinds = (label[:, None], feature, is_category, categories)
    if not tolerance.any():
        ranks = np.unique(threshold, return_inverse=True)[1].reshape(threshold.shape)
        return number_rows(*kinds, ranks)

    def gather(group: np.ndarray) -> np.ndarray:
        rows, place, times = np.unique(threshold[group], axis=0, return_inverse=True, return_counts=True)
        features = feature[group[0]]
        widths = np.where(features == LEAF, 0.0, tolerance if tolerance.ndim == 0 else tolerance[features])
        return _groups(_near(rows, widths), times)[place.reshape(-1)]

    return _divide(number_rows(*kinds), gather)


def _divide(alike: np.ndarray, gather: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return labels of the trees (n_trees,) int64, where `gather` divides trees that are `alike`."""
    apart = np.zeros(len(alike), np.int64)
    for group in np.split(np.argsort(alike, kind="stable"), np.cumsum(np.bincount(alike))[:-1]):
        if len(group) > 1:
            apart[group] = gather(group)
    return number_rows(alike[:, None], apart[:, None])


def number_rows(*columns: np.ndarray) -> np.ndarray:
    """Return numbers of the distinct rows of these columns (n, m), in their order, (n,) int64."""
    rows = np.concatenate([column.astype(np.int64) for column in columns], axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def _check_tolerance(tolerance: Tolerance, n_asked: int) -> np.ndarray | None:
    """Return the tolerance, None: features alone; `n_asked` is one more than the last feature that a tree uses."""
    if tolerance is None:
        return None
    widths = np.asarray(tolerance, dtype=np.float64)
    if widths.ndim > 1 or not (widths >= 0).all():
        raise ValueError(f"tolerance is {tolerance!r}; it must be at least 0: one number, or one a feature")
    if widths.ndim == 1 and n_asked > len(widths):
        raise ValueError(f"tolerance has {len(widths)} numbers, but a tree asks feature {n_asked - 1}")
    return widths


def _groups(near: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the group of each row, (n,) int64, of rows that are `near` (n, n) bool, and each so many trees'.

    The row to which most remaining trees are near makes a group of these.
    """
    group, n_near, number = np.full(len(near), -1), near @ times, 0
    while (left := group < 0).any():
        members = near[int(np.where(left, n_near, -1).argmax())] & left
        group[members] = number
        n_near -= near[:, members] @ times[members]
        number += 1
    return group


def _near(rows: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Return which rows are near to each other in every place, (n, n) bool."""
    near = np.ones((len(rows), len(rows)), dtype=bool)
    for values, most in zip(rows.T, width, strict=True):
        with np.errstate(invalid="ignore"):  # inf and inf are equal, although their difference is nan
            apart = np.abs(values[:, None] - values)
        near &= (apart <= most * ROUNDING) | (values[:, None] == values)
    return near


def frequency_labels(label: np.ndarray) -> np.ndarray:
    """Return the same labels, numbered from the most frequent one on, (n_trees,) int64."""
    rank = np.argsort(-np.bincount(label), kind="stable")
    number = np.empty(len(rank), np.int64)
    number[rank] = np.arange(len(rank))
    return number[label]


# ---- two further definitions of "the same tree": within cultivated neighbourhoods, and as functions
#
# Structures compare splits exactly, within a tolerance, or by features alone. Here trees are the same down to a
# depth
# - if each threshold lies in the other one's neighbourhood (`within_neighbourhoods`), in every node. Cultivated
#   trees bring their neighbourhoods along: the cuts of a node's first decision; a plain tree's is its threshold
#   alone. To be in each other's neighbourhood is not transitive: the rule that makes groups of it is that of
#   structures;
# - or if they say the same of every row of a table, where both are cut off at that depth (`as_functions`).


def within_neighbourhoods(trees: Sequence[AnyTree], max_depth: int) -> Structures:
    """Return the structures of the trees down to depths 1 to `max_depth`, with thresholds equal within
    neighbourhoods.

    Raises ValueError for no trees, or a depth below 1.
    """
    _demand(trees, max_depth)
    splits = [splits_of(tree) for tree in trees]
    ends = [ends_of(tree) for tree in trees]
    lows, highs = ([s._replace(threshold=end[i]) for s, end in zip(splits, ends, strict=True)] for i in (0, 1))
    label, labels = np.zeros(len(trees), np.int64), []
    levels = (splits_by_level(each, max_depth) for each in (splits, lows, highs))
    for (feature, threshold, categories), (_, low, _), (_, high, _) in zip(*levels, strict=True):
        is_category = np.isnan(threshold)
        alike = number_rows(label[:, None], feature, is_category, categories)
        bands = np.concatenate([np.where(is_category, 0.0, part) for part in (threshold, low, high)], axis=1)
        label = _divide(alike, partial(_gather_bands, bands))
        labels.append(frequency_labels(label))
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
    labels = (np.unique(names_at, return_inverse=True)[1] for names_at in names.T)
    return Structures(np.stack([frequency_labels(label) for label in labels]))


def _demand(trees: Sequence[AnyTree], max_depth: int) -> None:
    if not trees:
        raise ValueError("there are no trees that could be compared")
    if max_depth < 1:
        raise ValueError(f"max_depth is {max_depth}; it must be at least 1")


def ends_of(tree: AnyTree) -> tuple[np.ndarray, np.ndarray]:
    """Return least and greatest cut of each node's first decision, (n_nodes,).

    It is nan for categories and at leaves.
    """
    tree = boxed(tree, "a comparison of structures")
    if isinstance(tree, Tree):
        return tree.threshold, tree.threshold
    threshold = splits_of(tree).threshold
    low, high = threshold.copy(), threshold.copy()
    start = tree.cuts.start
    for node in np.flatnonzero((tree.left != LEAF) & ~np.isnan(low)):
        decision = tree.decisions.start[node]
        low[node], high[node] = tree.cuts.value[start[decision]], tree.cuts.value[start[decision + 1] - 1]
    return low, high


def _gather_bands(bands: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return the groups within a group of trees by their cuts, lows and highs, (n_trees, 3 times n_places)."""
    rows, place, times = np.unique(bands[group] + 0.0, axis=0, return_inverse=True, return_counts=True)
    return _groups(_near_bands(*np.split(rows, 3, axis=1)), times)[place.reshape(-1)]


def _near_bands(cut: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return which rows' cuts (n, n_places) are in each other's bands in every place, (n, n) bool."""
    near = np.ones((len(cut), len(cut)), dtype=bool)
    for t, lowest, highest in zip(cut.T, low.T, high.T, strict=True):
        inside = (lowest[:, None] <= t) & (t <= highest[:, None])
        near &= inside & inside.T
    return near


def _names(tree: AnyTree, max_depth: int, X: np.ndarray) -> list[str]:
    """Return a name for the tree's function when cut off at each depth: equal for equal functions."""
    if isinstance(tree, CultivatedTree):
        depth = depths(tree)
        values = (shares(prune_to(tree, depth < most), X) for most in range(1, max_depth + 1))
        answers = [value.argmax(axis=1) if value.shape[1] > 1 else value for value in values]
    else:
        leaf = leaves(tree, X)
        nodes = [above[leaf] for above in ancestors(tree, max_depth)]
        if tree.value.shape[1] > 1:
            answers = [tree.value.argmax(axis=1)[node] for node in nodes]
        else:  # the first row in the same node
            firsts = (np.unique(node, return_index=True, return_inverse=True)[1:] for node in nodes)
            answers = [first[place] for first, place in firsts]
    return [hashlib.blake2b(np.ascontiguousarray(a).tobytes(), digest_size=16).hexdigest() for a in answers]


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


# ---- count the different trees from redrawn data, and measure their similarity

Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


class Equality(NamedTuple):
    """Definition of equal structures."""

    kind: str = "exact"  # of `EQUALITIES`
    tolerance: Any = (
        0.0  # in the features' units: one number, or one each; of "tolerance", and of plain trees that
    )
    #                       are compared within neighbourhoods (`split_choices.tolerances`)


EQUALITIES = (
    ("features", "by columns", "They ask the same columns in the same places; thresholds do not matter."),
    ("exact", "by columns and thresholds", "They ask the same columns and have the very same thresholds."),
    ("tolerance", "with a tolerance", "They ask the same columns; thresholds may be a little apart."),
    ("neighbourhood", "within the neighbourhood", "They ask the same columns; thresholds may be as far apart "
     "as a cultivated tree's split may hesitate."),
    ("function", "by what they say", "They give the same answer in every row, however they find it."),
)  # fmt: skip


class StructureLevel(NamedTuple):
    """The structures down to one depth, the most frequent first: a column of the histogram."""

    depth: int
    counts: np.ndarray  # (n_structures,) int64: trees of each structure, descending
    first: np.ndarray  # (n_structures,) int64: position of the first tree of each
    entropy: float  # in bits
    interval: tuple[float, float]  # of the most frequent structure's share: 95 %, by Wilson (1927)
    unseen: (
        float  # chance that one more replicate has a structure of its own: share of those seen once (Good 1953)
    )

    @property
    def n_structures(self) -> int:
        """Number of structures."""
        return len(self.counts)

    @property
    def top_share(self) -> float:
        """Share of the trees that have the most frequent structure."""
        return float(self.counts[0] / self.counts.sum())


def structures_of(
    trees: Sequence[AnyTree], max_depth: int, equality: Equality, X: np.ndarray | None = None
) -> Structures:
    """Return the structures of the trees down to depths 1 to `max_depth`, under an equality.

    X (n, n_features) are the rows on which functions are compared.
    Raises ValueError for an unknown equality, functions without rows, no trees, and as `structures` does.

    >>> from espalier.analysis import Plan, replicate
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> replicates = replicate(CartClassifier(max_depth=2), samples.load("iris"), Plan(n_replicates=20))
    >>> same = structures_of(replicates.trees, 2, Equality("features"))
    >>> [level.n_structures for level in levels(same)]
    [2, 5]
    """
    check_equality(equality)
    if equality.kind == "function":
        return as_functions(trees, max_depth, np.empty((0, 0)) if X is None else X)
    if equality.kind == "neighbourhood" and all(isinstance(tree, CultivatedTree) for tree in trees):
        return within_neighbourhoods(trees, max_depth)
    tolerance = {"features": None, "exact": 0.0}.get(equality.kind, equality.tolerance)
    return structures(trees, max_depth, tolerance)


def check_equality(equality: Equality) -> None:
    """Raise ValueError for an unknown equality."""
    names = [name for name, _, _ in EQUALITIES]
    if equality.kind not in names:
        raise ValueError(f"there is no equality {equality.kind!r}; there are {', '.join(names)}")


def levels(same: Structures) -> tuple[StructureLevel, ...]:
    """Return the histogram of every depth, from the first on.

    >>> from espalier.analysis import Plan, replicate
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> replicates = replicate(CartClassifier(max_depth=1), samples.load("iris"), Plan(n_replicates=20))
    >>> levels(structures_of(replicates.trees, 1, Equality("features")))[0].counts.tolist()
    [18, 2]
    """
    result = []
    for depth, (label, entropy) in enumerate(zip(same.label, same.entropy.tolist(), strict=True), start=1):
        _, first, counts = np.unique(label, return_index=True, return_counts=True)
        interval, alone = wilson(int(counts[0]), len(label)), int(np.count_nonzero(counts == 1))
        result.append(StructureLevel(depth, counts, first, entropy, interval, alone / len(label)))
    return tuple(result)


def wilson(count: int, n: int, z: float = Z) -> tuple[float, float]:
    """Return the interval of a probability observed `count` times of n (Wilson 1927).

    z = 1.96: 95 % confidence.
    """
    share, extra = count / n, z * z / n
    middle = (share + extra / 2) / (1 + extra)
    half = z / (1 + extra) * np.sqrt(share * (1 - share) / n + extra / n / 4)
    low, high = float(middle - half), float(middle + half)
    return max(low, 0.0) if count > 0 else 0.0, min(high, 1.0) if count < n else 1.0


def _entropy(counts: np.ndarray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum() + 0.0)
