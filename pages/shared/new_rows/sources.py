"""Where the new rows are from: a file, or the rows held out, as if they were new."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.analysis.new_rows.answers import TableModel
from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.models.rail import pick
from pages.shared.new_rows import files, held, matching, scoring
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.own_models import uploads
from pages.shared.words.new_rows import page as words

FILE, HELD = "file", "held"
KEY = "rows-from"  # of the session state


def url_entries() -> list[Entry]:
    """Where they are from, as part of the address."""
    return [Entry(KEY, FILE, one_of((FILE, HELD)), name="rows")]


def asked(chosen: ScoringModel, model: TableModel | None) -> RowsAtWork | None:
    """The rows that are to be scored; None while there are none, or no model yet, with the reason on the page."""
    titles = {FILE: words.FROM_FILE, HELD: words.FROM_HELD}
    pick(words.CONTROLS, KEY, st.segmented_control, options=list(titles), format_func=titles.get, required=True)
    if st.session_state[KEY] == HELD:
        return None if model is None else _held(chosen, model)
    rows = _of_file(chosen.dataset)
    if rows is None or model is None:
        return None
    if chosen.is_own:
        st.caption(uploads.judged_on(chosen.model, chosen.dataset))
    file = files.current()
    return _at_work(chosen, model, rows, f"{'' if file is None else file.digest} {rows.sources}")


def _of_file(dataset: Dataset) -> NewRows | None:
    """The rows of the file, matched; None without one, with an example to begin with."""
    files.draw(dataset)
    file = files.read()
    if file is not None:
        return matching.matched(file, dataset)
    if files.current() is None:
        st.info(words.NO_FILE)
        rows = np.linspace(0, len(dataset.y) - 1, held.MOST_IN_EXAMPLE).astype(int)
        st.download_button(
            words.EXAMPLE, held.example_file(dataset, np.unique(rows)), "new-rows.csv", "text/csv",
            on_click="ignore", icon=":material/download:", key="example of new rows",
        )  # fmt: skip
    return None


def _held(chosen: ScoringModel, model: TableModel) -> RowsAtWork | None:
    if int(model.judges.sum()) < held.FEWEST:
        st.info(words.NONE_HELD)
        return None
    judge, places = held.halves(model)
    st.caption(words.half_and_half(len(places), int(judge.judges.sum())))
    return _at_work(chosen, judge, held.new_rows_of(chosen.dataset, places), HELD)


def _at_work(chosen: ScoringModel, model: TableModel, rows: NewRows, of: str) -> RowsAtWork:
    has_leading = scoring.has_leading(model, len(rows.X))
    return RowsAtWork(f"{chosen.key} {of}", chosen.title, model, rows, has_leading)
