"""The numbers above a tree, which change with it in the browser while a slider folds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pages.shared.canvas.mount import mount

_component = mount("numbers")


def numbers_canvas(numbers: Sequence[dict[str, Any]], at: dict[str, Any], *, channel: str, key: str) -> None:
    """Draw the numbers, {"label", "value", "help"} each, in a row; `at` is as for `tree_canvas`."""
    data = {"numbers": list(numbers), "channel": channel, "at": at}
    _component(data, key=key, width="content")
