"""Notes on jobs: progress with Cancel, and how a job ended that did not come to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from espalier.language import say
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import Job, Outcome, Work, sentence

MINUTES_FROM = 100  # seconds


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
                st.button(
                    say("Cancel"),
                    icon=":material/stop_circle:",
                    key=f"cancel {line.key}",
                    help=say("Stops the work. What is done so far is kept."),
                    on_click=callback(watch.cancel),
                    args=(line.key,),
                    disabled=job.progress.is_stopped,
                )


def how_far(line: Line, job: Job) -> tuple[float, str]:
    """Return the share of the job that is done, and a text on it."""
    if job.began is None or (line.stage and not compilation.is_ready(line.stage)):
        return 0.0, say("{title} waits for its turn …", title=line.title)
    if job.progress.is_stopped:
        return job.share, say("{title}: stopping …", title=line.title)
    share, text, seconds = line.how_far(job)
    return share, f"{text} …" if seconds is None else f"{text}, {time_left(seconds)} …"


def time_left(seconds: float) -> str:
    """An estimate in words.

    >>> time_left(0.3), time_left(99.2), time_left(100), time_left(1000)
    ('about 1 s left', 'about 99 s left', 'about 2 min left', 'about 17 min left')
    """
    if seconds >= MINUTES_FROM:
        return say("about {seconds} min left", seconds=round(seconds / 60))
    return say("about {seconds} s left", seconds=max(round(seconds), 1))


def reason(outcome: Outcome) -> str:
    """Why a job failed, in the language of the page: an outcome is for the visitors of all."""
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
            st.error(f"**{failed}** {reason(outcome)}" if failed else reason(outcome))
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
