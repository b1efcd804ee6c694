"""The tab "Draw points" of the Data page: a table out of points that a person draws on a plane, class by class."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import pandas as pd
import streamlit as st

from espalier.data.samples.redrawn import (
    CLASSES,
    LONGEST,
    MOST_POINTS,
    SPAN,
    TARGET,
    USUAL_NAME,
    PaintedTable,
    painted,
    painted_of,
)
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.display.tree.cards import class_colours_card
from espalier.language import Texts, say
from pages.shared.app.frame import callback, guarded
from pages.shared.canvas.components import mount, reported
from pages.shared.data import library

KEY = "paint"  # of the component
FEWEST = 2  # points of a table
PAINT = Texts(
    {
        "tools": {"add": "Add", "brush": "Brush", "move": "Move", "delete": "Delete"},
        "tool": "What a click does",
        "c": "Class of new points",
        "acts": "The drawing",
        "points": "points",
        "undo": "Undo",
        "undo_help": "take back the last stroke",
        "clear": "Clear",
        "clear_help": "take all points away",
        "board": "plane to draw points on: arrows move, Enter places a point, Delete removes the nearest",
    }
)

Point: TypeAlias = tuple[float, float, int]  # x, y, class number

_component = mount("paint")


@st.fragment(key="draw points")
@guarded
def draw() -> None:
    """Draw the plane, and below it the button that takes the table into use, and the download."""
    key = library.own_text(library.chosen_key())
    before = painted_of(key)
    start: list[Point] = []
    if before is not None:
        start = [(float(x), float(y), int(n)) for (x, y), n in zip(before.x, before.y, strict=True)]
    data = {"points": start, "id": key if before else "", "classes": class_colours_card(TARGET), "words": PAINT}
    _component(data, key=KEY, on_drawn_change=callback(lambda: None))
    points = drawn_points(reported(KEY, "drawn"))
    table = painted(USUAL_NAME if before is None else before.name, start if points is None else points)
    n = len(table.y)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        is_ready = n >= FEWEST and len(set(table.y.tolist())) > 1
        pressed = st.button(say("Grow its tree"), type="primary", icon=":material/check:", disabled=not is_ready)
        st.download_button(
            say("Save as CSV"), lambda: _csv(table), "drawn-points.csv", "text/csv", on_click="ignore",
            disabled=not n, icon=":material/download:",
        )  # fmt: skip
    if not is_ready:
        st.caption(say("A table needs points of two classes."))
    elif len(table.text) > LONGEST:
        st.caption(say("{n} points are too many for a link: save them as CSV to keep them.", n=count(n)))
    if pressed:
        st.switch_page("pages/tree.py", query_params={library.PARAMETER: take(table)})


def drawn_points(sent: Any) -> list[Point] | None:
    """The points that the browser says were drawn; None for anything else."""
    points = sent.get("points") if isinstance(sent, dict) else None
    if not isinstance(points, list) or len(points) > MOST_POINTS or not all(map(_is_point, points)):
        return None
    return [(float(x), float(y), number) for x, y, number in points]


def _is_point(point: Any) -> bool:
    if not isinstance(point, list) or len(point) != 3:
        return False
    *place, number = point
    is_class = type(number) is int and 0 <= number < len(CLASSES)
    return is_class and all(type(x) in (int, float) and math.isfinite(x) and 0 <= x <= SPAN for x in place)


def take(table: PaintedTable) -> str:
    """Make it the session's data set; its text in the address, or the digest of one too long for that."""
    if len(table.text) > LONGEST:
        return library.choose(table.dataset)
    st.session_state[library.CHOSEN] = table.text
    return table.text


def _csv(table: PaintedTable) -> str:
    frame = pd.DataFrame(table.x, columns=pd.Index(["x1", "x2"]))
    return to_csv(frame.assign(**{"class": [CLASSES[number] for number in table.y]}))
