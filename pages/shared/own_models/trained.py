"""The rows that a person's own model was trained on: no score counts them, and where unknown, scores say so."""

from __future__ import annotations

import hashlib

import numpy as np
import streamlit as st

from espalier.data import Dataset, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.filters import Column, Condition, Filter
from espalier.data.subset import mask_of, row_numbers
from espalier.display.theme import count
from espalier.language import Refusal, Texts, say
from pages.shared.app import sessions
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import Store


def judging_sentence(rows: str) -> str:
    """The rows that judge it, in a sentence."""
    return say("Not fitted here. Scores are on {rows}.", rows=rows)


def differences_heading(title: str, may_have_seen: bool) -> str:
    """Heading of the differences from the models that are fitted fold by fold."""
    if not may_have_seen:
        return say("**{title} beside the others**, on the rows of each fold that are new to it.", title=title)
    return say(
        "**{title} beside the others**, on the rows of each fold. It may have been trained on them, which would "
        "flatter it: say above what it was trained on.",
        title=title,
    )


# ---- the rows that a person's own model was trained on: no score counts them, and where unknown, scores say so

WAY_LABELS = Texts(
    {
        "": "Not known",
        "none": "No row of this table",
        "all": "All rows of this table",
        "column": "Rows that a column marks",
        "file": "Rows listed in a file",
    }
)

KEY = "own-trained"  # in the session state
UNKNOWN, NONE, ALL, COLUMN, FILE = "", "none", "all", "column", "file"  # ways of saying it
WAYS = (UNKNOWN, NONE, ALL, COLUMN, FILE)
WAY, MARK, VALUES, UPLOAD, WRONG = (f"{KEY}-{what}" for what in ("way", "mark", "values", "upload", "wrong"))
MARKED = f"{KEY}-marked"  # the column, before a value of it is chosen
MOST_VALUES = 12  # of a column that may mark rows
MOST_MB = 20  # of a file of row numbers
MOST_KEPT = 16  # such files


def entry() -> Entry:
    """What is said of them, as part of the address: a word, a filter, or the digest of a file."""
    return Entry(KEY, UNKNOWN, _read, name="trained")


def _read(text: str) -> str:
    if text in WAYS or _is_file(text):
        return text
    try:
        return filter_of(text).text
    except FilterError:
        raise ValueError(say("none, all, a condition on a column, or the name of a file of row numbers")) from None


def _is_file(text: str) -> bool:
    head, _, digest = text.partition("-")
    return head == FILE and len(digest) == 32 and set(digest) <= set("0123456789abcdef")


@st.cache_resource(show_spinner=False)
def store() -> Store[bytes]:
    """The server's files of row numbers."""
    return Store(MOST_KEPT)


def mask(dataset: Dataset, text: str) -> np.ndarray | None:
    """(n_samples,) bool: the rows; None where they are not known. Raises ValueError for another table's."""
    n = len(dataset.y)
    if text in (UNKNOWN, COLUMN, FILE):
        return None
    if text in (NONE, ALL):
        return np.full(n, text == ALL)
    if not _is_file(text):
        return mask_of(dataset, filter_of(text))
    data = store().find(text.partition("-")[2])
    if data is None:
        return None
    rows = np.zeros(n, bool)
    rows[row_numbers(data.decode("utf-8"), n)] = True
    return rows


def fault(dataset: Dataset, text: str) -> str:
    """Why this cannot be said of the table, Markdown; "" where it can."""
    try:
        mask(dataset, text)
    except ValueError as wrong:
        return _wrong_rows_note(plain(str(wrong)))
    return ""


def why_not(dataset: Dataset, text: str) -> str:
    """Why a model of which this is said cannot be judged on the table, Markdown; "" where it can."""
    if wrong := fault(dataset, text):
        return wrong
    rows = mask(dataset, text)
    return (
        say(
            "**It was trained on every row of this table**, so no row is left to judge it by. "
            "Open a table with rows that are new to it, or say which rows are."
        )
        if rows is not None and rows.all()
        else ""
    )


def judged_on(dataset: Dataset, text: str) -> str:
    """The rows that judge a model of which this is said, in words: "the 45 rows that it was not trained on"."""
    rows = mask(dataset, text)
    if rows is None:
        return say("rows that it may have been trained on")
    n, of = int((~rows).sum()), len(rows)
    if n == of:
        return say("all {of} rows, which are new to it", of=count(of))
    if not n:
        return say("no row: it was trained on all")
    return say("the {n} of {of} rows that it was not trained on", n=count(n), of=count(of))


def draw(dataset: Dataset) -> None:
    """The question which rows the model was trained on."""
    text = st.session_state[KEY]
    st.session_state[WAY] = _way(text)
    columns = {
        name: column
        for name, column in columns_of(dataset).items()
        if len(column.categories) > 1 or len(np.unique(column.values)) <= MOST_VALUES
    }
    ways = [way for way in WAYS if way != COLUMN or columns]
    st.selectbox(
        say("Trained on"),
        ways,
        format_func=WAY_LABELS.__getitem__,
        key=WAY,
        help=say(
            "Which rows of this table the model has learnt from. A score on these says nothing of new rows, so "
            "they are left out of every score. While you do not say, all rows count, and every score says so."
        ),
        on_change=callback(_take_way),
    )
    if _way(text) == COLUMN:
        _pick_column(columns, text)
    elif _way(text) == FILE:
        st.file_uploader(
            say("File of row numbers"),
            ["txt", "csv"],
            key=UPLOAD,
            max_upload_size=MOST_MB,
            on_change=callback(_take_file),
            args=(dataset,),
            help=say("A text file with the number of a row in each line, from 1; a heading may stand above."),
        )
    if wrong := st.session_state.pop(WRONG, "") or why_not(dataset, text):
        st.warning(wrong)
    elif text not in (COLUMN, FILE):
        st.caption(judging_sentence(judged_on(dataset, text)))


def _way(text: str) -> str:
    return text if text in WAYS else FILE if _is_file(text) else COLUMN


def _take_way() -> None:
    st.session_state[KEY] = st.session_state[WAY]


def _pick_column(columns: dict[str, Column], text: str) -> None:
    """The column that marks the rows, and the values that mark those that it was trained on."""
    there = None if text == COLUMN else filter_of(text).alternatives[0][0]
    name = st.session_state.get(MARKED) if there is None else there.column
    st.session_state[MARK] = name if name in columns else None
    st.selectbox(
        say("Column that marks them"),
        list(columns),
        key=MARK,
        index=None,
        on_change=callback(_take_column),
        args=(True,),
    )
    if (name := st.session_state[MARK]) is not None:
        marks = np.unique(columns[name].values[np.isfinite(columns[name].values)]).tolist()
        offered = list(columns[name].categories) or [columns[name].text(float(mark)) for mark in marks]
        st.session_state[VALUES] = [one for one in ([] if there is None else there.values) if one in offered]
        st.multiselect(
            say("Values of the rows it was trained on"),
            offered,
            key=VALUES,
            on_change=callback(_take_column),
            args=(False,),
        )


def _take_column(is_new: bool) -> None:
    values = () if is_new else tuple(st.session_state[VALUES])
    name = st.session_state[MARKED] = st.session_state[MARK]
    st.session_state[KEY] = Filter(((Condition(name, "in", values),),)).text if values else COLUMN


def _take_file(dataset: Dataset) -> None:
    file = sessions.take_file(UPLOAD)
    if file is None:
        return
    try:
        row_numbers(file.data.decode("utf-8-sig"), len(dataset.y))
    except UnicodeDecodeError:
        st.session_state[WRONG] = say("The file is no text. Write the number of a row in each line, from 1.")
    except Refusal as wrong:
        st.session_state[WRONG] = _wrong_rows_note(plain(str(wrong)))
    else:
        digest = hashlib.blake2b(file.data, digest_size=16).hexdigest()
        store().put(digest, file.data.removeprefix(b"\xef\xbb\xbf"))
        st.session_state[KEY] = f"{FILE}-{digest}"


def _wrong_rows_note(why: str) -> str:
    """Rows that cannot be taken, with the reason in Markdown."""
    return say("The rows that it was trained on are not clear: {why}.", why=why.rstrip("."))
