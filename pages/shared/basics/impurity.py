"""A split to drag along the curve of gini, entropy or error."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import streamlit as st

from espalier.views.theme import DARK, LIGHT
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.links.readers import one_of, whole
from pages.shared.canvas.mount import mount
from pages.shared.words import basics as words

MEASURE, LEFT, RIGHT, WEIGHT = "basics-measure", "basics-left", "basics-right", "basics-weight"
CANVAS = "impurity-split"
COLOURS = {"light": LIGHT[:2], "dark": DARK[:2]}
SPLIT = re.compile(
    "([0-9]{1,3})-([0-9]{1,3})-([0-9]{1,3})"
)  # of the browser: per cent of the class, and of the rows

_component = mount("impurity")


class DraggedSplit(NamedTuple):
    """A split of rows of two classes, in per cent."""

    left: int  # the first class in the left child
    right: int  # the same in the right one
    weight: int  # rows in the left child


def url_entries(only: Choice) -> list[Entry]:
    """The measure and the split, as part of the address."""
    return [
        Entry(MEASURE, "gini", one_of(["gini", "entropy", "error"]), name="measure", only=only),
        Entry(LEFT, 10, whole(0, 100), name="left", only=only),
        Entry(RIGHT, 70, whole(0, 100), name="right", only=only),
        Entry(WEIGHT, 50, whole(0, 100), name="weight", only=only),
    ]


def draw() -> None:
    """Draw the measures to choose from, the curve with the split, and how to read it."""
    st.markdown(words.IMPURITY)
    names = words.MEASURES
    st.segmented_control(
        words.MEASURE, list(names), key=MEASURE, required=True, format_func=names.__getitem__,
        label_visibility="collapsed",
    )  # fmt: skip
    left, right, weight = (st.session_state[key] / 100 for key in (LEFT, RIGHT, WEIGHT))
    data = {
        "measure": st.session_state[MEASURE],
        "split": {"left": left, "right": right, "weight": weight},
        "colours": COLOURS,
        "words": words.FIGURE | {"measures": names, "columns": words.COLUMNS},
    }
    _component(data, key=CANVAS, on_split_change=callback(take))
    st.caption(words.IMPURITY_HELP)


def take() -> None:
    """Take up the split that was dragged (a callback)."""
    state: Any = st.session_state.get(CANVAS)
    split = chosen_split(state.get("split") if hasattr(state, "get") else None)
    if split is not None:
        st.session_state.update(dict(zip((LEFT, RIGHT, WEIGHT), split, strict=True)))


def chosen_split(sent: Any) -> DraggedSplit | None:
    """The split that the browser reports; None for anything else."""
    text = sent.get("at") if isinstance(sent, dict) else None
    found = SPLIT.fullmatch(text) if isinstance(text, str) else None
    split = DraggedSplit(*map(int, found.groups())) if found else None
    return split if split and max(split) <= 100 else None
