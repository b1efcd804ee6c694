"""The columns of the table in use on a page, and the roles that are chosen for them, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount

_component = mount("columns")


def columns_canvas(card: dict[str, Any], *, key: str, take: Callable[[str, str], None] | None) -> None:
    """Draw the columns of `column_stacks.stacks_card`; `take` is called with a column and the role chosen."""

    def report() -> None:
        state: Any = st.session_state.get(key)
        choice = role_sent(state.get("role") if hasattr(state, "get") else None, card)
        if choice and take:
            take(*choice)

    _component(card, key=key, on_role_change=callback(report))


def role_sent(sent: Any, card: dict[str, Any]) -> tuple[str, str] | None:
    """The column and the role that the browser sent; None for anything that this card does not offer."""
    if not isinstance(sent, dict):
        return None
    offers = {column["key"]: [role for role, _ in column["roles"]] for column in card["columns"]}
    name, role = sent.get("column"), sent.get("role")
    if isinstance(name, str) and isinstance(role, str) and role in offers.get(name, ()):
        return name, role
    return None
