"""Start, call and end the other process, from this side."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from espalier.paths import SOURCES
from espalier.sandbox.wire import read_frame, write_frame

SPARING = {  # one thread, and one store of memory: a limit of memory counts all that is set aside
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}  # fmt: skip


class TooLate(Exception):
    """The answer took longer than it may."""


def environment() -> dict[str, str]:
    """Return the environment of another process, which finds the same modules and takes no more than it needs."""
    return {**os.environ, **SPARING, "PYTHONPATH": os.pathsep.join([str(SOURCES), *sys.path])}


def start(module: str, megabytes: int, idle_seconds: float) -> subprocess.Popen:
    """Start a process that answers requests with the `service` of a module of ours, within limits."""
    return subprocess.Popen(
        [sys.executable, "-m", "espalier.sandbox.worker", module, str(megabytes), str(idle_seconds)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip


def ask(
    process: Any, question: dict[str, Any], seconds: float, hear: Callable[[Any], None] | None = None
) -> dict[str, Any] | None:
    """Return the answer; progress goes to `hear`. None: the process is gone. Raises TooLate after `seconds`."""
    late = threading.Event()
    alarm = threading.Timer(seconds, lambda: (late.set(), process.kill()))
    alarm.daemon = True
    alarm.start()
    try:
        write_frame(process.stdin, question)
        answer = read_frame(process.stdout)
        while answer is not None and "told" in answer:
            if hear is not None:
                hear(answer["told"])
            answer = read_frame(process.stdout)
    except (BrokenPipeError, OSError):
        answer = None
    finally:
        alarm.cancel()
    if late.is_set() or (answer is None and _used_its_time(process)):
        raise TooLate
    return answer


def end(process: subprocess.Popen) -> None:
    """End the process at once."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):  # a last frame that cannot be flushed any more
                stream.close()


def _used_its_time(process: subprocess.Popen) -> bool:
    """Return whether the system ended the process for its use of processor time."""
    try:
        code = process.wait(1.0)
    except subprocess.TimeoutExpired:
        return False
    return os.name != "nt" and code == -signal.SIGXCPU
