"""Processes for foreign files and models, from this side: started within limits, asked, ended, and kept."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from espalier.language import Refusal
from espalier.paths import SOURCES
from espalier.sandbox.wire import read_frame, write_frame
from espalier.settings import MAX_ONNX_MEMORY_MB, MAX_ONNX_SECONDS

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


IDLE_SECONDS = 60.0  # after which it ends by itself


class Keeper:
    """A process that holds the model of one ONNX file, and answers one request at a time.

    It is started on demand, and again after it has ended for being idle.
    """

    def __init__(self, file: bytes, idle_seconds: float = IDLE_SECONDS, most_seconds: float = MAX_ONNX_SECONDS):
        self._file, self._idle, self._most = file, idle_seconds, most_seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self.description: dict[str, Any] = {}

    def __reduce__(self):
        return Keeper, (self._file, self._idle, self._most)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer. Raises ValueError with the reason if there is none."""
        with self._lock:
            answer = None
            if self._process is not None:
                answer = self._exchange(question)  # None if it had ended
            if answer is None:
                self._start()
                answer = self._exchange(question)
            if answer is None:
                self._end()
                raise Refusal(
                    "the model gave up: it may want more than the {megabytes} MB of memory that this server "
                    "allows",
                    megabytes=MAX_ONNX_MEMORY_MB,
                )
        if "wrong" in answer:
            raise Refusal("the model has no answer: {reason}", reason=answer["wrong"])
        return answer

    def open(self) -> dict[str, Any]:
        """Return inputs and outputs of the model. Raises ValueError for an invalid file."""
        with self._lock:
            if self._process is None:
                self._start()
        return self.description

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _start(self) -> None:
        self._end()
        self._process = start("espalier.sandbox.onnx", MAX_ONNX_MEMORY_MB, self._idle)
        weakref.finalize(self, end, self._process)
        description = self._exchange({"file": np.frombuffer(self._file, np.uint8)})
        if description is None or "wrong" in description:
            self._end()
            why = "" if description is None else str(description["wrong"])
            if "protobuf" in why.lower():
                raise Refusal("the file is not an ONNX model, or it is damaged; choose another file")
            if not why:
                raise Refusal("the file is not an ONNX model that this server can run")
            raise Refusal("the file is not an ONNX model that this server can run: {why}", why=why.rstrip("."))
        self.description = description

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """Send a request and wait. Raises ValueError if it takes too long; None if the process is gone."""
        try:
            return ask(self._process, question, self._most)
        except TooLate:
            self._end()
            raise Refusal("the model took longer than {n} seconds for a batch of rows", n=self._most) from None

    def _end(self) -> None:
        if self._process is not None:
            end(self._process)
        self._process = None
