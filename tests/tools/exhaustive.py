"""All trees of a small table: the least objective, how many there are of each, and every function that they make.

A set of rows, or a function of two classes on cells, is a number, whose bits are the rows or the cells of class 1.
No split leaves a side without rows, or one that is too light for a leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numba
import numpy as np

from espalier.data.binarise import Questions, answers
from tests.tools.naive.as_good import Table, splits_of
from tests.tools.naive.optimal import TIE, Case, Found, first_of_equals, grid_of

MOST_ROWS = 20  # each set of rows has a place in memory
MOST_SETS = 2**18  # of rows, by depth, that trees part a table into
MOST_CELLS = 16  # each function has a place in memory
NONE = 255  # splits of a function that no tree is
DIGITS = 6  # of an objective
Sizes = Counter[tuple[float, int]]  # trees by objective and splits


# ---- the least objective, by trying every split of every set of rows: no bound, no order


class EveryTree:
    """All trees of a depth at most, over questions (n_samples, n_questions) that any split may ask."""

    def __init__(self, answers: np.ndarray, case: Case, depth: int, leaf_share: float = 0.0):
        n = len(case.y)
        assert n <= MOST_ROWS
        loss = _sums(case.weight[:, None] * case.cost[case.y])
        self._leaf = loss.min(axis=1)
        self._is_heavy = _sums(case.weight[:, None])[:, 0] >= leaf_share * case.weight.sum() - TIE
        self._yes = np.unique(sets_of(answers))
        self._place = np.zeros((depth + 1, 2**n), np.int32)  # of a set of rows in the next array
        self._least, self._n_sets = np.empty((MOST_SETS, 2**depth)), np.zeros(1, np.int64)  # by place and splits
        self.all, self.depth = 2**n - 1, depth

    def by_splits(self, rows: int | None = None, depth: int | None = None) -> np.ndarray:
        """Return the least objective of trees on these rows with at most 0, 1, 2, ... splits."""
        rows, depth = self.all if rows is None else rows, self.depth if depth is None else depth
        place = _solve(self._yes, self._leaf, self._is_heavy, self._place, self._least, self._n_sets, depth, rows)
        return self._least[place, : 2**depth]

    def least(self, max_splits: int | None = None) -> Found:
        """Return the least objective of all trees, and the fewest splits that reach it."""
        return found(self.by_splits(), max_splits)

    def least_begun(self, forced: Mapping[str, np.ndarray], max_splits: int | None = None) -> Found:
        """Return that of all trees that begin with splits: the answers (n_samples,) to them by path."""
        return found(
            self._begun("", self.all, {path: int(sets_of(yes)[0]) for path, yes in forced.items()}), max_splits
        )

    def _begun(self, path: str, rows: int, forced: dict[str, int]) -> np.ndarray:
        depth = self.depth - len(path)
        if path not in forced:
            return self.by_splits(rows, depth)
        sides = (
            self._begun(path + "L", rows & forced[path], forced),
            self._begun(path + "R", rows & ~forced[path], forced),
        )
        table = np.full(2**depth, np.inf)
        for i, left in enumerate(sides[0]):
            for j, right in enumerate(sides[1]):
                table[i + j + 1] = min(table[i + j + 1], left + right)
        return table


def found(by_splits: np.ndarray, max_splits: int | None) -> Found:
    """Return the least of a table, and its place."""
    table = by_splits if max_splits is None else by_splits[: max_splits + 1]
    return Found(float(table.min()), int(np.argmax(table <= table.min() + TIE)))


def sets_of(answers: np.ndarray) -> np.ndarray:
    """Return the rows that answer yes to each question, or to one, as numbers."""
    columns = np.asarray(answers, dtype=np.int64).reshape(len(answers), -1)
    return (columns << np.arange(len(columns))[:, None]).sum(axis=0)


def _sums(of_rows: np.ndarray) -> np.ndarray:
    """Return the sums (2 ** n, k) of every set of rows; `of_rows` (n, k)."""
    sums = np.zeros((1, of_rows.shape[1]))
    for row in of_rows:
        sums = np.concatenate([sums, sums + row])
    return sums


@numba.njit(cache=True)
def _solve(yes, leaf, is_heavy, places, least, n_sets, depth, rows):
    """Write the least objectives of a set of rows by number of splits; return their place."""
    if places[depth, rows]:
        return places[depth, rows]
    n_sets[0] += 1
    place = n_sets[0]
    assert place < MOST_SETS
    places[depth, rows] = place
    table = least[place]
    table[: 2**depth] = leaf[rows]
    if depth > 0:
        for some in yes:
            left, right = rows & some, rows & ~some
            if left and right and is_heavy[left] and is_heavy[right]:
                a = least[_solve(yes, leaf, is_heavy, places, least, n_sets, depth - 1, left)]
                b = least[_solve(yes, leaf, is_heavy, places, least, n_sets, depth - 1, right)]
                for i in range(2 ** (depth - 1)):
                    for j in range(2 ** (depth - 1)):
                        table[i + j + 1] = min(table[i + j + 1], a[i] + b[j])
        for splits in range(1, 2**depth):
            table[splits] = min(table[splits], table[splits - 1])
    return place


# ---- every function, with the fewest splits that make it


class Size(NamedTuple):
    """How large a tree may be."""

    depth: int
    splits: int
    leaf_share: float = 0.0


def n_cells(questions: Questions) -> int:
    """Return how many cells the questions tell apart."""
    return len(np.unique(answers(questions, grid_of(questions)), axis=0))


class EveryFunction:
    """The functions of all trees over some questions: a class for each cell that the questions tell apart."""

    def __init__(self, questions: Questions, case: Case, size: Size, are_equals_one: bool = False):
        """With `are_equals_one` only the first counts of questions that part the rows alike."""
        given, loss = answers(questions, case.X), case.weight[:, None] * case.cost[case.y]
        kept = first_of_equals(given) if are_equals_one else np.arange(given.shape[1])
        self._grid, given = grid_of(questions), given[:, kept]
        there, self._cell = np.unique(answers(questions, self._grid)[:, kept], axis=0, return_inverse=True)
        assert len(there) <= MOST_CELLS
        cell = (given[:, None, :] == there).all(axis=2).argmax(axis=1)  # of each row
        self._loss, self._weight = (np.zeros((len(there), k)) for k in (2, 2))
        np.add.at(self._loss, cell, loss)
        np.add.at(
            self._weight, cell, np.column_stack([np.ones(len(cell)), case.weight])
        )  # rows, and what they weigh
        self._least = np.array([1, size.leaf_share * case.weight.sum()]) - TIE
        self._yes, self._size = np.unique(sets_of(there)).tolist(), size
        self._known: dict[tuple[int, int], np.ndarray] = {}
        n_splits = np.full(2 ** len(there), NONE, np.uint8)
        for function, splits in self._of(2 ** len(there) - 1, size.depth):
            n_splits[function] = splits
        self.n_splits = np.where(n_splits <= size.splits, n_splits, NONE)
        self.objective = self._loss[:, 0].sum() + _bits(len(there)) @ (self._loss[:, 1] - self._loss[:, 0])

    def least(self, directions: np.ndarray) -> Found:
        """Return the least objective of what keeps to directions, and the fewest splits that reach it."""
        kept = self.n_splits < NONE
        number = np.arange(len(kept))
        for low, high in _steps(self._grid, directions):
            kept &= (number >> self._cell[low] & 1) <= (number >> self._cell[high] & 1)
        best = self.objective[kept].min()
        return Found(float(best), int(self.n_splits[kept & (self.objective <= best + TIE)].min()))

    def n_within(self, slack: float) -> int:
        """Return how many there are within a slack of the best one."""
        objective = self.objective[self.n_splits < NONE]
        return int(np.count_nonzero(objective <= objective.min() + slack + TIE))

    def _of(self, box: int, depth: int) -> np.ndarray:
        """Return the functions on a box, 0 outside, each with its fewest splits (n, 2) int64."""
        if (box, depth) not in self._known:
            fewest = np.full(box + 1, NONE, np.uint8)
            fewest[[0, box]] = 0
            for yes in self._yes if depth else ():
                if self._is_leaf(box & yes) and self._is_leaf(box & ~yes):
                    _join(self._of(box & yes, depth - 1), self._of(box & ~yes, depth - 1), fewest)
            functions = np.flatnonzero(fewest < NONE)
            self._known[box, depth] = np.column_stack([functions, fewest[functions]])
        return self._known[box, depth]

    def _is_leaf(self, box: int) -> bool:
        inside = [cell for cell in range(len(self._weight)) if box >> cell & 1]
        return bool((self._weight[inside].sum(axis=0) >= self._least).all())


def _steps(grid: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return pairs of places on the grid that differ in one directed column alone, the lower one first."""
    low, high = grid[:, None], grid[None]
    differ = ~((low == high) | np.isnan(low) & np.isnan(high))
    rises = np.where(directions > 0, low < high, (directions < 0) & (low > high)).any(axis=2)
    return np.argwhere((differ.sum(axis=2) == 1) & rises)


def _bits(n: int) -> np.ndarray:
    return np.arange(2**n)[:, None] >> np.arange(n) & 1


@numba.njit(cache=True)
def _join(left, right, fewest):
    """Note the functions of splits with these sides."""
    for f, a in left:
        for g, b in right:
            fewest[f | g] = min(fewest[f | g], a + b + 1)


# ---- how many trees there are of each objective and number of splits, by products over both sides of every split
#
# Splits of one column that part the rows alike, or opposite, are one split; one with two leaves of the same class
# is none.


def sizes_within(table: Table, slack: float, depth: int, max_splits: int | None = None) -> Sizes:
    """Return how many trees there are within a slack of the best one."""
    every = _sizes(table, frozenset(range(len(table.loss))), depth, {})
    sizes = {size: n for size, n in every.items() if n and (max_splits is None or size[1] <= max_splits)}
    limit = min(objective for objective, _ in sizes) + slack + 10**-DIGITS
    return Counter({size: n for size, n in sizes.items() if size[0] <= limit})


def _sizes(table: Table, rows: frozenset[int], depth: int, known: dict) -> Sizes:
    if (rows, depth) not in known:
        sizes = Counter((round(cost, DIGITS), 0) for cost in _leaves(table, rows))
        for _, sides in splits_of(table, rows) if depth else ():
            left, right = (_sizes(table, side, depth - 1, known) for side in sides)
            for (a, i), n in left.items():
                for (b, j), m in right.items():
                    sizes[round(a + b, DIGITS), i + j + 1] += n * m
            for a, b in zip(*(_leaves(table, side) for side in sides), strict=True):
                sizes[round(round(a, DIGITS) + round(b, DIGITS), DIGITS), 1] -= 1
        known[rows, depth] = sizes
    return known[rows, depth]


def _leaves(table: Table, rows: frozenset[int]) -> list[float]:
    """Return the cost of a leaf of each class."""
    return table.loss[sorted(rows)].sum(axis=0).tolist()
