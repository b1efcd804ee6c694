"""Worker processes for any number of executors: begun when needed, kept warm, ended after a while without work."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from espalier.executors import nursery
from espalier.executors.nursery import Copy, Nursery
from espalier.executors.process import WorkerProcess, begun
from espalier.executors.wire import file_of
from espalier.paths import scratch
from espalier.progress import SECONDS_BETWEEN_LOOKS, Progress
from espalier.settings import MAX_WORKER_MEMORY_MB, PROCESSORS

COMMON = (  # what most tasks need
    "espalier.learners",
    "espalier.comparison.cross_validation",
    "espalier.kernels.compile_all:load",
)


class WorkerTerms(NamedTuple):
    """Terms on which workers work."""

    megabytes: int = MAX_WORKER_MEMORY_MB  # that a task may take beyond what the modules take
    modules: Sequence[str] = COMMON  # made ready before the first task, see `worker.make_ready`
    niceness: int = 0  # added to ours: other processes come first


class WorkerPool:
    """Worker processes that are lent out, each to one task at a time."""

    def __init__(
        self,
        most: int = PROCESSORS,
        terms: WorkerTerms = WorkerTerms(),  # noqa: B008
        idle_seconds: float = 300.0,
    ):
        """At most so many at a time; one that has had no task for so many seconds is ended.

        >>> from espalier.executors import Processes
        >>> pool = WorkerPool(most=1)
        >>> with Processes(1, pool=pool) as workers:
        ...     workers.submit(divmod, 7, 2).result()
        (3, 1)
        >>> pool.close()
        """
        self._most, self._terms, self._idle_seconds = most, terms, idle_seconds
        self._folder = tempfile.TemporaryDirectory(dir=scratch(), ignore_cleanup_errors=True)
        self._place, self._changed = Path(self._folder.name), threading.Condition()
        self._idle: list[tuple[float, WorkerProcess]] = []  # since when, the longest idle one first
        self._n_lent, self._numbers = 0, count()
        self._nursery: Nursery | None = None
        self._beginning = threading.Lock()
        self._clock: threading.Timer | None = None

    @property
    def n_alive(self) -> int:
        """Number of processes, the nursery included."""
        with self._changed:
            return len(self._idle) + self._n_lent + (self._nursery is not None)

    def borrow(self, progress: Progress) -> WorkerProcess | None:
        """Return a worker as soon as one is free; None once the task is stopped."""
        with self._changed:
            while not self._idle and self._n_lent >= self._most:
                if progress.is_stopped:
                    return None
                self._changed.wait(SECONDS_BETWEEN_LOOKS)
            self._n_lent += 1
            worker = self._idle.pop()[1] if self._idle else None
        try:
            return worker if worker is not None and worker.is_alive else self._begun()
        except BaseException:
            self.give_back(None)
            raise

    def give_back(self, worker: WorkerProcess | None) -> None:
        """Take a worker back; None for one that was ended."""
        with self._changed:
            self._n_lent -= 1
            if worker is not None:
                self._idle.append((time.monotonic(), worker))
            self._changed.notify()
            self._wind_clock()

    def warm(self) -> None:
        """Begin a worker ahead of the first task, if there is none."""
        self.give_back(self.borrow(Progress()))

    def close(self) -> None:
        """End all workers that are not lent out."""
        with self._changed:
            if self._clock is not None:
                self._clock.cancel()
        self._end_idle(0.0)
        self._folder.cleanup()

    def _begun(self) -> WorkerProcess:
        number, megabytes = next(self._numbers), self._terms.megabytes
        return WorkerProcess(lambda: self._process(number), file_of(self._place, number), megabytes)

    def _process(self, number: int) -> subprocess.Popen[bytes] | Copy:
        if not nursery.IS_POSSIBLE:
            process = begun(self._place, number, self._terms.megabytes, self._terms.modules)
            self._give_way(process.pid)
            return process
        with self._beginning:
            if self._nursery is not None and self._nursery.process.poll() is not None:
                self._nursery.end()
                self._nursery = None
            if self._nursery is None:
                self._nursery = Nursery(self._place, self._terms.megabytes, self._terms.modules)
                self._give_way(self._nursery.process.pid)
            return self._nursery.worker(number)

    def _give_way(self, process: int) -> None:
        if self._terms.niceness and hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                ours = os.getpriority(os.PRIO_PROCESS, os.getpid())
                os.setpriority(os.PRIO_PROCESS, process, ours + self._terms.niceness)

    def _wind_clock(self) -> None:
        """Look in a while whether workers are to be ended; the lock is held."""
        if self._clock is None or not self._clock.is_alive():
            self._clock = threading.Timer(self._idle_seconds, self._end_idle, (self._idle_seconds,))
            self._clock.daemon = True
            self._clock.start()

    def _end_idle(self, seconds: float) -> None:
        """End workers that were idle for so long, and the nursery after the last one."""
        with self._changed:
            until = time.monotonic() - seconds
            over = [worker for since, worker in self._idle if since <= until]
            self._idle = [(since, worker) for since, worker in self._idle if since > until]
            self._clock = None
            last, is_last = self._nursery, not self._idle and not self._n_lent
            if is_last:
                self._nursery = None
            else:
                self._wind_clock()
        for worker in over:
            worker.end()
        if is_last and last is not None:
            last.end()
