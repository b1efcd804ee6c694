"""The class that counts and the order of the classes: controls for the table in use, and for a draft."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.data import Dataset
from espalier.data.class_choice import ClassChoice, choice_by_names, table_and_choice, with_classes
from pages.shared.app.frame import callback, plain
from pages.shared.data import draft as drafts
from pages.shared.data import library
from pages.shared.data.draft import Draft
from pages.shared.words.data import page as words

COUNTS, ORDER = "class-counts", "class-order"  # keys of the session state
MOST_LETTERS = 24  # of a name on the button


def in_use(dataset: Dataset) -> None:
    """Draw both for the table in use, behind a button; what is chosen stands behind the table's text."""
    if not dataset.is_classification:
        return
    key = library.key_of(dataset)
    text, choice = table_and_choice(library.divided(key)[0])
    table = library.find(text) or dataset
    st.session_state[COUNTS] = "" if choice.positive is None else table.classes[choice.positive]
    st.session_state[ORDER] = [table.classes[code] for code in choice.order]
    with st.popover(_button(dataset), icon=":material/sort:"):
        _controls(table, COUNTS, ORDER, on_change=callback(_take), args=(text, table.classes))


def of_draft(draft: Draft, dataset: Dataset) -> Dataset:
    """Draw both for the table that a draft makes; it as chosen."""
    if not dataset.is_classification:
        return dataset
    counts, order = f"{COUNTS} {draft.number} {draft.target}", f"{ORDER} {draft.number} {draft.target}"
    if st.session_state.get(counts, "") not in ("", *dataset.classes) or counts not in st.session_state:
        st.session_state[counts] = draft.positive if draft.positive in dataset.classes else ""
    there = st.session_state.get(order, draft.classes)
    st.session_state[order] = [name for name in there if name in dataset.classes]
    _controls(dataset, counts, order)
    positive, classes = st.session_state[counts], tuple(st.session_state[order])
    drafts.update(positive=positive, classes=classes)
    return with_classes(dataset, choice_by_names(dataset.classes, classes, positive))


def _controls(table: Dataset, counts: str, order: str, **terms: Any) -> None:
    """The class that counts, and those that come first; `table` has the classes as they were read."""
    marks, classes = table.target.marks, table.classes
    guess = words.as_guessed("" if marks.positive is None else classes[marks.positive], marks.by)
    st.selectbox(
        words.COUNTS, ["", *classes], key=counts, help=words.COUNTS_HELP, **terms,
        format_func=lambda name: name or guess,
    )  # fmt: skip
    st.multiselect(
        words.CLASS_ORDER, classes, key=order, help=words.CLASS_ORDER_HELP,
        placeholder=words.classes_as_they_are(classes), **terms,
    )  # fmt: skip


def _take(text: str, classes: tuple[str, ...]) -> None:
    if ORDER not in st.session_state or COUNTS not in st.session_state:
        return  # the message of a page came after the page had gone
    choice: ClassChoice = choice_by_names(classes, st.session_state[ORDER], st.session_state[COUNTS])
    library.take(library.with_rows(text + choice.text, library.divided(library.chosen_key())[1]))


def _button(dataset: Dataset) -> str:
    positive = dataset.target.positive
    if positive is None:
        return words.CLASSES_BUTTON
    name = dataset.classes[positive]
    return words.it_counts(plain(name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"))
