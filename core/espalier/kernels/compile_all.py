"""Compiling every kernel ahead of use: ``python -m espalier.kernels.compile_all`` fills the cache on disk.

The app runs this in a process of its own, since a thread that compiles would stall all other sessions. It goes
by stages, one for each kind of tree, and leaves a mark after each. Each stage is compiled in a process of its own,
two at once; all fill the same cache.

A mark stands in a cache folder of its stage, which changes with any edit of the kernels that the stage calls, and
with no other. What an edit leaves as it was is not compiled again, and pages do not wait for it.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from espalier.kernels import caches, stages

STAGES: dict[str, Callable[[], None]] = {  # in the order in which they are wanted
    name.removeprefix("call_"): call for name, call in vars(stages).items() if name.startswith("call_")
}
LAST = [*STAGES][-1]
AT_ONCE = 2  # processes: each takes up to a gigabyte
OBJECTS_AT_ONCE = 100_000  # new ones before unreachable ones are sought; Python's 700 take a sixth of the time
SECONDS_BETWEEN_LOOKS = 1.0  # at the parent


def is_warm(stage: str = LAST) -> bool:
    """Return whether all kernels of the present sources are compiled, up to and including this stage.

    Later stages may use kernels of earlier ones.
    """
    names = list(STAGES)
    return all(mark(name).exists() for name in names[: names.index(stage) + 1])


def mark(stage: str) -> Path:
    """Return the file that says that a stage is compiled, for these versions, this processor and these sources."""
    return caches.mark(STAGES[stage])


def run_all() -> None:
    """Call every kernel once on a small table: compiles it, or loads it from the cache."""
    for call in STAGES.values():
        call()


def load() -> None:
    """Load the kernels of all stages that are compiled: about a second, and what is copied from here has them."""
    for name, call in STAGES.items():
        if is_warm(name):
            call()


def main(tell: Callable[[str], None] | None = None) -> None:
    """Compile everything, several stages at once; each leaves a mark for `is_warm`, and is told of once it is."""
    pending = [name for name in STAGES if not mark(name).exists()]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for name, _ in zip(pending, pool.map(_elsewhere, pending), strict=True):
            if tell is not None:
                tell(name)
    caches.forget_old(STAGES.values())


def _elsewhere(stage: str) -> None:
    """Compile a stage in another process: two that compile in one wait for each other."""
    command = [
        sys.executable,
        "-m",
        "espalier.kernels.compile_all",
        "--parent",
        str(os.getpid()),
        "--stage",
        stage,
    ]
    subprocess.run(command, check=True)


def compile_stage(name: str) -> None:
    """Compile a stage here, and leave its mark."""
    STAGES[name]()
    mark(name).parent.mkdir(parents=True, exist_ok=True)
    mark(name).touch()


def collect_seldom() -> None:
    """Look for unreachable objects seldom, and never among those that are there now.

    A compiler makes millions of small objects that are nearly all in use. A process takes a quarter more memory.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_AT_ONCE, 20, 100)


def end_with(parent: int) -> None:
    """End this process once its parent has ended, in whatever way: nobody waits for what it compiles any more."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parent", type=int, help="number of the process with which this one is to end")
    parser.add_argument("--stage", choices=STAGES, help="the only one to compile")
    arguments = parser.parse_args()
    logging.getLogger("espalier").setLevel(logging.ERROR)  # who compiles ahead need not be told how to
    if arguments.parent is not None:
        end_with(arguments.parent)
    collect_seldom()
    compile_stage(arguments.stage) if arguments.stage else main()
