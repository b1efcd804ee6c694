"""The list of lessons, each a card with a picture; a teacher's own lesson; and what a student answered in one."""

from __future__ import annotations

from urllib.parse import quote, urlsplit, urlunsplit

import pandas as pd
import streamlit as st

from espalier.inert import inert
from espalier.language import say
from espalier.lessons import BUNDLED, Lesson, LessonError
from espalier.lessons.answers import read_answers, safe_text, written_answers
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import lecture, sessions
from pages.shared.app.frame import callback, plain
from pages.shared.lessons import panel
from pages.shared.lessons.panel import Place

PICTURE = "picture.svg"  # beside the texts of a bundled lesson
OWN, UPLOAD, BROUGHT = "lesson-own", "lesson-upload", "lesson-brought"  # keys of widgets; of what came of the file
EXAMPLE = "stopping"  # the lesson that teachers get as a model
MOST_PROBLEMS = 20


def cards(names: list[str]) -> str | None:
    """Draw a card for each lesson; the name of the one that was pressed."""
    with st.container(key="lesson-cards"):
        return next((name for name in [_card(name) for name in names] if name), None)


def _card(name: str) -> str | None:
    """Draw the card of a lesson, all of which is one button; its name if it was pressed."""
    if (lesson := panel.find(name)) is None:
        return None
    now = panel.current_place()
    with st.container(border=True, key=f"lesson-card-{name}"):
        picture = BUNDLED / name / PICTURE
        if picture.is_file():
            st.html(f'<img alt="" src="data:image/svg+xml,{quote(picture.read_text(encoding="utf-8"))}">')
        title = f"{lesson.number} · {safe_text(lesson.title)}" if lesson.number else safe_text(lesson.title)
        pressed = st.button(title, key=f"begin {name}", type="tertiary", help=safe_text(lesson.teaches))
        is_on = now is not None and now.lesson == name
        st.caption(f"**{say('Go on')}**" if is_on else _length(lesson))
    return name if pressed else None


def _length(lesson: Lesson) -> str:
    if not lesson.minutes:
        return say("{n_steps} steps", n_steps=len(lesson.steps))
    return say("{minutes} minutes · {n_steps} steps", minutes=lesson.minutes, n_steps=len(lesson.steps))


# ---- a teacher's own lesson


def bring(pages: list[str]) -> str | None:
    """Draw the way in for a teacher's own lesson, while it is open; the name of one that is to begin."""
    box = st.expander(say("Bring a lesson of your own"), key=OWN, on_change="rerun")
    if not box.open:
        return None
    with box:
        st.caption(
            say("A text file of steps, each with the address of a page; a zip file may hold its German, too.")
        )
        example = (BUNDLED / EXAMPLE / "lesson.toml").read_bytes()
        st.download_button(
            say("A lesson to start from"), example, "lesson.toml", "text/plain", icon=":material/download:"
        )
        if not MAX_UPLOAD_MB:
            return None
        st.file_uploader(
            say("Bring a lesson of your own"), ["toml", "txt", "zip"], key=UPLOAD, max_upload_size=1,
            label_visibility="collapsed", on_change=callback(_take), args=(pages,),
        )  # fmt: skip
        return _outcome()


def _take(pages: list[str]) -> None:
    """Keep the lesson of the file that was just given, or what is wrong with it (a callback)."""
    if (file := sessions.take_file(UPLOAD)) is None:
        return
    try:
        st.session_state[BROUGHT] = panel.bring(*file, pages)
    except LessonError as wrong:
        st.session_state[BROUGHT] = wrong


def _outcome() -> str | None:
    """Say what came of the file; the name of the lesson, if it is to begin."""
    brought = st.session_state.get(BROUGHT)
    if isinstance(brought, LessonError):
        problems = "\n".join(f"- {plain(problem)}" for problem in brought.problems[:MOST_PROBLEMS])
        st.error(say("This lesson cannot be opened yet:\n\n{problems}", problems=problems))
    elif brought and panel.find(brought):
        st.success(say("Your lesson is here. The address of its first step opens it for others, too."))
        return _card(brought)
    return None


# ---- the answers of a lesson: which are right, and the link by which a student hands them in

BY = "by"  # parameter of the URL: who hands in
LONGEST_NAME = 60


def result(name: str, lesson: Lesson) -> None:
    """Draw a lesson with the answers to it that the address has, and the ways on."""
    whose, text = st.query_params.get(BY, "")[:LONGEST_NAME], st.query_params.get(panel.ANSWERS)
    st.subheader(safe_text(lesson.title), anchor=False)
    st.markdown(safe_text(lesson.teaches))
    st.caption(" · ".join(filter(None, (_length(lesson), safe_text(lesson.source)))))
    if text is not None:
        heading = say("Answers of {name}", name=plain(whose)) if whose else say("Your answers")
        st.subheader(heading, anchor=False)
        _answers(name, lesson, read_answers(text), whose)
    with st.container(horizontal=True):
        label = say("Go on") if (panel.current_place() or Place("", 1)).lesson == name else say("Begin")
        if st.button(label, key=f"begin {name}", type="primary" if text is None else "secondary"):
            panel.begin(name)
        if lesson.practice and st.button(say("Exercises that fit this lesson"), icon=":material/edit:"):
            st.switch_page("pages/practice.py", query_params=lesson.practice.parameters)
        st.button(say("All lessons"), icon=":material/school:", on_click=callback(_leave))


def _answers(name: str, lesson: Lesson, given: dict[int, str], whose: str) -> None:
    """Draw each answer beside the right one, and the link that hands them in."""
    if not given:
        st.info(say("No question was answered yet."))
        return
    questions = {n: step.question for n, step in enumerate(lesson.steps, 1) if step.question is not None}
    right = {n for n, question in questions.items() if question.is_right(given.get(n, ""))}
    rows = [
        (
            f":material/{'check' if n in right else 'close'}: {n}",
            safe_text(question.ask),
            plain(inert(question.wording(given.get(n, "")))) or "–",
            safe_text(question.solution()),
        )
        for n, question in questions.items()
    ]
    text = say("**{n_right} of {n_asked}** questions are answered right.", n_right=len(right), n_asked=len(rows))
    st.markdown(text)
    heads = [say("Step"), say("Question"), say("Answer"), say("Right answer")]
    st.table(pd.DataFrame(rows, columns=heads), hide_index=True)
    if whose:
        return
    label = say("Your name, if it is to stand in the link")
    who = st.text_input(label, max_chars=LONGEST_NAME, key="handed in by")
    if st.context.url:
        query = {panel.LESSON: name, panel.ANSWERS: written_answers(given)} | ({BY: who} if who else {})
        page = urlunsplit(urlsplit(st.context.url)._replace(query=""))
        st.caption(say("The link to hand in: it opens this page with your answers."))
        st.code(lecture.link(page, query, lecture.listener()), language=None, wrap_lines=True)


def _leave() -> None:
    """Leave for all lessons (a callback): a link to the same page leaves the browser's address as it was."""
    for name in (panel.LESSON, panel.ANSWERS, BY):
        st.query_params.pop(name, None)
