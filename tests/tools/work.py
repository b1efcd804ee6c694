"""Tasks for workers in other processes, which find them by the name of this module."""

import os
import sys
import time

import numpy as np


def doubled(array):
    """Twice the array, in its own memory."""
    array *= 2
    return array


def total(record):
    return float(record[0].sum())


def end_once(path):
    """End this process, unless the file says that one has ended already."""
    if not path.exists():
        path.touch()
        os._exit(3)
    return "done"


def end_here():
    os._exit(3)


def want(megabytes):
    return len(np.ones(megabytes * 2**17))


def count_until_stopped(progress):
    progress.done = 5
    while not progress.is_stopped:
        time.sleep(0.002)


def count_and_go_on(progress):
    progress.done = 5
    time.sleep(3600)


def sleep_on():
    time.sleep(3600)


def threads_of_blas():
    return os.environ["OPENBLAS_NUM_THREADS"]


PREPARED = []  # what was prepared in the process here


def prepare() -> None:
    """Be called before the first task."""
    PREPARED.append("once")


def prepared() -> list[str]:
    """What was prepared in the process here."""
    return PREPARED


def has_imported(module: str) -> bool:
    """Whether the process here has the module."""
    return module in sys.modules
