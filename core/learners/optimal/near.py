"""All trees that are optimal, or nearly, one after the other in order of their cost.

A set of rows has options: a leaf of any class, or a question with an option for each answer. The options of a
question come in order from those of its two children by a queue of pairs (the k best of an and-or graph, Arslan et
al. 2025); children are only looked into as far as they are wanted.

Two trees are the same function where they give the same answer for every combination of answers, which a random
evaluation of their polynomials tells (Blum, Chandra & Wegman 1980): a leaf has a random number, and a split
``zero + random(question) * (one - zero)``, modulo a prime of 127 bits.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.kernels.budget import leaf_value
from core.kernels.found import descend, survey
from core.kernels.optimal import Search as Thread
from core.learners.optimal.planting import Plot, Shape, Split, plant
from core.trees import Tree

PRIME = 2**127 - 1


class Interrupted(Exception):
    """The search was stopped in the middle of a set of rows, whose options are then not known."""


class NearTree(NamedTuple):
    """One of the trees that are nearly optimal."""

    tree: Tree
    objective: float  # misclassification cost of the training samples
    n_splits: int


class Option(NamedTuple):
    """A tree for a set of rows; options are compared by their cost, then by their splits."""

    cost: int
    n_splits: int
    name: int  # equal for equal functions
    shape: Shape


class Budget(NamedTuple):
    """How large a tree may be, and what it may cost."""

    left: int  # splits on a path
    splits: int  # in all
    cost: int


class Grove:
    """What the options of all sets of rows have in common: the search, and the sets that were looked into."""

    def __init__(self, thread: Thread, n_columns: int, n_classes: int):
        numbers = random.Random(0)
        self.thread = thread
        self.split_names = [numbers.randrange(PRIME) for _ in range(n_columns)]
        self.leaf_names = [numbers.randrange(PRIME) for _ in range(n_classes)]
        self.known: dict[tuple, Options] = {}

    def options(self, path: tuple[tuple[int, int], ...], budget: Budget) -> Options:
        """Options of the rows that give these answers, (column, 0 or 1) after each other, within the budget."""
        splits = min(budget.splits, 2**budget.left - 1)
        budget = Budget(min(budget.left, splits), splits, budget.cost)
        rows = descend(self.thread, np.array(path, dtype=np.int64).reshape(-1, 2))
        key = (rows, budget)
        if key not in self.known:
            self.known[key] = Options(self, path, budget)
        return self.known[key]


class Options:
    """The options of a set of rows, in order, no two the same function; found as they are asked for."""

    def __init__(self, grove: Grove, path: tuple[tuple[int, int], ...], budget: Budget):
        self._grove, self._path, self._budget = grove, path, budget
        self._found: list[Option] = []
        self._names: set[int] = set()
        self._queue: list[tuple] = []
        self._count = itertools.count()
        self._children: dict[int, tuple[Options, Options]] = {}
        self._costs = np.zeros((0, 2), np.int64)
        self._look()

    def option(self, place: int) -> Option | None:
        """The option at this place, counted from 0; None behind the last one."""
        while len(self._found) <= place and self._queue:
            cost, splits, _, column, pair = heapq.heappop(self._queue)
            if column < 0:
                self._add(Option(cost, splits, self._grove.leaf_names[pair], pair))
            elif pair is None:
                self._open(column)
            else:
                self._take(column, pair)
        return self._found[place] if place < len(self._found) else None

    def _look(self) -> None:
        """Queue the leaves, and the questions whose best trees are within the budget."""
        thread, depth, budget = self._grove.thread, len(self._path), self._budget
        level, unit = thread.level, thread.problem.unit
        if budget.left:
            survey(thread, depth, (budget.left, budget.splits), (budget.cost + 1) * unit)
        else:
            leaf_value(thread.problem, level, depth)
        if thread.stop[0]:
            raise Interrupted
        n, stride = level.shape[depth]
        sums = level.sums[depth].reshape(-1, stride)[:, n]
        for label, cost in enumerate((sums[-1] - sums[:-1]).tolist()):
            self._push(cost, 0, -1, label)
        if not budget.left:
            return
        low = level.low[depth, :, :n]
        yes, rows = level.yes[depth, 0, :n], level.rows[depth, 0]
        parts = (yes != 0) & (yes != rows)
        best = low.sum(axis=0) + thread.problem.tie
        self._costs = low.T // unit
        for column in np.flatnonzero(parts & (best < (budget.cost + 1) * unit)).tolist():
            self._push(int(best[column]) // unit, int(best[column]) % unit, column, None)

    def _push(self, cost: int, splits: int, column: int, pair) -> None:
        if cost <= self._budget.cost:
            heapq.heappush(self._queue, (cost, splits, next(self._count), column, pair))

    def _open(self, column: int) -> None:
        budget, costs = self._budget, self._costs[column].tolist()
        self._children[column] = tuple(  # type: ignore[assignment]
            self._grove.options(
                (*self._path, (column, side)),
                Budget(budget.left - 1, budget.splits - 1, budget.cost - costs[1 - side]),
            )
            for side in range(2)
        )
        self._push_pair(column, (0, 0))

    def _push_pair(self, column: int, pair: tuple[int, int]) -> None:
        zero, one = (child.option(place) for child, place in zip(self._children[column], pair, strict=True))
        if zero is not None and one is not None:
            self._push(zero.cost + one.cost, zero.n_splits + one.n_splits + 1, column, pair)

    def _take(self, column: int, pair: tuple[int, int]) -> None:
        """The pair's tree, and the two pairs that come after it."""
        zero, one = (child.option(place) for child, place in zip(self._children[column], pair, strict=True))
        if zero is None or one is None:
            return
        splits = zero.n_splits + one.n_splits + 1
        if splits <= self._budget.splits:
            name = (zero.name + self._grove.split_names[column] * (one.name - zero.name)) % PRIME
            self._add(Option(zero.cost + one.cost, splits, name, Split(column, one.shape, zero.shape)))
        self._push_pair(column, (pair[0] + 1, pair[1]))
        if pair[0] == 0:
            self._push_pair(column, (0, pair[1] + 1))

    def _add(self, option: Option) -> None:
        if option.name not in self._names:
            self._names.add(option.name)
            self._found.append(option)


class OptimalTrees:
    """Trees within a slack of the optimum, in order of their objective, no two the same function; found lazily."""

    def __init__(self, options: Options | None, plot: Plot, limit: int):
        """`options` are of all rows; None where the search was stopped before they were known."""
        # Whether these are all: known once the last is found, the limit reached, or the search stopped.
        self.is_complete: bool | None = None if options else False
        self._options, self._plot, self._limit = options, plot, limit
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
        if self.is_complete is not None or self._options is None:
            return False
        try:
            option = self._options.option(len(self._found))
        except Interrupted:
            self.is_complete = False
            return False
        if option is None or len(self._found) == self._limit:
            self.is_complete = option is None
            return False
        tree, objective = plant(self._plot, option.shape)
        self._found.append(NearTree(tree, objective, option.n_splits))
        return True
