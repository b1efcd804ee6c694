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
from typing import NamedTuple

from espalier.learners.base import TrainingData
from espalier.learners.optimal.as_good.every_threshold.surveyor import SortedSurveyor
from espalier.learners.optimal.as_good.every_threshold.table import survey_table
from espalier.learners.optimal.as_good.exploring import Explorer
from espalier.learners.optimal.as_good.nodes import (
    ChosenSplit,
    GraphTree,
    RowsNode,
    SidePairs,
    SplitNode,
    TableLimits,
    shape_of,
)
from espalier.learners.optimal.as_good.questions import AllQuestions, all_questions
from espalier.learners.optimal.as_good.surveys import StoppedEarly, Surveyor, TreeSize
from espalier.learners.optimal.classifier import OptimalClassifier
from espalier.learners.optimal.near_optimal import NearTree
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.learners.optimal.tree_builder import Shape, build_tree
from espalier.learners.optimal.tree_search import TreeSearch
from espalier.progress import Progress

FEW_QUESTIONS = 400  # up to which counting in pairs is quick, and exact beyond the budget, too
ROUNDING = 1e-9  # of a slack in whole numbers


class SizeCount(NamedTuple):
    """A number of trees of one objective and one number of splits."""

    objective: float
    n_splits: int
    n_trees: int


class CostScale(NamedTuple):
    """The misclassification costs that whole numbers stand for."""

    none: float  # the cost that 0 stands for, which no tree avoids
    whole: float  # whole numbers for a cost of 1


class TreesAsGood:
    """All trees within a slack of the optimum, counted, each with a number: those with the least cost first.

    Of equal cost those with the fewest splits come first. The tree of a number is built without those before it.
    """

    def __init__(
        self, root: RowsNode, limits: TableLimits, questions: AllQuestions, scale: CostScale, is_every: bool = True
    ):
        """`root` are all rows; `limits` are those of its trees; `is_every` says if they may ask all questions."""
        self.root, self.limits, self.unit, self.questions = root, limits, limits.unit, questions
        self._scale, self.is_every = scale, is_every

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
        return self._scale.none + value // self.unit / self._scale.whole

    def near(self, number: int) -> NearTree:
        """Return the tree of this number, from 0. Raises IndexError for one that is not there."""
        tree, objective = build_tree(self.questions.inputs, self.shape(number))
        return NearTree(tree, objective, tree.n_leaves - 1)

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
        leaves = self.leaves(node, value)
        if rank < len(leaves):
            return leaves[rank]
        rank -= len(leaves)
        for split in node.splits:
            n = split.table.get(value, 0)
            if rank < n:
                return self._below(split, value, rank)
            rank -= n
        raise IndexError(rank)

    def leaves(self, node: RowsNode, value: int) -> list[int]:
        """Return the classes whose leaf has this value."""
        if value // self.unit > node.budget or value % self.unit:
            return []
        return [label for label, cost in enumerate(node.leaves) if cost * self.unit == value]

    def _below(self, split: SplitNode, value: int, rank: int) -> ChosenSplit:
        """Return the tree of this rank among those with this split and value.

        Pairs come in order of the value of their side of 0.
        """
        for a, n in split.no.table.items():
            b = value - 1 - a
            m = split.yes.table.get(b, 0)
            if not m:
                continue
            pairs = SidePairs(self.leaves(split.no, a), self.leaves(split.yes, b), n, m)
            if rank < pairs.size:
                i, j = pairs.ranks(rank)
                return ChosenSplit(split, self._tree(split.yes, b, j), self._tree(split.no, a, i))
            rank -= pairs.size
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
    search, size = model.proved_search(slack), TreeSize(model.max_depth, model.split_limit)
    X, watched = training.of_positive_weight().X, progress or Progress()
    surveyed = _surveyed(search) if every or search.lists_every else None
    if surveyed is not None:
        table = survey_table(surveyed, X)
        explorer = Explorer(SortedSurveyor(table, size, watched), table.questions, limit)
        budget = table.optimum + int(slack * search.costs.scale + ROUNDING)
    else:
        near = search.near(slack, 1, watched)
        explorer = Explorer(Surveyor(near.sets, size), all_questions(near.inputs, X), limit)
        budget = near.bound // near.sets.unit
    root, unit, whole = explorer.root(budget), explorer.surveyor.unit, search.costs.scale
    scale, limits = CostScale(model.proof_.objective - min(root.table) // unit / whole, whole), explorer.limits
    is_every = surveyed is not None or search.lists_every
    return TreesAsGood(root, limits(size.depth, root.budget), explorer.questions, scale, is_every)


def _surveyed(search: TreeSearch) -> ThresholdSearch | None:
    """Return a search whose sets of rows are surveyed in sorted columns; None where pairs of questions do."""
    if not isinstance(search, ThresholdSearch) or search.n_distinct <= FEW_QUESTIONS:
        return None
    return search if search.is_surveyed else None


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
