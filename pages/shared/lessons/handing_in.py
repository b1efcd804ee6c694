"""The answers of a lesson: which are right, and the link by which a student hands them in."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from espalier.inert import inert
from espalier.language import say
from espalier.lessons import Lesson
from pages.shared.app import address, lecture
from pages.shared.app.frame import callback, plain
from pages.shared.lessons import place
from pages.shared.lessons.plain import shown
from pages.shared.practice import choice

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
        answer = inert(step.question.in_words(given.get(n, ""))) or "–"
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
    query = {place.LESSON: name, place.ANSWERS: place.written_answers(given)} | ({BY: who} if who else {})
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
    for name in (place.LESSON, place.ANSWERS, BY):
        st.query_params.pop(name, None)


def _answers_heading(name: str) -> str:
    """Heading of answers that were handed in."""
    return say("Answers of {name}", name=name) if name else say("Answers")
