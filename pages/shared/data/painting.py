"""The tab "Draw points" of the Data page: a table out of points that a person draws."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.data.samples.redrawn import CLASSES, LONGEST, USUAL_NAME, PaintedTable, painted, painted_of
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.language import say
from pages.shared.app.frame import guarded
from pages.shared.canvas.paint import paint_canvas
from pages.shared.data import library

KEY, NAME = "paint", "paint-name"  # of the component, and of the name's widget
FEWEST = 2  # points of a table


@st.fragment(key="draw points")
@guarded
def draw() -> None:
    """Draw the plane, and below it the name, the button that takes the table into use, and the download."""
    st.markdown(
        say(
            "Choose a class and click on the plane. *Brush* sprays points along a stroke, *Move* "
            "drags one, *Delete* takes away those that it passes. With the keyboard: arrows move "
            "the cursor, Enter places a point, Delete removes the nearest, Z undoes, 1 to 4 "
            "choose the class."
        )
    )
    key = library.own_text(library.chosen_key())
    before = painted_of(key)
    start = [] if before is None else _points(before)
    points = paint_canvas(start, key if before else "", key=KEY)
    typed, usual = st.session_state.get(NAME), say(USUAL_NAME)
    table = painted(USUAL_NAME if typed in (None, usual) else typed, start if points is None else points)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("Name of the table"),
            value=usual if before is None or before.name == USUAL_NAME else before.name,
            key=NAME,
            max_chars=30,
        )
        is_ready = len(table.y) >= FEWEST and len(set(table.y.tolist())) > 1
        pressed = st.button(say("Grow its tree"), type="primary", icon=":material/check:", disabled=not is_ready)
        st.download_button(
            say("Save as CSV"), lambda: _csv(table), "drawn-points.csv", "text/csv", on_click="ignore",
            disabled=not len(table.y), icon=":material/download:",
        )  # fmt: skip
    st.caption(_note_of_points(len(table.y), len(table.text) <= LONGEST))
    if pressed:
        st.switch_page("pages/tree.py", query_params={library.PARAMETER: take(table)})


def take(table: PaintedTable) -> str:
    """Make it the session's data set; its text in the address, or the digest of one too long for that."""
    if len(table.text) > LONGEST:
        return library.choose(table.dataset)
    st.session_state[library.CHOSEN] = table.text
    return table.text


def _points(table: PaintedTable) -> list[tuple[float, float, int]]:
    return [(float(x), float(y), int(number)) for (x, y), number in zip(table.x, table.y, strict=True)]


def _csv(table: PaintedTable) -> str:
    frame = pd.DataFrame(table.x, columns=pd.Index(["x1", "x2"]))
    return to_csv(frame.assign(**{"class": [CLASSES[number] for number in table.y]}))


def _note_of_points(n: int, is_short: bool) -> str:
    """Note below the plane."""
    if not n:
        return say("No points yet: a table needs points of two classes.")
    kept = (
        say("The link to its tree holds all points.")
        if is_short
        else say(
            "That is too much for a link: this server keeps the table for a while; save it as CSV to keep it "
            "yourself."
        )
    )
    return say("{n} point. {kept}" if n == 1 else "{n} points. {kept}", n=count(n), kept=kept)
