"""The place of a session in a lesson, which stands in the address of every page, and the way to another one.

``?lesson=stopping&step=3`` opens a step, ``step=3r`` its answer. Beside these stand the page's own settings, which
a student changes; an address without them opens those of the step.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import streamlit as st

from espalier.inert import inert
from espalier.language import say
from espalier.lessons import Lesson, LessonStep, Link
from pages.shared.app import address, language, lecture
from pages.shared.app.frame import callback, plain
from pages.shared.data import library
from pages.shared.practice import choice

LESSON, STEP, ANSWERS = "lesson", "step", "answers"  # parameters of the URL
REVEALED = "r"  # behind the number of a step
PLACE = "lesson-place"  # key of the session state
GIVEN_ANSWERS = "lesson-answers"  # key of the session state: by lesson and number of a step
MOST_ANSWERS = 2_000  # characters
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


def go(place: Place, link: Link, pages: dict[str, st.Page]) -> NoReturn:
    """Open a place of a lesson: this page with exactly these settings."""
    st.session_state[PLACE] = place
    note()
    address.arrive()
    st.session_state.pop(library.CHOSEN, None)
    stays = {key: text for key, text in st.query_params.to_dict().items() if key in KEPT}
    lasting = st.session_state[address.LASTING] | language.parameters()
    st.switch_page(pages[link.page], query_params=link.parameters | stays | lasting)


def link_of(step: LessonStep, revealed: bool) -> Link:
    """The page of a step, or of its answer."""
    return step.reveal.link if revealed and step.reveal and step.reveal.link else step.link


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


def read_answers(text: str) -> dict[int, str]:
    """Answers by step, from their text in an address; what is no answer is left out.

    >>> read_answers("2-1_5-petal%20length_x")
    {2: '1', 5: 'petal length'}
    """
    parts = [part.partition("-") for part in text[:MOST_ANSWERS].split("_")]
    return {
        int(step): unquote(answer) for step, dash, answer in parts if dash and re.fullmatch("[1-9][0-9]?", step)
    }


def written_answers(given: dict[int, str]) -> str:
    """The text of answers in an address.

    >>> written_answers({2: "1", 5: "a_b"})
    '2-1_5-a%5Fb'
    """
    return "_".join(f"{step}-{quote(answer).replace('_', '%5F')}" for step, answer in sorted(given.items()))


def shown(text: str) -> str:
    r"""Markdown of a text that a teacher wrote, safe for others to see.

    >>> shown("**Look** at [this](http://x.example) <b>:red[a]")
    '**Look** at \\[this\\](http\u200b://x.example) \\<b>\\:red\\[a\\]'
    """
    escaped = re.sub(r"([\[\]<])", r"\\\1", text)
    return re.sub(r":(?=[a-z])", r"\\:", escaped).replace("://", "\u200b://")


# ---- the answers of a lesson: which are right, and the link by which a student hands them in

BY = "by"  # parameter of the URL: who hands in
LONGEST_NAME = 60


def draw(name: str, lesson: Lesson, given: dict[int, str]) -> None:
    """The answers that an address has, each with the right one, and the link that hands them in."""
    asked = {n: step for n, step in enumerate(lesson.steps, 1) if step.question}
    whose = st.query_params.get(BY, "")[:LONGEST_NAME]
    st.subheader(_answers_heading(plain(whose)) if whose else say("Your answers"), anchor=False)
    if not given:
        st.info(say("No question was answered yet."))
        return
    right = {n: step.question.is_right(given.get(n, "")) for n, step in asked.items() if step.question}
    st.markdown(
        say(
            "**{n_right} of {n_asked}** questions are answered right.",
            n_right=sum(right.values()),
            n_asked=len(right),
        )
    )
    for n, step in asked.items():
        assert step.question is not None
        answer = inert(step.question.wording(given.get(n, ""))) or "–"
        with st.container(border=True):
            mark = ":material/check:" if right[n] else ":material/close:"
            st.markdown(f"{mark} **{n} · {shown(step.title)}**  \n{shown(step.question.ask)}")
            solution = (
                ""
                if right[n]
                else (
                    " · "
                    + (say("Step"), say("Question"), say("Answer"), say("Right answer"), "")[3]
                    + f": {shown(step.question.solution())}"
                )
            )
            st.caption(
                (say("Step"), say("Question"), say("Answer"), say("Right answer"), "")[2]
                + f": {plain(answer)}{solution}"
            )
    if not whose:
        _link(name, given)


def _link(name: str, given: dict[int, str]) -> None:
    """The link to hand in, with a name if the student gives one."""
    who = st.text_input(
        say("Your name, if it is to stand in the link"), max_chars=LONGEST_NAME, key="handed in by"
    )
    if not st.context.url:
        return
    query = {LESSON: name, ANSWERS: written_answers(given)} | ({BY: who} if who else {})
    page = urlunsplit(urlsplit(st.context.url)._replace(query=""))
    st.caption(say("The link to hand in: it opens this page with your answers."))
    st.code(lecture.link(page, query, lecture.listener()), language=None, wrap_lines=True)


def ways_on(lesson: Lesson) -> None:
    """Draw the ways to exercises that fit the lesson, and to all lessons."""
    with st.container(horizontal=True):
        if lesson.practice:
            st.button(
                say("Exercises that fit this lesson"),
                icon=":material/edit:",
                type="primary",
                on_click=callback(leave_for),
                args=(lesson.practice.parameters,),
            )
        st.button(say("All lessons"), icon=":material/school:", on_click=callback(leave_for), args=({},))


def leave_for(parameters: dict[str, str]) -> None:
    """Leave the lesson for what these parameters of the page say (a callback).

    A link would do, but one to the page that it stands on leaves the browser's address as it was.
    """
    entries = choice.entries()
    linked, _ = address.parsed(parameters, entries)
    st.session_state.update({entry.key: entry.default for entry in entries} | linked)
    for name in (LESSON, ANSWERS, BY):
        st.query_params.pop(name, None)


def _answers_heading(name: str) -> str:
    """Heading of answers that were handed in."""
    return say("Answers of {name}", name=name) if name else say("Answers")
