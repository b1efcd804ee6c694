"""The search for the best tree over every threshold, by sorted columns: its questions are not written out.

Given splits that a tree begins with leave a branch at each of their ends, and the best branches are searched so
one after the other. Where all splits together have a limit, each branch is searched for every number of splits
that it may have, and the splits are shared out as is best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions
from espalier.kernels.optimal.thresholds.classes import MOST_BYTES, SortedSamples
from espalier.kernels.optimal.thresholds.nodes import SortedNode, make_nodes
from espalier.kernels.optimal.thresholds.search import (
    LAST_TREES,
    MOST,
    OPEN,
    SPLITS,
    WRITTEN,
    SearchSize,
    SearchStack,
    make_search,
    run,
    ways_of,
)
from espalier.kernels.optimal.thresholds.stumps import Stump, StumpRows, stump_of_rows
from espalier.language import Refusal
from espalier.learners.forced_splits import TreeSplit
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import (
    FixedLabels,
    MergedRows,
    RankedColumns,
    SearchLimits,
    append_labels,
    counted_once,
    distinct_columns,
    fixed_ranks,
    has_room,
    least_weight,
    merge_rows,
    ranked_columns,
    whole_costs,
)
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.tree_builder import BuildingData, tree_of_questions
from espalier.learners.optimal.tree_search import (
    SortedRows,
    SortedSearch,
    TreeSearch,
    WithinProgress,
    middle_of,
    no_splits,
)
from espalier.progress import Progress
from espalier.trees import LEAF, Tree

SHORT = 2**15  # sums and ranks below it are counted in 16 bits
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
SLICE = 0.2  # seconds of a search before the next glance
Bounds: TypeAlias = "tuple[int, int]"


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


class ThresholdSearch(SortedSearch):
    """A search for the best tree over questions of which all about a number are one sorted column."""

    _rows: ClassRows

    def __init__(
        self, inputs: BuildingData, limits: SearchLimits, X: np.ndarray, columns: RankedColumns,
        fixed: FixedLabels | None = None,
    ):  # fmt: skip
        """`X` (n_samples, n_features) are the samples, `columns` their ranks; no leaf is empty of them."""
        super().__init__(inputs, limits)
        self.X, self._asked, self.n_distinct = X, columns.question, columns.n_distinct
        self.costs = whole_costs(inputs.weight, inputs.cost) if inputs.costs is None else inputs.costs
        rows = merge_rows(columns.rank, inputs.label, self.costs)
        least = least_weight(self.costs.weight, inputs.weight, limits.leaf_share)
        if fixed is not None:
            rows, least = (rows, least) if least else (counted_once(rows), 1)
            rows = append_labels(rows, fixed_ranks(columns, fixed.answers), fixed)
        self.unavoidable, self._rows = rows.unavoidable, ClassRows(columns, rows, least)
        self._unit, self._tie = 1 << limits.max_depth, int(limits.fewest)
        self._first: SearchStack | None = None  # on some rows
        self._stack = self._make_stack()  # None once the search is over

    def _make_stack(self) -> SearchStack | None:
        """Return the search; None if there is nothing to search: then the best tree is a leaf or a stump."""
        splits, leaf = self.limits.max_splits, self._rows.worth - int(self._rows.earned.sum(axis=0).max(initial=0))
        size, memory = SearchSize(self.limits.depth, splits), min(self.limits.max_memory * 2**20, MOST_BYTES)
        if size.depth > 1 and self._rows.n_cuts:
            samples, root = self._rows.samples(self._unit, self._tie)
            self._tree, self._value = no_splits(3, 0), leaf * self._unit
            if len(self._rows.everything) >= LARGE and size.depth > 2:
                few = self._rows.some(samples, root, SOME)
                least = samples.least // SOME
                self._first = make_search(samples._replace(least=least), few, size, self._stop, memory)
            return make_search(samples, root, size, self._stop, memory)
        stump = self._rows.stump(self._rows.everything) if splits else Stump(self._rows.worth - leaf)
        self._value = (self._rows.worth - stump.saved) * self._unit + self._tie * (stump.column != LEAF)
        self._low = self._value
        return None

    @property
    def aim(self) -> tuple[float, float]:
        """Return the objective of the best tree so far, and the share of cuts that cannot be a better root."""
        return self.cost_of(self._seen[0]), self._settled_share()

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
        numbers = self._questions_to_list()
        questions = make_questions(*(field[numbers] for field in self.inputs.questions))
        columns = distinct_columns(answers(questions, self.X))
        search = OptimalSearch(self.inputs._replace(questions=questions, columns=columns), self.limits)
        # Rows that only other questions part are merged there, at a cost that no tree avoids.
        search.accept(self._value + (self.unavoidable - search.rows.unavoidable) * self._unit)
        return search.near(slack, limit, progress)

    @property
    def least_cost(self) -> int:
        """Cost of the best tree so far in whole numbers, without what no tree avoids."""
        return self._newest()[0] // self._unit

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

    def _questions_to_list(self) -> np.ndarray:
        """Return the numbers of the questions of which trees as good are made."""
        if self.lists_every:
            return np.arange(len(self.inputs.questions.feature))
        some = [numbers[np.linspace(0, len(numbers) - 1, FEW_LISTED, dtype=np.int64)] for numbers in self._asked]
        own = [number for number in self.questions() if number != LEAF]
        return np.unique(np.concatenate([*some, own]).astype(np.int64))

    def _work(self) -> Iterator[None]:
        stack = self._stack
        if stack is None or self._is_over or not self._is_quick(stack):
            yield from super()._work()
        else:
            run(stack)
            self._release()
            yield

    def _parts(self, stack: SearchStack) -> list[Callable[[], object]]:
        return [partial(self._look_first, stack), *super()._parts(stack)]

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

    def _settled_share(self) -> float:
        """Return the share of cuts that cannot be the root of a better tree, 0 to 1."""
        stack = self._stack
        if stack is None:
            return 1.0
        n = self._rows.n_cuts * ways_of(len(stack.levels.found), int(stack.levels.work[0, SPLITS])).n
        return float(stack.state[WRITTEN] > 0) * max(1 - int(stack.levels.work[0, OPEN]) / n, 0.0)


# ---- the rows, in the order of every column


class ClassRows(SortedRows):
    """The rows at which a prediction saves anything; those with equal ranks everywhere are merged.

    Where a leaf has a least weight, also those that only weigh.
    """

    def __init__(self, columns: RankedColumns, rows: MergedRows, least: int = 0):
        """`rows` are the merged rows of these columns; `least` is the weight of a leaf, at least."""
        earning = (rows.worth > 0) | (least > 0)
        self.earned, self.worth, self._least = rows.earned[earning], int(rows.worth.sum()), least
        self._worths, self._weights = rows.worth[earning], rows.weight[earning]
        self._question, self._direction = columns.question, columns.direction
        ranks = [_without_gaps(rank) for rank in rows.bits[earning].T]
        self._given = [own for own, _ in ranks]  # the rank among the questions, by that among these rows
        self.rank = np.array([rank for _, rank in ranks], np.int64).reshape(len(ranks), len(self.earned))
        self.everything = np.arange(len(self.earned))

    @property
    def n_cuts(self) -> int:
        """Number of cuts between rows, in all columns."""
        return sum(max(len(own) - 1, 0) for own in self._given)

    def samples(self, unit: int, tie: int) -> tuple[SortedSamples, SortedNode]:
        """Return the rows as samples of one class each, and the node of all of them."""
        saves = self.earned > 0
        saves[:, 0] |= ~saves.any(axis=1)
        row, label = np.nonzero(saves)
        amount, is_first = self.earned[row, label], np.diff(row, prepend=-1) > 0
        weight = np.where(is_first, self._weights[row], 0) * (self._least > 0)
        kind = np.int16 if max(amount.sum(), weight.sum(), len(row)) < SHORT else np.int32
        rank = self.rank[:, row]
        node = make_nodes((len(rank),), len(row), 1 + (self._least > 0), np.int64)
        name = rank * self.earned.shape[1] + label  # of value and class; equal ones stay in order
        is_short = name.max(initial=0) < 2 * SHORT  # then sorting takes a quarter of the time
        node.order[:] = np.argsort(name.astype(np.uint16) if is_short else name, axis=1, kind="stable").ravel()
        node.size[0] = len(row)
        swing = np.where(label > 0, amount, -amount).astype(kind)
        worth = np.where(is_first, self._worths[row], 0).astype(np.int64)
        whose = rank.ravel().astype(kind), label.astype(np.int64), amount.astype(kind), swing, worth
        sizes = self.earned.shape[1], unit, tie
        return SortedSamples(*whose, *sizes, weight.astype(kind), self._least, self._direction), node

    @staticmethod
    def some(samples: SortedSamples, root: SortedNode, step: int) -> SortedNode:
        """Return the node of every so manieth row, of all `samples` with this `root`; rows are in random order."""
        row = np.cumsum((samples.worth > 0) | (samples.weight > 0)) - 1  # told by the first of its samples
        order = root.order.reshape(len(root.n_cuts), -1)
        is_in_part = (row % step == 0)[order]
        size = int(is_in_part[0].sum())
        node = make_nodes(order.shape[:1], order.shape[1], root.sums.shape[2], np.int64)
        node.order.reshape(order.shape)[:, :size] = order[is_in_part].reshape(-1, size)
        node.size[0] = size
        return node

    def stump(self, rows: np.ndarray) -> Stump:
        """Return the best stump of these rows, or a leaf if none saves more."""
        most = max(map(len, self._given), default=0)
        gains, weight = np.ascontiguousarray(self.earned), np.ascontiguousarray(self._weights)
        return stump_of_rows(StumpRows(self.rank, gains, weight, self._direction, most, self._least), rows)

    def best_stump(self, rows: np.ndarray) -> tuple[int, int] | None:
        """Return column and rank of the best stump of these rows; None where a leaf is better."""
        stump = self.stump(rows)
        return None if stump.column == LEAF else (stump.column, stump.rank)

    def question(self, column: int, rank: int, rows: np.ndarray) -> int:
        """Return the question that separates these rows at the rank."""
        ranks = self._given[column]
        return middle_of(self._question[column], ranks[self.rank[column, rows]], ranks[rank])


def _without_gaps(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks that occur, ascending, and the place of each row's rank (n_rows,) among them."""
    occurs = np.bincount(rank) > 0
    if occurs.all():
        return np.arange(len(occurs)), rank
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[rank]


# ---- the search for the best tree that begins with given splits


class ForcedSearch(TreeSearch):
    """A search for the best tree that begins with given splits.

    A given split may ask what no other may, about a column that is left out or at a threshold that was not chosen:
    branches are searched over the free questions alone. Given ones are numbered after these.
    """

    def __init__(self, inputs: BuildingData, limits: SearchLimits, X: np.ndarray, forced: Mapping[str, TreeSplit]):
        """`inputs` have the free questions, `forced` the given splits by path.

        Raises ValueError where a leaf would be empty or too light.
        """
        super().__init__(inputs, limits)
        self._X, self.costs = X, whole_costs(inputs.weight, inputs.cost)
        questions = make_questions(*zip(*forced.values(), strict=True))
        pairs = zip(inputs.questions, questions, strict=True)
        self._every_question = make_questions(*(np.append(*pair) for pair in pairs))
        self._forced = {path: number for number, path in enumerate(forced, len(inputs.questions.feature))}
        self._unit, self._tie = 1 << limits.max_depth, int(limits.fewest)
        self.n_distinct = ranked_columns(inputs.questions, X).n_distinct
        bits = answers(questions, X)
        ends = list(_ends(dict(zip(forced, bits.T, strict=True)), "", np.ones(len(X), bool)))
        free = limits.max_splits - len(forced)
        has_limit = free < sum(2 ** (limits.max_depth - len(path)) - 1 for path, _ in ends)
        # At each end the searches for the best branch of 0, 1, ... splits, or of any number.
        self._branches = {path: self._searches(path, rows, free, has_limit) for path, rows in ends}

    def _searches(self, path: str, rows: np.ndarray, free: int, has_limit: bool) -> list[ThresholdSearch]:
        depth = self.limits.max_depth - len(path)
        most = min(2**depth - 1, free)
        costs = self.costs._replace(weight=self.costs.weight[rows])
        part = self.inputs._replace(label=self.inputs.label[rows], weight=self.inputs.weight[rows], costs=costs)
        share = self.limits.leaf_share * self.inputs.weight.sum() / max(part.weight.sum(), 1e-300)
        if not rows.any() or share > 1 + 1e-9:
            lack = "too little weight" if rows.any() else "no samples"
            raise ValueError(f"forced_splits leave {lack} at the path {path!r}; change the split above it")
        columns = ranked_columns(self.inputs.questions, self._X[rows])
        limits = self.limits._replace(max_depth=max(depth, 1), leaf_share=min(share, 1.0))
        splits = range(most + 1) if has_limit else [most]
        return [ThresholdSearch(part, limits._replace(max_splits=n), self._X[rows], columns) for n in splits]

    @property
    def is_proved(self) -> bool:
        """Whether the best branches are all proved."""
        return all(search.is_proved for search in self._all)

    @property
    def _all(self) -> list[ThresholdSearch]:
        return [search for searches in self._branches.values() for search in searches]

    @property
    def subproblems(self) -> int:
        """Number of sets of samples that were solved by trees of depth two."""
        return sum(search.subproblems for search in self._all)

    @property
    def megabytes(self) -> float:
        """Memory that the sorted rows take."""
        return sum(search.megabytes for search in self._all)

    @property
    def aim(self) -> tuple[float, float]:
        """Return the objective of the best tree so far, and the mean share of settled first questions."""
        shares = [search.aim[1] for search in self._all]
        return self.cost_of(self._value_and_bound()[0]), sum(shares) / len(shares)

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""
        choices = zip(self._branches.items(), self._best(1)[1], strict=True)
        return list(self._preorder("", {path: searches[place].questions() for (path, searches), place in choices}))

    def _preorder(self, path: str, branches: dict[str, list[int]]) -> Iterator[int]:
        if path in branches:
            yield from branches[path]
            return
        yield self._forced[path]
        for side in "LR":
            yield from self._preorder(path + side, branches)

    def tree_of(self, questions: list[int]) -> tuple[Tree, float]:
        """Return the tree of these `questions`, such as one of the `finds`, and its misclassification cost."""
        return tree_of_questions(self.inputs._replace(questions=self._every_question), self._X, questions)

    def cost_of(self, value: int) -> float:
        """Return the misclassification cost of trees of this value."""
        return float(value // self._unit / self.costs.scale)

    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Raise Refusal: trees as good may begin otherwise."""
        raise Refusal("trees as good as the best one are not listed with forced_splits; fit without them")

    def run(self, time_limit: float | None = None, progress: Progress | None = None) -> None:
        """Search until the best tree is proved, the time (seconds) is over, or `progress` is stopped.

        Results are kept, and another call continues from there. `progress` counts the settled share of the first
        questions, as a number of samples.
        """
        progress = progress or Progress()
        began, before, self.is_running = time.perf_counter(), self.seconds, True
        try:
            for search in self._all:
                left = np.inf if time_limit is None else time_limit
                while not (search.is_proved or progress.is_stopped) and left > 0:
                    search.run(min(left, SLICE), WithinProgress(progress))
                    self.seconds = before + time.perf_counter() - began
                    left = np.inf if time_limit is None else time_limit - (self.seconds - before)
                    self._note()
                    progress.done = round(len(self._X) * self.aim[1])
        finally:
            self.is_running = False
        self._note()

    def _work(self) -> Iterator[None]:
        raise NotImplementedError("`run` has the branches searched")

    def _set_stop(self) -> None:
        """Do nothing: the branches are stopped by their own progress."""

    def _value_and_bound(self) -> Bounds:
        return self._best(1)[0], self._best(0)[0]

    def _best(self, at: int) -> tuple[int, tuple[int, ...]]:
        """Return the least value of all branches together (`at` 1), or bound (0), and the search of each."""
        free = self.limits.max_splits - len(self._forced)
        # By the splits that the branches may have: the least sum so far, and its searches.
        sums: dict[int, tuple[int, tuple[int, ...]]] = {0: (len(self._forced) * self._tie, ())}
        for searches in self._branches.values():
            more: dict[int, tuple[int, tuple[int, ...]]] = {}
            for n_splits, (value, places) in sums.items():
                for place, search in enumerate(searches):
                    n = n_splits + (place if len(searches) > 1 else 0)
                    total = value + self._value(search, at)
                    if n <= free and (n not in more or total < more[n][0]):
                        more[n] = total, (*places, place)
            sums = more
        return min(sums.values(), key=lambda pair: pair[0])

    def _value(self, search: ThresholdSearch, at: int) -> int:
        """Return a branch's value, or lower bound, in units of the whole tree, with what no tree avoids.

        Branches have rows of their own, and searches of their own for each number of splits and for their share of
        the least weight: no bound passes from one to another.
        """
        value, unit = search.bounds[at], 1 << search.limits.max_depth
        return (value // unit + search.unavoidable) * self._unit + value % unit


def _ends(bits: dict[str, np.ndarray], path: str, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Return the path and the rows of each end of the given splits, whose answers are (n_samples,) bool."""
    if path not in bits:
        yield path, rows
        return
    yield from _ends(bits, path + "L", rows & bits[path])
    yield from _ends(bits, path + "R", rows & ~bits[path])


def without(questions: Questions, features: list[int]) -> Questions:
    """Return the questions about other columns than these."""
    is_allowed = ~np.isin(questions.feature, features)
    return make_questions(*(field[is_allowed] for field in questions))
