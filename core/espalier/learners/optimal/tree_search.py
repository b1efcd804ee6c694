"""A search for the best tree that can be observed, stopped and continued; and its proof."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.kernels.optimal.branch_and_bound import UNKNOWN
from espalier.kernels.optimal.thresholds.nodes import LEFT, RIGHT
from espalier.kernels.optimal.thresholds.search import (
    AT,
    BOUND,
    DONE,
    LAST_TREES,
    SOLVED,
    WRITTEN,
    SearchStack,
    run,
)
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import Costs, SearchLimits
from espalier.learners.optimal.tree_builder import BuildingData, build_tree, shape_of
from espalier.progress import Progress
from espalier.trees import LEAF, Tree

GLANCE_SECONDS = 0.02  # seconds between two reads of the threads' results


def glances(work: Callable[[], object], stop: np.ndarray) -> Iterator[None]:
    """Do the work on a thread, with a glance now and then; it is stopped if nobody takes the next one."""
    with ThreadPoolExecutor(1) as pool:
        at_work = pool.submit(work)
        try:
            while wait([at_work], GLANCE_SECONDS).not_done:
                yield
        finally:
            stop[0] |= not at_work.done()
    at_work.result()


Bounds: TypeAlias = "tuple[int | np.integer, int | np.integer]"  # lower bound, least value


class Proof(NamedTuple):
    """Best tree found so far, relative to all trees of its size over the same questions."""

    objective: float  # misclassification cost of the training samples; their weight if every mistake costs 1
    lower_bound: float  # no tree costs less
    proved: bool  # the search is complete: no tree is better, nor, if wanted, as good with fewer splits
    n_questions: int  # number of questions
    n_distinct: int  # number of questions that separate the samples differently
    subproblems: int  # sets of samples processed
    cache_used: float  # used share of the memory for their bounds, 0 to 1
    seconds: float
    every_threshold: bool = False  # whether the questions hold every threshold there is
    every_set: bool | None = None  # whether every set of categories; None where no column has more than three
    n_forced: int = 0  # splits that all these trees begin with
    n_forbidden: int = 0  # columns that none of them asks about
    tolerance: float = 0.0  # a tree of numbers may have so much less error than the lower bound, by rounding

    @property
    def gap(self) -> float:
        """Most that a better tree could save."""
        return self.objective - self.lower_bound


Glance: TypeAlias = tuple[float, float, float]  # seconds, and the objective and the lower bound as in `Proof`


class WithinProgress(Progress):
    """The progress of a search within another one: both are stopped together, and the other one counts."""

    def __init__(self, whole: Progress):
        super().__init__()
        self._whole = whole

    @property
    def is_stopped(self) -> bool:
        """Whether the other one is asked to stop."""
        return self._whole.is_stopped


class TreeSearch(ABC):
    """A search for the best tree of some rows; one thread calls `run`, others may observe it meanwhile.

    A tree's value is its cost in whole numbers, times a unit, and its number of splits if the fewest are wanted.
    """

    costs: Costs
    n_distinct: int
    _stop: np.ndarray  # (1,) int64: whether the kernels are to stop

    def __init__(self, inputs: BuildingData, limits: SearchLimits):
        self.inputs, self.limits = inputs, limits
        self.trace: list[Glance] = []
        self.finds: list[list[int]] = []  # `questions` of the best tree, at each objective of the trace
        self.scope: dict[str, Any] = {}  # the fields of `Proof` that say which trees it is about
        self.seconds = 0.0
        self.is_running = self._is_over = False
        self._seen = UNKNOWN, 0  # least value and lower bound when they were last read

    @property
    @abstractmethod
    def is_proved(self) -> bool:
        """Whether the best tree found is proved optimal."""

    @property
    def bounds(self) -> Bounds:
        """Lower bound of the value, and least value found."""
        value, low = self._value_and_bound()
        return low, value

    @property
    @abstractmethod
    def subproblems(self) -> int:
        """Number of sets of samples processed by now."""

    @property
    def cache_used(self) -> float:
        """Used share of the memory for bounds, 0 to 1."""
        return 0.0

    @property
    @abstractmethod
    def megabytes(self) -> float:
        """Memory that the search takes by now."""

    @property
    def lists_every(self) -> bool:
        """Whether trees as good are listed over every question."""
        return True

    @property
    @abstractmethod
    def aim(self) -> tuple[float, float]:
        """Return the bound that is being proved, and the share of first questions that satisfy it, 0 to 1."""

    @abstractmethod
    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""

    @abstractmethod
    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Return trees within the slack of the optimum, which must be proved, until `progress` is stopped."""

    @abstractmethod
    def cost_of(self, value: int) -> float:
        """Return the misclassification cost of trees of this value."""

    @abstractmethod
    def _work(self) -> Iterator[None]:
        """Search, with a glance now and then."""

    def _set_stop(self) -> None:
        """Stop the kernels at the end of the search."""
        self._stop[0] = int(self._is_over)

    @abstractmethod
    def _value_and_bound(self) -> tuple[int, int]:
        """Return the least value and the lower bound by now."""

    def run(self, time_limit: float | None = None, progress: Progress | None = None) -> None:
        """Search until the best tree is proved, the time (seconds) is over, or `progress` is stopped.

        Results are kept, and another call continues from there. `progress` counts the settled share of the first
        questions, as a number of samples.
        """
        progress = progress or Progress()
        began, before = time.perf_counter(), self.seconds
        self.is_running, self._is_over = True, progress.is_stopped
        try:
            for _ in self._work():
                self.seconds = before + time.perf_counter() - began
                is_late = time_limit is not None and self.seconds - before > time_limit
                self._is_over = progress.is_stopped or is_late
                self._set_stop()
                self._note()
                progress.done = round(len(self.inputs.label) * self.aim[1])
        finally:
            self.is_running = False
        if not self.trace:  # stopped before the first glance
            proof = self.proof()
            self.trace.append((self.seconds, proof.objective, proof.lower_bound))

    def best(self) -> tuple[Tree, Proof]:
        """Return the best tree found and its proof; any thread may call this while another one searches."""
        tree, objective = self.tree_of(self.questions())
        return tree, self._proof(objective)

    def tree(self) -> Tree:
        """Return the best tree found."""
        return self.best()[0]

    def proof(self) -> Proof:
        """Return the proof of the best tree found."""
        return self.best()[1]

    def tree_of(self, questions: list[int]) -> tuple[Tree, float]:
        """Return the tree of these `questions`, such as one of the `finds`, and its misclassification cost."""
        return build_tree(self.inputs, shape_of(questions))

    def _proof(self, objective: float) -> Proof:
        bound = objective
        if not self.is_proved or self.costs.error:
            bound = float(min(max(self.cost_of(self._seen[1]) - self.costs.error, 0.0), objective))
        n_questions, effort = len(self.inputs.questions.feature), (self.subproblems, self.cache_used, self.seconds)
        return Proof(objective, bound, self.is_proved, n_questions, self.n_distinct, *effort, **self.scope)

    def _note(self) -> None:
        """Append the current state to the trace, if it has changed."""
        value, low = self._value_and_bound()
        bounds = value, min(low, value)
        if bounds != self._seen and value < UNKNOWN:
            self._seen = bounds
            objective = self.cost_of(value)
            if not self.trace or objective < self.trace[-1][1]:
                self.finds.append(self.questions())
            self.trace.append((self.seconds, objective, min(self.cost_of(bounds[1]), objective)))


class SortedRows(ABC):
    """The rows of a search in the order of every column, and how to read what it found of them."""

    rank: np.ndarray  # (n_columns, n_rows): of a row's value among the column's values
    everything: np.ndarray  # (n_rows,) int64: the number of each row

    def questions(self, tree: np.ndarray, rows: np.ndarray) -> list[int]:
        """Return the questions of these `rows` in preorder, -1 for a leaf.

        `tree` (3, n_splits) is written as in `kernels.optimal.thresholds.search`.
        """
        (column, rank, stumps), below = tree[:, 0].tolist(), tree.shape[1] // 2
        if column < 0:
            split = self.best_stump(rows) if stumps else None
            return [self.question(*split, rows), LEAF, LEAF] if split else [LEAF]
        is_left = self.rank[column, rows] < rank
        sides = rows[is_left], rows[~is_left]
        parts = tree[:, 1 : 1 + below], tree[:, 1 + below :]
        if not below:
            parts = (np.array([[LEAF], [0], [stumps & at]]) for at in (LEFT, RIGHT))
        shapes = [self.questions(part, side) for part, side in zip(parts, sides, strict=True)]
        return [self.question(column, rank, rows), *shapes[0], *shapes[1]]

    @abstractmethod
    def best_stump(self, rows: np.ndarray) -> tuple[int, int] | None:
        """Return column and rank of the best stump of these rows; None where a leaf is better."""

    @abstractmethod
    def question(self, column: int, rank: int, rows: np.ndarray) -> int:
        """Return the question that parts these rows at the rank."""


class SortedSearch(TreeSearch):
    """A search of sorted columns, whose arrays are in `_stack` until the best tree is proved; it has no bounds."""

    _rows: Any  # SortedRows of the kind of target
    _stack: SearchStack | None  # None once the search is over
    _value: Any = 0  # of the best tree, once the search is over, or where there is nothing to search
    _low: Any = 0  # its lower bound
    _tree: np.ndarray  # that tree as the search writes it
    _n_solved = 0  # sets of samples, by then

    def __init__(self, inputs: BuildingData, limits: SearchLimits):
        super().__init__(inputs, limits)
        self._stop = np.zeros(1, np.int64)
        self._tree = no_splits(1, limits.max_splits)
        self._read: tuple[np.ndarray, list[int]] | None = None  # the tree that `questions` read last, and these

    @property
    def is_proved(self) -> bool:
        """Whether the best tree found is proved optimal."""
        return self._stack is None

    @property
    def subproblems(self) -> int:
        """Number of sets of samples that were solved by trees of depth two by now."""
        stack = self._stack  # the thread that searches may end meanwhile
        return self._n_solved if stack is None else int(stack.state[SOLVED])

    @property
    def megabytes(self) -> float:
        """Memory that the sorted rows take by now."""
        return _bytes_of(self._stack) / 1e6

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""
        tree = self._newest()[1]
        if self._read is None or not np.array_equal(self._read[0], tree):
            self._read = tree, self._rows.questions(tree, self._rows.everything)
        return list(self._read[1])

    def _work(self) -> Iterator[None]:
        stack = self._stack
        if stack is not None:
            self._set_stop()
            for part in self._parts(stack):
                yield from glances(part, self._stop)
            self._release()
        yield

    def _parts(self, stack: SearchStack) -> list[Callable[[], object]]:
        """Return the parts of the search, one after the other."""
        return [partial(run, stack)]

    def _value_and_bound(self) -> tuple[Any, Any]:
        stack = self._stack
        return self._newest()[0], self._low if stack is None else stack.levels.found[0, BOUND].item()

    def _newest(self) -> tuple[Any, np.ndarray]:
        """Return the value of the best tree by now, and the tree as the search writes it."""
        stack = self._stack
        while stack is not None and (n := int(stack.state[WRITTEN])):
            place = (n - 1) % LAST_TREES
            value, tree = stack.finds.value[place].item(), stack.finds.tree[place].copy()
            if stack.state[WRITTEN] - n < LAST_TREES - 1:  # else it may have been overwritten meanwhile
                return value, tree
        return self._value, self._tree

    def _release(self) -> None:
        """Give the memory back once the search is over; its best tree stays."""
        if self._stack is not None and self._stack.state[AT] == DONE:
            (self._value, self._tree), self._n_solved = self._newest(), self.subproblems
            self._low, self._stack = self._value, None


def no_splits(width: int, most: int) -> np.ndarray:
    """Return a tree as the search writes it, for so many splits above the last: a leaf, or at `most` a stump."""
    tree = np.full((3, width), LEAF, np.int32)
    tree[2] = most > 0
    return tree


def middle_of(questions: np.ndarray, ranks: np.ndarray, behind: int) -> int:
    """Return the question of a column that parts rows of these `ranks` from those `behind` it on.

    Of several the one in the middle.
    """
    first, last = ranks[ranks < behind].max(), ranks[ranks >= behind].min() - 1
    return int(questions[(int(first) + int(last)) // 2])


def _bytes_of(record) -> int:
    """Return the memory of all arrays of a record, and of records in it."""
    if isinstance(record, np.ndarray):
        return record.nbytes
    return sum(map(_bytes_of, record)) if isinstance(record, tuple) else 0
