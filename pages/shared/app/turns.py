"""Turns of the pages' runs: one at a time, in the order in which they were asked for.

Python works on one run at a time anyway: sixty at once would all end late, one after the other most end soon. A
run that waits for a job leaves its turn to others meanwhile, and none waits for its turn longer than a moment.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MOMENT_SECONDS = 2.0  # after which a run begins in any case: the one before it may wait for something else


class Turns(threading.local):
    """The turn, and whether this thread has it."""

    _free = threading.BoundedSemaphore(1)  # of all threads

    def __init__(self) -> None:
        self._has_one = False

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Do something within a turn, waiting for one a moment at most; within one already, at once."""
        if self._has_one or not self._free.acquire(timeout=MOMENT_SECONDS):
            yield
            return
        self._has_one = True
        try:
            yield
        finally:
            self._let_go()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave the turn to others while this thread waits, and take one again afterwards."""
        if not self._has_one:
            yield
            return
        self._let_go()
        try:
            yield
        finally:
            self._has_one = self._free.acquire(timeout=MOMENT_SECONDS)

    def _let_go(self) -> None:
        if self._has_one:
            self._has_one = False
            self._free.release()


TURNS = Turns()
