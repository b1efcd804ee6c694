"""Independent tasks on any executor: results in order, one progress for all, and stopping.

>>> from concurrent.futures import ThreadPoolExecutor
>>> with ThreadPoolExecutor(2) as pool:
...     list(in_order([Call(pow, (base, 2)) for base in range(4)], pool))
[(0, 0), (1, 1), (2, 4), (3, 9)]

What is random in a task takes its seed from the arguments, so that the results do not depend on who works on what.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

from espalier.progress import SECONDS_BETWEEN_LOOKS, Progress

PARTS = 1_000  # of a task, that progress is counted in
AT_ONCE = 2  # tasks for each worker that an executor holds: some at work, the next ones ready
SHARES = 8  # of the same work for each worker, so that all end at about one time; some executors want more


class Call(NamedTuple):
    """A task: a function, and the arguments that alone decide on its result.

    Where `total` is not 0, the function also takes a `progress`, which counts up to `total` and may stop it.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    total: int = 0


def shares(numbers: range, executor: Executor) -> list[range]:
    """Return the numbers in parts, `SHARES` for each worker: few enough to be worth sending, and about as long.

    >>> with ThreadPoolExecutor(2) as pool:
    ...     len(shares(range(10_000), pool)) >= SHARES
    True
    """
    n_shares = getattr(executor, "n_shares", SHARES) * n_workers(executor)
    many = max(-(-len(numbers) // n_shares), 1)
    return [numbers[first : first + many] for first in range(0, len(numbers), many)]


def n_workers(executor: Executor) -> int:
    """Return the number of tasks that the executor works on at a time; of threads, that of processors."""
    return getattr(executor, "n_workers", os.cpu_count() or 1)


def in_order(
    tasks: Sequence[Call], executor: Executor, progress: Progress | None = None, at_once: int | None = None
) -> Generator[tuple[int, Any], None, None]:
    """Yield the place and the result of each task, in order, as soon as it and all before it have ended.

    `progress` counts `PARTS` for each task. Once it is stopped no task begins; those under way on threads, or on
    an executor whose `begin` takes a task and its progress, are stopped and their results dropped, and whatever is
    whole is yielded. An error of a task stops the others and is raised. At most `at_once` tasks are in the
    executor's hands at a time; None for two for each of its workers.
    """
    stream = _Stream(tasks, executor, progress or Progress(), at_once or AT_ONCE * n_workers(executor))
    try:
        while stream.submit():
            stream.wait()
            yield from stream.ended()
    finally:
        stream.stop()


class _Submitted(NamedTuple):
    """A task in the executor's hands."""

    place: int
    future: Future[Any]
    progress: Progress | None  # its own; None where it counts nothing, or does so in another process
    total: int

    @property
    def parts(self) -> int:
        """The part of it that is done, from 0 to `PARTS`."""
        if self.future.done():
            return PARTS
        return min(PARTS * self.progress.done // self.total, PARTS - 1) if self.progress and self.total else 0

    @property
    def is_whole(self) -> bool:
        """Whether it has ended and was not stopped before."""
        return not self.future.cancelled() and not (self.progress and self.progress.is_stopped)

    def stop(self) -> None:
        """Keep it from beginning, or ask it to stop; one that has ended stays as it is."""
        if not self.future.done() and not self.future.cancel() and self.progress is not None:
            self.progress.stop()


class _Stream:
    """Tasks on their way through an executor."""

    def __init__(self, tasks: Sequence[Call], executor: Executor, progress: Progress, at_once: int):
        self._left, self._executor, self._progress = deque(enumerate(tasks)), executor, progress
        self._at_once, self._submitted, self._n_ended = at_once, deque[_Submitted](), 0

    def submit(self) -> bool:
        """Hand over as many tasks as there is room for; whether any result is still to come."""
        while self._left and not self._progress.is_stopped and len(self._unfinished()) < self._at_once:
            self._submitted.append(self._begun(*self._left.popleft()))
        return bool(self._submitted)

    def _begun(self, place: int, task: Call) -> _Submitted:
        begin, own = getattr(self._executor, "begin", None), Progress()
        if begin is not None:
            return _Submitted(place, begin(task, own), own, task.total)
        if task.total and isinstance(self._executor, ThreadPoolExecutor):
            future = self._executor.submit(task.function, *task.arguments, progress=own)
            return _Submitted(place, future, own, task.total)
        return _Submitted(place, self._executor.submit(task.function, *task.arguments), None, task.total)

    def wait(self) -> None:
        """Wait a moment or until one ends; hand progress and stop on, and raise the error of a task."""
        wait(self._unfinished(), SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
        for task in self._submitted:
            if task.future.done() and not task.future.cancelled():
                task.future.result()
        if self._progress.is_stopped:
            self.stop()
        done = PARTS * self._n_ended + sum(task.parts for task in self._submitted)
        self._progress.done = max(self._progress.done, done)

    def ended(self) -> Iterator[tuple[int, Any]]:
        """Yield places and results of the first ones, up to one that has not ended."""
        while self._submitted and self._submitted[0].future.done():
            task = self._submitted.popleft()
            self._n_ended += 1
            if task.is_whole:
                yield task.place, task.future.result()

    def stop(self) -> None:
        """Stop all that have not ended."""
        for task in self._submitted:
            task.stop()

    def _unfinished(self) -> list[Future[Any]]:
        return [task.future for task in self._submitted if not task.future.done()]
