"""All splits of the tree in a table, with the sureness of each; a tick selects the node."""

from __future__ import annotations

import streamlit as st

from espalier.views.approximation import words as split_words
from espalier.views.spreadsheet import to_csv
from pages.shared.app import pictures
from pages.shared.app.frame import callback
from pages.shared.approximation import results, tree_tab
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas.data_table import data_table
from pages.shared.tree import selection
from pages.shared.words.approximate import tabs as words


def draw(one: Approximated) -> None:
    """The table, and the contest of the split that is ticked."""
    facts = results.split_facts(one)
    table = split_words.splits_table(facts)
    if not len(table):
        st.info(words.LONE_ROOT)
        return
    key = f"splits {one.key}"
    method = one.model.value("method")
    data_table(
        table.drop(columns=[words.MADE_UP, words.SUM_OF_P] if method == "exact" else []),
        hide_index=True,
        key=key,
        on_select=callback(lambda: _pick(one, key)),
        selection_mode="single-row",
        column_config={
            words.SUM_OF_P: st.column_config.NumberColumn(format="%.3g"),
            words.AHEAD_BY: st.column_config.NumberColumn(format="%.3g"),
            words.MADE_UP: st.column_config.NumberColumn(format="localized"),
        },
        height=min(38 + 35 * len(table), 420),
        alt=words.SPLITS_ALT,
    )
    st.caption(words.tick(method))
    pictures.save(lambda: to_csv(split_words.splits_table(facts)), "splits.csv")
    tree_tab.split_test_view(one, st.session_state["node"])


def _pick(one: Approximated, key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        table = split_words.splits_table(results.split_facts(one))
        selection.select_node(int(table[words.NODE].iloc[rows[0]]))
