"""Trees as good in groups: those that differ by their thresholds alone are one card, with ranges."""

from __future__ import annotations

from typing import NamedTuple

from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import ChosenSplit, GraphTree, SplitNode, shape_of, splits_of
from espalier.learners.optimal.cells import QuestionCells
from espalier.progress import Progress


class ThresholdRange(NamedTuple):
    """The thresholds of one split in the trees of a card; nan for a category."""

    low: float
    high: float

    def with_other(self, other: ThresholdRange) -> ThresholdRange:
        """Return the range that has both."""
        return ThresholdRange(min(self.low, other.low), max(self.high, other.high))


class TreeCard(NamedTuple):
    """Trees with the same columns at the same places, and the same answers."""

    first: int  # number of its best tree
    n_functions: int  # of its trees that were listed, each function once
    ranges: tuple[ThresholdRange, ...]  # of each split, in preorder


class TreeCards(NamedTuple):
    """The cards of the trees that were listed, the best first."""

    cards: tuple[TreeCard, ...]
    n_functions: int
    n_listed: int  # trees
    is_all: bool  # whether these are all trees


def cards_of(trees: TreesAsGood, limit: int = 10_000, progress: Progress | None = None) -> TreeCards:
    """Return the cards of the first `limit` trees, or as many as are listed when `progress` is stopped.

    Each function counts once, in the card of its best tree: trees that predict the same for every x, with the
    thresholds in the middle of their ranges, are equal.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> found = cards_of(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1))
    >>> len(found.cards), found.n_functions, found.n_listed
    (26, 116, 138)
    """
    inputs = trees.questions.inputs
    cells = QuestionCells(inputs.questions, inputs.columns, len(inputs.cost))
    seen: set[int] = set()
    found: dict[tuple, TreeCard] = {}
    n = min(trees.n_trees, limit)
    for number in range(n):
        if progress is not None and progress.is_stopped:
            n = number
            break
        tree = trees.tree(number)
        name = cells.name(shape_of(tree), ())
        if name not in seen:
            seen.add(name)
            _add(found, trees, tree, number)
    return TreeCards(tuple(found.values()), len(seen), n, n == trees.n_trees)


def _add(found: dict[tuple, TreeCard], trees: TreesAsGood, tree: GraphTree, number: int) -> None:
    """Add the tree to its card."""
    key = _outline(trees, tree)
    ranges = [_range(trees, split) for split in splits_of(tree)]
    card = found.get(key)
    if card is not None:
        ranges = [a.with_other(b) for a, b in zip(card.ranges, ranges, strict=True)]
    first, n_before = (number, 0) if card is None else (card.first, card.n_functions)
    found[key] = TreeCard(first, n_before + 1, tuple(ranges))


def _outline(trees: TreesAsGood, tree: GraphTree) -> tuple:
    """Return the tree without its thresholds."""
    if not isinstance(tree, ChosenSplit):
        return (tree,)
    inputs, place = trees.questions.inputs, tree.split.place
    question = inputs.columns.question[place]
    asked = trees.questions.feature[place], inputs.questions.categories[question]
    is_left = inputs.questions.missing_left[question]
    return *asked, is_left, _outline(trees, tree.yes), _outline(trees, tree.no)


def _range(trees: TreesAsGood, split: SplitNode) -> ThresholdRange:
    inputs = trees.questions.inputs
    low, high = inputs.questions.threshold[inputs.columns.question[[split.places[0], split.places[-1]]]].tolist()
    return ThresholdRange(low, high)
