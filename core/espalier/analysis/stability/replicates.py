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

Another thread may observe the run and stop it: ``GrowthWatch(n_threads, signals, trees)`` holds the int64 (2,)
signals of a job ([0] counts up to ``plan.total``; [1] not zero: stop) and a dict that receives each tree, by
number, as soon as it is grown; `so_far` makes Replicates of it. Tree i depends only on the estimator, the data,
the redraw, the seed and i: not on the number of threads or of replicates. So ``plan.more(n)`` extends the
replicates, and `joined` puts parts together.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.analysis.stability.refitting import Grower, grower_of
from espalier.analysis.stability.resampling import Redraw, check_redraw
from espalier.data.dataset import Dataset
from espalier.trees import AnyTree

PARTS = 100  # progress counts per replicate
SECONDS_BETWEEN_SIGNALS = 0.02
SECONDS_AT_ONCE = 0.03  # a thread grows trees for about this long before it delivers them
UNDER_WAY, STOP, DONE = range(3)  # places in a thread's signals: samples settled, stop flag, replicates done

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
        """Final count of ``signals[0]``."""
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
    signals: np.ndarray | None = None  # (2,) int64: progress up to ``plan.total``; not zero to stop
    trees: Trees | None = None  # receives each complete tree by number


class Replicates(NamedTuple):
    """Trees on redrawn data, by number."""

    plan: Plan
    numbers: np.ndarray  # (n,) int64, ascending: `resampling.redrawn` gives the data of each
    trees: tuple[AnyTree, ...]

    @property
    def is_complete(self) -> bool:
        """Whether all planned replicates are there."""
        return len(self.trees) == self.plan.n_replicates


def replicate(estimator: Any, data: Dataset, plan: Plan, watch: GrowthWatch = GrowthWatch()) -> Replicates:  # noqa: B008
    """Grow clones of the estimator on redrawn data (approximations keep their fitted model).

    If stopped, it returns the trees that are complete, possibly none. Class weights are those of all data. Raises
    ValueError for an estimator without a single tree, for a redraw that the data do not allow, and the errors of
    fitting.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> plan = Plan(Redraw("bootstrap"), n_replicates=3)
    >>> len(replicate(CartClassifier(max_depth=2), samples.load("iris"), plan).trees)
    3
    """
    if plan.n_replicates < 1:
        raise ValueError(f"the number of replicates is {plan.n_replicates}; it must be at least 1")
    check_redraw(plan.redraw, len(data.y))
    signals = np.zeros(2, np.int64) if watch.signals is None else watch.signals
    trees: Trees = {} if watch.trees is None else watch.trees
    make = grower_of(estimator, data, (plan.redraw, plan.seed))
    _grow_all(make, plan, _Shared(len(data.y), max(watch.n_threads, 1), plan.total, signals), trees)
    return so_far(plan, trees)


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


class _Shared(NamedTuple):
    """State that the threads share."""

    n_samples: int
    n_threads: int
    total: int  # final count of signals[0]
    signals: np.ndarray


def _grow_all(make: Callable[[], Grower], plan: Plan, shared: _Shared, trees: Trees) -> None:
    n_threads = min(shared.n_threads, plan.n_replicates)
    own = np.zeros((n_threads, 3), np.int64)
    own[:, STOP] = shared.signals[1]
    left, most = iter(plan.numbers), max(1, plan.n_replicates // (8 * n_threads))
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            _relay([pool.submit(_grow_some, make(), (left, most), mine, trees) for mine in own], own, shared)
        except BaseException:
            own[:, STOP] = 1
            raise


def _grow_some(grow: Grower, share: tuple[Iterator[int], int], mine: np.ndarray, trees: Trees) -> None:
    """Grow replicates until there are no more numbers: the work of one thread."""
    left, most = share
    taken, many = deque[int](), 1
    while True:
        taken.extend(islice(left, max(many - len(taken), 0)))
        if not taken or mine[STOP]:
            return
        began = time.perf_counter()
        grown = grow(list(taken), mine[:DONE])
        for tree, is_complete in grown:
            number = taken.popleft()
            if is_complete:
                trees[number] = tree
                mine[DONE] += 1
        mine[UNDER_WAY] = 0
        seconds = (time.perf_counter() - began) / len(grown)
        many = max(1, min(int(SECONDS_AT_ONCE / max(seconds, 1e-6)), most))


def _relay(running: list[Future], own: np.ndarray, shared: _Shared) -> None:
    """Relay progress and stop signals until all threads are done; each has its own, so that no count is lost."""
    waiting, signals = set(running), shared.signals
    while waiting:
        done, waiting = wait(waiting, SECONDS_BETWEEN_SIGNALS)
        done_now = own[:, DONE].sum() + own[:, UNDER_WAY].sum() / shared.n_samples
        signals[0] = min(int(done_now * PARTS), shared.total)
        own[:, STOP] = signals[1]
        for future in done:
            future.result()
