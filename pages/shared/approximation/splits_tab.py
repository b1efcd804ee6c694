"""All splits of the tree in a table: how sure each is; a tick selects the node."""

from __future__ import annotations

import streamlit as st

from espalier.views.approximation import words
from espalier.views.spreadsheet import to_csv
from pages.shared.app import pictures
from pages.shared.app.frame import callback
from pages.shared.approximation import results, tree_tab
from pages.shared.approximation.fits import Approximated
from pages.shared.tree import selection

WORDS = {
    "sampled": "**decided**: the test found the best split. **threshold open**: the made-up cases allowed did "
    "not tell the best splits apart, which ask the same column. **column open**: they ask different columns, so "
    "that others may well ask something else here. More made-up cases decide more. *Sum of p*: the chances of "
    "all rivals to win, added up (so that it may exceed 1); decided is what is below α.",
    "exact": "**exact**: the split that sampling without end would find. *Ahead by*: how much less the closest "
    "rival lowers the impurity.",
}


def draw(one: Approximated) -> None:
    """The table, and the contest of the split that is ticked."""
    told = results.split_facts(one)
    table = words.splits_table(told)
    if not len(table):
        st.info("The tree is a lone root: no split changes what the black box says on average.")
        return
    key = f"splits of {one.key}"
    method = one.model.value("method")
    st.dataframe(
        table.drop(columns=["made-up cases", "sum of p"] if method == "exact" else []),
        hide_index=True,
        key=key,
        on_select=callback(lambda: _pick(one, key)),
        selection_mode="single-row",
        column_config={
            "sum of p": st.column_config.NumberColumn(format="%.3g"),
            "ahead by": st.column_config.NumberColumn(format="%.3g"),
            "made-up cases": st.column_config.NumberColumn(format="localized"),
        },
        height=min(38 + 35 * len(table), 420),
        alt="How sure every split of the tree is",
    )
    st.caption(f"{WORDS[method]} Tick a split to see its rivals.")
    pictures.save(lambda: to_csv(table), "splits.csv")
    tree_tab.split_test_view(one, st.session_state["node"])


def _pick(one: Approximated, key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        table = words.splits_table(results.split_facts(one))
        selection.select_node(int(table["node"].iloc[rows[0]]))
