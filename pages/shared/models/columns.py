"""Settings that say something of columns, directions or splits: how they are read, drawn and said.

The value under a setting's key is a text. The widget has a key of its own: its list depends on the table, and what
a link says of another table's columns stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset, column_parts
from espalier.display.text.settings import split_words
from espalier.language import say, to_say
from espalier.learners.catalogue import Setting
from espalier.learners.catalogue.estimators import read_splits, splits_in_text
from espalier.learners.catalogue.settings import COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS
from espalier.learners.forbidden import names_in_text, read_names
from espalier.learners.monotone import WORDS, directions_in_words, read_directions
from pages.shared.app.frame import callback
from pages.shared.data import library

NORMAL: Mapping[str, Callable[[str], str]] = {  # a text as a model has it; ValueError for another
    COLUMN_DIRECTIONS: lambda text: directions_in_words(read_directions(text)),
    COLUMN_NAMES: lambda text: names_in_text(read_names(text)),
    COLUMN_SPLITS: lambda text: splits_in_text(read_splits(text)),
}
EXPECTED = {
    COLUMN_DIRECTIONS: to_say("names of columns, each with one of :rising and :falling, such as age:rising"),
    COLUMN_NAMES: to_say("names of columns, such as age,income"),
    COLUMN_SPLITS: to_say(
        "splits, each with the way to it, its column and its threshold, such as :age:40,L:income:3000"
    ),
}
NONE = {
    COLUMN_DIRECTIONS: to_say("None: predictions may do both"),
    COLUMN_NAMES: to_say("None: splits may ask about every column"),
    COLUMN_SPLITS: to_say("None: choose them by hand on the page Tree"),
}


def reader(setting: Setting) -> Callable[[str], str]:
    """Reader of its values in the address."""

    def read(text: str) -> str:
        try:
            if normal := NORMAL[setting.of_columns](text):
                return normal
        except ValueError:
            pass
        raise ValueError(say(EXPECTED[setting.of_columns]))

    return read


def draw(key: str, setting: Setting, why_not: str = "", **more: Any) -> None:
    """Draw its list of columns of the table in use, with both directions each, or of the splits that there are.

    `why_not` is the reason for which none can be chosen.
    """
    kind, dataset = setting.of_columns, library.find(library.chosen_key())
    text, features = st.session_state.get(key, setting.default), () if dataset is None else dataset.features
    titles, values, placeholder = _options(kind, text, dataset), NORMAL[kind](text), say(NONE[kind])
    if kind == COLUMN_DIRECTIONS and dataset is not None and len(dataset.classes) > 2:
        why_not = say("Not with three classes or more")
    if why_not:
        titles, placeholder = {}, why_not
    there = {NORMAL[kind](each) for each in _parts(kind, values)}
    widget = f"{key} columns"
    st.session_state[widget] = [one for one in titles if kind == COLUMN_SPLITS or one in there]
    st.multiselect(
        say(setting.label), list(titles), key=widget, format_func=titles.__getitem__, placeholder=placeholder,
        disabled=not titles, on_change=callback(_take), args=(key, widget, kind, features),
        **{"help": say(setting.words), **more},
    )  # fmt: skip


def _parts(kind: str, text: str) -> list[str]:
    """The texts of the single columns in a text."""
    if kind == COLUMN_DIRECTIONS:
        return [directions_in_words({name: way}) for name, way in read_directions(text).items()]
    return [names_in_text([name]) for name in read_names(text)] if kind == COLUMN_NAMES else []


def _options(kind: str, text: str, dataset: Dataset | None) -> dict[str, str]:
    """What the list offers, with its titles: splits by the way to them, else texts of single columns."""
    if kind == COLUMN_SPLITS:
        return {path: split_words(path, split) for path, split in read_splits(text).items()}
    if dataset is None:
        return {}
    if kind == COLUMN_NAMES:
        return {names_in_text([feature.name]): feature.name for feature in dataset.features}
    pairs = zip(dataset.features, dataset.categorical, strict=True)
    numbers = [feature.name for feature, is_set in pairs if not is_set]
    return {
        directions_in_words({name: way}): f"{'↑' if way > 0 else '↓'} {name}"
        for name in numbers
        for way in WORDS.values()
    }


def _take(key: str, widget: str, kind: str, features: Sequence[Any]) -> None:
    """Write what is chosen: of two directions of a column the later one; splits without those above go, too.

    A date goes, and comes back, with its month and weekday, which go each by itself.
    """
    choice = st.session_state[widget]
    if kind == COLUMN_DIRECTIONS:
        st.session_state[key] = directions_in_words(read_directions(",".join(choice)))
    elif kind == COLUMN_SPLITS:
        splits = read_splits(st.session_state[key])
        rooted = [path for path in splits if all(path[:n] in choice for n in range(len(path) + 1))]
        st.session_state[key] = splits_in_text({path: splits[path] for path in rooted})
    else:
        before, names = set(read_names(st.session_state.get(key, ""))), set(read_names(",".join(choice)))
        for f in (f for f, one in enumerate(features) if one.moment is not None and one.moment.part == "date"):
            if (features[f].name in before) != (features[f].name in names):
                parts = {features[part].name for part in column_parts(features, [f])}
                names = names | parts if features[f].name in names else names - parts
        st.session_state[key] = names_in_text(one.name for one in features if one.name in names)
