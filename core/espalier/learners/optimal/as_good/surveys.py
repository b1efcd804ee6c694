"""What is known of a set of rows: the least cost of a tree with each question at its top."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from espalier.kernels.optimal.bounds_table import UNKNOWN
from espalier.kernels.optimal.run import survey
from espalier.learners.optimal.near_optimal import ExploredSets

EXACT = 3  # splits on a path up to which a survey is exact for every question
NEVER = UNKNOWN  # cost of trees that there are not

Path = tuple[tuple[int, int], ...]  # answers on the way to a node: column, and 0 or 1


class StoppedEarly(Exception):
    """The work was stopped before it came to its end."""


class RowsFacts(NamedTuple):
    """A set of rows: costs are whole numbers, above those that no tree can avoid."""

    leaves: tuple[int, ...]  # cost of a leaf of each class
    best: np.ndarray  # (n_columns,) int64: least cost of a tree with this question at the top; NEVER for none
    low: np.ndarray  # (2, n_columns) int64: least costs of its two sides; [1]: answer 1
    names: np.ndarray  # (2, n_columns) int64: names of the rows that answer 1, combined
    sides: np.ndarray  # (2, n_columns, n_classes) int64: cost of a leaf of each class, on each side


class TreeSize(NamedTuple):
    """The greatest size of a tree."""

    depth: int
    splits: int

    def splits_below(self, left: int) -> int:
        """Return the most splits of a subtree with `left` splits on a path at most; below 0 for none at all."""
        return min(self.splits - (self.depth - left), 2**left - 1)


class AnySurveyor(Protocol):
    """What surveys sets of rows."""

    unit: int  # value of a tree: its cost, times this, and the number of its splits
    size: TreeSize
    exact: int  # splits on a path up to which a survey is exact for every question
    root: Path
    all_rows: tuple[int, int]  # names, combined

    def facts(self, path: Path, left: int, budget: int) -> RowsFacts:
        """Return the facts of the rows at the end of a path, as `Surveyor` does."""
        ...


class Surveyor:
    """Surveys of the rows of a search; one thread may use it."""

    exact = EXACT  # splits on a path up to which a survey is exact for every question

    def __init__(self, sets: ExploredSets, size: TreeSize):
        self.unit, self.size, self._thread = sets.unit, size, sets.thread
        first, second = self._thread.level.rows[0].tolist()
        self.all_rows = first, second
        self.root: Path = ((len(sets.cells.feature), 1),)  # the column after the last one represents all rows

    def facts(self, path: Path, left: int, budget: int) -> RowsFacts:
        """Return the facts of the rows at the end of a path, below which there are `left` splits at most.

        Least costs within the budget are exact, others may be lower bounds. Raises StoppedEarly.
        """
        goal = UNKNOWN if left <= self.exact else (budget + 1) * self.unit
        splits = max(self.size.splits_below(left), 0)
        known = survey(self._thread, np.array(path, np.int64), left, splits, goal)
        if self._thread.stop[0]:
            raise StoppedEarly
        *earned, worth = known.sums.astype(np.int64)
        ones = worth - np.array(earned)
        leaves = ones[:, -1]
        sides = np.stack([leaves[:, None] - ones, ones]).transpose(0, 2, 1)
        best = np.where(known.best >= UNKNOWN, NEVER, known.best // self.unit)
        return RowsFacts(tuple(leaves.tolist()), best, known.low // self.unit, known.yes, sides)
