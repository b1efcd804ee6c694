"""A sketch: the heights of a curve at a few points, dragged in the browser."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.language import say
from espalier.lessons.questions import SketchQuestion, heights_of
from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount

_component = mount("sketch")
LONGEST = 400  # characters that the browser sends


def sketch(question: SketchQuestion, *, key: str, answer: str, is_over: bool) -> str:
    """Draw the sketch; the heights that stand there as a text. If it `is_over`, the true curve is there, too."""
    drawn = answer if is_over else _drawn(key) or answer
    heights = heights_of(drawn)
    if len(heights) != len(question.answer):
        heights = [(question.low + question.high) / 2] * len(question.answer)
    within = [min(max(height, question.low), question.high) for height in heights]
    data = {
        "id": key,
        "across": question.across,
        "low": question.low,
        "high": question.high,
        "heights": within,
        "over": is_over,
        "truth": question.answer if is_over else None,
        "alt": say(
            "Sketch with a point to drag at each of {across}; heights {heights}",
            across=", ".join(question.across),
            heights=" · ".join(f"{height:g}" for height in within),
        ),
    }
    _component(data, key=key, on_drawn_change=callback(_note))
    if is_over:
        st.caption(f"━ {say('yours')} · ╍ {say('as it is')}")
    return drawn


def _note() -> None:
    """The browser has told its heights, which the run reads."""


def _drawn(key: str) -> str:
    state: Any = st.session_state.get(key)
    sent = state.get("drawn") if hasattr(state, "get") else None
    return sent if isinstance(sent, str) and len(sent) <= LONGEST else ""
