"""Processes that are kept for several executors: warm, few, second to others, and gone when there is no work."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing

import numpy as np
import pytest

from espalier.executors import Processes, WorkerPool, WorkerTerms, nursery
from espalier.paths import scratch
from espalier.progress import Progress
from espalier.tasks import Call, in_order
from tests.tools.work import end_here, has_imported, prepared, sleep_on, total

SOON = 60  # seconds: far more than any of these waits needs
BARE = WorkerTerms(500, ())
COPIES = pytest.mark.skipif(not nursery.IS_POSSIBLE, reason="on this system workers are no copies")


@pytest.fixture
def pool():
    with closing(WorkerPool(1, BARE)) as pool:
        yield pool


def result(pool, function, *arguments):
    with Processes(1, pool=pool) as workers:
        return workers.submit(function, *arguments).result(SOON)


def until(is_so):
    end = time.monotonic() + SOON
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


def is_gone(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_next_executor_finds_the_process_of_the_last_one(pool):
    assert result(pool, os.getpid) == result(pool, os.getpid) != os.getpid()


def test_executors_that_share_a_pool_have_no_more_processes_than_it_has(pool):
    with Processes(2, pool=pool) as first, Processes(2, pool=pool) as second:
        asked = [workers.submit(os.getpid) for workers in (first, second) * 3]
        assert len({one.result(SOON) for one in asked}) == 1


def test_a_task_that_is_stopped_waits_for_no_worker(pool):
    only, stopped = pool.borrow(Progress()), Progress(is_stopped=True)
    assert pool.borrow(stopped) is None
    pool.give_back(only)


def test_a_process_without_work_ends_and_the_next_task_gets_a_new_one():
    with closing(WorkerPool(1, BARE, idle_seconds=0.1)) as pool:
        process = result(pool, os.getpid)
        assert until(lambda: is_gone(process) and pool.n_alive == 0)
        assert result(pool, os.getpid) != process


def test_a_process_at_work_is_not_without_work():
    with closing(WorkerPool(1, BARE, idle_seconds=0.1)) as pool:
        assert result(pool, time.sleep, 0.5) is None


def test_large_arguments_are_forgotten_with_their_executor_though_its_processes_stay():
    numbers, before = np.arange(2.0**17), {*scratch().glob("*")}
    with closing(WorkerPool(1, BARE)) as pool:
        with Processes(1, pool=pool) as workers:
            assert list(in_order([Call(total, ((numbers,),))], workers)) == [(0, numbers.sum())]
            assert any(path.stat().st_size > numbers.nbytes for path in scratch().glob("*/*"))
        assert max(path.stat().st_size for path in scratch().glob("*/*")) < 100
    assert {*scratch().glob("*")} == before


def test_workers_give_way_as_far_as_their_terms_say():
    with closing(WorkerPool(1, BARE._replace(niceness=3))) as pool:
        assert result(pool, os.getpriority, os.PRIO_PROCESS, 0) == min(os.getpriority(os.PRIO_PROCESS, 0) + 3, 19)


def test_modules_are_there_before_the_first_task():
    with closing(WorkerPool(1, BARE._replace(modules=("colorsys",)))) as pool:
        assert result(pool, has_imported, "colorsys")


@pytest.mark.parametrize("is_copy", [pytest.param(True, marks=COPIES), False])
def test_what_a_module_prepares_is_done_once_for_all_tasks(monkeypatch, is_copy):
    monkeypatch.setattr(nursery, "IS_POSSIBLE", is_copy)
    with closing(WorkerPool(1, BARE._replace(modules=("tests.tools.work:prepare",)))) as pool:
        assert [result(pool, prepared) for _ in range(2)] == [["once"]] * 2


def test_a_pool_that_is_warmed_has_a_worker_before_it_has_work(pool):
    pool.warm()
    assert pool.n_alive >= 1


def test_where_workers_are_no_copies_they_do_the_same(monkeypatch):
    monkeypatch.setattr(nursery, "IS_POSSIBLE", False)
    with closing(WorkerPool(1, BARE)) as pool:
        assert result(pool, os.getpid) == result(pool, os.getpid) != os.getpid()
        assert pool.n_alive == 1


@COPIES
def test_a_worker_that_is_killed_tells_its_signal_and_the_next_one_is_there(pool):
    with pytest.raises(RuntimeError, match="ended with code 3"):
        result(pool, end_here)
    worker = pool.borrow(Progress())
    os.kill(worker.pid, signal.SIGKILL)
    assert until(lambda: not worker.is_alive)
    assert "by signal 9" in str(worker.why())
    worker.end()
    pool.give_back(None)
    assert result(pool, divmod, 7, 2) == (3, 1)


@COPIES
def test_a_nursery_that_is_killed_costs_nothing_but_time(pool):
    first = result(pool, os.getppid)
    os.kill(first, signal.SIGKILL)
    os.kill(result(pool, os.getpid), signal.SIGKILL)
    assert result(pool, os.getppid) != first


@COPIES
def test_nothing_outlives_the_program_that_had_the_pool_even_where_it_is_killed():
    program = (
        "import os; from espalier.executors import *; pool = WorkerPool(1, WorkerTerms(500, ()))\n"
        "with Processes(1, pool=pool) as one:\n"
        "    print(*(one.submit(ask).result() for ask in (os.getpid, os.getppid)), flush=True)\n"
        "    os.kill(os.getpid(), 9)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    processes = [int(number) for number in said.stdout.split()]
    assert len(processes) == 2
    assert until(lambda: all(map(is_gone, processes)))


def test_a_task_that_is_stopped_leaves_the_pool_to_others(pool):
    progress = Progress()
    threading.Timer(0.2, progress.stop).start()
    with Processes(1, pool=pool) as workers:
        assert not list(in_order([Call(sleep_on, ())], workers, progress))
    assert result(pool, divmod, 7, 2) == (3, 1)
