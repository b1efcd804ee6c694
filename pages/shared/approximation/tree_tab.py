"""The tree, and how sure the split of the node that is selected is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.approximation import pictures as fidelity_by_depth
from espalier.approximation import words as split_words
from espalier.display.tables import to_csv
from espalier.display.text import trees
from espalier.display.text.trees import answer_share, class_answer
from espalier.display.theme import count
from espalier.language import Texts, say
from espalier.trees import LEAF, depths, subtree_end
from pages.shared.app import pictures
from pages.shared.app.frame import callback, plain
from pages.shared.approximation import heading, results
from pages.shared.approximation import results as approximation_results
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.tree import tree_canvas
from pages.shared.tree import results as tree_results
from pages.shared.tree import selection
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.node_line import Selected, node_line

KEY, CHANNEL = "approximation-tree", "approximation"
HEIGHT = 470


def draw(one: Approximated) -> None:
    """Draw the tree to click, and beside it the numbers of both and the test at the selected node."""
    drawn = _cards(one)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        tree_canvas(
            drawn,
            key=KEY,
            channel=CHANNEL,
            on_select=callback(lambda node: selection.select_node(node or 0)),
            height=HEIGHT,
        )
        if len(scores := heading.score_table(one)):
            st.table(scores, border="horizontal", hide_index=True, alt=say("How good both are on new rows"))
    with right:
        _line(one, drawn)
        split_test_view(one, st.session_state["node"])


def _cards(one: Approximated) -> dict[str, Any]:
    plain_cards = _with_shares_of_model(tree_results.cards(approximation_results.as_grown(one)), one)
    return fidelity_by_depth.mark_unsure(
        plain_cards, split_words.unsure_splits(approximation_results.split_facts(one))
    )


def _with_shares_of_model(drawn: dict[str, Any], one: Approximated) -> dict[str, Any]:
    """The cards with shares that are not said of rows: they are the model's, of made-up cases."""
    if not one.dataset.is_classification:
        return drawn
    value = one.tree.value
    return drawn | {
        "nodes": [card | {"percent": answer_share(value[card["id"]], None)} for card in drawn["nodes"]]
    }


def _line(one: Approximated, drawn: dict[str, Any]) -> None:
    """Draw the selected node: its answer, its size, and its rule."""
    node, tree, data = st.session_state["node"], one.tree, one.dataset
    kind = say("Root") if node == 0 else say("Leaf") if tree.feature[node] == LEAF else say("Node")
    n = int(tree.n_samples[node])
    size = tree_sentences.rows_and_share(n, n / int(tree.n_samples[0]))
    end = tree_sentences.size_and_depth(size, int(depths(tree)[node]))
    # Its shares are the model's, of made-up cases, and not of the rows.
    is_class = data.is_classification
    says = class_answer(data.target, tree.value[node], None) if is_class else trees.says(tree, data.target, node)
    word = " · " if trees.is_tied(tree, data.target, node) else tree_sentences.verb(says)
    line = [tree_sentences.node_name(kind, node), word, says, end]
    conditions = trees.rule(tree, data.features, node, tree_results.missing(approximation_results.as_grown(one)))
    rule = (
        tree_sentences.rule_line(conditions) if conditions else say("Click a node to see how sure its split is.")
    )
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="node bar"):
        selected = Selected(drawn["id"], node, subtree_end(tree, node), None)
        node_line(line, rule, selected, channel=CHANNEL, canvases=(KEY,))
        if node:
            st.button(say("Clear selection"), on_click=callback(selection.select_node), args=(0,), type="tertiary")


def split_test_view(one: Approximated, node: int) -> None:
    """Draw the verdict on the split of a node, and the runners-up."""
    facts = approximation_results.split_facts(one)
    verdict = split_words.verdict(facts, node, plain)
    if one.tree.feature[node] == LEAF:
        st.markdown(verdict)
        return
    short, _, why = verdict.removeprefix("**").partition("**")
    st.markdown(f"**{short}**", help=f"{why.lstrip(':;,. ')}\n\n{_explained(one, node)}")
    table = split_words.runners_table(facts, node)
    most = max(1e-12, *table[say("gain")].tolist())
    data_table(
        table,
        hide_index=True,
        column_config={
            say("gain"): st.column_config.ProgressColumn(format="%.4g", min_value=0.0, max_value=most, width=115),
            say("chance"): st.column_config.TextColumn(width=62),
            say("asks"): st.column_config.TextColumn(width=80 if is_numbers(one, node) else 140),
        },
        height=min(38 + 35 * len(table), 214),
        alt=say("Splits of node {node} that came closest", node=node),
    )
    pictures.save(lambda: to_csv(split_words.runners_table(facts, node)), f"splits-of-node-{node}.csv")


def _explained(one: Approximated, node: int) -> str:
    considered = one.considered
    is_open = one.model.value("method") != "exact" and not considered.decided[node]
    left_out = int(considered.n_prospects[node] - (considered.n_discarded[node] if is_open else 0))
    shown = int(considered.runners.start[node + 1] - considered.runners.start[node])
    more = _note_of_rivals(left_out, is_open, shown)
    if one.model.value("method") == "exact":
        return say(
            "✓ is what the tree asks. *Gain*: by how much the split lowers the impurity, exactly.{more}", more=more
        )
    return say(
        "✓ is what the tree asks. *Gain*: by how much the split lowers the impurity. *Chance*: how likely as "
        "many other made-up cases would put it before the best (Zhou & Hooker 2016, equation 4).{more}",
        more=more,
    )


def is_numbers(one: Approximated, node: int) -> bool:
    """Whether all splits listed at a node ask a number, which is short."""
    runners = one.considered.runners
    listed = runners.feature[runners.start[node] : runners.start[node + 1]].tolist()
    return not any(one.dataset.features[feature].categories for feature in listed)


def _note_of_rivals(n: int, is_open: bool, shown: int) -> str:
    """Note on rivals that are not listed; empty where there are none."""
    if n <= shown:
        return ""
    if is_open:
        return say(" Of {n} still in the running the {shown} best are listed.", n=count(n), shown=shown)
    return say(" Of {n} tried the {shown} best are listed.", n=count(n), shown=shown)


# ---- all splits of the tree in a table, with the sureness of each; a tick selects the node

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


def draw_splits(one: Approximated) -> None:
    """The table, and the contest of the split that is ticked."""
    facts = results.split_facts(one)
    table = split_words.splits_table(facts)
    st.markdown(split_words.sureness(facts))
    if not len(table):
        return
    key = f"splits {one.key}"
    method = one.model.value("method")
    data_table(
        table.drop(columns=[say("made-up cases"), say("sum of p")] if method == "exact" else []),
        hide_index=True,
        key=key,
        on_select=callback(lambda: _pick_split(one, key)),
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
    split_test_view(one, st.session_state["node"])


def _pick_split(one: Approximated, key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        table = split_words.splits_table(results.split_facts(one))
        selection.select_node(int(table[say("node")].iloc[rows[0]]))
