"""Long work beside the app: one heavy job at a time, others wait their turn; progress, cancel, and a reaper.

A job is a function of its `Progress`, which it shares with whoever watches: it counts what it has done, and stops
early once it is asked to. Jobs belong to no session: two people who ask
for the same share one, and one that nobody has looked at for a while is cancelled; sooner where somebody who
looked at it has left.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from espalier.progress import Progress

WORKERS = 1  # heavy jobs at a time: two would leave two cores nothing for the pages
FORGOTTEN_SECONDS = 60  # a job that nobody has looked at for so long is cancelled, and its result dropped
LEFT_SECONDS = 1.5  # the same, after somebody has left it: others who look at it do so more often
REAP_SECONDS = 0.5


class Job(NamedTuple):
    """A piece of work that runs, waits, or has ended."""

    progress: Progress
    total: int  # what progress.done comes to
    times: np.ndarray  # (2,) float64 seconds, monotonic: began to run (nan: waits), last looked at
    future: Future[Any]
    work: Any  # the function of its progress: whoever watches may look at what it has

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(self.progress.done / max(self.total, 1), 1.0)

    @property
    def is_cancelled(self) -> bool:
        """Whether it was told to stop; its result, if any, is then of a part of the work."""
        return self.progress.is_stopped

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the share that is done; None before there is anything to go by."""
        spent = time.monotonic() - self.times[0]
        return spent * (1 / self.share - 1) if self.share > 0.02 and spent > 0.5 else None


_jobs: dict[str, Job] = {}
_lock = threading.Lock()
_pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="job")
_reaper: list[threading.Thread] = []


def start(key: str, total: int, work: Callable[[Progress], Any]) -> Job:
    """The job of this name, begun if there is none: ``work(progress)`` on another thread."""
    with _lock:
        if key not in _jobs:
            progress, times = Progress(), np.array([np.nan, time.monotonic()])
            _jobs[key] = Job(progress, total, times, _pool.submit(_run, work, progress, times), work)
            _watch()
        return _jobs[key]


def find(key: str) -> Job | None:
    """The job of this name, if there is one; to look at it keeps it alive."""
    with _lock:
        job = _jobs.get(key)
    if job is not None:
        job.times[1] = time.monotonic()
    return job


def ahead(key: str) -> int:
    """How many jobs have to end before this one begins."""
    with _lock:
        if key not in _jobs or not np.isnan(_jobs[key].times[0]):
            return 0
        before = list(_jobs)[: list(_jobs).index(key)]
        return sum(not _jobs[other].future.done() for other in before)


def cancel(key: str) -> None:
    """Tell the job to stop; one that waits never begins."""
    job = find(key)
    if job is not None:
        job.progress.stop()
        job.future.cancel()


def leave(key: str) -> None:
    """Say that one who looked at the job does so no more: unless others do, it is soon cancelled."""
    with _lock:
        job = _jobs.get(key)
    if job is not None:
        job.times[1] = min(job.times[1], time.monotonic() - FORGOTTEN_SECONDS + LEFT_SECONDS)


def drop(key: str) -> None:
    """Forget the job and its result."""
    with _lock:
        _jobs.pop(key, None)


def reap(now: float) -> None:
    """Cancel and forget what nobody has looked at since ``now - FORGOTTEN_SECONDS``."""
    with _lock:
        forgotten = [key for key, job in _jobs.items() if now - job.times[1] > FORGOTTEN_SECONDS]
        gone = [_jobs.pop(key) for key in forgotten]
    for job in gone:
        job.progress.stop()
        job.future.cancel()


def _run(work: Callable[[Progress], Any], progress: Progress, times: np.ndarray) -> Any:
    times[0] = time.monotonic()
    return work(progress)


def _watch() -> None:
    if not _reaper:
        _reaper.append(threading.Thread(target=_reap_forever, name="reaper", daemon=True))
        _reaper[0].start()


def _reap_forever() -> None:
    while True:
        time.sleep(REAP_SECONDS)
        reap(time.monotonic())
