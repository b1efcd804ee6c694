"""A longer search for the smallest change, beside the page: begun on request, with progress and Cancel."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import streamlit as st

from espalier.language import in_style, say
from espalier.progress import Progress
from espalier.reliability.changeable import Allowed
from espalier.reliability.explanation import Story, story
from espalier.reliability.smallest_change import TIME, ChangeAim, ChangeLimits
from pages.shared.app.frame import callback
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work
from pages.shared.reliability import changing
from pages.shared.reliability.refitting import Refits

SECONDS, STEPS = 60, 10**9  # of a longer search
ASKED = "searches-longer"  # key of the session state: the search that a person asked for


class LongSearch(NamedTuple):
    """The search for a change of one row that a person asked for."""

    refits: Refits
    row: int
    key: str

    def work(self) -> Work:
        """The work of its job."""
        return Work(self.key, SECONDS, partial(_told, self, changing.allowed(), changing.toward()))

    def better(self, quick: Story) -> Story:
        """The story with its result, if there is one; else the quick one."""
        outcome = watch.found(self.key)
        return quick if outcome is None or outcome.value is None else outcome.value


def of_row(refits: Refits, row: int) -> LongSearch:
    """The longer search for a row, whose key names what it depends on."""
    return LongSearch(refits, row, f"{refits.key} {row} {changing.key()} longer")


def _told(search: LongSearch, allowed: Allowed, toward: int | None, progress: Progress) -> Story:
    data = search.refits.data
    aim = ChangeAim(toward, ChangeLimits(STEPS, SECONDS, progress))
    return story(search.refits.fitted, data, data.X[search.row], allowed, aim)


def draw(search: LongSearch, shown: Story) -> None:
    """Draw the button for it where the proof wanted time, and then how far it is."""
    outcome = watch.found(search.key)
    if outcome is None and st.session_state.get(ASKED) == search.key:
        outcome = watch.outcome(search.work(), beside=True)
    if outcome is None:
        if shown.why_open == TIME:
            label = say("Search for up to {seconds} seconds", seconds=SECONDS)
            st.button(label, icon=":material/manage_search:", on_click=callback(_ask), args=(search.key,))
        return
    if outcome.is_awaited:
        note.progress([Line(search.key, say("The search for the smallest change"), _how_far)])
    note.ended(search.key, outcome, say("The search was stopped: what it had found is shown."))


def _ask(key: str) -> None:
    st.session_state[ASKED] = key


def _how_far(job: Job) -> Far:
    return Far(
        min(job.seconds / SECONDS, 1.0),
        say(
            "Ruling out smaller changes, {seconds} s of at most {most} so far",
            seconds=in_style(f"{job.seconds:.0f}"),
            most=SECONDS,
        ),
    )
