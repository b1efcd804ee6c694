"""Surveys of sets of rows: the least cost of a tree with each question at its top.

A survey goes through pairs of questions that are written out, or through sorted rows over every threshold. The
graph of trees is the same either way.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import answers
from espalier.kernels.optimal.thresholds.cut_survey import (
    CutTable,
    SurveyScratch,
    begin_chain,
    make_survey_scratch,
    note_orders,
    open_cuts,
    stump_costs,
    sum_cuts,
    write_chain,
)
from espalier.kernels.optimal.thresholds.nodes import NEVER as NO_LIMIT
from espalier.kernels.optimal.thresholds.nodes import SortedNode
from espalier.kernels.optimal.thresholds.search import (
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
    run,
)
from espalier.learners.optimal.near_optimal import NEVER, RowsFacts, RowsPlace, StoppedEarly
from espalier.learners.optimal.problem import (
    DistinctQuestions,
    RankedColumns,
    column_keys,
    merge_rows,
    ranked_columns,
    varying_columns,
)
from espalier.learners.optimal.threshold_search import ClassRows, ThresholdSearch
from espalier.learners.optimal.tree_builder import BuildingData
from espalier.progress import Progress

# ---- all questions that part the rows


class AllQuestions(NamedTuple):
    """The questions that part the rows, each with the column of a search that stands for it.

    A search keeps one column of those that part all rows alike, of whatever features; here each has a place.
    """

    inputs: BuildingData  # its columns are the questions' places
    feature: list[int]  # of each place
    column: list[int]  # of the search
    swapped: list[int]  # 1 where the column of the search is 0 for the answer yes
    order: list[int]  # the places by threshold


def all_questions(inputs: BuildingData, X: np.ndarray) -> AllQuestions:
    """Return the questions of the inputs of a search. Raises ValueError for X that it was not made of.

    `X` (n_samples, n_features) are its samples.
    """
    if len(X) != len(inputs.label):
        raise ValueError(f"the model was fitted to {len(inputs.label)} samples, these are {len(X)}")
    none = np.zeros(len(inputs.questions.feature), dtype=bool)
    varying = varying_columns(answers(inputs.questions, X), none)
    search_columns = {key: column for column, key in enumerate(column_keys(inputs.columns.bits))}
    keys = column_keys(varying.bits)
    places = np.array([place for place, key in enumerate(keys) if key in search_columns], np.int64)
    column = np.array([search_columns[keys[place]] for place in places], np.int64)
    bits = varying.bits[:, places]
    numbers = varying.question[places]
    if set(column.tolist()) != set(search_columns.values()):
        raise ValueError("these are not the samples that the model was fitted to")
    columns = DistinctQuestions(numbers, np.zeros(len(places), dtype=bool), bits)
    is_swapped = bits[0] != inputs.columns.bits[0, column] if len(places) else none[:0]
    return _ordered_questions(inputs._replace(columns=columns), column, is_swapped)


def _ordered_questions(inputs: BuildingData, column: np.ndarray, is_swapped: np.ndarray) -> AllQuestions:
    """Return the questions of these inputs with their order."""
    numbers = inputs.columns.question
    threshold = np.nan_to_num(inputs.questions.threshold[numbers], nan=-np.inf)
    feature, order = inputs.questions.feature[numbers].tolist(), np.lexsort((numbers, threshold)).tolist()
    return AllQuestions(inputs, feature, column.tolist(), is_swapped.astype(int).tolist(), order)


# ---- surveys over every threshold, by sorted rows


def _drop_constants(columns: RankedColumns) -> RankedColumns:
    """Return the chains without questions that all rows answer alike."""
    ranks, questions = [], []
    for rank, numbers in zip(columns.rank.T, columns.question, strict=True):
        counts = np.cumsum(np.bincount(rank, minlength=len(numbers) + 1))[:-1]
        varies = (counts > 0) & (counts < len(rank))
        ranks.append(np.concatenate([[0], np.cumsum(varies)])[rank])
        questions.append(numbers[varies])
    rank = np.array(ranks, np.int32).reshape(len(ranks), len(columns.rank)).T
    return columns._replace(rank=np.ascontiguousarray(rank), question=questions)


def _cut_table(rows, start: np.ndarray) -> CutTable:
    rank = np.ascontiguousarray(rows.bits.T, np.int32)
    order = np.argsort(rank, axis=1, kind="stable").astype(np.int32)
    name = np.random.default_rng(2).integers(-(2**63), 2**63, (2, len(rows.worth)), dtype=np.int64)
    gains = np.ascontiguousarray(rows.earned, np.int32).ravel()
    return CutTable(rank.ravel(), order.ravel(), start, gains, rows.worth.astype(np.int64), name)


class SortedSurveyor:
    """Surveys of the rows of a table; one thread may use it. Trees may have any splits, and leaves any weight."""

    def __init__(self, search: ThresholdSearch, X: np.ndarray, progress: Progress):
        """Survey a search that has come to its end. Raises ValueError for other samples X.

        Rows that all questions answer alike are one. Work ends where `progress` is stopped.
        """
        if not np.array_equal(X, search.X, equal_nan=True):
            raise ValueError("these are not the samples that the model was fitted to")
        self.unit, self.limits, self._progress = 1 << search.limits.max_depth, search.limits, progress
        every = np.zeros(X.shape[1], np.int64)  # no directions: all chains stay, those that others hold, too
        columns = _drop_constants(ranked_columns(search.inputs.questions, X, every))
        rows = merge_rows(columns.rank, search.inputs.label, search.costs)
        self.optimum = search.least_cost + search.unavoidable - rows.unavoidable  # cost of the best tree
        sizes = [len(chain) for chain in columns.question]
        self._chain = np.repeat(np.arange(len(sizes)), sizes)  # of each question
        # Rows of at most this rank answer a question yes.
        self._rank = np.concatenate([np.empty(0, np.int32), *(np.arange(size, dtype=np.int32) for size in sizes)])
        numbers, n = np.concatenate([np.empty(0, np.int64), *columns.question]), len(self._chain)
        bits = columns.rank[:, self._chain] <= self._rank
        inputs = search.inputs._replace(columns=DistinctQuestions(numbers, np.zeros(n, dtype=bool), bits))
        self.questions = _ordered_questions(inputs, np.arange(n), np.zeros(n))  # each is its column, too
        self._cuts = _cut_table(rows, np.concatenate([[0], np.cumsum(sizes)]))
        self._ranks, self._n_classes = self._cuts.rank.reshape(len(sizes), -1), rows.earned.shape[1]
        self._scratch = make_survey_scratch(self._cuts)
        self._values = DeepValues(ClassRows(columns, rows), rows.worth > 0, progress.stop_flag)
        first, second = np.bitwise_xor.reduce(self._cuts.name, axis=1).tolist()
        # The column after the last one represents all rows.
        self.root = RowsPlace(((n, 1),), (first, second), self.limits.max_depth)

    def facts(self, place: RowsPlace, goal: int) -> RowsFacts:
        """Return the facts of the rows of a place.

        Least values below the goal are exact, others may be lower bounds. Raises StoppedEarly.
        """
        inside, left, budget = self._rows(place), place.left, goal // self.unit - 1
        n = len(self._chain)
        names, savings = np.empty((2, n + 1), np.int64), np.empty((self._n_classes + 1, n + 1), np.int64)
        sum_cuts(self._cuts, inside, names, savings)
        costs = savings[-1] - savings[:-1]
        if left == 1:
            sides = np.stack([costs[:, n:] - costs[:, :n], costs[:, :n]])
            best, low = _two_leaves(sides), sides.min(axis=1)
        else:
            low = np.empty((2, n), np.int64)
            if left == 2:
                stump_costs(self._cuts, inside, budget, low, self._scratch)
            else:
                self._write_deep(inside, left - 1, budget, names, low)
            best = low.sum(axis=0)
        best[(names[0, :n] == 0) | (names[0, :n] == names[0, n])] = NEVER
        if self._progress.is_stopped:
            raise StoppedEarly
        return RowsFacts(best * self.unit, low * self.unit, names[:, :n], costs)

    def _rows(self, place: RowsPlace) -> np.ndarray:
        """Return which rows are those of a place, (n_rows,) bool."""
        inside = np.ones(self._ranks.shape[1], dtype=bool)
        for question, side in place.path[1:]:
            is_yes = self._ranks[self._chain[question]] <= self._rank[question]
            inside &= is_yes if side else ~is_yes
        return inside

    def _write_deep(self, inside: np.ndarray, depth: int, budget: int, names: np.ndarray, low: np.ndarray) -> None:
        """Write the least costs of both sides of each question by trees of this depth, as `stump_costs` does.

        `names` are those of `sum_cuts`.
        """
        cuts, scratch, find_least = self._cuts, self._scratch, self._values.least
        everything, worth = names[:, -1], int(cuts.worth[inside].sum())
        least = find_least(everything, inside, depth, NEVER // 2)
        note_orders(cuts, inside, scratch)
        for f, (start, n_cuts) in enumerate(zip(cuts.start[:-1].tolist(), scratch.n_cuts.tolist(), strict=True)):
            begin_chain(cuts, scratch, f, least, worth)
            before, bound = scratch.behind[:n_cuts], scratch.bound
            scratch.solved[:n_cuts] |= (before == 0) | (before == worth)
            while (n_open := open_cuts(scratch, n_cuts, budget)) and not self._progress.is_stopped:
                cut, reach = _middle_cut(scratch, n_open)
                rank = self._ranks[f, scratch.order[f * len(inside) + scratch.end[f, cut]]]
                name, is_yes = names[:, start + rank - 1], inside & (self._ranks[f] < rank)
                right, most = int(bound[1, cut]), budget + reach
                left = find_least(name, is_yes, depth, most - right)
                if left + right <= most:
                    right = find_least(name ^ everything, inside & ~is_yes, depth, most - left)
                bound[0, cut], bound[1, cut] = left, right
                scratch.solved[:n_cuts] |= before == before[cut]  # only rows that cost nothing are between
            write_chain(cuts, scratch, f, low)


def _middle_cut(scratch: SurveyScratch, n_open: int) -> tuple[int, int]:
    """Return the cut in the middle of the longest run of open ones, and the worth of the rows to its run's ends.

    Bounds so far beyond the budget close the run.
    """
    cuts = scratch.open[:n_open]
    breaks = np.flatnonzero(np.diff(cuts) > 1)
    first, last = cuts[np.r_[0, breaks + 1]], cuts[np.r_[breaks, n_open - 1]]
    longest = int(np.argmax(last - first))
    cut = int(first[longest] + last[longest]) // 2
    worth = scratch.behind[[first[longest], cut, last[longest]]].tolist()
    return cut, max(worth[1] - worth[0], worth[2] - worth[1])


def _two_leaves(sides: np.ndarray) -> np.ndarray:
    """Return the least cost of two leaves of different classes; `sides` (2, n_classes, n) is the cost of each."""
    cost = np.full(sides.shape[2], NEVER)
    for a, b in itertools.permutations(range(sides.shape[1]), 2):
        np.minimum(cost, sides[1, a] + sides[0, b], out=cost)
    return cost


# ---- the least costs of deep trees on some of the rows


class DeepValues:
    """Least costs by set of rows and depth, each searched once for a limit."""

    def __init__(self, rows: ClassRows, is_earning: np.ndarray, stop: np.ndarray):
        """`rows` are those of the mask `is_earning` (n_rows,), at which a prediction saves anything.

        `stop` (1,) int64 ends a search; what it returns is then no bound.
        """
        self._stop = stop
        self._samples, self._all = rows.samples(1, 0)
        row = np.cumsum(self._samples.worth > 0) - 1
        self._row = np.flatnonzero(is_earning)[row]  # of each sample
        self._order = self._all.order.reshape(len(self._all.n_cuts), -1)
        self._stacks: dict[int, SearchStack] = {}
        self._known: dict[tuple[int, int, int], tuple[int, int]] = {}  # bound, and up to which limit it is exact

    def least(self, name: np.ndarray, inside: np.ndarray, depth: int, limit: int) -> int:
        """Return the least cost of trees of this depth, of at least 2, on the rows of the mask `inside` (n_rows,).

        It is exact if it is at most the limit, else a lower bound above the limit. `name` (2,) is the rows' name.
        """
        key = (*name.tolist(), depth)
        bound, exact_to = self._known.get(key, (0, -1))
        if bound <= limit and exact_to < limit:
            bound = self._search(inside, depth, limit)
            self._known[key] = bound, NO_LIMIT if bound <= limit else limit
        return bound

    def _search(self, inside: np.ndarray, depth: int, limit: int) -> int:
        is_inside = inside[self._row]
        if not is_inside.any():
            return 0
        stack = self._stack(depth)
        size = int(is_inside.sum())
        order = self._order[is_inside[self._order]].reshape(-1, size)
        stack.root.order.reshape(self._order.shape)[:, :size] = order
        stack.root.size[0] = size
        _begin(stack, depth, limit)
        run(stack)
        if stack.state[AT] != DONE:
            return 0
        return int(stack.levels.found[0, VALUE if stack.levels.found[0, VALUE] <= limit else BOUND])

    def _stack(self, depth: int) -> SearchStack:
        if depth not in self._stacks:
            node = self._all
            root = SortedNode(node.order.copy(), node.size.copy(), *(field.copy() for field in node[2:]))
            size = SearchSize(depth, 2**depth - 1)
            self._stacks[depth] = make_search(self._samples, root, size, self._stop)
        return self._stacks[depth]


def _begin(stack: SearchStack, depth: int, limit: int) -> None:
    """Set a search to its beginning, with a limit of its value."""
    stack.state[:], stack.hint[:] = 0, -1
    stack.state[MOST] = NO_LIMIT
    stack.levels.work[:], stack.levels.found[:] = 0, 0
    stack.levels.work[0, IS_NEW], stack.levels.found[0, LIMIT] = 1, limit + 1
    stack.levels.work[0, SPLITS], stack.levels.found[0, VALUE] = 2**depth - 1, NO_LIMIT
