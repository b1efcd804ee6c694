"""Two trees on a table: what became of each split, which samples change their answer, and the space between.

`distance_over_boxes` compares answers over all values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier import predict
from espalier.kinds import SomeTree, nodes_of
from espalier.tree import alignment
from espalier.tree.alignment import NONE, ONLY_A, ONLY_B, NodePair
from espalier.tree.rules import Bound, admitted_codes, leaf_bounds
from espalier.trees import LEAF, Tree, subtree_end


def distance_over_boxes(a: Tree, b: Tree, X: np.ndarray, n_categories: Sequence[int]) -> float:
    """Return the share of the space of values where two trees predict different classes; of numbers the mean gap.

    The space goes from the least to the greatest value of each column of X (n_samples, n_features), and over all
    of its `n_categories` (n_features,) where that is not 0. nan if a column that a tree asks has no known value.

    >>> from espalier.trees import make_tree
    >>> arrays = [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3, [2, 1, 1], [2, 1, 1], [[0], [1], [3]], [0] * 3
    >>> one, two = (make_tree([0, -1, -1], [t, math.nan, math.nan], *arrays) for t in (1.0, 2.0))
    >>> distance_over_boxes(one, two, np.array([[0.0], [10.0]]), [0])
    0.2
    """
    split_on = np.union1d(a.feature[a.feature != LEAF], b.feature[b.feature != LEAF]).tolist()
    boxes = [[bounds for _, bounds in leaf_bounds(tree)] for tree in (a, b)]
    overlap = np.ones((a.n_leaves, b.n_leaves))
    for feature in split_on:
        values = X[~np.isnan(X[:, feature]), feature]
        if not len(values):
            return math.nan
        bounds = ([_bound(box, feature) for box in some] for some in boxes)
        overlap *= _overlaps(values, n_categories[feature], *bounds)
    ours, theirs = (tree.value[tree.feature == LEAF] for tree in (a, b))
    if ours.shape[1] > 1:
        gap = (ours.argmax(axis=1)[:, None] != theirs.argmax(axis=1)[None, :]).astype(float)
    else:
        gap = np.abs(ours - theirs[:, 0][None, :])
    return float((overlap * gap).sum() / overlap.sum()) if overlap.sum() else math.nan


def _bound(bounds: list[Bound], feature: int) -> Bound:
    return next((bound for bound in bounds if bound.feature == feature), Bound(feature))


def _overlaps(values: np.ndarray, n_categories: int, ours: list[Bound], theirs: list[Bound]) -> np.ndarray:
    """Return the share of a column's values that each of our bounds has in common with each of theirs.

    Its categories, or what lies between the ends of the known `values` (n,).
    """
    if n_categories:
        codes = np.arange(n_categories)
        masks = [
            np.array([np.isin(codes, admitted_codes(bound, n_categories)) for bound in some], float)
            for some in (ours, theirs)
        ]
        return masks[0] @ masks[1].T / n_categories
    low = np.maximum.outer([a.low for a in ours], [b.low for b in theirs])
    high = np.minimum.outer([a.high for a in ours], [b.high for b in theirs])
    least, greatest = float(values.min()), float(values.max())
    width = greatest - least
    if not width:
        return ((low < least) & (least <= high)).astype(float)
    return np.clip(np.minimum(high, greatest) - np.maximum(low, least), 0, None) / width


# ---- the difference of two trees on a table: what became of each split, and the samples that change their answer

PAIRS = (alignment.SAME, alignment.SHIFT, alignment.OTHER)


class NodeChange(NamedTuple):
    """A pair of nodes laid over each other, or a node of one tree alone, with the samples that it concerns."""

    pair: NodePair
    shift: float  # threshold of B less that of A; nan where there are not both
    n_samples: int  # that reach it: both nodes, or the only one
    n_parted: int  # of these, those whose ways part here: they go on in places that do not lie over each other
    n_changed: int  # samples that change their answer because their ways part here, or end here in other answers


class ChangedAnswers(NamedTuple):
    """The answers of both trees to each sample."""

    a: np.ndarray  # (n_samples,) class number or prediction of tree A
    b: np.ndarray
    differ: np.ndarray  # (n_samples,) bool
    place: np.ndarray  # (n_samples,) int64: the change where its ways part, or end; NONE without splits


class TreeDifference(NamedTuple):
    """What differs between two trees."""

    changes: tuple[NodeChange, ...]  # parents before children; empty if the trees are compared by answers alone
    cost: float  # of the alignment, in splits; nan without one
    answers: ChangedAnswers
    over_boxes: float  # distance of the answers over the boxes of both trees, see `overlap`; nan without boxes

    @property
    def has_splits(self) -> bool:
        """Whether the splits are compared, and not the answers alone."""
        return len(self.changes) > 0

    @property
    def is_none(self) -> bool:
        """Whether nothing differs."""
        kinds = {change.pair.kind for change in self.changes}
        return kinds <= {alignment.SAME, alignment.LEAVES} and not self.answers.differ.any()

    def of_kind(self, *kinds: str) -> tuple[NodeChange, ...]:
        """Return the changes of these kinds."""
        return tuple(change for change in self.changes if change.pair.kind in kinds)


def tree_difference(a: SomeTree, b: SomeTree, X: np.ndarray, n_categories: tuple[int, ...] = ()) -> TreeDifference:
    """Return the difference of two trees of the same columns on the samples X (n_samples, n_features).

    `n_categories` says how many categories each column has, 0 for a number; without it all are numbers. Splits are
    compared in each `Tree`, and in that of a `ModelTree`; other kinds are compared by their answers alone. Raises
    ValueError for no samples, and for trees that are too large.

    >>> from espalier.analysis import tree_difference
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> one, two = (CartClassifier(max_depth=depth).fit(iris.X, iris.y).tree_ for depth in (1, 2))
    >>> found = tree_difference(one, two, iris.X)
    >>> found.cost, int(found.answers.differ.sum()), [change.pair.kind for change in found.changes][:3]
    (1.0, 46, ['same', 'leaves', 'grown'])
    """
    if not len(X):
        raise ValueError("there are no samples to compare the trees on: give it at least one row")
    answers_a, answers_b = predict.predictions(a, X), predict.predictions(b, X)
    differ = answers_a != answers_b if answers_a.dtype.kind == "i" else ~np.isclose(answers_a, answers_b)
    sharp_a, sharp_b = sharp_of(a), sharp_of(b)
    if sharp_a is None or sharp_b is None:
        return TreeDifference(
            (), np.nan, ChangedAnswers(answers_a, answers_b, differ, np.full(len(X), NONE)), np.nan
        )
    pairs, cost = alignment.align(sharp_a, sharp_b, X)
    ways = _Ways(sharp_a, sharp_b, predict.leaves(sharp_a, X), predict.leaves(sharp_b, X))
    n_there, n_parted, place = _passage(ways, pairs)
    n_changed = np.bincount(place[differ], minlength=len(pairs))
    changes = tuple(
        _change(ways, pair, *map(int, counts))
        for pair, *counts in zip(pairs, n_there, n_parted, n_changed, strict=True)
    )
    is_boxed = isinstance(a, Tree) and isinstance(b, Tree)
    over = distance_over_boxes(sharp_a, sharp_b, X, n_categories or (0,) * X.shape[1]) if is_boxed else np.nan
    return TreeDifference(changes, cost, ChangedAnswers(answers_a, answers_b, differ, place), over)


def sharp_of(tree: SomeTree) -> Tree | None:
    """Return the `Tree` whose splits can be compared; None where there is none."""
    sharp = nodes_of(tree)
    return sharp if isinstance(sharp, Tree) else None


class _Ways(NamedTuple):
    """Both trees, and the leaf of each sample in either."""

    a: Tree
    b: Tree
    leaf_a: np.ndarray  # (n_samples,)
    leaf_b: np.ndarray

    def goes_left(self, pair: NodePair, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which rows go to the side of A, and which to that of B, that lies over it."""
        if pair.kind == ONLY_A:
            left = self.leaf_a[rows] < self.a.right[pair.a]
            return left, np.full(len(rows), pair.stays == self.a.left[pair.a])
        right = self.leaf_b[rows] < self.b.right[pair.b]
        if pair.kind == ONLY_B:
            return right, np.full(len(rows), pair.stays == self.b.left[pair.b])
        return self.leaf_a[rows] < self.a.right[pair.a], right ^ pair.mirrored

    def n_in(self, pair: NodePair) -> int:
        """Return how many samples reach the only node of the pair."""
        tree, leaf, node = (self.a, self.leaf_a, pair.a) if pair.kind == ONLY_A else (self.b, self.leaf_b, pair.b)
        return int(np.count_nonzero((leaf >= node) & (leaf < subtree_end(tree, node))))


def _passage(ways: _Ways, pairs: list[NodePair]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many samples reach each pair, and of these whose ways part there, (n_pairs,) int64 each.

    And the pair at which the ways of each sample part, or end, (n_samples,).
    """
    n = len(ways.leaf_a)
    n_there, n_parted = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    place, there = np.full(n, NONE), {(0, 0): np.arange(n)}
    for at, pair in enumerate(pairs):
        rows = there.pop(_context(pair), None)
        n_there[at] = ways.n_in(pair) if rows is None or NONE in (pair.a, pair.b) else len(rows)
        if rows is None:
            continue
        if pair.kind not in PAIRS and pair.stays == NONE:
            place[rows] = at
            continue
        left_a, left_b = ways.goes_left(pair, rows)
        n_parted[at] = np.count_nonzero(left_a != left_b)
        place[rows[left_a != left_b]] = at
        there |= {key: rows[(left_a == left_b) & (left_a == left)] for key, left in _next(ways, pair)}
    return n_there, n_parted, place


def _context(pair: NodePair) -> tuple[int, int]:
    """Return the nodes of A and B that the samples of the pair are in."""
    if pair.stays == NONE:
        return pair.a, pair.b
    return (pair.a, pair.over) if pair.kind == ONLY_A else (pair.over, pair.b)


def _next(ways: _Ways, pair: NodePair) -> list[tuple[tuple[int, int], bool]]:
    """Return the pairs of nodes below, each with whether the left side of A, or of the only tree, leads there."""
    if pair.kind == ONLY_A:
        return [((pair.stays, pair.over), pair.stays == int(ways.a.left[pair.a]))]
    if pair.kind == ONLY_B:
        return [((pair.over, pair.stays), pair.stays == int(ways.b.left[pair.b]))]
    left, right = int(ways.b.left[pair.b]), int(ways.b.right[pair.b])
    under = (right, left) if pair.mirrored else (left, right)
    return [((int(ways.a.left[pair.a]), under[0]), True), ((int(ways.a.right[pair.a]), under[1]), False)]


def _change(ways: _Ways, pair: NodePair, n_samples: int, n_parted: int, n_changed: int) -> NodeChange:
    shift = np.nan
    if pair.kind in (alignment.SAME, alignment.SHIFT):
        before, after = float(ways.a.threshold[pair.a]), float(ways.b.threshold[pair.b])
        shift = 0.0 if before == after else after - before  # both may be infinite
    if pair.kind == alignment.LEAVES and n_changed:  # of a model tree: other formulas
        pair = pair._replace(kind=alignment.ANSWER)
    return NodeChange(pair, shift, n_samples, n_parted, n_changed)
