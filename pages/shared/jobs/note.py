"""Notes on jobs: progress with Cancel, and how a job ended that did not come to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from espalier.language import in_style, say
from espalier.settings import MAX_JOB_SECONDS
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.jobs import compilation, watch
from pages.shared.jobs import job as sentences
from pages.shared.jobs.run import RUNNER, Job, Outcome, QueuePlace, Work, sentence

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
                    say("Cancel"),
                    icon=":material/stop_circle:",
                    key=f"cancel {line.key}",
                    help=say("Stops the work. What is done so far is kept."),
                    on_click=callback(watch.cancel),
                    args=(line.key,),
                    disabled=job.progress.is_stopped,
                )


def _keep_running(job: Job) -> None:
    """Draw the switch that lets the job go on when the page is left."""
    key = f"keep-running {job.work.key}"
    st.session_state[key] = job.keeps_running
    st.toggle(
        say("Keep running"),
        key=key,
        help=say(
            "The work goes on when you leave this page, for half an hour at most. Without this "
            "it stops when you leave; what is done is kept, and goes on when you come back."
        ),
        on_change=callback(_switch),
        args=(job.work.key, key),
    )


def _switch(job_key: str, key: str) -> None:
    RUNNER.keep_running(job_key, st.session_state[key])


def how_far(line: Line, job: Job) -> tuple[float, str]:
    """Return the share of the job that is done, and a text on it."""
    job.title = line.title
    if waiting := RUNNER.waiting(line.key):
        return 0.0, _waits(line.title, waiting)
    if job.progress.is_stopped:
        return job.share, say("{title}: stopping …", title=line.title)
    if line.stage and not compilation.is_ready(line.stage):
        seconds = time.monotonic() - compilation.engine().started
        return 0.0, say(
            "{title} waits until the engine is compiled, once on this computer ({seconds} s so far) …",
            title=line.title,
            seconds=in_style(f"{seconds:.0f}"),
        )
    far = line.how_far(job)
    return (
        far.share,
        f"{far.text} …" if far.seconds_left is None else f"{far.text}, {sentences.time_left(far.seconds_left)} …",
    )


def _waits(title: str, waiting: QueuePlace) -> str:
    """What the job waits for, in words."""
    if waiting.job is None:
        return say("{title} begins …", title=title)
    holder = say("“{title}”", title=waiting.job.title or say("another job")) + (
        "" if waiting.is_own else say(", another visitor's")
    )
    return _waiting_note(title, holder, waiting.place, waiting.job.seconds_left)


def reason(outcome: Outcome) -> str:
    """Why a job failed, in the language of the page: an outcome is for the visitors of all."""
    if outcome.is_fault:
        return say(sentences.SERVER_FAULT)
    if outcome.lacks_memory:
        return say(sentences.TOO_LITTLE_MEMORY)
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
            st.error(_failure_note(failed, reason(outcome)))
        else:
            st.info(stopped)
        if outcome.is_stopped or outcome.is_fault:
            label = say("Go on") if outcome.is_stopped and goes_on else say("Try again")
            st.button(
                label, icon=":material/play_arrow:", key=f"go on {key}", on_click=callback(watch.drop),
                args=(key,),
            )  # fmt: skip


def result(
    work: Work, line: Line, stopped: str, failed: str = "", below: Callable[[], None] | None = None
) -> Any | None:
    """Begin work beside the other jobs; its result by now, with what there is to say of it on the page.

    While there is none: how far it is, and `below`, as in `progress`. Afterwards: how it was `stopped` or
    `failed`, as in `ended`; asked for again, it begins anew.
    """
    outcome = watch.outcome(work, beside=True)
    if outcome.is_awaited:
        progress([line], below)
    ended(work.key, outcome, stopped, failed, goes_on=False)
    return outcome.value


def _waiting_note(title: str, holder: str, place: int, seconds_left: float | None) -> str:
    """Note on a job that has to wait for others.

    >>> begins_after("Growing the forest", "“Comparing models”", 1, 12.0)
    'Growing the forest begins after “Comparing models” (about 12 s left)'
    >>> begins_after("Growing the forest", "“Comparing models”, another visitor's", 3, None)
    'Growing the forest is number 3 in the queue, after “Comparing models”, another visitor's'
    """
    left = "" if seconds_left is None else f" ({sentences.time_left(seconds_left)})"
    queue = say("begins") if place == 1 else say("is number {place} in the queue,", place=place)
    return say("{title} {queue} after {holder}{left}", title=title, queue=queue, holder=holder, left=left)


def _failure_note(title: str, why: str) -> str:
    """A job that could not be done, and why."""
    return f"**{title}** {why}" if title else why
