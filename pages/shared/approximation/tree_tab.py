"""The tree, and how sure the split of the node that is selected is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.trees import LEAF, depths, subtree_end
from espalier.views.approximation import cards, words
from espalier.views.spreadsheet import to_csv
from espalier.views.text import trees
from espalier.views.theme import percent
from pages.shared.app import pictures
from pages.shared.app.frame import callback, plain
from pages.shared.approximation import results as approximation_results
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas.tree import tree_canvas
from pages.shared.tree import results as tree_results
from pages.shared.tree import selection
from pages.shared.tree.node_line import Selected, node_line

KEY, CHANNEL = "approximation tree", "approximation"
HEIGHT = 470


def draw(one: Approximated) -> None:
    """The tree to click, and beside it what was tested at the selected node."""
    drawn = _cards(one)
    line, body = st.container(), st.container()
    with line:
        _line(one, drawn)
    left, right = body.columns([3, 2], gap="medium")
    with left:
        tree_canvas(
            drawn,
            key=KEY,
            channel=CHANNEL,
            on_select=callback(lambda node: selection.select_node(node or 0)),
            height=HEIGHT,
        )
        st.caption(
            "Shares and impurities are of what the black box says of made-up cases; bars are rows of the table "
            "by their true target. **?** marks a split that the test did not decide."
        )
    with right:
        split_test_view(one, st.session_state["node"])


def _cards(one: Approximated) -> dict[str, Any]:
    found = tree_results.cards(approximation_results.as_grown(one))
    return cards.with_unsure(found, words.undecided(approximation_results.split_facts(one)))


def _line(one: Approximated, drawn: dict[str, Any]) -> None:
    """The selected node: what it says, how large it is, and the way there."""
    node, tree, data = st.session_state["node"], one.tree, one.dataset
    kind = "Root" if node == 0 else "Leaf" if tree.feature[node] == LEAF else "Node"
    n = int(tree.n_samples[node])
    size = f" · {n} row{'s' * (n != 1)}, {percent(n / int(tree.n_samples[0]))} · depth {depths(tree)[node]}"
    says = trees.open_words(tree, data.target, node) or trees.says(tree, data.target, node)
    line = [f"{kind} {node}", ": " if says.endswith(".") else " says ", says, size]
    found = trees.rule(tree, data.features, node, tree_results.missing(approximation_results.as_grown(one)))
    rule = (
        "if " + " and ".join(found)
        if found
        else "Every row starts here. Click a node to see how sure its split is."
    )
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="node bar"):
        selected = Selected(drawn["id"], node, subtree_end(tree, node), None)
        node_line(line, rule, selected, channel=CHANNEL, canvases=(KEY,))
        if node:
            st.button("Clear selection", on_click=callback(selection.select_node), args=(0,), type="tertiary")


def split_test_view(one: Approximated, node: int) -> None:
    """How the split of a node was found, and the runners-up."""
    told = approximation_results.split_facts(one)
    st.markdown(f"**How sure is the split of node {node}?**")
    st.markdown(words.verdict(told, node, plain))
    if one.tree.feature[node] == LEAF:
        return
    table = words.runners_table(told, node)
    most = max(1e-12, *table["gain"].tolist())
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "gain": st.column_config.ProgressColumn(format="%.4g", min_value=0.0, max_value=most, width=115),
            "chance": st.column_config.TextColumn(width=62),
            "asks": st.column_config.TextColumn(width=70 if is_numbers(one, node) else 140),
        },
        height=min(38 + 35 * len(table), 320),
        alt=f"Splits of node {node} that came closest",
    )
    st.caption(_explained(one, node))
    pictures.save(lambda: to_csv(table), f"splits-of-node-{node}.csv")


def _explained(one: Approximated, node: int) -> str:
    considered = one.considered
    is_open = one.model.value("method") != "exact" and not considered.decided[node]
    left_out = int(considered.n_prospects[node] - (considered.n_discarded[node] if is_open else 0))
    shown = int(considered.runners.start[node + 1] - considered.runners.start[node])
    more = (
        f" Of {left_out:,} {'still in the running' if is_open else 'tried'} the {shown} best are listed."
        if left_out > shown
        else ""
    )
    if one.model.value("method") == "exact":
        return f"✓ is what the tree asks. *Gain*: by how much the split lowers the impurity, exactly.{more}"
    return (
        "✓ is what the tree asks. *Gain*: by how much the split lowers the impurity. *Chance*: how likely as many "
        f"other made-up cases would put it before the best (Zhou & Hooker 2016, equation 4).{more}"
    )


def is_numbers(one: Approximated, node: int) -> bool:
    """Whether all splits listed at a node ask a number, which is short."""
    runners = one.considered.runners
    listed = runners.feature[runners.start[node] : runners.start[node + 1]].tolist()
    return not any(one.dataset.features[feature].categories for feature in listed)
