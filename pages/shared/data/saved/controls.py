"""Saving a session to a file and opening one, on the Data page."""

from __future__ import annotations

import datetime

import streamlit as st

from espalier.data.columns.convert import TableRecipe
from espalier.data.dataset import Dataset
from espalier.language import say
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import address, sessions
from pages.shared.app.frame import callback, plain
from pages.shared.app.pictures import file_name
from pages.shared.data import draft, library
from pages.shared.data.saved import session_file
from pages.shared.data.saved.session_file import SavedSession, SavedTable

UPLOAD, AWAITED, WRONG = "session-upload", "session-awaited", "session-wrong"  # keys of the session state


def draw(dataset: Dataset) -> None:
    """Draw the button behind which a session is saved and opened."""
    values = address.set_texts()
    with st.popover(
        say("Session"),
        icon=":material/save:",
        help=say("Save what is set on all pages to a file, or go on with one that was saved."),
    ):
        st.download_button(
            say("Save this session (.json)"), lambda: _file(dataset, values), _name(dataset),
            "application/json", on_click="ignore", key="save session", icon=":material/download:", width="stretch",
        )  # fmt: skip
        st.caption(
            say(
                "The file holds what is set on all pages, the name and digest of the table, and how "
                "its file was read, but none of its rows: keep the table beside it."
            )
        )
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
    else:
        name, in_use = plain(awaited.name), plain(dataset.name)
        said = say(
            "Every page is set as the session says, but it is about another table: “{name}”, with {n_rows} rows "
            "and {n_columns} columns beside the target; in use is “{in_use}”.",
            name=name,
            n_rows=awaited.n_rows,
            n_columns=awaited.n_columns,
            in_use=in_use,
        )
        recipe: TableRecipe | None = st.session_state.get(draft.WANTED)
        how = (
            say("Upload its file below, and have it read in the same way as then.")
            if recipe is None
            else say(
                "Upload its file, {name}, below: it will be read as it was then.", name=plain(recipe.filename)
            )
        )
        st.warning(f"{said} {how}", icon=":material/table_chart_view:")


def _file(dataset: Dataset, values: dict[str, str]) -> str:
    table = session_file.table_of(dataset, library.key_of(dataset))
    whole = library.find_whole(library.own_text(table.key)) or dataset  # without the words for its columns
    return session_file.written(SavedSession(table, values, library.recipe_of(whole)))


def _name(dataset: Dataset) -> str:
    name = file_name(dataset.name)
    return f"espalier-{name or 'session'}-{datetime.date.today().isoformat()}.json"


def _open() -> None:
    """Set everything as the file says, and take its table if that is here (a callback)."""
    file = sessions.take_file(UPLOAD)
    if file is None:
        return
    try:
        session = session_file.read(file.data)
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
