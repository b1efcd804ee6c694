"""The rows that a person's own model was trained on: no score counts them, and where unknown, scores say so."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data import Dataset, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.filters import Column, Condition, Filter
from espalier.data.subset import mask_of
from espalier.display.theme import count
from espalier.language import Texts, say
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links import Gone

KEY = "own-trained"  # in the session state
UNKNOWN, NONE, ALL, COLUMN = "", "none", "all", "column"  # ways of saying it
WAYS = Texts(
    {
        UNKNOWN: "Not known",
        NONE: "No row of this table",
        ALL: "All rows of this table",
        COLUMN: "Rows that a column marks",
    }
)
WAY, MARK, VALUES, MARKED = (f"{KEY}-{what}" for what in ("way", "mark", "values", "marked"))
MOST_VALUES = 12  # of a column that may mark rows


def entry() -> Entry:
    """What is said of them, as part of the address: a word, or a filter."""
    return Entry(KEY, UNKNOWN, _read, name="trained")


def _read(text: str) -> str:
    if text in WAYS:
        return text
    if text.startswith("file"):
        raise Gone(say("files of row numbers are read no more; let a column of the table mark the rows"))
    try:
        return filter_of(text).text
    except FilterError:
        raise ValueError(say("none, all, or a condition on a column")) from None


def mask(dataset: Dataset, text: str) -> np.ndarray | None:
    """(n_samples,) bool: the rows; None where they are not known. Raises ValueError for another table's."""
    if text in (UNKNOWN, COLUMN):
        return None
    if text in (NONE, ALL):
        return np.full(len(dataset.y), text == ALL)
    return mask_of(dataset, filter_of(text))


def fault(dataset: Dataset, text: str) -> str:
    """Why this cannot be said of the table, Markdown; "" where it can."""
    try:
        mask(dataset, text)
    except ValueError as wrong:
        why = plain(str(wrong)).rstrip(".")
        return say("The rows that it was trained on are not clear: {why}.", why=why)
    return ""


def why_not(dataset: Dataset, text: str) -> str:
    """Why a model of which this is said cannot be judged on the table, Markdown; "" where it can."""
    if wrong := fault(dataset, text):
        return wrong
    rows = mask(dataset, text)
    every = say("**It was trained on every row of this table**, so none is left to judge it.")
    return "" if rows is None or not rows.all() else every


def judged_on(dataset: Dataset, text: str) -> str:
    """The rows that judge a model of which this is said, in a sentence."""
    rows = mask(dataset, text)
    if rows is None:
        return say("Not fitted here. Judged on rows that it may have been trained on.")
    n, total = count(int((~rows).sum())), count(len(rows))
    return say("Not fitted here. Judged on the {n} of {total} rows that it was not trained on.", n=n, total=total)


def differences_heading(title: str, may_have_seen: bool) -> str:
    """Heading of the differences from the models that are fitted fold by fold."""
    return say(
        "**{title} beside the others**, on the rows of each fold, on which it may have been trained."
        if may_have_seen
        else "**{title} beside the others**, on the rows of each fold that are new to it.",
        title=title,
    )


def draw(dataset: Dataset) -> None:
    """The question which rows the model was trained on."""
    text = st.session_state[KEY]
    st.session_state[WAY] = way = text if text in WAYS else COLUMN
    columns = {
        name: column
        for name, column in columns_of(dataset).items()
        if len(column.categories) > 1 or len(np.unique(column.values)) <= MOST_VALUES
    }
    st.selectbox(
        say("Trained on"), [way for way in WAYS if way != COLUMN or columns], format_func=WAYS.__getitem__,
        key=WAY, help=say("Rows that it has learnt from say nothing of new ones: no score counts them."),
        on_change=callback(_take_way),
    )  # fmt: skip
    if way == COLUMN:
        _pick_column(columns, text)
    if wrong := why_not(dataset, text):
        st.warning(wrong)
    elif text != COLUMN:
        st.caption(judged_on(dataset, text))


def _take_way() -> None:
    st.session_state[KEY] = st.session_state[WAY]


def _pick_column(columns: dict[str, Column], text: str) -> None:
    """The column that marks the rows, and the values that mark those that it was trained on."""
    there = None if text == COLUMN else filter_of(text).alternatives[0][0]
    name = st.session_state.get(MARKED) if there is None else there.column
    st.session_state[MARK] = name if name in columns else None
    label = say("Column that marks them")
    st.selectbox(label, list(columns), key=MARK, index=None, on_change=callback(_take_column), args=(True,))
    if (name := st.session_state[MARK]) is not None:
        marks = np.unique(columns[name].values[np.isfinite(columns[name].values)]).tolist()
        offered = list(columns[name].categories) or [columns[name].text(float(mark)) for mark in marks]
        st.session_state[VALUES] = [one for one in ([] if there is None else there.values) if one in offered]
        label = say("Values of the rows it was trained on")
        st.multiselect(label, offered, key=VALUES, on_change=callback(_take_column), args=(False,))


def _take_column(is_new: bool) -> None:
    values = () if is_new else tuple(st.session_state[VALUES])
    name = st.session_state[MARKED] = st.session_state[MARK]
    st.session_state[KEY] = Filter(((Condition(name, "in", values),),)).text if values else COLUMN
