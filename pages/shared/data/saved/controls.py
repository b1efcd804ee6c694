"""Saving a session to a file and opening one, on the Data page."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

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


def draw(dataset: Dataset) -> None:
    """Draw the fold in which a session is saved and opened."""
    fold = st.expander(say("Saved sessions"), icon=":material/save:", key=FOLD, on_change="rerun")
    if not fold.open:
        return
    values = address.set_texts()
    name = f"espalier-{file_name(dataset.name)}-{datetime.date.today().isoformat()}.json"
    with fold:
        st.download_button(
            say("Save this session (.json)"), lambda: _file(dataset, values), name,
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


FORMAT, VERSION = "espalier-session", 2  # 1: without how the file of the table was read
MOST_KEYS, MOST_LETTERS = 2_000, 100_000  # of a file that is opened: values, and letters of one


class SavedTable(NamedTuple):
    """The table of a session, as far as it can be recognised without its rows."""

    key: str  # its text in addresses
    name: str
    digest: str
    n_rows: int
    n_columns: int


KINDS = {"key": str, "name": str, "digest": str, "n_rows": int, "n_columns": int}  # of a table's facts


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
        found = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(say("this is no file of a session: it is not JSON")) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(say("this is no file of a session: it does not name the format {form}", form=FORMAT))
    version = found.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(
            say("it was saved by a newer version of Espalier; this one reads version {version}", version=VERSION)
        )
    return SavedSession(_table(found.get("table")), _values(found.get("values")), _recipe(found.get("reading")))


def _table(found: Any) -> SavedTable:
    if not isinstance(found, Mapping) or any(type(found.get(name)) is not kind for name, kind in KINDS.items()):
        raise ValueError(say("the file does not say which table the session is about"))
    return SavedTable(**{name: found[name] for name in KINDS})


def _recipe(found: Any) -> TableRecipe | None:
    try:
        return None if found is None else from_plain(TableRecipe, found, "reading")
    except ValueError as wrong:
        raise ValueError(
            say("what it says about how the table was read cannot be used ({where})", where=str(wrong))
        ) from None


def _values(found: Any) -> dict[str, str]:
    if not isinstance(found, Mapping) or len(found) > MOST_KEYS:
        raise ValueError(say("the file does not say what was set"))
    wrong = [key for key, text in found.items() if not isinstance(text, str) or len(text) > MOST_LETTERS]
    if wrong:
        raise ValueError(say("the value of {key} is no text", key=wrong[0][:40]))
    return dict(found)
