"""The goal of the threshold: answer a share, be right so often, or cost as little as can be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import Texts, say
from espalier.reliability.reliability import ANSWER, COST, RISK, Goal
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import decimal, one_of, whole, yes_or_no
from pages.shared.canvas.slider import slider
from pages.shared.models.drawer import pick

GOAL_HELP = Texts(
    {
        "goal": (
            "The goal",
            "Where to stop answering and hand the row to an expert. The threshold is chosen on some folds and "
            "judged on another one, so that it does not flatter itself; a promise for new rows takes all rows. "
            "*Terms:* operating point, coverage.",
        ),
        "answer": ("Share to answer", ""),
        "right": ("Right, of these", ""),
        "confident": (
            "Promise it: 90 % confidence",
            "Without it, the threshold is only just good enough for the rows at hand, and new rows may miss the "
            "goal about half the time. With it, fewer rows are answered, and on average at least nine of ten "
            "such promises are kept, if new rows are like these. *Terms:* risk control, learn then test.",
        ),
        "off": (
            "Average error, at most",
            "In the target's unit. As many rows are answered as this allows on the folds that choose.",
        ),
        "wrong": ("A wrong answer costs", "In whatever unit, such as euros or hours; the same for every error."),
        "expert": ("Asking an expert costs", "In the same unit; the expert is taken to be right."),
    }
)

HUGE = 1e12
GOALS = (ANSWER, RISK, COST)
WRONG = {True: 10.0, False: 1.0}  # cost of a wrong class, or of every unit that a number is off
ASKING = 1.0
CONFIDENCE = 0.9


def url_entries() -> list[Entry]:
    """The goal as part of the address; a value of none follows from the data."""
    return [
        Entry("goal", ANSWER, one_of(GOALS)),
        Entry("answer", 80, whole(1, 100)),
        Entry("right", 95, whole(1, 100)),
        Entry("confident", False, yes_or_no, name="sure"),
        *url_entries_of_data(),
    ]


def url_entries_of_data() -> list[Entry]:
    """What of the goal means nothing for other data: errors and costs in the unit of the target."""
    free = _optional(decimal(0.0, HUGE))
    return [Entry(key, None, free) for key in ("off", "wrong", "expert")]


def _optional(read: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else read(text)


def draw(dataset: Dataset) -> Goal:
    """The goal of the controls, which are drawn."""
    right = say("be right") if dataset.is_classification else say("be close")
    titles = {ANSWER: say("answer a share"), RISK: right, COST: say("cost least")}
    pick(GOAL_HELP, "goal", st.segmented_control, options=list(titles), format_func=titles.get, required=True)
    kind = st.session_state["goal"]
    if kind == ANSWER:
        pick(GOAL_HELP, "answer", slider, options=range(1, 101), default=80, format_func=app_sentences.percentage)
    elif kind == RISK and dataset.is_classification:
        pick(GOAL_HELP, "right", slider, options=range(1, 101), default=95, format_func=app_sentences.percentage)
        pick(GOAL_HELP, "confident", st.toggle)
    elif kind == RISK:
        _draw_free("off", dataset)
    else:
        left, right_side = st.columns(2)
        with left:
            _draw_free("wrong", dataset, None if dataset.is_classification else say("Every unit off costs"))
        with right_side:
            _draw_free("expert", dataset)
    return chosen(dataset)


def chosen(dataset: Dataset) -> Goal:
    """The goal that the controls stand for."""
    state = st.session_state
    if state["goal"] == ANSWER:
        return Goal(ANSWER, state["answer"] / 100)
    if state["goal"] == RISK and dataset.is_classification:
        confidence = CONFIDENCE if state["confident"] else None
        return Goal(RISK, 1 - state["right"] / 100, confidence=confidence)
    if state["goal"] == RISK:
        return Goal(RISK, _free("off", dataset))
    return Goal(COST, wrong=_free("wrong", dataset), asking=_free("expert", dataset))


def _draw_free(key: str, dataset: Dataset, label: str | None = None) -> None:
    """Draw a number widget that may be left empty."""
    usual, words = GOAL_HELP[key]
    st.number_input(
        label or usual, min_value=0.0, max_value=HUGE, value=None, key=key, help=words,
        placeholder=number(_otherwise(key, dataset)), format="%g",
    )  # fmt: skip


def _free(key: str, dataset: Dataset) -> float:
    value = st.session_state[key]
    return _otherwise(key, dataset) if value is None else float(value)


def _otherwise(key: str, dataset: Dataset) -> float:
    """The value of a number widget that is left empty."""
    if key == "wrong":
        return WRONG[dataset.is_classification]
    return ASKING if key == "expert" and dataset.is_classification else _typical(dataset)


def _typical(dataset: Dataset) -> float:
    """A round number of about half a standard deviation of the target."""
    half = 0.5 * float(np.std(dataset.y))
    return float(f"{half:.2g}") if half > 0 else 1.0
