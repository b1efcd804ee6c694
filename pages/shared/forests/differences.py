"""Where the two forests disagree: the rows, how sure each is, and where they lie on the surfaces."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.errors import counted
from espalier.views.boundaries.surface import in_words
from espalier.views.spreadsheet import to_csv
from espalier.views.tables import named
from espalier.views.theme import count, number, percent
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback
from pages.shared.forests import plane as forests_plane
from pages.shared.forests import results, sample
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

MOST_LISTED = 500
NUMBERS_LISTED = 50  # of numbers, which hardly ever agree: the rows where they are farthest apart
CANVASES = [f"differences surface {side}" for side in SIDES]
WHY = {True: "the forests disagree", False: "the forests are farthest apart"}


def draw(planted: list[GrownForest]) -> None:
    """The rows as a table to choose from, and ringed on both surfaces."""
    data, rows = planted[0].dataset, rows_of(planted)
    st.markdown(_summary(planted, rows))
    plane = forests_plane.axes(planted[0])
    if len(rows):
        table = table_of(planted, rows)
        _table(table, rows, " ".join(one.key for one in planted))
        pictures.save(lambda: to_csv(table), "where-forests-disagree.csv")
    forests_plane.line(planted[0], plane, _told(planted), CANVASES)
    rings = np.zeros(len(data.y), bool)
    rings[rows] = True
    for column, side, one, key in zip(st.columns(2, gap="medium"), SIDES, planted, CANVASES, strict=True):
        with column:
            st.markdown(f"**Forest {title(side)}**")
            forests_plane.surface(one, plane, (rings, WHY[data.is_classification]), key)


def _told(planted: list[GrownForest]) -> list[str]:
    """The chosen sample, and what each forest says of it; every other part is bold."""
    row = chosen_row.chosen()
    if row is None:
        return ["No row is chosen", ": tick a row, or click one on a surface."]
    words, target = forests_plane.row_words(planted[0]), planted[0].dataset.target
    for side, said in zip(SIDES, said_of(planted), strict=True):
        words += [f"; {title(side)} says ", in_words(target, float(said[row]))]
    return words


def said_of(planted: list[GrownForest]) -> list[np.ndarray]:
    """(n_samples,) for each forest: its class numbers, or its numbers."""
    return [results.predicted(one, results.fair(one).said) for one in planted]


def rows_of(planted: list[GrownForest]) -> np.ndarray:
    """The rows where the forests disagree, those first where both are surest; of numbers, the farthest apart."""
    first, second = said_of(planted)
    if not planted[0].dataset.is_classification:
        apart = np.abs(first - second)
        order = np.argsort(-apart, kind="stable")[:NUMBERS_LISTED]
        return order[apart[order] > 0]
    rows = np.flatnonzero(first != second)
    sure = [results.fair(one).said[rows, said[rows]] for one, said in zip(planted, (first, second), strict=True)]
    return rows[np.argsort(-np.minimum(*sure), kind="stable")]


def table_of(planted: list[GrownForest], rows: np.ndarray) -> pd.DataFrame:
    """The rows with the truth, and what each forest says of them."""
    data = planted[0].dataset
    columns = {
        "row": rows + 1,
        "held out": planted[0].held[rows],
        "truth": named(data.target, data.y[rows].astype(float)),
    }
    for side, one, said in zip(SIDES, planted, said_of(planted), strict=True):
        columns[f"{title(side)} says"] = named(data.target, said[rows].astype(float))
        if data.is_classification:
            columns[f"{title(side)}'s share"] = np.round(results.fair(one).said[rows, said[rows]], 3)
    if not data.is_classification:
        columns["apart"] = np.abs(columns["A says"] - columns["B says"])
    return pd.DataFrame(columns)


def _table(table: pd.DataFrame, rows: np.ndarray, digest: str) -> None:
    floats = [str(name) for name in table if table[name].dtype == float]
    written = {name: "percent" if name.endswith("share") else "%.4g" for name in floats}
    columns = {name: st.column_config.NumberColumn(format=form) for name, form in written.items()}
    key = f"forests differ {digest}"
    st.dataframe(
        table.head(MOST_LISTED), hide_index=True, height=min(38 + 35 * len(table), 250),
        column_config=columns, key=key, on_select=callback(lambda: _pick(rows, key)), selection_mode="single-row",
        alt="Rows of which the two forests say different things",
    )  # fmt: skip


def _pick(rows: np.ndarray, key: str) -> None:
    ticked = st.session_state[key].selection.rows
    chosen_row.choose(int(rows[ticked[0]]) if ticked and ticked[0] < len(rows) else None)


def _summary(planted: list[GrownForest], rows: np.ndarray) -> str:
    data, n = planted[0].dataset, len(planted[0].dataset.y)
    judged = (
        " Rows that a forest grew on are judged by those of its trees that did not draw them, where there are any."
    )
    if not data.is_classification:
        first, second = said_of(planted)
        mean, together = float(np.abs(first - second).mean()), float(np.corrcoef(first, second)[0, 1])
        return (
            f"The two forests' numbers are **{number(mean)}** apart on average, and have the correlation "
            f"**{number(together)}**. Below, the rows where they are farthest apart.{judged}"
        )
    if not len(rows):
        return f"The two forests say the same of every one of the {count(n)} rows.{judged}"
    right = [int((said[rows] == data.y[rows]).sum()) for said in said_of(planted)]
    wrong = [sample.wrong(one) for one in planted]
    both = int((wrong[0] & wrong[1]).sum())
    return (
        f"They disagree on **{counted(len(rows), 'row')}** of {n} ({percent(len(rows) / n)}): of these A is right "
        f"on {right[0]} and B on {right[1]}. Both are wrong on {counted(both, 'row')}.{judged}"
    )
