"""Tasks: results in order whoever works on them, progress of all as one, stopping, errors."""

import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from espalier.analysis.comparison.cross_validation import ValidationRun, fold_tasks, try_fold
from espalier.data import samples
from espalier.data.rows.folds import Folds
from espalier.learners import CartClassifier
from espalier.progress import Progress
from espalier.tasks import PARTS, Call, in_order

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
    tasks = fold_tasks(try_fold, ValidationRun(CartClassifier(max_depth=2), samples.load("iris"), Folds(4, 2)))
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1) as processes:
        found = [list(in_order(tasks, executor, at_once=4)) for executor in (threads, processes, LastFirst())]
    told = [[(place, tried.number, answers.tolist()) for place, (tried, answers, _) in one] for one in found]
    assert [place for place, *_ in told[0]] == list(range(8))
    assert told[0] == told[1] == told[2]


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


def test_what_is_stopped_keeps_the_whole_results_and_begins_no_others():
    progress, begun = Progress(), []
    tasks = [Call(abs, (-1,)), Call(until_stopped, (), total=1), *[Call(begun.append, (0,))] * 9]
    found = []
    with ThreadPoolExecutor(1) as pool:
        for place, result in in_order(tasks, pool, progress):
            found.append((place, result))
            progress.stop()
    assert found == [(0, 1)]
    assert not begun


def test_nothing_begins_where_the_progress_is_stopped_already():
    with ThreadPoolExecutor(1) as pool:
        assert not list(in_order([Call(abs, (1,))], pool, Progress(is_stopped=True)))


def test_the_error_of_a_task_is_raised_at_once_and_stops_the_others():
    with ThreadPoolExecutor(2) as pool, pytest.raises(ZeroDivisionError):
        list(in_order([Call(until_stopped, (), total=1), Call(divmod, (1, 0))], pool))
