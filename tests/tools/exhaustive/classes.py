"""The least objective of all trees of classes, by trying every split of every set of rows: no bound, no order.

A set of rows is a number, whose bits are the rows. No split leaves a side without rows, or one that
is too light for a leaf.
"""

from __future__ import annotations

from collections.abc import Mapping

import numba
import numpy as np

from tests.tools.naive.optimal import TIE, Case, Found

MOST_ROWS = 20  # each set of rows has a place in memory
MOST_SETS = 2**18  # of rows, by depth, that trees part a table into


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
