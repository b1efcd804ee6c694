"""Structures of a million replicates and more: counted on any executor, streamed to a file, resumed from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from sklearn.base import clone

from espalier.data.dataset import Dataset
from espalier.data.rows.assignment import RowColumn, with_roles
from espalier.progress import Progress
from espalier.stability.refitting import SharedGrowth
from espalier.stability.replicates import Plan, planned_growth
from espalier.stability.tally_file import StructureRule, TallyFile, TallySummary, tally
from espalier.tasks import SHARES, Call, in_order, n_workers

SECONDS_OF_A_TASK = 0.5  # long beside the overhead of a task, short for who waits or stops
PILOT = 16  # replicates that are grown here, to see how long one takes
MOST_OF_A_TASK = 20_000  # replicates


def tally_structures(
    estimator: Any,
    data: Dataset,
    plan: Plan,
    path: Path,
    rule: StructureRule = StructureRule(),  # noqa: B008
    executor: Executor | None = None,
    tell: Callable[[int], None] = lambda n_trees: None,
    progress: Progress | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> TallySummary:
    """Return how often each structure occurs among the replicates of a plan; the counts stand in an SQLite file.

    Replicates that the file has are not grown again: a call that was stopped, or killed, goes on where it was, and
    one with more replicates adds to it. Memory does not grow with their number. `executor` works on several tasks
    (None: one thread); `tell` is called with the number of trees in the file, after each task; once `progress` is
    stopped, the counts so far are returned. `groups` and `time` are as in `replicate`. Raises ValueError as
    `replicate` does, and for a file with the counts of other data, learners, redraws, seeds or rules.

    >>> import tempfile
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, plan = samples.load("iris"), Plan(n_replicates=200)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "counts.sqlite"
    ...     found = tally_structures(CartClassifier(max_depth=1), iris, plan, path)
    >>> found.n_trees, found.roots.total()
    (200, 200)
    """
    data = with_roles(data, groups, time)
    growth = planned_growth(estimator, data, plan)
    with ExitStack() as stack:
        file = stack.enter_context(closing(TallyFile(path, causes_of(estimator, data, plan, rule))))
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        runs = file.missing(plan.numbers)
        parts = _parts(runs, _many(growth, runs, rule, n_workers(here))) if runs else []
        tasks = [Call(tally, (growth, part, rule), len(part) * len(data.y)) for part in parts]
        n_trees = file.summary(0).n_trees
        for place, counts in in_order(tasks, here, progress):
            file.add(parts[place], counts)
            n_trees += len(parts[place])
            tell(n_trees)
        return file.summary()


def causes_of(estimator: Any, data: Dataset, plan: Plan, rule: StructureRule) -> dict[str, str]:
    """Return all that the counts depend on, by name, whatever the number of replicates."""
    model: Any = clone(estimator)
    settings = {name: repr(value) for name, value in model.get_params().items() if name != "n_jobs"}
    own = {"learner": type(model).__name__, "data": data.digest, "seed": str(plan.seed)}
    return settings | own | {"redraw": repr(plan.redraw), "rule": repr(rule)}


def _many(growth: SharedGrowth, runs: list[range], rule: StructureRule, workers: int) -> int:
    """Return how many replicates make a task: as many as take half a second, and enough tasks for all workers."""
    fair = -(-sum(map(len, runs)) // (SHARES * workers))
    seconds = _seconds_of_one(growth, runs[0][:PILOT], rule)
    return max(1, min(int(SECONDS_OF_A_TASK / max(seconds, 1e-6)), fair, MOST_OF_A_TASK))


def _seconds_of_one(growth: SharedGrowth, pilot: range, rule: StructureRule) -> float:
    """Return the processor time of a replicate: neither the load of the machine nor that of kernels counts."""
    tally(growth, pilot[:1], rule, Progress())  # loads the kernels
    begun = time.thread_time()
    tally(growth, pilot, rule, Progress())
    return (time.thread_time() - begun) / len(pilot)


def _parts(runs: list[range], many: int) -> list[range]:
    return [run[first : first + many] for run in runs for first in range(0, len(run), many)]
