"""Why do trees grow by gini, and why does bagging help? Two figures to drag."""

import streamlit as st

from espalier.language import say
from pages.shared.app import address, frame
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import assign, callback
from pages.shared.app.links import one_of
from pages.shared.basics import bagging, impurity
from pages.shared.jobs import compilation

PAGE, VIEW, STAGE = "basics", "basics-view", "forest"
BOTH, FIGURES = "both", {"impurity": impurity, "bagging": bagging}


@frame.guarded
def basics_page() -> None:
    """Draw both figures side by side, or the one that the address names, such as beside the panel of a lesson."""
    entries = [Entry(VIEW, BOTH, one_of([BOTH, *FIGURES]), name="view")]
    for name, figure in FIGURES.items():
        entries += figure.url_entries(Choice(VIEW, (BOTH, name)))
    frame.notes(address.load(PAGE, entries).notes)
    view = st.session_state[VIEW]
    names = list(FIGURES) if view == BOTH else [view]
    with frame.figure_part("view"):
        for column, name in zip(st.columns(len(names), gap="large"), names, strict=True):
            with column:
                if name == "bagging" and not compilation.is_ready(STAGE):
                    compilation.progress(STAGE)
                else:
                    _figure(name, entries)
    if view != BOTH:
        st.button(say("Both figures"), type="tertiary", on_click=callback(assign), args=(VIEW, BOTH))


@st.fragment
@frame.guarded
def _figure(name: str, entries: list[Entry]) -> None:
    """Draw a figure; a drag runs this alone."""
    address.hold([entry for entry in entries if entry.only and name in entry.only.values])
    FIGURES[name].draw()
    address.save(PAGE, entries)


frame.enter()
basics_page()
