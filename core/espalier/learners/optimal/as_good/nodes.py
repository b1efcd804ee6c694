"""The records of the and-or graph, and the numbers of trees below a split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from espalier.learners.optimal.as_good.surveys import Path
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape

Table: TypeAlias = "Mapping[int, int]"  # number of trees by value: cost * unit + splits, the least first


class SplitNode(NamedTuple):
    """An *and* node: a question, and the trees on both of its sides."""

    places: tuple[int, ...]  # the questions of one feature that part the rows alike, by threshold (`AllQuestions`)
    no: RowsNode  # the rows that answer no to the one that stands for all
    yes: RowsNode
    table: Table

    @property
    def place(self) -> int:
        """The question that stands for all: the one in the middle."""
        return middle(self.places)


class RowsNode(NamedTuple):
    """An *or* node: a set of rows, and the trees on it within its budget."""

    path: Path  # one of those that lead here
    left: int  # most splits on a path from here
    budget: int  # most cost
    leaves: tuple[int, ...]  # cost of a leaf of each class
    splits: tuple[SplitNode, ...]
    table: Table
    least: tuple[int, ...]  # cost of the best tree that asks about each feature first, also beyond the budget
    is_exact: bool = True  # whether that is so beyond the budget, too, and no lower bound there


class ChosenSplit(NamedTuple):
    """A split of a tree, with the subtrees for the answers yes and no."""

    split: SplitNode
    yes: GraphTree
    no: GraphTree


GraphTree: TypeAlias = "ChosenSplit | int"  # a leaf is the class that it predicts


class TableLimits(NamedTuple):
    """The trees that a table counts."""

    unit: int
    budget: int  # most cost
    splits: int  # most splits

    def holds(self, value: int) -> bool:
        """Return whether trees of this value are counted."""
        return value // self.unit <= self.budget and value % self.unit <= self.splits


class SidePairs(NamedTuple):
    """The pairs of a tree on the side of no and one on the side of yes, without two leaves of the same class.

    The trees of a side have ranks, and its leaves come first. Of the pairs, those of two leaves come first, then
    those of a leaf on the side of no.
    """

    zeros: list[int]  # classes of the leaves on the side of no
    ones: list[int]
    n_no: int  # trees
    n_yes: int

    @property
    def size(self) -> int:
        """How many pairs there are."""
        return self.n_no * self.n_yes - len(self.zeros) * len(self.ones) + len(self._of_leaves)

    def ranks(self, rank: int) -> tuple[int, int]:
        """Return the ranks of the trees of no and yes in the pair of this rank."""
        if rank < len(self._of_leaves):
            return self._of_leaves[rank]
        rank -= len(self._of_leaves)
        zeros, ones = len(self.zeros), len(self.ones)
        of_leaves = zeros * (self.n_yes - ones)
        if rank < of_leaves:
            i, j = divmod(rank, self.n_yes - ones)
            return i, ones + j
        i, j = divmod(rank - of_leaves, self.n_yes)
        return zeros + i, j

    @property
    def _of_leaves(self) -> list[tuple[int, int]]:
        return [(i, j) for i, zero in enumerate(self.zeros) for j, one in enumerate(self.ones) if zero != one]


def middle(places: tuple[int, ...] | list[int]) -> int:
    """Return the question that stands for all of them."""
    return places[len(places) // 2]


def shape_of(tree: GraphTree) -> Shape:
    """Return the tree with the question that stands for all at each split."""
    return (
        ColumnSplit(tree.split.place, shape_of(tree.yes), shape_of(tree.no))
        if isinstance(tree, ChosenSplit)
        else tree
    )


def splits_of(tree: GraphTree) -> Iterator[SplitNode]:
    """Yield the splits in preorder, the side of yes first, as the nodes of a `Tree` are."""
    if isinstance(tree, ChosenSplit):
        yield tree.split
        yield from splits_of(tree.yes)
        yield from splits_of(tree.no)


def total(tables: Iterable[Table]) -> Table:
    """Return the sum of tables."""
    counts: dict[int, int] = {}
    for table in tables:
        for value, n in table.items():
            counts[value] = counts.get(value, 0) + n
    return {value: counts[value] for value in sorted(counts)}


def leaf_table(leaves: Iterable[int], limits: TableLimits) -> Table:
    """Return the table of leaves of these costs."""
    return total({cost * limits.unit: 1} for cost in leaves if cost <= limits.budget)


def joined(no: Table, yes: Table, limits: TableLimits) -> Table:
    """Return the table of all pairs of a tree of one table and a tree of the other, under one split.

    >>> joined({0: 1, 8: 2}, {0: 3, 9: 1}, TableLimits(unit=8, budget=1, splits=7))
    {1: 3, 9: 6, 10: 1}
    """
    counts: dict[int, int] = {}
    most = (limits.budget + 1) * limits.unit - 1
    for a, n in no.items():
        for b, m in yes.items():
            if (value := a + b + 1) > most:
                break
            counts[value] = counts.get(value, 0) + n * m
    return {value: counts[value] for value in sorted(counts) if limits.holds(value)}


def product(no: RowsNode, yes: RowsNode, limits: TableLimits) -> Table:
    """Return the table of a split with these sides; two leaves that give the same answer are none."""
    counts = dict(joined(no.table, yes.table, limits))
    for a, b in zip(no.leaves, yes.leaves, strict=True):
        value = (a + b) * limits.unit + 1
        if a <= no.budget and b <= yes.budget and value in counts:
            counts[value] -= 1
    return {value: n for value, n in counts.items() if n}
