"""Saving a session to a file and opening one, on the Data page."""

from __future__ import annotations

import datetime

import streamlit as st

from espalier.data.columns.convert import TableRecipe
from espalier.data.dataset import Dataset
from espalier.data.sessions import SavedSession, SavedTable, read_session, session_text, table_of
from espalier.language import say
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import address, sessions
from pages.shared.app.frame import callback, plain
from pages.shared.app.pictures import file_name
from pages.shared.data import draft, library

FOLD = "sessions"  # key of the fold
UPLOAD, AWAITED, WRONG = "session-upload", "session-awaited", "session-wrong"  # keys of the session state


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
    return session_text(SavedSession(table, values, library.recipe_of(whole)))


def _open() -> None:
    """Set everything as the file says, and take its table if that is here (a callback)."""
    file = sessions.take_file(UPLOAD)
    if file is None:
        return
    try:
        session = read_session(file[0])
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
