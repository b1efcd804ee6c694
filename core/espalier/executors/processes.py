"""Worker processes of this machine: for tasks that hold the interpreter, or may have to be ended by force."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from espalier.executors.parcels import Message, Packer, write
from espalier.executors.pool import COMMON, WorkerPool, WorkerTerms
from espalier.executors.process import value_of
from espalier.executors.wire import SentTask
from espalier.paths import scratch
from espalier.progress import Progress
from espalier.settings import MAX_WORKER_MEMORY_MB, PROCESSORS
from espalier.tasks import Call

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
        return super().submit(self._done, message, progress)

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

    def _done(self, message: Message, progress: Progress) -> Any:
        """Return the result of the task; None where it was stopped."""
        task = SentTask(message, Path(self._folder.name))
        for tries_left in reversed(range(TRIES)):
            worker = None if progress.is_stopped else self._pool.borrow(progress)
            if worker is None:
                return None
            answer = worker.ask(task, progress)
            if answer is not None:
                self._pool.give_back(worker)
                return value_of(answer)
            why = worker.why()
            worker.end()
            self._pool.give_back(None)
            if not tries_left and not progress.is_stopped:
                raise why
        return None
