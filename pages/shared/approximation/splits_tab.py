"""All splits of the tree in a table, with the sureness of each; a tick selects the node."""

from __future__ import annotations

import streamlit as st

from espalier.approximation import words as split_words
from espalier.display.tables import to_csv
from espalier.language import Texts, say
from pages.shared.app import pictures
from pages.shared.app.frame import callback
from pages.shared.approximation import results, tree_tab
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas.data_table import data_table
from pages.shared.tree import selection

SURENESS = Texts(
    {
        "sampled": "**decided**: the test found the best split. **threshold open**: the made-up cases allowed did "
        "not tell the best splits apart, which ask the same column. **column open**: they ask different columns, "
        "so "
        "that others may well ask something else here. More made-up cases decide more. *Sum of p*: the chances of "
        "all rivals to win, added up (so that it may exceed 1); decided is what is below α.",
        "exact": "**exact**: the split that sampling without end would find. *Ahead by*: how much less the "
        "closest "
        "rival lowers the impurity.",
    }
)


def draw(one: Approximated) -> None:
    """The table, and the contest of the split that is ticked."""
    facts = results.split_facts(one)
    table = split_words.splits_table(facts)
    if not len(table):
        st.info(say("The tree is a lone root: no split changes what the black box says on average."))
        return
    key = f"splits {one.key}"
    method = one.model.value("method")
    data_table(
        table.drop(columns=[say("made-up cases"), say("sum of p")] if method == "exact" else []),
        hide_index=True,
        key=key,
        on_select=callback(lambda: _pick(one, key)),
        selection_mode="single-row",
        column_config={
            say("sum of p"): st.column_config.NumberColumn(format="%.3g"),
            say("ahead by"): st.column_config.NumberColumn(format="%.3g"),
            say("made-up cases"): st.column_config.NumberColumn(format="localized"),
        },
        height=min(38 + 35 * len(table), 420),
        alt=say("How sure every split of the tree is"),
    )
    st.caption(say("{SURENESS} Tick a split to see its rivals.", SURENESS=SURENESS[method]))
    pictures.save(lambda: to_csv(split_words.splits_table(facts)), "splits.csv")
    tree_tab.split_test_view(one, st.session_state["node"])


def _pick(one: Approximated, key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        table = split_words.splits_table(results.split_facts(one))
        selection.select_node(int(table[say("node")].iloc[rows[0]]))
