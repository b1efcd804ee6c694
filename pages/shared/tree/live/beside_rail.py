"""What stands beside the rail of the Tree page is a fragment, which runs alone where a control comes to rest.

The rest of a run (the app's frame, the menu, the rail) takes as long as tree, surface and inspector together, and
mostly stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.shared.app import address, embedding, lecture
from pages.shared.app.address import Arrival, Entry
from pages.shared.canvas import stage
from pages.shared.canvas.slider import whole_page
from pages.shared.data import library
from pages.shared.models import learners
from pages.shared.models.common import LEARNER
from pages.shared.tree import explorer
from pages.shared.tree.by_hand import changes
from pages.shared.tree.by_hand.changes import Changed
from pages.shared.tree.pruning import choice, tab
from pages.shared.tree.recurrence import counting
from pages.shared.tree.results import GrownTree

KEY = "beside-rail"  # of the fragment
ARRIVAL = "beside-rail-arrival"  # key of the session state: origin of the values for the run that is meant


def rests(page: str, also: Sequence[str] = ()) -> NoReturn:
    """Have the fragment run, and these (within a callback); the whole page where anything else changes, too."""
    if _all_else_stays(page):
        mean(Arrival(False, []))
        with suppress(StreamlitAPIException):  # a fault has kept the page from drawing it
            st.rerun([*also, KEY])
    whole_page()


def _all_else_stays(page: str) -> bool:
    """Whether the controls, Undo and Redo, the welcome and the link to the page stay as they are."""
    name = address.last(LEARNER, learners.DEFAULT)
    has_own_controls = name in learners.GROWN and not learners.named(name).has_presets
    has_undo = address.can_undo(page) and not address.can_redo(page)
    shows_address = lecture.is_open() or embedding.is_on() or st.session_state.get(stage.WELCOMES)
    return has_own_controls and has_undo and not shows_address


def mean(arrival: Arrival) -> None:
    """Let the fragment draw itself when it runs next, with values of this origin."""
    st.session_state[ARRIVAL] = arrival


def begin(entries: list[Entry]) -> Arrival:
    """Begin the fragment; the whole page runs where something in it was clicked: that may change the rest."""
    arrival = st.session_state.pop(ARRIVAL, None)
    if arrival is None:
        st.rerun(scope="app")
    for entry in entries:
        if entry.key not in st.session_state:  # a slow browser may not know of its widget yet
            st.session_state[entry.key] = address.last(entry.key, entry.default)
    return arrival


def begin_explorer(change: Changed, whole: GrownTree) -> None:
    """Begin the part of the selection; the whole page runs where a click asks for another tree than that drawn."""
    address.hold([*choice.url_entries(), *counting.url_entries(), *changes.url_entries()])
    address.hold([*explorer.url_entries(), *explorer.axes()])  # a run that was cut short has not drawn them
    grown = change.tree
    if changes.text() != change.text or tab.was_taken() or library.is_other(grown.table):
        st.rerun(scope="app")
    explorer.drop_invalid(grown, linked=False)  # the browser may still have the words of another tree's axes
    if choice.is_offered(whole) and changes.changed(choice.pruned(whole)).tree.key != grown.key:
        st.rerun(scope="app")
