"""What a session watches: a job is left as soon as a page has run to its end without showing it."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.jobs.run import RUNNER

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
