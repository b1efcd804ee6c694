"""Rows that a person holds out for testing by a condition, instead of by chance."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data import FilterError, filter_of
from espalier.data.rows.subset import check_part, mask_of
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.data import library
from pages.shared.words.data import filters as words

KEY = "test-rows"  # of the session state: the text of a filter; empty: chance holds rows out


def entry() -> Entry:
    """The filter as part of the address."""
    return Entry(KEY, "", _read, name="test")


def _read(text: str) -> str:
    try:
        return filter_of(text).text
    except FilterError:
        raise ValueError(words.A_FILTER) from None


def in_force() -> str:
    """The text of the filter; empty where there is none, or none that fits the table in use."""
    return "" if _fault() else st.session_state.get(KEY, "")


def take(rows: str) -> None:
    """Hold these rows out from now on."""
    st.session_state[KEY] = rows
    st.rerun(scope="app")


def draw() -> bool:
    """Say which rows are held out, with the way back to chance, or why they cannot be; whether they are."""
    if not (text := st.session_state.get(KEY, "")):
        return False
    conditions = plain(filter_of(text).words)
    if fault := _fault():
        st.caption(words.not_held_out(conditions, plain(fault)))
    else:
        mask = _mask(text)
        st.caption(words.held_out(conditions, int(mask.sum()), len(mask)))
        _say_parted(mask)
    st.button(
        words.BY_CHANCE, icon=":material/casino:", help=words.BY_CHANCE_HELP, key="by chance",
        on_click=callback(_let_go),
    )  # fmt: skip
    return not fault


def _say_parted(mask: np.ndarray) -> None:
    """Warn of groups with rows on both sides, which the condition parts; nothing where there are none."""
    groups = library.in_use().roles.groups
    if groups is not None and (n := len(np.intersect1d(groups.codes[mask], groups.codes[~mask]))):
        st.caption(words.parted(n, plain(groups.name)))


def _let_go() -> None:
    st.session_state[KEY] = ""


def _fault() -> str:
    """What is wrong with the filter for the table in use; empty if nothing is."""
    text, table = st.session_state.get(KEY, ""), library.in_use()
    if not text:
        return ""
    try:
        mask = _mask(text)
    except FilterError as error:
        return str(error)
    try:
        check_part(table, ~mask)
    except FilterError:
        return words.NOTHING_LEFT
    return "" if mask.any() else words.NONE_HELD_OUT


def _mask(text: str) -> np.ndarray:
    return mask_of(library.in_use(), filter_of(text))
