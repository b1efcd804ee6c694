"""All trees that are optimal, or nearly, one after the other in order of their cost.

A set of rows has options: a leaf of any class, or a question with an option for each answer. The options of a
question come in order from those of its two children by a queue of pairs (the k best of an and-or graph, Arslan et
al. 2025); children are only looked into as far as they are wanted.

Two trees are the same function where they say the same of every x, which their names tell (`cells.py`): that of a
split is the sum of what its two sides are named on their parts of the space. Questions that part the training rows
alike count as one, the first of them.
"""

from __future__ import annotations

import heapq
import itertools
import weakref
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.kernels.optimal.bounds_table import UNKNOWN
from espalier.kernels.optimal.branch_and_bound import SearchState as Thread
from espalier.kernels.optimal.read_tree import Survey, survey
from espalier.learners.optimal.cells import PRIME, Box, QuestionCells
from espalier.learners.optimal.tree_builder import BuildingData, ColumnSplit, Shape, build_tree
from espalier.trees import Tree

NEVER = UNKNOWN  # value of what there is not
SEARCHED = 4  # splits left on a path, from which on the best tree of every question takes a search
NOTHING = Survey(*np.zeros((4, 0, 0), np.int64))  # is known before the first survey


class Interrupted(Exception):
    """The search was stopped in the middle of a set of rows, whose options are then not known."""


class NearTree(NamedTuple):
    """One of the trees that are nearly optimal."""

    tree: Tree
    objective: float  # misclassification cost of the training samples
    n_splits: int


class Option(NamedTuple):
    """A tree for a set of rows; options are compared by their cost, then by their splits."""

    value: int  # cost * unit + splits
    name: int  # equal for what says the same on the box of the rows
    shape: Shape


class RowSet(NamedTuple):
    """A set of rows, how it is come to, and how large a tree may stand on it."""

    path: tuple[tuple[int, int], ...]  # its answers: column and 0 or 1, after each other
    rows: tuple[int, int]  # the names of the rows, combined
    left: int  # splits on a path
    splits: int  # in all
    box: Box  # cells that the path has left of categories and of features with missing values


class UnsplitRows:
    """The options of a set of rows that may not be split."""

    def __init__(self, found: list[Option]):
        self._found = found

    def front(self, place: int) -> int:
        """The value of the option at this place; NEVER behind the last one."""
        return self._found[place].value if place < len(self._found) else NEVER

    def option(self, place: int, bound: int) -> Option | None:
        """The option at this place, counted from 0, if its value is within the bound."""
        return self._found[place] if self.front(place) <= bound else None


class ExploredSets:
    """All sets of rows that were looked into, and what their options have in common."""

    def __init__(self, thread: Thread, cells: QuestionCells):
        self.thread, self.unit, self.cells = thread, thread.problem.unit, cells
        self._known: dict[tuple, Options] = {}
        self._leaves: dict[tuple[int, ...], UnsplitRows] = {}

    def root(self, max_depth: int, max_splits: int, least: int) -> Options:
        """Options of all rows, as in `options`."""
        first, second = self.thread.level.rows[0].tolist()
        everything = len(self.cells.feature), 1  # the column after the last one has all rows
        return self.options(RowSet((everything,), (first, second), max_depth, max_splits, ()), least)

    def options(self, site: RowSet, least: int) -> Options:
        """Options of the site, whose least value this is."""
        splits = min(site.splits, 2**site.left - 1)
        key = site.rows, min(site.left, splits), splits, site.box
        if key not in self._known:
            # Options that hold the grove would live on with it until the garbage collector looks for rings.
            self._known[key] = Options(weakref.proxy(self), RowSet(site.path, *key), least)
        return self._known[key]

    def leaves(self, sums: list[int]) -> UnsplitRows:
        """A leaf for each class, by what it earns; last what could be earned."""
        key = tuple(sums)
        if key not in self._leaves:
            each = enumerate(zip(sums, self.cells.leaf_names, strict=False))
            found = [Option((sums[-1] - earned) * self.unit, name, label) for label, (earned, name) in each]
            self._leaves[key] = UnsplitRows(sorted(found, key=lambda option: option.value))
        return self._leaves[key]


class Branch:
    """The options on one side of a question, and their names on its part of the space of the node that asks."""

    __slots__ = ("_box", "_cells", "_factor", "_names", "front", "option")

    def __init__(self, options: Options | UnsplitRows, cells: QuestionCells, box: Box, factor: int | None):
        """On the part with this box an option is named by its own name times the factor; None: by another."""
        self.front, self.option = options.front, options.option
        self._cells, self._box, self._factor = cells, box, factor
        self._names: dict[int, int] = {}

    def name(self, place: int, option: Option) -> int:
        """The name of the option at this place on the part of the branch."""
        if place not in self._names:
            if self._factor is None:
                self._names[place] = self._cells.name(option.shape, self._box)
            else:
                self._names[place] = option.name * self._factor % PRIME
        return self._names[place]


class Options:
    """The options of a set of rows, in order, no two the same function; found as they are asked for.

    What waits in the queue has a lower bound, which is all that is known of a pair before its children are asked
    for their options; they are asked only for those whose values are no greater than the bound that is wanted.
    """

    __slots__ = (
        "_best", "_children", "_count", "_found", "_goal", "_grove", "_horizon", "_known", "_names", "_queue",
        "_site", "_step",
    )  # fmt: skip

    def __init__(self, grove: ExploredSets, site: RowSet, least: int):
        self._grove, self._site = grove, site
        self._found: list[Option] = []
        self._names: set[int] = set()
        self._queue: list[tuple] = []  # lower bound, order of arrival, column, pair of its children's places
        self._count = itertools.count()
        self._children: dict[int, tuple[Branch, Branch]] = {}
        self._goal = least  # what is not in the queue yet is worth at least so much
        self._horizon, self._step = -1, 1  # below the horizon it is known what is best after each question
        self._known: Survey = NOTHING
        self._best = NOTHING.best  # but NEVER for the questions that are in the queue

    def front(self, place: int) -> int:
        """Lower bound of the value of the option at this place: its value, if it is found; NEVER for none."""
        if place < len(self._found):
            return self._found[place].value
        return min(self._queue[0][0], self._goal) if self._queue else self._goal

    def option(self, place: int, bound: int) -> Option | None:
        """The option at this place, counted from 0; None where all that are left are worth more than the bound."""
        while len(self._found) <= place and self.front(place) <= bound:
            if self._grove.thread.stop[0]:
                raise Interrupted
            if not self._queue or self._queue[0][0] >= self._goal:
                self._look()
            else:
                self._settle(*heapq.heappop(self._queue))
        return self._found[place] if place < len(self._found) else None

    def _settle(self, value: int, _: int, column: int, pair) -> None:
        """Work on what came out of the queue."""
        if column < 0:
            self._add(Option(value, self._grove.cells.name(pair, self._site.box), pair))
        elif pair is None:
            self._children[column] = self._branch(column, 0), self._branch(column, 1)
            self._push_pair(column, (0, 0))
        else:
            self._take(value, column, pair)

    # ---- what waits in the queue

    def _look(self) -> None:
        """Queue the questions whose best trees are worth the goal, and go on to what the next ones are worth."""
        if self._goal >= self._horizon:
            self._survey()
        else:
            is_next = self._best == self._goal
            self._best[is_next] = NEVER
            for column in np.flatnonzero(is_next).tolist():
                self._push(self._goal, column, None)
        self._goal = int(self._best.min(initial=NEVER))

    def _survey(self) -> None:
        """Find what the questions are worth, as far as a horizon that is a little further than before."""
        thread, site, is_first = self._grove.thread, self._site, self._horizon < 0
        self._horizon = self._next_horizon()
        budget = site.left, site.splits
        self._known = survey(thread, np.array(site.path, dtype=np.int64), budget, self._horizon)
        if thread.stop[0]:
            raise Interrupted
        best = self._known.best
        if is_first:
            *earned, worth = self._known.sums[:, -1].tolist()
            for label, gain in enumerate(earned):
                self._push((worth - gain) * self._grove.unit, -1, label)
        else:
            best[self._best == NEVER] = NEVER
        self._best = best

    def _next_horizon(self) -> int:
        """Where the best trees of questions take a search, not far beyond the goal."""
        if self._site.left < SEARCHED:
            return NEVER
        goal, unit, step = self._goal, self._grove.unit, self._step
        self._step *= 2
        return min(goal + step, (goal // unit + 1) * unit)

    def _push(self, value: int, column: int, pair) -> None:
        if value < NEVER:
            heapq.heappush(self._queue, (value, next(self._count), column, pair))

    # ---- a question's pairs of options

    def _branch(self, column: int, side: int) -> Branch:
        site, grove, cells = self._site, self._grove, self._grove.cells
        box = cells.part(site.box, column, side)
        if site.left == 1:
            sums = self._known.sums
            leaves = grove.leaves((sums[:, column] if side else sums[:, -1] - sums[:, column]).tolist())
            return Branch(leaves, cells, box, cells.mass(box))
        first, second = self._known.yes[:, column].tolist()
        rows = (first, second) if side else (first ^ site.rows[0], second ^ site.rows[1])
        is_narrow = cells.feature[column] in cells.narrow
        path = (*site.path, (column, side))
        there = RowSet(path, rows, site.left - 1, site.splits - 1, box if is_narrow else site.box)
        child = grove.options(there, int(self._known.low[side, column]))
        if is_narrow:
            return Branch(child, cells, box, 1)
        alone = cells.mass(cells.part((), column, side)) if cells.is_alone(column) else None
        return Branch(child, cells, box, alone)

    def _push_pair(self, column: int, pair: tuple[int, int]) -> None:
        zero, one = self._children[column]
        value, unit = zero.front(pair[0]) + one.front(pair[1]) + 1, self._grove.unit
        if value % unit > self._site.splits:  # as have all that come after it and cost the same
            value = (value // unit + 1) * unit
        self._push(value, column, pair)

    def _take(self, value: int, column: int, pair: tuple[int, int]) -> None:
        """The pair's tree and the two pairs that come after it; or the pair again, if it is worth more."""
        (zeros, ones), (i, j) = self._children[column], pair
        bound, other = zeros.front(i), ones.front(j)
        zero = zeros.option(i, bound) if bound + other + 1 <= value else None
        one = None if zero is None else ones.option(j, other)
        if zero is None or one is None:
            self._push_pair(column, pair)
            return
        if bound + other + 1 == value:
            name = (zeros.name(i, zero) + ones.name(j, one)) % PRIME
            self._add(Option(value, name, ColumnSplit(column, one.shape, zero.shape)))
        self._push_pair(column, (i + 1, j))
        if i == 0:
            self._push_pair(column, (0, j + 1))

    def _add(self, option: Option) -> None:
        if option.name not in self._names:
            self._names.add(option.name)
            self._found.append(option)


class OptimalTrees:
    """Trees within a slack of the optimum, in order of their objective, no two the same function; found lazily.

    `OptimalClassifier.optimal_trees` says which trees are the same.
    """

    def __init__(self, grove: ExploredSets, options: Options, bound: int, plot: BuildingData, limit: int):
        """`options` of all rows are wanted up to the bound of their value, and the limit of their number."""
        # Whether these are all: known once the last is found, the limit reached, or the search stopped.
        self.is_complete: bool | None = None
        self._grove, self._options, self._bound, self._plot, self._limit = grove, options, bound, plot, limit
        self._found: list[NearTree] = []

    @property
    def trees(self) -> tuple[NearTree, ...]:
        """Those found so far."""
        return tuple(self._found)

    def __iter__(self) -> Iterator[NearTree]:
        for place in itertools.count():
            if place == len(self._found) and not self._find():
                return
            yield self._found[place]

    def _find(self) -> bool:
        """Whether there is one more, which then stands at the end."""
        if self.is_complete is not None:
            return False
        try:
            option = self._options.option(len(self._found), self._bound)
        except Interrupted:
            self.is_complete = False
            return False
        if option is None or len(self._found) == self._limit:
            self.is_complete = option is None
            return False
        tree, objective = build_tree(self._plot, option.shape)
        self._found.append(NearTree(tree, objective, tree.n_leaves - 1))
        return True
