"""The and-or graph of near-optimal trees (the Rashomon set): its sets of rows, and its trees in order.

A set of rows is a leaf of any class, or split by a question, which leads to two smaller sets. `rashomon` explores
all of the graph within a budget and counts its trees. Here it is explored only as far as a list needs it: the
trees of a question come in order from those of its two sides by a queue of pairs (the k best of an and-or graph,
Arslan et al. 2025).

Two trees are the same function if they predict the same for every x. The thresholds of a number cut its range into
cells; each category is a cell, and so is the missing value. Trees are compared on the product of all features'
cells, which is never written out: every cell gets a random mass (those of a feature sum to 1), every class a
random number, and a function is named by the mean of its classes' numbers, modulo a prime of 127 bits; the name of
a split is the sum of its two sides' names on their parts of the space. A name is a polynomial in the masses and
numbers, a different one for every function, and two of them have the same value with a probability of about 1 in
10^36 (Blum, Chandra & Wegman 1980; Schwartz 1980). Questions that separate the training rows alike count as one,
the first of them.
"""

from __future__ import annotations

import heapq
import itertools
import random
import weakref
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.binarise import N_CODES, Questions, answers, make_questions
from espalier.kernels.optimal.branch_and_bound import UNKNOWN
from espalier.kernels.optimal.branch_and_bound import SearchState as Thread
from espalier.kernels.optimal.read_tree import survey
from espalier.learners.optimal.problem import DistinctQuestions, SearchLimits
from espalier.learners.optimal.tree_builder import BuildingData, ColumnSplit, Shape, build_tree
from espalier.trees import Tree

PRIME = 2**127 - 1
NEVER = UNKNOWN  # value of trees that there are not
LEAST_TO_SEARCH = 4  # with at least so many splits left on a path, the best tree of every question takes a search


class StoppedEarly(Exception):
    """The work was stopped before it came to its end."""


# ---- the graph: sets of rows, and what is known of the questions that split them


class RowsPlace(NamedTuple):
    """A set of rows, and where in a tree it is."""

    path: tuple[tuple[int, int], ...]  # answers on the way to it: column, and 0 or 1
    rows: tuple[int, int]  # their names, combined
    left: int  # most splits on a path from here

    def side(self, facts: RowsFacts, column: int, answer: int) -> RowsPlace:
        """Return the rows with this answer (0 or 1) to a column."""
        first, second = facts.names[:, column].tolist()
        rows = (first, second) if answer else (first ^ self.rows[0], second ^ self.rows[1])
        return RowsPlace((*self.path, (column, answer)), rows, self.left - 1)


class RowsFacts(NamedTuple):
    """A survey of a set of rows: costs are whole numbers, above those that no tree can avoid."""

    best: np.ndarray  # (n_columns,) int64: least value of a tree with this question at the top; NEVER for none
    low: np.ndarray  # (2, n_columns) int64: least values of its two sides; [1]: answer 1
    names: np.ndarray  # (2, n_columns) int64: names of the rows that answer 1, combined
    costs: np.ndarray  # (n_classes, any) ints: cost of a leaf where a column is 1; last on all rows

    def leaves(self, column: int = -1, answer: int = 1) -> list[int]:
        """Return the cost of a leaf of each class, on all rows or on those with an answer to a column."""
        costs = self.costs[:, column]
        return (costs if answer else self.costs[:, -1] - costs).tolist()


class Surveyor:
    """Surveys of the rows of a search over questions that are written out; one thread may use it."""

    def __init__(self, thread: Thread, limits: SearchLimits):
        self.unit, self.limits, self.thread = thread.problem.unit, limits, thread
        first, second = thread.level.rows[0].tolist()
        everything = int(thread.level.shape[0, 0]), 1  # the column after the last one represents all rows
        self.root = RowsPlace((everything,), (first, second), limits.max_depth)

    def facts(self, place: RowsPlace, goal: int) -> RowsFacts:
        """Return the facts of the rows of a place.

        Least values below the goal are exact, others may be lower bounds. Raises StoppedEarly.
        """
        splits = max(self.limits.splits_below(place.left), 0)
        result = survey(self.thread, np.array(place.path, np.int64), place.left, splits, goal)
        if self.thread.stop[0]:
            raise StoppedEarly
        return RowsFacts(result.best, result.low, result.yes, result.sums[-1] - result.sums[:-1])


# ---- the list


class NearTree(NamedTuple):
    """A near-optimal tree."""

    tree: Tree
    objective: float  # misclassification cost of the training samples
    n_splits: int


def near_tree(inputs: BuildingData, shape: Shape) -> NearTree:
    """Return the tree of this shape with its objective."""
    tree, objective = build_tree(inputs, shape)
    return NearTree(tree, objective, tree.n_leaves - 1)


class OptimalTrees:
    """Trees within a slack of the optimum, in order of their objective, each function once; computed on demand.

    `OptimalClassifier.optimal_trees` defines equal trees.
    """

    def __init__(self, lister: Lister, least: int, bound: int, inputs: BuildingData, limit: int):
        """List the trees of all rows, from the `least` value up to the bound, and at most `limit` of them."""
        # Whether the list is complete: known once the last tree is found, the limit reached, or the search
        # stopped.
        self.is_complete: bool | None = None
        self.surveyor, self.inputs, self.bound = lister.surveyor, inputs, bound
        self._lister, self._limit = lister, limit
        self._options = lister.listing(lister.surveyor.root, (), least)
        self._found: list[NearTree] = []

    @property
    def trees(self) -> tuple[NearTree, ...]:
        """The trees computed so far."""
        return tuple(self._found)

    def __iter__(self) -> Iterator[NearTree]:
        for number in itertools.count():
            if number == len(self._found) and not self._find():
                return
            yield self._found[number]

    def _find(self) -> bool:
        """Append one more tree; return whether there was one."""
        if self.is_complete is not None:
            return False
        try:
            option = self._options.option(len(self._found), self.bound)
        except StoppedEarly:
            self.is_complete = False
            return False
        if option is None or len(self._found) == self._limit:
            self.is_complete = option is None
            return False
        self._found.append(near_tree(self.inputs, option.shape))
        return True


class Option(NamedTuple):
    """A tree for a set of rows; options are compared by cost, then by number of splits."""

    value: int  # cost * unit + splits
    name: int  # equal for options that predict the same on the box of the rows
    shape: Shape


class Lister:
    """The lists of all sets of rows so far, and what they share."""

    def __init__(self, surveyor: Surveyor, cells: QuestionCells):
        self.surveyor, self.unit, self.cells = surveyor, surveyor.unit, cells
        self._listings: dict[tuple, Listing] = {}
        self._leaves: dict[tuple[int, ...], Listing] = {}

    def listing(self, place: RowsPlace, box: Box, least: int) -> Listing:
        """Return the list of a set of rows whose best tree has at least this value."""
        key = place.rows, place.left, box
        if key not in self._listings:
            # A reference from lists back to this object would keep both alive until garbage collection.
            self._listings[key] = Listing(weakref.proxy(self), place, box, least)
        return self._listings[key]

    def leaves(self, costs: tuple[int, ...]) -> Listing:
        """Return the list of the leaves with these costs, one for each class."""
        if costs not in self._leaves:
            pairs = enumerate(zip(costs, self.cells.leaf_names, strict=False))
            options = [Option(cost * self.unit, name, label) for label, (cost, name) in pairs]
            options.sort(key=lambda option: option.value)
            self._leaves[costs] = Listing(weakref.proxy(self), RowsPlace((), (0, 0), 0), (), NEVER, options)
        return self._leaves[costs]


class Branch:
    """The options on one side of a question, with their names on its part of the asking node's space."""

    def __init__(self, options: Listing, cells: QuestionCells, box: Box, factor: int | None):
        """On the part with this box an option's name is its own name times the factor.

        If the factor is None, the name is computed anew.
        """
        self.front, self.option = options.front, options.option
        self._cells, self._box, self._factor = cells, box, factor
        self._names: dict[int, int] = {}

    def name(self, number: int, option: Option) -> int:
        """Return the name of the option of this number on the part of the branch."""
        if number not in self._names:
            if self._factor is None:
                self._names[number] = self._cells.name(option.shape, self._box)
            else:
                self._names[number] = option.name * self._factor % PRIME
        return self._names[number]


class Listing:
    """The options of a set of rows, in order, each function once; computed on demand.

    A pair in the queue has a lower bound until its sides' options are computed; they are computed only if their
    values are within the requested bound.
    """

    def __init__(self, lister: Lister, place: RowsPlace, box: Box, least: int, options: Sequence[Option] = ()):
        """All but these first options have at least the value `least`.

        `box` are the remaining cells of categories and of features with missing values.
        """
        self._lister, self._place, self._box = lister, place, box
        self._splits = lister.surveyor.limits.splits_below(place.left)
        self._left = min(place.left, self._splits)  # most splits on a path
        self._found = list(options)
        self._names: set[int] = set()
        # lower bound, order of arrival, column, numbers of the pair in the sides' lists; or -1 and a leaf's class
        self._queue: list[tuple] = []
        self._count = itertools.count()
        self._branches: dict[int, tuple[Branch, Branch]] = {}
        self._goal = least  # everything that is not in the queue yet has at least this value
        # the value of the best tree after each question is known below the horizon
        self._horizon, self._step = -1, 1
        self._facts: RowsFacts | None = None
        self._best = np.empty(0, np.int64)  # NEVER for questions already in the queue

    def front(self, number: int) -> int:
        """Return a lower bound of the value of this number: the value itself once computed.

        NEVER if there is none.
        """
        if number < len(self._found):
            return self._found[number].value
        return min(self._queue[0][0], self._goal) if self._queue else self._goal

    def option(self, number: int, bound: int) -> Option | None:
        """Return the option of this number, from 0; None if all remaining ones exceed the bound."""
        while len(self._found) <= number and self.front(number) <= bound:
            if self._lister.surveyor.thread.stop[0]:
                raise StoppedEarly
            if not self._queue or self._queue[0][0] >= self._goal:
                self._look()
                continue
            value, _, column, pair = heapq.heappop(self._queue)
            if column < 0:
                self._add(Option(value, self._lister.cells.name(pair, self._box), pair))
            elif pair is None:
                self._branches[column] = self._branch(column, 0), self._branch(column, 1)
                self._push_pair(column, 0, 0)
            else:
                self._take(value, column, *pair)
        return self._found[number] if number < len(self._found) else None

    # ---- the queue

    def _look(self) -> None:
        """Queue the questions whose best trees have the goal's value, and raise the goal to the next value."""
        if self._goal >= self._horizon:
            self._survey()
        else:
            is_next = self._best == self._goal
            self._best[is_next] = NEVER
            for column in np.flatnonzero(is_next).tolist():
                self._push(self._goal, column, None)
        self._goal = int(self._best.min(initial=NEVER))

    def _survey(self) -> None:
        """Compute the values of the questions up to a horizon that is a little further than before.

        It is not far beyond the goal where the best trees of questions take a search.
        """
        unit, is_first = self._lister.unit, self._facts is None
        horizon = min(self._goal + self._step, (self._goal // unit + 1) * unit)
        self._horizon, self._step = horizon if self._left >= LEAST_TO_SEARCH else NEVER, 2 * self._step
        self._facts = self._lister.surveyor.facts(self._place, self._horizon)
        best = self._facts.best
        if is_first:
            for label, cost in enumerate(self._facts.leaves()):
                self._push(cost * unit, -1, label)
        else:
            best[self._best == NEVER] = NEVER
        self._best = best

    def _push(self, value: int, column: int, pair) -> None:
        if value < NEVER:
            heapq.heappush(self._queue, (value, next(self._count), column, pair))

    # ---- pairs of options of a question

    def _branch(self, column: int, side: int) -> Branch:
        lister, cells, facts = self._lister, self._lister.cells, self._facts
        assert facts is not None
        box = cells.part(self._box, column, side)
        if self._left == 1:
            return Branch(lister.leaves(tuple(facts.leaves(column, side))), cells, box, cells.mass(box))
        is_narrow = cells.feature[column] in cells.narrow
        place, least = self._place.side(facts, column, side), int(facts.low[side, column])
        listing = lister.listing(place, box if is_narrow else self._box, least)
        if is_narrow:
            return Branch(listing, cells, box, 1)
        alone = cells.mass(cells.part((), column, side)) if cells.feature[column] in cells.alone else None
        return Branch(listing, cells, box, alone)

    def _push_pair(self, column: int, i: int, j: int) -> None:
        """Queue the pair of the options of these numbers: of the rows that answer no to the question, and yes."""
        no, yes = self._branches[column]
        value, unit = no.front(i) + yes.front(j) + 1, self._lister.unit
        if value % unit > self._splits:  # so do all later ones with the same cost
            value = (value // unit + 1) * unit
        self._push(value, column, (i, j))

    def _take(self, value: int, column: int, i: int, j: int) -> None:
        """Add the pair's tree and queue its two successors; or queue the pair again if its value is greater."""
        zeros, ones = self._branches[column]
        bound, other = zeros.front(i), ones.front(j)
        no = zeros.option(i, bound) if bound + other + 1 <= value else None
        yes = None if no is None else ones.option(j, other)
        if no is None or yes is None:
            self._push_pair(column, i, j)
            return
        if bound + other + 1 == value:
            name = (zeros.name(i, no) + ones.name(j, yes)) % PRIME
            self._add(Option(value, name, ColumnSplit(column, yes.shape, no.shape)))
        self._push_pair(column, i + 1, j)
        if i == 0:
            self._push_pair(column, 0, j + 1)

    def _add(self, option: Option) -> None:
        if option.name not in self._names:
            self._names.add(option.name)
            self._found.append(option)


# ---- trees that are the same function

Box: TypeAlias = "tuple[tuple[int, int], ...]"  # features, ascending, with the remaining cells of each, as bits


class QuestionCells:
    """The cells of all features, as separated by the columns of the search.

    In a subtree, a number without missing values is only compared with thresholds that separate the rows there. So
    its function beyond the thresholds of the path equals that at them, and two subtrees that differ anywhere
    differ on the path's own part of the range. Categories and missing values are different, because a path may
    exclude them for good: for these features, the `narrow` ones, a subtree's box keeps the remaining cells.
    """

    def __init__(self, questions: Questions, columns: DistinctQuestions, n_classes: int):
        self._random = random.Random(0)
        self.leaf_names = [self._random.randrange(PRIME) for _ in range(n_classes)]
        self.feature = questions.feature[columns.question].tolist()
        shuts = (questions.categories > 0) | questions.missing_left | (questions.threshold == np.inf)
        self.narrow = frozenset(
            questions.feature[shuts].tolist()
        )  # a path may exclude categories or missing values
        self._one = [0] * len(self.feature)  # the cells of a column's feature for which the column is 1
        self._chance: dict[int, list[int]] = {}  # mass of each cell, by feature
        self._masses: dict[tuple[int, int], int] = {}
        self.alone: set[int] = set()  # features of one column, which have two or three cells
        column_groups: dict[int, list[int]] = {}
        for column, feature in enumerate(self.feature):
            column_groups.setdefault(feature, []).append(column)
        for feature, columns_ in column_groups.items():
            self._add(feature, columns_, questions, columns)

    def _add(self, feature: int, places: list[int], questions: Questions, columns: DistinctQuestions) -> None:
        numbers = columns.question[places]
        if feature in self.narrow:
            values = _values_of(feature, numbers, questions)
            fields = numbers * 0, *(field[numbers] for field in questions[1:])
            yes = answers(make_questions(*fields), values[:, None])
        else:
            cuts = np.sort(questions.threshold[numbers])
            values, yes = np.append(cuts, np.inf), np.append(cuts, np.inf)[:, None] <= questions.threshold[numbers]
        for column, ones in zip(places, (yes ^ columns.flipped[places]).T.tolist(), strict=True):
            self._one[column] = sum(1 << cell for cell, is_yes in enumerate(ones) if is_yes)
        some = [self._random.randrange(PRIME) for _ in values[1:]]
        self._chance[feature] = [*some, (1 - sum(some)) % PRIME]
        if len(places) == 1:
            self.alone.add(feature)

    def part(self, box: Box, column: int, side: int) -> Box:
        """Return the cells of a box for which the column is 1 (`side` 1), or 0."""
        feature, some = self.feature[column], dict(box)
        here = some.get(feature, (1 << len(self._chance[feature])) - 1)
        some[feature] = here & self._one[column] if side else here & ~self._one[column]
        return tuple(sorted(some.items()))

    def mass(self, box: Box) -> int:
        """Return the mass of the cells of a box; that of all cells is 1."""
        product = 1
        for place in box:
            if place not in self._masses:
                feature, some = place
                chance = self._chance[feature]
                self._masses[place] = sum(c for cell, c in enumerate(chance) if some >> cell & 1) % PRIME
            product = product * self._masses[place] % PRIME
        return product

    def name(self, shape: Shape, box: Box) -> int:
        """Return the name of a subtree's function on a box; its leaves are classes."""
        if isinstance(shape, ColumnSplit):
            yes, no = (self.part(box, shape.column, side) for side in (1, 0))
            return (self.name(shape.one, yes) + self.name(shape.zero, no)) % PRIME
        assert shape is not None
        return self.leaf_names[shape] * self.mass(box) % PRIME


def codes_of(questions: Questions, about: np.ndarray) -> np.ndarray:
    """Return the categories that some of the questions ask about; `about` (n_questions,) bool tells which."""
    together = np.bitwise_or.reduce(questions.categories[about], initial=np.uint64(0))
    return np.flatnonzero(together >> np.arange(N_CODES, dtype=np.uint64) & np.uint64(1))


def _values_of(feature: int, numbers: np.ndarray, questions: Questions) -> np.ndarray:
    """Return a value in each cell of a feature with categories or missing values, nan last.

    Questions cover all categories, or the first of two; then one more value represents the other.
    """
    codes = codes_of(questions, questions.feature == feature)
    if len(codes):
        return np.append(codes if len(codes) > 1 else [codes[0], (codes[0] + 1) % N_CODES], np.nan)
    cuts = questions.threshold[numbers]
    return np.append(np.unique(cuts[cuts < np.inf]), [np.inf, np.nan])
