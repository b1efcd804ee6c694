"""The picture of errors on the page: its points can be clicked, and keys go from one to the next."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from espalier.display.spreadsheet import to_csv
from espalier.display.tree import error_curve as curves
from espalier.display.tree.error_curve import SizeCurve
from espalier.language import say
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark
from pages.shared.canvas.bars import bars_canvas
from pages.shared.canvas.data_table import data_table

WIDEST = 760  # pixels
TABLE = "error-table"  # key of the drawer


def draw(curve: SizeCurve, key: str, take: Callable[[int], None]) -> None:
    """Draw the errors; `take` is called with the number of the tree that is chosen (a callback)."""
    drawn = curves.error_curve(curve, is_dark())
    image = {"href": pictures.as_address(drawn), "width": curves.WIDTH, "height": curves.HEIGHT}
    card = curves.card(curve, f"{key} {curve.across}", is_dark())
    card |= {
        "still": [["image", image, ""]],
        "keys": say("Arrows go from tree to tree, Enter shows one."),
        "most": WIDEST,
    }
    bars_canvas(card, key=f"errors by {curve.across}", on_pick=callback(lambda number: take(int(number))))
    st.caption(_picture_caption(curve.is_share))
    with st.container(horizontal=True):
        pictures.save(curves.error_curve(curve, False), f"error-by-{curve.across}.svg")
        pictures.save(lambda: to_csv(curves.error_table(curve)), f"error-by-{curve.across}.csv")
    drawer = st.expander(say("All errors as a table"), key=TABLE, on_change="rerun")
    if drawer.open:
        with drawer:
            data_table(curves.error_table(curve), hide_index=True, alt=curves.error_alt(curve))


def _picture_caption(is_share: bool) -> str:
    """What the lines, the band and the rings are, and what a click does."""
    unit = say("the share of rows with a wrong class") if is_share else say("the mean squared error")
    return say(
        "{CLICK} Error: {unit}. {LINES}",
        CLICK=say("Click a point: the tree above becomes the one of that size."),
        unit=unit,
        LINES=say(
            "The band is one standard error wide on each side. Two trees have rings: that with the least "
            "cross-validated error, and the smallest one whose error is at most a standard error above it, the "
            "dotted line."
        ),
    )
