"""The place of a session in a lesson, which stands in the address of every page, and the way to another one.

``?lesson=stopping&step=3`` opens a step, ``step=3r`` its answer. Beside these stand the page's own settings, which
a student changes; an address without them opens those of the step.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

import streamlit as st

from espalier.lessons import Lesson, Link
from espalier.lessons.answers import read_answers, written_answers
from pages.shared.app import address, language
from pages.shared.data import library

LESSON, STEP, ANSWERS = "lesson", "step", "answers"  # parameters of the URL
REVEALED = "r"  # behind the number of a step
PLACE = "lesson-place"  # key of the session state
GIVEN_ANSWERS = "lesson-answers"  # key of the session state: by lesson and number of a step
KEPT = ("lang", "embed", "embed_options", "present")  # parameters that are of no page


class Place(NamedTuple):
    """A step of a lesson, counted from 1, and whether its answer is shown."""

    lesson: str
    step: int
    revealed: bool = False

    @property
    def text(self) -> str:
        """The step in the address."""
        return f"{self.step}{REVEALED * self.revealed}"


def current() -> Place | None:
    """The session's place; None outside of lessons."""
    return st.session_state.get(PLACE)


def arrival() -> Place | None:
    """The place of a link that was just opened; None if the session is there already, or none is named."""
    name, step = st.query_params.get(LESSON), st.query_params.get(STEP, "")
    if not name or not step:
        return None
    found = re.fullmatch("([1-9][0-9]?)(r?)", step)
    there = Place(name, int(found[1]), bool(found[2])) if found else Place(name, 1)
    return None if there == current() else there


def take(place: Place) -> None:
    """Be at this place from now on; answers of the link count."""
    st.session_state[PLACE] = place
    if (given := st.query_params.get(ANSWERS)) is not None:
        answers()[place.lesson] = read_answers(given)
    note()


def note() -> None:
    """Have every page's address say where the session is, and what was answered."""
    place = current()
    lasting = {} if place is None else {LESSON: place.lesson, STEP: place.text}
    given = answers().get(place.lesson) if place else None
    st.session_state[address.LASTING] = lasting | ({ANSWERS: written_answers(given)} if given else {})


def is_bare() -> bool:
    """Whether the address has no settings of a page."""
    return not st.query_params.to_dict().keys() - {LESSON, STEP, ANSWERS, *KEPT}


def leave() -> None:
    """End the lesson (a callback); the page stays as it is."""
    st.session_state.pop(PLACE, None)
    note()
    for name in (LESSON, STEP, ANSWERS):
        st.query_params.pop(name, None)


def go(place: Place, link: Link, page: st.Page) -> NoReturn:
    """Open a place of a lesson: a page with exactly the settings of this link."""
    st.session_state[PLACE] = place
    note()
    address.arrive()
    st.session_state.pop(library.CHOSEN, None)
    stays = {key: text for key, text in st.query_params.to_dict().items() if key in KEPT}
    lasting = st.session_state[address.LASTING] | language.parameters()
    st.switch_page(page, query_params=link.parameters | stays | lasting)


def before(place: Place, lesson: Lesson) -> Place | None:
    """The place before this one; None at the beginning."""
    if place.revealed:
        return place._replace(revealed=False)
    if place.step == 1:
        return None
    return Place(place.lesson, place.step - 1, lesson.steps[place.step - 2].reveal is not None)


def after(place: Place, lesson: Lesson) -> Place | None:
    """The place after this one: first the answer, then the next step; None at the end."""
    if not place.revealed and lesson.steps[place.step - 1].reveal:
        return place._replace(revealed=True)
    return Place(place.lesson, place.step + 1) if place.step < len(lesson.steps) else None


def answers() -> dict[str, dict[int, str]]:
    """The session's answers, by lesson and number of the step."""
    return st.session_state.setdefault(GIVEN_ANSWERS, {})


def answer_at(place: Place) -> str:
    """The answer so far to the question of a step; empty while there is none."""
    return answers().get(place.lesson, {}).get(place.step, "")
