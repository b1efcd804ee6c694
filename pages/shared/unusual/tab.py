"""The tab "Unusual rows": the histogram of scores, the rows with the highest, and the score over two columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data import samples
from espalier.data.dataset import Dataset
from espalier.views import tables
from espalier.views.boundaries.plane import mark, ringed
from espalier.views.boundaries.raster import raster
from espalier.views.forests import isolation, isolation_code
from espalier.views.forests.isolation import Scores
from espalier.views.forests.isolation_code import Settings
from espalier.views.spreadsheet import to_csv
from espalier.views.theme import number
from pages.shared.app import address, chosen_row, pictures
from pages.shared.app.frame import callback, guarded, is_dark
from pages.shared.app.table_results import of_table
from pages.shared.canvas import axis_choice
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.surface import surface_canvas
from pages.shared.data import library
from pages.shared.tree.node_line import Selected, node_line
from pages.shared.unusual import controls, scoring
from pages.shared.unusual.scoring import ScoredRows
from pages.shared.words import unusual as words

CHANNEL, SURFACE, TABLE = "unusual", "unusual-surface", "unusual-rows"
HEIGHT = 400  # pixels of the surface and of the table


@st.fragment(key="unusual rows")
@guarded
def draw(dataset: Dataset, save: Callable[[], None]) -> None:
    """Draw the whole tab, which runs alone, and `save` the address of its page."""
    address.hold(controls.url_entries())
    _tab(dataset)
    save()


def _tab(dataset: Dataset) -> None:
    st.markdown(words.INTRODUCTION)
    controls.draw()
    settings = controls.settings()
    rows = scoring.scored(dataset, settings)
    if rows is None:
        return
    scores = scoring.scores(rows, settings.contamination)
    axes = _axes(rows)
    _line(rows, scores, axes)
    left, right = st.columns(2, gap="medium")
    with left:
        _histogram(rows, scores, settings)
    with right:
        _surface(rows, scores, axes)
    _table(rows, scores)


def _line(rows: ScoredRows, scores: Scores, axes: tuple[int, ...]) -> None:
    """The chosen row in words, marked on the surface; and the ways to other pages."""
    row, data = scores.row, rows.dataset
    if row is None:
        node_line(words.NO_ROW, "", Selected("", 0, 0, None), channel=CHANNEL, canvases=[SURFACE])
        return
    apart = isolation.columns_apart(scoring.saved_of(rows, row), data.features)
    name = data.roles.name_of(row, begins=True)
    parts = words.row(name, number(float(rows.score[row])), bool(scores.is_unusual[row]), apart)
    sample = mark(scoring.with_score_as_target(rows), axes, row)
    node_line(parts, "", Selected("", 0, 0, sample), channel=CHANNEL, canvases=[SURFACE])
    with st.container(horizontal=True, vertical_alignment="center", key="row elsewhere"):
        st.caption(words.ELSEWHERE, width="content")
        for page, label in words.PAGES.items():
            st.page_link(page, label=label)


def _histogram(rows: ScoredRows, scores: Scores, settings: Settings) -> None:
    st.markdown(words.SCORES)
    alt = isolation.histogram_alt(scores)
    pictures.show(isolation.score_histogram(scores, is_dark()), alt, isolation.WIDTH)
    with st.container(horizontal=True, key="unusual exports"):
        pictures.save(isolation.score_histogram(scores, False), "scores.svg")
        pictures.save(lambda: to_csv(_all_rows(rows.dataset, scores)), "scores.csv")
        with st.popover(words.CODE, icon=":material/code:"):
            _code(rows.dataset, settings)
    with st.expander(words.HOW_TITLE):
        st.markdown(words.HOW)


def _code(data: Dataset, settings: Settings) -> None:
    key = library.own_text(library.key_of(data))
    name = key if key in samples.names() else ""
    st.code(isolation_code.python_code(data, settings, name), language="python")
    if not name and any(feature.categories for feature in data.features):
        st.caption(words.CODE_NOTE)


def _all_rows(data: Dataset, scores: Scores) -> pd.DataFrame:
    first = {"row": np.arange(1, len(scores.score) + 1)} | tables.labels_of(data)
    return pd.DataFrame(first | {words.SCORE: scores.score, words.UNUSUAL: scores.is_unusual})


# Rows ------------------------------------------------------------------------------------------------


def _table(rows: ScoredRows, scores: Scores) -> None:
    """The rows with the highest scores; a click chooses one."""
    listed, data = rows.highest, rows.dataset
    table = table_of(rows, scores, listed)
    st.markdown(words.MOST_UNUSUAL, help=words.APART_HELP)
    data_table(
        table,
        hide_index=True,
        height=HEIGHT,
        key=TABLE,
        on_select=callback(lambda: _pick(listed)),
        selection_mode="single-row",
        alt=words.TABLE_ALT,
        column_config={words.SCORE: st.column_config.NumberColumn(format="%.3f", width=70)},
    )
    st.caption(f"{words.first_rows(len(listed), len(data.y))} {tables.left_off(len(data.features))}")


def table_of(rows: ScoredRows, scores: Scores, listed: np.ndarray, most: int | None = None) -> pd.DataFrame:
    """These of the rows with the highest scores, and what sets them apart; with so many columns of the data."""
    data, saved = rows.dataset, scoring.saved(rows)[: len(listed)]
    own = _own_columns(scores, listed, [isolation.columns_apart(one, data.features) for one in saved])
    table = tables.listed(data, listed, features=tables.on_page(len(data.features))[:most])
    table = table.rename(columns={name: words.column(name) for name in own})
    for place, (name, values) in enumerate(own.items(), 1):
        table.insert(place, name, values)
    return table


def _own_columns(scores: Scores, listed: np.ndarray, apart: list[str]) -> dict[str, Any]:
    return {words.SCORE: scores.score[listed], words.UNUSUAL: scores.is_unusual[listed], words.APART: apart}


def _pick(listed: np.ndarray) -> None:
    picked = st.session_state[TABLE].selection.rows
    if picked and picked[0] < len(listed):
        chosen_row.choose(int(listed[picked[0]]))


# The surface -----------------------------------------------------------------------------------------


@of_table(max_entries=16)
def _by_cuts(key: str, _rows: ScoredRows) -> list[int]:
    """Features, first those that save the most unusual rows the most cuts."""
    features = _rows.dataset.features
    order = np.argsort(-scoring.saved(_rows).mean(axis=0), kind="stable").tolist()
    best = axis_choice.legible(features, order, order)
    return sorted(best[:2]) + best[2:]


def _names(rows: ScoredRows) -> list[str]:
    return [feature.name for feature in rows.dataset.features]


def _axes(rows: ScoredRows) -> tuple[int, ...]:
    return axis_choice.chosen(_names(rows), _by_cuts(rows.key, rows))


@of_table(max_entries=16)
def _raster(key: str, axes: tuple[int, ...], _rows: ScoredRows) -> dict[str, Any]:
    def predict(X: np.ndarray) -> tuple[np.ndarray, None]:
        return -_rows.model.score_samples(X)[:, None], None

    return raster(predict, scoring.with_score_as_target(_rows), axes)


def _surface(rows: ScoredRows, scores: Scores, axes: tuple[int, ...]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(words.SURFACE, width="stretch")
        axis_choice.pick(_names(rows), axes)
    drawn = ringed(_raster(rows.key, axes, rows), scores.is_unusual, words.RING)
    surface_canvas(drawn, key=SURFACE, tree=None, channel=CHANNEL, on_pick=callback(_choose), height=HEIGHT)
    st.caption(words.SURFACE_NOTE)


def _choose(spot: dict[str, Any] | None) -> None:
    chosen_row.choose((spot or {}).get("row"))
