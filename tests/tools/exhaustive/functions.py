"""Every function that a tree of two classes is, with the fewest splits that make it.

A function gives a class to each cell of the product of what is asked about each feature; it is a number, whose
bits are the cells of class 1. No split leaves a side without rows, or one that is too light for a leaf.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from espalier.data.binarise import Questions, answers
from tests.tools.exhaustive.classes import sets_of
from tests.tools.naive.monotone_trees import steps
from tests.tools.naive.optimal import TIE, Case, Found, first_of_equals, grid_of

MOST_CELLS = 16  # each function has a place in memory
NONE = 255  # splits of a function that no tree is


class Size(NamedTuple):
    """How large a tree may be."""

    depth: int
    splits: int
    leaf_share: float = 0.0


def n_cells(questions: Questions) -> int:
    """Return how many cells the questions tell apart."""
    return len(np.unique(answers(questions, grid_of(questions)), axis=0))


class EveryFunction:
    """The functions of all trees over some questions.

    Cells that questions do not tell apart are one.
    """

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
        for low, high in steps(self._grid, directions):
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


def _bits(n: int) -> np.ndarray:
    return np.arange(2**n)[:, None] >> np.arange(n) & 1


@numba.njit(cache=True)
def _join(left, right, fewest):
    """Note the functions of splits with these sides."""
    for f, a in left:
        for g, b in right:
            fewest[f | g] = min(fewest[f | g], a + b + 1)
