"""Rows that a person holds out for testing by a condition, instead of by chance."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data import FilterError, filter_of
from espalier.data.errors import counted
from espalier.data.subset import check_part, mask_of
from espalier.display.theme import count
from espalier.language import say
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.data import library

KEY = "test-rows"  # of the session state: the text of a filter; empty: chance holds rows out


def entry() -> Entry:
    """The filter as part of the address."""
    return Entry(KEY, "", _read, name="test")


def _read(text: str) -> str:
    try:
        return filter_of(text).text
    except FilterError:
        raise ValueError(say("a filter such as petal length~gt~2")) from None


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
        st.caption(
            say(
                "Held out would be: {conditions}. {reason} **Chance holds rows out instead.**",
                conditions=conditions,
                reason=plain(fault),
            )
        )
    else:
        mask = _mask(text)
        st.caption(
            say(
                ":material/call_split: Held out: {conditions} ({n} of {n_all})",
                conditions=conditions,
                n=count(int(mask.sum())),
                n_all=counted(len(mask), "row"),
                n_all_2=count(len(mask)),
            )
        )
        _say_parted(mask)
    st.button(
        say("By chance"), icon=":material/casino:", help=say("Chance holds rows out again."), key="by chance",
        on_click=callback(_let_go),
    )  # fmt: skip
    return not fault


def _say_parted(mask: np.ndarray) -> None:
    """Warn of groups with rows on both sides, which the condition parts; nothing where there are none."""
    groups = library.in_use().roles.groups
    if groups is not None and (n := len(np.intersect1d(groups.codes[mask], groups.codes[~mask]))):
        st.caption(group_warning(n, plain(groups.name)))


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
        return say("The other rows are fewer than two, or have one target only, so that no tree can grow on them.")
    return "" if mask.any() else say("No row of this table fulfils it.")


def _mask(text: str) -> np.ndarray:
    return mask_of(library.in_use(), filter_of(text))


def group_warning(n: int, group: str) -> str:
    """Warning of groups that a condition parts; their column's name is Markdown."""
    there = say("1 group has") if n == 1 else say("{n} groups have", n=count(n))
    return say(
        ":material/warning: {there} rows on both sides: a tree that has seen some rows of a **{group}** knows "
        "the others, so that its held-out score is too good.",
        there=there,
        group=group,
    )
