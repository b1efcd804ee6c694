"""Worker processes: they fail, are stopped and are limited one by one, and the others go on."""

import os
import signal
import threading
import time
from concurrent.futures import wait

import numpy as np
import pytest

from espalier.executors import LostTask, Processes
from espalier.progress import Progress
from espalier.tasks import PARTS, Call, in_order
from tests.tools.work import (
    count_and_go_on,
    count_until_stopped,
    doubled,
    end_here,
    end_once,
    sleep_on,
    threads_of_blas,
    total,
    want,
)

SOON = 60  # seconds: far more than any of these waits needs
MEGABYTES = 500
NUMBERS = np.arange(2.0**17)


@pytest.fixture(scope="module")
def workers():
    with Processes(2, MEGABYTES, modules=()) as workers:
        yield workers


@pytest.fixture(scope="module")
def one():
    with Processes(1, MEGABYTES, modules=()) as one:
        yield one


def test_no_task_sees_what_another_one_changed_in_its_argument(one):
    found = list(in_order([Call(doubled, (NUMBERS,))] * 2, one))
    assert [result[1] for _, result in found] == [2.0, 2.0]
    assert NUMBERS[1] == 1.0


def test_an_argument_comes_to_a_process_once_however_many_tasks_have_it(one):
    record = (NUMBERS,)
    assert {result for _, result in in_order([Call(total, (record,))] * 5, one)} == {NUMBERS.sum()}


def test_libraries_in_a_worker_use_one_thread_each(one):
    assert one.submit(threads_of_blas).result(SOON) == "1"


def test_the_error_of_a_task_is_raised_with_where_it_happened(one):
    with pytest.raises(ZeroDivisionError) as raised:
        one.submit(divmod, 1, 0).result(SOON)
    assert "worker.py" in raised.value.__notes__[0]


def test_a_worker_that_somebody_ends_costs_nothing_but_time(one, tmp_path):
    assert one.submit(end_once, tmp_path / "ended").result(SOON) == "done"
    pid = one.submit(os.getpid).result(SOON)
    os.kill(pid, signal.SIGKILL)
    assert one.submit(os.getpid).result(SOON) != pid


def test_a_task_that_ends_every_worker_fails_alone_with_a_sentence(workers):
    results = [workers.submit(divmod, 7, 2), workers.submit(end_here), workers.submit(divmod, 9, 2)]
    wait(results, SOON)
    assert [results[0].result(), results[2].result()] == [(3, 1), (4, 1)]
    with pytest.raises(LostTask, match=r"ended with code 3.*500 MB.*Use fewer rows"):
        results[1].result()
    assert workers.submit(divmod, 7, 2).result(SOON) == (3, 1)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="this system does not limit memory")
def test_a_task_that_wants_too_much_memory_fails_with_a_sentence_and_its_worker_goes_on(one):
    pid = one.submit(os.getpid).result(SOON)
    with pytest.raises(LostTask, match="more than the 500 MB of memory"):
        one.submit(want, 2 * MEGABYTES).result(SOON)
    assert one.submit(want, MEGABYTES // 2).result(SOON) == MEGABYTES // 2 * 2**17
    assert one.submit(os.getpid).result(SOON) == pid


@pytest.mark.parametrize("task", [Call(count_until_stopped, (), 10), Call(count_and_go_on, (), 10)])
def test_progress_of_a_task_in_another_process_is_seen_and_stop_reaches_it_even_where_it_does_not_look(one, task):
    progress, found = Progress(), []
    working = threading.Thread(target=lambda: found.extend(in_order([task], one, progress)))
    working.start()
    until = time.monotonic() + SOON
    while progress.done < PARTS // 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert progress.done == PARTS // 2
    progress.stop()
    working.join(SOON)
    assert not working.is_alive()
    assert not found


def test_a_task_that_counts_nothing_is_stopped_with_its_process_and_the_executor_goes_on(one):
    progress = Progress()
    threading.Timer(0.2, progress.stop).start()
    assert not list(in_order([Call(sleep_on, ())], one, progress))
    assert one.submit(divmod, 7, 2).result(SOON) == (3, 1)


def test_nothing_is_left_of_an_executor_that_was_shut_down():
    with Processes(1, modules=()) as workers:
        pid = workers.submit(os.getpid).result(SOON)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(RuntimeError):
        workers.submit(divmod, 7, 2)
