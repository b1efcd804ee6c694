"""What a page says of jobs: how far each is, with Cancel; and how one ended that did not come to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import RUNNER, Job, Outcome

MINUTES_FROM = 100  # seconds: more of them are told in minutes


class Far(NamedTuple):
    """How far a job is that is at work."""

    share: float
    words: str
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
    """How far the jobs are, and what is drawn `below`; the page runs again as soon as one of them has ended."""
    if any(watch.find(line.key) is None for line in lines):
        rerun()
        return
    draw(lines)
    if below is not None:
        below()


def draw(lines: Sequence[Line]) -> None:
    """A bar for each job that waits or is at work, with words and Cancel."""
    for line in lines:
        job = watch.find(line.key)
        if job is not None:
            with st.container(horizontal=True, vertical_alignment="center", key=f"job {line.key}"):
                share, words = how_far(line, job)
                st.progress(share, text=words)
                st.button(
                    "Cancel", icon=":material/stop_circle:", key=f"cancel {line.key}", help="Keeps what there is",
                    on_click=callback(RUNNER.cancel), args=(line.key,), disabled=job.progress.is_stopped,
                )  # fmt: skip


def how_far(line: Line, job: Job) -> tuple[float, str]:
    """The share of the job that is done, and words on it."""
    if n := RUNNER.ahead(line.key):
        return 0.0, f"{line.title} begins after {n} other job{'s' * (n > 1)} of this server."
    if job.progress.is_stopped:
        return job.share, f"{line.title}: stopping …"
    if line.stage and not compilation.is_ready(line.stage):
        seconds = time.monotonic() - compilation.engine().started
        words = f"waits until the engine is compiled, once on this computer ({seconds:.0f} s so far)"
        return 0.0, f"{line.title} {words} …"
    far = line.how_far(job)
    left = "" if far.seconds_left is None else f", {time_left(far.seconds_left)}"
    return far.share, f"{far.words}{left} …"


def time_left(seconds: float) -> str:
    """An estimate in words.

    >>> time_left(0.3), time_left(99.2), time_left(100), time_left(1000)
    ('about 1 s left', 'about 99 s left', 'about 2 min left', 'about 17 min left')
    """
    if seconds >= MINUTES_FROM:
        return f"about {round(seconds / 60)} min left"
    return f"about {max(round(seconds), 1)} s left"


def ended(key: str, outcome: Outcome, stopped: str, failed: str = "", goes_on: bool = True) -> None:
    """How a job ended that a person stopped or that failed, and the button to go on or try again; else nothing.

    `stopped` says what there is of it; `failed` is what went wrong, before why. Asked for again, a job that was
    stopped goes on from where it was, or begins anew.
    """
    if not (outcome.wrong or outcome.is_stopped):
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"ended {key}"):
        if outcome.wrong:
            st.error(f"**{failed}** {outcome.wrong}" if failed else outcome.wrong)
        else:
            st.info(stopped)
        if outcome.is_stopped or outcome.is_fault:
            label = "Go on" if outcome.is_stopped and goes_on else "Try again"
            st.button(
                label, icon=":material/play_arrow:", key=f"go on {key}", on_click=callback(RUNNER.drop),
                args=(key,),
            )  # fmt: skip
