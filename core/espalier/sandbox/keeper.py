"""The process of a model: started on demand, and again after it has ended for being idle."""

from __future__ import annotations

import subprocess
import threading
import weakref
from typing import Any

import numpy as np

from espalier.language import Refusal
from espalier.sandbox import process
from espalier.settings import MAX_ONNX_MEMORY_MB, MAX_ONNX_SECONDS

IDLE_SECONDS = 60.0  # after which it ends by itself


class Keeper:
    """A process that holds the model of one ONNX file, and answers one request at a time."""

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
        self._process = process.start("espalier.sandbox.onnx", MAX_ONNX_MEMORY_MB, self._idle)
        weakref.finalize(self, process.end, self._process)
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
            return process.ask(self._process, question, self._most)
        except process.TooLate:
            self._end()
            raise Refusal("the model took longer than {n} seconds for a batch of rows", n=self._most) from None

    def _end(self) -> None:
        if self._process is not None:
            process.end(self._process)
        self._process = None
