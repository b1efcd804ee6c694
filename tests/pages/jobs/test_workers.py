"""Where the tasks of jobs run: beside the pages, on the same processes for all jobs, also after one that hangs."""

import os
import time

import numpy as np
import pytest

from espalier.data import samples
from espalier.executors import Processes
from espalier.learners import CartClassifier
from espalier.progress import Progress
from espalier.stability.replicates import GrowthWatch, Plan, Redraw, replicate
from espalier.tasks import Call
from pages.shared.jobs import workers
from pages.shared.jobs.run import Runner, Work
from pages.shared.stability.runs import GrownReplicates
from tests.pages.jobs.test_run import SOON, Powers, ended, until


def parts(value):
    """The bytes of all arrays in nested records, which are equal only where every bit is."""
    return value.tobytes() if isinstance(value, np.ndarray) else [parts(part) for part in value]


class Processing(Powers):
    """A list whose tasks say which process works on them."""

    def tasks(self):
        return [Call(os.getpid, ())] * 3

    def gathered(self, results):
        return results


@pytest.mark.usefixtures("beside")
def test_jobs_work_outside_of_the_server_the_next_one_finds_the_process_warm_and_large_tables_stay_here():
    first, second = (ended(runner, runner.work_of(Processing())).value for runner in (Runner(), Runner()))
    assert {*first} == {*second} != {os.getpid()}
    with workers.workers(1_000) as small, workers.workers(1_000_000_000) as large:
        assert [isinstance(executor, Processes) for executor in (small, large)] == [True, False]


def test_where_the_environment_says_threads_jobs_work_in_the_server(monkeypatch):
    monkeypatch.setattr(workers, "JOB_EXECUTOR", "threads")
    runner = Runner()
    assert {*ended(runner, runner.work_of(Processing())).value} == {os.getpid()}


class Dying(Powers):
    """A list with a task that ends whoever works on it."""

    def tasks(self):
        return [Call(pow, (2, 2)), Call(os._exit, (1,))]


class Sleeping(Powers):
    """A list with a task that takes a minute and looks at nothing meanwhile."""

    key, n_tasks = "sleeping", 1

    def tasks(self):
        return [Call(time.sleep, (60,))]


@pytest.mark.usefixtures("beside")
def test_a_worker_process_that_dies_costs_its_job_a_sentence_and_one_that_hangs_is_stopped_with_its_job():
    runner = Runner()
    outcome = ended(runner, runner.work_of(Dying()))
    assert "ended" in outcome.wrong
    assert not outcome.is_fault
    job = runner.start(runner.work_of(Sleeping()))
    assert job is not None
    until(lambda: job.began is not None)
    time.sleep(0.2)
    runner.cancel("sleeping")
    assert job.ended.result(SOON).is_stopped
    assert ended(runner, Work("next", 1, lambda progress: 7)).value == 7


@pytest.mark.slow
@pytest.mark.usefixtures("beside")
def test_replicates_from_other_processes_are_the_same_and_their_memory_is_counted_as_they_come():
    learner, iris, plan = CartClassifier(max_depth=3), samples.load("iris"), Plan(Redraw("bootstrap"), 20)
    here, trees = replicate(learner, iris, plan), GrownReplicates("of the test")
    with workers.workers() as executor:
        assert isinstance(executor, Processes)
        there = replicate(learner, iris, plan, GrowthWatch(progress=Progress(), trees=trees), executor)
    assert trees.megabytes > 0
    assert parts(there.trees) == parts(here.trees)
