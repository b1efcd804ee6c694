"""Surveys of sets of rows over every threshold: which questions may begin a tree within a budget."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from espalier.kernels.optimal.thresholds.cut_survey import QuestionSums, make_survey_scratch, stump_costs, sum_cuts
from espalier.learners.optimal.as_good.every_threshold.deep_values import DeepValues
from espalier.learners.optimal.as_good.every_threshold.table import SurveyTable
from espalier.learners.optimal.as_good.surveys import NEVER, Path, RowsFacts, StoppedEarly, TreeSize
from espalier.progress import Progress


class SortedSurveyor:
    """Surveys of the rows of a table; one thread may use it. Trees may have any splits, and leaves any weight."""

    exact = 1  # splits on a path up to which a survey is exact for every question

    def __init__(self, table: SurveyTable, size: TreeSize, progress: Progress):
        """Until `progress` is stopped."""
        self.unit, self.size, self._table, self._progress = 1 << size.depth, size, table, progress
        cuts, n = table.cuts, len(table.chain)
        self._n_classes = len(cuts.earned) // max(len(cuts.worth), 1)
        self._ranks = cuts.rank.reshape(len(cuts.start) - 1, -1)
        self._scratch, self._values = make_survey_scratch(cuts), DeepValues(table, progress.stop_flag)
        first, second = np.bitwise_xor.reduce(cuts.name, axis=1).tolist()
        self.all_rows = first, second
        self.root: Path = ((n, 1),)  # the column after the last one represents all rows

    def facts(self, path: Path, left: int, budget: int) -> RowsFacts:
        """Return the facts of the rows at the end of a path, below which there are `left` splits at most.

        Least costs within the budget are exact, others may be lower bounds. Raises StoppedEarly.
        """
        inside = self._rows(path)
        n = len(self._table.chain)
        sums = QuestionSums(np.empty((2, n + 1), np.int64), np.empty((self._n_classes + 1, n + 1), np.int64))
        sum_cuts(self._table.cuts, inside, sums)
        yes = sums.saved[-1, :n] - sums.saved[:-1, :n]
        leaves = sums.saved[-1, n] - sums.saved[:-1, n]
        sides = np.stack([leaves[:, None] - yes, yes])
        if left == 1:
            best, low = _two_leaves(sides), sides.min(axis=1)
        else:
            low = self._stumps(inside, budget) if left == 2 else self._deep(inside, sums, left - 1, budget)
            best = low.sum(axis=0)
        names = sums.names[:, :n]
        best[(names[0] == 0) | (names[0] == sums.names[0, n])] = NEVER
        if self._progress.is_stopped:
            raise StoppedEarly
        return RowsFacts(tuple(leaves.tolist()), best, low, names, sides.transpose(0, 2, 1))

    def _rows(self, path: Path) -> np.ndarray:
        """Return which rows give the answers of a path, (n_rows,) bool."""
        inside = np.ones(self._ranks.shape[1], dtype=bool)
        for question, side in path[1:]:
            is_yes = self._ranks[self._table.chain[question]] <= self._table.rank[question]
            inside &= is_yes if side else ~is_yes
        return inside

    def _stumps(self, inside: np.ndarray, budget: int) -> np.ndarray:
        low = np.empty((2, len(self._table.chain)), np.int64)
        stump_costs(self._table.cuts, inside, budget, low, self._scratch)
        return low

    def _deep(self, inside: np.ndarray, sums: QuestionSums, depth: int, budget: int) -> np.ndarray:
        """Return the least costs of both sides of each question by trees of this depth, as `stump_costs` does."""
        low = np.empty((2, len(self._table.chain)), np.int64)
        whole = self._least(sums.names[:, -1], inside, depth, NEVER // 2)
        for f, start in enumerate(self._table.cuts.start[:-1].tolist()):
            end = int(self._table.cuts.start[f + 1])
            chain = _Chain(sums.saved[-1, start:end], int(sums.saved[-1, -1]), whole)
            while (root := chain.next(budget)) is not None and not self._progress.is_stopped:
                place, names = root.place, sums.names[:, start + root.place]
                is_yes, most = inside & (self._ranks[f] <= place), budget + root.reach
                left, right = self._least(names, is_yes, depth, most - int(chain.right[place])), chain.right[place]
                if left + right <= most:
                    right = self._least(names ^ sums.names[:, -1], inside & ~is_yes, depth, most - left)
                chain.keep(place, left, int(right))
            low[1, start:end], low[0, start:end] = chain.left, chain.right
        return low

    def _least(self, names: np.ndarray, inside: np.ndarray, depth: int, limit: int) -> int:
        first, second = names.tolist()
        return self._values.least((first, second), inside, depth, limit)


class NextRoot(NamedTuple):
    """A question that is to be solved."""

    place: int  # in its chain
    reach: (
        int  # worth of the rows between it and the ends of its run: bounds so far beyond the budget close the run
    )


class _Chain:
    """Least costs on both sides of the questions of a chain, and lower bounds of those that are not known."""

    def __init__(self, worth: np.ndarray, total: int, whole: int):
        """`worth` is that of the rows that answer yes, `total` that of all rows, on which a tree costs `whole`."""
        self._worth, self._done = worth, np.zeros(len(worth), dtype=bool)
        self.left, self.right = np.maximum(whole - total + worth, 0), np.maximum(whole - worth, 0)
        self._done[(worth == 0) | (worth == total)] = True

    def next(self, budget: int) -> NextRoot | None:
        """Return a question in the middle of the longest run of those that may be a root within the budget."""
        (places,) = np.nonzero(~self._done & (self.left + self.right <= budget))
        if not len(places):
            return None
        breaks = np.flatnonzero(np.diff(places) > 1)
        first, last = places[np.r_[0, breaks + 1]], places[np.r_[breaks, len(places) - 1]]
        longest = int(np.argmax(last - first))
        place = int(first[longest] + last[longest]) // 2
        worth = self._worth[[first[longest], place, last[longest]]].tolist()
        return NextRoot(place, max(worth[1] - worth[0], worth[2] - worth[1]))

    def keep(self, place: int, left: int, right: int) -> None:
        """Take the costs of a question, or bounds, and spread them to the others.

        More rows never cost less, as leaves may have any weight and trees all the splits of their depth; and they
        cost more by at most what the rows between are worth.
        """
        is_known = self._worth == self._worth[place]  # the same costs: only rows that cost nothing are between
        self._done |= is_known
        step = self._worth - self._worth[place]
        behind = step >= 0
        np.maximum(self.left, np.where(behind, left, left + step), out=self.left)
        np.maximum(self.right, np.where(behind, right - step, right), out=self.right)


def _two_leaves(sides: np.ndarray) -> np.ndarray:
    """Return the least cost of two leaves of different classes; `sides` (2, n_classes, n) is the cost of each."""
    found = np.full(sides.shape[2], NEVER)
    for a, b in itertools.permutations(range(sides.shape[1]), 2):
        np.minimum(found, sides[1, a] + sides[0, b], out=found)
    return found
