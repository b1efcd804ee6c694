"""Why do trees grow by gini, and why does bagging help? Two figures to drag."""

import streamlit as st

from espalier.language import Texts, say
from pages.shared.app import address, embedding, frame
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links.readers import one_of
from pages.shared.basics import bagging, impurity
from pages.shared.jobs import compilation

VIEWS = Texts({"impurity": "Impurity", "bagging": "Bagging"})

PAGE, VIEW, STAGE = "basics", "basics-view", "forest"
FIGURES = {"impurity": impurity, "bagging": bagging}


@frame.guarded
def basics_page() -> None:
    """The choice of the figure, and below it the figure."""
    entries = [Entry(VIEW, "impurity", one_of(FIGURES), name="view")]
    for name, figure in FIGURES.items():
        entries += figure.url_entries(Choice(VIEW, (name,)))
    frame.notes(address.load(PAGE, entries).notes)
    st.subheader(say("Basics: two figures to drag"), anchor=False)
    st.segmented_control(
        say("What is shown"), list(FIGURES), key=VIEW, required=True, format_func=VIEWS.__getitem__,
        label_visibility="collapsed",
    )  # fmt: skip
    with embedding.part("view"):
        if st.session_state[VIEW] == "bagging" and not compilation.is_ready(STAGE):
            compilation.progress(STAGE)
        else:
            shown(entries)


@st.fragment(key="basics figure")
@frame.guarded
def shown(entries: list[Entry]) -> None:
    """Draw the chosen figure; a drag runs this alone."""
    address.hold(entries[1:])  # the choice of the figure is a widget of the page
    FIGURES[st.session_state[VIEW]].draw()
    address.save(PAGE, entries)


frame.enter()
basics_page()
