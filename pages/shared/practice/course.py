"""Ten exercises one after the other: which ones, the one that is on, the answers so far, and the files of them."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

import pandas as pd
import streamlit as st

from espalier.data.dataset import ClassMarks, Feature
from espalier.display.tree import small_tree
from espalier.language import Refusal, Texts, say, to_say
from espalier.lessons.questions import number_of
from espalier.practice import KINDS, LEVELS, Exercise, exercise, series, verdict
from espalier.practice.exercises import COLUMNS, LETTERS, NO_SPLIT, THRESHOLDS, WIDE, read_shape, tree_of
from espalier.practice.results import GivenAnswer, PracticeResult, is_right, read, table, to_json
from espalier.settings import MAX_UPLOAD_MB
from espalier.trees import Tree
from pages.shared.app import pictures, sessions
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links import whole
from pages.shared.canvas.control import Control
from pages.shared.jobs import compilation
from pages.shared.models import drawer

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


SEED_CONTROL = Control(
    SEED, 1, (0, LARGEST_SEED), to_say("Seed of the exercises"),
    to_say("The same number gives everyone the same exercises."), name="seed",
)  # fmt: skip


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
        SEED_CONTROL.entry,
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
    drawer.heading(say("Ten exercises for paper and pencil"), page, entries, _draw_settings, (LEVEL,))
    with st.container(horizontal=True, vertical_alignment="center", key="practice-bar"):
        st.segmented_control(
            say("Level"), LEVELS, key=LEVEL, required=True, label_visibility="collapsed",
            format_func=lambda level: (say("easy"), say("middle"), say("hard"))[level - 1],
        )  # fmt: skip
        st.button(say("Other exercises"), on_click=callback(_deal), icon=":material/casino:")
    for stage in STAGES:
        if not compilation.is_ready(stage):
            compilation.progress(stage)
            return
    kinds = st.session_state[KINDS_KEY]
    names = tuple(KINDS) if kinds == ALL else tuple(kinds.split(","))
    now = Course(names, st.session_state[LEVEL], st.session_state[SEED])
    course = st.session_state.get(WORK)
    if course is None or course[:3] != now[:3]:
        course = st.session_state[WORK] = now._replace(since=time.monotonic())
    if course.place < N_EXERCISES:
        with st.container(border=True, key="exercise"):
            _draw_exercise(course)
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
        _draw_results(course)


def _draw_settings() -> None:
    kinds = st.session_state[KINDS_KEY]
    st.session_state[PICKED] = list(KINDS) if kinds == ALL else kinds.split(",")
    st.pills(
        say("Kinds of exercises"), list(KINDS), selection_mode="multi", key=PICKED,
        format_func=KIND_NAMES.__getitem__, on_change=callback(_pick),
    )  # fmt: skip
    SEED_CONTROL.draw()


def _pick() -> None:
    """Take up the kinds that were picked; with none of them, all (a callback)."""
    st.session_state[KINDS_KEY] = read_kinds(",".join(st.session_state[PICKED]) or ALL)


def _deal() -> None:
    """Take another seed (a callback)."""
    st.session_state[SEED] = random.randint(0, LARGEST_SEED)


def _draw_exercise(course: Course) -> None:
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
    _draw_figure(one)
    if len(course.answers) > course.place:
        _draw_outcome(one, course.answers[course.place].answer)
        st.button(say("Next"), on_click=callback(_go_on), type="primary", shortcut="Ctrl+Enter")
    elif text := (_ask_tree if one.reading else _ask)(one, f"exercise {course[:3]} {course.place}"):
        answer = GivenAnswer(kind, course.level, seed, text, False, round(time.monotonic() - course.since, 1))
        answer = answer._replace(is_right=is_right(answer))
        st.session_state[WORK] = course._replace(answers=(*course.answers, answer))
        st.rerun()


def _go_on() -> None:
    """Go to the next exercise (a callback)."""
    course = st.session_state[WORK]
    st.session_state[WORK] = course._replace(place=course.place + 1, since=time.monotonic())


def _draw_results(course: Course) -> None:
    with st.expander(say("Save your results"), expanded=course.place >= N_EXERCISES):
        st.caption(say("A small file with your answers, to hand in. The server keeps nothing."))
        name = st.text_input(say("Your name, if it is to stand in the file"), key="practice-name", max_chars=60)
        st.download_button(
            say("Save your results"), to_json(name, course.answers), say("practice.json"), "application/json",
            icon=":material/download:",
        )  # fmt: skip


# ---- one exercise: its question and figures, the field for the answer, and what was right about it

FEATURES = [Feature(name) for name in COLUMNS]
ENDS = ((0, WIDE), (0, WIDE))
OPEN, GREY = "?", 7  # in a leaf that has no letter yet; its colour, of the palette
QUESTIONS = [f"{column}{cut}" for column in COLUMNS for cut in THRESHOLDS]
WIDTH = 260  # pixels of a choice
DEEPEST = 5  # questions that may follow each other
LONGEST = 20


def _draw_figure(one: Exercise) -> None:
    """Draw the table, the tree and the surfaces of an exercise."""
    if one.table:
        heads = [plain(str(head)) or " " * n for n, head in enumerate(one.table.heads, 1)]  # no two the same
        rows = [[str(cell) for cell in row] for row in one.table.rows]
        st.table(pd.DataFrame(rows, columns=heads), hide_index=True, width="content")
    if one.tree is not None:
        _tree(one.tree, _letters(one.tree))
        st.caption(say("If the condition holds, follow the upper branch."))
    with st.container(horizontal=True, gap="medium"):
        for surface, name in zip(one.surfaces, one.choices or [""], strict=False):
            with st.container(width=small_tree.PLANE_WIDTH):
                if name:
                    st.markdown(f"**{name}**")
                picture = small_tree.plane_picture(surface, FEATURES, _letters(surface), ENDS)
                pictures.draw(picture, small_tree.PLANE_WIDTH)


def _letters(tree: Tree) -> Feature:
    """The letters of a tree's leaves, as its target."""
    return Feature("leaf", "category", tuple(LETTERS[: tree.value.shape[1]]))


def _tree(tree: Tree, target: Feature) -> None:
    pictures.draw(small_tree.tree_picture(tree, FEATURES, target), small_tree.width_of(tree))


def _draw_answer(answer: str) -> None:
    """Draw the tree of a text, without letters; nothing for a text of no tree."""
    if (shape := read_shape(answer)) is not None:
        n = tree_of(shape).n_leaves
        _tree(tree_of(shape), Feature("leaf", "category", (OPEN,) * n, marks=ClassMarks(colours=(GREY,) * n)))


def _ask(one: Exercise, key: str) -> str | None:
    """Draw the field for the answer; the answer that was just given."""
    label = say("Answer", context="button")
    with st.form(key, border=False):
        if one.choices:
            answer = st.radio(
                label, [str(n) for n in range(len(one.choices))], index=None, key=f"{key} choice",
                label_visibility="collapsed", format_func=lambda place: plain(str(one.choices[int(place)])),
            )  # fmt: skip
        else:
            answer = st.text_input(
                label, key=f"{key} number", max_chars=LONGEST, placeholder=say("a number"),
                label_visibility="collapsed", width=WIDTH,
            )  # fmt: skip
        if not st.form_submit_button(say("Check"), type="primary"):
            return None
    if answer and (one.choices or number_of(answer) is not None):
        return answer
    st.warning(say("Choose an answer.") if one.choices else say("Write a number, such as 0.48."))
    return None


def _ask_tree(_: Exercise, key: str) -> str | None:
    """Draw the choice of each node's question, from the root on, and the tree that they make so far."""
    choices, picture = st.columns(2, gap="large")
    with choices:
        text = " ".join(_ask_node(key, []))
    with picture:
        _draw_answer(text)
    if not st.button(say("Check"), type="primary", key=f"{key} check"):
        return None
    if text != NO_SPLIT:
        return text
    st.warning(say("Choose the first question."))
    return None


def _ask_node(key: str, conditions: list[str]) -> list[str]:
    """Draw the choice of a node's question, and below it those of its children; the words of their text."""
    question = st.selectbox(
        say("Question where {conditions}", conditions=", ".join(conditions))
        if conditions
        else say("First question"),
        [NO_SPLIT, *QUESTIONS],
        key=key,
        format_func=lambda text: say("no question: a leaf") if text == NO_SPLIT else f"{text[0]} ≤ {text[1:]}",
        width=WIDTH,
    )
    if question == NO_SPLIT:
        return [NO_SPLIT]
    if len(conditions) + 1 == DEEPEST:
        return [question, NO_SPLIT, NO_SPLIT]
    sides = (("yes", "≤"), ("no", ">"))
    below = [
        _ask_node(f"{key} {way}", [*conditions, f"{question[0]} {sign} {question[1:]}"]) for way, sign in sides
    ]
    return [question, *below[0], *below[1]]


def _draw_outcome(one: Exercise, answer: str) -> None:
    """Say whether the answer was right, what the mistake was, and how the right one comes about."""
    check = verdict(one, answer)
    words = say("This tree") if one.reading else str(one.choices[int(answer)]) if one.choices else answer
    if one.reading:
        _draw_answer(answer)
    if check.is_right:
        st.success(say("{answer} is right.", answer=plain(words)), icon=":material/check:")
    else:
        st.error(
            say("{answer} is not right. {mistake}", answer=plain(words), mistake=plain(str(check.mistake or ""))),
            icon=":material/close:",
        )
    st.markdown("\n".join(f"1. {plain(str(step))}" for step in one.steps))


# ---- many files of results as one table: for a teacher

MOST_FILES = 200
TEACHER, UPLOAD, READ = "practice-teacher", "practice-files", "practice-read"  # keys of widgets; of the results


def draw_collection() -> None:
    """Draw the way in for files of results, and the table of them, while it is open."""
    if not MAX_UPLOAD_MB:
        return
    label = say("For teachers: collect files of results")
    box = st.expander(label, key=TEACHER, on_change="rerun")
    if not box.open:
        return
    with box:
        st.caption(say("Answers are checked anew; a file that was changed by hand says so."))
        st.file_uploader(
            label, ["json"], accept_multiple_files=True, max_upload_size=1, label_visibility="collapsed",
            key=UPLOAD, on_change=callback(_take),
        )  # fmt: skip
        outcomes: dict[str, PracticeResult | str] = st.session_state.get(READ, {})
        for wrong in (one for one in outcomes.values() if isinstance(one, str)):
            st.error(wrong)
        if results := [one for one in outcomes.values() if isinstance(one, PracticeResult)]:
            st.dataframe(table(results).rename(columns=KIND_NAMES), hide_index=True)


def _take() -> None:
    """Read the files that were just given; of those given before there are the results (a callback)."""
    files, before = sessions.take_files(UPLOAD), st.session_state.get(READ, {})
    outcomes: dict[str, PracticeResult | str] = {}
    for name, file in list(files.items())[:MOST_FILES]:
        if file is None:
            outcomes |= {name: before[name]} if name in before else {}
            continue
        data, own_name = file
        try:
            outcomes[name] = read(data)
        except Refusal as wrong:
            outcomes[name] = f"{plain(own_name)}: {wrong!s}."
    st.session_state[READ] = outcomes
