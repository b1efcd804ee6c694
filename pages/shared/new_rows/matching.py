"""How the columns of a file are matched with those of the model: by their names, or by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.columns.new_rows import NO_COLUMN, ColumnSources, NewRows, new_rows, sources_in
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError
from espalier.language import say
from espalier.new_rows.words import matching
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.new_rows.files import RowFile

COLUMN, SOURCE = "column", "source"  # of the editor


def matched(file: RowFile, dataset: Dataset) -> NewRows | None:
    """The rows of the file in the model's terms, with all that is to say of the columns; None where none fits."""
    assert file.table is not None
    columns = [str(name) for name in file.table.frame.columns]
    guess = sources_in(columns, dataset)
    guess = guess._replace(label=guess.label or _label_in(file.table.frame, guess))
    said = st.container()
    sources = _corrected(file, dataset, guess)
    try:
        rows = _rows(f"{file.digest} {dataset.digest} {sources}", file, dataset, sources)
    except TableError as error:
        said.error(f"**{plain(error.what)}** {plain(error.where)}\n\n{plain(error.todo)}")
        return None
    sentences, warnings = matching(rows, dataset)
    said.caption(plain(" ".join(sentences)))
    if warnings:
        said.warning("\n".join(f"- {plain(line)}" for line in warnings))
    return rows


@of_table(max_entries=4)
def _rows(key: str, _file: RowFile, _dataset: Dataset, _sources: ColumnSources) -> NewRows:
    assert _file.table is not None
    return new_rows(_file.table.frame, _dataset, _sources)


def _label_in(frame: pd.DataFrame, sources: ColumnSources) -> str:
    """The first column of no other use whose values are all there, all different, and no fractions."""
    used = {*sources.features, sources.target}
    return next((str(name) for name in frame.columns if name not in used and _names_rows(frame[name])), NO_COLUMN)


def _names_rows(values: Any) -> bool:
    if not values.notna().all() or not values.is_unique:
        return False
    return values.dtype != np.float64 or bool((values == np.round(values)).all())


def _corrected(file: RowFile, dataset: Dataset, guess: ColumnSources) -> ColumnSources:
    """The columns as a person has them: what the rows are called, and by hand where each column is read from."""
    assert file.table is not None
    columns, key = [str(name) for name in file.table.frame.columns], f"{file.digest} {dataset.digest}"
    with st.expander(say("How the columns are matched"), expanded=not any(guess.features)):
        left, right = st.columns(2)
        label = left.selectbox(
            say("Rows are called by"),
            [NO_COLUMN, *columns],
            index=_place(columns, guess.label),
            key=f"rows called {key}",
            format_func=_or_none,
            help=say(
                "The column that names the rows, such as the number of a customer. The model does not use it."
            ),
        )
        target = right.selectbox(
            say("The truth ({target}) stands in", target=plain(dataset.target.name)),
            [NO_COLUMN, *columns],
            index=_place(columns, guess.target),
            key=f"truth of rows {key}",
            format_func=_or_none,
        )
        names = [feature.name for feature in dataset.features]
        edited = st.data_editor(
            pd.DataFrame({COLUMN: names, SOURCE: guess.features}), hide_index=True, key=f"matching {key}",
            disabled=[COLUMN], height=min(38 + 35 * len(names), 330), width="stretch",
            column_config={
                COLUMN: st.column_config.TextColumn(say("column of the model")),
                SOURCE: st.column_config.SelectboxColumn(say("column of the file"), options=[NO_COLUMN, *columns]),
            },
        )  # fmt: skip
    features = tuple(one if one in columns else NO_COLUMN for one in edited[SOURCE].tolist())
    return ColumnSources(features, target or NO_COLUMN, label or NO_COLUMN)


def _place(columns: list[str], name: str) -> int:
    return columns.index(name) + 1 if name in columns else 0


def _or_none(name: str) -> str:
    return name or say("none", context="column")
