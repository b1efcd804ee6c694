"""The two ways in for one's own table: a file, or the clipboard."""

from __future__ import annotations

import streamlit as st

from espalier.settings import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.data import draft
from pages.shared.words import data as words

TYPES = ["csv", "tsv", "txt", "data", "dat", "xlsx", "parquet", "arff", "json", "jsonl", "ndjson"]
TYPES += ["gz", "zip"]


def bring() -> None:
    """The two ways in for one's own table."""
    st.subheader(words.BRING, anchor=False)
    if not MAX_UPLOAD_MB:
        st.info(words.NO_UPLOADS)
        return
    left, right = st.columns(2)
    with left:
        st.file_uploader(
            words.UPLOAD,
            TYPES,
            max_upload_size=MAX_UPLOAD_MB,
            key="upload",
            on_change=callback(take_upload),
            help=words.limits(MAX_UPLOAD_MB, MAX_ROWS, MAX_COLUMNS, MAX_CELLS),
        )
    with right:
        st.text_area(words.PASTE, key="pasted", height=68, placeholder=words.PASTE_HERE)
        st.button(words.READ_PASTED, on_click=callback(take_paste), icon=":material/content_paste:")


def take_upload() -> None:
    """Make the uploaded file the draft; taking it out of the widget keeps the draft."""
    if (file := sessions.take_file("upload")) is not None:
        draft.start(file.data, file.name)


def take_paste() -> None:
    """Make the pasted text the draft."""
    draft.start(st.session_state["pasted"].encode("utf-8", "replace"), words.PASTED)


@st.fragment(run_every=0.4)
@guarded
def wait() -> None:
    """Draw the progress of reading the draft, and Cancel."""
    opened = draft.current()
    reading = opened.reading if opened else None
    if reading is None or reading.future.done():
        rerun()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="reading"):
        text = words.reading(reading.step) if reading.step else words.OTHERS_FIRST
        st.progress(min(max(reading.share, 0.0), 1.0), text=text)
        st.button(
            words.CANCEL, icon=":material/stop_circle:", on_click=callback(draft.cancel), key="cancel reading"
        )
