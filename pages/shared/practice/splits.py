"""A tree as an answer: the question of each node, chosen from the root on."""

from __future__ import annotations

import streamlit as st

from espalier.language import say
from espalier.practice.exercises import COLUMNS, NO_SPLIT, THRESHOLDS
from pages.shared.practice import drawings

QUESTIONS = [f"{column}{cut}" for column in COLUMNS for cut in THRESHOLDS]
WIDTH = 260  # pixels of a choice
DEEPEST = 5  # questions that may follow each other


def ask(key: str) -> str | None:
    """Draw the choices, and the tree that they make so far; its text where it was just given."""
    choices, picture = st.columns(2, gap="large")
    with choices:
        text = " ".join(_node(key, []))
    with picture:
        drawings.drawn(text)
    if not st.button(say("Check"), type="primary", key=f"{key} check"):
        return None
    if text == NO_SPLIT:
        st.warning(say("Choose the first question."))
        return None
    return text


def _node(key: str, conditions: list[str]) -> list[str]:
    """Draw the choice of a node's question, and below it those of its children; the words of their text."""
    asked = st.selectbox(
        say("Question where {conditions}", conditions=", ".join(conditions))
        if conditions
        else say("First question"),
        [NO_SPLIT, *QUESTIONS],
        key=key,
        format_func=_said,
        width=WIDTH,
    )
    if asked == NO_SPLIT:
        return [NO_SPLIT]
    if len(conditions) + 1 == DEEPEST:
        return [asked, NO_SPLIT, NO_SPLIT]
    column, cut = asked[0], asked[1:]
    yes = _node(f"{key} yes", [*conditions, f"{column} ≤ {cut}"])
    return [asked, *yes, *_node(f"{key} no", [*conditions, f"{column} > {cut}"])]


def _said(asked: str) -> str:
    return say("no question: a leaf") if asked == NO_SPLIT else f"{asked[0]} ≤ {asked[1:]}"
