"""Jobs: one at a time, watched by their progress, stopped when told to or when forgotten."""

import threading
import time

import numpy as np
import pytest

from espalier.learners import CartClassifier
from espalier.progress import Progress
from pages.shared.jobs import queue

SOON = 300  # seconds: far more than any of these waits needs, also where the machine has no time for us


class Gate(threading.Event):
    """A job's function that counts to one, then waits for being set or for being told to stop."""

    def __call__(self, progress):
        progress.done = 1
        while not self.wait(0.005):
            if progress.is_stopped:
                return "stopped"
        return "done"


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.set()
    for key in ("a", "b"):
        queue.cancel(key)
        queue.drop(key)


def running(job):
    until = time.monotonic() + SOON
    while job.progress.done == 0 and time.monotonic() < until:
        time.sleep(0.002)
    return job


def test_a_job_tells_how_far_it_is_and_gives_its_result(gate):
    job = running(queue.start("a", 4, gate))
    assert job.share == 0.25
    gate.set()
    assert job.future.result(SOON) == "done"
    assert not job.is_cancelled


def test_the_same_name_is_the_same_job(gate):
    assert queue.start("a", 1, gate) is queue.start("a", 1, gate)


def test_a_cancelled_job_stops_with_what_it_has(gate):
    job = running(queue.start("a", 4, gate))
    queue.cancel("a")
    assert job.future.result(SOON) == "stopped"
    assert job.is_cancelled


def test_a_second_job_waits_its_turn(gate):
    running(queue.start("a", 1, gate))
    second = queue.start("b", 1, gate)
    assert (queue.ahead("a"), queue.ahead("b")) == (0, 1)
    assert not second.future.running()
    gate.set()
    assert second.future.result(SOON) == "done"
    assert queue.ahead("b") == 0


def test_a_job_cancelled_while_it_waits_never_begins(gate):
    running(queue.start("a", 1, gate))
    second = queue.start("b", 1, gate)
    queue.cancel("b")
    assert second.future.cancelled()
    assert second.progress.done == 0


def test_a_job_that_nobody_looks_at_is_cancelled_and_forgotten(gate):
    job = running(queue.start("a", 1, gate))
    queue.reap(job.times[1] + queue.FORGOTTEN_SECONDS - 1)
    assert queue.find("a") is job
    queue.reap(job.times[1] + queue.FORGOTTEN_SECONDS + 1)
    assert queue.find("a") is None
    assert job.future.result(SOON) == "stopped"


def test_a_job_that_somebody_left_is_soon_forgotten_unless_others_look(gate):
    job = running(queue.start("a", 1, gate))
    queue.leave("a")
    left = time.monotonic()
    queue.reap(left)
    assert not job.is_cancelled
    assert queue.find("a") is job  # somebody else looks
    queue.reap(left + 2 * queue.LEFT_SECONDS)
    assert not job.is_cancelled
    queue.leave("a")
    queue.reap(time.monotonic() + 2 * queue.LEFT_SECONDS)
    assert job.is_cancelled
    queue.leave("a")  # which is gone: nothing happens


def test_whoever_watches_may_look_at_what_the_job_has(gate):
    assert queue.start("a", 1, gate).work is gate


def test_a_fault_is_handed_to_whoever_asks_for_the_result():
    job = queue.start("fault", 1, lambda progress: 1 // progress.done)
    with pytest.raises(ZeroDivisionError):
        job.future.result(SOON)
    queue.drop("fault")


def test_growing_counts_its_samples_and_stops_when_told():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    progress = Progress()
    whole = CartClassifier().fit(X, y, progress=progress).tree_
    assert progress.done == 400
    stopped = CartClassifier().fit(X, y, progress=Progress(is_stopped=True)).tree_
    assert stopped.n_nodes < whole.n_nodes
