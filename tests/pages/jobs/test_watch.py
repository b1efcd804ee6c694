"""What a session watches: a job is left once no page shows it, and models that are the same are one job."""

import threading
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.jobs import note, watch
from pages.shared.jobs.run import RUNNER
from tests.tools.on_page import open_page

KEY = "a job of this test"
GATE = threading.Event()


def page():
    import streamlit as st

    from pages.shared.jobs import watch
    from pages.shared.jobs.run import Work
    from tests.pages.jobs.test_watch import KEY, wait

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
