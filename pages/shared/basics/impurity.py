"""A split to drag along the curve of gini, entropy or error."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from espalier.display.theme import DARK, LIGHT
from espalier.language import Texts, say
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.links.readers import one_of, whole
from pages.shared.canvas.mount import mount

MEASURES = Texts({"gini": "Gini", "entropy": "Entropy", "error": "Error"})
FIGURE = Texts(
    {
        "alt": "Impurity against the share of a class, with a split to drag",
        "across": "share of the first class, per cent",
        "gain": "gain",
        "letters": {"left": "L", "right": "R", "parent": "P"},
        "handles": {
            "left": "Left child: share of the first class",
            "right": "Right child: share of the first class",
            "parent": "Parent: share of the first class; it says how many rows go left",
        },
    }
)

MEASURE, LEFT, RIGHT, WEIGHT = "basics-measure", "basics-left", "basics-right", "basics-weight"
CANVAS = "impurity-split"
COLOURS = {"light": LIGHT[:2], "dark": DARK[:2]}
SPLIT = re.compile(
    "([0-9]{1,3})-([0-9]{1,3})-([0-9]{1,3})"
)  # of the browser: per cent of the class, and of the rows

_component = mount("impurity")


def url_entries(only: Choice) -> list[Entry]:
    """The measure and the split, as part of the address."""
    return [
        Entry(MEASURE, "gini", one_of(["gini", "entropy", "error"]), name="measure", only=only),
        Entry(LEFT, 10, whole(0, 100), name="left", only=only),
        Entry(RIGHT, 70, whole(0, 100), name="right", only=only),
        Entry(WEIGHT, 50, whole(0, 100), name="weight", only=only),
    ]


def draw() -> None:
    """Draw the measures to choose from, and the curve with the split."""
    with st.container(horizontal=True, vertical_alignment="center", key="heading-impurity"):
        st.subheader(
            say("Why do trees grow by gini?"),
            anchor=False,
            width="stretch",
            help=say(
                "**L** and **R** are the children of a split, at the share of the first class in each; **P** is "
                "their parent, and says how many rows go left. An arch lies above its chords, a straight line on "
                "them. All curves are drawn as high; the axis is that of the bold one. Arrows move a handle, with "
                "Shift further."
            ),
        )
        st.segmented_control(
            say("Impurity"), list(MEASURES), key=MEASURE, required=True, format_func=MEASURES.__getitem__,
            label_visibility="collapsed",
        )  # fmt: skip
    st.caption(say("Drag **L**, **R** or **P**: the gain is the height of the curve over the dashed chord."))
    left, right, weight = (st.session_state[key] / 100 for key in (LEFT, RIGHT, WEIGHT))
    data = {
        "measure": st.session_state[MEASURE],
        "split": {"left": left, "right": right, "weight": weight},
        "colours": COLOURS,
        "words": FIGURE
        | {
            "measures": MEASURES,
            "columns": [say("parent"), say("left"), say("right"), say("after the split"), say("gain")],
        },
    }
    _component(data, key=CANVAS, on_split_change=callback(take))


def take() -> None:
    """Take up the split that was dragged (a callback)."""
    state: Any = st.session_state.get(CANVAS)
    split = read_split(state.get("split") if hasattr(state, "get") else None)
    st.session_state.update(dict(zip((LEFT, RIGHT, WEIGHT), split, strict=False)))


def read_split(sent: Any) -> tuple[int, ...]:
    """The shares and the weight, in per cent, that the browser reports; empty for anything else."""
    text = sent.get("at") if isinstance(sent, dict) else None
    parts = SPLIT.fullmatch(text) if isinstance(text, str) else None
    split = tuple(map(int, parts.groups())) if parts else ()
    return split if max(split, default=0) <= 100 else ()
