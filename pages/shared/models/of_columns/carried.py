"""What is asked of every tree on the page Tree, carried into the models of other pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import streamlit as st

from espalier.analysis.tree.edits.acts import WITHOUT, edits_of
from espalier.learners.catalogue import Setting
from espalier.learners.catalogue.of_columns import LEFT_OUT, MONOTONE
from espalier.learners.forbidden import names_in_text, read_names
from pages.shared.app import address
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.models.of_columns import kinds
from pages.shared.words.tree import of_columns as words

CARRIED = "carried"  # key of the session state: what was carried last, by the key of a setting
ALL = (MONOTONE, LEFT_OUT)
EDITS = "edits"  # key of the session state: the changes by hand of the page Tree

Places: TypeAlias = Iterable[tuple[str, Setting]]  # keys of the session state, each with its setting


def carry(places: Places) -> None:
    """Put what is asked on the page Tree under these keys, before their widgets: once whenever it changes there.

    Whoever then changes it here has it as chosen here, and so has whoever follows a link with something else.
    """
    carried = st.session_state.setdefault(CARRIED, {})
    for key, setting in dict(places).items():
        asked, before = on_tree(setting), carried.get(key, "")
        if before != asked:
            carried[key] = asked
            if st.session_state.get(key, "") in ("", before):
                st.session_state[key] = asked


def note(places: Places) -> None:
    """Say what of that a model keeps whose settings of columns these are, and what it cannot keep."""
    asked = {setting.key: (setting, text) for setting in ALL if (text := on_tree(setting))}
    there = {setting.key: st.session_state.get(key) for key, setting in places}
    kept = [_in_short(*one) for key, one in asked.items() if there.get(key) == one[1]]
    lost = [_in_short(*one) for key, one in asked.items() if key not in there]
    if kept:
        st.caption(words.as_on_tree(kept))
    if lost:
        st.caption(words.not_as_on_tree(lost))


def _in_short(setting: Setting, text: str) -> str:
    return plain(kinds.in_short(setting, text))


def on_tree(setting: Setting) -> str:
    """What is asked by this setting on the page Tree, or by hand of its whole tree; empty: nothing."""
    if not setting.of_columns:
        return ""
    asked = str(address.last(setting.key, ""))
    return (
        names_in_text(dict.fromkeys([*read_names(asked), *_by_hand()])) if setting.key == LEFT_OUT.key else asked
    )


def _by_hand() -> Sequence[str]:
    """Names of the columns that the root of the page's tree does without, since a person said so there."""
    dataset, record = library.find(library.chosen_key()), str(address.last(EDITS, ""))
    if dataset is None or not record:
        return []
    numbers = {at for edit in edits_of(record) if edit.kind == WITHOUT and not edit.path for at in edit.features}
    return [feature.name for at, feature in enumerate(dataset.features) if at in numbers]
