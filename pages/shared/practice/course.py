"""Ten exercises one after the other: the one that is on, the answers so far, and the file of them at the end."""

from __future__ import annotations

import time
from typing import NamedTuple

import streamlit as st

from espalier.language import say
from espalier.practice import exercise, series
from espalier.practice.results import GivenAnswer, is_right, to_json
from pages.shared.app.frame import callback
from pages.shared.jobs import compilation
from pages.shared.practice import card, choice, sentences
from pages.shared.practice.choice import Course

N_EXERCISES = 10
STAGES = ("cart", "forest", "optimal")  # whose kernels give the right answers
WORK = "practice-work"  # key of the session state


class CourseWork(NamedTuple):
    """What a person has done of a course."""

    course: Course
    answers: tuple[GivenAnswer, ...] = ()
    place: int = 0  # of the exercise that is on
    since: float = 0.0  # seconds, when it came

    @property
    def is_answered(self) -> bool:
        """Whether the exercise that is on has its answer."""
        return len(self.answers) > self.place


def draw() -> None:
    """Draw the controls, the exercise that is on, and the file of results."""
    st.markdown(
        say(
            "Ten exercises for paper and pencil, checked at once. The address has their kinds, "
            "level and seed: whoever opens it gets the same ones. Your answers are not in it."
        )
    )
    course = choice.draw()
    for stage in STAGES:
        if not compilation.is_ready(stage):
            compilation.progress(stage)
            return
    work = st.session_state.get(WORK)
    if work is None or work.course != course:
        work = st.session_state[WORK] = CourseWork(course, since=time.monotonic())
    if work.place < N_EXERCISES:
        with st.container(border=True):
            _exercise(work)
    else:
        st.success(
            say(
                "**{n_right} of {n_asked}** exercises are answered right.",
                n_right=_n_right(work),
                n_asked=N_EXERCISES,
            ),
            icon=":material/flag:",
        )
    if work.answers:
        _file(work)


def _exercise(work: CourseWork) -> None:
    kind, seed = series(work.course.kinds, work.course.seed)[work.place], 100 * work.course.seed + work.place
    one = exercise(kind, work.course.level, seed)
    st.caption(
        say(
            "{kind} · exercise {n} of {n_exercises} · {n_right} right so far",
            kind=sentences.KINDS[kind],
            n=work.place + 1,
            n_exercises=N_EXERCISES,
            n_right=_n_right(work),
        )
    )
    st.markdown(f"**{one.ask}**")
    card.figure(one)
    key = f"exercise {work.course} {work.place}"
    if not work.is_answered and (said := card.ask(one, key)) is not None:
        given = GivenAnswer(kind, work.course.level, seed, said, False, round(time.monotonic() - work.since, 1))
        st.session_state[WORK] = work._replace(answers=(*work.answers, given._replace(is_right=is_right(given))))
        st.rerun()
    if work.is_answered:
        card.outcome(one, work.answers[work.place])
        st.button(say("Next"), on_click=callback(go_on), type="primary", shortcut="Ctrl+Enter")


def go_on() -> None:
    """Go to the next exercise (a callback)."""
    work = st.session_state[WORK]
    st.session_state[WORK] = work._replace(place=work.place + 1, since=time.monotonic())


def _n_right(work: CourseWork) -> int:
    return sum(answer.is_right for answer in work.answers)


def _file(work: CourseWork) -> None:
    with st.expander(say("Save your results"), expanded=work.place >= N_EXERCISES):
        st.caption(say("A small file with your answers, to hand in. The server keeps nothing."))
        name = st.text_input(say("Your name, if it is to stand in the file"), key="practice-name", max_chars=60)
        content = to_json(name, work.answers)
        st.download_button(
            say("Save your results"), content, say("practice.json"), "application/json", icon=":material/download:"
        )
