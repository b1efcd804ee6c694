"""The list of lessons: what each teaches, how long it is, and the way in; and a teacher's own lesson."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from espalier.language import say, speaking, spoken, to_say
from espalier.lessons import BUNDLED, Lesson, LessonError
from espalier.lessons.reading import LANGUAGE_OF, NOT_TRANSLATED
from espalier.paths import SOURCES
from espalier.progress import Progress
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, plain
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Stopped, Work
from pages.shared.lessons import panel, place
from pages.shared.lessons.place import shown

LINKS = to_say("Looking whether every link is understood by its page")

SECONDS = 120  # until a check that hangs is given up
GLANCE_SECONDS = 0.3
MOST_SHOWN = 20


def draw(name: str, texts: Mapping[str, str]) -> None:
    """Say what pages do not understand of the links of this lesson, as soon as that is known."""
    work = Work(f"lesson-links-{name}-{spoken()}", 1, partial(problems, texts, spoken()))
    outcome = watch.outcome(work, beside=True)
    if outcome.is_awaited:
        note.progress([Line(work.key, say(LINKS), lambda job: Far(job.share, say(LINKS)))])
    elif outcome.value:
        st.warning(
            say(
                "The lesson runs, but its pages do not understand all of its links:\n\n{problems}",
                problems="\n".join(f"- {plain(one)}" for one in outcome.value[:MOST_SHOWN]),
            )
        )
    elif outcome.value is not None or outcome.wrong:
        st.caption(outcome.wrong or say("Every link is understood by its page."))


def problems(texts: Mapping[str, str], language: str, progress: Progress) -> list[str]:
    """What pages do not understand of a lesson's links, in a language. Raises ValueError after a long time."""
    with tempfile.TemporaryDirectory() as folder, speaking(language):
        for file, code in LANGUAGE_OF.items():
            if code in texts:
                (Path(folder) / file).write_text(texts[code], encoding="utf-8")
        command = [sys.executable, "-m", "espalier", "lesson", "check", "--language", language, folder]
        lines = [line.removeprefix(f"{folder}: ") for line in said_by(command, progress).splitlines()]
        return [line for line in lines if line != say("everything opens") and not line.endswith(NOT_TRANSLATED)]


def said_by(command: list[str], progress: Progress) -> str:
    """What a command writes. Raises Stopped if the progress is stopped, ValueError after a long time."""
    until = time.monotonic() + SECONDS
    with subprocess.Popen(
        command, cwd=SOURCES, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as process:
        while not progress.is_stopped and time.monotonic() < until:
            try:
                return process.communicate(timeout=GLANCE_SECONDS)[0]
            except subprocess.TimeoutExpired:
                continue
        process.kill()
    if progress.is_stopped:
        raise Stopped
    raise ValueError(say("Looking at the links took too long; `espalier lesson check` has no limit."))


# ---- the list of lessons: what each teaches, how long it is, and the way in; and a teacher's own lesson

ABREAST = 2
UPLOAD, BROUGHT = "lesson-upload", "lesson-brought"  # keys of the widget, and of what came of it
EXAMPLE = "stopping"  # the lesson that teachers get as a model


def cards(names: list[str]) -> str | None:
    """Draw a card for each lesson; the name of the one whose button was pressed."""
    pressed = None
    lessons = [(name, lesson) for name in names if (lesson := panel.find(name))]
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
        st.session_state[BROUGHT] = panel.bring(file.data, file.name, pages)
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
    elif brought and (lesson := panel.find(brought)):
        st.success(
            say(
                "**{title}** is here. The address of its first step opens it for others as long as this server "
                "runs.",
                title=shown(lesson.title),
            )
        )
        draw(brought, panel.texts_of(brought))
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
