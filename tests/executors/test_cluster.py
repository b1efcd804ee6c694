"""Tasks on a Dask cluster: a real scheduler, and two workers in processes of their own."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from espalier.executors import LostTask, executor
from espalier.progress import Progress
from espalier.tasks import PARTS, Call, in_order
from tests.tools.dask_cluster import cluster, wait_for_workers
from tests.tools.waiting import SOON
from tests.tools.work import doubled, end_here, total

pytest.importorskip("distributed", reason="distributed is not installed")
NUMBERS = np.arange(2.0**17)


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("one"), 1, "--no-nanny") as address, executor(address) as workers:
        wait_for_workers(workers, 1)
        yield workers


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as address, executor(address) as workers:
        wait_for_workers(workers)
        yield workers


def test_results_come_in_order_data_are_sent_once_and_no_task_sees_the_changes_of_another(one):
    record, progress = (NUMBERS,), Progress()
    tasks = [*[Call(doubled, (NUMBERS,))] * 3, Call(total, (record,)), Call(divmod, (7, 2))]
    found = [result for _, result in in_order(tasks, one, progress)]
    assert [one[1] for one in found[:3]] == [2.0] * 3
    assert found[3:] == [NUMBERS.sum(), (3, 1)]
    assert progress.done == len(tasks) * PARTS


def test_the_error_of_a_task_is_raised(one):
    with pytest.raises(ZeroDivisionError):
        list(in_order([Call(divmod, (1, 0))], one))


def test_what_is_stopped_is_left_at_once(one):
    progress = Progress()
    threading.Timer(0.2, progress.stop).start()
    assert not list(in_order([Call(time.sleep, (2,))] * 20, one, progress))


def test_an_address_where_nobody_answers_is_refused_with_how_to_start_a_cluster(monkeypatch):
    monkeypatch.setattr("espalier.executors.cluster.SECONDS_TO_ANSWER", 0.2)
    with pytest.raises(ValueError, match=r"no cluster answers at tcp://127.0.0.1:9.*dask scheduler"):
        executor("tcp://127.0.0.1:9")


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_tasks_only_and_its_data_are_sent_again(workers):
    record = (NUMBERS,)
    assert workers.submit(total, record).result(SOON) == NUMBERS.sum()
    pid = workers.submit(os.getpid).result(SOON)
    results = [workers.submit(time.sleep, 0.5) for _ in range(6)]
    os.kill(pid, signal.SIGKILL)
    assert [result.result(SOON) for result in results] == [None] * 6
    assert {result for _, result in in_order([Call(total, (record,))] * 9, workers)} == {NUMBERS.sum()}


@pytest.mark.slow
def test_a_task_that_ends_every_worker_fails_with_a_sentence_and_the_cluster_goes_on(workers):
    with pytest.raises(LostTask, match="ended before it did"):
        workers.submit(end_here).result(SOON)
    assert workers.submit(divmod, 7, 2).result(SOON) == (3, 1)
