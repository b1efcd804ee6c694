"""Jobs: one at a time, watched by their signals, stopped when told to or when forgotten."""

import threading
import time

import numpy as np
import pytest

from core import jobs
from core.learners import CartClassifier

SOON = 300  # seconds: far more than any of these waits needs, also where the machine has no time for us


class Gate(threading.Event):
    """A job's function that counts to one, then waits for being set or for being told to stop."""

    def __call__(self, signals):
        signals[0] = 1
        while not self.wait(0.005):
            if signals[1]:
                return "stopped"
        return "done"


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.set()
    for key in ("a", "b"):
        jobs.cancel(key)
        jobs.drop(key)


def running(job):
    until = time.monotonic() + SOON
    while job.signals[0] == 0 and time.monotonic() < until:
        time.sleep(0.002)
    return job


def test_a_job_tells_how_far_it_is_and_gives_its_result(gate):
    job = running(jobs.start("a", 4, gate))
    assert job.share == 0.25
    gate.set()
    assert job.future.result(SOON) == "done"
    assert not job.is_cancelled


def test_the_same_name_is_the_same_job(gate):
    assert jobs.start("a", 1, gate) is jobs.start("a", 1, gate)


def test_a_cancelled_job_stops_with_what_it_has(gate):
    job = running(jobs.start("a", 4, gate))
    jobs.cancel("a")
    assert job.future.result(SOON) == "stopped"
    assert job.is_cancelled


def test_a_second_job_waits_its_turn(gate):
    running(jobs.start("a", 1, gate))
    second = jobs.start("b", 1, gate)
    assert (jobs.ahead("a"), jobs.ahead("b")) == (0, 1)
    assert not second.future.running()
    gate.set()
    assert second.future.result(SOON) == "done"
    assert jobs.ahead("b") == 0


def test_a_job_cancelled_while_it_waits_never_begins(gate):
    running(jobs.start("a", 1, gate))
    second = jobs.start("b", 1, gate)
    jobs.cancel("b")
    assert second.future.cancelled()
    assert second.signals[0] == 0


def test_a_job_that_nobody_looks_at_is_cancelled_and_forgotten(gate):
    job = running(jobs.start("a", 1, gate))
    jobs.reap(job.times[1] + jobs.FORGOTTEN_SECONDS - 1)
    assert jobs.find("a") is job
    jobs.reap(job.times[1] + jobs.FORGOTTEN_SECONDS + 1)
    assert jobs.find("a") is None
    assert job.future.result(SOON) == "stopped"


def test_a_job_that_somebody_left_is_soon_forgotten_unless_others_look(gate):
    job = running(jobs.start("a", 1, gate))
    jobs.leave("a")
    left = time.monotonic()
    jobs.reap(left)
    assert not job.is_cancelled
    assert jobs.find("a") is job  # somebody else looks
    jobs.reap(left + 2 * jobs.LEFT_SECONDS)
    assert not job.is_cancelled
    jobs.leave("a")
    jobs.reap(time.monotonic() + 2 * jobs.LEFT_SECONDS)
    assert job.is_cancelled
    jobs.leave("a")  # which is gone: nothing happens


def test_whoever_watches_may_look_at_what_the_job_has(gate):
    assert jobs.start("a", 1, gate).work is gate


def test_a_fault_is_handed_to_whoever_asks_for_the_result():
    job = jobs.start("fault", 1, lambda signals: 1 // signals[0].item())
    with pytest.raises(ZeroDivisionError):
        job.future.result(SOON)
    jobs.drop("fault")


def test_growing_counts_its_samples_and_stops_when_told():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    signals = np.zeros(2, np.int64)
    whole = CartClassifier().fit(X, y, signals=signals).tree_
    assert signals[0] == 400
    stopped = CartClassifier().fit(X, y, signals=np.array([0, 1])).tree_
    assert stopped.n_nodes < whole.n_nodes
