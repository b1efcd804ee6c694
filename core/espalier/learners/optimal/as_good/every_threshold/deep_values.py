"""The least cost of deep trees on some of the rows: the search over every threshold, a set of rows at a time."""

from __future__ import annotations

import numpy as np

from espalier.kernels.optimal.thresholds.points import NEVER
from espalier.kernels.optimal.thresholds.samples import SortedNode
from espalier.kernels.optimal.thresholds.search import run
from espalier.kernels.optimal.thresholds.stack import (
    AT,
    BOUND,
    DONE,
    IS_NEW,
    LIMIT,
    MOST,
    SPLITS,
    VALUE,
    SearchSize,
    SearchStack,
    make_search,
)
from espalier.learners.optimal.as_good.every_threshold.table import SurveyTable


class DeepValues:
    """Least costs by set of rows and depth, each searched once for a limit."""

    def __init__(self, table: SurveyTable, stop: np.ndarray):
        """`stop` (1,) int64 ends a search; what it returns is then no bound."""
        self._table, self._stop = table, stop
        self._samples, self._all = table.sorted.samples(1, 0)
        row = np.cumsum(self._samples.worth > 0) - 1
        self._row = np.flatnonzero(table.earning)[row]  # of each sample
        self._order = self._all.order.reshape(len(self._all.n_cuts), -1)
        self._stacks: dict[int, SearchStack] = {}
        self._known: dict[tuple[int, int, int], tuple[int, int]] = {}  # bound, and up to which limit it is exact

    def least(self, name: tuple[int, int], inside: np.ndarray, depth: int, limit: int) -> int:
        """Return the least cost of trees of this depth, of at least 2, on the rows of the mask `inside` (n_rows,).

        It is exact if it is at most the limit, else a lower bound above the limit. `name` is that of the rows.
        """
        key = (*name, depth)
        bound, exact_to = self._known.get(key, (0, -1))
        if bound <= limit and exact_to < limit:
            bound = self._search(inside, depth, limit)
            self._known[key] = bound, NEVER if bound <= limit else limit
        return bound

    def _search(self, inside: np.ndarray, depth: int, limit: int) -> int:
        kept = inside[self._row]
        if not kept.any():
            return 0
        stack = self._stack(depth)
        size = int(kept.sum())
        stack.root.order.reshape(self._order.shape)[:, :size] = self._order[kept[self._order]].reshape(-1, size)
        stack.root.size[0] = size
        _begin(stack, depth, limit)
        run(stack)
        if stack.state[AT] != DONE:
            return 0
        return int(stack.levels.found[0, VALUE if stack.levels.found[0, VALUE] <= limit else BOUND])

    def _stack(self, depth: int) -> SearchStack:
        if depth not in self._stacks:
            whole = self._all
            root = SortedNode(whole.order.copy(), whole.size.copy(), *(one.copy() for one in whole[2:]))
            size = SearchSize(depth, 2**depth - 1)
            self._stacks[depth] = make_search(self._samples, root, size, self._stop)
        return self._stacks[depth]


def _begin(stack: SearchStack, depth: int, limit: int) -> None:
    """Set a search to its beginning, with a limit of its value."""
    stack.state[:], stack.hint[:] = 0, -1
    stack.state[MOST] = NEVER
    stack.levels.work[:], stack.levels.found[:] = 0, 0
    stack.levels.work[0, IS_NEW], stack.levels.work[0, LIMIT] = 1, limit + 1
    stack.levels.work[0, SPLITS], stack.levels.found[0, VALUE] = 2**depth - 1, NEVER
