"""The numbers above a tree, which change with it in the browser while a slider folds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamlit.components.v2 import component

from pages.shared.canvas.assets import source
from pages.shared.canvas.scripts import loader

# Streamlit takes a text of one line for the name of a file: every part below has a newline.
_component = component(
    "espalier_numbers",
    html='<dl class="espalier-numbers"></dl>\n',
    css=source("help.css", "numbers.css"),
    js=loader("numbers/main.js"),
)


def numbers_canvas(numbers: Sequence[dict[str, Any]], at: dict[str, Any], *, channel: str, key: str) -> None:
    """Draw the numbers, {"label", "value", "help"} each, in a row; `at` is as for `tree_canvas`."""
    data = {"numbers": list(numbers), "channel": channel, "at": at}
    _component(key=key, data=data, height="content", width="content")
