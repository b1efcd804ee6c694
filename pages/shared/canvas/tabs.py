"""Tabs, which the address knows by their English names in every language."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import streamlit as st

from espalier.language import ENGLISH, say, spoken
from pages.shared.app.frame import callback


def draw(names: Iterable[str], key: str, offered: Collection[str] | None = None) -> dict[str, Any]:
    """Draw the tabs, or those that are `offered`, each by its English name; `key` has that of the open one."""
    shown = {name: say(name) for name in names if offered is None or name in offered}
    if spoken() == ENGLISH:
        return dict(zip(shown, st.tabs(list(shown), key=key, on_change="rerun"), strict=True))
    widget = f"{key} in {spoken()}"
    st.session_state[widget] = shown[st.session_state[key]]
    texts = list(shown.values())
    drawn = st.tabs(texts, key=widget, on_change=callback(_take), args=(key, widget, list(shown), texts))
    return dict(zip(shown, drawn, strict=True))


def _take(key: str, widget: str, english: list[str], texts: list[str]) -> None:
    st.session_state[key] = english[texts.index(st.session_state[widget])]
