"""Where the new rows are from: a file, or the rows held out, as if they were new."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.columns.new_rows import ColumnSources, NewRows
from espalier.data.dataset import Dataset
from espalier.data.folds import strata_of
from espalier.data.options import CLOCK, DURATION
from espalier.data.roles import RowLabels
from espalier.display.tables import named, to_csv
from espalier.display.theme import count
from espalier.language import english, say
from espalier.new_rows.answers import TableModel
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.models.drawer import pick
from pages.shared.new_rows import drifting, files, matching, scoring
from pages.shared.new_rows.models import ScoringModel
from pages.shared.new_rows.scoring import RowsAtWork
from pages.shared.own_models import uploads

FEWEST = 4  # rows held out, of which half can judge and half be scored
MOST_IN_EXAMPLE = 10  # rows of the example file
WRITTEN_IN_FULL = ("date", CLOCK, DURATION)  # parts of a moment from which its cell can be written again


def halves(model: TableModel) -> tuple[TableModel, np.ndarray]:
    """The model with every second row held out to judge it, and the other rows (indices), which are scored.

    Rows that belong together stay on one side, and later rows are scored where rows have times.
    """
    data, held = model.dataset, np.flatnonzero(model.judges)
    scored = np.zeros(len(data.y), bool)
    scored[held[_second(data, held)]] = True
    return model._replace(judges=model.judges & ~scored), np.flatnonzero(scored)


def _second(data: Dataset, held: np.ndarray) -> np.ndarray:
    """Return which of these rows (indices) are of the second half, (n,) bool."""
    roles = data.roles
    if roles.groups is not None:
        codes = roles.groups.codes[held]
        return np.unique(codes, return_inverse=True)[1] % 2 == 1
    by = strata_of(data.y[held]) if roles.times is None else -roles.times.values[held]
    order = np.argsort(by, kind="stable")
    second = np.zeros(len(held), bool)
    second[order[1::2] if roles.times is None else order[: len(order) // 2]] = True
    return second


def new_rows_of(data: Dataset, rows: np.ndarray) -> NewRows:
    """Rows of the table (indices) as new ones, under their labels, or their numbers in the table."""
    labels = data.roles.of(rows).labels or RowLabels(say("row of the table"), tuple(str(row + 1) for row in rows))
    names = tuple(feature.name for feature in data.features)
    frame = pd.DataFrame(
        {feature.name: named(feature, data.X[rows, f]) for f, feature in enumerate(data.features)}
    )
    frame[data.target.name] = named(data.target, data.y[rows].astype(float))
    X = np.asfortranarray(data.X[rows])
    sources = ColumnSources(names, data.target.name)
    return NewRows(X, np.zeros(X.shape, bool), data.y[rows].astype(float), labels, sources, frame)


def example_file(data: Dataset, rows: np.ndarray) -> str:
    """A few of these rows (indices) as CSV under the names of the table's own file, without the target."""
    rows = rows[:MOST_IN_EXAMPLE]
    columns = {}
    with english():
        if data.roles.labels is not None:
            columns[data.roles.labels.name] = [data.roles.labels.texts[row] for row in rows.tolist()]
        for f, feature in enumerate(data.features):
            if feature.moment is None:
                columns[feature.name if feature.origin is None else feature.origin.name] = named(
                    feature, data.X[rows, f]
                )
            elif feature.moment.part in WRITTEN_IN_FULL:
                columns[feature.moment.column] = named(feature, data.X[rows, f])
        return to_csv(pd.DataFrame(columns))


# ---- where the new rows are from: a file, or the rows held out, as if they were new

FILE, HELD = "file", "held"
KEY = "rows-from"  # of the session state


def url_entries() -> list[Entry]:
    """Where they are from, as part of the address."""
    return [Entry(KEY, FILE, one_of((FILE, HELD)), name="rows")]


def asked(chosen: ScoringModel, model: TableModel | None) -> RowsAtWork | None:
    """The rows that are to be scored; None while there are none, or no model yet, with the reason on the page."""
    titles = {FILE: say("a file"), HELD: say("rows held out")}
    pick(drifting.CONTROLS, KEY, st.segmented_control, options=list(titles), format_func=titles.get, required=True)
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
        rows = np.linspace(0, len(dataset.y) - 1, MOST_IN_EXAMPLE).astype(int)
        st.download_button(
            say("An example file (.csv)"), example_file(dataset, np.unique(rows)), "new-rows.csv", "text/csv",
            on_click="ignore", icon=":material/download:", key="example of new rows",
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
