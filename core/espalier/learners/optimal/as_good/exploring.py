"""The exploration of the sets of rows that trees as good have in their nodes, each once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.learners.optimal.as_good.nodes import (
    RowsNode,
    SplitNode,
    TableLimits,
    leaf_table,
    middle,
    product,
    total,
)
from espalier.learners.optimal.as_good.questions import AllQuestions
from espalier.learners.optimal.as_good.surveys import (
    NEVER,
    AnySurveyor,
    Path,
    RowsFacts,
    StoppedEarly,
)


class RowsPlace(NamedTuple):
    """A set of rows, and where in a tree it is."""

    path: Path
    rows: tuple[int, int]  # their names, combined
    left: int  # most splits on a path from here


class Explorer:
    """Explores sets of rows, each for the greatest budget that any way to it leaves."""

    def __init__(self, surveyor: AnySurveyor, questions: AllQuestions, limit: int | None = None):
        """`limit` is the greatest number of splits to keep, None for any."""
        self.surveyor, self.questions, self._limit = surveyor, questions, limit
        self._order, self._column = np.array(questions.order, np.int64), np.array(questions.column, np.int64)
        self._asked_at = np.array(questions.feature, np.int64)
        self._n_splits = 0
        self._n_features = max(questions.feature, default=-1) + 1
        self._known: dict[tuple[tuple[int, int], int], RowsNode] = {}

    def root(self, budget: int) -> RowsNode:
        """Return the node of all rows. Raises StoppedEarly, also beyond the limit."""
        all_rows = RowsPlace(self.surveyor.root, self.surveyor.all_rows, self.surveyor.size.depth)
        return self._node(all_rows, budget)

    def limits(self, left: int, budget: int) -> TableLimits:
        """Return the limits of a subtree."""
        return TableLimits(self.surveyor.unit, budget, self.surveyor.size.splits_below(left))

    def _node(self, place: RowsPlace, budget: int) -> RowsNode:
        known = self._known.get((place.rows, place.left))
        if known is None or known.budget < budget:
            facts = self.surveyor.facts(place.path, place.left, budget)
            alike = self._alike(facts, place.rows, budget)
            splits = [self._split(place, places, facts, budget) for places in alike]
            splits = [split for split in splits if split.table]
            limits = self.limits(place.left, budget)
            table = total([leaf_table(facts.leaves, limits), *(split.table for split in splits)])
            least = self._least(facts)
            is_exact = place.left <= self.surveyor.exact
            known = RowsNode(place.path, place.left, budget, facts.leaves, tuple(splits), table, least, is_exact)
            self._known[place.rows, place.left] = known
        return known

    def _alike(self, facts: RowsFacts, rows: tuple[int, int], budget: int) -> list[list[int]]:
        """Return the questions that begin a tree within the budget; those of a feature that part alike are one."""
        found: dict[tuple[int, int, int], list[int]] = {}
        good = self._order[facts.best[self._column[self._order]] <= budget]
        names = facts.names[:, self._column[good]].T.tolist()
        for place, (a, b) in zip(good.tolist(), names, strict=True):
            a, b = min((a, b), (a ^ rows[0], b ^ rows[1]))
            found.setdefault((self.questions.feature[place], a, b), []).append(place)
        return list(found.values())

    def _least(self, facts: RowsFacts) -> tuple[int, ...]:
        """Return the least cost of a tree that asks about each feature first; NEVER if it parts no rows."""
        least = np.full(self._n_features, NEVER)
        np.minimum.at(least, self._asked_at, facts.best[self._column])
        return tuple(least.tolist())

    def _split(self, here: RowsPlace, places: list[int], facts: RowsFacts, budget: int) -> SplitNode:
        self._n_splits += 1
        if self._limit is not None and self._n_splits > self._limit:
            raise StoppedEarly
        place = middle(places)
        column, swapped = self.questions.column[place], self.questions.swapped[place]
        no, yes = (self._side(here, facts, column, answer ^ swapped, budget) for answer in (0, 1))
        return SplitNode(tuple(places), no, yes, product(no, yes, self.limits(here.left, budget)))

    def _side(self, here: RowsPlace, facts: RowsFacts, column: int, side: int, budget: int) -> RowsNode:
        path, left = (*here.path, (column, side)), here.left - 1
        # The other side costs at least its bound, even with all the splits that a side may have. A node is
        # explored for the greatest budget that any way to it leaves, and has the splits that its depth leaves.
        rest = budget - int(facts.low[1 - side, column])
        if left == 0:
            leaves = tuple(facts.sides[side, column].tolist())
            return RowsNode(path, 0, rest, leaves, (), leaf_table(leaves, self.limits(0, rest)), ())
        first, second = facts.names[:, column].tolist()
        rows = (first, second) if side else (first ^ here.rows[0], second ^ here.rows[1])
        return self._node(RowsPlace(path, rows, left), rest)
