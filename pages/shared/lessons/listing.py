"""The list of lessons: what each teaches, how long it is, and the way in; and a teacher's own lesson."""

from __future__ import annotations

import streamlit as st

from espalier.language import say
from espalier.lessons import BUNDLED, Lesson, LessonError
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, plain
from pages.shared.lessons import links, place, shelf
from pages.shared.lessons.plain import shown

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
        _lesson_length(lesson.minutes, len(lesson.steps)) + (f" · {shown(lesson.source)}" if lesson.source else "")
    )
    st.space("stretch")
    now = place.current()
    is_on = now is not None and now.lesson == name
    return st.button(say("Go on") if is_on else say("Begin"), key=f"begin {name}", width="stretch")


def bring(pages: list[str]) -> str | None:
    """Draw the way in for a teacher's own lesson; the name of one that is to begin."""
    st.subheader(say("Bring a lesson of your own"), anchor=False)
    st.caption(
        say(
            "A lesson is a text file: steps, each with the address of a page and what to say "
            "beside it. Write one with any editor; a zip file may hold its German texts, too."
        )
    )
    example = (BUNDLED / EXAMPLE / "lesson.toml").read_bytes()
    st.download_button(
        say("A lesson to start from"), example, "lesson.toml", "text/plain", icon=":material/download:"
    )
    if not MAX_UPLOAD_MB:
        return None
    st.file_uploader(
        say("Bring a lesson of your own"),
        ["toml", "txt", "zip"],
        key=UPLOAD,
        max_upload_size=1,
        label_visibility="collapsed",
        on_change=callback(take),
        args=(pages,),
    )
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
        st.error(
            say(
                "This lesson cannot be opened yet:\n\n{problems}",
                problems="\n".join(f"- {plain(problem)}" for problem in brought.problems[:20]),
            )
        )
    elif brought and (lesson := shelf.find(brought)):
        st.success(
            say(
                "**{title}** is here. The address of its first step opens it for others as long as this server "
                "runs.",
                title=shown(lesson.title),
            )
        )
        links.draw(brought, shelf.texts_of(brought))
        if card(brought, lesson):
            return brought
    return None


def _lesson_length(minutes: int, n_steps: int) -> str:
    """The length of a lesson."""
    return (
        say("{minutes} minutes · {n_steps} steps", minutes=minutes, n_steps=n_steps)
        if minutes
        else say("{n_steps} steps", n_steps=n_steps)
    )
