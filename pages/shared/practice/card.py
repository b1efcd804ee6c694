"""An exercise: its question and figures, the field for the answer, and what was right about it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.data.dataset import ClassMarks, Feature
from espalier.display.tree import small_tree
from espalier.language import say
from espalier.lessons.questions import number_of
from espalier.practice import Exercise, verdict
from espalier.practice.exercises import COLUMNS, LETTERS, NO_SPLIT, THRESHOLDS, WIDE, read_shape, tree_of
from espalier.trees import Tree
from pages.shared.app import pictures
from pages.shared.app.frame import plain

FEATURES = [Feature(name) for name in COLUMNS]
ENDS = ((0, WIDE), (0, WIDE))
OPEN, GREY = "?", 7  # in a leaf that has no letter yet; its colour, of the palette
QUESTIONS = [f"{column}{cut}" for column in COLUMNS for cut in THRESHOLDS]
WIDTH = 260  # pixels of a choice
DEEPEST = 5  # questions that may follow each other
LONGEST = 20


def figure(one: Exercise) -> None:
    """Draw the table, the tree and the surfaces of an exercise."""
    if one.table:
        heads = [plain(str(head)) or " " * n for n, head in enumerate(one.table.heads, 1)]  # no two the same
        rows = [[str(cell) for cell in row] for row in one.table.rows]
        st.table(pd.DataFrame(rows, columns=heads), hide_index=True, width="content")
    if one.tree is not None:
        _tree(one.tree, _letters(one.tree))
        st.caption(say("If the condition holds, follow the upper branch."))
    if one.surfaces:
        _surfaces(one)


def _surfaces(one: Exercise) -> None:
    """Draw the surfaces of trees, side by side where there are several, each below its name."""
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
        tree = tree_of(shape)
        n = tree.n_leaves
        _tree(tree, Feature("leaf", "category", (OPEN,) * n, marks=ClassMarks(colours=(GREY,) * n)))


def ask(one: Exercise, key: str) -> str | None:
    """Draw the field for the answer; the answer that was just given."""
    if one.reading:
        return _ask_tree(key)
    with st.form(key, border=False):
        if one.choices:
            answer = st.radio(
                say("Answer", context="button"),
                [str(n) for n in range(len(one.choices))],
                index=None,
                key=f"{key} choice",
                label_visibility="collapsed",
                format_func=lambda place: plain(str(one.choices[int(place)])),
            )
        else:
            answer = st.text_input(
                say("Answer", context="button"),
                key=f"{key} number",
                max_chars=LONGEST,
                placeholder=say("a number"),
                label_visibility="collapsed",
                width=WIDTH,
            )
        if not st.form_submit_button(say("Check"), type="primary"):
            return None
    if not answer or (not one.choices and number_of(answer) is None):
        st.warning(say("Choose an answer.") if one.choices else say("Write a number, such as 0.48."))
        return None
    return answer


def _ask_tree(key: str) -> str | None:
    """Draw the choice of each node's question, from the root on, and the tree that they make so far."""
    choices, picture = st.columns(2, gap="large")
    with choices:
        text = " ".join(_ask_node(key, []))
    with picture:
        _draw_answer(text)
    if not st.button(say("Check"), type="primary", key=f"{key} check"):
        return None
    if text == NO_SPLIT:
        st.warning(say("Choose the first question."))
        return None
    return text


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
    column, cut = question[0], question[1:]
    yes = _ask_node(f"{key} yes", [*conditions, f"{column} ≤ {cut}"])
    return [question, *yes, *_ask_node(f"{key} no", [*conditions, f"{column} > {cut}"])]


def outcome(one: Exercise, answer: str) -> None:
    """Say whether the answer was right, what the mistake was, and how the right one comes about."""
    said = verdict(one, answer)
    words = say("This tree") if one.reading else str(one.choices[int(answer)]) if one.choices else answer
    if one.reading:
        _draw_answer(answer)
    if said.is_right:
        st.success(say("{answer} is right.", answer=plain(words)), icon=":material/check:")
    else:
        st.error(
            say("{answer} is not right. {mistake}", answer=plain(words), mistake=plain(str(said.mistake or ""))),
            icon=":material/close:",
        )
    st.markdown("\n".join(f"1. {plain(str(step))}" for step in one.steps))
