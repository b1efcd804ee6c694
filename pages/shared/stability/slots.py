"""The learners side by side: three places, each with a kind of tree and its own plain settings."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.learners import catalogue
from espalier.learners.catalogue import ModelKind
from pages.shared.app.address import Entry, one_of
from pages.shared.comparison.slots import NONE, Model, in_short, key_of
from pages.shared.models import settings

SLOTS = ("t1", "t2", "t3")  # what the address calls the places
SYMBOLS = ("●", "■", "▲")
TREES = ("cart", "cultivated", "optimal", "approximation")  # kinds whose result is one tree
DEFAULTS = {True: ("cart", "cultivated", "optimal"), False: ("cart", "cultivated", NONE)}
SECONDS = 10.0  # that the search for one best tree may take: past that it is the best so far


def offered() -> list[ModelKind]:
    """The kinds of trees."""
    return [kind for kind in catalogue.offered() if kind.name in TREES]


def url_entries(dataset: Dataset) -> list[Entry]:
    """The places as parts of the address; a kind that is left keeps its settings until it is back."""
    found, names = [], [NONE, *(kind.name for kind in offered())]
    for slot, default in zip(SLOTS, DEFAULTS[dataset.is_classification], strict=True):
        found.append(Entry(slot, default, one_of(names)))
        for kind in offered():
            found += [Entry(key_of(slot, kind, s), s.default, settings.reader(s)) for s in kind.settings]
    return found


def draw() -> list[Any]:
    """The places side by side, and a container in each for what becomes of its learner."""
    places = []
    for number, column in enumerate(st.columns(len(SLOTS), gap="small")):
        with column.container(border=True, key=f"learner-{number + 1}"):
            _draw(number)
            places.append(st.container())
    return places


def _draw(number: int) -> None:
    titles = {NONE: "No learner"} | {kind.name: kind.title for kind in offered()}
    slot = SLOTS[number]
    words = "\n".join(f"- **{kind.title}.** {kind.words}" for kind in offered())
    st.selectbox(
        f"{SYMBOLS[number]} Learner {number + 1}",
        list(titles),
        key=slot,
        format_func=titles.__getitem__,
        help=words,
    )
    if st.session_state[slot] == NONE:
        st.caption("This place is free.")
        return
    kind = catalogue.named(st.session_state[slot])
    with st.popover(in_short(slot, kind), icon=":material/tune:", width="stretch", key=f"settings {slot}"):
        st.caption(kind.words)
        for setting in kind.settings:
            settings.draw(key_of(slot, kind, setting), setting)


def models() -> list[Model]:
    """What stands in the places that are not empty."""
    return [_model(number) for number, slot in enumerate(SLOTS) if st.session_state[slot] != NONE]


def _model(number: int) -> Model:
    kind = catalogue.named(st.session_state[SLOTS[number]])
    values = ((s.key, settings.value(key_of(SLOTS[number], kind, s), s)) for s in kind.settings)
    return Model(number, kind, tuple(values), SECONDS)
