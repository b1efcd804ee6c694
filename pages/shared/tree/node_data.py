"""Rows in a node, for both inspectors: the spread of their target, and the one that is picked."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.views import tables
from espalier.views.tree import figures
from pages.shared.app import frame
from pages.shared.tree import results, selection
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import page as words

PLAIN = {"displaylogo": False, "modeBarButtons": [["toImage"]]}


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
    return tables.left_off(len(grown.table.features), words.MOST_USE)


def pick(grown: GrownTree, rows: np.ndarray, key: str) -> None:
    """Select the one of these rows that was ticked in their table (a callback)."""
    picked = st.session_state[key].selection.rows
    if picked and picked[0] < len(rows):
        selection.select_row(grown, int(rows[picked[0]]))
