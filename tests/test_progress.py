"""Progress: what is done is counted, work is asked to stop, and threads count for one whole."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from espalier.progress import Progress, Relay, attend


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


def test_stopping_the_whole_stops_every_thread():
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


def test_threads_of_a_whole_that_is_stopped_already_begin_stopped():
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
