"""The search for the best tree over questions that are written out, whose answers are bits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numpy as np

from espalier.kernels.optimal.bitset import MAX_DEPTH, WORD, Problem
from espalier.kernels.optimal.branch_and_bound import BUCKET, ENTRY_BYTES, UNKNOWN, BoundsTable
from espalier.kernels.optimal.branch_and_bound import SearchState as Thread
from espalier.kernels.optimal.depth_two import SPLITS, make_pair_workspace
from espalier.kernels.optimal.read_tree import solve, solve_few, write_tree
from espalier.learners.optimal.near_optimal import Lister, OptimalTrees, QuestionCells, Surveyor
from espalier.learners.optimal.problem import (
    FixedLabels,
    SearchLimits,
    append_labels,
    check_room,
    counted_once,
    fixed_bits,
    heavy_columns,
    lay_planes,
    least_weight,
    make_problem,
    merge_rows,
    packed_rows,
    whole_costs,
)
from espalier.learners.optimal.tree_builder import BuildingData
from espalier.learners.optimal.tree_search import GLANCE_SECONDS, Bounds, TreeSearch
from espalier.progress import Progress

FIRST_ENTRIES = 1 << 10  # initial entries of the bounds table
DISCREPANCIES = (0, 1, 3, 7)  # better-looking questions that the first, quick searches pass over, at most
# Parts of the best value, refuted one after the other, so that the lower bound rises.
GOALS = (1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8)
QUICK = 2e7  # counted words that take a few hundredths of a second at most
LOOK_SECONDS = 1.0  # limit of each of the first, quick searches
SPRINT_SECONDS = 5.0  # limit of the search without rising bounds, which is faster if it finishes
LOOK_DEPTH = 4  # from this depth on a search may take long: find good trees first


class OptimalSearch(TreeSearch):
    """A search for the best tree over questions whose answers are written out as bits."""

    def __init__(self, inputs: BuildingData, limits: SearchLimits, fixed: FixedLabels | None = None):
        """With fixed labels, a leaf needs a sample. Raises ValueError for too many questions to count in pairs."""
        self.costs = whole_costs(inputs.weight, inputs.cost) if inputs.costs is None else inputs.costs
        least = least_weight(self.costs.weight, inputs.weight, limits.leaf_share)
        if least > 0:  # the columns are the same for all fixed labels
            inputs = inputs._replace(columns=heavy_columns(inputs.columns, self.costs.weight, least))
        super().__init__(inputs, limits)
        self.n_distinct = len(inputs.columns.question)
        rows = merge_rows(inputs.columns.bits, inputs.label, self.costs)
        if fixed is not None:
            rows, least = (rows, least) if least else (counted_once(rows), 1)
            rows = append_labels(rows, fixed_bits(inputs.columns, fixed), fixed)
        self.rows = rows
        self._planes = lay_planes(rows, least)
        self.problem: Problem = make_problem(self._planes, limits.max_depth, limits.fewest, least)
        check_room(rows.bits.shape[1], limits.pair_bytes(rows.earned.shape[1] + (least > 0)))
        self._stop = np.zeros(1, np.int64)
        self._pause_at, self._lock = np.inf, threading.Lock()
        self._best = np.array([UNKNOWN])
        self._memory = _make_memory(limits.max_memory, grows=limits.n_jobs == 1)
        self._threads = self._make_threads()
        self._value, self._low = UNKNOWN, 0  # least value and lower bound, from finished searches
        self._sprint_left = SPRINT_SECONDS  # seconds left for the search without rising bounds
        self._goal = UNKNOWN  # value that the search tries to stay below

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without unused memory and the threads' workspaces."""
        table = self._memory.table[: 4 * (int(self._memory.state[0]) + 1)]
        return {
            **self.__dict__,
            "_memory": self._memory._replace(table=table.copy()),
            "_threads": None,
            "_lock": None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        table = np.zeros(4 * (int(self._memory.state[2]) + 1), np.int64)
        table[: len(self._memory.table)] = self._memory.table
        self._memory = self._memory._replace(table=table)
        self._threads, self._lock = self._make_threads(), threading.Lock()

    @property
    def is_proved(self) -> bool:
        """Whether the best tree found is proved optimal."""
        return self._low == self._value

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the column of each split, answer yes first; -1 for a leaf."""
        reader = self._make_thread() if self.is_running else self._threads[0]
        stop, counts = np.array([int(not self.is_proved)]), np.zeros(MAX_DEPTH + 1, np.int64)
        reader = reader._replace(stop=stop, solved=counts)
        out = np.full(2 ** (MAX_DEPTH + 1), -1)
        end = write_tree(reader, self.limits.max_depth, self.limits.max_splits, out)
        return out[:end].tolist()

    @property
    def aim(self) -> tuple[float, float]:
        """Return the lower bound that is being proved, and the share of first questions that satisfy it, 0 to 1.

        Without a particular bound it is the objective of the best tree so far.
        """
        return self.cost_of(min(self._seen[0], self._goal)), self._settled_share()

    def accept(self, value: int) -> None:
        """Take a value that another search has proved to be the least."""
        self._low, self._value, self._seen = value, value, (value, value)

    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Return trees within the slack of the optimum, which must be proved, until `progress` is stopped."""
        thread = self._make_thread(depths=self.limits.max_depth + 2)._replace(stop=progress.stop_flag)
        cells = QuestionCells(self.inputs.questions, self.inputs.columns, self.rows.earned.shape[1])
        lister = Lister(Surveyor(thread, self.limits), cells)
        cost = self._low // self.problem.unit + int(slack * self.costs.scale + 1e-9)
        return OptimalTrees(lister, self._low, (cost + 1) * self.problem.unit - 1, self.inputs, limit)

    @property
    def subproblems(self) -> int:
        """Number of sets of samples processed by now."""
        return sum(int(thread.solved.sum()) for thread in self._threads)

    @property
    def cache_used(self) -> float:
        """Used share of the memory for bounds, 0 to 1."""
        return float(self._memory.state[1]) / (int(self._memory.state[2]) + 1)

    @property
    def megabytes(self) -> float:
        """Memory that the bounds table takes by now."""
        return self._memory.table.nbytes / 1e6

    def cost_of(self, value: int) -> float:
        """Return the misclassification cost of trees of this value."""
        return float((value // self.problem.unit + self.rows.unavoidable) / self.costs.scale)

    def _work(self) -> Iterator[None]:
        """Search, with a glance now and then; a quick search gets none before its end."""
        if self._is_quick():
            self._search()
        else:
            with ThreadPoolExecutor(1) as pool:
                work = pool.submit(self._search)
                while wait([work], GLANCE_SECONDS).not_done:
                    yield
            work.result()
        yield

    def _is_quick(self) -> bool:
        """Return whether the whole search takes no longer than a glance, judged by the number of counts."""
        n, depth = self.rows.bits.shape[1], self.limits.max_depth
        return float(n) ** max(depth, 2) * (len(self.rows.bits) / WORD + WORD) < QUICK

    def _search(self) -> None:
        for step, seconds in self._steps():
            self._pause_at = time.perf_counter() + seconds
            self._set_stop()
            if self._is_over or self.is_proved:
                return
            low, value = step()
            self._low, self._value = max(self._low, int(low)), min(self._value, int(value))

    def _set_stop(self) -> None:
        """Stop the kernels at the end of the search or of the current step."""
        with self._lock:
            self._stop[0] = int(self._is_over or time.perf_counter() > self._pause_at)

    def _steps(self) -> Iterator[tuple[Callable[[], Bounds], float]]:
        """Yield the steps of the search, with the seconds of each.

        First quick searches for a good tree; then the whole search; if that takes long, ever higher lower bounds
        are proved, which takes longer in all but shows progress.
        """
        depth, splits, thread = self.limits.max_depth, self.limits.max_splits, self._threads[0]
        if self.limits.has_few_splits:
            for few in range(min(splits, SPLITS - 1), splits + 1):
                yield partial(self._few, few), np.inf
            return
        if depth >= LOOK_DEPTH and self._value == UNKNOWN:
            for discrepancies in DISCREPANCIES:
                yield partial(solve, thread, depth, UNKNOWN, discrepancies), LOOK_SECONDS
        if depth >= LOOK_DEPTH and self._sprint_left > 0:
            yield self._sprint, self._sprint_left
        if depth >= LOOK_DEPTH:
            for share in GOALS:
                cost = int(self._value // self.problem.unit * share)
                if cost * self.problem.unit > self._low:
                    yield partial(self._together, cost * self.problem.unit), np.inf
        yield partial(self._together, UNKNOWN), np.inf

    def _few(self, splits: int) -> Bounds:
        low, value = solve_few(self._threads[0], self.limits.max_depth, splits, UNKNOWN)
        return (low if splits == self.limits.max_splits else 0), value

    def _sprint(self) -> Bounds:
        began = time.perf_counter()
        bounds = self._together(UNKNOWN)
        self._sprint_left -= time.perf_counter() - began
        return bounds

    def _together(self, goal: int) -> Bounds:
        """`solve` the root with all threads, until one of them is done."""
        depth, self._goal = self.limits.max_depth, goal
        if len(self._threads) == 1 or depth < LOOK_DEPTH:
            return self._solve_root(self._threads[0], goal)
        is_over = np.zeros(1, np.int64)
        self._best[0] = self._value
        helpers = [
            threading.Thread(target=self._solve_and_stop, args=(thread._replace(stop=is_over), goal, is_over))
            for thread in self._threads
        ]
        for helper in helpers:
            helper.start()
        for helper in helpers:
            while helper.is_alive():
                helper.join(GLANCE_SECONDS)
                is_over[0] |= self._stop[0]
        return self._solve_root(self._threads[0], goal)

    def _solve_root(self, thread: Thread, goal: int) -> Bounds:
        self._best[0] = UNKNOWN
        if self.limits.max_depth <= 2:
            return solve_few(thread, self.limits.max_depth, self.limits.max_splits, goal)
        return solve(thread, self.limits.max_depth, goal)

    def _solve_and_stop(self, thread: Thread, goal: int, is_over: np.ndarray) -> None:
        solve(thread, self.limits.max_depth, goal)
        is_over[0] = 1

    def _value_and_bound(self) -> tuple[int, int]:
        value, low = min(self._value, self._seen[0]), max(self._low, self._seen[1])
        if self.is_running and not self.is_proved:
            low, value = max(low, int(self._first_sums().min(initial=UNKNOWN))), min(value, self._first_value())
        return value, low

    def _first_sums(self) -> np.ndarray:
        """Return the current lower bounds of the trees that begin with each question."""
        return np.max([self._at_root(thread.level.low) for thread in self._threads], axis=0) + self.problem.tie

    def _first_value(self) -> int:
        """Return the least value of a tree for any first question, by a search without a limit of splits."""
        if self.limits.has_few_splits:
            return UNKNOWN
        highs = [self._at_root(thread.level.high).min(initial=UNKNOWN) for thread in self._threads]
        return int(min(highs)) + self.problem.tie

    def _at_root(self, bounds: np.ndarray) -> np.ndarray:
        return bounds[0, :, : self.rows.bits.shape[1]].sum(axis=0)

    def _settled_share(self) -> float:
        """Return the share of first questions that cannot begin a tree below the aim, 0 to 1."""
        sums = self._first_sums()
        aim = min(self._seen[0], self._goal)
        return float(np.mean(sums >= aim)) if len(sums) and not self.is_proved else 1.0

    def _make_threads(self) -> list[Thread]:
        return [self._make_thread(backwards=bool(i % 2)) for i in range(self.limits.n_jobs)]

    def _make_thread(self, backwards: bool = False, depths: int | None = None) -> Thread:
        level = packed_rows(self._planes, self.rows, depths or self.limits.max_depth)
        counts = np.zeros(MAX_DEPTH + 1, np.int64)
        rest = self._memory, counts, self._stop, self._best
        return Thread(self.problem, level, make_pair_workspace(level), *rest, backwards)


def _make_memory(megabytes: float, grows: bool) -> BoundsTable:
    """Return memory for bounds; the operating system commits only the part in use.

    Entries that one thread adds while another doubles the table may get lost; this is harmless.
    """
    entries = max(1 << int(megabytes * 2**20 / ENTRY_BYTES).bit_length() >> 1, BUCKET)
    first = min(FIRST_ENTRIES, entries) if grows else entries
    state = np.array([first - 1, 0, entries - 1])
    return BoundsTable(np.zeros(4 * entries, np.int64), state)
