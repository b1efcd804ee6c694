"""The file of new rows that a session has brought: read as on the Data page, beside the page where it is large."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from concurrent.futures import CancelledError
from typing import NamedTuple

import streamlit as st

from espalier.data.background import FileReading
from espalier.data.choices import CODES
from espalier.data.columns.new_rows import columns_of_words
from espalier.data.contents import UnreadableFile, contents, is_small
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError
from espalier.data.options import ReadOptions
from espalier.data.table import Table
from espalier.display.theme import count
from espalier.language import say
from espalier.settings import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, guarded, plain, rerun
from pages.shared.data import intake as data_sentences
from pages.shared.data.intake import TYPES
from pages.shared.data.reading_options import show_choices
from pages.shared.jobs.watch import PATIENCE_SECONDS

KEY, WIDGET, PASTED = "new-rows", "new-rows-upload", "new-rows-pasted"  # keys of the session state


class RowFile(NamedTuple):
    """A file of new rows: its table, or what is wrong with it, or how far its reading is."""

    name: str
    source: bytes
    texts: Collection[str]  # names of columns that are text, also where their cells could be numbers
    digest: str  # of its bytes and of how they are read
    table: Table | None = None
    error: TableError | None = None
    reading: FileReading | None = None


def current() -> RowFile | None:
    """The session's file, if it has one."""
    return st.session_state.get(KEY)


def draw(dataset: Dataset) -> None:
    """Draw the two ways in: a file, or rows from the clipboard. Columns are text where the data set has text."""
    if not MAX_UPLOAD_MB:
        st.info(say(data_sentences.NO_UPLOADS))
        return
    left, right = st.columns(2)
    with left:
        st.file_uploader(
            say("Upload a file of new rows"),
            TYPES,
            max_upload_size=MAX_UPLOAD_MB,
            key=WIDGET,
            on_change=callback(_take_upload),
            args=(dataset,),
            help=data_sentences.limits(MAX_UPLOAD_MB, MAX_ROWS, MAX_COLUMNS, MAX_CELLS),
        )
    with right:
        st.text_area(say("Paste new rows"), key=PASTED, height=68, placeholder=say("Copied cells or lines of CSV"))
        st.button(
            say("Read the pasted rows"),
            on_click=callback(_take_paste),
            args=(dataset,),
            icon=":material/content_paste:",
        )


def _take_upload(dataset: Dataset) -> None:
    if (file := sessions.take_file(WIDGET)) is not None:
        _read_as(None, file.data, file.name, columns_of_words(dataset))


def _take_paste(dataset: Dataset) -> None:
    data = st.session_state[PASTED].encode("utf-8", "replace")
    _read_as(None, data, say("Pasted table"), columns_of_words(dataset))


def _read_as(options: ReadOptions | None, data: bytes, name: str, texts: Collection[str]) -> None:
    """Read a file and make it the session's: at once if it is small, else beside the page (a callback, too).

    Without options they are guessed. Its columns of the names `texts` are text, also where their cells could be
    numbers.
    """
    discard()
    new = RowFile(name, data, texts, hashlib.blake2b(data + repr(options).encode(), digest_size=8).hexdigest())
    if not is_small(data):
        st.session_state[KEY] = new._replace(reading=FileReading(data, name, options, texts))
        return
    try:
        st.session_state[KEY] = new._replace(table=contents(data, name, options, texts).table)
    except UnreadableFile as error:
        st.session_state[KEY] = new._replace(error=error)


def discard() -> None:
    """Forget the file (a callback)."""
    file = st.session_state.pop(KEY, None)
    if file is not None and file.reading is not None:
        file.reading.cancel()


def read() -> RowFile | None:
    """The session's file once it is read; None while it is not there, with the reason on the page."""
    _finish()
    file = current()
    if file is None:
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="file of new rows"):
        n = 0 if file.table is None else len(file.table.frame)
        n = say("{n} row" if n == 1 else "{n} rows", n=count(n)) if n else ""
        st.markdown(f"**{plain(file.name)}** {n}", width="stretch")
        st.button(say("Discard"), icon=":material/close:", on_click=callback(discard), type="tertiary")
    if file.reading is not None:
        _wait()
    if file.error is not None:
        st.error(f"**{plain(file.error.what)}** {plain(file.error.where)}\n\n{plain(file.error.todo)}")
    if file.table is None:
        return None
    show_choices(
        (choice for choice in file.table.choices if not choice.what.startswith(CODES)),  # the data set decides
        file.digest, _read_as, file.source, file.name, file.texts,
    )  # fmt: skip
    return file


def _finish(seconds: float = PATIENCE_SECONDS) -> None:
    """Take over the result of the reading, if it ends within so many seconds."""
    file = current()
    if file is None or file.reading is None:
        return
    try:
        st.session_state[KEY] = file._replace(table=file.reading.future.result(seconds).table, reading=None)
    except TimeoutError:
        return
    except CancelledError:
        discard()
    except UnreadableFile as error:
        st.session_state[KEY] = file._replace(error=error, reading=None)


@st.fragment(run_every=0.4)
@guarded
def _wait() -> None:
    """Draw how far the reading is."""
    file = current()
    if file is None or file.reading is None or file.reading.future.done():
        rerun()
        return
    step = file.reading.step
    text = data_sentences.progress_text(step) if step else say("Other files are read first.")
    with st.container(horizontal=True, vertical_alignment="center", key="reading new rows"):
        st.progress(min(max(file.reading.share, 0.0), 1.0), text=text)
        st.button(say("Cancel"), icon=":material/stop_circle:", on_click=callback(discard), key="cancel rows")
