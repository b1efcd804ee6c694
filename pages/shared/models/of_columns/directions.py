"""The directions of columns: a list of numbers with which predictions may only rise, or only fall.

The value under the setting's key is a text (`learners.monotone.read_directions`). The widget has a key of its own:
its list depends on the table, and what a link says of another table's columns stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.text.trees import join
from espalier.language import say
from espalier.learners.catalogue import Setting
from espalier.learners.monotone import WORDS, directions_in_words, read_directions
from pages.shared.app.frame import callback, plain
from pages.shared.data import library


def reader() -> Callable[[str], str]:
    """Reader of directions in the address, as the text that a model has."""

    def read(text: str) -> str:
        try:
            return directions_in_words(read_directions(text))
        except ValueError:
            raise ValueError(
                say("names of columns, each with one of :rising and :falling, such as age:rising")
            ) from None

    return read


def draw(key: str, setting: Setting, why_not: str = "", **more: Any) -> None:
    """Draw the list of columns of the table in use; `why_not` is the reason for which none can be chosen."""
    dataset = library.find(library.chosen_key())
    offered = _offered(dataset) if dataset is not None else {}
    why_not = why_not or _reason_against_directions(
        len(dataset.classes) if dataset is not None else 0, len(offered)
    )
    chosen = read_directions(st.session_state.get(key, setting.default))
    widget = f"{key} columns"
    st.session_state[widget] = [text for text, (name, one) in offered.items() if chosen.get(name) == one]
    st.multiselect(
        say(setting.label),
        list(offered),
        key=widget,
        format_func=lambda text: _in_words(*offered[text]),
        placeholder=why_not or say("None: predictions may do both"),
        disabled=bool(why_not),
        on_change=callback(_take),
        args=(key, widget),
        **{"help": say(setting.words), **more},
    )


def in_short(text: str) -> str:
    """Directions of a text in a few words."""
    return _directions_label(read_directions(text))


def among(text: str, dataset: Dataset) -> str:
    """The text without columns that the data do not have; empty where predictions can have no directions."""
    names = {feature.name for feature in dataset.features}
    there = {name: one for name, one in read_directions(text).items() if name in names}
    return directions_in_words(there) if len(dataset.classes) < 3 else ""


def in_force(dataset: Dataset, directions: Sequence[int] | None) -> str:
    """Say which directions, one for each column, the predictions of a model have; empty without any."""
    if directions is None:
        return ""
    named, directed = zip(dataset.features, directions, strict=True), dataset.target.directed
    of_class = plain(dataset.classes[directed]) if len(dataset.classes) == 2 else ""
    sign = 1 if directed or not of_class else -1  # the learner directs the second class
    there = {plain(one.name): sign * direction for one, direction in named if direction}
    return _directions_sentence(there, of_class)


def _offered(dataset: Dataset) -> dict[str, tuple[str, int]]:
    """The columns of numbers, each with both directions, by the texts of the address."""
    numbers = [one for one, is_set in zip(dataset.features, dataset.categorical, strict=True) if not is_set]
    pairs = [(feature.name, direction) for feature in numbers for direction in WORDS.values()]
    return {directions_in_words({name: direction}): (name, direction) for name, direction in pairs}


def _in_words(name: str, direction: int) -> str:
    return f"{('↑' if direction > 0 else '↓')} {name}"


def _take(key: str, widget: str) -> None:
    """Write what is chosen; of both directions of a column the later one counts."""
    st.session_state[key] = directions_in_words(read_directions(",".join(st.session_state[widget])))


def _reason_against_directions(n_classes: int, n_offered: int) -> str:
    """The reason for which no column may have a direction, or an empty text."""
    if n_classes > 2:
        return say("Not with three classes or more")
    return "" if n_offered else say("No columns of numbers")


def _direction(name: str, direction: int) -> str:
    """What predictions may do with a column."""
    return say("rises with {name}" if direction > 0 else "falls with {name}", name=name)


def _directions_sentence(directions: Mapping[str, int], of_class: str) -> str:
    """What predictions do with columns; `of_class` is the one of two that they are about, empty for numbers."""
    parts = [_direction(name, one) for name, one in directions.items()]
    text = join([say("only {part}", part=part) for part in parts], "and")
    subject = say("The share of {of_class}", of_class=of_class) if of_class else say("The prediction")
    return say("{subject} {text}, if all else stays as it is.", subject=subject, text=text)


def _directions_label(directions: Mapping[str, int]) -> str:
    """The directions of columns in a few words, on a button and in a list of settings."""
    parts = [_direction(name, one) for name, one in directions.items()]
    return say("prediction {parts}", parts=", ".join(parts)) if parts else say("no monotone columns")
