"""A cluster of this machine: a scheduler and workers as processes of their own."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from espalier.paths import SOURCES
from tests.tools.waiting import SOON, until

PROJECT = Path(__file__).resolve().parents[2]
SETTINGS = {  # of docs/how-to/past-one-machine.md: workers look at themselves less often
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}


@contextmanager
def cluster(folder, n_workers=2, *options):
    """The address of a scheduler that has so many workers."""
    place = folder / "scheduler.json"
    known = ["--scheduler-file", str(place), "--no-dashboard"]
    programs = [_start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", *known)]
    try:
        until(lambda: place.exists() and place.read_bytes().endswith(b"}"))
        own = ["--nthreads", "1", "--local-directory", str(folder), *options]
        programs += [_start("dask_worker", *known, *own) for _ in range(n_workers)]
        yield json.loads(place.read_text("utf-8"))["address"]
    finally:
        for program in reversed(programs):  # workers look for their scheduler for long
            _end(program)


def wait_for_workers(executor, n_workers=2):
    """Return once the cluster has so many workers."""
    until(lambda: executor.n_workers >= n_workers)


def _end(program):
    program.terminate()
    try:
        program.wait(5)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait(SOON)


def _start(module, *arguments):
    found = os.pathsep.join([str(PROJECT), str(SOURCES), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
        env={**os.environ, **SETTINGS, "PYTHONPATH": found},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
