"""The goal of the threshold: answer a share, be right so often, or cost as little as can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import to_say
from espalier.reliability.reliability import ANSWER, COST, RISK, Goal
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.canvas.control import Control, slider

HUGE = 1e12
WRONG = {True: 10.0, False: 1.0}  # cost of a wrong class, or of every unit that a number is off
ASKING = 1.0
CONFIDENCE = 0.9
GOAL = Control(
    "goal", ANSWER,
    {ANSWER: to_say("answer a share"), RISK: to_say("be right"), COST: to_say("cost least")}, to_say("The goal"),
    to_say(
        "From which doubt on an expert is asked. The threshold is chosen on some folds and judged on another one. "
        "*Terms:* operating point, coverage."
    ),
    st.segmented_control,
)  # fmt: skip
SHARE = Control(
    "answer", 80, (1, 100), to_say("Share to answer"), widget=slider, said=app_sentences.percentage
)  # fmt: skip
RIGHT = Control("right", 95, (1, 100), to_say("Right, of these"), widget=slider, said=app_sentences.percentage)
SURE = Control(
    "confident", False, None, to_say("Promise it: 90 % confidence"),
    to_say(
        "Fewer rows are answered, and at least nine of ten such promises are kept, if new rows are like these. "
        "*Terms:* risk control, learn then test."
    ),
    name="sure",
)  # fmt: skip
FREE = {  # what is left empty follows from the data
    key: Control(key, None, (0.0, HUGE), label, words, empty=to_say("automatic"))
    for key, label, words in (
        ("off", to_say("Average error, at most"), to_say("In the target's unit.")),
        ("wrong", to_say("A wrong answer costs"), to_say("Of a number, every unit that it is off.")),
        ("expert", to_say("Asking an expert costs"), to_say("The expert is taken to be right.")),
    )
}


def url_entries() -> list[Entry]:
    """The goal as part of the address; a value of none follows from the data."""
    return [*(control.entry for control in (GOAL, SHARE, RIGHT, SURE)), *url_entries_of_data()]


def url_entries_of_data() -> list[Entry]:
    """What of the goal means nothing for other data: errors and costs in the unit of the target."""
    return [control.entry for control in FREE.values()]


def draw(dataset: Dataset) -> Goal:
    """The goal of the controls, which are drawn."""
    GOAL.draw()
    if GOAL.value == ANSWER:
        SHARE.draw()
    elif GOAL.value == RISK and dataset.is_classification:
        RIGHT.draw()
        SURE.draw()
    else:
        keys = ("off",) if GOAL.value == RISK else ("wrong", "expert")
        for key, column in zip(keys, st.columns(len(keys)), strict=True):
            with column:
                FREE[key].draw(placeholder=number(_automatic(key, dataset)), format="%g")
    return chosen(dataset)


def chosen(dataset: Dataset) -> Goal:
    """The goal that the controls stand for."""
    if GOAL.value == ANSWER:
        return Goal(ANSWER, SHARE.value / 100)
    if GOAL.value == RISK and dataset.is_classification:
        return Goal(RISK, 1 - RIGHT.value / 100, confidence=CONFIDENCE if SURE.value else None)
    if GOAL.value == RISK:
        return Goal(RISK, _free("off", dataset))
    return Goal(COST, wrong=_free("wrong", dataset), asking=_free("expert", dataset))


def _free(key: str, dataset: Dataset) -> float:
    value: Any = FREE[key].value
    return _automatic(key, dataset) if value is None else float(value)


def _automatic(key: str, dataset: Dataset) -> float:
    """The value of a box that is left empty; of numbers about half a standard deviation of the target."""
    if key == "wrong":
        return WRONG[dataset.is_classification]
    if key == "expert" and dataset.is_classification:
        return ASKING
    half = 0.5 * float(np.std(dataset.y))
    return float(f"{half:.2g}") if half > 0 else 1.0
