"""Worker processes of this machine: started when needed, kept warm, ended after a while without work."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from espalier.executors import nursery
from espalier.executors.nursery import Copy, Nursery
from espalier.executors.parcels import (
    LostTask,
    Message,
    Packer,
    file_of,
    receive,
    send,
    shared_progress,
    write,
)
from espalier.paths import scratch
from espalier.progress import SECONDS_BETWEEN_LOOKS, Progress
from espalier.sandbox.keeper import end, environment
from espalier.settings import MAX_WORKER_MEMORY_MB, PROCESSORS
from espalier.tasks import Call

SECONDS_TO_STOP = 1.0  # that a task has to stop by itself, where it can
PROGRAM = "from espalier.executors.worker import main; main()"


class WorkerProcess:
    """A process that works on one task at a time."""

    def __init__(self, begin: Callable[[], Any], progress_file: Path, megabytes: int):
        """`begin` begins the process, which shares the progress; tasks may take so many more megabytes."""
        self._file, self._megabytes = progress_file, megabytes
        self._shared = shared_progress(progress_file)
        self._process = begin()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process's number in the system."""
        return self._process.pid

    def ask(self, message: Message, folder: Path, progress: Progress) -> tuple[Any, BaseException | None] | None:
        """Return a task's value and its error; None where the process ended.

        `folder` has the parcels of the message's digests. `progress` counts what the task counts. Once it is
        stopped the task is, after a while by force.
        """
        self._shared.array[:] = 0
        ending = threading.Event()
        watcher = threading.Thread(target=self._attend, args=(progress, ending, message.total > 0), daemon=True)
        watcher.start()
        try:
            send(self._process.stdin, pickle.dumps((message, folder)))
            answer = receive(self._process.stdout)
        except OSError:
            answer = None
        finally:
            ending.set()
            watcher.join()
        return None if answer is None else pickle.loads(answer)

    def why(self) -> LostTask:
        """Return the error that says how the process ended, once it has."""
        code = self._process.wait()
        return LostTask(
            "a worker process ended by signal {code}, perhaps for want of memory: it may take {megabytes} MB. "
            "Use fewer rows or smaller models, or raise ESPALIER_MAX_WORKER_MEMORY_MB"
            if code < 0
            else "a worker process ended with code {code}, perhaps for want of memory: it may take {megabytes} "
            "MB. Use fewer rows or smaller models, or raise ESPALIER_MAX_WORKER_MEMORY_MB",
            code=abs(code),
            megabytes=self._megabytes,
        )

    def end(self) -> None:
        """End the process at once."""
        end(self._process)
        self._file.unlink(missing_ok=True)

    def _attend(self, progress: Progress, ended: threading.Event, can_stop: bool) -> None:
        """Hand progress and stop on until the task has ended."""
        patience = SECONDS_TO_STOP if can_stop else 0.0
        since = None
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            progress.done = max(progress.done, self._shared.done)
            if progress.is_stopped:
                self._shared.stop()
                since = since or time.monotonic()
                if time.monotonic() - since >= patience:
                    self._process.kill()
                    return
        progress.done = max(progress.done, self._shared.done)


def start_worker(folder: Path, number: int, megabytes: int, modules: Sequence[str]) -> subprocess.Popen[bytes]:
    """Begin a process that imports the modules, and then does tasks with so much more memory."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(number), str(megabytes), *modules],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(),
    )  # fmt: skip


# ---- worker processes for any number of executors: begun when needed, kept warm, ended after a while without work

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
            return worker if worker is not None and worker.is_alive else self._start_worker()
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

    def _start_worker(self) -> WorkerProcess:
        number, megabytes = next(self._numbers), self._terms.megabytes
        return WorkerProcess(lambda: self._process(number), file_of(self._place, number), megabytes)

    def _process(self, number: int) -> subprocess.Popen[bytes] | Copy:
        if not nursery.IS_POSSIBLE:
            process = start_worker(self._place, number, self._terms.megabytes, self._terms.modules)
            self._give_way(process.pid)
            return process
        with self._beginning:
            if self._nursery is not None:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has ended
                    return self._nursery.worker(number)
                self._nursery.end()
                self._nursery = None
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


# ---- worker processes of this machine: for tasks that hold the interpreter, or may have to be ended by force

TRIES = 2  # of a task whose process ends: the first may have been ended by chance, or by somebody
SHARES = 16  # of the same work for each worker: to send one costs little, and results are seen soon


class Processes(ThreadPoolExecutor):
    """An executor whose threads each give tasks to a process, and wait for it.

    So each task has a process of its own. Where this ends, the others go on, and the task is done once more in a
    new one; where that ends, too, the task fails with `LostTask`. A task that is stopped and does not heed it
    within a second is ended with its process. Arguments must not change before the executor is shut down.
    """

    def __init__(
        self,
        n_workers: int = PROCESSORS,
        megabytes: int = MAX_WORKER_MEMORY_MB,
        modules: Sequence[str] = COMMON,
        pool: WorkerPool | None = None,
    ):
        """Each task may take so many megabytes beyond what the modules take that a process begins with.

        A `pool` lends its processes, on its own terms; they stay when the executor is shut down.
        """
        super().__init__(n_workers, thread_name_prefix="process")
        self.n_workers, self._is_own = n_workers, pool is None
        self.n_shares = SHARES
        self._pool = pool or WorkerPool(n_workers, WorkerTerms(megabytes, modules))
        self._folder = tempfile.TemporaryDirectory(dir=scratch(), ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self._packer, self._packing = (
            Packer(lambda digest, parcel: write(parcel, folder / digest)),
            threading.Lock(),
        )

    def begin(self, task: Call, progress: Progress) -> Future[Any]:
        """Hand a task over; `progress` counts what it counts, and stops it. Raises ValueError as `Packer.pack`."""
        with self._packing:
            message = self._packer.pack(task)
        return super().submit(self._run_task, message, progress)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand a function and its arguments over."""
        return self.begin(Call(partial(fn, **kwargs) if kwargs else fn, args), Progress())

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, once their tasks have ended, and forget the arguments."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        if not wait:
            return
        if self._is_own:
            self._pool.close()
        self._folder.cleanup()

    def _run_task(self, message: Message, progress: Progress) -> Any:
        """Return the result of the task; None where it was stopped."""
        for tries_left in reversed(range(TRIES)):
            worker = None if progress.is_stopped else self._pool.borrow(progress)
            if worker is None:
                return None
            answer = worker.ask(message, Path(self._folder.name), progress)
            if answer is not None:
                self._pool.give_back(worker)
                value, error = answer
                if error is not None:
                    raise error
                return value
            why = worker.why()
            worker.end()
            self._pool.give_back(None)
            if not tries_left and not progress.is_stopped:
                raise why
        return None
