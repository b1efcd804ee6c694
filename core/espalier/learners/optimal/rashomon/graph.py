"""The and-or graph of all trees within a slack of the optimum; their number is exact before any is listed.

A set of rows (an *or* node) is a leaf of any class, or split by one of its questions, each of which (an *and*
node) leads to two smaller sets. Questions about one column that part the rows of a node alike are one split, whose
threshold has a range; those about two columns are two. A split into two leaves with the same answer is none. Sets
that several paths lead to occur once, so the graph is small where the trees are many.

The table of a node counts its trees by value, that is cost and number of splits; that of a split has the products
of its sides' numbers. A side is explored as far as the best tree of the other side leaves a budget.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.learners.base import TrainingData
from espalier.learners.optimal.classifier import OptimalClassifier
from espalier.learners.optimal.near_optimal import (
    NearTree,
    RowsFacts,
    RowsPlace,
    StoppedEarly,
    Surveyor,
    near_tree,
)
from espalier.learners.optimal.rashomon.surveys import AllQuestions, SortedSurveyor, all_questions
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape
from espalier.progress import Progress

Table: TypeAlias = "Mapping[int, int]"  # number of trees by value: cost * unit + splits, the least first
FEW_QUESTIONS = 400  # up to which counting in pairs is quick, and exact beyond the budget, too
ROUNDING = 1e-9  # of a slack in whole numbers


class SizeCount(NamedTuple):
    """A number of trees of one objective and one number of splits."""

    objective: float
    n_splits: int
    n_trees: int


class TreesAsGood:
    """All trees within a slack of the optimum, counted, each with a number: those with the least cost first.

    Of equal cost those with the fewest splits come first. The tree of a number is built without those before it.
    """

    def __init__(
        self, root: RowsNode, limits: TableLimits, questions: AllQuestions, least: float, scale: float,
        is_every: bool = True,
    ):  # fmt: skip
        """`root` are all rows, with trees of these `limits`, whose costs are whole numbers.

        A cost of 0 stands for `least`, which no tree avoids, and `scale` for 1 more; `is_every` says whether trees
        may ask all questions.
        """
        self.root, self.limits, self.unit, self.questions = root, limits, limits.unit, questions
        self._least, self._scale, self.is_every = least, scale, is_every

    @property
    def n_trees(self) -> int:
        """How many there are."""
        return sum(self.root.table.values())

    @property
    def sizes(self) -> list[SizeCount]:
        """How many there are of each objective and number of splits."""
        table = self.root.table.items()
        return [SizeCount(self.objective(value), value % self.unit, n) for value, n in table]

    def objective(self, value: int) -> float:
        """Return the misclassification cost of the training samples by trees of this value."""
        return self._least + value // self.unit / self._scale

    def near(self, number: int) -> NearTree:
        """Return the tree of this number, from 0. Raises IndexError for one that is not there."""
        return near_tree(self.questions.inputs, self.shape(number))

    def shape(self, number: int) -> Shape:
        """Return the splits of the tree of this number, as places of `questions`. Raises IndexError as `tree`."""
        return shape_of(self.tree(number))

    def tree(self, number: int) -> GraphTree:
        """Return the tree of this number, from 0. Raises IndexError for one that is not there."""
        if number < 0:
            raise IndexError(f"{number} is no tree's number")
        for value, n in self.root.table.items():
            if number < n:
                return self._tree(self.root, value, number)
            number -= n
        raise IndexError(f"there are {self.n_trees} trees")

    def draw(self, n: int, seed: int = 0) -> list[int]:
        """Return the numbers of `n` trees, each drawn from all with the same chance."""
        source, most = random.Random(seed), self.n_trees
        return [source.randrange(most) for _ in range(n)]

    def _tree(self, node: RowsNode, value: int, rank: int) -> GraphTree:
        """Return the tree of this rank among those of a node that have this value: its leaves come first."""
        leaves = self._leaves(node, value)
        if rank < len(leaves):
            return leaves[rank]
        rank -= len(leaves)
        for split in node.splits:
            n = split.table.get(value, 0)
            if rank < n:
                return self._below(split, value, rank)
            rank -= n
        raise IndexError(rank)

    def _leaves(self, node: RowsNode, value: int) -> list[int]:
        """Return the classes whose leaf has this value."""
        return [label for label, cost in node.leaves.items() if cost * self.unit == value]

    def _below(self, split: SplitNode, value: int, rank: int) -> ChosenSplit:
        """Return the tree of this rank among those with this split and value.

        Pairs come in order of the value of their side of no. Of equal ones, two leaves (of different classes) come
        first, then a leaf on the side of no: leaves have the first ranks on their side.
        """
        for a, n in split.no.table.items():
            b = value - 1 - a
            m = split.yes.table.get(b, 0)
            if not m:
                continue
            zeros, ones = self._leaves(split.no, a), self._leaves(split.yes, b)
            pairs = [(i, j) for i, label in enumerate(zeros) for j, other in enumerate(ones) if label != other]
            n_beside_leaves = len(zeros) * (m - len(ones))
            n_pairs = len(pairs) + n_beside_leaves + (n - len(zeros)) * m
            if rank >= n_pairs:
                rank -= n_pairs
                continue
            if rank < len(pairs):
                i, j = pairs[rank]
            elif rank < len(pairs) + n_beside_leaves:
                i, j = divmod(rank - len(pairs), m - len(ones))
                j += len(ones)
            else:
                i, j = divmod(rank - len(pairs) - n_beside_leaves, m)
                i += len(zeros)
            return ChosenSplit(split, self._tree(split.yes, b, j), self._tree(split.no, a, i))
        raise IndexError(rank)


def trees_as_good(
    model: OptimalClassifier, training: TrainingData, slack: float = 0, progress: Progress | None = None,
    limit: int | None = None, every: bool = True,
) -> TreesAsGood:  # fmt: skip
    """Return all trees of the model's size and questions whose cost is within `slack` of the proved optimum.

    `training` is what the model was fitted to, from its `prepare`. Trees are as in `fit`; a leaf may predict any
    class. Over more than a thousand thresholds, deep trees with a limit of splits or a least weight of leaves ask
    only what the best tree asks and a few others of each column, and so do all if `every` is false; `is_every` of
    the result says so. Raises StoppedEarly if `progress` is stopped meanwhile, or the graph has more splits than
    `limit` (each takes about half a kilobyte); ValueError unless the optimum is proved, for monotone columns, and
    for other training data.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees = trees_as_good(model, model.prepare(iris.X, iris.y), slack=1)
    >>> trees.n_trees, trees.near(0).objective
    (138, 6.0)
    """
    search = model.proved_search(slack)
    X, progress, scale = training.of_positive_weight().X, progress or Progress(), search.costs.scale
    is_large = search.n_distinct > FEW_QUESTIONS and (every or search.lists_every)
    if is_large and isinstance(search, ThresholdSearch) and search.is_surveyed:
        surveyor, is_every = SortedSurveyor(search, X, progress), True
        explorer = Explorer(surveyor, surveyor.questions, limit)
        budget = surveyor.optimum + int(slack * scale + ROUNDING)
    else:  # sets of rows are surveyed by pairs of questions
        near, is_every = search.near(slack, 1, progress), search.lists_every
        explorer = Explorer(near.surveyor, all_questions(near.inputs, X), limit)
        budget = near.bound // near.surveyor.unit
    root = explorer.root(budget)
    limits = explorer.limits(search.limits.max_depth, root.budget)
    least = model.proof_.objective - min(root.table) // limits.unit / scale
    return TreesAsGood(root, limits, explorer.questions, least, scale, is_every)


def most_trees_as_good(
    model: OptimalClassifier, training: TrainingData, slack: float = 0, progress: Progress | None = None,
    limit: int | None = None,
) -> TreesAsGood:  # fmt: skip
    """Return `trees_as_good` over every question, or over some where the graph has more splits than `limit`.

    Raises StoppedEarly as it does.
    """
    try:
        return trees_as_good(model, training, slack, progress, limit)
    except StoppedEarly:
        if progress is not None and progress.is_stopped:
            raise
        if model.proved_search(slack).lists_every:
            raise
    return trees_as_good(model, training, slack, progress, limit, every=False)


# ---- the exploration of sets of rows, each once


class Explorer:
    """Explores sets of rows, each for the greatest budget that any way to it leaves."""

    def __init__(self, surveyor: Surveyor | SortedSurveyor, questions: AllQuestions, limit: int | None = None):
        """`limit` is the greatest number of splits to keep, None for any."""
        self.surveyor, self.questions, self._limit = surveyor, questions, limit
        self._order, self._column = np.array(questions.order, np.int64), np.array(questions.column, np.int64)
        self._n_splits = 0
        self._known: dict[tuple[tuple[int, int], int], RowsNode] = {}

    def root(self, budget: int) -> RowsNode:
        """Return the node of all rows. Raises StoppedEarly, also beyond the limit."""
        return self._node(self.surveyor.root, budget)

    def limits(self, left: int, budget: int) -> TableLimits:
        """Return the limits of a subtree."""
        return TableLimits(self.surveyor.unit, budget, self.surveyor.limits.splits_below(left))

    def _node(self, place: RowsPlace, budget: int) -> RowsNode:
        node = self._known.get((place.rows, place.left))
        if node is None or node.budget < budget:
            facts = self.surveyor.facts(place, (budget + 1) * self.surveyor.unit)
            alike = self._alike(facts, place.rows, budget)
            splits = [self._split(place, places, facts, budget) for places in alike]
            node = make_node(
                facts.leaves(), [split for split in splits if split.table], budget, self.surveyor.unit
            )
            self._known[place.rows, place.left] = node
        return node

    def _alike(self, facts: RowsFacts, rows: tuple[int, int], budget: int) -> list[list[int]]:
        """Return the questions that begin a tree within the budget; those of a feature that part alike are one."""
        groups: dict[tuple[int, int, int], list[int]] = {}
        good = self._order[facts.best[self._column[self._order]] < (budget + 1) * self.surveyor.unit]
        names = facts.names[:, self._column[good]].T.tolist()
        for place, (a, b) in zip(good.tolist(), names, strict=True):
            a, b = min((a, b), (a ^ rows[0], b ^ rows[1]))
            groups.setdefault((self.questions.feature[place], a, b), []).append(place)
        return list(groups.values())

    def _split(self, here: RowsPlace, places: list[int], facts: RowsFacts, budget: int) -> SplitNode:
        self._n_splits += 1
        if self._limit is not None and self._n_splits > self._limit:
            raise StoppedEarly
        place = places[len(places) // 2]
        column, is_swapped = self.questions.column[place], self.questions.swapped[place]
        no, yes = (self._side(here, facts, column, answer ^ is_swapped, budget) for answer in (0, 1))
        return SplitNode(tuple(places), no, yes, product(no, yes, self.limits(here.left, budget)))

    def _side(self, here: RowsPlace, facts: RowsFacts, column: int, side: int, budget: int) -> RowsNode:
        # The other side costs at least its bound, even with all the splits that a side may have. A node is
        # explored for the greatest budget that any way to it leaves, and has the splits that its depth leaves.
        rest = budget - int(facts.low[1 - side, column]) // self.surveyor.unit
        if here.left == 1:
            return make_node(facts.leaves(column, side), (), rest, self.surveyor.unit)
        return self._node(here.side(facts, column, side), rest)


# ---- nodes, and the trees of the graph


class RowsNode(NamedTuple):
    """An *or* node: a set of rows, and the trees on it within its budget."""

    budget: int  # most cost
    leaves: Mapping[int, int]  # cost of the leaf of each class, within the budget
    splits: Sequence[SplitNode]
    table: Table


def make_node(costs: Iterable[int], splits: Sequence[SplitNode], budget: int, unit: int) -> RowsNode:
    """Return the node of these splits, and of a leaf of each class with its cost, as far as the budget goes."""
    leaves = {label: cost for label, cost in enumerate(costs) if cost <= budget}
    counts = Counter(cost * unit for cost in leaves.values())
    for split in splits:
        counts.update(split.table)
    return RowsNode(budget, leaves, splits, {value: counts[value] for value in sorted(counts)})


class SplitNode(NamedTuple):
    """An *and* node: a question, and the trees on both of its sides."""

    places: tuple[int, ...]  # the questions of one feature that part the rows alike, by threshold (`AllQuestions`)
    no: RowsNode  # the rows that answer no to the one that stands for all
    yes: RowsNode
    table: Table

    @property
    def place(self) -> int:
        """The question that stands for all: the one in the middle."""
        return self.places[len(self.places) // 2]


GraphTree: TypeAlias = "ChosenSplit | int"  # a leaf is the class that it predicts
PartialTree: TypeAlias = "ChosenSplit | int | None"  # the same with open nodes, None: a tree that is being built


class ChosenSplit(NamedTuple):
    """A split of a tree, with the subtrees for the answers yes and no."""

    split: SplitNode
    yes: Any  # a `GraphTree`, or a `PartialTree` as the whole is
    no: Any


def shape_of(tree: PartialTree) -> Shape:
    """Return the tree with the question that stands for all at each split, and a best leaf at open nodes."""
    if not isinstance(tree, ChosenSplit):
        return tree
    return ColumnSplit(tree.split.place, shape_of(tree.yes), shape_of(tree.no))


def splits_of(tree: PartialTree) -> Iterator[SplitNode]:
    """Yield the splits in preorder, the side of yes first, as the nodes of a `Tree` are."""
    if isinstance(tree, ChosenSplit):
        yield tree.split
        yield from splits_of(tree.yes)
        yield from splits_of(tree.no)


# ---- the numbers of trees


class TableLimits(NamedTuple):
    """The trees that a table counts."""

    unit: int
    budget: int  # most cost
    splits: int  # most splits


def join_tables(no: Table, yes: Table, limits: TableLimits) -> Table:
    """Return the table of all pairs of a tree of one table and a tree of the other, under one split.

    >>> join_tables({0: 1, 8: 2}, {0: 3, 9: 1}, TableLimits(unit=8, budget=1, splits=7))
    {1: 3, 9: 6, 10: 1}
    """
    counts: dict[int, int] = {}
    most = (limits.budget + 1) * limits.unit - 1
    for a, n in no.items():
        for b, m in yes.items():
            if (value := a + b + 1) > most:
                break
            counts[value] = counts.get(value, 0) + n * m
    return {value: counts[value] for value in sorted(counts) if value % limits.unit <= limits.splits}


def product(no: RowsNode, yes: RowsNode, limits: TableLimits) -> Table:
    """Return the table of a split with these sides; two leaves that give the same answer are none."""
    counts = dict(join_tables(no.table, yes.table, limits))
    for label in no.leaves.keys() & yes.leaves.keys():
        value = (no.leaves[label] + yes.leaves[label]) * limits.unit + 1
        if value in counts:
            counts[value] -= 1
    return {value: n for value, n in counts.items() if n}
