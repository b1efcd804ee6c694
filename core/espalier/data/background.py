"""Read files in the background, each in a separate process with limits that can be cancelled.

A warm process waits for the next file, so that a small one need not wait for Python to start.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import subprocess
import threading
from collections.abc import Collection
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from espalier.data import contents
from espalier.data.contents import Contents
from espalier.data.options import ReadOptions
from espalier.language import say, speak, spoken
from espalier.sandbox import keeper
from espalier.settings import MAX_READ_MEMORY_MB, MAX_READ_SECONDS, MAX_READERS

MODULE = "espalier.data.contents"
IDLE_SECONDS = 900.0  # after which a waiting process ends by itself
MOST_WAITING_BYTES = 200_000_000  # a process that held more is ended, because it does not free all of it
PATIENCE = 6.0  # wall-clock limit of a reading, in multiples of the limit of processor time
_log = logging.getLogger("espalier")


class FileReading:
    """A file that is being read."""

    def __init__(
        self,
        source: bytes | Path,
        filename: str,
        options: ReadOptions | None = None,
        texts: Collection[str] = (),
    ):
        self._question = contents.question(source, filename, options, texts)
        self._language = spoken()
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self.is_cancelled = False
        self.share, self.step = 0.0, ""  # of the present step, and its name; empty while queued
        self.future: Future[Contents] = _pool.submit(self._run)

    def cancel(self) -> None:
        """Cancel the reading, and its future."""
        with self._lock:
            self.is_cancelled = True
            if self._process is not None:
                self._process.kill()
        self.future.cancel()

    def _run(self) -> Contents:
        speak(self._language)
        self.step = say("Beginning")
        try:
            return contents.contents_of_answer(self._answer())
        except ValueError as wrong:
            if isinstance(wrong, contents.UnreadableFile):
                raise
            _log.exception("the process that reads answered strangely")
            raise contents.failure("fault") from wrong
        finally:
            self._question = {}

    def _answer(self) -> dict[str, Any]:
        """Return the answer of a process; of another one, where the first ended before it heard the question."""
        answer, code = self._ask(_waiting.take())
        if answer is None and code == 0 and not self.is_cancelled:  # it had waited for too long
            answer, code = self._ask(_start_reader())
        if self.is_cancelled:
            raise CancelledError
        if answer is None:
            _log.error("the process that reads ended with code %s", code)
            raise contents.failure("end")
        if "fault" in answer:
            _log.error("a file could not be read: %s", answer["fault"])
        return answer

    def _ask(self, reader: subprocess.Popen) -> tuple[dict[str, Any] | None, int | None]:
        """Return the answer of this process, which then waits for another file; if it ended, None and its code."""
        answer = None
        with self._lock:
            self._process = reader
        try:
            if not self.is_cancelled:
                answer = keeper.ask(reader, self._question, PATIENCE * MAX_READ_SECONDS, self._hear)
        except keeper.TooLate:
            raise contents.failure("time") from None
        finally:
            with self._lock:
                self._process = None  # it may read for somebody else from now on
            _waiting.give_back(reader, answer)
        return answer, reader.returncode

    def _hear(self, told: Any) -> None:
        self.share, self.step = float(told[0]), str(told[1])


class Waiting:
    """The process that waits for the next file, if there is one."""

    def __init__(self):
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None

    def warm(self) -> None:
        """Start a waiting process if there is none."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._let_go()
                self._process = _start_reader()

    def take(self) -> subprocess.Popen:
        """Return the waiting process, or a new one; the caller gives it back."""
        with self._lock:
            process_, self._process = self._process, None
        if process_ is not None and process_.poll() is None:
            return process_
        if process_ is not None:
            keeper.end(process_)
        return _start_reader()

    def give_back(self, reader: subprocess.Popen, answer: dict[str, Any] | None) -> None:
        """Let the process wait for the next file; end it if it holds much memory, or another one waits."""
        is_light = answer is not None and answer["peak"] < MOST_WAITING_BYTES and "fault" not in answer
        with self._lock:
            if is_light and self._process is None:
                self._process = reader
                return
        keeper.end(reader)

    def end(self) -> None:
        """End the waiting process."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):
                keeper.end(self._process)
        self._process = None


def warm() -> None:
    """Start a process that waits for a file, if there is none."""
    _waiting.warm()


def _start_reader() -> subprocess.Popen:
    return keeper.start(MODULE, MAX_READ_MEMORY_MB, IDLE_SECONDS)


_waiting = Waiting()
_pool = ThreadPoolExecutor(MAX_READERS, thread_name_prefix="reading")
atexit.register(_waiting.end)
