"""The runner: whose turn it is, how jobs go on and end, what is kept, who does the tasks, and who watches them."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.executors import Processes
from espalier.learners import CartClassifier
from espalier.progress import Progress
from espalier.stability.replicates import GrowthWatch, Plan, Redraw, replicate
from espalier.tasks import PARTS, Call
from pages.shared.jobs import compilation, note, run, watch, workers
from pages.shared.jobs.run import RUNNER, Outcome, Runner, Work
from pages.shared.stability.runs import GrownReplicates
from tests.tools.on_page import open_page

SOON = 300  # seconds: far more than any of these waits needs, also where the machine has no time for us


class Gate(threading.Event):
    """Work that counts to one, then waits for being set or for being told to stop."""

    def __call__(self, progress):
        progress.done = 1
        while not self.wait(0.005):
            if progress.is_stopped:
                return "a part"
        return "all"


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.set()


@pytest.fixture
def runner():
    return Runner()


def until(condition):
    limit = time.monotonic() + SOON
    while not condition() and time.monotonic() < limit:
        time.sleep(0.002)
    assert condition()


def running(runner, key, call, session="", total=1):
    job: Any = runner.start(Work(key, total, call), session)
    until(lambda: job.progress.done)
    return job


def ended(runner, work):
    """Outcome of work that is begun now."""
    job: Any = runner.start(work)
    return job.ended.result(SOON)


def test_a_job_says_how_far_it_is_and_its_outcome_is_kept(runner, gate):
    job = running(runner, "a", gate, "one", total=4)
    assert job is runner.start(Work("a", 4, gate), "other")
    assert job.share == 0.25
    assert runner.outcome("a") is None
    gate.set()
    assert job.ended.result(SOON) == runner.outcome("a") == Outcome("all")
    assert runner.find("a") is None
    assert runner.start(Work("a", 4, gate)) is None  # there is nothing left to do


def test_a_cancelled_job_stops_with_what_it_has_and_may_be_asked_for_again(runner, gate):
    job = running(runner, "a", gate)
    runner.cancel("a")
    assert job.ended.result(SOON) == Outcome("a part", is_stopped=True)
    gate.set()
    runner.drop("a")
    again = runner.start(Work("a", 1, gate))
    assert again.ended.result(SOON) == Outcome("all")


def test_what_cannot_be_done_is_said_in_a_sentence_of_a_fault_only_that_there_was_one_and_nothing_of_no_result(
    runner, caplog
):
    def refuse(progress):
        raise ValueError("depth is\n-1; it must not be negative")

    told = runner.start(Work("a", 1, refuse)).ended.result(SOON)
    assert told.wrong.replace("\\", "") == "Depth is -1; it must not be negative."
    assert not told.is_fault
    outcome = runner.start(Work("b", 1, lambda progress: 1 // progress.done)).ended.result(SOON)
    assert outcome.wrong.startswith("Something went wrong on the server.")
    assert outcome.is_fault
    assert "ZeroDivisionError" in caplog.text
    assert runner.start(Work("c", 1, lambda progress: None)).ended.result(SOON).is_awaited
    assert runner.outcome("c") is None


# ---- turns


def test_a_session_has_one_job_at_work_and_the_others_wait_in_order(runner, gate):
    running(runner, "a", gate)
    second, third = (runner.start(Work(key, 1, gate)) for key in ("b", "c"))
    runner.tick(time.monotonic())
    assert (second.began, third.began) == (None, None)
    gate.set()
    assert third.ended.result(SOON).value == "all"
    assert second.began < third.began


def test_after_a_turn_the_job_of_another_session_begins_beside_the_one_at_work(runner, gate, monkeypatch):
    monkeypatch.setattr(run, "TURN_SECONDS", SOON)
    long = running(runner, "long", gate, "one")
    quick = runner.start(Work("quick", 1, lambda progress: "there"), "other")
    assert quick.began is None
    monkeypatch.setattr(run, "TURN_SECONDS", 0.0)
    assert quick.ended.result(SOON).value == "there"
    assert not long.ended.done()


def test_sessions_take_turns_however_much_one_of_them_asks_for(runner, monkeypatch):
    monkeypatch.setattr(run, "MOST_AT_ONCE", 1)
    order, gate = [], Gate()
    running(runner, "first", gate, "greedy")
    jobs = [runner.start(Work(f"{n}", 1, lambda _, n=n: order.append(n) or n), "greedy") for n in range(3)]
    jobs.append(runner.start(Work("modest", 1, lambda _: order.append("modest") or 1), "modest"))
    gate.set()
    for job in jobs:
        job.ended.result(SOON)
    assert order == ["modest", 0, 1, 2]


def test_threads_of_jobs_give_way_to_the_pages(runner):
    if not sys.platform.startswith("linux"):
        pytest.skip("threads have priorities of their own on Linux only")
    own = os.getpriority(os.PRIO_PROCESS, 0)

    def priorities(progress):
        with run.workers() as pool:
            return os.getpriority(os.PRIO_PROCESS, 0), pool.submit(os.getpriority, os.PRIO_PROCESS, 0).result()

    job = runner.start(Work("a", 1, priorities))
    assert job.ended.result(SOON).value == (min(own + run.GIVE_WAY, 19),) * 2
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


def test_a_job_cancelled_while_it_waits_never_begins(runner, gate):
    running(runner, "a", gate)
    second = runner.start(Work("b", 1, gate))
    runner.cancel("b")
    assert second.ended.result(SOON) == runner.outcome("b") == Outcome(is_stopped=True)
    assert second.began is None


def test_a_job_that_waits_for_the_engine_ends_when_it_is_cancelled(runner, monkeypatch):
    engine = SimpleNamespace(ready={"cart": threading.Event()})
    monkeypatch.setattr(compilation, "engine", lambda: engine)
    job = runner.start(Work("a", 1, lambda progress: compilation.wait("cart")))
    runner.cancel("a")
    assert job.ended.result(SOON) == runner.outcome("a") == Outcome(is_stopped=True)


# ---- watching


def after_leaving(runner, seconds=None):
    """Two ticks, the second so long after the first."""
    now = time.monotonic()
    runner.tick(now)
    runner.tick(now + (run.LEFT_SECONDS + 0.1 if seconds is None else seconds))


def test_a_job_that_every_session_has_left_is_stopped_and_no_outcome_says_so(runner, gate):
    job = running(runner, "a", gate, "one")
    runner.find("a", "other")
    runner.leave("a", "one")
    after_leaving(runner)
    assert not job.progress.is_stopped
    runner.leave("a", "other")
    after_leaving(runner, 0.0)
    assert not job.progress.is_stopped  # it may come back at once
    after_leaving(runner)
    assert job.ended.result(SOON).value == "a part"
    assert runner.outcome("a") is None  # asked for again it goes on as if it had not been stopped
    runner.leave("a", "other")  # which is gone: nothing happens


def test_a_job_is_stopped_within_two_seconds_of_the_last_browser_going(gate):
    here = {"one", "other"}
    runner = Runner(is_here=here.__contains__)
    job = running(runner, "a", gate, "one")
    runner.find("a", "other")
    here.remove("one")
    after_leaving(runner)
    assert not job.progress.is_stopped
    here.remove("other")
    after_leaving(runner)
    assert job.ended.result(SOON).value == "a part"
    assert run.LEFT_SECONDS + 2 * run.TICK_SECONDS <= 2


def test_a_job_that_is_watched_goes_on_however_rarely_the_page_looks(runner, gate):
    job = running(runner, "a", gate, "in a hidden tab")
    after_leaving(runner, 3_600)
    assert not job.progress.is_stopped


def test_one_persons_cancel_does_not_end_what_another_watches(runner, gate):
    job = running(runner, "a", gate, "one")
    runner.find("a", "other")
    runner.cancel("a", session="one")
    assert not job.progress.is_stopped
    assert runner.outcome("a", "one").is_stopped
    assert runner.find("a", "one") is None
    assert runner.start(Work("a", 1, gate), "one") is None
    assert runner.outcome("a", "other") is None
    runner.drop("a", session="one")  # asks for it again
    assert runner.start(Work("a", 1, gate), "one") is job
    runner.cancel("a", session="other")
    gate.set()
    assert job.ended.result(SOON) == runner.outcome("a", "one") == runner.outcome("a", "other") == Outcome("all")


def test_the_last_one_who_cancels_stops_the_job(runner, gate):
    job = running(runner, "a", gate, "one")
    runner.find("a", "other")
    runner.cancel("a", session="one")
    runner.cancel("a", session="other")
    assert job.ended.result(SOON) == runner.outcome("a", "one") == Outcome("a part", is_stopped=True)


def test_who_comes_back_at_once_gets_a_new_job_after_the_one_that_is_stopping(runner, gate):
    first = running(runner, "a", gate)
    runner.leave("a")
    after_leaving(runner)
    second = runner.start(Work("a", 1, lambda progress: "again"))
    assert second is not first
    assert second.ended.result(SOON).value == "again"
    assert first.ended.done()


# ---- lists of tasks


class Powers:
    """The squares of the first numbers; kept apart from each other until they are gathered."""

    key, n_tasks = "powers", 12

    def tasks(self):
        return [Call(pow, (base, 2)) for base in range(self.n_tasks)]

    def gathered(self, results):
        return tuple(results)


class Uneven(Executor):
    """Gives every second call to a thread that sleeps first."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        pause = 0.02 * (args[0] % 2)
        threading.Timer(pause, lambda: future.set_result(fn(*args, **kwargs))).start()
        return future


def test_threads_processes_and_a_made_up_executor_give_the_same_results_in_the_same_order():
    with ProcessPoolExecutor(1) as processes:
        for workers in (run.workers, lambda: nullcontext(processes), lambda: nullcontext(Uneven())):
            runner = Runner(workers)
            job: Any = runner.start(runner.work_of(Powers()))
            assert job.ended.result(SOON).value == tuple(base**2 for base in range(12))
            assert job.share == 1


def test_a_list_that_was_stopped_goes_on_where_it_was(runner):
    class Stopping(Powers):
        def tasks(self):
            return [Call(self.one, (place,)) for place in range(self.n_tasks)]

        def one(self, place):
            worked.append(place)
            if len(worked) == 5:
                progress.stop()
            return place

    worked, progress = [], Progress()
    runner.do(Stopping(), progress)
    done = dict(runner.results("powers"))
    assert 5 <= len(done) < 12
    assert list(done) == sorted(done)
    assert runner.work_of(Stopping()).total == (12 - len(done)) * PARTS
    assert runner.do(Stopping(), Progress()) == tuple(range(12))
    assert sorted(worked) == list(range(12))  # none of them twice


def until_stopped(progress):
    while not progress.is_stopped:
        time.sleep(0.005)
    return "a part"


def test_a_job_whose_time_is_over_is_stopped_though_nobody_looks_and_keeps_its_part():
    for most, seconds, is_over in [(100, 99, False), (100, 101, True), (0, 1e9, False)]:
        runner = Runner(most_seconds=most)
        job: Any = runner.start(Work("long", 1, until_stopped), "session")
        until(lambda job=job: job.began is not None)
        runner.tick(job.began + seconds)
        assert job.progress.is_stopped == is_over
        runner.cancel("long")
        assert job.ended.result(SOON) == Outcome("a part", is_stopped=True)


AT_THE_END = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
from pages.shared.jobs.run import RUNNER, Work

begun = threading.Event()

def forever(progress):
    while True:
        begun.set()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(time.sleep, 0.005).result()

RUNNER.start(Work("forever", 1, forever), "session")
begun.wait()
time.sleep(0.05)
"""


@pytest.mark.slow
def test_a_server_that_ends_while_work_begins_threads_says_nothing_of_a_fault():
    ended = subprocess.run([sys.executable, "-c", AT_THE_END], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0
    assert "shutdown" not in ended.stderr
    assert "Traceback" not in ended.stderr


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
    job: Any = runner.start(runner.work_of(Sleeping()))
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


KEY = "a job of this test"
GATE = threading.Event()


def page():
    import streamlit as st

    from pages.shared.jobs import watch
    from pages.shared.jobs.run import Work
    from tests.pages.jobs.test_run import KEY, wait

    watch.begin_run()
    if st.toggle("begin"):
        watch.outcome(Work(KEY, 1, wait))
    if st.toggle("show"):
        watch.find(KEY)
    watch.end_run()


def wait(progress):
    while not progress.is_stopped and not GATE.wait(0.005):
        pass
    return "a part"


@pytest.fixture
def app():
    GATE.clear()
    yield AppTest.from_function(page, default_timeout=60).run()
    RUNNER.cancel(KEY)
    GATE.set()


def test_a_page_that_shows_a_job_no_more_leaves_it_when_it_has_run(app):
    app.toggle[0].set_value(True).run()
    job = next(job for job in RUNNER._jobs.values() if job.work.key == KEY)
    assert job.watchers
    app.toggle[0].set_value(False)
    app.toggle[1].set_value(True).run()
    assert job.watchers  # shown, though not asked for
    app.toggle[1].set_value(False).run()
    assert not job.watchers
    assert not app.exception


def test_a_job_of_two_models_that_are_the_same_has_one_bar_under_the_first_title(monkeypatch):
    job = SimpleNamespace(seconds=0.0, progress=SimpleNamespace(is_stopped=False))
    monkeypatch.setattr(watch, "find", lambda key: job)
    monkeypatch.setattr(note, "how_far", lambda line, job: (0.5, line.title))

    def page():
        from pages.shared.jobs import note

        keys = ("one", "first"), ("one", "second"), ("two", "third")
        note.draw([note.Line(key, title, lambda job: note.Far(0.5, "")) for key, title in keys])

    drawn = AppTest.from_function(page).run()
    assert not drawn.exception
    bars = [one.proto.text for one in drawn.get("progress")]
    assert bars == ["first", "third"]


def test_two_models_that_are_the_same_and_cannot_be_tried_are_told_of_once():
    page = open_page("compare", m1="own", m2="own", m3="none", m4="none", onnx="cd" * 16)
    assert sum("Upload the file again" in one.value for one in page.error) == 1
