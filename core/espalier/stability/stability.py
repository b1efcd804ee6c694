"""Count the different trees from redrawn data, and measure their similarity.

From an estimator to the papers' histograms (Zhou & Hooker 2016, Figures 3 and 5)::

    found = replicate(estimator, data, Plan(Redraw("bootstrap"), 1000))  # espalier.stability.replicates
    equality = Equality("tolerance", 0.1)                                # or another of `EQUALITIES`
    same = structures_of(found.trees, 4, equality)                       # Structures: label by depth and tree
    bars = levels(same)       # per depth: counts, a tree of each structure, entropy, shares with their uncertainty
    difference(found.trees[i], found.trees[same.typical(4)], 4, equality)  # the first node that differs, or None
    repeats(same, batch)      # the same for each batch of replicates: was the first one typical?

See also `stability.split_choices` (features by depth, thresholds, neighbourhoods and their coverage) and
`espalier.stability.answers` (pairwise agreement of predictions, variance over a surface).

Scope: the replicates are redrawn from one table. Intervals cover the effect of further replicates of that table,
not of another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.stability.equality import as_functions, ends_of, within_neighbourhoods
from espalier.stability.structures import ROUNDING, Structures, splits_of, structures
from espalier.trees import LEAF, AnyTree, CultivatedTree

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


class Repeats(NamedTuple):
    """Results of each batch of replicates; rows are batches, columns the depths 1, 2, …"""

    n_structures: np.ndarray  # (n_batches, n_depths) int64
    top_share: np.ndarray  # (n_batches, n_depths): of the batch's own most frequent structure
    entropy: np.ndarray  # (n_batches, n_depths)
    same_top: np.ndarray  # (n_batches, n_depths) bool: whether it is also the most frequent in all batches


class FirstDifference(NamedTuple):
    """The first node, depth by depth from left to right, at which two trees differ."""

    what: str  # "feature", "threshold", "categories"; "leaf": the tree has a leaf, the other splits; "split"
    way: tuple[bool, ...]  # path from the root: whether to the left
    node: int  # in the tree
    other: int  # in the other tree

    @property
    def depth(self) -> int:
        """Depth of the node; the root is at 0."""
        return len(self.way)


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
    _known(equality)
    if equality.kind == "function":
        return as_functions(trees, max_depth, np.empty((0, 0)) if X is None else X)
    if equality.kind == "neighbourhood" and all(isinstance(tree, CultivatedTree) for tree in trees):
        return within_neighbourhoods(trees, max_depth)
    return structures(trees, max_depth, _tolerance(equality))


def _known(equality: Equality) -> None:
    names = [name for name, _, _ in EQUALITIES]
    if equality.kind not in names:
        raise ValueError(f"there is no equality {equality.kind!r}; there are {', '.join(names)}")


def _tolerance(equality: Equality) -> Any:
    return {"features": None, "exact": 0.0}.get(equality.kind, equality.tolerance)


# ---- histograms


def levels(same: Structures) -> tuple[StructureLevel, ...]:
    """Return the histogram of every depth, from the first on.

    >>> from espalier.analysis import Plan, replicate
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> replicates = replicate(CartClassifier(max_depth=1), samples.load("iris"), Plan(n_replicates=20))
    >>> levels(structures_of(replicates.trees, 1, Equality("features")))[0].counts.tolist()
    [18, 2]
    """
    entropy = same.entropy
    return tuple(_level(depth + 1, label, float(entropy[depth])) for depth, label in enumerate(same.label))


def _level(depth: int, label: np.ndarray, entropy: float) -> StructureLevel:
    _, first, counts = np.unique(label, return_index=True, return_counts=True)
    alone = int(np.count_nonzero(counts == 1))
    return StructureLevel(depth, counts, first, entropy, wilson(int(counts[0]), len(label)), alone / len(label))


def wilson(count: int, n: int, z: float = Z) -> tuple[float, float]:
    """Return the interval of a probability observed `count` times of n (Wilson 1927).

    z = 1.96: 95 % confidence.
    """
    share, extra = count / n, z * z / n
    middle = (share + extra / 2) / (1 + extra)
    half = z / (1 + extra) * np.sqrt(share * (1 - share) / n + extra / n / 4)
    low, high = float(middle - half), float(middle + half)
    return max(low, 0.0) if count > 0 else 0.0, min(high, 1.0) if count < n else 1.0


def repeats(same: Structures, batch: np.ndarray) -> Repeats:
    """Return the structures batch by batch: batch (n_trees,) int64 numbers the batches from 0."""
    n_batches = int(batch.max()) + 1
    labels = [same.label[:, batch == number] for number in range(n_batches)]
    own = [[np.bincount(label) for label in of_batch] for of_batch in labels]
    return Repeats(
        np.array([[np.count_nonzero(counts) for counts in of_batch] for of_batch in own]),
        np.array([[counts.max() / counts.sum() for counts in of_batch] for of_batch in own]),
        np.array([[_entropy(counts) for counts in of_batch] for of_batch in own]),
        np.array([[counts[0] == counts.max() for counts in of_batch] for of_batch in own]),
    )


def _entropy(counts: np.ndarray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum() + 0.0)


# ---- differences


def difference(tree: AnyTree, other: AnyTree, max_depth: int, equality: Equality) -> FirstDifference | None:
    """Return the first node above `max_depth` at which the trees differ, depth by depth, left to right; or None.

    Two trees of one group may differ if the equality is not transitive; trees compared as functions are
    distinguished by features and exact thresholds.
    """
    _known(equality)
    pair = (_Compared.of(tree), _Compared.of(other))
    here: list[tuple[tuple[bool, ...], int, int]] = [((), 0, 0)]
    for _ in range(max_depth):
        below = []
        for way, a, b in here:
            what = _differs(*pair, a, b, equality)
            if what:
                return FirstDifference(what, way, a, b)
            if tree.left[a] != LEAF:
                below.append(((*way, True), int(tree.left[a]), int(other.left[b])))
                below.append(((*way, False), int(tree.right[a]), int(other.right[b])))
        here = below
    return None


class _Compared(NamedTuple):
    """A tree's splits with the ends of their neighbourhoods; arrays (n_nodes,)."""

    feature: np.ndarray
    threshold: np.ndarray
    categories: np.ndarray
    low: np.ndarray
    high: np.ndarray
    is_soft: bool

    @classmethod
    def of(cls, tree: AnyTree) -> _Compared:
        splits = splits_of(tree)
        return cls(
            splits.feature, splits.threshold, splits.categories, *ends_of(tree), isinstance(tree, CultivatedTree)
        )


def _differs(one: _Compared, other: _Compared, a: int, b: int, equality: Equality) -> str:
    """Return the difference of two nodes; empty if there is none."""
    feature = int(one.feature[a])
    if feature != other.feature[b]:
        return "leaf" if feature == LEAF else "split" if other.feature[b] == LEAF else "feature"
    if feature == LEAF or equality.kind == "features":
        return ""
    s, t = one.threshold[a], other.threshold[b]
    if np.isnan(s) or np.isnan(t):
        return "" if one.categories[a] == other.categories[b] and np.isnan(s) == np.isnan(t) else "categories"
    if equality.kind == "neighbourhood" and one.is_soft and other.is_soft:
        near = one.low[a] <= t <= one.high[a] and other.low[b] <= s <= other.high[b]
    else:
        near = s == t or abs(s - t) <= _width(equality, feature) * ROUNDING
    return "" if near else "threshold"


def _width(equality: Equality, feature: int) -> float:
    if equality.kind == "function":
        return 0.0
    width = np.asarray(_tolerance(equality), dtype=np.float64)
    return float(width if width.ndim == 0 else width[feature])
