"""A split to drag along the curve of gini, entropy or error."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from espalier.display.theme import DARK, LIGHT
from espalier.language import Texts, say, to_say
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.links import whole
from pages.shared.canvas.components import mount
from pages.shared.canvas.control import Control

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
MEASURES = {"gini": to_say("Gini"), "entropy": to_say("Entropy"), "error": to_say("Error")}
MEASURE = Control(
    "basics-measure", "gini", MEASURES, to_say("Impurity"), widget=st.segmented_control, name="measure",
)  # fmt: skip
SPLIT = {"left": ("basics-left", 10), "right": ("basics-right", 70), "weight": ("basics-weight", 50)}
CANVAS = "impurity-split"
COLOURS = {"light": LIGHT[:2], "dark": DARK[:2]}
SENT = re.compile("([0-9]{1,3})-([0-9]{1,3})-([0-9]{1,3})")  # per cent of the class, and of the rows

_component = mount("impurity")


def url_entries(only: Choice) -> list[Entry]:
    """The measure and the split, as part of the address."""
    split = [Entry(key, default, whole(0, 100), name=name, only=only) for name, (key, default) in SPLIT.items()]
    return [MEASURE.entry._replace(only=only), *split]


def draw() -> None:
    """Draw the measures to choose from, and the curve with the split."""
    with st.container(horizontal=True, vertical_alignment="center", key="heading-impurity"):
        st.subheader(
            say("Why do trees grow by gini?"), anchor=False, width="stretch",
            help=say(
                "**L** and **R** are the children of a split, **P** is their parent. An arch lies above its "
                "chords, a straight line on them. Arrows move a handle."
            ),
        )  # fmt: skip
        MEASURE.draw(label_visibility="collapsed")
    st.caption(say("Drag **L**, **R** or **P**: the gain is the height of the curve over the dashed chord."))
    measures = {name: say(title) for name, title in MEASURES.items()}
    columns = [say("parent"), say("left"), say("right"), say("after the split"), say("gain")]
    data = {
        "measure": MEASURE.value,
        "split": {name: st.session_state[key] / 100 for name, (key, _) in SPLIT.items()},
        "colours": COLOURS,
        "words": FIGURE | {"measures": measures, "columns": columns},
    }
    _component(data, key=CANVAS, on_split_change=callback(take))


def take() -> None:
    """Take up the split that was dragged (a callback)."""
    state: Any = st.session_state.get(CANVAS)
    split = read_split(state.get("split") if hasattr(state, "get") else None)
    st.session_state.update({key: share for (key, _), share in zip(SPLIT.values(), split, strict=False)})


def read_split(sent: Any) -> tuple[int, ...]:
    """The shares and the weight, in per cent, that the browser reports; empty for anything else."""
    text = sent.get("at") if isinstance(sent, dict) else None
    parts = SENT.fullmatch(text) if isinstance(text, str) else None
    split = tuple(map(int, parts.groups())) if parts else ()
    return split if max(split, default=0) <= 100 else ()
