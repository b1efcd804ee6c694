"""Two trees on a table: what became of each split, which samples change their answer, and trees of other columns.

`distance_over_boxes` compares answers over all values, `match_columns` brings a tree of other columns here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier import predict
from espalier.data.dataset import Feature
from espalier.kinds import SomeTree, nodes_of
from espalier.language import say
from espalier.tree import alignment
from espalier.tree.alignment import NONE, ONLY_A, ONLY_B, NodePair
from espalier.tree.rules import ALL, N_BITS, Bound, admitted_codes, leaf_bounds
from espalier.trees import LEAF, Tree, make_tree, subtree_end


class _Column(NamedTuple):
    """The values of a feature: categories, or the ends of its numbers."""

    feature: int
    n_categories: int
    low: float
    high: float


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
    columns = []
    for feature in split_on:
        numbers = X[~np.isnan(X[:, feature]), feature]
        if not len(numbers):
            return math.nan
        columns.append(_Column(feature, n_categories[feature], float(numbers.min()), float(numbers.max())))
    boxes = [[bounds for _, bounds in leaf_bounds(tree)] for tree in (a, b)]
    overlap = np.ones((a.n_leaves, b.n_leaves))
    for column in columns:
        overlap *= _overlaps(column, *([_bound(box, column.feature) for box in some] for some in boxes))
    ours, theirs = (tree.value[tree.feature == LEAF] for tree in (a, b))
    if ours.shape[1] > 1:
        gap = (ours.argmax(axis=1)[:, None] != theirs.argmax(axis=1)[None, :]).astype(float)
    else:
        gap = np.abs(ours - theirs[:, 0][None, :])
    return float((overlap * gap).sum() / overlap.sum()) if overlap.sum() else math.nan


def _bound(bounds: list[Bound], feature: int) -> Bound:
    return next((bound for bound in bounds if bound.feature == feature), Bound(feature))


def _overlaps(column: _Column, ours: list[Bound], theirs: list[Bound]) -> np.ndarray:
    """Return the share of the column's values that each of our bounds has in common with each of theirs."""
    if column.n_categories:
        codes = np.arange(column.n_categories)
        masks = [
            np.array([np.isin(codes, admitted_codes(bound, column.n_categories)) for bound in some], float)
            for some in (ours, theirs)
        ]
        return masks[0] @ masks[1].T / column.n_categories
    low = np.maximum.outer([a.low for a in ours], [b.low for b in theirs])
    high = np.minimum.outer([a.high for a in ours], [b.high for b in theirs])
    width = column.high - column.low
    if not width:
        return ((low < column.low) & (column.low <= high)).astype(float)
    return np.clip(np.minimum(high, column.high) - np.maximum(low, column.low), 0, None) / width


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
    laid_over = alignment.align(sharp_a, sharp_b, X)
    ways = _Ways(sharp_a, sharp_b, predict.leaves(sharp_a, X), predict.leaves(sharp_b, X))
    n_there, n_parted, place = _passage(ways, laid_over.pairs)
    n_changed = np.bincount(place[differ], minlength=len(laid_over.pairs))
    changes = tuple(
        _change(ways, pair, *map(int, counts))
        for pair, *counts in zip(laid_over.pairs, n_there, n_parted, n_changed, strict=True)
    )
    is_boxed = isinstance(a, Tree) and isinstance(b, Tree)
    over = distance_over_boxes(sharp_a, sharp_b, X, n_categories or (0,) * X.shape[1]) if is_boxed else np.nan
    return TreeDifference(changes, laid_over.cost, ChangedAnswers(answers_a, answers_b, differ, place), over)


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


def _passage(ways: _Ways, pairs: tuple[NodePair, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


# ---- A tree from elsewhere on the columns of another table: features, categories and classes are matched by name


class TreeColumns(NamedTuple):
    """Features and target that a tree was grown on, or those of a table."""

    features: Sequence[Feature]
    target: Feature


class MatchedTree(NamedTuple):
    """A tree whose columns are those of a table, behind which stand columns that the table does not have."""

    tree: Tree
    features: tuple[Feature, ...]  # of the table, then those that the tree asks for and the table does not have
    target: Feature  # of the table, with the classes behind its own that only the tree knows
    absent: tuple[str, ...]  # names of features that the tree asks for and the table does not have
    strange: tuple[str, ...]  # categories that only one of both knows: "colour: red"
    classes: tuple[str, ...]  # classes that only the tree knows

    def widened(self, X: np.ndarray) -> np.ndarray:
        """Return rows of the table (n_samples, n_features) with missing values in the columns it does not have."""
        gaps = np.full((len(X), len(self.features) - X.shape[1]), np.nan)
        return np.asfortranarray(np.hstack([X, gaps]))


def match_columns(tree: Tree, own: TreeColumns, table: TreeColumns) -> MatchedTree:
    """Return a tree on the columns of a table; `own` are those that it was grown on.

    A feature of the tree that the table does not have, or has as numbers in place of categories, is missing in
    every row: there the tree sends rows where missing values go. A category that the tree does not know goes where
    it sends codes past its last one. Raises ValueError where one target is a number and the other a class, for
    targets of other names, and for a tree with surrogate splits whose columns are others.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> table = TreeColumns(iris.features[::-1], iris.target)
    >>> turned = match_columns(tree, TreeColumns(iris.features, iris.target), table)
    >>> int(tree.feature[0]), int(turned.tree.feature[0]), turned.absent
    (2, 1, ())
    """
    ours, goal = own.features, own.target
    theirs, other = table.features, table.target
    _check_targets(goal, other)
    split_on = sorted(set(tree.feature[tree.feature != LEAF].tolist()))
    places = {f: _place(ours[f], theirs) for f in range(len(ours))}  # NONE: the table does not have it
    absent = [f for f in split_on if places[f] == NONE]
    if tree.has_surrogates and (absent or [places[f] for f in places] != list(range(len(theirs)))):
        raise ValueError(
            say(
                "the tree has surrogate splits, and its table has other columns than this one: compare it on its "
                "own columns, or grow it without surrogates"
            )
        )
    features = (*theirs, *(ours[f] for f in absent))
    at = places | {f: len(theirs) + i for i, f in enumerate(absent)}
    target, value = _on_classes(tree.value, goal, other)
    result = tree._replace(value=value)
    for f in split_on:
        result = _move_feature(tree, result, f, at[f], ours[f], features[at[f]])
    strange = [name for f in split_on if f not in absent for name in _strange(ours[f], features[at[f]])]
    new = tuple(name for name in goal.categories if name not in other.categories)
    return MatchedTree(
        make_tree(*result), features, target, tuple(ours[f].name for f in absent), tuple(strange), new
    )


def _check_targets(own: Feature, table: Feature) -> None:
    if own.name != table.name:
        names = {"own": repr(own.name), "target": repr(table.name)}
        raise ValueError(say("the tree predicts {own}, and the target of this table is {target}", **names))
    if bool(own.categories) == bool(table.categories):
        return
    if own.categories:
        raise ValueError(say("the tree predicts a class, and {target} is a number here", target=repr(own.name)))
    raise ValueError(say("the tree predicts a number, and {target} is a class here", target=repr(own.name)))


def _place(feature: Feature, theirs: Sequence[Feature]) -> int:
    """Return the place of the column of this name, if it has values of the same sort."""
    alike = (
        i
        for i, other in enumerate(theirs)
        if other.name == feature.name and bool(other.categories) == bool(feature.categories)
    )
    return next(alike, NONE)


def _move_feature(whole: Tree, tree: Tree, feature: int, place: int, own: Feature, other: Feature) -> Tree:
    """Return the tree with its splits on a feature, as `whole` has them, on this column and its categories."""
    at = whole.feature == feature
    tree = tree._replace(feature=np.where(at, place, tree.feature))
    if own.categories == other.categories:
        return tree
    masks, cuts = tree.categories.copy(), tree.threshold.copy()
    for node in np.flatnonzero(at):
        masks[node], cuts[node] = np.uint64(_mask(whole, int(node), own, other)), np.nan
    return tree._replace(categories=masks, threshold=cuts)


def _mask(tree: Tree, node: int, own: Feature, other: Feature) -> int:
    """Return which codes of the other column go left at a split on categories of one's own."""
    threshold = tree.threshold[node]
    mask = int(tree.categories[node])
    if not np.isnan(threshold):  # a split on an order is one on the set of its first categories
        mask = sum(1 << code for code in range(N_BITS) if code <= threshold)
    others_left = bool(mask >> len(own.categories) & 1) if len(own.categories) < N_BITS else False
    goes_left = {name: bool(mask >> code & 1) for code, name in enumerate(own.categories)}
    n = len(other.categories)
    codes = sum(1 << code for code, name in enumerate(other.categories) if goes_left.get(name, others_left))
    return codes | (ALL >> n << n if others_left else 0)


def _strange(own: Feature, other: Feature) -> list[str]:
    only = set(own.categories) ^ set(other.categories)
    return [f"{own.name}: {name}" for name in (*own.categories, *other.categories) if name in only]


def _on_classes(value: np.ndarray, own: Feature, table: Feature) -> tuple[Feature, np.ndarray]:
    """Return the table's target, with the tree's other classes, and the tree's shares in that order."""
    if own.categories == table.categories:
        return table, value
    names = (*table.categories, *(name for name in own.categories if name not in table.categories))
    shares = np.zeros((len(value), len(names)))
    shares[:, [names.index(name) for name in own.categories]] = value
    return table._replace(categories=names), shares
