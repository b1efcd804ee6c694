"""The process for foreign models and files, restricted so that it can do no other harm.

It has limits of memory and time, may write no file, and runs in a deleted folder, so that a file that names others
beside it finds none. It receives requests as frames (`espalier.sandbox.wire`), answers each by one, and may report
progress before; it ends after some time without requests.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from espalier.sandbox.wire import read_frame, write_frame

SECONDS = "seconds"  # of a request: limit of processor time


def limit(megabytes: int) -> None:
    """Limit this process to so much more memory, to reading files, and to a working folder that is deleted."""
    if os.name == "nt":  # there only the time is limited, by the other side
        return
    import resource

    nowhere = tempfile.mkdtemp()
    os.chdir(nowhere)
    os.rmdir(nowhere)
    limit_memory(megabytes)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(megabytes: int) -> None:
    """Limit this process to so many megabytes of memory beyond what it has."""
    if os.name == "nt":
        return
    import resource

    most = _memory() + megabytes * 2**20
    with contextlib.suppress(ValueError, OSError):  # on a system without this limit, that of time remains
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_time(seconds: float) -> None:
    """Let the system end this process after so much more processor time."""
    if os.name == "nt":
        return
    import resource

    seconds_ = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds_ + seconds) + 1, hard))


def peak_bytes() -> int:
    """Return the peak memory of this process; 0 if the system does not report it."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["VmHWM"].split()[0]) * 1024
    except (OSError, KeyError):
        return 0


def serve(given: Any, taken: Any, answer: Callable[[dict, Callable], dict], idle_seconds: float) -> None:
    """Answer requests until the other side is gone or silent for too long."""
    while True:
        if os.name != "nt" and not select.select([given], [], [], idle_seconds)[0]:
            return
        question = read_frame(given)
        if question is None:
            return
        if SECONDS in question:
            limit_time(question.pop(SECONDS))
        write_frame(taken, answer(question, lambda told: write_frame(taken, {"told": told})))


def main() -> None:
    """Run as ``python -m espalier.sandbox.worker MODULE MEGABYTES IDLE_SECONDS``; the module has a `service`."""
    module, megabytes, idle_seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    answers_ = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the frames
    answer = importlib.import_module(module).service()
    limit(megabytes)
    serve(os.fdopen(0, "rb", buffering=0), answers_, answer, idle_seconds)


def _memory() -> int:
    """Return the address space of this process in bytes; 0 if the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


if __name__ == "__main__":
    main()
