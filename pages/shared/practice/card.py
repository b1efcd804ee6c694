"""An exercise: its question and figures, the field for the answer, and what was right about it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.language import say
from espalier.lessons.questions import number_of
from espalier.practice import Exercise, verdict
from espalier.practice.results import GivenAnswer
from pages.shared.app.frame import plain
from pages.shared.practice import drawings, splits

LONGEST = 20


def figure(one: Exercise) -> None:
    """Draw the table, the tree and the surfaces of an exercise."""
    if one.table:
        heads = [
            plain(str(head)) or " " * n for n, head in enumerate(one.table.heads, 1)
        ]  # no two may be the same
        st.table(
            pd.DataFrame([[str(cell) for cell in row] for row in one.table.rows], columns=heads), hide_index=True
        )
    if one.tree is not None:
        drawings.tree(one.tree)
    drawings.surfaces(one.surfaces, one.choices)


def ask(one: Exercise, key: str) -> str | None:
    """Draw the field for the answer; the answer that was just given."""
    if one.reading:
        return splits.ask(key)
    with st.form(key, border=False):
        if one.choices:
            places = [str(n) for n in range(len(one.choices))]
            answer = st.radio(
                say("Answer", context="button"),
                places,
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
            )
        if not st.form_submit_button(say("Check"), type="primary"):
            return None
    if not answer or (not one.choices and number_of(answer) is None):
        st.warning(say("Choose an answer.") if one.choices else say("Write a number, such as 0.48."))
        return None
    return answer


def outcome(one: Exercise, answer: GivenAnswer) -> None:
    """Say whether the answer was right, what the mistake was, and how the right one comes about."""
    said = verdict(one, answer.answer)
    given = _given(one, answer.answer)
    if said.is_right:
        st.success(say("{answer} is right.", answer=plain(given)), icon=":material/check:")
    else:
        st.error(
            say("{answer} is not right. {mistake}", answer=plain(given), mistake=plain(str(said.mistake or ""))),
            icon=":material/close:",
        )
    st.markdown("\n".join(f"1. {plain(str(step))}" for step in one.steps))


def _given(one: Exercise, answer: str) -> str:
    """The answer in words; a tree is drawn instead."""
    if one.reading:
        drawings.drawn(answer)
        return say("This tree")
    return str(one.choices[int(answer)]) if one.choices else answer
