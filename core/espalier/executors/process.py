"""One worker process, from the side of who gives it tasks: begin it, ask it, watch it, end it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from espalier.executors.lost import LostTask
from espalier.executors.wire import SentTask, TaskEnd, receive, send, shared_progress
from espalier.paths import SOURCES
from espalier.progress import SECONDS_BETWEEN_LOOKS, Progress
from espalier.sandbox.process import SPARING, end

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

    def ask(self, task: SentTask, progress: Progress) -> TaskEnd | None:
        """Return the answer to a task; None where the process ended.

        `progress` counts what the task counts. Once it is stopped the task is, after a while by force.
        """
        self._shared.array[:] = 0
        ended = threading.Event()
        watcher = threading.Thread(
            target=self._attend, args=(progress, ended, task.message.total > 0), daemon=True
        )
        watcher.start()
        try:
            send(self._process.stdin, pickle.dumps(task))
            answer = receive(self._process.stdout)
        except OSError:
            answer = None
        finally:
            ended.set()
            watcher.join()
        return None if answer is None else TaskEnd(*pickle.loads(answer))

    def why(self) -> LostTask:
        """Return the error that says how the process ended, once it has."""
        code = self._process.wait()
        return LostTask(
            "the worker process of a task ended by signal {code}, perhaps for want of memory: it may take "
            "{megabytes} MB. Use fewer rows or smaller models, or let it take more (ESPALIER_MAX_WORKER_MEMORY_MB)"
            if code < 0
            else "the worker process of a task ended with code {code}, perhaps for want of memory: it may "
            "take {megabytes} MB. Use fewer rows or smaller models, or let it take more "
            "(ESPALIER_MAX_WORKER_MEMORY_MB)",
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


def begun(folder: Path, number: int, megabytes: int, modules: Sequence[str]) -> subprocess.Popen[bytes]:
    """Begin a process that imports the modules, and then does tasks with so much more memory."""
    found = os.pathsep.join([str(SOURCES), *sys.path])  # the other process finds the same modules
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(number), str(megabytes), *modules],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **SPARING, "PYTHONPATH": found},
    )  # fmt: skip


def value_of(answer: TaskEnd) -> Any:
    """Return the value of an answer, or raise its error."""
    if answer.error is not None:
        raise answer.error
    return answer.value
