"""Tasks: results in order whoever works on them, progress of all as one, stopping, errors."""

import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from espalier.comparison.cross_validation import fold_tasks, try_fold
from espalier.data import samples
from espalier.data.folds import Folds
from espalier.learners import CartClassifier
from espalier.progress import Progress, Relay, attend
from espalier.tasks import PARTS, Call, in_order, shares

SOON = 60  # seconds: far more than any of these waits needs


class LastFirst(Executor):
    """Keeps what it is given until it has four, and works on the last of them first."""

    def __init__(self):
        self.kept = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.kept.append((future, fn, args, kwargs))
        if len(self.kept) == 4:
            for kept, work, theirs, named in reversed(self.kept):
                kept.set_result(work(*theirs, **named))
            self.kept = []
        return future


def test_a_process_pool_and_an_executor_that_works_backwards_give_what_threads_give_in_the_same_order():
    tasks = fold_tasks(try_fold, CartClassifier(max_depth=2), samples.load("iris"), Folds(4, 2))
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1) as processes:
        found = [list(in_order(tasks, executor, at_once=4)) for executor in (threads, processes, LastFirst())]
    told = [[(place, tried.number, answers.tolist()) for place, (tried, answers, _) in one] for one in found]
    assert [place for place, *_ in told[0]] == list(range(8))
    assert told[0] == told[1] == told[2]


def test_numbers_are_parted_for_each_worker_into_a_few_parts_as_long_as_the_others():
    pool: Any = SimpleNamespace(n_workers=2, n_shares=3)
    parts = [shares(range(n), pool) for n in (20, 4, 0)]
    assert [list(map(len, part)) for part in parts] == [[4, 4, 4, 4, 4], [1, 1, 1, 1], []]


def test_a_result_comes_before_later_tasks_have_begun():
    begun = []
    with ThreadPoolExecutor(1) as pool:
        results = in_order([Call(begun.append, (place,)) for place in range(50)], pool, at_once=2)
        assert next(results) == (0, None)
        assert len(begun) < 50
        results.close()
    assert len(begun) < 50  # whoever looks no more stops the rest


def test_progress_counts_whole_tasks_and_the_parts_of_those_under_way():
    gate, progress, counted = threading.Event(), Progress(), threading.Event()

    def half(progress):
        progress.done = 5
        counted.set()
        gate.wait(SOON)

    def look():
        counted.wait(SOON)
        while progress.done < PARTS:
            time.sleep(0.002)
        seen.append(progress.done)
        gate.set()

    seen = []
    with ThreadPoolExecutor(2) as pool:
        watcher = threading.Thread(target=look)
        watcher.start()
        list(in_order([Call(int, ()), Call(half, (), total=10)], pool, progress))
        watcher.join(SOON)
    assert seen == [PARTS + PARTS // 2]
    assert progress.done == 2 * PARTS


def until_stopped(progress):
    while not progress.is_stopped:
        time.sleep(0.002)
    return "a part"


def test_what_is_stopped_keeps_the_whole_results_and_begins_no_others_if_it_begins_at_all():
    progress, begun = Progress(), []
    tasks = [Call(abs, (-1,)), Call(until_stopped, (), total=1), *[Call(begun.append, (0,))] * 9]
    found = []
    with ThreadPoolExecutor(1) as pool:
        for place, result in in_order(tasks, pool, progress):
            found.append((place, result))
            progress.stop()
    assert found == [(0, 1)]
    assert not begun
    with ThreadPoolExecutor(1) as pool:
        assert not list(in_order([Call(abs, (1,))], pool, Progress(is_stopped=True)))


def test_the_error_of_a_task_is_raised_at_once_and_stops_the_others():
    with ThreadPoolExecutor(2) as pool, pytest.raises(ZeroDivisionError):
        list(in_order([Call(until_stopped, (), total=1), Call(divmod, (1, 0))], pool))


def test_progress_counts_and_can_be_asked_to_stop():
    progress = Progress()
    progress.advance()
    progress.advance(4)
    assert (progress.done, progress.is_stopped) == (5, False)
    progress.stop()
    assert (progress.done, progress.is_stopped) == (5, True)


def test_kernels_see_the_count_and_the_flag_in_arrays():
    progress = Progress()
    progress.array[0] = 7
    assert progress.done == 7
    progress.stop()
    assert progress.array.tolist() == [7, 1]
    assert progress.stop_flag.tolist() == [1]


def test_the_counts_of_threads_are_summed_over_all_their_pieces():
    whole = Progress()
    relay = Relay(whole, 3)

    def work(mine):
        mine.done = 90  # of a piece that counts as 100 in the end
        mine.settle(100)
        mine.advance(5)

    with ThreadPoolExecutor(3) as pool:
        relay.attend([pool.submit(work, mine) for mine in relay.threads])
    assert whole.done == 3 * 105


def test_the_whole_may_count_in_other_units():
    whole = Progress()
    relay = Relay(whole, 1, lambda n: n // 10)
    with ThreadPoolExecutor(1) as pool:
        relay.attend([pool.submit(relay.threads[0].advance, 59)])
    assert whole.done == 5


def test_stopping_the_whole_stops_every_thread_also_before_it_begins():
    whole = Progress()
    relay = Relay(whole, 2)
    asked = [threading.Event() for _ in relay.threads]

    def work(mine, event):
        while not mine.is_stopped:
            event.wait(0.001)
        event.set()

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(work, *each) for each in zip(relay.threads, asked, strict=True)]
        whole.stop()
        relay.attend(running)
    assert all(event.is_set() for event in asked)
    assert Relay(Progress(is_stopped=True), 1).threads[0].is_stopped


def test_an_error_in_one_thread_is_raised_and_stops_the_others():
    relay = Relay(Progress(), 2)

    def wrong():
        raise ValueError("of one thread")

    def long(mine):
        while not mine.is_stopped:
            threading.Event().wait(0.001)

    with ThreadPoolExecutor(2) as pool, pytest.raises(ValueError, match="of one thread"):
        relay.attend([pool.submit(long, relay.threads[0]), pool.submit(wrong)])


def test_work_that_is_cancelled_while_it_waits_is_not_waited_for():
    gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        first, second = pool.submit(gate.wait), pool.submit(gate.wait)

        def cancel_second():
            second.cancel()

        attend([second], cancel_second)
        assert not first.done()
        gate.set()
