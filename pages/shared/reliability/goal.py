"""What is wanted of a threshold: answer so many, be right so often, or cost as little as can be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from espalier.analysis.reliability.abstention import ANSWER, COST, RISK, Goal
from espalier.data.dataset import Dataset
from espalier.views.theme import number
from pages.shared.app.address import Entry, decimal, one_of, whole
from pages.shared.models.rail import Help, pick

HUGE = 1e12
GOALS = {ANSWER: "answer a share", RISK: "be right", COST: "cost least"}
GOALS_OF_NUMBERS = GOALS | {RISK: "be close"}
WRONG = {True: 10.0, False: 1.0}  # cost of a wrong class, or of every unit that a number is off
ASKING = 1.0

HELP = {
    "goal": Help(
        "The goal",
        "Where to stop answering and hand the row to an expert. The threshold is chosen on some folds and judged "
        "on another one, so that it does not flatter itself. *Term:* operating point.",
    ),
    "answer": Help("Share of rows to answer, in percent", "The rows that are doubted least. *Term:* coverage."),
    "right": Help(
        "Right, of the answered, at least (in percent)",
        "As many rows are answered as this allows on the folds that choose.",
    ),
    "off": Help(
        "Average error, at most",
        "In the target's unit. As many rows are answered as this allows on the folds that choose.",
    ),
    "wrong": Help("A wrong answer costs", "In whatever unit, such as euros or hours; the same for every error."),
    "expert": Help("Asking an expert costs", "In the same unit; the expert is taken to be right."),
}


def url_entries() -> list[Entry]:
    """The goal as part of the address; what is none follows from the data."""
    free = _optional(decimal(0.0, HUGE))
    return [
        Entry("goal", ANSWER, one_of(GOALS)),
        Entry("answer", 80, whole(1, 100)),
        Entry("right", 95, whole(1, 100)),
    ] + [Entry(key, None, free) for key in ("off", "wrong", "expert")]


def _optional(read: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else read(text)


def draw(dataset: Dataset) -> Goal:
    """The controls, and the goal that they stand for."""
    titles = GOALS if dataset.is_classification else GOALS_OF_NUMBERS
    pick(HELP, "goal", st.segmented_control, options=list(titles), format_func=titles.get, required=True)
    kind = st.session_state["goal"]
    if kind == ANSWER:
        pick(HELP, "answer", st.slider, min_value=1, max_value=100, format="%d %%")
        return Goal(ANSWER, st.session_state["answer"] / 100)
    if kind == RISK and dataset.is_classification:
        pick(HELP, "right", st.slider, min_value=1, max_value=100, format="%d %%")
        return Goal(RISK, 1 - st.session_state["right"] / 100)
    if kind == RISK:
        return Goal(RISK, _free("off", _typical(dataset)))
    return _draw_costs(dataset)


def _draw_costs(dataset: Dataset) -> Goal:
    is_classes = dataset.is_classification
    left, right = st.columns(2)
    with left:
        wrong = _free("wrong", WRONG[is_classes], None if is_classes else "Every unit off costs")
    with right:
        asking = _free("expert", ASKING if is_classes else _typical(dataset))
    return Goal(COST, wrong=wrong, asking=asking)


def _free(key: str, otherwise: float, label: str | None = None) -> float:
    """A number that may be left empty."""
    words = HELP[key]
    st.number_input(
        label or words.label, min_value=0.0, max_value=HUGE, value=None, key=key, help=words.text,
        placeholder=number(otherwise), format="%g",
    )  # fmt: skip
    found = st.session_state[key]
    return otherwise if found is None else float(found)


def _typical(dataset: Dataset) -> float:
    """A round number of about half a standard deviation of the target."""
    half = 0.5 * float(np.std(dataset.y))
    return float(f"{half:.2g}") if half > 0 else 1.0
