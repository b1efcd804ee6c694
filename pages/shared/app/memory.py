"""Memory that is needed no more goes back to the system: Python and its C library would keep it for later.

It is done by a thread of its own, at most every few seconds, and after a session has ended or something large is
over: no person waits for it.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import sys
import threading
import time
from collections.abc import Callable

PAUSE_SECONDS = 3.0  # from the wish to the deed: several wishes are one by then, and new pages come first

_log = logging.getLogger("espalier")
_first: list[Callable[[], None]] = []


class Tidier:
    """Does a piece of work a while after it is wished for, once for all wishes of that while."""

    def __init__(self, work: Callable[[], None], pause: Callable[[], None]):
        self._work, self._pause = work, pause
        self._wished = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def soon(self) -> None:
        """Wish for it; also in the midst of collecting garbage."""
        self._wished.set()
        if self._thread is None and self._lock.acquire(blocking=False):
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tidier", daemon=True)
                self._thread.start()
            self._lock.release()

    def _run(self) -> None:
        while self._wished.wait():
            self._pause()
            self._wished.clear()
            try:
                self._work()
            except Exception:  # the next wish is to be heard all the same
                _log.exception("memory could not be given back")


def first(act: Callable[[], None]) -> None:
    """Have this done each time before memory is given back."""
    _first.append(act)


def give_back() -> None:
    """Collect garbage, and hand the free memory to the system."""
    for act in _first:
        act()
    gc.collect()
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    trim = trimming()
    if trim is not None:
        trim(0)


def thaw() -> None:
    """Let the collector look at what it was told to overlook: sessions may be among it that are over by now."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def trimming() -> Callable[[int], int] | None:
    """The C library's function that returns free memory to the system; only glibc has it."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


_tidier = Tidier(give_back, lambda: time.sleep(PAUSE_SECONDS))


def give_back_soon() -> None:
    """Give memory back in a while, beside whatever else goes on."""
    _tidier.soon()
