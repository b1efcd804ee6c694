"""What is asked of every tree on the page Tree, carried into the models of other pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import streamlit as st

from espalier.display.text.settings import keep_present, short_value
from espalier.language import say
from espalier.learners.catalogue import Setting
from espalier.learners.catalogue.settings import FORCED_SPLITS, LEFT_OUT, MONOTONE
from espalier.learners.forbidden import names_in_text, read_names
from espalier.tree.edits import WITHOUT, edits_of
from pages.shared.app import address
from pages.shared.app.frame import plain
from pages.shared.data import library

CARRIED = "carried"  # key of the session state: what was carried last, by the key of a setting
ALL = (MONOTONE, LEFT_OUT, FORCED_SPLITS)
EDITS = "edits"  # key of the session state: the changes by hand of the page Tree
TABLE = "edits-table"  # key of the session state: columns of the table that these are of
SPLITS = "splits-by-hand"  # key of the session state: splits of that tree chosen by hand, and those above them
BY_HAND = ("cart", "optimal")  # learners whose trees are changed by hand

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


def note(places: Places, of: Sequence[Setting] = ALL) -> None:
    """Say what of that, or some of it, a model keeps whose settings of columns these are, and what it cannot."""
    asked = {setting.key: on_tree(setting) for setting in of}
    there = {one.key: str(st.session_state.get(key) or "") for key, one in places if one.key in asked}
    as_there = [_in_short(one, asked[one.key]) for one in of if there.get(one.key) == asked[one.key]]
    lost = [_in_short(one, asked[one.key]) for one in of if one.key not in there]
    if any(as_there):
        st.caption(say("As on the page *Tree*: {asked}.", asked="; ".join(filter(None, as_there))))
    if any(lost):
        names = "; ".join(filter(None, lost))
        st.caption(say("Set on the page *Tree*, but this model does not keep it: {asked}.", asked=names))


def _in_short(setting: Setting, text: str) -> str:
    """A value in a few words, Markdown, as far as the table in use has its columns; empty: it says nothing."""
    dataset = library.find(library.chosen_key())
    there = text if dataset is None else keep_present(setting, text, dataset)
    return plain(short_value(setting, there)) if there else ""


def on_tree(setting: Setting) -> str:
    """What is asked by this setting on the page Tree, or by hand of its tree; empty: nothing."""
    if setting.key == FORCED_SPLITS.key:
        return str(st.session_state.get(SPLITS, "")) if _record() else ""
    asked = _last(setting.key) if setting.of_columns else ""
    if setting.key == LEFT_OUT.key:
        return names_in_text(dict.fromkeys([*read_names(asked), *_left_out()]))
    return asked


def _last(key: str) -> str:
    """A value of the page Tree, or the text that a saved session has for it until that page opens."""
    return str(st.session_state.get(address.BROUGHT, {}).get(key, address.last(key, "")))


def _left_out() -> Sequence[str]:
    """Names of the columns that the root of the page's tree does without, since a person said so there."""
    numbers = {at for one in edits_of(_record()) if one.kind == WITHOUT and not one.path for at in one.features}
    return [name for at, name in enumerate(st.session_state.get(TABLE) or ()) if at in numbers]


def _record() -> str:
    """The changes by hand of the page Tree that are in force there, for the table in use; empty: none."""
    dataset = library.find(library.chosen_key())
    here = [] if dataset is None else [feature.name for feature in dataset.features]
    is_in_force = address.last("learner", BY_HAND[0]) in BY_HAND and st.session_state.get(TABLE) == here
    return str(address.last(EDITS, "")) if is_in_force else ""
