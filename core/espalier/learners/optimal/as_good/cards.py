"""Trees as good in groups: those that differ by thresholds alone, and by few rows, are one card, with ranges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import ChosenSplit, GraphTree, SplitNode, shape_of, splits_of
from espalier.learners.optimal.cells import QuestionCells
from espalier.progress import Progress

SLIGHT = 0.02  # share of the samples that may be answered otherwise than by the best tree of a card


class ThresholdRange(NamedTuple):
    """The thresholds of one split in the trees of a card; nan for a category."""

    low: float
    high: float

    def with_other(self, other: ThresholdRange) -> ThresholdRange:
        """Return the range that has both."""
        return ThresholdRange(min(self.low, other.low), max(self.high, other.high))


class TreeCard(NamedTuple):
    """Trees with the same columns and answers at the same places, that answer nearly all samples alike."""

    first: int  # number of its best tree
    n_functions: int  # of its trees that were listed, each function once
    ranges: tuple[ThresholdRange, ...]  # of each split, in preorder
    n_trees: int  # that were listed, those that are the same function as one of it, too
    n_differ: int  # most samples that one of its functions answers otherwise than its best tree does


class TreeCards(NamedTuple):
    """The cards of the trees that were listed, the best first."""

    cards: tuple[TreeCard, ...]
    n_functions: int
    n_listed: int  # trees
    is_all: bool  # whether these are all trees


def cards_of(
    trees: TreesAsGood, limit: int = 10_000, progress: Progress | None = None, slight: float = SLIGHT
) -> TreeCards:
    """Return the cards of the first `limit` trees, or as many as are listed when `progress` is stopped.

    Each function counts once, in the card of its best tree: trees that predict the same for every x, with the
    thresholds in the middle of their ranges, are equal. A function joins the first card whose best tree has the
    same columns and the same answers at the same places, and answers at most the share `slight` of all samples
    otherwise.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> found = cards_of(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1))
    >>> len(found.cards), found.n_functions, found.n_listed
    (40, 116, 138)
    """
    groups, n = _Groups(trees, slight), min(trees.n_trees, limit)
    for number in range(n):
        if progress is not None and progress.is_stopped:
            n = number
            break
        groups.add(trees.tree(number), number)
    return TreeCards(tuple(groups.cards), len(groups.card_of), n, n == trees.n_trees)


class _Groups:
    """The cards so far."""

    def __init__(self, trees: TreesAsGood, slight: float):
        inputs = trees.questions.inputs
        self.cards: list[TreeCard] = []
        self.card_of: dict[int, int] = {}  # by the name of a function
        self._trees, self._cells = trees, QuestionCells(inputs.questions, inputs.columns, len(inputs.cost))
        self._of_outline: dict[tuple, list[int]] = {}
        self._answers: list[dict[int, int]] = []  # of the best tree of each card: samples as bits, by class
        self._n = len(inputs.label)
        self._most = int(slight * self._n + 1e-9)
        self._yes: dict[int, int] = {}  # samples that answer yes, by place

    def add(self, tree: GraphTree, number: int) -> None:
        """Add a tree to its card."""
        name = self._cells.name(shape_of(tree), ())
        known = self.card_of.get(name)
        if known is not None:
            self.cards[known] = self.cards[known]._replace(n_trees=self.cards[known].n_trees + 1)
            return
        ranges = tuple(_range(self._trees, split) for split in splits_of(tree))
        answers, alike = self._answered(tree), self._of_outline.setdefault(self._outline(tree), [])
        for place in alike:
            n_differ = self._n - _together(answers, self._answers[place])
            if n_differ <= self._most:
                self.card_of[name] = place
                self.cards[place] = _joined(self.cards[place], ranges, n_differ)
                return
        self.card_of[name] = len(self.cards)
        alike.append(len(self.cards))
        self.cards.append(TreeCard(number, 1, ranges, 1, 0))
        self._answers.append(answers)

    def _answered(self, tree: GraphTree) -> dict[int, int]:
        """Return the samples that get each class as answer."""
        found: dict[int, int] = {}
        self._visit(tree, (1 << self._n) - 1, found)
        return found

    def _visit(self, tree: GraphTree, samples: int, found: dict[int, int]) -> None:
        if not isinstance(tree, ChosenSplit):
            found[tree] = found.get(tree, 0) | samples
            return
        yes = self._answering(tree.split.place)
        self._visit(tree.yes, samples & yes, found)
        self._visit(tree.no, samples & ~yes, found)

    def _answering(self, place: int) -> int:
        if place not in self._yes:
            packed = np.packbits(self._trees.questions.inputs.columns.bits[:, place], bitorder="little")
            self._yes[place] = int.from_bytes(packed.tobytes(), "little")
        return self._yes[place]

    def _outline(self, tree: GraphTree) -> tuple:
        """Return the tree without its thresholds."""
        if not isinstance(tree, ChosenSplit):
            return (tree,)
        questions, place = self._trees.questions, tree.split.place
        asked = questions.inputs.columns.question[place]
        about = questions.feature[place], int(questions.inputs.questions.categories[asked])
        is_left = bool(questions.inputs.questions.missing_left[asked])
        return *about, is_left, self._outline(tree.yes), self._outline(tree.no)


def _together(answers: dict[int, int], others: dict[int, int]) -> int:
    """Return how many samples get the same answer from both trees, of one outline."""
    return sum((answers[label] & others[label]).bit_count() for label in answers)


def _joined(card: TreeCard, ranges: tuple[ThresholdRange, ...], n_differ: int) -> TreeCard:
    """Return the card with one more function."""
    wider = tuple(a.with_other(b) for a, b in zip(card.ranges, ranges, strict=True))
    most = max(card.n_differ, n_differ)
    return TreeCard(card.first, card.n_functions + 1, wider, card.n_trees + 1, most)


def _range(trees: TreesAsGood, split: SplitNode) -> ThresholdRange:
    inputs = trees.questions.inputs
    low, high = inputs.questions.threshold[inputs.columns.question[[split.places[0], split.places[-1]]]].tolist()
    return ThresholdRange(low, high)
