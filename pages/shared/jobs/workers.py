"""Where the tasks of jobs run: in processes that are kept for a while, or as the environment says.

A job that works in the server's own interpreter holds all pages up; in another process, which gives way to the
pages, it does not. The processes begin with the server's first page, and end when there has been no job for
some minutes.

Some jobs are at work on threads of the server all the same, since what they have so far is shown or goes on. By
samples on two busy processors they hold its interpreter for a part of their time only: approximation trees for
11 % of it with a forest of ours and 31 % with one of scikit-learn, searches for optimal trees for 27 %, forests
whose trees follow each other for 51 %.
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
