"""Runs of pages take turns: one at a time, unless one waits."""

import threading

import pytest

from pages.shared.app import turns
from pages.shared.app.turns import Turns

SOON = 60  # seconds: far more than any of these waits needs


@pytest.fixture
def own():
    """Turns that no page of another test has."""

    class Own(Turns):
        _free = threading.BoundedSemaphore(1)

    return Own()


@pytest.fixture
def other():
    """Function that begins something in another thread; all of it is over at the end."""
    threads = []

    def begin(act):
        threads.append(threading.Thread(target=act))
        threads[-1].start()
        return threads[-1]

    yield begin
    for thread in threads:
        thread.join(SOON)


def run(own, events):
    """A run that notes its beginning and its end."""
    with own.taken():
        events.append("begins")
        events.append("ends")


def test_a_run_begins_when_the_one_before_has_ended(own, other, monkeypatch):
    monkeypatch.setattr(turns, "MOMENT_SECONDS", SOON)
    events = []
    with own.taken():
        second = other(lambda: run(own, events))
        second.join(0.05)
        events.append("first ends")
    second.join(SOON)
    assert events == ["first ends", "begins", "ends"]


def test_a_run_that_waits_leaves_its_turn_to_the_next_one(own, other, monkeypatch):
    monkeypatch.setattr(turns, "MOMENT_SECONDS", SOON)
    events = []
    with own.taken():
        with own.left():
            other(lambda: run(own, events)).join(SOON)
        events.append("goes on")
        third = other(lambda: run(own, events))
        third.join(0.05)
        assert events == ["begins", "ends", "goes on"]


def test_a_run_within_a_run_has_its_turn_already(own):
    with own.taken(), own.taken(), own.taken():
        pass
    with own.left():  # outside of any turn there is none to leave
        assert own._free.acquire(blocking=False)


def test_none_waits_longer_than_a_moment(own, other, monkeypatch):
    monkeypatch.setattr(turns, "MOMENT_SECONDS", 0.01)
    events = []
    with own.taken():
        other(lambda: run(own, events)).join(SOON)
        assert events == ["begins", "ends"]
    assert own._free.acquire(timeout=0.01)  # the turn came back once


def test_a_fault_gives_the_turn_back(own):
    with pytest.raises(ValueError, match="a fault"), own.taken():
        raise ValueError("a fault")
    assert own._free.acquire(blocking=False)
