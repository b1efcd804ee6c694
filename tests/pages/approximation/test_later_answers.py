"""A tab asks a slow black box beside the page: with progress, Cancel, and a way to ask again."""

import re
import threading

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.progress import Progress
from pages.shared.approximation import later_answers
from pages.shared.approximation.later_answers import AnswerJob
from tests.pages.approximation.test_approximation_page import fresh_seed
from tests.pages.approximation.test_fits import approximated
from tests.pages.tree.test_optimal_page import pictures, press, said
from tests.tools.on_page import APP, SOON, engine, until_grown, whole

__all__ = ["engine"]

X = samples.load("iris").X


@pytest.fixture
def one():
    return approximated(samples.load("iris"))


def slow(one, seconds):
    """The same, of a model that takes so long for a row."""
    return one._replace(compared=one.compared._replace(pace=seconds))


def test_a_quick_model_is_asked_at_once_and_its_answers_are_kept(one, monkeypatch):
    said = later_answers.answered(slow(one, 1e-6), "at once", X)
    assert said is not None
    assert np.array_equal(said, one.model_says(X))
    monkeypatch.setattr(type(one), "model_says", lambda *_: 1 / 0)
    assert later_answers.answered(slow(one, 1e-6), "at once", X) is said


def test_a_slow_model_is_asked_in_parts_that_are_counted(one):
    job = AnswerJob(slow(one, 0.01), X)
    said = job(Progress())
    assert said is not None
    assert np.array_equal(said, one.model_says(X))
    assert job.heard.tolist() == [150, 150]


def test_answers_to_some_rows_are_no_answers(one):
    job = AnswerJob(slow(one, 0.01), X)
    progress = Progress()

    class Stopping(np.ndarray):
        """Rows of which the first are the last that are asked about."""

        def __getitem__(self, which):
            progress.stop()
            return super().__getitem__(which)

    job.X = X.view(Stopping)
    assert job(progress) is None
    assert 0 < job.heard[0] < 150


@pytest.fixture
def gate(monkeypatch):
    """Holds back what a model says to a job."""
    may_answer, ask = threading.Event(), AnswerJob.__call__

    def held(job, progress):
        assert may_answer.wait(SOON)
        return ask(job, progress)

    monkeypatch.setattr(later_answers, "QUICK_SECONDS", -1.0)
    monkeypatch.setattr(AnswerJob, "__call__", held)
    yield may_answer
    may_answer.set()


def open_tab():
    """The page with its tree, while the model is asked over the plane."""
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params["box"], page.query_params["about-tree"] = "linear", "Side by side"
    page.query_params["ap-samples"], page.query_params["ap-seed"] = "1000", fresh_seed()
    page.switch_page("pages/approximate.py")
    page = page.run()
    while not any("is asked about" in bar.proto.text for bar in page.get("progress")):
        page = whole(page.run())
    return page


def test_while_a_slow_model_is_asked_over_the_plane_the_page_says_how_far_it_is(gate):
    page = open_tab()
    (bar,) = page.get("progress")
    assert re.fullmatch(r"Logistic regression is asked about 0 of [\d,]+ rows …", bar.proto.text)
    gate.set()
    assert any("Where they differ" in alt for alt in pictures(until_grown(page)))


def test_asking_can_be_cancelled_and_begun_again(gate):
    page = open_tab()
    page = press(page, "Cancel")
    gate.set()
    page = until_grown(page)
    assert "Asking logistic regression was stopped." in said(page)
    assert any("Where they differ" in alt for alt in pictures(until_grown(press(page, "Try again"))))
