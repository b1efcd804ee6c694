"""The tree, and how sure the split of the node that is selected is."""

from __future__ import annotations

import streamlit as st

from espalier.approximation import pictures as fidelity_pictures
from espalier.approximation import words
from espalier.display.text import trees
from espalier.display.text.trees import answer_share, class_answer
from espalier.language import say
from espalier.trees import LEAF, subtree_end
from pages.shared.app.frame import callback, plain
from pages.shared.approximation import heading, results
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.tree import Selected, node_line, tree_canvas
from pages.shared.tree import results as tree_results
from pages.shared.tree import selection

KEY, CHANNEL = "approximation-tree", "approximation"
HEIGHT = 470


def draw(one: Approximated) -> None:
    """Draw the tree to click, and beside it the numbers of both and the test at the selected node."""
    grown, unsure = results.as_grown(one), words.unsure_splits(results.split_facts(one))
    drawn, value = tree_results.cards(grown), one.tree.value
    if one.dataset.is_classification:  # shares are the model's, of made-up cases, and not said of rows
        nodes = [card | {"percent": answer_share(value[card["id"]], None)} for card in drawn["nodes"]]
        drawn = drawn | {"nodes": nodes}
    drawn = fidelity_pictures.mark_unsure(drawn, unsure)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        tree_canvas(
            drawn, key=KEY, channel=CHANNEL, height=HEIGHT,
            on_select=callback(lambda node: selection.select_node(node or 0)),
        )  # fmt: skip
        scores = heading.score_table(one)
        st.table(scores, border="horizontal", hide_index=True, alt=say("How good both are"))
    with right:
        _draw_line(one, drawn["id"])
        _draw_test(one, st.session_state["node"])


def _draw_line(one: Approximated, tree_id: str) -> None:
    """Draw the selected node: its answer, its size, and its rule."""
    node, tree, data = st.session_state["node"], one.tree, one.dataset
    n = int(tree.n_samples[node])
    size = trees.rows_and_share(n, n / int(tree.n_samples[0]))
    # Its shares are the model's, of made-up cases, and not of the rows.
    answer = class_answer(data.target, tree.value[node], None) if data.is_classification else ""
    line = trees.node_parts(tree, data.target, node, size, answer)
    conditions = trees.rule(tree, data.features, node, tree_results.missing(results.as_grown(one)))
    rule = trees.rule_line(conditions) if node else say("Click a node to see how sure its split is.")
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="node bar"):
        selected = Selected(tree_id, node, subtree_end(tree, node), None)
        node_line(line, rule, selected, channel=CHANNEL, canvases=(KEY,))
        if node:
            st.button(say("Clear selection"), on_click=callback(selection.select_node), args=(0,), type="tertiary")


def _draw_test(one: Approximated, node: int) -> None:
    """Draw the verdict on the split of a node, and the runners-up."""
    facts = results.split_facts(one)
    verdict = words.verdict(facts, node, plain)
    if one.tree.feature[node] == LEAF:
        st.markdown(verdict)
        return
    table = words.runners_table(facts, node)
    st.markdown(
        verdict,
        help=say(
            "✓ is what the tree asks. *Gain*: by how much a split lowers the impurity. *Chance*: how likely other "
            "made-up cases would put it first (Zhou & Hooker 2016, equation 4)."
        ),
    )
    runners = facts.considered.runners
    listed = runners.feature[runners.start[node] : runners.start[node + 1]].tolist()
    is_short = not any(one.dataset.features[feature].categories for feature in listed)  # asks for numbers alone
    most = max(1e-12, *table[say("gain")].tolist())
    data_table(
        table,
        hide_index=True,
        column_config={
            say("gain"): st.column_config.ProgressColumn(format="%.4g", min_value=0.0, max_value=most, width=115),
            say("chance"): st.column_config.TextColumn(width=62),
            say("asks"): st.column_config.TextColumn(width=80 if is_short else 140),
        },
        height=min(38 + 35 * len(table), 214),
        alt=say("Splits of node {node} that came closest", node=node),
    )
