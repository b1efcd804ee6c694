"""A node's impurity curve on a page; readings of it stay in the browser, and a cut that is taken comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount

_component = mount("curve")


def curve_canvas(
    curve: dict[str, Any],
    alt: str,
    *,
    key: str,
    channel: str = "",
    take: Callable[[int], None] | None = None,
) -> None:
    """Draw the curve of `espalier.display.tree.impurity_curve.card`, with `alt` to be read aloud in its place.

    A cut that is chosen on it is drawn on the surfaces of the `channel`, too. With `take`, a button takes it:
    that is called with the cut's number before the page runs again.
    """

    def report() -> None:
        taken = chosen_cut(_reported(key), curve)
        if take is not None and taken is not None:
            take(taken)

    data = {"curve": curve, "alt": alt, "channel": channel, "takes": take is not None}
    _component(data, key=key, on_taken_change=callback(report))


def chosen_cut(sent: Any, curve: dict[str, Any]) -> int | None:
    """The number of the cut that the browser says was taken; None for anything that is no cut of this curve."""
    if not isinstance(sent, dict) or sent.get("curve") != curve["id"]:
        return None
    cut = sent.get("cut")
    is_cut = isinstance(cut, int) and not isinstance(cut, bool) and 0 <= cut < len(curve["x"])
    return cut if is_cut else None


def _reported(key: str) -> Any:
    state: Any = st.session_state.get(key)
    return state.get("taken") if hasattr(state, "get") else None
