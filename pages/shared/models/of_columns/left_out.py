"""Columns that no split may ask about: a list of those of the table.

The value under the setting's key is a text (`learners.forbidden.read_names`). The widget has a key of its own, as
that of directions has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset, Feature
from espalier.data.features import column_name, column_parts
from espalier.language import say
from espalier.learners.catalogue import Setting
from espalier.learners.forbidden import names_in_text, read_names
from pages.shared.app.frame import callback, plain
from pages.shared.data import library


def reader() -> Callable[[str], str]:
    """Reader of names of columns in the address, as the text that a model has."""

    def read(text: str) -> str:
        names = read_names(text)
        if not names:
            raise ValueError(say("names of columns, such as age,income"))
        return names_in_text(names)

    return read


def draw(key: str, setting: Setting, **more: Any) -> None:
    """Draw the list of columns of the table in use."""
    dataset = library.find(library.chosen_key())
    features = () if dataset is None else dataset.features
    names = [feature.name for feature in features]
    chosen = read_names(st.session_state.get(key, setting.default))
    widget = f"{key} columns"
    st.session_state[widget] = [name for name in names if name in chosen]
    st.multiselect(
        say(setting.label), names, key=widget, placeholder=say("None: splits may ask about every column"),
        on_change=callback(_take), args=(key, widget, features), **{"help": say(setting.words), **more},
    )  # fmt: skip


def in_short(text: str) -> str:
    """Columns of a text in a few words."""
    return _left_out_label(read_names(text))


def among(text: str, dataset: Dataset) -> str:
    """The text without columns that the data do not have."""
    names = {feature.name for feature in dataset.features}
    return names_in_text(name for name in read_names(text) if name in names)


def in_force(dataset: Dataset, numbers: Sequence[int] | None) -> str:
    """Say which columns no split of a model asks about, by their numbers; empty without any."""
    out, names = numbers or (), dict[str, None]()
    for at in out:
        column, name = column_name(dataset.features[at]), dataset.features[at].name
        if set(column_parts(dataset.features, [at])) <= set(out):
            names[plain(column)] = None
        else:  # of a date a part, which has a name of its own, or the date itself, which has the column's
            names[say("{name} (the date alone)", name=plain(name)) if name == column else plain(name)] = None
    return _left_out_sentence(list(names)) if names else ""


def _take(key: str, widget: str, features: Sequence[Feature]) -> None:
    """Write what is chosen: a date goes, and comes back, with its month and weekday, which go each by itself."""
    before, chosen = set(read_names(st.session_state.get(key, ""))), set(st.session_state[widget])
    dates = [f for f, one in enumerate(features) if one.moment is not None and one.moment.part == "date"]
    for f in dates:
        if (features[f].name in before) != (features[f].name in chosen):
            parts = {features[part].name for part in column_parts(features, [f])}
            chosen = chosen | parts if features[f].name in chosen else chosen - parts
    st.session_state[key] = names_in_text(one.name for one in features if one.name in chosen)


def _left_out_label(names: Sequence[str]) -> str:
    """Columns that no split may ask about in a few words, on a button and in a list of settings."""
    return say("without {names}", names=", ".join(names)) if names else say("every column")


def _left_out_sentence(names: Sequence[str]) -> str:
    """What holds of a model that was grown without some columns; they are Markdown.

    >>> left_out_in_force(["age", "income"])
    'No split asks about age or income.'
    """
    text = say(" or ").join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return say("No split asks about {text}.", text=text)
