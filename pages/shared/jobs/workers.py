"""Where the tasks of jobs run: in processes that are kept for a while, or as the environment says.

A job that works in the server's own interpreter holds all pages up; in another process, which gives way to the
pages, it does not. The processes begin with the first job, and end when there has been none for some minutes.
"""

from __future__ import annotations

import os
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from functools import cache

from espalier.executors import Processes, WorkerPool, WorkerTerms, executor
from espalier.settings import JOB_EXECUTOR, PROCESSORS

THREADS = max((os.cpu_count() or 1) - 1, 1)  # of a job; the last processor is for the pages
MOST_PROCESSES = max(PROCESSORS, 2)  # of all jobs: quick tasks find one beside long ones
LARGE = 32_000_000  # bytes of a table
GIVE_WAY = 10  # added to their niceness: a page that needs a processor has it


def workers(n_bytes: int = 0) -> AbstractContextManager[Executor]:
    """The executor for the tasks of one job; of kernels alone, `n_bytes` are those of their table.

    On a large table kernels leave the interpreter to others for long, and to send it would take time and room.
    """
    if JOB_EXECUTOR == "processes":
        return executor("threads", THREADS) if n_bytes > LARGE else Processes(THREADS, pool=pool())
    return executor(JOB_EXECUTOR, THREADS)


def warm() -> None:
    """Begin a process ahead of the first job, which then needs not wait for libraries and kernels."""
    if JOB_EXECUTOR == "processes":
        pool().warm()


def are_outside() -> bool:
    """Whether tasks run outside of this process, where whatever they do can be stopped and holds no page up."""
    return JOB_EXECUTOR != "threads"


@cache
def pool() -> WorkerPool:
    """The processes of all jobs."""
    return WorkerPool(MOST_PROCESSES, WorkerTerms(niceness=GIVE_WAY))
