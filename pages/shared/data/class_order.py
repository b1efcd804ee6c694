"""The class that counts and the order of the classes: controls for the table in use, and for a draft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from espalier.data import Dataset
from espalier.data.dataset import ClassChoice, choice_by_names, table_and_choice
from espalier.language import Texts, say
from pages.shared.app.frame import callback
from pages.shared.data import library

GUESSED_BY = Texts(
    {"name": "guessed by its name", "rarity": "guessed as the rarer one", "choice": "as chosen before"}
)
MOST_CLASSES_LISTED = 6

COUNTS, ORDER = "class-counts", "class-order"  # keys of the session state


def in_use(dataset: Dataset) -> None:
    """Draw both for the table in use; what is chosen stands behind the table's text."""
    if not dataset.is_classification:
        return
    key = library.key_of(dataset)
    text, choice = table_and_choice(library.divided(key)[0])
    table = library.find(text) or dataset
    st.session_state[COUNTS] = "" if choice.positive is None else table.classes[choice.positive]
    st.session_state[ORDER] = [table.classes[code] for code in choice.order]
    _controls(table, COUNTS, ORDER, on_change=callback(_take), args=(text, table.classes))


def _controls(table: Dataset, counts: str, order: str, **terms: Any) -> None:
    """The class that counts, and those that come first; `table` has the classes as they were read."""
    marks, classes = table.target.marks, table.classes
    guess = guessed_class("" if marks.positive is None else classes[marks.positive], marks.by)
    st.selectbox(
        say("The class that counts"),
        ["", *classes],
        key=counts,
        help=say(
            "ROC, sensitivity, specificity and precision are of this class against all others, and of two classes "
            "the directions of columns are of its share. Its colour stays. *Term:* positive class."
        ),
        **terms,
        format_func=lambda name: name or guess,
    )
    st.multiselect(
        say("Classes that come first, in this order"),
        classes,
        key=order,
        help=say(
            "The others follow as they were. Legends, tables, pictures and exports have the classes in this "
            "order; each keeps its colour. Trees ask the same questions; a leaf with equal shares answers the "
            "class that comes first."
        ),
        placeholder=usual_order(classes),
        **terms,
    )


def _take(text: str, classes: tuple[str, ...]) -> None:
    if ORDER not in st.session_state or COUNTS not in st.session_state:
        return  # the message of a page came after the page had gone
    choice: ClassChoice = choice_by_names(classes, st.session_state[ORDER], st.session_state[COUNTS])
    library.take(library.with_rows(text + choice.text, library.divided(library.chosen_key())[1]))


def guessed_class(name: str, by: str) -> str:
    """The class that counts if nobody chooses one; an empty name: none does."""
    return f"{name}, {GUESSED_BY[by]}" if name else say("none", context="class")


def usual_order(classes: Sequence[str]) -> str:
    """The order of classes if nobody chooses one."""
    more = ", …" if len(classes) > MOST_CLASSES_LISTED else ""
    return say("as they are: {classes}{more}", classes=", ".join(classes[:MOST_CLASSES_LISTED]), more=more)
