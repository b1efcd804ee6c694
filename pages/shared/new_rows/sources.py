"""Where the new rows are from: a file, or the rows held out, as if they were new."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.language import say
from espalier.new_rows.answers import TableModel
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.models.rail import pick
from pages.shared.new_rows import files, held, matching, scoring, sentences
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.own_models import uploads

FILE, HELD = "file", "held"
KEY = "rows-from"  # of the session state


def url_entries() -> list[Entry]:
    """Where they are from, as part of the address."""
    return [Entry(KEY, FILE, one_of((FILE, HELD)), name="rows")]


def asked(chosen: ScoringModel, model: TableModel | None) -> RowsAtWork | None:
    """The rows that are to be scored; None while there are none, or no model yet, with the reason on the page."""
    titles = {FILE: say("a file"), HELD: say("rows held out")}
    pick(
        sentences.CONTROLS, KEY, st.segmented_control, options=list(titles), format_func=titles.get, required=True
    )
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
        st.info(
            say(
                "No new rows yet. A file needs the columns of the table, by their names, in any "
                "order; the target may be missing. One row is enough. Choose “rows held out” to see "
                "how it works, or begin with the example."
            )
        )
        rows = np.linspace(0, len(dataset.y) - 1, held.MOST_IN_EXAMPLE).astype(int)
        st.download_button(
            say("An example file (.csv)"), held.example_file(dataset, np.unique(rows)), "new-rows.csv", "text/csv",
            on_click="ignore", icon=":material/download:", key="example of new rows",
        )  # fmt: skip
    return None


def _held(chosen: ScoringModel, model: TableModel) -> RowsAtWork | None:
    if int(model.judges.sum()) < held.FEWEST:
        st.info(say("Too few rows are held out: hold some out on the left."))
        return None
    judge, places = held.halves(model)
    st.caption(
        say(
            "{n} of the rows held out are scored as if they were new; the other {n_judges} judge the model.",
            n=count(len(places)),
            n_judges=count(int(judge.judges.sum())),
        )
    )
    return _at_work(chosen, judge, held.new_rows_of(chosen.dataset, places), HELD)


def _at_work(chosen: ScoringModel, model: TableModel, rows: NewRows, of: str) -> RowsAtWork:
    has_leading = scoring.has_leading(model, len(rows.X))
    return RowsAtWork(f"{chosen.key} {of}", chosen.title, model, rows, has_leading)
