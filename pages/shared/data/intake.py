"""The ways in for one's own table: a file, the clipboard, or the command line.

The path of a file comes from the command line alone, never from a link, and it is opened on a server for this
machine alone.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from espalier.display.theme import count
from espalier.language import say, to_say
from espalier.learners import catalogue
from espalier.servers import is_local
from espalier.settings import LEARNER, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UPLOAD_MB, TABLE, TARGET
from pages.shared.app import frame, sessions
from pages.shared.app.frame import callback, guarded, rerun
from pages.shared.data import draft, library

BEGUN = "local-file"  # key of the session state: whether the session has the file of the command line
TYPES = ["csv", "tsv", "txt", "data", "dat", "xlsx", "parquet", "arff", "json", "jsonl", "ndjson"]
TYPES += ["gz", "zip"]


def bring() -> None:
    """Draw the ways in for one's own table: a file, or what was copied."""
    if not MAX_UPLOAD_MB:
        st.info(say(NO_UPLOADS))
        return
    st.file_uploader(
        say("Upload a file"), TYPES, max_upload_size=MAX_UPLOAD_MB, key="upload", on_change=callback(take_upload),
        help=limits(MAX_UPLOAD_MB, MAX_ROWS, MAX_COLUMNS, MAX_CELLS),
    )  # fmt: skip
    st.text_area(say("Paste a table"), key="pasted", height=68, placeholder=say("Copied cells or lines of CSV"))
    st.button(say("Read the pasted table"), on_click=callback(take_paste), icon=":material/content_paste:")


def take_upload() -> None:
    """Make the uploaded file the draft; taking it out of the widget keeps the draft."""
    if (file := sessions.take_file("upload")) is not None:
        draft.start(*file)


def take_paste() -> None:
    """Make the pasted text the draft."""
    draft.start(st.session_state["pasted"].encode("utf-8", "replace"), say("Pasted table"))


def opens_file() -> bool:
    """Whether this session has just begun, without a link, and the command line names a file for it."""
    if not TABLE or BEGUN in st.session_state or st.query_params or frame.is_embedded():
        return False
    return is_local(st.get_option("server.address"))


def open_file() -> None:
    """Make the file of the command line the draft, if this session is to have it."""
    if opens_file():
        st.session_state[BEGUN] = True
        draft.start(Path(TABLE), Path(TABLE).name, TARGET)


def page_of(key: str) -> tuple[str, dict[str, str]]:
    """The page that grows the learner of the command line on the data of this text, and the page's parameters.

    Without a learner it is the Tree page.
    """
    if LEARNER in [kind.name for kind in catalogue.kinds_for() if kind.is_forest]:
        return "pages/forests.py", {library.PARAMETER: key, "a": LEARNER}
    return "pages/tree.py", {library.PARAMETER: key, **({"model": LEARNER} if LEARNER else {})}


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
        text = progress_text(reading.step) if reading.step else say("Other files are read first.")
        st.progress(min(max(reading.share, 0.0), 1.0), text=text)
        st.button(
            say("Cancel"), icon=":material/stop_circle:", on_click=callback(draft.cancel), key="cancel reading"
        )


NO_UPLOADS = to_say("This server takes no tables: choose one of the samples.")


def limits(megabytes: int, n_rows: int, n_columns: int, n_cells: int) -> str:
    """Formats that can be uploaded, and the most of each size."""
    return say(
        "CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz or .zip; up to {megabytes} MB, "
        "{n_rows} rows, {n_columns} columns and {n_cells} million cells. It stays on this server.",
        megabytes=megabytes,
        n_rows=count(n_rows),
        n_columns=count(n_columns),
        n_cells=n_cells // 1000000,
    )


def progress_text(step: str) -> str:
    """Text beside the bar while a file is read."""
    return say("**Reading the file**: {step} …", step=step.lower(), step_2=step)
