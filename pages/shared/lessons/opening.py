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
from unittest import mock

import streamlit as st
from streamlit.testing.v1 import AppTest

from espalier.language import ENGLISH, LANGUAGES, say, speaking, spoken
from espalier.lessons import Lesson, LessonError, Link, from_folder, from_zip, lesson_in
from espalier.lessons.reading import PRACTICE, problems_of
from espalier.paths import APP
from pages.shared.app import address, frame, language
from pages.shared.canvas import components
from pages.shared.lessons import panel

FINE, WRONG = 0, 1  # exit codes
OF_ALL = (address.DATA, language.PARAMETER, frame.FIGURE, components.PRESENT, *panel.KEPT_PARAMETERS)
SECONDS = 120  # to draw a page


Reading = tuple[set[str], list[str]]  # of an address: the parameters that have an effect, and the page's notes


def pages() -> list[str]:
    """Paths of the pages that a lesson can show."""
    stems = [path.stem for path in sorted((APP / "pages").glob("[!_]*.py"))]
    return ["" if stem == "tree" else stem for stem in stems if stem not in ("lessons", PRACTICE)]


def problems(lesson: Lesson, draw: bool = False) -> list[str]:
    """What pages do not understand of the lesson's links, each with the number of its step."""
    links = [(n, link) for n, step in enumerate(lesson.steps, 1) for link in step.links()]
    links += [(0, lesson.practice)] if lesson.practice else []
    by_address = {link.address(): link for _, link in links}
    problems_at = {text: problems_of_link(link, draw) for text, link in by_address.items()}
    lines = [
        say("step {n}: {problem}", n=n, problem=problem) if n else say("practice: {problem}", problem=problem)
        for n, link in links
        for problem in problems_at[link.address()]
    ]
    return list(dict.fromkeys(lines))


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
    faults = [*(warning.value for warning in app.warning), *(error.value for error in app.exception)]
    if not readings:
        return [say("the page of {link} does not open", link=link.address()), *faults]
    parameters, notes = readings[0]
    idle = sorted(link.parameters.keys() - parameters - {*OF_ALL})
    return [
        *(say("{parameter} has no effect in {link}", parameter=key, link=link.address()) for key in idle),
        *notes,
        *faults,
    ]


@contextlib.contextmanager
def _listening(readings: list[Reading], draw: bool) -> Iterator[None]:
    """Note what pages read of their addresses; unless they are to be drawn, they end there."""
    load = address.load

    def noted(page: str, entries: list[address.Entry]) -> address.Arrival:
        arrival = load(page, entries)
        values = {entry.key: st.session_state[entry.key] for entry in entries}
        readings.append(({entry.parameter for entry in entries if entry.is_in_use(values)}, arrival.notes))
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
        problems_at = {path: check(path, given.draw) for path in given.lessons}
        for path, lines in problems_at.items():
            print("\n".join(f"{path}: {line}" for line in lines or [say("everything opens")]))
    return WRONG if any(problems_at.values()) else FINE


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
