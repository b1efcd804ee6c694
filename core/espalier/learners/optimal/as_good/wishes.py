"""Trees as good that are as a person wishes: with some features, without others, beginning with one.

Where no tree fulfils all wishes, those that break the fewest are the nearest. Trees are counted by the set of the
wishes' features that they ask about: how many do without each of these sets is a product over both sides of a
split (`WithoutSets`), and inclusion and exclusion make of it how many ask about exactly such a set.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from espalier.learners.optimal.as_good.graph import SizeCount, TreesAsGood
from espalier.learners.optimal.as_good.nodes import ChosenSplit, GraphTree, RowsNode, SidePairs, SplitNode
from espalier.learners.optimal.as_good.without import Tables, WithoutSets

MOST_FEATURES = 6  # of a wish: trees are counted by every set of them


class Wish(NamedTuple):
    """What a tree should be like, each feature by its number."""

    asked: tuple[int, ...] = ()  # it asks about each of these
    avoided: tuple[int, ...] = ()  # it asks about none of these
    first: int | None = None  # its first split is about this one; None: about any
    splits: int | None = None  # most splits, which all trees keep to; None: any number


class WishGroup(NamedTuple):
    """Trees that ask about the same features of the wish."""

    value: int  # cost * unit + splits
    is_first: bool  # whether they begin as wished
    asked: int  # set of the wish's features, as bits
    n_trees: int


class WishedTrees:
    """The trees as good that break the fewest wishes, mostly none, each with a number: the least cost first.

    `n_unmet` is the number of wishes that each of them breaks: features that are missing or there against the
    wish, and the first split.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees = trees_as_good(model, model.prepare(iris.X, iris.y), slack=1)
    >>> found = WishedTrees(trees, Wish(asked=(0,), avoided=(2,)))
    >>> found.n_trees, found.n_unmet, found.sizes[0]
    (4, 0, SizeCount(objective=7.0, n_splits=3, n_trees=4))
    """

    def __init__(self, trees: TreesAsGood, wish: Wish):
        """Raise ValueError for more than `MOST_FEATURES` features, or one both asked and avoided."""
        self._trees, self._features = trees, (*wish.asked, *wish.avoided)
        if len(self._features) > MOST_FEATURES or len(set(self._features)) < len(self._features):
            raise ValueError(f"a wish names at most {MOST_FEATURES} features, each once; this one is {wish}")
        self._wanted, self._first = 2 ** len(wish.asked) - 1, wish.first
        n_features = max([*self._features, *trees.questions.feature, 0]) + 1
        self._without = WithoutSets(trees, _every_set(self._features, n_features))
        most = trees.limits.splits if wish.splits is None else wish.splits
        every = [group for group in self._every_group() if group.value % trees.unit <= most]
        self.n_unmet = min((self._broken(group) for group in every), default=0)
        self._groups = sorted(group for group in every if self._broken(group) == self.n_unmet)

    @property
    def n_trees(self) -> int:
        """How many there are; 0 only where none has so few splits."""
        return sum(group.n_trees for group in self._groups)

    @property
    def sizes(self) -> list[SizeCount]:
        """How many there are of each objective and number of splits; the least objective first."""
        counts: dict[int, int] = {}
        for group in self._groups:
            counts[group.value] = counts.get(group.value, 0) + group.n_trees
        unit, objective = self._trees.unit, self._trees.objective
        return [SizeCount(objective(value), value % unit, n) for value, n in counts.items()]

    @property
    def smallest(self) -> int:
        """The number of the best tree of those with the fewest splits."""
        unit = self._trees.unit
        least = min(self._groups, key=lambda group: (group.value % unit, group))
        return sum(group.n_trees for group in self._groups if group < least)

    def draw(self, seed: int) -> int:
        """Return the number of a tree, drawn from all with the same chance."""
        return random.Random(seed).randrange(self.n_trees)

    def tree(self, number: int) -> GraphTree:
        """Return the tree of this number, from 0. Raises IndexError for one that is not there."""
        rank = number
        for group in self._groups if number >= 0 else ():
            if rank < group.n_trees:
                return self._tree(self._trees.root, self._root_splits(group.is_first), group, rank)
            rank -= group.n_trees
        raise IndexError(f"there are {self.n_trees} trees, none with the number {number}")

    def _broken(self, group: WishGroup) -> int:
        return (group.asked ^ self._wanted).bit_count() + (not group.is_first)

    def _every_group(self) -> Iterator[WishGroup]:
        root = self._trees.root
        for is_first in (True,) if self._first is None else (True, False):
            leaves = root.leaves if is_first == (self._first is None) else ()
            tables = self._without.of_options(root, self._root_splits(is_first), leaves)
            for value, counts in _asking(tables).items():
                for asked in np.flatnonzero(counts).tolist():
                    yield WishGroup(value, is_first, asked, int(counts[asked]))

    def _root_splits(self, is_first: bool) -> list[SplitNode]:
        feature, splits = self._trees.questions.feature, self._trees.root.splits
        if self._first is None:
            return list(splits)
        return [split for split in splits if (feature[split.place] == self._first) == is_first]

    def _tree(self, node: RowsNode, splits: Iterable[SplitNode], group: WishGroup, rank: int) -> GraphTree:
        """Return the tree of this rank in a group of a node's trees: its leaves come first, then these splits."""
        leaves = self._leaves(node, group)
        is_leaf = node is not self._trees.root or group.is_first == (self._first is None)
        if is_leaf and rank < len(leaves):
            return leaves[rank]
        rank -= len(leaves) if is_leaf else 0
        for split in splits:
            counts = _asking(self._without.of_options(node, [split])).get(group.value)
            n = 0 if counts is None else int(counts[group.asked])
            if rank < n:
                return self._below(split, group, rank)
            rank -= n
        raise IndexError(rank)

    def _leaves(self, node: RowsNode, group: WishGroup) -> list[int]:
        return [] if group.asked else self._trees.leaves(node, group.value)

    def _below(self, split: SplitNode, group: WishGroup, rank: int) -> ChosenSplit:
        """Return the tree of this rank among those of a group that begin with a split."""
        for no, yes in self._sides(split, group):
            pairs = SidePairs(self._leaves(split.no, no), self._leaves(split.yes, yes), no.n_trees, yes.n_trees)
            if rank < pairs.size:
                i, j = pairs.ranks(rank)
                of_yes = self._tree(split.yes, split.yes.splits, yes, j)
                return ChosenSplit(split, of_yes, self._tree(split.no, split.no.splits, no, i))
            rank -= pairs.size
        raise IndexError(rank)

    def _sides(self, split: SplitNode, group: WishGroup) -> Iterator[tuple[WishGroup, WishGroup]]:
        """Yield the groups of both sides whose trees make one of a group below a split."""
        feature = self._trees.questions.feature[split.place]
        own = 1 << self._features.index(feature) if feature in self._features else 0
        for no in self._groups_of(split.no):
            for yes in self._groups_of(split.yes):
                if no.value + yes.value + 1 == group.value and no.asked | yes.asked | own == group.asked:
                    yield no, yes

    def _groups_of(self, node: RowsNode) -> list[WishGroup]:
        every = _asking(self._without.of(node)).items()
        return [
            WishGroup(value, True, asked, int(counts[asked]))
            for value, counts in every
            for asked in np.flatnonzero(counts).tolist()
        ]


def _every_set(features: tuple[int, ...], n_features: int) -> np.ndarray:
    """Return every set of these features, (2^n, n_features) bool: bit i of its number is feature i of them."""
    found = np.zeros((2 ** len(features), n_features), dtype=bool)
    for place, feature in enumerate(features):
        found[:, feature] = np.arange(len(found)) >> place & 1
    return found


def _asking(tables: Tables) -> dict[int, np.ndarray]:
    """Return how many trees ask about exactly each set, of how many do without each set, by value."""
    return {value: _of_exactly(counts) for value, counts in tables.items()}


def _of_exactly(without: np.ndarray) -> np.ndarray:
    """Return numbers of trees by the exact set of features, from those by a set that they do without.

    Who asks about features of a set S alone does without all others.
    """
    counts = without[::-1].copy()  # number S: the trees that ask about features of S alone
    size = 1
    while size < len(counts):
        pairs = counts.reshape(-1, 2, size)
        pairs[:, 1] -= pairs[:, 0]
        size *= 2
    return counts
