"""The bars of structures on a page: data for the browser, and clicks from it, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount

_component = mount("bars")


def bars_canvas(card: dict[str, Any], *, key: str, on_pick: Callable[[str], None]) -> None:
    """Draw the chart of `stability.bars.card`; `on_pick` is called with the bar that was clicked."""

    def report() -> None:
        picked = chosen_bar(_reported(key), card)
        if picked is not None:
            on_pick(picked)

    _component({"chart": card}, key=key, on_picked_change=callback(report))


def chosen_bar(sent: Any, card: dict[str, Any]) -> str | None:
    """The bar that the browser says was clicked, or None for anything that is not a bar of this chart."""
    if not isinstance(sent, dict) or sent.get("chart") != card["id"]:
        return None
    bar = sent.get("bar")
    return bar if isinstance(bar, str) and any(one["id"] == bar for one in card["bars"]) else None


def _reported(key: str) -> Any:
    state: Any = st.session_state.get(key)
    return state.get("picked") if hasattr(state, "get") else None
