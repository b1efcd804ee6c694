"""The choice of exercises: their kinds, level and seed, all of it in the address."""

from __future__ import annotations

import random
from typing import NamedTuple

import streamlit as st

from espalier.language import say
from espalier.practice import KINDS, LEVELS
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.links.readers import one_of, whole
from pages.shared.practice import sentences

VIEW, LESSONS, PRACTICE = "lessons-view", "lessons", "practice"
KINDS_KEY, LEVEL, SEED, PICKED = "practice-kinds", "practice-level", "practice-seed", "practice-picked"
ALL = "all"
LARGEST_SEED = 999_999
ONLY = Choice(VIEW, (PRACTICE,))


class Course(NamedTuple):
    """What makes a series of exercises."""

    kinds: tuple[str, ...]
    level: int
    seed: int


def entries() -> list[Entry]:
    """What the address says of practice."""
    return [
        Entry(VIEW, LESSONS, one_of([LESSONS, PRACTICE]), name="view"),
        Entry(KINDS_KEY, ALL, kinds_of, name="kinds", only=ONLY),
        Entry(LEVEL, 1, whole(1, len(LEVELS)), name="level", only=ONLY),
        Entry(SEED, 1, whole(0, LARGEST_SEED), name="seed", only=ONLY),
    ]


def kinds_of(text: str) -> str:
    """Reader of kinds with commas between them, in the order of the list. Raises ValueError for others."""
    given = set(text.split(","))
    if text == ALL or given == {*KINDS}:
        return ALL
    if given - {*KINDS}:
        raise ValueError(say("kinds with commas between them: {kinds}", kinds=", ".join(KINDS)))
    return ",".join(kind for kind in KINDS if kind in given)


def current() -> Course:
    """The course that is chosen."""
    chosen = st.session_state[KINDS_KEY]
    kinds = tuple(KINDS) if chosen == ALL else tuple(chosen.split(","))
    return Course(kinds, st.session_state[LEVEL], st.session_state[SEED])


def draw() -> Course:
    """Draw the controls; the course that they choose."""
    course = current()
    st.session_state[PICKED] = list(course.kinds)
    st.pills(
        say("Kinds of exercises"),
        list(KINDS),
        selection_mode="multi",
        key=PICKED,
        format_func=sentences.KINDS.__getitem__,
        on_change=callback(pick),
    )
    left, middle, right = st.columns([2, 1, 1], vertical_alignment="bottom")
    left.segmented_control(
        say("Level"),
        LEVELS,
        key=LEVEL,
        required=True,
        format_func=lambda level: (say("easy"), say("middle"), say("hard"))[level - 1],
    )
    middle.number_input(
        say("Seed of the exercises"),
        0,
        LARGEST_SEED,
        key=SEED,
        help=say("The same number gives everyone the same exercises; another one gives others."),
    )
    right.button(say("Other exercises"), on_click=callback(deal), icon=":material/casino:", width="stretch")
    return course


def pick() -> None:
    """Take up the kinds that were picked; with none of them, all (a callback)."""
    picked = st.session_state[PICKED]
    st.session_state[KINDS_KEY] = kinds_of(",".join(picked)) if picked else ALL


def deal() -> None:
    """Take another seed (a callback)."""
    st.session_state[SEED] = random.randint(0, LARGEST_SEED)
