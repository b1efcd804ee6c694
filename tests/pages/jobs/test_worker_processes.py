"""Jobs whose tasks run in worker processes: what dies there, and what holds on."""

import os
import time

from espalier.executors import executor
from espalier.tasks import Call
from pages.shared.jobs.run import Runner, Work
from tests.pages.jobs.test_run import SOON, Powers, ended, until


class OneThatDies(Powers):
    """A list with a task that ends whoever works on it."""

    def tasks(self):
        return [Call(pow, (2, 2)), Call(os._exit, (1,))]


class OneThatWaits(Powers):
    """A list with a task that takes a minute and looks at nothing meanwhile."""

    def tasks(self):
        return [Call(time.sleep, (60,))]


def test_a_worker_process_that_dies_costs_its_job_a_sentence_and_the_runner_works_on():
    runner = Runner(lambda: executor("processes", 1))
    outcome = ended(runner, runner.work_of(OneThatDies()))
    assert "ended" in outcome.wrong
    assert not outcome.is_fault
    assert ended(runner, Work("next", 1, lambda progress: 7)).value == 7


def test_what_holds_a_worker_process_is_stopped_with_it():
    runner = Runner(lambda: executor("processes", 1))
    job = runner.start(runner.work_of(OneThatWaits()))
    assert job is not None
    until(lambda: job.began is not None)
    time.sleep(0.2)
    runner.cancel("powers")
    assert job.ended.result(SOON).is_stopped
