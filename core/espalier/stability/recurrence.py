"""How often each split of a tree comes back in trees from redrawn data.

A split *comes back* in another tree if that tree has an equal split in the same place, and all splits on the way
there are equal, too: from both roots, the same turns to the left and right pass the same questions. An `Equality`
says which splits are equal, as for the structures of whole trees (Zhou & Hooker 2016, section 4.1.2, compare trees
down to a depth by covariates and the values they are split at). So the root comes back as often as the tree's
structure of depth 1, and no split comes back more often than the one above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.stability.equality import ends_of
from espalier.stability.stability import Equality
from espalier.stability.structures import ROUNDING, splits_of
from espalier.trees import LEAF, AnyTree, CultivatedTree


class SplitRecurrence(NamedTuple):
    """How often each split of a tree came back."""

    times: np.ndarray  # (n_nodes,) int64: trees in which it came back; 0 at leaves
    n_trees: int  # that were searched for it

    @property
    def share(self) -> np.ndarray:
        """The share of the trees in which each split came back, (n_nodes,) float64; 0 at leaves."""
        return self.times / self.n_trees


class _Splits(NamedTuple):
    """The splits of one tree, or of several one after the other; arrays (n_nodes,), but `start`."""

    feature: np.ndarray
    threshold: np.ndarray
    categories: np.ndarray
    low: np.ndarray  # of the neighbourhood; the threshold itself in a plain tree
    high: np.ndarray
    is_soft: np.ndarray  # bool: whether the tree is a cultivated one
    left: np.ndarray  # positions in these arrays
    right: np.ndarray
    start: np.ndarray  # (n_trees,) positions of the roots


def split_recurrence(
    tree: AnyTree,
    others: Sequence[AnyTree],
    equality: Equality = Equality("features"),  # noqa: B008
) -> SplitRecurrence:
    """Return how often each split of the tree comes back in the others; see the head of this file.

    Cultivated trees are compared by the first decision of every node. Raises ValueError if there are no others,
    for equality as functions or an unknown one, and for trees whose splits weigh several features.

    >>> from espalier.analysis import Plan, Redraw, replicate
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, learner = samples.load("iris"), CartClassifier(max_depth=2)
    >>> others = replicate(learner, iris, Plan(Redraw("bootstrap"), n_replicates=20)).trees
    >>> split_recurrence(learner.fit(iris.X, iris.y).tree_, others).times.tolist()
    [18, 0, 5, 0, 0]
    """
    _check(others, equality)
    own, pool = _pooled([tree]), _pooled(others)
    here = np.full((len(own.feature), len(others)), LEAF, np.int64)  # the node in the same place; LEAF: none
    here[0] = pool.start
    count = np.zeros(len(own.feature), np.int64)
    for node in np.flatnonzero(own.feature != LEAF):  # preorder: a parent stands before its children
        again = np.flatnonzero(here[node] != LEAF)
        again = again[_are_equal(own, int(node), pool, here[node, again], equality)]
        count[node] = len(again)
        here[own.left[node], again] = pool.left[here[node, again]]
        here[own.right[node], again] = pool.right[here[node, again]]
    return SplitRecurrence(count, len(others))


def counterparts(tree: AnyTree, other: AnyTree) -> np.ndarray:
    """Return the node of the other tree in the place of each node, (n_nodes,) int64; -1 where it has none.

    A place is the turns to the left and right from the root; what is asked there does not count.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> small, large = (CartClassifier(max_depth=d).fit(iris.X, iris.y).tree_ for d in (1, 2))
    >>> counterparts(large, small).tolist()
    [0, 1, 2, -1, -1]
    """
    place = np.full(tree.n_nodes, LEAF, np.int64)
    place[0] = 0
    for node in np.flatnonzero(tree.left != LEAF):
        if place[node] != LEAF:
            place[tree.left[node]] = other.left[place[node]]
            place[tree.right[node]] = other.right[place[node]]
    return place


def _check(others: Sequence[AnyTree], equality: Equality) -> None:
    if not others:
        raise ValueError("there are no other trees in which a split could come back")
    kinds = ("features", "exact", "tolerance", "neighbourhood")
    if equality.kind not in kinds:
        raise ValueError(f"splits cannot be compared by {equality.kind!r}; there are {', '.join(kinds)}")


def _pooled(trees: Sequence[AnyTree]) -> _Splits:
    """Return the splits of the trees, one tree after the other."""
    splits, ends = [splits_of(tree) for tree in trees], [ends_of(tree) for tree in trees]
    sizes = [len(one.feature) for one in splits]
    start = np.cumsum([0, *sizes[:-1]])
    soft = np.repeat([isinstance(tree, CultivatedTree) for tree in trees], sizes)
    feature, threshold, categories = (np.concatenate([one[i] for one in splits]) for i in range(3))
    low, high = (np.concatenate([end[i] for end in ends]) for i in range(2))
    left, right = (
        np.concatenate(
            [np.where(one[i] == LEAF, LEAF, one[i] + at) for one, at in zip(splits, start, strict=True)]
        )
        for i in (3, 4)
    )
    return _Splits(feature, threshold, categories, low, high, soft, left, right, start)


def _are_equal(own: _Splits, node: int, pool: _Splits, others: np.ndarray, equality: Equality) -> np.ndarray:
    """Return which of the other nodes (n,) have a split equal to that of the node, (n,) bool."""
    same = pool.feature[others] == own.feature[node]
    if equality.kind == "features":
        return same
    is_set = np.isnan(own.threshold[node])
    same &= (np.isnan(pool.threshold[others]) == is_set) & (pool.categories[others] == own.categories[node])
    return same if is_set else same & _are_near(own, node, pool, others, equality)


def _are_near(own: _Splits, node: int, pool: _Splits, others: np.ndarray, equality: Equality) -> np.ndarray:
    """Return whose thresholds are equal, or near enough, to that of the node, (n,) bool."""
    cut, cuts = own.threshold[node], pool.threshold[others]
    near = cuts == cut
    if equality.kind == "exact":
        return near
    width = np.asarray(equality.tolerance, dtype=np.float64)
    most = float(width if width.ndim == 0 else width[own.feature[node]])
    with np.errstate(invalid="ignore"):  # of inf and inf, which are equal
        near |= np.abs(cuts - cut) <= most * ROUNDING
    if equality.kind == "tolerance":
        return near
    both = (own.low[node] <= cuts) & (cuts <= own.high[node])
    both &= (pool.low[others] <= cut) & (cut <= pool.high[others])
    return np.where(own.is_soft[node] & pool.is_soft[others], both, near)
