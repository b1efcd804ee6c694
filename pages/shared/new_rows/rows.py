"""The new rows: half of those held out, as if they were new, or a file with columns of the same names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.background import FileReading
from espalier.data.choices import CODES
from espalier.data.columns.new_rows import (
    NO_COLUMN,
    ColumnSources,
    NewRows,
    columns_of_words,
    label_in,
    new_rows,
    sources_in,
)
from espalier.data.contents import Contents, UnreadableFile, contents, is_small
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError
from espalier.data.options import ReadOptions
from espalier.data.table import Table
from espalier.display.theme import count
from espalier.language import say, to_say
from espalier.new_rows.answers import TableModel
from espalier.new_rows.scoring import example_file, halves, new_rows_of
from espalier.new_rows.words import matching
from espalier.settings import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, guarded, plain, rerun
from pages.shared.app.store import of_table
from pages.shared.canvas.control import Control
from pages.shared.data import intake
from pages.shared.data.reading_options import show_choices
from pages.shared.jobs.watch import PATIENCE_SECONDS
from pages.shared.new_rows import scoring
from pages.shared.new_rows.scoring import RowsAtWork, ScoringModel
from pages.shared.own_models import uploads

FEWEST = 4  # rows held out, of which half can judge and half be scored
MOST_IN_EXAMPLE = 10  # rows of the example file
FILE, HELD = "file", "held"
KEY, WIDGET, PASTED = "new-rows", "new-rows-upload", "new-rows-pasted"  # keys of the session state
COLUMN, SOURCE = "column", "source"  # of the editor
SOURCES = Control(
    "rows-from", HELD, {HELD: to_say("rows held out"), FILE: to_say("a file")}, to_say("The rows"),
    to_say("A file of your own, or half of the rows held out, as if new; the others judge the model."),
    st.segmented_control, name="rows",
)  # fmt: skip


def asked(chosen: ScoringModel, model: TableModel | None) -> RowsAtWork | None:
    """The rows that are to be scored; None while there are none, or no model yet, with the reason on the page."""
    if SOURCES.value == FILE:
        rows, file = _rows_in_file(chosen.dataset), st.session_state.get(KEY)
        if rows is None or model is None or file is None:
            return None
        if chosen.is_own:
            st.caption(uploads.judged_on(chosen.model, chosen.dataset))
        return _at_work(chosen, model, rows, f"{file.digest} {rows.sources}")
    if model is None:
        return None
    if int(model.judges.sum()) < FEWEST:
        st.info(say("Too few rows are held out: hold some out under More settings."))
        return None
    judge, places = halves(model)
    n, n_judges = count(len(places)), count(int(judge.judges.sum()))
    st.caption(
        say("{n} of the rows held out stand for new ones; {n_judges} judge the model.", n=n, n_judges=n_judges)
    )
    return _at_work(chosen, judge, new_rows_of(chosen.dataset, places), HELD)


def _at_work(chosen: ScoringModel, model: TableModel, rows: NewRows, origin: str) -> RowsAtWork:
    has_leading = scoring.has_leading(model, len(rows.X))
    return RowsAtWork(f"{chosen.key} {origin}", chosen.title, model, rows, has_leading)


# ---- the file that a session has brought: read as on the Data page, beside the page where it is large


class RowFile(NamedTuple):
    """A file of new rows: its table, or what is wrong with it, or how far its reading is."""

    name: str
    source: bytes
    digest: str  # of its bytes and of how they are read
    table: Table | None = None
    error: TableError | None = None
    reading: FileReading | None = None


def _rows_in_file(dataset: Dataset) -> NewRows | None:
    """The rows of the file, matched; None while they are not there, with the reason on the page."""
    if not MAX_UPLOAD_MB:
        st.info(say(intake.NO_UPLOADS))
        return None
    left, right = st.columns(2)
    left.file_uploader(
        say("Upload a file of new rows"), intake.TYPES, max_upload_size=MAX_UPLOAD_MB, key=WIDGET,
        on_change=callback(_take_upload), args=(dataset,),
        help=intake.limits(MAX_UPLOAD_MB, MAX_ROWS, MAX_COLUMNS, MAX_CELLS),
    )  # fmt: skip
    with right:
        st.text_area(say("Paste new rows"), key=PASTED, height=68, placeholder=say("Copied cells or lines of CSV"))
        st.button(
            say("Read the pasted rows"), on_click=callback(_take_paste), args=(dataset,),
            icon=":material/content_paste:",
        )  # fmt: skip
    _finish()
    file = st.session_state.get(KEY)
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(say("A file needs the table's columns, by their names. One row is enough."))
            rows = np.linspace(0, len(dataset.y) - 1, MOST_IN_EXAMPLE).astype(int)
            st.download_button(
                say("An example file (.csv)"), example_file(dataset, np.unique(rows)), "new-rows.csv", "text/csv",
                on_click="ignore", icon=":material/download:", key="example of new rows", type="tertiary",
            )  # fmt: skip
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="file of new rows"):
        st.markdown(f"**{plain(file.name)}**", width="stretch")
        st.button(say("Discard"), icon=":material/close:", on_click=callback(discard), type="tertiary")
    if file.reading is not None:
        _wait()
    if file.error is not None:
        st.error(f"**{plain(file.error.what)}** {plain(file.error.where)}\n\n{plain(file.error.todo)}")
    if file.table is None:
        return None
    open_choices = (choice for choice in file.table.choices if not choice.what.startswith(CODES))
    show_choices(open_choices, file.digest, _read, file.source, file.name, dataset)  # codes: the data set decides
    return _matched(file, file.table.frame, dataset)


def _take_upload(dataset: Dataset) -> None:
    if (file := sessions.take_file(WIDGET)) is not None:
        _read(None, *file, dataset)


def _take_paste(dataset: Dataset) -> None:
    _read(None, st.session_state[PASTED].encode("utf-8", "replace"), say("Pasted table"), dataset)


def _read(options: ReadOptions | None, data: bytes, name: str, dataset: Dataset) -> None:
    """Read a file and make it the session's: at once if it is small, else beside the page (a callback, too).

    Without options they are guessed. Columns that are words in the data set are text, also where their cells could
    be numbers.
    """
    discard()
    digest = hashlib.blake2b(data + repr(options).encode(), digest_size=8).hexdigest()
    file, terms = RowFile(name, data, digest), (data, name, options, columns_of_words(dataset))
    if is_small(data):
        _take_up(file, lambda: contents(*terms))
    else:
        st.session_state[KEY] = file._replace(reading=FileReading(*terms))


def _take_up(file: RowFile, read: Callable[[], Contents]) -> None:
    """Keep the table of a file, or what is wrong with it."""
    try:
        st.session_state[KEY] = file._replace(table=read().table, reading=None)
    except UnreadableFile as error:
        st.session_state[KEY] = file._replace(error=error, reading=None)


def discard() -> None:
    """Forget the file (a callback)."""
    file = st.session_state.pop(KEY, None)
    if file is not None and file.reading is not None:
        file.reading.cancel()


def _finish() -> None:
    """Take over the result of the reading, if it ends within a moment."""
    file = st.session_state.get(KEY)
    if file is None or file.reading is None:
        return
    future = file.reading.future
    try:
        _take_up(file, lambda: future.result(PATIENCE_SECONDS))
    except TimeoutError:
        return
    except CancelledError:
        discard()


@st.fragment(run_every=0.4)
@guarded
def _wait() -> None:
    """Draw how far the reading is."""
    file = st.session_state.get(KEY)
    if file is None or file.reading is None or file.reading.future.done():
        rerun()
        return
    step = file.reading.step
    text = intake.progress_text(step) if step else say("Other files are read first.")
    st.progress(min(max(file.reading.share, 0.0), 1.0), text=text)


# ---- how the columns of a file are matched with those of the model: by their names, or by hand


def _matched(file: RowFile, frame: pd.DataFrame, dataset: Dataset) -> NewRows | None:
    """The rows of the file in the model's terms, with all that is to say of the columns; None where none fits."""
    columns = [str(name) for name in frame.columns]
    guess = sources_in(columns, dataset)
    guess = guess._replace(label=guess.label or label_in(frame, guess))
    notes = st.container()
    names = [*(feature.name for feature in dataset.features), dataset.target.name]
    with st.expander(say("How the columns are matched"), expanded=not any(guess.features)):
        edited = st.data_editor(
            pd.DataFrame({COLUMN: names, SOURCE: [*guess.features, guess.target]}), hide_index=True,
            key=f"matching {file.digest} {dataset.digest}", disabled=[COLUMN], width="stretch",
            height=min(38 + 35 * len(names), 330),
            column_config={
                COLUMN: st.column_config.TextColumn(say("column of the model")),
                SOURCE: st.column_config.SelectboxColumn(say("column of the file"), options=[NO_COLUMN, *columns]),
            },
        )  # fmt: skip
    *features, target = (name if name in columns else NO_COLUMN for name in edited[SOURCE].tolist())
    sources = ColumnSources(tuple(features), target, guess.label)
    try:
        rows = _rows(f"{file.digest} {dataset.digest} {sources}", frame, dataset, sources)
    except TableError as error:
        notes.error(f"**{plain(error.what)}** {plain(error.where)}\n\n{plain(error.todo)}")
        return None
    sentences, warnings = matching(rows, dataset)
    notes.caption(plain(" ".join(sentences)))
    if warnings:
        notes.warning("\n".join(f"- {plain(line)}" for line in warnings))
    return rows


@of_table(max_entries=4)
def _rows(key: str, _frame: pd.DataFrame, _dataset: Dataset, _sources: ColumnSources) -> NewRows:
    return new_rows(_frame, _dataset, _sources)
