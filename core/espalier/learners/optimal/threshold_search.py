"""The search for the best tree over every threshold, by sorted columns: its questions are not written out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import answers, make_questions
from espalier.kernels.optimal.thresholds.search import run
from espalier.kernels.optimal.thresholds.solved_nodes import MOST_BYTES
from espalier.kernels.optimal.thresholds.stack import (
    AT,
    BOUND,
    DONE,
    LAST_TREES,
    MOST,
    OPEN,
    SPLITS,
    WRITTEN,
    SearchSize,
    SearchStack,
    make_search,
    ways_of,
)
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import (
    FixedLabels,
    counted_once,
    distinct_columns,
    has_room,
    least_weight,
    merge_rows,
    whole_costs,
    with_labels,
)
from espalier.learners.optimal.ranks import RankedColumns, fixed_ranks, ranked_columns
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.sorted_rows import SortedRows, Stump
from espalier.learners.optimal.tree_builder import BuildingData, tree_of_questions
from espalier.learners.optimal.tree_search import SearchLimits, TreeSearch, glances
from espalier.progress import Progress
from espalier.trees import LEAF, Tree

MANY = (
    16  # questions per column: from here on a pass over a sorted column is quicker than its questions one by one
)
LARGE, SOME = 2000, 8  # from so many rows on, a quick search on one of so many finds where to begin
FIRST_NODES = 50  # that it solves at most
MOST_LISTED, FEW_LISTED = 1000, 10  # questions in all, and of a column: of deep trees as good as the best
MOST_ANSWERS = 60_000_000  # samples times questions up to which trees over every question are counted: 60 MB
DEEPEST = 4  # deeper trees need the memory of the search over questions, where that has room
# Samples times columns squared, by depth, up to which every threshold is searched in about half a second, where
# the best tree is not noise: a pass of the search over pairs of columns takes so many steps.
QUICK_STEPS = 1_000_000  # samples times columns squared, for trees of depth two
QUICK = {1: 100_000_000, 2: 10_000_000, 3: 600_000, 4: 5_000}


def sorted_columns(
    inputs: BuildingData, X: np.ndarray, limits: SearchLimits, directions: np.ndarray | None = None,
    columns: RankedColumns | None = None,
) -> RankedColumns | None:  # fmt: skip
    """Return the columns for `ThresholdSearch`, or None where `OptimalSearch` is to search the questions.

    That search is the quicker one for few questions a column, and for deep trees unless they are too many.
    `directions` are those of the features, as in `ranked_columns`; `columns` what it returns, where that is known.
    """
    questions, n_classes = inputs.questions, len(inputs.cost)
    if n_classes < 2 or len(questions.feature) <= MANY * X.shape[1]:
        return None
    columns = columns or ranked_columns(questions, X, directions)
    is_long = columns.n_distinct > MANY * columns.rank.shape[1]
    is_flat = limits.depth <= DEEPEST or not has_room(columns.n_distinct, limits.pair_bytes(n_classes))
    return columns if is_long and is_flat else None


def every_is_quick(n_samples: int, n_features: int, max_depth: int) -> bool:
    """Return whether a search over every threshold takes less than about a second.

    >>> every_is_quick(569, 30, 3), every_is_quick(569, 30, 4), every_is_quick(150, 4, 4)
    (True, False, True)
    """
    return n_samples * n_features**2 <= QUICK.get(max_depth, 0)


class Find(NamedTuple):
    """A tree as the search writes it, and its value."""

    value: int
    tree: np.ndarray


class ReadTree(NamedTuple):
    """A tree as the search writes it, and its questions."""

    tree: np.ndarray
    questions: list[int]


class ThresholdSearch(TreeSearch):
    """A search for the best tree over questions of which all about a number are one sorted column."""

    def __init__(
        self, inputs: BuildingData, limits: SearchLimits, X: np.ndarray, columns: RankedColumns,
        fixed: FixedLabels | None = None,
    ):  # fmt: skip
        """`X` (n_samples, n_features) are the samples, `columns` their ranks; no leaf is empty of them."""
        super().__init__(inputs, limits)
        self.X, self._asked, self.n_distinct = X, columns.question, columns.n_distinct
        self.costs = whole_costs(inputs.weight, inputs.cost) if inputs.costs is None else inputs.costs
        merged = merge_rows(columns.rank, inputs.label, self.costs)
        least = least_weight(self.costs.weight, inputs.weight, limits.leaf_share)
        if fixed is not None:
            merged, least = (merged, least) if least else (counted_once(merged), 1)
            merged = with_labels(merged, fixed_ranks(columns, fixed.answers), fixed)
        self.unavoidable, self._rows = merged.unavoidable, SortedRows(columns, merged, least)
        self._unit, self._tie, self._stop = 1 << limits.max_depth, int(limits.fewest), np.zeros(1, np.int64)
        self._tree, self._value, self._low = _no_splits(1, limits.max_splits), 0, 0
        self._n_solved = 0
        self._read: ReadTree | None = None  # what `questions` read last
        self._first: SearchStack | None = None  # on some rows
        self._stack = self._make_stack()  # None once the search is over

    def _make_stack(self) -> SearchStack | None:
        """Return the search; None if there is nothing to search: then the best tree is a leaf or a stump."""
        splits, leaf = self.limits.max_splits, self._rows.worth - int(self._rows.earned.sum(axis=0).max(initial=0))
        size, memory = SearchSize(self.limits.depth, splits), min(self.limits.max_memory * 2**20, MOST_BYTES)
        if size.depth > 1 and self._rows.n_cuts:
            samples, root = self._rows.samples(self._unit, self._tie)
            self._tree, self._value = _no_splits(3, 0), leaf * self._unit
            if len(self._rows.all) >= LARGE and size.depth > 2:
                few = self._rows.some(samples, root, SOME)
                least = samples.least // SOME
                self._first = make_search(samples._replace(least=least), few, size, self._stop, memory)
            return make_search(samples, root, size, self._stop, memory)
        stump = self._rows.stump(self._rows.all) if splits else Stump(self._rows.worth - leaf)
        self._value = (self._rows.worth - stump.saved) * self._unit + self._tie * (stump.column != LEAF)
        self._low = self._value
        return None

    @property
    def aim(self) -> tuple[float, float]:
        """Return the objective of the best tree so far, and the share of cuts that cannot be a better root."""
        return self.cost_of(self._seen[0]), self._settled()

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""
        tree = self._newest().tree
        if self._read is None or not np.array_equal(self._read.tree, tree):
            self._read = ReadTree(tree, self._rows.questions(tree, self._rows.all))
        return list(self._read.questions)

    def tree_of(self, questions: list[int]) -> tuple[Tree, float]:
        """Return the tree of these `questions`, such as one of the `finds`, and its misclassification cost."""
        return tree_of_questions(self.inputs, self.X, questions)

    def cost_of(self, value: int) -> float:
        """Return the misclassification cost of trees of this value."""
        return float((value // self._unit + self.unavoidable) / self.costs.scale)

    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Return trees within the slack of the optimum, which must be proved, until `progress` is stopped.

        Unless `lists_every`, they ask only the questions of the best tree and a few others of each column.
        """
        asked = self._listed()
        questions = make_questions(*(field[asked] for field in self.inputs.questions))
        columns = distinct_columns(answers(questions, self.X))
        search = OptimalSearch(self.inputs._replace(questions=questions, columns=columns), self.limits)
        # Rows that only other questions part are merged there, at a cost that no tree avoids.
        search.accept(self._value + (self.unavoidable - search.rows.unavoidable) * self._unit)
        return search.near(slack, limit, progress)

    @property
    def least_cost(self) -> int:
        """Cost of the best tree so far in whole numbers, without what no tree avoids."""
        return self._newest().value // self._unit

    @property
    def is_surveyed(self) -> bool:
        """Whether trees as good can be counted in sorted columns: with any splits, and leaves of any weight."""
        limits, n = self.limits, len(self.inputs.questions.feature)
        is_plain = limits.max_splits >= 2**limits.max_depth - 1 and not limits.leaf_share
        return is_plain and 1 < limits.max_depth <= DEEPEST and n * len(self.X) <= MOST_ANSWERS

    @property
    def lists_every(self) -> bool:
        """Whether trees as good are listed over every question."""
        is_small = self.n_distinct <= MOST_LISTED or self.limits.max_depth <= 2
        return is_small and has_room(self.n_distinct, self.limits.pair_bytes(len(self.inputs.cost)))

    def _listed(self) -> np.ndarray:
        """Return the numbers of the questions of which trees as good are made."""
        if self.lists_every:
            return np.arange(len(self.inputs.questions.feature))
        some = [asked[np.linspace(0, len(asked) - 1, FEW_LISTED, dtype=np.int64)] for asked in self._asked]
        own = [number for number in self.questions() if number != LEAF]
        return np.unique(np.concatenate([*some, own]).astype(np.int64))

    def _watched(self) -> Iterator[None]:
        stack = self._stack
        if stack is not None and self._is_quick(stack) and not self._is_over:
            run(stack)
        elif stack is not None:
            self._set_stop()
            yield from glances(partial(self._look_first, stack), self._stop)
            yield from glances(partial(run, stack), self._stop)
        self._keep()
        yield

    @staticmethod
    def _is_quick(stack: SearchStack) -> bool:
        """Return whether the whole search takes no longer than a glance: trees of depth two on a small table."""
        return len(stack.levels.found) == 1 and len(stack.root.order) * len(stack.root.n_cuts) < QUICK_STEPS

    def _look_first(self, stack: SearchStack) -> None:
        """Find the best tree of some rows, whose roots are to be tried first."""
        first = self._first
        if first is not None:
            first.state[MOST] = FIRST_NODES
            run(first)
            stack.hint[:] = first.finds.tree[(int(first.state[WRITTEN]) - 1) % LAST_TREES]
            if not self._stop[0]:
                self._first = None

    def _keep(self) -> None:
        """Take what the search has found; once it is over, its memory is given back."""
        if self._stack is not None and self._stack.state[AT] == DONE:
            best = self._newest()
            self._value, self._tree, self._n_solved = best.value, best.tree, self.subproblems
            self._low, self._stack = self._value, None

    def _newest(self) -> Find:
        """Return the best tree by now."""
        stack = self._stack
        return (None if stack is None else _last_find(stack)) or Find(self._value, self._tree)

    def _reached(self) -> tuple[int, int]:
        stack = self._stack
        return self._newest().value, self._low if stack is None else int(stack.levels.found[0, BOUND])

    def _settled(self) -> float:
        """Return the share of cuts that cannot be the root of a better tree, 0 to 1."""
        stack = self._stack
        if stack is None:
            return 1.0
        n = self._rows.n_cuts * ways_of(len(stack.levels.found), int(stack.levels.work[0, SPLITS])).n
        return float(stack.state[WRITTEN] > 0) * max(1 - int(stack.levels.found[0, OPEN]) / n, 0.0)


def _last_find(stack: SearchStack) -> Find | None:
    """Return the best tree that a search has found by now; None before the first."""
    while n := int(stack.state[WRITTEN]):
        place = (n - 1) % LAST_TREES
        find = Find(int(stack.finds.value[place]), stack.finds.tree[place].copy())
        if stack.state[WRITTEN] - n < LAST_TREES - 1:  # else it may have been overwritten meanwhile
            return find
    return None


def _no_splits(width: int, most: int) -> np.ndarray:
    """Return a tree as the search writes it, for so many splits above the last: a leaf, or at `most` a stump."""
    tree = np.full((3, width), LEAF, np.int32)
    tree[2] = most > 0
    return tree
