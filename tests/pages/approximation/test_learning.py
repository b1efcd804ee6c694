"""A black box learns beside the pages: who cancels is free, and the page says in which phase it is."""

import os
import threading
import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from espalier.approximation import stand_in
from espalier.approximation.stand_in import fit_until_stopped
from espalier.data import HeldOut, samples
from espalier.learners.approximation.grow import ApproximationParameters, Growth
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from espalier.tasks import Call
from pages.shared.approximation import controls, fits
from pages.shared.jobs import note, workers
from pages.shared.jobs.note import Line
from pages.shared.jobs.run import Job, Work
from tests.pages.approximation.test_fits import MODEL

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
    for _ in range(stand_in.MOST_AT_ONCE):
        assert stand_in._room.acquire(timeout=SOON)
    stand_in._room.release(stand_in.MOST_AT_ONCE)


def ask(fit, progress):
    """Ask for a model in a thread; what comes of it."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(fit_until_stopped(fit, progress)))
    thread.start()
    return thread, answers


def test_what_has_learnt_is_given_and_what_goes_wrong_is_raised_to_whoever_waits(stubborn):
    stubborn.may_end.set()
    assert fit_until_stopped(stubborn, Progress()) == "model"

    def fails():
        raise ValueError("one class only")

    with pytest.raises(ValueError, match="one class only"):
        fit_until_stopped(fails, Progress())


def test_whoever_cancels_is_free_at_once_and_no_more_than_two_models_learn_at_a_time(stubborn):
    progresses = [Progress(), Progress()]
    asked = [ask(stubborn, progress) for progress in progresses]
    while stubborn.n_begun < 2:
        threading.Event().wait(0.01)
    for (thread, answers), progress in zip(asked, progresses, strict=True):
        progress.stop()
        thread.join(SOON)
        assert answers == [None]
    progress = Progress()
    thread, answers = ask(stubborn, progress)
    progress.stop()
    thread.join(SOON)
    assert answers == [None]
    assert stubborn.n_begun == 2


@pytest.mark.usefixtures("beside")
def test_in_another_process_a_model_learns_beside_the_pages_is_ended_by_cancel_and_what_goes_wrong_is_raised():
    progress = Progress()
    assert fits.outside(Call(os.getpid, ()), progress) != os.getpid()
    threading.Timer(0.2, progress.stop).start()
    assert fits.outside(Call(time.sleep, (10 * SOON,)), progress) is None
    with pytest.raises(ZeroDivisionError):
        fits.outside(Call(divmod, (1, 0)), Progress())


@pytest.mark.usefixtures("beside")
@pytest.mark.slow
def test_a_black_box_that_learnt_in_another_process_answers_as_one_that_learnt_here(monkeypatch):
    wine, model = samples.load("wine"), Model("approximation", (("box", "linear"),))
    there = fits.learnt("there", wine, HeldOut(30), model, Progress())
    monkeypatch.setattr(workers, "JOB_EXECUTOR", "threads")
    here = fits.learnt("here", wine, HeldOut(30), model, Progress())
    assert here is not None
    assert there is not None
    np.testing.assert_array_equal(there.model.predict_proba(wine.X), here.model.predict_proba(wine.X))


N = 105


class Estimator:
    """What there is of an approximation that is being fitted."""

    growth_: Growth
    n_asked_: int
    asking_: object


class Asking:
    n_answered = 42


@pytest.fixture
def job():
    work = fits.ApproximationJob("words", samples.load("iris"), HeldOut(30, 0), MODEL, lambda _: None)
    made = Job(Work("words", N, work), "")
    made.began = time.monotonic()
    return made


def phase(job, model=MODEL):
    share, words = note.how_far(Line("words", "**The tree**", partial(controls.how_far, model)), job)
    return share, words


def grows(job, n_asked, seconds, budget=np.inf):
    """Let the tree have grown for so many seconds."""
    estimator = Estimator()
    nothing: Any = None
    growth = Growth(ApproximationParameters(3, 6, nothing, True, budget, 1_000))
    growth.began = time.monotonic() - seconds
    estimator.growth_, estimator.n_asked_ = growth, n_asked
    job.work.call.is_growing, job.work.call.estimator = True, estimator
    return growth


def test_the_page_says_whether_the_model_learns_is_asked_or_both_are_compared(job):
    assert phase(job) == (0.0, "Logistic regression learns …")
    estimator = Estimator()
    estimator.asking_ = Asking
    job.work.call.is_growing, job.work.call.estimator = True, estimator
    assert phase(job) == (pytest.approx(42 / N), "Logistic regression is asked about the table …")
    grows(job, 7_000, seconds=10)
    job.work.call.n_compared, job.progress.done = 100, 25
    assert phase(job) == (0.25, "**The tree has grown**, and is compared …")
    job.progress.stop()
    assert phase(job)[1] == "**The tree**: stopping …"


def test_the_tree_takes_at_most_what_open_splits_the_limit_and_its_time_allow(job):
    growth = grows(job, 3_500, seconds=10)
    share, words = phase(job)
    assert share == pytest.approx(0.5)
    assert words == "**The tree grows**: 3,500 of at most 7,000 made-up cases, about 10 s left …"
    growth.settle(1_000, 3)  # one subtree is a leaf: 3,000 fewer
    growth.settle(500, 1)
    assert phase(job)[1] == "**The tree grows**: 3,500 of at most 4,500 made-up cases, about 3 s left …"
    grows(job, 1, seconds=fits.MAX_APPROXIMATION_SECONDS - 13)
    assert phase(job)[1].endswith("about 13 s left …")
    grows(job, 0, seconds=12)
    job.progress.done = 84
    share, words = phase(job, MODEL.with_settings(method="exact"))
    assert share == pytest.approx(0.8)
    assert words == "**The tree grows**, about 3 s left …"
