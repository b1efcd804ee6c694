"""The jobs that a session watches: begins them, waits a moment for them, and leaves those not shown any more."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import wait

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from espalier.language import say
from pages.shared.app.frame import TURNS, assign, callback
from pages.shared.jobs.run import RUNNER, Job, Outcome, Work

PATIENCE_SECONDS = 0.6  # a result that is there sooner needs no progress bar
WATCHED = "watched-jobs"  # key of the session state: the keys of these jobs
SHOWN = "shown-jobs"  # key of the session state: those of them that the page has looked at since it began to run
BEGUN = "begun-jobs"  # key of the session state: the last work that was begun only because a person asked for it


def outcomes(works: Sequence[Work], beside: bool = False) -> list[Outcome]:
    """Begin this work, in this order, and wait a moment for it; the outcomes so far.

    The session leaves the jobs that it watched before, or, where this is `beside` them, watches them too.
    """
    watch([work.key for work in works], beside)
    jobs = [job for work in works if (job := RUNNER.start(work, session())) is not None]
    until = max((job.asked for job in jobs), default=0.0) + PATIENCE_SECONDS
    with TURNS.left():
        wait([job.ended for job in jobs], max(until - time.monotonic(), 0.0))
    return [found(work.key) or Outcome() for work in works]


def outcome(work: Work, beside: bool = False) -> Outcome:
    """Begin one piece of work; its outcome so far. See `outcomes`."""
    return outcomes([work], beside)[0]


def begun(work: Work) -> Outcome:
    """Begin one piece of work beside the other jobs, and wait for nothing; its outcome so far."""
    watch([work.key], beside=True)
    RUNNER.start(work, session())
    return found(work.key) or Outcome()


def find(key: str) -> Job | None:
    """The job of this key, if it waits or is at work; the session goes on watching it."""
    _note_shown([key])
    return RUNNER.find(key, session())


def found(key: str) -> Outcome | None:
    """Return the outcome of the job of this key, if it is there, also where this person cancelled it."""
    return RUNNER.outcome(key, session())


def cancel(*keys: str) -> None:
    """Stop these jobs; if others watch them, only here (a callback)."""
    RUNNER.cancel(*keys, session=session())


def drop(*keys: str) -> None:
    """Forget these outcomes: asked for again, the work is done again or goes on (a callback)."""
    RUNNER.drop(*keys, session=session())


def begin_run() -> None:
    """Note that the page begins to run, and has shown no job yet."""
    st.session_state[SHOWN] = set()


def end_run() -> None:
    """Leave the jobs that the page, which has run to its end, shows no more."""
    watched, shown = st.session_state.get(WATCHED, set()), st.session_state.get(SHOWN, set())
    for key in watched - shown:
        RUNNER.leave(key, session())
    st.session_state[WATCHED] = watched & shown


def watch(keys: Sequence[str], beside: bool = False) -> None:
    """Watch these jobs: those from before are left, unless these are `beside` them or their keys begin alike."""
    if not beside:
        leave_others(keys)
    st.session_state.setdefault(WATCHED, set()).update(keys)
    _note_shown(keys)


def leave_others(keys: Sequence[str]) -> None:
    """Leave the jobs that are watched, but for those whose keys begin with one of these."""
    watched = st.session_state.setdefault(WATCHED, set())
    for other in [job for job in watched if not job.startswith(tuple(keys))]:
        RUNNER.leave(other, session())
        watched.discard(other)


def _note_shown(keys: Sequence[str]) -> None:
    st.session_state.setdefault(SHOWN, set()).update(keys)


def session() -> str:
    """Name of the session that runs here; empty outside of any."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def may_begin(keys: Sequence[str], amount: int, most: int) -> bool:
    """Whether the amount of work is not above the most that is begun unasked, or these jobs were asked for."""
    return amount <= most or st.session_state.get(BEGUN) == list(keys)


def offer(keys: Sequence[str], amount: str, label: str) -> None:
    """Draw a note on the amount of work, and the button that begins it."""
    st.info(say("There is much to do: {amount}", amount=amount))
    st.button(
        label, icon=":material/play_arrow:", on_click=callback(assign), args=(BEGUN, list(keys)), type="primary"
    )
