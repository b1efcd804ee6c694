"""A model that cannot be interrupted while it learns holds nobody up who cancels."""

import os
import threading
import time

import numpy as np
import pytest

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from espalier.tasks import Call
from pages.shared.approximation import boxes
from pages.shared.jobs import workers

SOON = 60  # seconds: far more than any of these waits needs


class Stubborn:
    """A fit that ends only when it is let."""

    def __init__(self):
        self.began, self.may_end, self.n_begun = threading.Event(), threading.Event(), 0

    def __call__(self):
        self.n_begun += 1
        self.began.set()
        assert self.may_end.wait(SOON)
        return "model"


@pytest.fixture
def stubborn():
    fit = Stubborn()
    yield fit
    fit.may_end.set()
    while boxes._learning:
        threading.Event().wait(0.01)


def ask(key, fit, progress):
    """Ask for a model in a thread; what comes of it."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(boxes.unless_stopped(key, fit, progress)))
    thread.start()
    return thread, answers


def test_what_has_learnt_is_given(stubborn):
    stubborn.may_end.set()
    assert boxes.unless_stopped("quick", stubborn, Progress()) == "model"


def test_what_goes_wrong_is_raised_to_whoever_waits():
    def fails():
        raise ValueError("one class only")

    with pytest.raises(ValueError, match="one class only"):
        boxes.unless_stopped("wrong", fails, Progress())


def test_whoever_cancels_is_free_at_once_though_the_model_goes_on(stubborn):
    progress = Progress()
    thread, answers = ask("left", stubborn, progress)
    assert stubborn.began.wait(SOON)
    progress.stop()
    thread.join(SOON)
    assert answers == [None]
    assert not stubborn.may_end.is_set()


def test_who_asks_again_waits_for_the_model_that_learns_already(stubborn):
    progress = Progress()
    thread, _ = ask("twice", stubborn, progress)
    assert stubborn.began.wait(SOON)
    progress.stop()
    thread.join(SOON)
    thread, answers = ask("twice", stubborn, Progress())
    stubborn.may_end.set()
    thread.join(SOON)
    assert answers == ["model"]
    assert stubborn.n_begun == 1


def test_no_more_than_two_models_learn_at_a_time_and_who_waits_can_cancel(stubborn):
    others = [Progress(), Progress()]
    threads = [ask(f"other {n}", stubborn, progress)[0] for n, progress in enumerate(others)]
    while stubborn.n_begun < 2:
        threading.Event().wait(0.01)
    for progress in others:
        progress.stop()
    for thread in threads:
        thread.join(SOON)
    progress = Progress()
    thread, answers = ask("third", stubborn, progress)
    progress.stop()
    thread.join(SOON)
    assert answers == [None]
    assert stubborn.n_begun == 2


@pytest.mark.usefixtures("beside")
def test_in_another_process_a_model_learns_beside_the_pages_and_is_ended_when_a_person_cancels():
    progress = Progress()
    assert boxes.outside(Call(os.getpid, ()), progress) != os.getpid()
    threading.Timer(0.2, progress.stop).start()
    assert boxes.outside(Call(time.sleep, (10 * SOON,)), progress) is None


@pytest.mark.usefixtures("beside")
def test_what_goes_wrong_in_another_process_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        boxes.outside(Call(divmod, (1, 0)), Progress())


@pytest.mark.usefixtures("beside")
@pytest.mark.slow
def test_a_black_box_that_learnt_in_another_process_answers_as_one_that_learnt_here(monkeypatch):
    wine, model = samples.load("wine"), Model("approximation", (("box", "linear"),))
    there = boxes.learnt("there", wine, HeldOut(30), model, Progress())
    monkeypatch.setattr(workers, "JOB_EXECUTOR", "threads")
    here = boxes.learnt("here", wine, HeldOut(30), model, Progress())
    assert here is not None
    assert there is not None
    np.testing.assert_array_equal(there.model.predict_proba(wine.X), here.model.predict_proba(wine.X))
