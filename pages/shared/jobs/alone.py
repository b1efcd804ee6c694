"""One process at a time: a lock on a file, which the system gives free when its holder ends, in whatever way."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


@contextlib.contextmanager
def alone(file: Path, meanwhile: Callable[[], object], pause: float) -> Iterator[None]:
    """Wait until no other process is in here with the same file; `meanwhile` is called between two looks.

    Where the file cannot be written or locked, nobody waits.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context(file.open("w"))
            while not _is_locked(handle):
                meanwhile()
                time.sleep(pause)
        yield


def _is_locked(handle: IO[str]) -> bool:
    """Whether the lock is ours now."""
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
