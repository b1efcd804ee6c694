"""How a model is asked: in batches, small where it is slow, so that it can be stopped between two of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from espalier.language import Refusal
from espalier.learners.approximation.model_input import Present
from espalier.progress import Progress

FIRST = 64  # rows of the first batch, which shows how slow the model is
LONG = 0.5  # seconds: what is expected to take longer is asked in parts
SHORT = 0.25  # seconds: after a quicker part the next is twice as large, as each call has a cost of its own


class StoppedAsking(Exception):
    """The model was to be asked no more before it had answered all rows."""


class Asking:
    """Asks a model by its method `name`, or calls it."""

    def __init__(self, model: Any, name: str | None, present: Present):
        """`present` puts rows (n, n_features) as the model wants them."""
        self.model, self.name, self.present = model, name, present
        self.progress = Progress()  # stopped: ask no more
        self.n_answered = 0
        self.pace = np.nan  # seconds a row, in the last batch
        self._last = FIRST  # rows of the last batch that was a part

    def __call__(self, rows: np.ndarray) -> Any:
        """Return the model's answers for rows (n, n_features), n of them.

        Raises ValueError unless every row gets an answer, and StoppedAsking if it is stopped on the way.
        """
        parts: list[Any] = []
        first = 0
        while first < len(rows) or not parts:
            if self.progress.is_stopped:
                raise StoppedAsking
            batch = rows[first : first + self._size(len(rows) - first)]
            parts.append(self._asked(batch))
            first += len(batch)
        return parts[0] if len(parts) == 1 else np.concatenate([np.asarray(part) for part in parts])

    @contextmanager
    def heeding(self, progress: Progress) -> Iterator[None]:
        """Within it the model is asked until `progress` is stopped."""
        before, self.progress = self.progress, progress
        try:
            yield
        finally:
            self.progress = before

    def _size(self, n_left: int) -> int:
        """Rows of the next batch: all that are left, unless that may take long."""
        if self.pace * n_left <= LONG:
            return n_left
        if not np.isnan(self.pace):
            seconds = self.pace * self._last
            self._last = self._last * 2 if seconds < SHORT else max(self._last // (1 + (seconds > LONG)), FIRST)
        return min(n_left, self._last)

    def _asked(self, batch: np.ndarray) -> Any:
        began = time.perf_counter()
        answers = (self.model if self.name is None else getattr(self.model, self.name))(self.present(batch))
        self.pace = (time.perf_counter() - began) / max(len(batch), 1)
        self.n_answered += len(batch)
        if np.ndim(answers) == 0 or len(answers) != len(batch):
            n = "a single answer" if np.ndim(answers) == 0 else f"{len(answers)} answers"
            raise Refusal("the model gave {n} to {rows} rows; it must give one for each", n=n, rows=len(batch))
        return answers


@contextmanager
def alarm(seconds: float | None, progress: Progress) -> Iterator[threading.Event]:
    """Stop the work once the time is over, which None never is; the event is set if that happened."""
    late = threading.Event()

    def ring() -> None:
        late.set()
        progress.stop()

    timer = None if seconds is None else threading.Timer(seconds, ring)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield late
    finally:
        if timer is not None:
            timer.cancel()


@contextmanager
def within(seconds: float | None, progress: Progress, asking: Asking, n_rows: int) -> Iterator[None]:
    """Ask about n_rows rows within so many seconds, or without a limit. Raises ValueError if that takes longer."""
    with alarm(seconds, progress) as late:
        try:
            yield
        except StoppedAsking:
            if not late.is_set():
                raise
            raise Refusal(
                "the model answered {n} of the {rows} rows within {seconds} seconds (time_limit), and no tree "
                "can be grown before it has answered all; give fewer rows, more time, or a model that answers "
                "faster",
                n=asking.n_answered,
                rows=n_rows,
                seconds=seconds,
            ) from None
    if late.is_set():  # as the last row was answered
        progress.go_on()
