"""What all trees as good have in common: their cards, classes of samples, reliance, and columns to spare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from espalier.data.binarise import answers, make_questions
from espalier.learners.optimal.near_optimal import QuestionCells
from espalier.learners.optimal.problem import group_rows
from espalier.learners.optimal.rashomon.graph import (
    ChosenSplit,
    GraphTree,
    RowsNode,
    SplitNode,
    TreesAsGood,
    shape_of,
    splits_of,
)
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape
from espalier.progress import Progress

SLIGHT = 0.02  # share of the samples that may be answered otherwise than by the best tree of a card
VALUES = 4_000_000  # kept at a time: 32 MB
T = TypeVar("T")
MOST_TREES = 500  # of more, so many are drawn


# ---- cards


class TreeCard(NamedTuple):
    """Trees with the same columns and answers at the same places, that answer nearly all samples alike."""

    first: int  # number of its best tree
    n_functions: int  # of its trees that were listed, each function once
    ranges: tuple[tuple[float, float], ...]  # of the thresholds of each split, in preorder; nan: a category
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
    groups, n = CardBuilder(trees, slight), min(trees.n_trees, limit)
    for number in range(n):
        if progress is not None and progress.is_stopped:
            n = number
            break
        groups.add(trees.tree(number), number)
    return TreeCards(tuple(groups.cards), len(groups.card_of), n, n == trees.n_trees)


class CardBuilder:
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
        at = self.card_of.get(name)
        if at is not None:
            self.cards[at] = self.cards[at]._replace(n_trees=self.cards[at].n_trees + 1)
            return
        inputs = self._trees.questions.inputs
        ends = (inputs.columns.question[[split.places[0], split.places[-1]]] for split in splits_of(tree))
        ranges = tuple(tuple(inputs.questions.threshold[pair].tolist()) for pair in ends)
        answers: dict[int, int] = {}
        self._collect(tree, (1 << self._n) - 1, answers)
        alike = self._of_outline.setdefault(self._outline(tree), [])
        for place in alike:
            best = self._answers[place]
            n_differ = self._n - sum((answers[label] & best[label]).bit_count() for label in answers)
            if n_differ <= self._most:
                self.card_of[name] = place
                self.cards[place] = _add_function(self.cards[place], ranges, n_differ)
                return
        self.card_of[name] = len(self.cards)
        alike.append(len(self.cards))
        self.cards.append(TreeCard(number, 1, ranges, 1, 0))
        self._answers.append(answers)

    def _collect(self, tree: GraphTree, samples: int, classes: dict[int, int]) -> None:
        """Add to the samples that get each class as answer, as bits."""
        if not isinstance(tree, ChosenSplit):
            classes[tree] = classes.get(tree, 0) | samples
            return
        yes = self._answering(tree.split.place)
        self._collect(tree.yes, samples & yes, classes)
        self._collect(tree.no, samples & ~yes, classes)

    def _answering(self, place: int) -> int:
        if place not in self._yes:
            octets = np.packbits(self._trees.questions.inputs.columns.bits[:, place], bitorder="little")
            self._yes[place] = int.from_bytes(octets.tobytes(), "little")
        return self._yes[place]

    def _outline(self, tree: GraphTree) -> tuple:
        """Return the tree without its thresholds."""
        if not isinstance(tree, ChosenSplit):
            return (tree,)
        questions, place = self._trees.questions, tree.split.place
        question = questions.inputs.columns.question[place]
        about = questions.feature[place], int(questions.inputs.questions.categories[question])
        is_left = bool(questions.inputs.questions.missing_left[question])
        return *about, is_left, self._outline(tree.yes), self._outline(tree.no)


def _add_function(card: TreeCard, ranges: tuple[tuple[float, float], ...], n_differ: int) -> TreeCard:
    """Return the card with one more function."""
    pairs = zip(card.ranges, ranges, strict=True)
    wider = tuple((min(low, other_low), max(high, other_high)) for (low, high), (other_low, other_high) in pairs)
    most = max(card.n_differ, n_differ)
    return TreeCard(card.first, card.n_functions + 1, wider, card.n_trees + 1, most)


# ---- classes of samples


class OpenClasses(NamedTuple):
    """The classes that trees as good give to each training sample (Marx, Calmon & Ustun 2020)."""

    objective: np.ndarray  # (n_samples, n_classes): the least of a tree with this answer; inf if none is as good
    discrepancy: int  # most samples that one tree as good answers otherwise than the best tree

    @property
    def is_open(self) -> np.ndarray:
        """(n_samples,) whether trees as good disagree."""
        return np.isfinite(self.objective).sum(axis=1) > 1

    @property
    def ambiguity(self) -> float:
        """Share of samples on which trees as good disagree."""
        return float(self.is_open.mean())


def open_classes(trees: TreesAsGood) -> OpenClasses:
    """Return the classes that trees as good give to each training sample, over all trees, without listing them.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> found = open_classes(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1))
    >>> int(found.is_open.sum()), found.discrepancy
    (16, 11)
    """
    values = least_values(trees, trees.questions.inputs.columns.bits)
    return OpenClasses(objectives_of(trees, values), _discrepancy(trees))


def _discrepancy(trees: TreesAsGood) -> int:
    """Return the most samples that one tree answers otherwise than the best tree."""
    inputs, best = trees.questions.inputs, answers_of(trees, trees.shape(0))
    bits = inputs.columns.bits
    tables: dict[int, dict[int, int]] = {}  # by node, and value: the most

    def count(node: RowsNode, rows: np.ndarray) -> None:
        if id(node) in tables:
            return
        same = np.bincount(best[rows], minlength=len(inputs.cost)).tolist()
        most = tables[id(node)] = dict[int, int]()
        for label, cost in node.leaves.items():
            most[cost * trees.unit] = max(sum(same) - same[label], most.get(cost * trees.unit, 0))
        for split in node.splits:
            is_yes = bits[:, split.place]
            count(split.no, rows & ~is_yes)
            count(split.yes, rows & is_yes)
            for value, n, m in _pairs(split, tables):
                most[value] = max(n + m, most.get(value, 0))

    count(trees.root, np.ones(len(bits), dtype=bool))
    return max(tables[id(trees.root)].values())


def _pairs(split: SplitNode, tables: Mapping[int, Mapping[int, T]]) -> Iterator[tuple[int, T, T]]:
    """Yield the values of a split's trees, with the entries of their sides for no and yes in tables by node."""
    for a, n in tables[id(split.no)].items():
        for b, m in tables[id(split.yes)].items():
            if (value := a + b + 1) in split.table:
                yield value, n, m


def answers_of(trees: TreesAsGood, shape: Shape) -> np.ndarray:
    """Return the class that a tree gives to each training sample, (n_samples,)."""
    bits = trees.questions.inputs.columns.bits
    label, parts = np.empty(len(bits), np.int64), [(shape, np.arange(len(bits)))]
    while parts:
        part, rows = parts.pop()
        if isinstance(part, ColumnSplit):
            is_yes = bits[rows, part.column]
            parts += [(part.one, rows[is_yes]), (part.zero, rows[~is_yes])]
        elif part is not None:
            label[rows] = part
    return label


def least_objectives(trees: TreesAsGood, X: np.ndarray) -> np.ndarray:
    """Return the least objective of a tree as good that gives each class to each sample, inf where none does.

    (n_samples, n_classes), for X (n_samples, n_features) as the model reads it; over all trees, without listing
    them, each threshold in the middle of its range.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees = trees_as_good(model, model.prepare(iris.X, iris.y), slack=1)
    >>> least_objectives(trees, np.array([[5.0, 3.4, 1.5, 0.2], [6.0, 2.9, 5.0, 1.7]])).tolist()
    [[6.0, inf, inf], [7.0, 6.0, 6.0]]
    """
    question = trees.questions.inputs.columns.question
    order = _nodes_upwards(trees.root)
    places = sorted({split.place for node in order for split in node.splits})
    questions = trees.questions.inputs.questions
    rows = answers(make_questions(*(part[question[places]] for part in questions)), X)
    first, group = group_rows(rows)
    bits = np.zeros((len(first), len(question)), dtype=bool)
    bits[:, places] = rows[first]
    return objectives_of(trees, least_values(trees, bits, order))[group]


def least_values(trees: TreesAsGood, bits: np.ndarray, order: list[RowsNode] | None = None) -> np.ndarray:
    """Return the least value of a tree for each class, (n, n_classes), inf where there is none.

    `bits` (n, n_places) are the answers to the questions of the trees.
    """
    order, n_classes = _nodes_upwards(trees.root) if order is None else order, len(trees.questions.inputs.cost)
    # With a limit of splits the cheapest subtree may have too many beside the other side's: one of each number of
    # splits is kept.
    n_sizes = trees.limits.splits + 1 if trees.limits.splits < trees.unit - 1 else 1
    most = max(VALUES // (len(order) * n_classes * n_sizes), 100)
    parts = (_least_by_size(trees, bits[at : at + most], order, n_sizes) for at in range(0, len(bits), most))
    return np.concatenate([np.empty((0, n_classes)), *(part.min(axis=2) for part in parts)])


def _least_by_size(trees: TreesAsGood, bits: np.ndarray, order: list[RowsNode], n_sizes: int) -> np.ndarray:
    """Return the least values at the root for each class and number of splits, (n, n_classes, n_sizes).

    Numbers of splits are not told apart where there is one size.
    """
    unit, shape = trees.unit, (len(trees.questions.inputs.cost), n_sizes)
    sides = [(a, b, a + b + 1) for a in range(n_sizes - 1) for b in range(n_sizes - 1 - a)]  # and the split above
    sides = sides if n_sizes > 1 else [(0, 0, 0)]
    reach = _reach(bits, order)
    samples, values, least = (
        {},
        {},
        {},
    )  # by node: who may come to it (n,), theirs by class and size, and all trees'
    for node in order:
        rows = samples[id(node)] = np.flatnonzero(reach[id(node)])
        here = values[id(node)] = np.full((len(rows), *shape), np.inf)
        for label, cost in node.leaves.items():
            here[:, label, 0] = cost * unit
        for split in node.splits:
            is_yes = bits[rows, split.place]
            for side, other, is_side in ((split.yes, split.no, is_yes), (split.no, split.yes, ~is_yes)):
                below = values[id(side)][np.searchsorted(samples[id(side)], rows[is_side])]
                above = np.full(below.shape, np.inf)
                for a, b, size in sides:
                    if least[id(other)][b] < np.inf:
                        above[:, :, size] = np.minimum(above[:, :, size], below[:, :, a] + least[id(other)][b] + 1)
                above[above >= (node.budget + 1) * unit] = np.inf
                here[is_side] = np.minimum(here[is_side], above)
        least[id(node)] = [
            min((value for value in node.table if n_sizes == 1 or value % unit == size), default=np.inf)
            for size in range(n_sizes)
        ]
    return values[id(order[-1])]


def _reach(bits: np.ndarray, order: list[RowsNode]) -> dict[int, np.ndarray]:
    """Return which samples may come to each node, (n,) bool by its id: a node has several ways to it."""
    reach = {id(node): np.zeros(len(bits), dtype=bool) for node in order}
    reach[id(order[-1])][:] = True
    for node in reversed(order):
        for split in node.splits:
            is_yes = bits[:, split.place]
            reach[id(split.yes)] |= reach[id(node)] & is_yes
            reach[id(split.no)] |= reach[id(node)] & ~is_yes
    return reach


def objectives_of(trees: TreesAsGood, values: np.ndarray) -> np.ndarray:
    """Return the objectives of values, inf for inf."""
    step, objective = trees.objective(trees.unit) - trees.objective(0), np.full(values.shape, np.inf)
    is_finite = np.isfinite(values)
    objective[is_finite] = trees.objective(0) + values[is_finite] // trees.unit * step
    return objective


def _nodes_upwards(root: RowsNode) -> list[RowsNode]:
    """Return all nodes, each after those below it."""
    nodes: dict[int, RowsNode] = {}

    def visit(node: RowsNode) -> None:
        if id(node) not in nodes:
            for split in node.splits:
                visit(split.no)
                visit(split.yes)
            nodes[id(node)] = node

    visit(root)
    return list(nodes.values())


# ---- reliance on features


class Reliance(NamedTuple):
    """What it costs when each sample gets a feature's value of another sample: the least and most of all trees."""

    least: np.ndarray  # (n_features,) misclassification cost more than with the sample's own value
    most: np.ndarray  # (n_features,)
    is_exact: bool  # whether all trees were asked; else the ranges are those of some, and may be wider


def reliance(trees: TreesAsGood, n_features: int, limit: int = MOST_TREES, seed: int = 0) -> Reliance:
    """Return how much the trees rely on each feature, over all trees or, of more than `limit`, so many drawn ones.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> found = reliance(trees_as_good(model, model.prepare(iris.X, iris.y), slack=0), 4)
    >>> found.least.round().tolist(), found.most.round().tolist(), found.is_exact
    ([0.0, 0.0, 0.0, 31.0], [0.0, 0.0, 78.0, 95.0], True)
    """
    is_exact = trees.n_trees <= limit
    numbers = range(trees.n_trees) if is_exact else trees.draw(limit, seed)
    every = np.array([reliance_of(trees, trees.shape(number), n_features) for number in numbers])
    return Reliance(every.min(axis=0), every.max(axis=0), is_exact)


def reliance_of(trees: TreesAsGood, shape: Shape, n_features: int) -> np.ndarray:
    """Return how much more a tree costs when values of a feature are swapped among samples, (n_features,).

    It is the mean over all pairs of two samples: a leaf's conditions on the feature hold for the one, all others
    for the other one.
    """
    everyone, extra = np.ones(len(trees.questions.inputs.label), dtype=bool), np.zeros(n_features)
    own = _cost_of_swap(trees, shape, -1, everyone, everyone)
    for feature in _features(trees, shape):
        extra[feature] = _cost_of_swap(trees, shape, feature, everyone, everyone) - own
    return extra


def _features(trees: TreesAsGood, shape: Shape) -> set[int]:
    if not isinstance(shape, ColumnSplit):
        return set()
    return {trees.questions.feature[shape.column]} | _features(trees, shape.one) | _features(trees, shape.zero)


def _cost_of_swap(trees: TreesAsGood, shape: Shape, feature: int, own: np.ndarray, donors: np.ndarray) -> float:
    """Return the mean cost over all pairs of two samples, one with the feature.s value of the other; -1: none.

    It is that below a node, to which `own` samples come if `donors` give the value; both are masks.
    """
    inputs = trees.questions.inputs
    if isinstance(shape, ColumnSplit):
        is_one, parts = inputs.columns.bits[:, shape.column], ((shape.one, True), (shape.zero, False))
        if trees.questions.feature[shape.column] == feature:
            return sum(_cost_of_swap(trees, side, feature, own, donors & (is_one == bit)) for side, bit in parts)
        return sum(_cost_of_swap(trees, side, feature, own & (is_one == bit), donors) for side, bit in parts)
    label, weight = inputs.label[own], inputs.weight[own]
    chance = (np.count_nonzero(donors) - donors[own]) / max(len(own) - 1, 1)
    return float((weight * inputs.cost[label, shape] * chance).sum())


# ---- trees without a feature


def trees_without(trees: TreesAsGood, n_features: int) -> list[int]:
    """Return how many of the trees do not ask about each feature: 0 where no tree as good does without it.

    >>> from espalier.data import samples
    >>> from espalier.learners.optimal import OptimalClassifier, trees_as_good
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(iris.X, iris.y)
    >>> trees_without(trees_as_good(model, model.prepare(iris.X, iris.y), slack=1), 4)
    [130, 128, 22, 13]
    """
    tables: dict[int, Mapping[int, np.ndarray]] = {}  # by node, and value: (n_features,) object, numbers of trees
    for node in _nodes_upwards(trees.root):
        counts: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(n_features, object))
        for cost in node.leaves.values():
            counts[cost * trees.unit] += 1
        for split in node.splits:
            is_other = np.arange(n_features) != trees.questions.feature[split.place]
            for value, n, m in _pairs(split, tables):
                counts[value] += n * m * is_other
            no, yes = split.no.leaves, split.yes.leaves
            for label in no.keys() & yes.keys():
                if (value := (no[label] + yes[label]) * trees.unit + 1) in split.table:
                    counts[value] -= is_other
        tables[id(node)] = dict(counts)
    return sum(tables[id(trees.root)].values(), np.zeros(n_features, object)).tolist()
