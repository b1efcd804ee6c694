"""Whether the pages of a lesson's links understand them; the command ``espalier lesson check``.

Every link is opened as a browser would, in a session of its own without a server. As a rule that ends where a page
has read its address; with ``--draw`` the whole page is drawn, which takes as long as it takes.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import streamlit as st
from streamlit.testing.v1 import AppTest

from espalier.language import ENGLISH, LANGUAGES, say, speaking, spoken
from espalier.lessons import Lesson, LessonError, Link, from_folder, from_zip, lesson_in
from espalier.lessons.reading import PRACTICE, problems_of
from espalier.paths import APP
from pages.shared.app import address, embedding, language
from pages.shared.canvas import stage
from pages.shared.lessons import place

FINE, WRONG = 0, 1  # exit codes
OF_ALL = (address.DATA, language.PARAMETER, embedding.FIGURE, stage.PRESENT, *place.KEPT)
SECONDS = 120  # to draw a page


class Reading(NamedTuple):
    """What a page understood of its address."""

    parameters: set[str]  # that have an effect
    notes: list[str]


def pages() -> list[str]:
    """Paths of the pages that a lesson can show."""
    stems = [path.stem for path in sorted((APP / "pages").glob("[!_]*.py"))]
    return ["" if stem == "tree" else stem for stem in stems if stem not in ("lessons", PRACTICE)]


def problems(lesson: Lesson, draw: bool = False) -> list[str]:
    """What pages do not understand of the lesson's links, each with the number of its step."""
    said: dict[str, list[str]] = {}
    found = []
    for n, step in enumerate(lesson.steps, 1):
        for link in step.links():
            if link.address() not in said:
                said[link.address()] = problems_of_link(link, draw)
            found += [say("step {n}: {problem}", n=n, problem=problem) for problem in said[link.address()]]
    if lesson.practice:
        found += [
            say("practice: {problem}", problem=problem) for problem in problems_of_link(lesson.practice, draw)
        ]
    return list(dict.fromkeys(found))


def problems_of_link(link: Link, draw: bool = False) -> list[str]:
    """What the page of a link does not understand of it; with `draw`, also what it notes when it is drawn."""
    if link.page not in [*pages(), PRACTICE]:
        return []  # as `problems_of` says
    app = AppTest.from_file(str(APP / "app.py"), default_timeout=SECONDS)
    readings: list[Reading] = []
    with _listening(readings, draw):
        if link.page:
            app.switch_page(f"pages/{link.page}.py")
        for key, text in ({language.PARAMETER: spoken()} | link.parameters).items():
            app.query_params[key] = text
        app.run()
        until = time.monotonic() + SECONDS
        while draw and app.get("progress") and time.monotonic() < until:
            app.run()
    return [
        *_of_reading(link, readings),
        *(warning.value for warning in app.warning),
        *(e.value for e in app.exception),
    ]


def _of_reading(link: Link, readings: Sequence[Reading]) -> Iterator[str]:
    if not readings:
        yield say("the page of {link} does not open", link=link.address())
        return
    for key in sorted(link.parameters.keys() - readings[0].parameters - {*OF_ALL}):
        yield say("{parameter} has no effect in {link}", parameter=key, link=link.address())
    yield from readings[0].notes


@contextlib.contextmanager
def _listening(readings: list[Reading], draw: bool) -> Iterator[None]:
    """Note what pages read of their addresses; unless they are to be drawn, they end there."""
    load = address.load

    def noted(page: str, entries: list[address.Entry]) -> address.Arrival:
        arrival = load(page, entries)
        values = {entry.key: st.session_state[entry.key] for entry in entries}
        readings.append(Reading({e.parameter for e in entries if e.is_in_use(values)}, arrival.notes))
        if not draw:
            st.stop()
        return arrival

    with mock.patch.object(address, "load", noted):
        yield


def main(arguments: Sequence[str]) -> int:
    """Run the command; its exit code: 0 if all lessons open, 1 if something in one of them does not."""
    parser = argparse.ArgumentParser(
        prog=say("espalier lesson check"),
        description=say(
            "Say what in a lesson does not open: texts that are too long or not translated, "
            "links no page understands."
        ),
    )
    parser.add_argument("lessons", nargs="+", type=Path, help=say("folders of lessons, or single files"))
    parser.add_argument(
        "--draw", action="store_true", help=say("draw the page of every link, and say what it notes")
    )
    parser.add_argument("--language", choices=LANGUAGES, default=ENGLISH, help=say("the language of what is said"))
    given = parser.parse_args(arguments)
    with speaking(given.language):
        found = {path: check(path, given.draw) for path in given.lessons}
        for path, said in found.items():
            print(
                (f"{path}: {say('everything opens')}")
                if not said
                else "\n".join(f"{path}: {problem}" for problem in said)
            )
    return WRONG if any(found.values()) else FINE


def check(path: Path, draw: bool = False) -> list[str]:
    """All that is wrong with the lesson of a folder or a file."""
    try:
        texts = from_zip(path.read_bytes()) if path.suffix == ".zip" else from_folder(path)
    except (LessonError, OSError) as wrong:
        return [str(wrong)]
    said = problems_of(texts, pages())
    with contextlib.suppress(LessonError):
        said += problems(lesson_in(texts), draw)
    return said
