"""Ten exercises one after the other: which ones, the one that is on, the answers so far, and the files of them."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

import streamlit as st

from espalier.display.tables import to_csv
from espalier.language import Refusal, Texts, say
from espalier.practice import KINDS, LEVELS, exercise, series
from espalier.practice.results import GivenAnswer, PracticeResult, is_right, read, table, to_json
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import whole
from pages.shared.app.sessions import FileContent
from pages.shared.jobs import compilation
from pages.shared.models import drawer
from pages.shared.practice import card

KINDS_KEY, LEVEL, SEED, PICKED = "practice-kinds", "practice-level", "practice-seed", "practice-picked"
WORK = "practice-work"  # key of the session state
ALL = "all"
LARGEST_SEED = 999_999
N_EXERCISES = 10
STAGES = ("cart", "forest", "optimal")  # whose kernels give the right answers
KIND_NAMES = Texts(
    {
        "impurity": "Impurity of a node",
        "gain": "Gain of a split",
        "split": "The split that wins",
        "node": "What a leaf answers",
        "route": "Path of a row",
        "region": "Part of the plane",
        "surface": "Surface of a tree",
        "drawing": "Tree of a surface",
        "pruning": "Pruning",
        "errors": "Fewest errors",
        "surrogate": "Surrogate split",
        "votes": "Votes of a forest",
        "variance": "Variance of a mean",
    }
)


class Course(NamedTuple):
    """What makes a series of exercises, and what a person has done of it."""

    kinds: tuple[str, ...]
    level: int
    seed: int
    answers: tuple[GivenAnswer, ...] = ()
    place: int = 0  # of the exercise that is on
    since: float = 0.0  # seconds, when it came

    @property
    def n_right(self) -> int:
        """How many answers are right so far."""
        return sum(answer.is_right for answer in self.answers)


def url_entries() -> list[Entry]:
    """What the address says of the exercises."""
    return [
        Entry(KINDS_KEY, ALL, read_kinds, name="kinds"),
        Entry(LEVEL, 1, whole(1, len(LEVELS)), name="level"),
        Entry(SEED, 1, whole(0, LARGEST_SEED), name="seed"),
    ]


def read_kinds(text: str) -> str:
    """Reader of kinds with commas between them, in the order of the list. Raises ValueError for others."""
    given = set(text.split(","))
    if text == ALL or given == {*KINDS}:
        return ALL
    if given - {*KINDS}:
        raise ValueError(say("kinds with commas between them: {kinds}", kinds=", ".join(KINDS)))
    return ",".join(kind for kind in KINDS if kind in given)


def draw(page: str, entries: list[Entry]) -> None:
    """Draw the controls, the exercise that is on, and the file of results."""
    drawer.heading(say("Ten exercises for paper and pencil"), page, entries, _settings, (LEVEL,))
    with st.container(horizontal=True, vertical_alignment="center", key="practice-bar"):
        st.segmented_control(
            say("Level"),
            LEVELS,
            key=LEVEL,
            required=True,
            label_visibility="collapsed",
            format_func=lambda level: (say("easy"), say("middle"), say("hard"))[level - 1],
        )
        st.button(say("Other exercises"), on_click=callback(_deal), icon=":material/casino:")
    for stage in STAGES:
        if not compilation.is_ready(stage):
            compilation.progress(stage)
            return
    kinds = st.session_state[KINDS_KEY]
    now = Course(
        tuple(KINDS) if kinds == ALL else tuple(kinds.split(",")), st.session_state[LEVEL], st.session_state[SEED]
    )
    course = st.session_state.get(WORK)
    if course is None or course[:3] != now[:3]:
        course = st.session_state[WORK] = now._replace(since=time.monotonic())
    if course.place < N_EXERCISES:
        with st.container(border=True, key="exercise"):
            _exercise(course)
    else:
        st.success(
            say(
                "**{n_right} of {n_asked}** exercises are answered right.",
                n_right=course.n_right,
                n_asked=N_EXERCISES,
            ),
            icon=":material/flag:",
        )
    if course.answers:
        _results(course)


def _settings() -> None:
    kinds = st.session_state[KINDS_KEY]
    st.session_state[PICKED] = list(KINDS) if kinds == ALL else kinds.split(",")
    st.pills(
        say("Kinds of exercises"),
        list(KINDS),
        selection_mode="multi",
        key=PICKED,
        format_func=KIND_NAMES.__getitem__,
        on_change=callback(_pick),
    )
    st.number_input(
        say("Seed of the exercises"),
        0,
        LARGEST_SEED,
        key=SEED,
        help=say("The same number gives everyone the same exercises; another one gives others."),
    )


def _pick() -> None:
    """Take up the kinds that were picked; with none of them, all (a callback)."""
    st.session_state[KINDS_KEY] = read_kinds(",".join(st.session_state[PICKED]) or ALL)


def _deal() -> None:
    """Take another seed (a callback)."""
    st.session_state[SEED] = random.randint(0, LARGEST_SEED)


def _exercise(course: Course) -> None:
    kind, seed = series(course.kinds, course.seed)[course.place], 100 * course.seed + course.place
    one = exercise(kind, course.level, seed)
    st.caption(
        say(
            "{kind} · exercise {n} of {n_exercises} · {n_right} right so far",
            kind=KIND_NAMES[kind],
            n=course.place + 1,
            n_exercises=N_EXERCISES,
            n_right=course.n_right,
        )
    )
    st.markdown(f"**{one.ask}**")
    card.figure(one)
    if len(course.answers) > course.place:
        card.outcome(one, course.answers[course.place].answer)
        st.button(say("Next"), on_click=callback(_go_on), type="primary", shortcut="Ctrl+Enter")
    elif (said := card.ask(one, f"exercise {course[:3]} {course.place}")) is not None:
        answer = GivenAnswer(kind, course.level, seed, said, False, round(time.monotonic() - course.since, 1))
        answer = answer._replace(is_right=is_right(answer))
        st.session_state[WORK] = course._replace(answers=(*course.answers, answer))
        st.rerun()


def _go_on() -> None:
    """Go to the next exercise (a callback)."""
    course = st.session_state[WORK]
    st.session_state[WORK] = course._replace(place=course.place + 1, since=time.monotonic())


def _results(course: Course) -> None:
    with st.expander(say("Save your results"), expanded=course.place >= N_EXERCISES):
        st.caption(say("A small file with your answers, to hand in. The server keeps nothing."))
        name = st.text_input(say("Your name, if it is to stand in the file"), key="practice-name", max_chars=60)
        content = to_json(name, course.answers)
        st.download_button(
            say("Save your results"), content, say("practice.json"), "application/json", icon=":material/download:"
        )


# ---- many files of results as one table: for a teacher

MOST_FILES = 200
TEACHER, UPLOAD, READ = "practice-teacher", "practice-files", "practice-read"  # keys of widgets; of the results


def draw_collection() -> None:
    """Draw the way in for files of results, and the table of them, while it is open."""
    if not MAX_UPLOAD_MB:
        return
    box = st.expander(say("For teachers: collect files of results"), key=TEACHER, on_change="rerun")
    if not box.open:
        return
    with box:
        st.caption(
            say("Answers are checked anew; a file that was changed by hand says so."),
            help=say("Who answered, and with what help, no file can prove."),
        )
        st.file_uploader(
            say("For teachers: collect files of results"),
            ["json"],
            accept_multiple_files=True,
            max_upload_size=1,
            label_visibility="collapsed",
            key=UPLOAD,
            on_change=callback(_take),
        )
        outcomes: dict[str, PracticeResult | str] = st.session_state.get(READ, {})
        for wrong in (one for one in outcomes.values() if isinstance(one, str)):
            st.error(wrong)
        if results := [one for one in outcomes.values() if isinstance(one, PracticeResult)]:
            rows = table(results).rename(columns=KIND_NAMES)
            st.dataframe(rows, hide_index=True)
            st.download_button(
                say("Save the table"), to_csv(rows), "practice.csv", "text/csv", icon=":material/download:"
            )


def _take() -> None:
    """Read the files that were just given; of those given before there are the results (a callback)."""
    files, before = sessions.take_files(UPLOAD), st.session_state.get(READ, {})
    first = list(files.items())[:MOST_FILES]
    st.session_state[READ] = {
        name: _read(content) if content else before[name] for name, content in first if content or name in before
    }


def _read(file: FileContent) -> PracticeResult | str:
    """The results of a file, or what is wrong with it."""
    try:
        return read(file.data)
    except Refusal as wrong:
        return f"{plain(file.name)}: {wrong!s}."
