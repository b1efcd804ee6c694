"""What the page says while a black box learns and its tree grows: which phase, how far, and how long at most."""

import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from espalier.data import HeldOut, samples
from espalier.learners.approximation.grow import ApproximationParameters, Growth
from pages.shared.approximation import controls, fits
from pages.shared.jobs import note
from pages.shared.jobs import sentences as jobs_sentences
from pages.shared.jobs.note import Line
from pages.shared.jobs.run import Job, Work
from tests.pages.approximation.test_fits import MODEL

N = 105


class Estimator:
    """What there is of an approximation that is being fitted."""

    growth_: Growth
    n_asked_: int
    asking_: object
    oracle_: object


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


def test_before_it_is_asked_the_model_learns(job):
    share, words = phase(job)
    assert share == 0
    assert words == "Logistic regression learns (0 s so far) …"


def test_the_rows_of_the_table_are_counted_and_no_made_up_cases_named_before_the_model_is_timed(job):
    estimator = Estimator()
    estimator.asking_ = Asking
    job.work.call.is_growing, job.work.call.estimator = True, estimator
    share, words = phase(job)
    assert share == pytest.approx(42 / N)
    assert words == "Logistic regression is asked about 42 of the 105 rows of the table, 0 s so far …"
    estimator.oracle_ = object()
    assert phase(job) == (1.0, "**The tree begins**, 0 s so far …")


def test_the_tree_takes_at_most_what_all_open_splits_may_take(job):
    growth = grows(job, 3_500, seconds=10)
    share, words = phase(job)
    assert share == pytest.approx(0.5)
    assert "3,500 of at most 7,000 made-up cases asked" in words
    assert words.endswith("at most about 10 s left …")
    growth.settle(1_000, 3)  # one subtree is a leaf: 3,000 fewer
    growth.settle(500, 1)
    assert "3,500 of at most 4,500 made-up cases" in phase(job)[1]
    assert "at most about 3 s left" in phase(job)[1]


def test_a_slow_model_is_asked_about_no_more_than_fits_into_the_limit(job):
    grows(job, 3_500, seconds=10, budget=5_000)
    assert "3,500 of at most 5,000 made-up cases asked" in phase(job)[1]


def test_the_time_left_is_never_more_than_the_limit_allows(job):
    grows(job, 1, seconds=fits.MAX_APPROXIMATION_SECONDS - 13)
    assert "at most about 13 s left" in phase(job)[1]
    grows(job, 0, seconds=0)
    assert f"at most {jobs_sentences.time_left(fits.MAX_APPROXIMATION_SECONDS)}" in phase(job)[1]


def test_the_exact_method_speaks_of_no_made_up_cases_and_goes_by_its_rows(job):
    grows(job, 0, seconds=12)
    job.progress.done = 84
    share, words = phase(job, MODEL.with_settings(method="exact"))
    assert share == pytest.approx(0.8)
    assert "made-up cases" not in words
    assert words.endswith("about 3 s left …")


def test_a_cancelled_job_says_that_it_stops(job):
    grows(job, 3_500, seconds=10)
    job.progress.stop()
    assert phase(job) == (0.0, "**The tree**: stopping …")


def test_at_the_end_the_rows_are_counted_on_which_both_are_compared(job):
    grows(job, 7_000, seconds=10)
    job.work.call.heard[:] = 25, 100
    assert phase(job) == (0.25, "**The tree is grown.** To compare both, 25 of 100 other rows are asked about …")
