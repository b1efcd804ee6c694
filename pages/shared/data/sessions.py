"""Saving a session to a file and opening one, on the Data page."""

from __future__ import annotations

import datetime
import json
from typing import NamedTuple

import streamlit as st

from espalier.data.columns.convert import TableRecipe
from espalier.data.dataset import Dataset
from espalier.data.options import from_plain, to_plain
from espalier.language import say
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import address, sessions
from pages.shared.app.frame import callback, plain
from pages.shared.app.pictures import file_name
from pages.shared.data import draft, library

FOLD = "sessions"  # key of the fold
UPLOAD, AWAITED, WRONG = "session-upload", "session-awaited", "session-wrong"  # keys of the session state
FORMAT, VERSION = "espalier-session", 2  # 1: without how the file of the table was read
MOST_KEYS, MOST_LETTERS = 2_000, 100_000  # of a file that is opened: values, and letters of one


def draw(dataset: Dataset) -> None:
    """Draw the fold in which a session is saved and opened."""
    fold = st.expander(say("Saved sessions"), icon=":material/save:", key=FOLD, on_change="rerun")
    if not fold.open:
        return
    values = address.set_texts()
    name = f"espalier-{file_name(dataset.name)}-{datetime.date.today().isoformat()}.json"
    with fold:
        st.download_button(
            say("Save this session (.json)"), lambda: _file(dataset, values), name, "application/json",
            help=say("What is set on all pages, and how the table was read; none of its rows."),
            on_click="ignore", key="save session", icon=":material/download:", width="stretch",
        )  # fmt: skip
        if MAX_UPLOAD_MB:
            st.file_uploader(
                say("Open a session"), ["json"], key=UPLOAD, max_upload_size=1, on_change=callback(_open)
            )


def note(dataset: Dataset) -> None:
    """Say what came of a file that was opened, and whether the table in use is the one that it is about."""
    if wrong := st.session_state.pop(WRONG, ""):
        st.error(say("The session was not opened: {wrong}. What you had is unchanged.", wrong=plain(wrong)))
    awaited: SavedTable | None = st.session_state.get(AWAITED)
    if awaited is None:
        return
    own = library.find(awaited.key)  # with the words for its columns, its classes and its rows
    if own is not None and own.digest == awaited.digest != dataset.digest:
        library.take(awaited.key)
        st.rerun()
    if awaited.digest == dataset.digest:
        st.success(say("The session is open: every page is set as it was saved."), icon=":material/check:")
        del st.session_state[AWAITED]
        address.wait_no_more()
        st.session_state.pop(draft.WANTED, None)
        return
    recipe: TableRecipe | None = st.session_state.get(draft.WANTED)
    words = say(
        "The session is about another table: upload {file} ({n_rows} rows, {n_columns} columns).",
        file=plain(awaited.name if recipe is None else recipe.filename),
        n_rows=awaited.n_rows,
        n_columns=awaited.n_columns,
    )
    st.warning(words, icon=":material/table_chart_view:")


def _file(dataset: Dataset, values: dict[str, str]) -> str:
    table = table_of(dataset, library.key_of(dataset))
    whole = library.find_whole(library.own_text(table.key)) or dataset  # without the words for its columns
    return written(SavedSession(table, values, library.recipe_of(whole)))


def _open() -> None:
    """Set everything as the file says, and take its table if that is here (a callback)."""
    file = sessions.take_file(UPLOAD)
    if file is None:
        return
    try:
        session = read(file.data)
    except ValueError as wrong:
        st.session_state[WRONG] = str(wrong)
        return
    address.arrive()
    here = library.find(session.table.key)
    is_here = here is not None and here.digest == session.table.digest
    address.bring(session.values, waits=not is_here)
    st.session_state[AWAITED], st.session_state[draft.WANTED] = session.table, session.recipe
    if is_here:
        library.take(session.table.key)


# ---- the file


class SavedTable(NamedTuple):
    """The table of a session, as far as it can be recognised without its rows."""

    key: str  # its text in addresses
    name: str
    digest: str
    n_rows: int
    n_columns: int


class SavedSession(NamedTuple):
    """A session."""

    table: SavedTable
    values: dict[str, str]  # texts of what is set, by the keys of entries
    recipe: TableRecipe | None = None  # how the table's file was read; None where that is not known


def table_of(dataset: Dataset, key: str) -> SavedTable:
    """The table as the file names it."""
    return SavedTable(key, dataset.name, dataset.digest, len(dataset.y), len(dataset.features))


def written(session: SavedSession) -> str:
    """The file, as JSON."""
    content = {"format": FORMAT, "version": VERSION, "table": session.table._asdict(), "values": session.values}
    if session.recipe is not None:
        content["reading"] = to_plain(session.recipe)
    return json.dumps(content, ensure_ascii=False, indent=1)


def read(content: bytes) -> SavedSession:
    """The session of a file. Raises ValueError, in the language that is spoken, with what is wrong and where."""
    try:
        there = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        there = None
    if not isinstance(there, dict) or there.get("format") != FORMAT:
        raise ValueError(say("this is no file of a session"))
    version = there.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(say("it was saved by a newer version of Espalier"))
    try:
        session = from_plain(SavedSession, {**there, "recipe": there.get("reading")}, "session")
        if len(session.values) > MOST_KEYS or any(len(text) > MOST_LETTERS for text in session.values.values()):
            raise ValueError("session.values")
    except ValueError as wrong:
        raise ValueError(say("its part {where} cannot be read", where=str(wrong))) from None
    return session
