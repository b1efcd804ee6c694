"""What can one learn here? Lessons over the pages of the app, and what students hand in."""

import streamlit as st

from espalier.language import say
from pages.shared.app import address, frame
from pages.shared.lessons import listing, panel, place
from pages.shared.practice import choice, collection, course

PAGE = "lessons"


@frame.guarded
def lessons_page() -> None:
    """Draw one lesson with the answers to it, where the address names one, else all of them."""
    entries = choice.entries()
    frame.notes(address.load(PAGE, entries).notes)
    name = st.query_params.get(place.LESSON)
    lesson = panel.find(name) if name else None
    if name and lesson:
        with st.container(border=True):
            pressed = name if listing.card(name, lesson) else None
        if (given := st.query_params.get(place.ANSWERS)) is not None:
            place.draw(name, lesson, place.read_answers(given))
        place.ways_on(lesson)
    else:
        if name:
            st.warning(say(panel.NO_SUCH_LESSON), icon=":material/school:")
        pressed = listing_or_practice()
        address.save(PAGE, entries)
    if pressed:
        panel.begin(pressed)


def listing_or_practice() -> str | None:
    """Draw all lessons, or the exercises; the name of a lesson that is to begin."""
    names = {choice.LESSONS: say("Lessons"), choice.PRACTICE: say("Practice")}
    st.header(names[st.session_state[choice.VIEW]], anchor=False)
    st.segmented_control(
        say("What is shown"), list(names), key=choice.VIEW, required=True, format_func=names.__getitem__,
        label_visibility="collapsed",
    )  # fmt: skip
    if st.session_state[choice.VIEW] == choice.PRACTICE:
        course.draw()
        collection.draw()
        return None
    st.markdown(
        say(
            "Short paths over the pages of this app. First you predict, then the page shows what "
            "happens, then you change it. The panel beside the page leads on; everything on the "
            "page can be used meanwhile."
        )
    )
    return listing.cards(panel.bundled()) or listing.bring(panel.paths())


frame.enter()
lessons_page()
