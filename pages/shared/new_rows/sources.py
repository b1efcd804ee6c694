"""Where the new rows are from: a file, or the rows held out, as if they were new."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.language import say
from espalier.new_rows.answers import TableModel
from espalier.new_rows.scoring import example_file, halves, new_rows_of
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.new_rows import files, matching, scoring
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.own_models import uploads

FEWEST = 4  # rows held out, of which half can judge and half be scored
MOST_IN_EXAMPLE = 10  # rows of the example file


FILE, HELD = "file", "held"
KEY = "rows-from"  # of the session state


def url_entries() -> list[Entry]:
    """Where they are from, as part of the address."""
    return [Entry(KEY, HELD, one_of((FILE, HELD)), name="rows")]


def draw_choice() -> None:
    """Draw the choice between a file and the rows held out."""
    titles = {HELD: say("rows held out"), FILE: say("a file")}
    st.segmented_control(
        say("The rows"), list(titles), key=KEY, format_func=titles.__getitem__, required=True,
        help=say(
            "A file of your own, or rows of the table that were held out, as if they were new: half of them are "
            "scored, and the other half judges the model."
        ),
    )  # fmt: skip


def asked(chosen: ScoringModel, model: TableModel | None) -> RowsAtWork | None:
    """The rows that are to be scored; None while there are none, or no model yet, with the reason on the page."""
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
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(say("A file needs the table's columns, by their names. One row is enough."))
            rows = np.linspace(0, len(dataset.y) - 1, MOST_IN_EXAMPLE).astype(int)
            st.download_button(
                say("An example file (.csv)"), example_file(dataset, np.unique(rows)), "new-rows.csv", "text/csv",
                on_click="ignore", icon=":material/download:", key="example of new rows", type="tertiary",
            )  # fmt: skip
    return None


def _held(chosen: ScoringModel, model: TableModel) -> RowsAtWork | None:
    if int(model.judges.sum()) < FEWEST:
        st.info(say("Too few rows are held out: hold some out under More settings."))
        return None
    judge, places = halves(model)
    st.caption(
        say(
            "{n} of the rows held out are scored as if they were new; the other {n_judges} judge the model.",
            n=count(len(places)),
            n_judges=count(int(judge.judges.sum())),
        )
    )
    return _at_work(chosen, judge, new_rows_of(chosen.dataset, places), HELD)


def _at_work(chosen: ScoringModel, model: TableModel, rows: NewRows, of: str) -> RowsAtWork:
    has_leading = scoring.has_leading(model, len(rows.X))
    return RowsAtWork(f"{chosen.key} {of}", chosen.title, model, rows, has_leading)
