"""Rows in a node, for both inspectors: the spread of their target, and the one that is picked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Feature
from espalier.display import tables
from espalier.display.tree import figures
from espalier.language import say
from pages.shared.app import frame
from pages.shared.tree import results, selection
from pages.shared.tree.results import GrownTree

PLAIN = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
MOST_OFFERS = 10  # columns of a node that stand on a sheet of paper


class SplitLook(NamedTuple):
    """A node's split beside what other columns offer, for a sheet of paper."""

    card: dict[str, Any]  # of the curve that is shown
    alt: str
    feature: Feature  # of the curve
    offers: pd.DataFrame  # the columns, the best first
    note: str  # on the offers; Markdown


def left_out(grown: GrownTree) -> tuple[int, ...]:
    """The columns that no split of the tree asks about."""
    return tuple(grown.parameters.get("forbidden_features") or ())


def leaves_none(grown: GrownTree) -> bool:
    """Whether no column is left to ask about."""
    return len(left_out(grown)) == len(grown.dataset.features)


def ticked(key: str) -> int | None:
    """The row of a table that is ticked on the page."""
    state: Any = st.session_state.get(key)
    return next(iter(state.selection.rows), None) if hasattr(state, "selection") else None


def target(grown: GrownTree, node: int, inside: np.ndarray) -> None:
    """The target in the node beside all rows; `inside` (n_samples,) has its rows, or their fractions."""
    tree, data, dark = grown.tree, grown.dataset, frame.is_dark()
    if data.is_classification:
        shares = tree.value[node], tree.value[0], data.target
        figure, alt = figures.class_bar(*shares, dark), figures.class_bar_alt(*shares)
    else:
        trained = ~grown.held
        y, inside, weight = data.y[trained], inside[trained], data.weights_of(trained)
        figure = figures.target_histogram(y, inside, data.target, float(tree.value[node, 0]), dark, weight)
        alt = figures.histogram_alt(y, inside, data.target, weight)
    st.plotly_chart(figure, theme=None, key="target", config=PLAIN, alt=alt)


def features(grown: GrownTree) -> list[int]:
    """The features that a table of rows has: all, or of thousands those that the tree asks about first."""
    return tables.on_page(len(grown.table.features), results.features_used(grown))


def left_off(grown: GrownTree) -> str:
    """Note below such a table on features that are left off."""
    return tables.left_off(len(grown.table.features), say("first those that the tree has most use for"))


def pick(grown: GrownTree, rows: np.ndarray, key: str) -> None:
    """Select the one of these rows that was ticked in their table (a callback)."""
    picked = st.session_state[key].selection.rows
    if picked and picked[0] < len(rows):
        selection.select_row(grown, int(rows[picked[0]]))
