"""An exercise: its question and figure, the field for the answer, and what was right about it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.data.dataset import Feature
from espalier.lessons.questions import number_of
from espalier.practice import Exercise, verdict
from espalier.practice.results import GivenAnswer
from espalier.trees import Tree
from espalier.views.tree import small_tree
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.words import lessons
from pages.shared.words import practice as words

LETTERS = tuple("ABCDEF")
FEATURES = [Feature("x"), Feature("y")]
LONGEST = 20


def figure(one: Exercise) -> None:
    """Draw the table or the tree of an exercise."""
    if one.table:
        heads = [
            plain(str(head)) or " " * n for n, head in enumerate(one.table.heads, 1)
        ]  # no two may be the same
        st.table(
            pd.DataFrame([[str(cell) for cell in row] for row in one.table.rows], columns=heads), hide_index=True
        )
    if one.tree is not None:
        tree(one.tree)


def tree(drawn: Tree) -> None:
    """Draw a tree on x and y whose leaves have letters."""
    target = Feature("leaf", "category", LETTERS[: drawn.n_leaves])
    svg = small_tree.small_tree(drawn, FEATURES, target, is_dark())
    pictures.show(svg, small_tree.alt(drawn, FEATURES, target), small_tree.width_of(drawn))
    st.caption(words.UPPER_IS_YES)


def ask(one: Exercise, key: str) -> str | None:
    """Draw the field for the answer; the answer that was just given."""
    with st.form(key, border=False):
        if one.choices:
            places = [str(n) for n in range(len(one.choices))]
            answer = st.radio(
                lessons.ANSWER, places, index=None, key=f"{key} choice", label_visibility="collapsed",
                format_func=lambda place: plain(str(one.choices[int(place)])),
            )  # fmt: skip
        else:
            answer = st.text_input(
                lessons.ANSWER, key=f"{key} number", max_chars=LONGEST, placeholder=lessons.A_NUMBER,
                label_visibility="collapsed",
            )  # fmt: skip
        if not st.form_submit_button(words.CHECK, type="primary"):
            return None
    if not answer or (not one.choices and number_of(answer) is None):
        st.warning(words.NO_CHOICE if one.choices else words.NO_NUMBER)
        return None
    return answer


def outcome(one: Exercise, answer: GivenAnswer) -> None:
    """Say whether the answer was right, what the mistake was, and how the right one comes about."""
    said = verdict(one, answer.answer)
    given = str(one.choices[int(answer.answer)]) if one.choices else answer.answer
    if said.is_right:
        st.success(words.right(plain(given)), icon=":material/check:")
    else:
        st.error(words.wrong(plain(given), plain(str(said.mistake or ""))), icon=":material/close:")
    st.markdown("\n".join(f"1. {plain(str(step))}" for step in one.steps))
