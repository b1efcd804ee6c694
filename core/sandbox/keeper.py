"""The other process, as seen from here: started when it is asked, and again if it has gone to sleep."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np

from core.sandbox.frames import read_frame, write_frame
from core.settings import MAX_ONNX_MEMORY_MB, MAX_ONNX_SECONDS, PROJECT

IDLE_SECONDS = 60.0  # after which it ends by itself


class Keeper:
    """A process that holds the model of one ONNX file, and answers one question at a time."""

    def __init__(self, file: bytes, idle_seconds: float = IDLE_SECONDS, most_seconds: float = MAX_ONNX_SECONDS):
        self._file, self._idle, self._most = file, idle_seconds, most_seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self.description: dict[str, Any] = {}

    def __reduce__(self):
        return Keeper, (self._file, self._idle, self._most)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer. Raises ValueError, saying why, where there is none."""
        with self._lock:
            found = None
            if self._process is not None:
                found = self._exchange(question)  # None where it had gone to sleep
            if found is None:
                self._start()
                found = self._exchange(question)
            if found is None:
                self._end()
                raise ValueError(
                    f"the model gave up: it may want more than the {MAX_ONNX_MEMORY_MB:,} MB of memory that this "
                    "server allows"
                )
        if "wrong" in found:
            raise ValueError(f"the model has no answer: {found['wrong']}")
        return found

    def open(self) -> dict[str, Any]:
        """Inputs and outputs of the model. Raises ValueError for a file that is none."""
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
        command = [sys.executable, "-m", "core.sandbox.worker", str(MAX_ONNX_MEMORY_MB), str(self._idle)]
        found = os.pathsep.join([str(PROJECT), *sys.path])  # what this process finds, the other one does
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": found},
        )  # fmt: skip
        weakref.finalize(self, _kill, self._process)
        described = self._exchange({"file": np.frombuffer(self._file, np.uint8)})
        if described is None or "wrong" in described:
            self._end()
            why = "" if described is None else str(described["wrong"])
            if "protobuf" in why.lower():
                raise ValueError("the file is not an ONNX model, or it is damaged; choose another file")
            why = f": {why.rstrip('.')}" if why else ""
            raise ValueError(f"the file is not an ONNX model that this server can run{why}")
        self.description = described

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """Ask and wait. Raises ValueError where it takes too long; None where the process is gone."""
        process: Any = self._process
        late = threading.Event()
        alarm = threading.Timer(self._most, lambda: (late.set(), process.kill()))
        alarm.start()
        try:
            write_frame(process.stdin, question)
            found = read_frame(process.stdout)
        except (BrokenPipeError, OSError):
            found = None
        finally:
            alarm.cancel()
        if late.is_set():
            self._end()
            raise ValueError(f"the model took longer than {self._most:g} seconds for a batch of rows")
        return found

    def _end(self) -> None:
        if self._process is not None:
            _kill(self._process)
        self._process = None


def _kill(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):  # a last frame that cannot be flushed any more
                stream.close()
