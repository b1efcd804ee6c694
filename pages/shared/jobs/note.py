"""Notes on jobs: progress with Cancel, and how a job ended that did not come to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from espalier.settings import MAX_JOB_SECONDS
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import RUNNER, Job, Outcome, QueuePlace, sentence
from pages.shared.words import jobs as words

LONG_SECONDS = 3.0  # from here on it is worth while to leave a job alone


class Far(NamedTuple):
    """Progress of a job that is at work."""

    share: float
    text: str
    seconds_left: float | None = None


class Line(NamedTuple):
    """A job on the page."""

    key: str
    title: str  # Markdown
    how_far: Callable[[Job], Far]
    stage: str = ""  # of the kernels that it waits for


@st.fragment(run_every=0.5)
@guarded
def progress(lines: Sequence[Line], below: Callable[[], None] | None = None) -> None:
    """Draw the jobs' progress, and `below`; the page runs again as soon as one of them has ended."""
    if any(watch.find(line.key) is None for line in lines):
        rerun()
        return
    draw(lines)
    if below is not None:
        below()


def draw(lines: Sequence[Line]) -> None:
    """Draw a bar for each job that waits or is at work, with Cancel; one for models that are the same."""
    for line in reversed({line.key: line for line in reversed(lines)}.values()):
        job = watch.find(line.key)
        if job is not None:
            with st.container(horizontal=True, vertical_alignment="center", key=f"job {line.key}"):
                share, text = how_far(line, job)
                st.progress(share, text=text)
                if job.seconds > LONG_SECONDS and not job.progress.is_stopped and not MAX_JOB_SECONDS:
                    _keep_running(job)
                st.button(
                    words.CANCEL, icon=":material/stop_circle:", key=f"cancel {line.key}", help=words.KEEPS,
                    on_click=callback(watch.cancel), args=(line.key,), disabled=job.progress.is_stopped,
                )  # fmt: skip


def _keep_running(job: Job) -> None:
    """Draw the switch that lets the job go on when the page is left."""
    key = f"keep-running {job.work.key}"
    st.session_state[key] = job.keeps_running
    st.toggle(words.KEEP_RUNNING, key=key, help=words.KEPT, on_change=callback(_switch), args=(job.work.key, key))


def _switch(job_key: str, key: str) -> None:
    RUNNER.keep_running(job_key, st.session_state[key])


def how_far(line: Line, job: Job) -> tuple[float, str]:
    """Return the share of the job that is done, and a text on it."""
    job.title = line.title
    if waiting := RUNNER.waiting(line.key):
        return 0.0, _waits(line.title, waiting)
    if job.progress.is_stopped:
        return job.share, words.stopping(line.title)
    if line.stage and not compilation.is_ready(line.stage):
        seconds = time.monotonic() - compilation.engine().started
        return 0.0, words.waits_for_engine(line.title, seconds)
    far = line.how_far(job)
    return far.share, words.under_way(far.text, far.seconds_left)


def _waits(title: str, waiting: QueuePlace) -> str:
    """What the job waits for, in words."""
    if waiting.job is None:
        return words.begins_now(title)
    holder = words.holder(waiting.job.title, waiting.is_own)
    return words.begins_after(title, holder, waiting.place, waiting.job.seconds_left)


def reason(outcome: Outcome) -> str:
    """Why a job failed, in the language of the page: an outcome is for the visitors of all."""
    if outcome.is_fault:
        return words.SERVER_FAULT
    if outcome.lacks_memory:
        return words.TOO_LITTLE_MEMORY
    return outcome.wrong if outcome.phrase is None else sentence(str(outcome.phrase))


def ended(key: str, outcome: Outcome, stopped: str, failed: str = "", goes_on: bool = True) -> None:
    """Draw a note on a job that a person stopped or that failed, and the button to go on; else nothing.

    `stopped` is the note on a job that was stopped; `failed` stands before the reason of a failure. Asked for
    again, a job that was stopped goes on from where it was, or begins anew.
    """
    if not (outcome.wrong or outcome.is_stopped):
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"ended {key}"):
        if outcome.wrong:
            st.error(words.failed(failed, reason(outcome)))
        else:
            st.info(stopped)
        if outcome.is_stopped or outcome.is_fault:
            label = words.GO_ON if outcome.is_stopped and goes_on else words.TRY_AGAIN
            st.button(
                label, icon=":material/play_arrow:", key=f"go on {key}", on_click=callback(watch.drop),
                args=(key,),
            )  # fmt: skip
