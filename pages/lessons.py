"""What can one learn here? Lessons over the pages of the app, and what students hand in."""

import streamlit as st

from pages.shared.app import address, frame
from pages.shared.lessons import handing_in, listing, panel, place, shelf
from pages.shared.words import lessons as words

PAGE = "lessons"


@frame.guarded
def lessons_page() -> None:
    """Draw one lesson with the answers to it, where the address names one, else all of them."""
    frame.notes(address.load(PAGE, []).notes)
    name = st.query_params.get(place.LESSON)
    lesson = shelf.find(name) if name else None
    if name and lesson:
        with st.container(border=True):
            pressed = name if listing.card(name, lesson) else None
        if (given := st.query_params.get(place.ANSWERS)) is not None:
            handing_in.draw(name, lesson, place.read_answers(given))
        st.page_link("pages/lessons.py", label=words.ALL, icon=":material/school:")
    else:
        if name:
            st.warning(words.NO_SUCH_LESSON, icon=":material/school:")
        st.header(words.TITLE, anchor=False)
        st.markdown(words.INTRODUCTION)
        pressed = listing.cards(shelf.bundled()) or listing.bring(panel.paths())
    if pressed:
        panel.begin(pressed)


frame.enter()
lessons_page()
