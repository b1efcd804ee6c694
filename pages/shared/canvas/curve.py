"""A node's impurity curve on a page; readings of it stay in the browser."""

from __future__ import annotations

from typing import Any

from streamlit.components.v2 import component

from pages.shared.canvas.assets import source
from pages.shared.canvas.scripts import loader

# Streamlit takes a text of one line for the name of a file: every part below has a newline.
_component = component(
    "espalier_curve",
    html='<div class="espalier-curve"></div>\n',
    css=source("canvas.css", "curve.css"),
    js=loader("curve/main.js"),
)


def curve_canvas(curve: dict[str, Any], alt: str, *, key: str) -> None:
    """Draw the curve of `espalier.views.tree.impurity_curve.card`, with `alt` to be read aloud in its place."""
    _component(key=key, data={"curve": curve, "alt": alt}, height="content")
