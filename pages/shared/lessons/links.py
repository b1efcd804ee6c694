"""Whether pages understand the links of a lesson that was brought: asked as ``espalier lesson check`` does.

That opens every link in a session without a server, so it runs in a process of its own, and as a job: a class that
brings thirty lessons waits in turn.
"""

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
from espalier.lessons.checking import UNTRANSLATED
from espalier.lessons.reading import LANGUAGE_OF
from espalier.paths import SOURCES
from espalier.progress import Progress
from pages.shared.app.frame import plain
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Stopped, Work

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
        return [line for line in lines if line != say("everything opens") and not line.endswith(UNTRANSLATED)]


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
