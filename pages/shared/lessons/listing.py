"""The list of lessons: what each teaches, how long it is, and the way in; and a teacher's own lesson."""

from __future__ import annotations

import streamlit as st

from espalier.lessons import BUNDLED, Lesson, LessonError
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, plain
from pages.shared.lessons import links, place, shelf
from pages.shared.lessons.plain import shown
from pages.shared.words import lessons as words

ABREAST = 2
UPLOAD, BROUGHT = "lesson-upload", "lesson-brought"  # keys of the widget, and of what came of it
EXAMPLE = "stopping"  # the lesson that teachers get as a model


def cards(names: list[str]) -> str | None:
    """Draw a card for each lesson; the name of the one whose button was pressed."""
    pressed = None
    lessons = [(name, lesson) for name in names if (lesson := shelf.find(name))]
    for start in range(0, len(lessons), ABREAST):
        for column, (name, lesson) in zip(st.columns(ABREAST), lessons[start : start + ABREAST], strict=False):
            with column, st.container(border=True, height="stretch"):
                pressed = name if card(name, lesson) else pressed
    return pressed


def card(name: str, lesson: Lesson) -> bool:
    """Draw the card of a lesson; whether its button was pressed."""
    number = f"{lesson.number} · " if lesson.number else ""
    st.markdown(f"**{number}{shown(lesson.title)}**")
    st.markdown(shown(lesson.teaches))
    st.caption(
        words.size(lesson.minutes, len(lesson.steps)) + (f" · {shown(lesson.source)}" if lesson.source else "")
    )
    st.space("stretch")
    now = place.current()
    is_on = now is not None and now.lesson == name
    return st.button(words.GO_ON if is_on else words.BEGIN, key=f"begin {name}", width="stretch")


def bring(pages: list[str]) -> str | None:
    """Draw the way in for a teacher's own lesson; the name of one that is to begin."""
    st.subheader(words.BRING, anchor=False)
    st.caption(words.BRING_HELP)
    example = (BUNDLED / EXAMPLE / "lesson.toml").read_bytes()
    st.download_button(words.EXAMPLE, example, "lesson.toml", "text/plain", icon=":material/download:")
    if not MAX_UPLOAD_MB:
        return None
    st.file_uploader(
        words.BRING, ["toml", "txt", "zip"], key=UPLOAD, max_upload_size=1, label_visibility="collapsed",
        on_change=callback(take), args=(pages,),
    )  # fmt: skip
    return outcome()


def take(pages: list[str]) -> None:
    """Keep the lesson of the file that was just given, or what is wrong with it (a callback)."""
    if (file := sessions.take_file(UPLOAD)) is None:
        return
    try:
        st.session_state[BROUGHT] = shelf.bring(file.data, file.name, pages)
    except LessonError as wrong:
        st.session_state[BROUGHT] = wrong


def outcome() -> str | None:
    """Say what came of the file; the name of the lesson, if it is to begin."""
    brought = st.session_state.get(BROUGHT)
    if isinstance(brought, LessonError):
        st.error(words.refused("\n".join(f"- {plain(problem)}" for problem in brought.problems[:20])))
    elif brought and (lesson := shelf.find(brought)):
        st.success(words.brought(shown(lesson.title)))
        links.draw(brought, shelf.texts_of(brought))
        if card(brought, lesson):
            return brought
    return None
