"""The two ways in for one's own table: a file, or the clipboard."""

from __future__ import annotations

import streamlit as st

from espalier.settings import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UPLOAD_MB
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.data import draft

TYPES = ["csv", "tsv", "txt", "data", "dat", "xlsx", "parquet", "arff", "json", "jsonl", "ndjson"]
TYPES += ["gz", "zip"]


def bring() -> None:
    """The two ways in for one's own table."""
    st.subheader("Bring your own table", anchor=False)
    left, right = st.columns(2)
    with left:
        st.file_uploader(
            "Upload a file",
            TYPES,
            key="upload",
            on_change=callback(take_upload),
            help=f"CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz or .zip; up to "
            f"{MAX_UPLOAD_MB} MB, {MAX_ROWS:,} rows, {MAX_COLUMNS:,} columns and {MAX_CELLS // 1_000_000} million "
            "cells. It stays on this server.",
        )
    with right:
        st.text_area("Paste a table", key="pasted", height=68, placeholder="Copied cells or lines of CSV")
        st.button("Read the pasted table", on_click=callback(take_paste), icon=":material/content_paste:")


def take_upload() -> None:
    """Make the uploaded file the draft; taking it out of the widget keeps the draft."""
    if (file := st.session_state["upload"]) is not None:
        draft.start(file.getvalue(), file.name)


def take_paste() -> None:
    """Make the pasted text the draft."""
    draft.start(st.session_state["pasted"].encode("utf-8", "replace"), draft.PASTED)


@st.fragment(run_every=0.4)
@guarded
def wait() -> None:
    """How far the reading of the draft is, and Cancel."""
    opened = draft.current()
    reading = opened.reading if opened else None
    if reading is None or reading.future.done():
        rerun()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="reading"):
        words = (
            f"**Reading the file**: {reading.step.lower()} …" if reading.step else "Other files are read first."
        )
        st.progress(min(max(reading.share, 0.0), 1.0), text=words)
        st.button("Cancel", icon=":material/stop_circle:", on_click=callback(draft.cancel), key="cancel reading")
