"""The chosen row, as people count: from 1, in the address, in lists and in words; inside, rows count from 0."""

from __future__ import annotations

import streamlit as st

from espalier.data.roles import RowRoles
from espalier.language import say
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import whole

KEY = "row"  # in the address and the session state; also of the box in which its number is typed


def entry() -> Entry:
    """The number of the chosen row, as part of the address."""
    return Entry(KEY, None, whole(1, 10**9, optional=True), undo=False)


def chosen() -> int | None:
    """The chosen row, counted from 0."""
    number = st.session_state[KEY]
    return None if number is None else number - 1


def choose(row: int | None) -> None:
    """Choose a row, counted from 0, or none (a callback too)."""
    st.session_state[KEY] = None if row is None else row + 1


def drop_invalid(n: int) -> list[str]:
    """Let go of a row that n rows do not have; a note on it."""
    number = st.session_state[KEY]
    if number is None or number <= n:
        return []
    st.session_state[KEY] = None
    return [say("row={number}: these data have rows 1 to {n}", number=number, n=n)]


def number_input(n: int, width: int, roles: RowRoles) -> None:
    """A box for the number of one of n rows, with the label of the chosen one beside it if rows have labels."""
    st.number_input(
        say("Row"), min_value=1, max_value=n, value=None, key=KEY, placeholder=say("1 to {n}", n=n), width=width,
        help=say("Rows are counted from 1, as in the tables."),
    )  # fmt: skip
    row = chosen()
    if row is not None and row < n and roles.labels is not None and (label := roles.labels.texts[row]):
        st.caption(plain(label), width="content")
