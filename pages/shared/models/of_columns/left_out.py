"""Columns that no split may ask about: a list of those of the table.

The value under the setting's key is a text (`learners.forbidden.read_names`). The widget has a key of its own, as
that of directions has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.language import say
from espalier.learners.catalogue import Setting
from espalier.learners.forbidden import names_in_text, read_names
from pages.shared.app.frame import callback, plain
from pages.shared.data import library
from pages.shared.words.tree import of_columns as words


def reader() -> Callable[[str], str]:
    """Reader of names of columns in the address, as the text that a model has."""

    def read(text: str) -> str:
        names = read_names(text)
        if not names:
            raise ValueError(words.NAMES_EXPECTED)
        return names_in_text(names)

    return read


def draw(key: str, setting: Setting, **more: Any) -> None:
    """Draw the list of columns of the table in use."""
    dataset = library.find(library.chosen_key())
    names = [] if dataset is None else [feature.name for feature in dataset.features]
    chosen = read_names(st.session_state.get(key, setting.default))
    widget = f"{key} columns"
    st.session_state[widget] = [name for name in names if name in chosen]
    st.multiselect(
        say(setting.label), names, key=widget, placeholder=words.NONE_LEFT_OUT,
        on_change=callback(_take), args=(key, widget), **{"help": say(setting.words), **more},
    )  # fmt: skip


def in_short(text: str) -> str:
    """Columns of a text in a few words."""
    return words.left_out_in_short(read_names(text))


def among(text: str, dataset: Dataset) -> str:
    """The text without columns that the data do not have."""
    names = {feature.name for feature in dataset.features}
    return names_in_text(name for name in read_names(text) if name in names)


def in_force(dataset: Dataset, numbers: Sequence[int] | None) -> str:
    """Say which columns no split of a model asks about, by their numbers; empty without any."""
    return words.left_out_in_force([plain(dataset.features[at].name) for at in numbers]) if numbers else ""


def _take(key: str, widget: str) -> None:
    """Write what is chosen."""
    st.session_state[key] = names_in_text(st.session_state[widget])
