"""Directions of columns that a person set on the page Tree, carried into the places for models of other pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import streamlit as st

from espalier.learners.monotone import read_directions
from pages.shared.app import address
from pages.shared.app.frame import plain
from pages.shared.models.settings import Slot
from pages.shared.words import everywhere as words

ON_TREE = "monotone"  # key of the session state: the directions of the page Tree
CARRIED = "directions-carried"  # what was carried into each place, by the key of its setting
NONE = ""


def carry(slots: Iterable[Slot]) -> None:
    """Put the directions of the page Tree into places, before these are drawn: once whenever they change there.

    Whoever then changes them in a place has them as chosen there, and so has whoever follows a link with others.
    """
    asked, carried = address.last(ON_TREE, NONE), st.session_state.setdefault(CARRIED, {})
    for key in _keys(slots):
        before = carried.get(key, NONE)
        if before != asked:
            carried[key] = asked
            if st.session_state.get(key, NONE) in (NONE, before):
                st.session_state[key] = asked


def _keys(slots: Iterable[Slot]) -> Iterator[str]:
    for slot in slots:
        for kind in slot.kinds:
            yield from (slot.key(kind, one) for one in slot.settings(kind) if one.of_columns)


def note(slot: Slot, name: str) -> None:
    """Say in a place that its model keeps the directions of the page Tree, if it does."""
    asked = address.last(ON_TREE, NONE)
    kept = [st.session_state.get(key) for key in _keys([slot._replace(kinds=_named(slot, name))])]
    if asked and asked in kept:
        st.caption(words.as_on_tree(plain(words.directions_in_short(read_directions(asked)))))


def _named(slot: Slot, name: str) -> tuple:
    return tuple(kind for kind in slot.kinds if kind.name == name)
