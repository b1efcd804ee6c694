"""What can one learn here? Lessons over the pages of the app, and what students hand in."""

import streamlit as st

from espalier.language import say
from pages.shared.app import address, frame, links
from pages.shared.lessons import listing, panel

PAGE, PRACTICE = "lessons", "practice"  # which was a view of this page


@frame.guarded
def lessons_page() -> None:
    """Draw one lesson with the answers to it, where the address names one, else all of them."""
    given = st.query_params.to_dict()
    if given.pop("view", "") == PRACTICE:
        st.switch_page("pages/practice.py", query_params=given)
    entries = [links.gone_entry("lessons-view", say("Practice is a page of its own"))._replace(name="view")]
    frame.notes(address.load(PAGE, entries).notes)
    name = None if panel.STEP in given else given.get(panel.LESSON)  # with a step: where the session is
    lesson = panel.find(name) if name else None
    if name and lesson:
        listing.result(name, lesson)
        return
    if name:
        st.warning(say(panel.NO_SUCH_LESSON), icon=":material/school:")
    with st.container(key="page heading"):
        st.subheader(say("What can a tree teach?"), anchor=False)
    st.caption(say("First predict, then see, then change it yourself."))
    pressed = listing.cards(panel.bundled()) or listing.bring(panel.paths())
    address.save(PAGE, entries)
    if pressed:
        panel.begin(pressed)


frame.enter()
lessons_page()
