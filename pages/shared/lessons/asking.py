"""The questions of lessons as widgets; each returns the answer as a text, empty while there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from espalier.language import say
from espalier.lessons.questions import (
    AnyQuestion,
    ChoiceQuestion,
    NumberQuestion,
    PageQuestion,
    SketchQuestion,
    SliderQuestion,
)
from pages.shared.app.address import text_of
from pages.shared.lessons.plain import shown
from pages.shared.lessons.sketch import sketch

Q = TypeVar("Q", bound=AnyQuestion)


def ask(question: AnyQuestion, key: str, answer: str, disabled: bool) -> str:
    """Draw the question with the answer so far; what is answered now."""
    return WIDGETS[question.kind](question, key, answer, disabled)


def _choice(question: ChoiceQuestion, key: str, answer: str, disabled: bool) -> str:
    options = [str(n) for n in range(1, len(question.choices) + 1)]
    index = options.index(answer) if answer in options else None
    chosen = st.radio(
        say("Answer", context="button"),
        options,
        index=index,
        key=key,
        disabled=disabled,
        label_visibility="collapsed",
        format_func=lambda n: shown(question.choices[int(n) - 1]),
    )
    return chosen or ""


def _number(question: NumberQuestion, key: str, answer: str, disabled: bool) -> str:
    text = st.text_input(
        say("Answer", context="button"),
        answer,
        key=key,
        disabled=disabled,
        label_visibility="collapsed",
        max_chars=20,
        placeholder=say("a number"),
    )
    return text.strip()


def _slider(question: SliderQuestion, key: str, answer: str, disabled: bool) -> str:
    low, high, by = (float(one) for one in (question.low, question.high, question.by))
    start = min(max(float(answer), low), high) if answer else low
    if all(one.is_integer() for one in (low, high, by)):
        low, high, by, start = int(low), int(high), int(by), int(start)
    value = st.slider(
        say("Answer", context="button"),
        low,
        high,
        start,
        by,
        key=key,
        disabled=disabled,
        label_visibility="collapsed",
    )
    return text_of(value)


def _page(question: PageQuestion, key: str, answer: str, disabled: bool) -> str:
    return (st.query_params.get(question.parameter) or question.unset) if not disabled else answer


def _sketch(question: SketchQuestion, key: str, answer: str, disabled: bool) -> str:
    return sketch(question, key=key, answer=answer, is_over=disabled)


WIDGETS: dict[str, Callable[[Any, str, str, bool], str]] = {
    "choice": _choice, "number": _number, "slider": _slider, "page": _page, "sketch": _sketch,
}  # fmt: skip
