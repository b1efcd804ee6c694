"""What a benchmark measured of a program, and programs that take turns."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any, NamedTuple

import numba
import numpy as np

PACKAGES = {"Espalier": "espalier", "PILOT": "fast-model-trees", "woodelf": "woodelf-explainer", "YDF": "ydf"}
OF_SKLEARN = {"ridge": "scikit-learn", "random forest": "scikit-learn"}
OURS = "Espalier"
ENOUGH = 60_000.0  # milliseconds, of a program's turns together: a minute says enough

Programs = Mapping[str, "Callable[[], Any] | None"]  # None: not installed here


class Measured(NamedTuple):
    """The numbers of a program, one for each round or fold; none if it is not installed."""

    case: str
    quantity: str
    program: str
    version: str
    values: tuple[float, ...]
    more_is_better: bool | None = False  # None: neither more nor less


def version_of(program: str) -> str:
    """Return the version of the program's package, or "" where there is none.

    >>> version_of("no such program")
    ''
    """
    package = PACKAGES.get(program) or OF_SKLEARN.get(program) or program.partition(",")[0]
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def merge_freed_memory() -> None:
    """Let the C library merge the small blocks that programs freed, by asking it for a larger one.

    It leaves that to whoever next asks for more than a kilobyte: after ydf has freed one tree of 100,000 rows that
    takes 70 ms, which is no part of the next program's time. No memory goes back to the system.
    """
    bytearray(100_000)


def put_memory_in_order() -> None:
    """Let the C library do so in the memory of all threads, and give it back to the system, where it can.

    That is for fits that take a second: one of milliseconds would take several times as long for memory that it
    asks for anew.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


@numba.njit
def _follow(after: np.ndarray, steps: int) -> int:
    at = 0
    for _ in range(steps):
        at = after[at]
    return at


def memory_wait() -> float:
    """Return the nanoseconds that a read from memory waits, in 64 MB; each says where the next one is.

    Programs that run for milliseconds between others find little of theirs in the caches.
    """
    steps, line = 200_000, 8  # numbers in a line of the caches
    ring = line * np.random.default_rng(0).permutation(1 << 20)
    after = np.zeros(line << 20, np.int64)
    after[ring] = np.roll(ring, -1)
    _follow(after, 10)
    start = time.process_time()
    _follow(after, steps)
    return 1e9 * (time.process_time() - start) / steps


def in_turn(
    case: str, quantity: str, programs: Programs, rounds: int, before: Callable[[], None] = merge_freed_memory
) -> list[Measured]:
    """Return the milliseconds of processor time that programs take, in turns.

    A program whose turns have taken longer than `ENOUGH` together has no further one. Its first turn is not
    counted, unless it is the only one. What is done `before` each turn does not count.

    >>> one = in_turn("nothing", "ms", {"Espalier": lambda: None, "other": None}, 2)
    >>> [(measured.program, len(measured.values)) for measured in one]
    [('Espalier', 2), ('other', 0)]
    """
    there = {name: run for name, run in programs.items() if run is not None}
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(rounds + 1):
        for name, run in list(there.items()):
            if sum(taken[name]) > ENOUGH:
                continue
            before()
            start = time.process_time()
            try:
                run()
            except Exception as wrong:  # a rival lacks a package, which it asks for only now
                if turn or name == OURS:
                    raise
                print(f"{name} is left out: {wrong}")
                del there[name]
                continue
            taken[name].append(1000 * (time.process_time() - start))
    return [
        Measured(case, quantity, name, version_of(name), tuple(each[1:] or each)) for name, each in taken.items()
    ]
