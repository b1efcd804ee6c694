"""Grow a learner repeatedly on redrawn data: the replicates on which stability is measured.

>>> from espalier.data import samples
>>> from espalier.learners import CartClassifier
>>> plan = Plan(Redraw("bootstrap"), n_replicates=5, seed=0)
>>> learner = CartClassifier(max_depth=2)
>>> replicates = replicate(learner, samples.load("iris"), plan)
>>> replicates.numbers.tolist()
[0, 1, 2, 3, 4]
>>> replicate(learner, samples.load("iris"), plan.repeated()).numbers.tolist()  # a second set of five
[5, 6, 7, 8, 9]

Another thread may observe the run and stop it: ``GrowthWatch(n_threads, progress, trees)`` holds the progress of
a job, which counts up to ``plan.total``, and a dict that receives each tree, by number, as soon as it is grown;
`so_far` makes Replicates of it. Tree i depends only on the estimator, the data, the redraw, the seed and i: not on
the number of threads or of replicates. So ``plan.more(n)`` extends the replicates, and `joined` puts parts
together.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.rows.assignment import RowColumn, with_roles
from espalier.progress import Progress, Relay, ScaledProgress, ThreadProgress
from espalier.stability.refitting import Grower, SharedGrowth, Way, growth_of
from espalier.stability.resampling import Redraw, redrawn
from espalier.tasks import PARTS as TASK_PARTS
from espalier.tasks import Call, in_order, shares
from espalier.trees import AnyTree

PARTS = 100  # of a replicate, that progress is counted in
AT_ONCE = 64  # replicates that a task grows in one call, where the kernel can
SECONDS_AT_ONCE = 0.03  # about as long a thread grows trees before it hands them over

Trees: TypeAlias = dict[int, AnyTree]


class Plan(NamedTuple):
    """Redraw, seed and numbers of the replicates: `first` to ``first + n_replicates - 1``."""

    redraw: Redraw = Redraw()
    n_replicates: int = 100
    seed: int = 0
    first: int = 0

    @property
    def numbers(self) -> range:
        """The numbers of the replicates."""
        return range(self.first, self.first + self.n_replicates)

    @property
    def total(self) -> int:
        """Final count of ``progress.done``."""
        return self.n_replicates * PARTS

    def more(self, n_replicates: int) -> Plan:
        """Return the plan of so many further replicates, of the same seed."""
        return self._replace(first=self.first + self.n_replicates, n_replicates=n_replicates)

    def repeated(self, times: int = 1) -> Plan:
        """Return the plan of another, equally large set of replicates."""
        return self._replace(first=self.first + times * self.n_replicates)


class GrowthWatch(NamedTuple):
    """Number of threads, and the state that an observer shares."""

    n_threads: int = 1
    progress: Progress | None = None  # counts up to ``plan.total``
    trees: Trees | None = None  # by number, as soon as each is complete


class Replicates(NamedTuple):
    """Trees on redrawn data, by number."""

    plan: Plan
    numbers: np.ndarray  # (n,) int64, ascending: `resampling.redrawn` gives the data of each
    trees: tuple[AnyTree, ...]

    @property
    def is_complete(self) -> bool:
        """Whether all planned replicates are there."""
        return len(self.trees) == self.plan.n_replicates


def replicate(
    estimator: Any,
    data: Dataset,
    plan: Plan,
    watch: GrowthWatch = GrowthWatch(),  # noqa: B008
    executor: Executor | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> Replicates:
    """Grow clones of the estimator on redrawn data (approximations keep their fitted model).

    An `executor` works in place of the watch's threads. If stopped, it returns the trees that are complete,
    possibly none. Class weights are those of all data. With `groups` or `time`, as in `validate`, whole groups or
    blocks of neighbours in time are drawn. Raises ValueError for an estimator without a single tree,
    for a redraw that the data do not allow, and the errors of fitting.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> plan = Plan(Redraw("bootstrap"), n_replicates=3)
    >>> len(replicate(CartClassifier(max_depth=2), samples.load("iris"), plan).trees)
    3
    >>> plants = np.arange(150) // 5
    >>> len(replicate(CartClassifier(max_depth=2), samples.load("iris"), plan, groups=plants).trees)
    3
    """
    data = with_roles(data, groups, time)
    trees: Trees = {} if watch.trees is None else watch.trees
    growth, progress = planned_growth(estimator, data, plan), watch.progress or Progress()
    if executor is None:
        _grow_on_threads(growth, plan, watch._replace(progress=progress), trees, len(data.y))
        return so_far(plan, trees)
    tasks = growth_tasks(growth, shares(plan.numbers, executor), len(data.y))
    for _, grown in in_order(tasks, executor, ScaledProgress(progress, plan.total / (len(tasks) * TASK_PARTS))):
        for number, tree in grown.items():  # one by one: `trees` may look at each
            trees[number] = tree
    return so_far(plan, trees)


def planned_growth(estimator: Any, data: Dataset, plan: Plan) -> SharedGrowth:
    """Return what the replicates of the plan have in common. Raises ValueError as `replicate` does."""
    if plan.n_replicates < 1:
        raise ValueError(f"the number of replicates is {plan.n_replicates}; it must be at least 1")
    redrawn(plan.redraw, data, plan.seed, 0)  # an impossible redraw shows here
    return growth_of(estimator, data, Way(plan.redraw, plan.seed))


def growth_tasks(growth: SharedGrowth, parts: Sequence[range], n_samples: int) -> list[Call]:
    """Return a task for each part of the numbers, whose result is the trees by number."""
    return [Call(grow_numbered, (growth, part), len(part) * n_samples) for part in parts]


def grow_numbered(growth: SharedGrowth, numbers: range, progress: Progress) -> Trees:
    """Grow the replicates of these numbers one after the other, until stopped."""
    trees: Trees = {}
    grow, left = growth.grower(), deque(numbers)
    while left and not progress.is_stopped:
        for tree, is_complete in grow(list(islice(left, AT_ONCE)), progress):
            number = left.popleft()
            if is_complete:
                trees[number] = tree
    return trees


def _grow_on_threads(growth: SharedGrowth, plan: Plan, watch: GrowthWatch, trees: Trees, n_samples: int) -> None:
    n_threads = min(max(watch.n_threads, 1), plan.n_replicates)
    relay = Relay(watch.progress or Progress(), n_threads, lambda n: min(n * PARTS // n_samples, plan.total))
    queue = _Queue(iter(plan.numbers), max(1, plan.n_replicates // (8 * n_threads)), n_samples)
    with ThreadPoolExecutor(n_threads) as pool:
        relay.attend([pool.submit(_grow_some, growth.grower(), queue, mine, trees) for mine in relay.threads])


def so_far(plan: Plan, trees: Trees) -> Replicates:
    """Return the replicates of the plan that are complete; also while others still grow."""
    known = dict(trees)
    numbers = [number for number in plan.numbers if number in known]
    return Replicates(plan, np.array(numbers, np.int64), tuple(known[number] for number in numbers))


def joined(parts: Iterable[Replicates]) -> Replicates:
    """Join the replicates of several plans with one redraw and seed, by number. Raises ValueError for others."""
    parts = sorted(parts, key=lambda part: part.plan.first)
    plans = [part.plan for part in parts]
    if len({(plan.redraw, plan.seed) for plan in plans}) != 1:
        raise ValueError("only replicates of one redraw and one seed can be joined")
    if any(a.first + a.n_replicates != b.first for a, b in pairwise(plans)):
        raise ValueError("only replicates whose numbers follow each other can be joined")
    plan = plans[0]._replace(n_replicates=sum(plan.n_replicates for plan in plans))
    return so_far(plan, {int(i): tree for part in parts for i, tree in zip(part.numbers, part.trees, strict=True)})


class _Queue(NamedTuple):
    """The replicates that are left for the threads to take."""

    left: Iterator[int]  # numbers
    most: int  # replicates at once, so that all threads end at about one time
    n_samples: int


def _grow_some(grow: Grower, queue: _Queue, mine: ThreadProgress, trees: Trees) -> None:
    """Grow replicates until there are no more numbers; one thread's share."""
    taken, many = deque[int](), 1
    while True:
        taken.extend(islice(queue.left, max(many - len(taken), 0)))
        if not taken or mine.is_stopped:
            return
        began = time.perf_counter()
        grown = grow(list(taken), mine)
        for tree, is_complete in grown:
            number = taken.popleft()
            if is_complete:
                trees[number] = tree
        mine.settle(sum(is_complete for _, is_complete in grown) * queue.n_samples)
        seconds = (time.perf_counter() - began) / len(grown)
        many = max(1, min(int(SECONDS_AT_ONCE / max(seconds, 1e-6)), queue.most))
