"""All optimal and near-optimal trees (the Rashomon set), in order of their cost.

A set of rows has options: a leaf of any class, or a question with an option for each answer. The options of a
question come in order from those of its two children by a queue of pairs (the k best of an and-or graph, Arslan et
al. 2025); children are explored only as far as needed.

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
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.binarise import N_CODES, Questions, answers, make_questions
from espalier.kernels.optimal.branch_and_bound import UNKNOWN
from espalier.kernels.optimal.branch_and_bound import SearchState as Thread
from espalier.kernels.optimal.read_tree import Survey, survey
from espalier.learners.optimal.problem import DistinctQuestions
from espalier.learners.optimal.tree_builder import BuildingData, ColumnSplit, Shape, build_tree
from espalier.trees import Tree

PRIME = 2**127 - 1
NEVER = UNKNOWN  # value of a missing option
LEAST_TO_SEARCH = 4  # with at least so many splits left on a path, the best tree of every question takes a search
NOTHING = Survey(*np.zeros((4, 0, 0), np.int64))  # known values before the first survey


# ---- the list


class NearTree(NamedTuple):
    """A near-optimal tree."""

    tree: Tree
    objective: float  # misclassification cost of the training samples
    n_splits: int


class OptimalTrees:
    """Trees within a slack of the optimum, in order of their objective, each function once; computed on demand.

    `OptimalClassifier.optimal_trees` defines equal trees.
    """

    def __init__(self, sets: ExploredSets, options: Options, bound: int, inputs: BuildingData, limit: int):
        """Iterate `options` of all rows up to the bound of their value and the limit of their number."""
        # Whether the list is complete: known once the last tree is found, the limit reached, or the search
        # stopped.
        self.is_complete: bool | None = None
        self.sets, self.inputs, self.bound = sets, inputs, bound
        self._options, self._limit = options, limit
        self._found: list[NearTree] = []

    @property
    def trees(self) -> tuple[NearTree, ...]:
        """The trees computed so far."""
        return tuple(self._found)

    def __iter__(self) -> Iterator[NearTree]:
        for place in itertools.count():
            if place == len(self._found) and not self._find():
                return
            yield self._found[place]

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
        tree, objective = build_tree(self.inputs, option.shape)
        self._found.append(NearTree(tree, objective, tree.n_leaves - 1))
        return True


# ---- sets of rows and their options


class StoppedEarly(Exception):
    """The work was stopped before it came to its end."""


class Option(NamedTuple):
    """A tree for a set of rows; options are compared by cost, then by number of splits."""

    value: int  # cost * unit + splits
    name: int  # equal for options that predict the same on the box of the rows
    shape: Shape


class RowSet(NamedTuple):
    """A set of rows, the path to it, and the limits of a tree on it."""

    path: tuple[tuple[int, int], ...]  # answers on the path: column and 0 or 1, alternating
    rows: tuple[int, int]  # combined hash of the rows
    left: int  # most splits on a path
    splits: int  # most splits in all
    box: Box  # remaining cells of categories and of features with missing values


class UnsplitRows:
    """The options of a set of rows that may not be split."""

    def __init__(self, options: list[Option]):
        self._found = options

    def front(self, place: int) -> int:
        """Return the value of the option at this place; NEVER after the last one."""
        return self._found[place].value if place < len(self._found) else NEVER

    def option(self, place: int, bound: int) -> Option | None:
        """Return the option at this place, counted from 0, if its value is within the bound."""
        return self._found[place] if self.front(place) <= bound else None


class ExploredSets:
    """All sets of rows explored so far, and the data that their options share."""

    def __init__(self, thread: Thread, cells: QuestionCells):
        self.thread, self.unit, self.cells = thread, thread.problem.unit, cells
        self._known: dict[tuple, Options] = {}
        self._leaves: dict[tuple[int, ...], UnsplitRows] = {}

    def root(self, max_depth: int, max_splits: int, least: int) -> Options:
        """Return the options of all rows, as `options` does."""
        first, second = self.thread.level.rows[0].tolist()
        everything = len(self.cells.feature), 1  # the column after the last one represents all rows
        return self.options(RowSet((everything,), (first, second), max_depth, max_splits, ()), least)

    def options(self, site: RowSet, least: int) -> Options:
        """Return the options of the site; `least` is their least value."""
        splits = min(site.splits, 2**site.left - 1)
        key = site.rows, min(site.left, splits), splits, site.box
        if key not in self._known:
            # A reference from options back to this object would keep both alive until garbage collection.
            self._known[key] = Options(weakref.proxy(self), RowSet(site.path, *key), least)
        return self._known[key]

    def leaves(self, sums: list[int]) -> UnsplitRows:
        """Return a leaf for each class, in order of its saved costs.

        The last number is the most that could be saved.
        """
        key = tuple(sums)
        if key not in self._leaves:
            each = enumerate(zip(sums, self.cells.leaf_names, strict=False))
            options = [Option((sums[-1] - gain) * self.unit, name, label) for label, (gain, name) in each]
            self._leaves[key] = UnsplitRows(sorted(options, key=lambda option: option.value))
        return self._leaves[key]


class Branch:
    """The options on one side of a question, with their names on its part of the asking node's space."""

    __slots__ = ("_box", "_cells", "_factor", "_names", "front", "option")

    def __init__(self, options: Options | UnsplitRows, cells: QuestionCells, box: Box, factor: int | None):
        """On the part with this box an option's name is its own name times the factor.

        If the factor is None, the name is computed anew.
        """
        self.front, self.option = options.front, options.option
        self._cells, self._box, self._factor = cells, box, factor
        self._names: dict[int, int] = {}

    def name(self, place: int, option: Option) -> int:
        """Return the name of the option at this place on the part of the branch."""
        if place not in self._names:
            if self._factor is None:
                self._names[place] = self._cells.name(option.shape, self._box)
            else:
                self._names[place] = option.name * self._factor % PRIME
        return self._names[place]


class Options:
    """The options of a set of rows, in order, each function once; computed on demand.

    A pair in the queue has a lower bound until its children's options are computed; they are computed only if
    their values are within the requested bound.
    """

    __slots__ = (
        "_best",
        "_children",
        "_count",
        "_found",
        "_goal",
        "_horizon",
        "_known",
        "_names",
        "_queue",
        "_sets",
        "_site",
        "_step",
    )  # fmt: skip

    def __init__(self, sets: ExploredSets, site: RowSet, least: int):
        self._sets, self._site = sets, site
        self._found: list[Option] = []
        self._names: set[int] = set()
        # lower bound, order of arrival, column, places of the pair in the children's options
        self._queue: list[tuple] = []
        self._count = itertools.count()
        self._children: dict[int, tuple[Branch, Branch]] = {}
        self._goal = least  # everything that is not in the queue yet has at least this value
        # the value of the best tree after each question is known below the horizon
        self._horizon, self._step = -1, 1
        self._known: Survey = NOTHING
        self._best = NOTHING.best  # NEVER for questions already in the queue

    def front(self, place: int) -> int:
        """Return a lower bound of the value at this place: the value itself once computed.

        NEVER if there is none.
        """
        if place < len(self._found):
            return self._found[place].value
        return min(self._queue[0][0], self._goal) if self._queue else self._goal

    def option(self, place: int, bound: int) -> Option | None:
        """Return the option at this place, counted from 0; None if all remaining ones exceed the bound."""
        while len(self._found) <= place and self.front(place) <= bound:
            if self._sets.thread.stop[0]:
                raise StoppedEarly
            if not self._queue or self._queue[0][0] >= self._goal:
                self._look()
            else:
                self._settle(*heapq.heappop(self._queue))
        return self._found[place] if place < len(self._found) else None

    def _settle(self, value: int, _: int, column: int, pair) -> None:
        """Process an entry of the queue."""
        if column < 0:
            self._add(Option(value, self._sets.cells.name(pair, self._site.box), pair))
        elif pair is None:
            self._children[column] = self._branch(column, 0), self._branch(column, 1)
            self._push_pair(column, 0, 0)
        else:
            self._take(value, column, *pair)

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
        """Compute the values of the questions up to a horizon that is a little further than before."""
        thread, site, is_first = self._sets.thread, self._site, self._horizon < 0
        self._horizon = self._next_horizon()
        path = np.array(site.path, dtype=np.int64)
        self._known = survey(thread, path, site.left, site.splits, self._horizon)
        if thread.stop[0]:
            raise StoppedEarly
        best = self._known.best
        if is_first:
            *gains, worth = self._known.sums[:, -1].tolist()
            for label, gain in enumerate(gains):
                self._push((worth - gain) * self._sets.unit, -1, label)
        else:
            best[self._best == NEVER] = NEVER
        self._best = best

    def _next_horizon(self) -> int:
        """Return a horizon not far beyond the goal, for questions whose best trees take a search."""
        if self._site.left < LEAST_TO_SEARCH:
            return NEVER
        goal, unit, step = self._goal, self._sets.unit, self._step
        self._step *= 2
        return min(goal + step, (goal // unit + 1) * unit)

    def _push(self, value: int, column: int, pair) -> None:
        if value < NEVER:
            heapq.heappush(self._queue, (value, next(self._count), column, pair))

    # ---- pairs of options of a question

    def _branch(self, column: int, side: int) -> Branch:
        site, sets, cells = self._site, self._sets, self._sets.cells
        box = cells.part(site.box, column, side)
        if site.left == 1:
            sums = self._known.sums
            leaves = sets.leaves((sums[:, column] if side else sums[:, -1] - sums[:, column]).tolist())
            return Branch(leaves, cells, box, cells.mass(box))
        first, second = self._known.yes[:, column].tolist()
        rows = (first, second) if side else (first ^ site.rows[0], second ^ site.rows[1])
        is_narrow = cells.feature[column] in cells.narrow
        path = (*site.path, (column, side))
        there = RowSet(path, rows, site.left - 1, site.splits - 1, box if is_narrow else site.box)
        child = sets.options(there, int(self._known.low[side, column]))
        if is_narrow:
            return Branch(child, cells, box, 1)
        alone = cells.mass(cells.part((), column, side)) if cells.is_alone(column) else None
        return Branch(child, cells, box, alone)

    def _push_pair(self, column: int, i: int, j: int) -> None:
        """Queue the pair of the options at these places: of the rows that answer no to the question, and yes."""
        no, yes = self._children[column]
        value, unit = no.front(i) + yes.front(j) + 1, self._sets.unit
        if value % unit > self._site.splits:  # so do all later ones with the same cost
            value = (value // unit + 1) * unit
        self._push(value, column, (i, j))

    def _take(self, value: int, column: int, i: int, j: int) -> None:
        """Add the pair's tree and queue its two successors; or queue the pair again if its value is greater."""
        zeros, ones = self._children[column]
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
        self.narrow = _narrow(questions)
        self._one = [0] * len(self.feature)  # the cells of a column's feature for which the column is 1
        self._chance: dict[int, list[int]] = {}  # mass of each cell, by feature
        self._masses: dict[tuple[int, int], int] = {}
        self._n_columns: dict[int, int] = {}
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
        self._n_columns[feature] = len(places)

    def is_alone(self, column: int) -> bool:
        """Return whether no other column uses the feature, which then has two or three cells."""
        return self._n_columns[self.feature[column]] == 1

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


def _narrow(questions: Questions) -> frozenset[int]:
    """Return the features whose categories or missing values a path may exclude."""
    shuts = (questions.categories > 0) | questions.missing_left | (questions.threshold == np.inf)
    return frozenset(questions.feature[shuts].tolist())


def _values_of(feature: int, numbers: np.ndarray, questions: Questions) -> np.ndarray:
    """Return a value in each cell of a feature with categories or missing values, nan last.

    Questions cover all categories, or the first of two; then one more value represents the other.
    """
    codes = codes_of(questions, questions.feature == feature)
    if len(codes):
        return np.append(codes if len(codes) > 1 else [codes[0], (codes[0] + 1) % N_CODES], np.nan)
    cuts = questions.threshold[numbers]
    return np.append(np.unique(cuts[cuts < np.inf]), [np.inf, np.nan])
