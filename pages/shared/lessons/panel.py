"""The panel of a lesson beside the page of its step: text, question, and the way back and on."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import streamlit as st

from espalier.language import say, spoken, to_say
from espalier.lessons import (
    BUNDLED,
    Lesson,
    LessonError,
    Link,
    from_folder,
    from_text,
    from_zip,
    lesson_in,
    names,
)
from espalier.lessons.answers import read_answers, safe_text, written_answers
from espalier.lessons.questions import (
    AnyQuestion,
    ChoiceQuestion,
    NumberQuestion,
    PageQuestion,
    SketchQuestion,
    SliderQuestion,
    heights_of,
)
from espalier.lessons.reading import NOT_TRANSLATED, problems_of
from pages.shared.app import address, language
from pages.shared.app.address import text_of
from pages.shared.app.frame import callback, guarded
from pages.shared.app.store import Store
from pages.shared.canvas.components import mount
from pages.shared.data import library

MOST_BROUGHT = 200


@st.cache_resource(show_spinner=False)
def _brought() -> Store[dict[str, str]]:
    """The texts of lessons that were brought, by name."""
    return Store(MOST_BROUGHT, lasts=True)


def find(name: str) -> Lesson | None:
    """The lesson of this name in the language that is spoken; None where there is no such lesson."""
    if name in bundled():
        return _read(name, spoken())
    texts = _brought().find(name)
    return None if texts is None else lesson_in(texts, spoken())


@functools.cache
def bundled() -> list[str]:
    """Names of the bundled lessons, in the order of a course."""
    return names()


@functools.cache
def _read(name: str, language: str) -> Lesson:
    return lesson_in(from_folder(BUNDLED / name), language)


def bring(content: bytes, filename: str, pages: list[str]) -> str:
    """Keep the lesson of a file; its name in links. Raises LessonError with all that is wrong with it."""
    texts = from_zip(content) if filename.lower().endswith(".zip") else from_text(content)
    problems = [one for one in problems_of(texts, pages) if not one.endswith(NOT_TRANSLATED)]  # English is shown
    if problems:
        raise LessonError(*problems)
    return keep(texts)


def keep(texts: Mapping[str, str]) -> str:
    """Keep the texts of a lesson by language; its name in links."""
    name = hashlib.sha256(json.dumps(dict(texts), sort_keys=True).encode()).hexdigest()[:12]
    _brought().find_or_put(name, lambda: dict(texts))
    return name


NO_SUCH_LESSON = to_say("The link names a lesson that is not on this server. Its teacher may bring it again.")


# ---- the questions of lessons as widgets

_component = mount("sketch")
LONGEST = 400  # characters that the browser sends


def _ask(question: AnyQuestion, key: str, answer: str, is_over: bool) -> str:
    """Draw the widget of a question; the answer as a text, empty while there is none."""
    if isinstance(question, PageQuestion):
        return answer if is_over else st.query_params.get(question.parameter) or question.unset
    if isinstance(question, SketchQuestion):
        return _sketch(question, key, answer, is_over)
    terms: dict[str, Any] = {"key": key, "disabled": is_over, "label_visibility": "collapsed"}
    label = say("Answer", context="button")
    if isinstance(question, ChoiceQuestion):
        options = [str(n) for n in range(1, len(question.choices) + 1)]
        terms["index"] = options.index(answer) if answer in options else None
        return (
            st.radio(label, options, format_func=lambda n: safe_text(question.choices[int(n) - 1]), **terms) or ""
        )
    if isinstance(question, NumberQuestion):
        return st.text_input(label, answer, max_chars=20, placeholder=say("a number"), **terms).strip()
    assert isinstance(question, SliderQuestion)
    ends = (float(question.low), float(question.high), float(question.by))
    number = int if all(end.is_integer() for end in ends) else float
    low, high, by = map(number, ends)
    start = min(max(number(float(answer)), low), high) if answer else low
    return text_of(st.slider(label, low, high, start, by, **terms))


def _sketch(question: SketchQuestion, key: str, answer: str, is_over: bool) -> str:
    """Draw the sketch; the heights that stand there as a text. If it `is_over`, the true curve is there, too."""
    state: Any = st.session_state.get(key)
    sent = state.get("drawn") if hasattr(state, "get") else None
    drawn = sent if isinstance(sent, str) and sent and len(sent) <= LONGEST and not is_over else answer
    heights = heights_of(drawn)
    if len(heights) != len(question.answer):
        heights = [(question.low + question.high) / 2] * len(question.answer)
    within = [min(max(height, question.low), question.high) for height in heights]
    data = {
        "id": key,
        "across": question.across,
        "low": question.low,
        "high": question.high,
        "heights": within,
        "over": is_over,
        "truth": question.answer if is_over else None,
        "alt": say(
            "Sketch with a point to drag at each of {across}; heights {heights}",
            across=", ".join(question.across),
            heights=" · ".join(f"{height:g}" for height in within),
        ),
    }
    _component(data, key=key, on_drawn_change=callback(lambda: None))  # the run reads what was drawn
    if is_over:
        st.caption(f"━ {say('yours')} · ╍ {say('as it is')}")
    return drawn


# ---- the panel of a lesson beside the page of its step: text, question, and the way back and on

LIST = "lessons"  # path of the page with all lessons
PAGES = "lesson-pages"  # key of the session state: all pages by their paths, for the page that begins a lesson


@guarded
def draw(page: st.Page, pages: Sequence[st.Page]) -> None:
    """Draw the panel of the lesson that the address or the session is in, if any, beside any page but the list."""
    st.session_state[PAGES] = {one.url_path: one for one in pages}
    if page.url_path == LIST:
        return
    if st.session_state[address.WALKED] and LESSON not in st.query_params:
        leave_lesson()  # the browser has gone back to before the lesson
    if LESSON not in st.query_params and st.session_state.get(PLACE) is None:
        return
    there = arriving_place()
    lesson = find(there.lesson if there else (current_place() or Place("", 1)).lesson)
    if there and lesson:
        take_place(there._replace(step=min(there.step, len(lesson.steps))))
        if is_bare_address():
            open_place(current_place() or there, lesson)
    now = current_place()
    if there and lesson is None:
        st.warning(say(NO_SUCH_LESSON), icon=":material/school:")
    if now is None or lesson is None:
        return
    with st.container(key="lesson"):
        _panel(now, lesson)


def paths() -> list[str]:
    """Paths of the pages that a lesson can show."""
    return [path for path in st.session_state.get(PAGES, {}) if path != LIST]


def begin(name: str) -> None:
    """Open the lesson of this name where the session is in it, else at its first step."""
    now, lesson = current_place(), find(name)
    if lesson:
        there = now if now and now.lesson == name else Place(name, 1)
        open_place(there, lesson)


def open_place(at: Place, lesson: Lesson) -> NoReturn:
    """Open the page of a place with exactly the settings of its step, or of its answer."""
    step = lesson.steps[at.step - 1]
    link = step.reveal.link if at.revealed and step.reveal and step.reveal.link else step.link
    go_to(at, link, st.session_state[PAGES][link.page])


@st.fragment(key="lesson panel")
@guarded
def _panel(at: Place, lesson: Lesson) -> None:
    """Draw one step; an answer runs this alone."""
    step, before = lesson.steps[at.step - 1], answer_at(at)
    question = step.question
    with st.container(horizontal=True, vertical_alignment="top", wrap=False, gap="xsmall"):
        progress = say(
            "{lesson} · step {step} of {n_steps}",
            lesson=safe_text(lesson.title),
            step=at.step,
            n_steps=len(lesson.steps),
        )
        st.markdown(f"#### {safe_text(step.title)}\n:small[{progress}]", width="stretch")
        st.button(
            say("End the lesson"), icon=":material/close:", help=say("End the lesson; the page stays as it is"),
            key="leave lesson", type="tertiary", on_click=callback(leave_lesson),
        )  # fmt: skip
    st.markdown(safe_text(step.reveal.text if at.revealed and step.reveal else step.text))
    answer, verdict = "", st.container()
    if question:
        with verdict:
            if not at.revealed:
                st.markdown(f"**{safe_text(question.ask)}**")
            if not at.revealed or before:
                answer = _ask(question, f"answer {at.lesson} {at.step} {at.revealed}", before, at.revealed)
    if step.change and (at.revealed or not step.reveal):
        st.markdown(f"**{say('Change it yourself.')}** {safe_text(step.change)}")
    if step.source:
        st.caption(safe_text(step.source))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="lesson-ways"):
        back = st.container(horizontal=True, gap="xsmall", width="content")
        on = st.container(horizontal=True, horizontal_alignment="right", gap="xsmall")
    with on:
        if question and not at.revealed:
            _draw_answer(at, lesson, answer)
        _draw_way_on(at, lesson)
    with back:
        last, icon = place_before(at, lesson), ":material/arrow_back:"
        if st.button(say("Back"), icon=icon, key="lesson-back", disabled=last is None) and last:
            open_place(last, lesson)
        tip, icon = say("The page as this step has it"), ":material/restart_alt:"
        if st.button(say("Reset"), icon=icon, key="lesson-again", help=tip):
            open_place(at, lesson)
    if question and (given := answer_at(at)):
        is_right = question.is_right(given)
        text, icon = (question.right, "check") if is_right else (question.wrong, "close")
        (verdict.success if is_right else verdict.info)(safe_text(text), icon=f":material/{icon}:")


def _draw_answer(at: Place, lesson: Lesson, answer: str) -> None:
    """Draw the strong button of a step that asks: whoever has predicted nothing learns little."""
    strength = "secondary" if answer_at(at) else "primary"
    if st.button(say("Answer", context="button"), key="give answer", type=strength, disabled=not answer):
        answers_given().setdefault(at.lesson, {})[at.step] = answer
        note_place()
        st.query_params[ANSWERS] = written_answers(answers_given()[at.lesson])
        if lesson.steps[at.step - 1].reveal:
            open_place(at._replace(revealed=True), lesson)


def _draw_way_on(at: Place, lesson: Lesson) -> None:
    """Draw the way on, quiet while a question waits for its answer; at the end it leads to what was answered."""
    waits = lesson.steps[at.step - 1].question is not None and not at.revealed and not answer_at(at)
    on = place_after(at, lesson)
    label = say("To the result") if on is None else say("Show me") if on.revealed else say("Next")
    if not st.button(label, key="lesson-on", type="tertiary" if waits else "primary"):
        return
    if on is not None:
        open_place(on, lesson)
    answers = written_answers(answers_given().get(at.lesson, {}))
    leave_lesson()
    st.switch_page(st.session_state[PAGES][LIST], query_params={LESSON: at.lesson, ANSWERS: answers})


# ---- the place of a session in a lesson, which stands in the address of every page: ``?lesson=stopping&step=3``
# opens a step, ``step=3r`` its answer. Beside these stand the page's own settings, which a student changes; an
# address without them opens those of the step

LESSON, STEP, ANSWERS = "lesson", "step", "answers"  # parameters of the URL
REVEALED = "r"  # behind the number of a step
PLACE = "lesson-place"  # key of the session state
GIVEN_ANSWERS = "lesson-answers"  # key of the session state: by lesson and number of a step
KEPT_PARAMETERS = ("lang", "embed", "embed_options", "present")  # parameters that are of no page


class Place(NamedTuple):
    """A step of a lesson, counted from 1, and whether its answer is shown."""

    lesson: str
    step: int
    revealed: bool = False

    @property
    def text(self) -> str:
        """The step in the address."""
        return f"{self.step}{REVEALED * self.revealed}"


def current_place() -> Place | None:
    """The session's place; None outside of lessons."""
    return st.session_state.get(PLACE)


def arriving_place() -> Place | None:
    """The place of a link that was just opened; None if the session is there already, or none is named."""
    name, step = st.query_params.get(LESSON), st.query_params.get(STEP, "")
    if not name or not step:
        return None
    found = re.fullmatch("([1-9][0-9]?)(r?)", step)
    there = Place(name, int(found[1]), bool(found[2])) if found else Place(name, 1)
    return None if there == current_place() else there


def take_place(place: Place) -> None:
    """Be at this place from now on; answers of the link count."""
    st.session_state[PLACE] = place
    if (given := st.query_params.get(ANSWERS)) is not None:
        answers_given()[place.lesson] = read_answers(given)
    note_place()


def note_place() -> None:
    """Have every page's address say where the session is, and what was answered."""
    place = current_place()
    lasting = {} if place is None else {LESSON: place.lesson, STEP: place.text}
    given = answers_given().get(place.lesson) if place else None
    st.session_state[address.LASTING] = lasting | ({ANSWERS: written_answers(given)} if given else {})


def is_bare_address() -> bool:
    """Whether the address has no settings of a page."""
    return not st.query_params.to_dict().keys() - {LESSON, STEP, ANSWERS, *KEPT_PARAMETERS}


def leave_lesson() -> None:
    """End the lesson (a callback); the page stays as it is."""
    st.session_state.pop(PLACE, None)
    note_place()
    for name in (LESSON, STEP, ANSWERS):
        st.query_params.pop(name, None)


def go_to(place: Place, link: Link, page: st.Page) -> NoReturn:
    """Open a place of a lesson: a page with exactly the settings of this link."""
    st.session_state[PLACE] = place
    note_place()
    address.arrive()
    st.session_state.pop(library.CHOSEN, None)
    stays = {key: text for key, text in st.query_params.to_dict().items() if key in KEPT_PARAMETERS}
    lasting = st.session_state[address.LASTING] | language.parameters()
    st.switch_page(page, query_params=link.parameters | stays | lasting)


def place_before(place: Place, lesson: Lesson) -> Place | None:
    """The place before this one; None at the beginning."""
    if place.revealed:
        return place._replace(revealed=False)
    if place.step == 1:
        return None
    return Place(place.lesson, place.step - 1, lesson.steps[place.step - 2].reveal is not None)


def place_after(place: Place, lesson: Lesson) -> Place | None:
    """The place after this one: first the answer, then the next step; None at the end."""
    if not place.revealed and lesson.steps[place.step - 1].reveal:
        return place._replace(revealed=True)
    return Place(place.lesson, place.step + 1) if place.step < len(lesson.steps) else None


def answers_given() -> dict[str, dict[int, str]]:
    """The session's answers, by lesson and number of the step."""
    return st.session_state.setdefault(GIVEN_ANSWERS, {})


def answer_at(place: Place) -> str:
    """The answer so far to the question of a step; empty while there is none."""
    return answers_given().get(place.lesson, {}).get(place.step, "")
