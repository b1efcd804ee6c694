"""The panel of a lesson beside the page of its step: text, question, and the way back and on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from espalier.language import say
from espalier.lessons import Lesson, LessonStep
from espalier.paths import ASSETS
from pages.shared.app.frame import callback, guarded
from pages.shared.lessons import asking, place, sentences, shelf
from pages.shared.lessons.place import Place
from pages.shared.lessons.plain import shown

LIST = "lessons"  # path of the page with all lessons
PAGES = "lesson-pages"  # key of the session state: all pages by their paths, for the page that begins a lesson


class Scene(NamedTuple):
    """A place in a lesson, with what belongs to it, and all pages by their paths."""

    place: Place
    lesson: Lesson
    pages: dict[str, st.Page]

    @property
    def step(self) -> LessonStep:
        """The step of the place."""
        return self.lesson.steps[self.place.step - 1]

    @property
    def answer(self) -> str:
        """The answer so far; empty while there is none."""
        return place.answers().get(self.place.lesson, {}).get(self.place.step, "")


@guarded
def draw(page: st.Page, pages: Sequence[st.Page]) -> None:
    """Draw the panel of the lesson that the address or the session is in, if any, beside any page but the list."""
    st.session_state[PAGES] = by_path = {one.url_path: one for one in pages}
    if page.url_path == LIST:
        return
    there = place.arrival()
    lesson = shelf.find(there.lesson if there else (place.current() or Place("", 1)).lesson)
    if there and lesson:
        place.take(there._replace(step=min(there.step, len(lesson.steps))))
        if place.is_bare():
            open_place(Scene(place.current() or there, lesson, by_path))
    now = place.current()
    if there and lesson is None:
        st.warning(say(sentences.NO_SUCH_LESSON), icon=":material/school:")
    if now is None or lesson is None:
        return
    st.html(ASSETS / "lesson.css")
    with st.container(key="lesson"):
        _panel(Scene(now, lesson, by_path))


def paths() -> list[str]:
    """Paths of the pages that a lesson can show."""
    return [path for path in st.session_state.get(PAGES, {}) if path != LIST]


def begin(name: str) -> None:
    """Open the lesson of this name where the session is in it, else at its first step."""
    now, lesson = place.current(), shelf.find(name)
    if lesson:
        there = now if now and now.lesson == name else Place(name, 1)
        open_place(Scene(there, lesson, st.session_state[PAGES]))


def open_place(scene: Scene) -> None:
    """Open the page of a place, as its step has it."""
    place.go(scene.place, place.link_of(scene.step, scene.place.revealed), scene.pages)


@st.fragment(key="lesson panel")
@guarded
def _panel(scene: Scene) -> None:
    """Draw one step; an answer runs this alone."""
    step, at = scene.step, scene.place
    _heading(scene)
    st.markdown(shown(step.reveal.text if at.revealed and step.reveal else step.text))
    if step.question:
        _question(scene)
    if step.change and (at.revealed or not step.reveal):
        st.markdown(f"**{say('Change it yourself.')}** {shown(step.change)}")
    _ways(scene)
    if step.source:
        st.caption(shown(step.source))


def _heading(scene: Scene) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(
            say(
                "{lesson} · step {step} of {n_steps}",
                lesson=shown(scene.lesson.title),
                step=scene.place.step,
                n_steps=len(scene.lesson.steps),
            )
        )
        st.button(
            "",
            icon=":material/close:",
            help=say("End the lesson; the page stays as it is"),
            key="leave lesson",
            type="tertiary",
            on_click=callback(place.leave),
        )
    st.markdown(f"#### {shown(scene.step.title)}")


def _question(scene: Scene) -> None:
    question, at = scene.step.question, scene.place
    assert question is not None
    if not at.revealed:
        st.markdown(f"**{shown(question.ask)}**")
    key = f"answer {at.lesson} {at.step} {at.revealed}"
    answer = asking.ask(question, key, scene.answer, at.revealed) if not at.revealed or scene.answer else ""
    if not at.revealed and st.button(say("Answer", context="button"), key="give answer", disabled=not answer):
        place.answers().setdefault(at.lesson, {})[at.step] = answer
        place.note()
        st.query_params[place.ANSWERS] = place.written_answers(place.answers()[at.lesson])
        if scene.step.reveal:
            open_place(scene._replace(place=at._replace(revealed=True)))
    if given := scene.answer:
        is_right = question.is_right(given)
        said = shown(question.right if is_right else question.wrong)
        (st.success if is_right else st.info)(said, icon=":material/check:" if is_right else ":material/close:")


def _ways(scene: Scene) -> None:
    back, on = place.before(scene.place, scene.lesson), place.after(scene.place, scene.lesson)
    with st.container(horizontal=True, key="lesson-ways"):
        if st.button(say("Back"), key="lesson-back", disabled=back is None) and back:
            open_place(scene._replace(place=back))
        if st.button(
            say("Reset"),
            icon=":material/restart_alt:",
            key="lesson-again",
            help=say("The page as this step has it"),
        ):
            open_place(scene)
        label = say("To the result") if on is None else say("Show me") if on.revealed else say("Next")
        if st.button(label, key="lesson-on", type="primary"):
            if on is None:
                end(scene)
            open_place(scene._replace(place=on))


def end(scene: Scene) -> None:
    """Leave for the list of lessons, which shows what was answered."""
    answers = place.written_answers(place.answers().get(scene.place.lesson, {}))
    place.leave()
    st.switch_page(scene.pages[LIST], query_params={place.LESSON: scene.place.lesson, place.ANSWERS: answers})
