"""The node inspector: why this split, the rule in words, the rows, and how the target is spread."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis.nodes import Curve
from core.trees import LEAF, depths
from core.views import figures, words
from core.views.surface import in_words
from core.views.tables import listed
from core.views.theme import percent
from pages.shared import cache, frame, selection
from pages.shared.address import Entry, one_of
from pages.shared.cache import Grown
from pages.shared.frame import plain

WHY, RULE, ROWS, SPREAD = TABS = ("Why this split", "Rule", "Rows", "Target")
PLAIN = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}
MAX_LISTED = 1_000  # rows of a node that are listed


def entries() -> list[Entry]:
    """The open tab, as part of the address."""
    return [Entry("tab", WHY, one_of(TABS), undo=False)]


def tabs(grown: Grown) -> None:
    """What is to be known of the selected node; only the open tab is drawn."""
    node = st.session_state["node"]
    bodies = (why, rule, rows, spread)
    for tab, body in zip(st.tabs(TABS, key="tab", on_change="rerun"), bodies, strict=True):
        if tab.open:
            with tab:
                body(grown, node)


def heading(grown: Grown) -> None:
    """The selected node in one line, and the selected sample."""
    node, tree, data = st.session_state["node"], grown.tree, grown.dataset
    kind = "Root" if node == 0 else "Leaf" if tree.feature[node] == LEAF else "Node"
    share = tree.n_samples[node] / tree.n_samples[0]
    text = f"**{kind} {node}** says **{plain(words.says(tree, data.target, node))}**"
    text += f" · {tree.n_samples[node]} rows, {percent(share)} · depth {depths(tree)[node]}"
    row = st.session_state["row"]
    if row is not None:
        kind = "held out" if grown.held[row] else "grown on"
        text += f" · with **row {row}** ({kind}), in truth **{plain(in_words(data.target, float(data.y[row])))}**"
    with st.container(horizontal=True, vertical_alignment="center", key="node bar"):
        st.markdown(text, width="stretch")
        if node or row is not None:
            st.button("Clear selection", on_click=selection.select_node, args=(0,), type="tertiary")


def why(grown: Grown, node: int) -> None:
    """Impurity against threshold on a feature, and what every feature could have done."""
    curves = cache.curves(grown, node)
    if grown.tree.impurity[node] <= 0:
        st.markdown("All rows here have the same target: there is nothing left to tell apart.")
        return
    if curves[0].best < 0:
        st.markdown("No feature has two different values among these rows, so nothing parts them.")
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        shown = _runners_up(grown, node, curves)
    with right:
        figure = cache.impurity_figure(grown, node, shown, frame.is_dark())
        alt = figures.impurity_alt(cache.look(grown, node, shown))
        st.plotly_chart(figure, theme=None, key="impurity", config=PLAIN, alt=alt)


def _runners_up(grown: Grown, node: int, curves: list[Curve]) -> Curve:
    """Table of the features by their best gain; the curve of the one that is ticked, at first the split's."""
    own = int(grown.tree.feature[node])
    table = _gains(grown, node, curves)
    most = max(curves[0].gain, 1e-12)
    ticked = st.dataframe(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 300),
        column_config={
            "best split": st.column_config.TextColumn(width="small"),
            "gain": st.column_config.ProgressColumn(format="%.3g", min_value=0.0, max_value=most),
        },
        on_select="rerun",
        selection_mode="single-row",
        key=f"runners-up {grown.key} {node}",
        alt="Best split of every feature, by gain",
    )
    st.caption(_what_was_chosen(own))
    row = next(iter(ticked.selection.rows), None)
    if row is not None and row < len(curves):
        return curves[row]
    return next((curve for curve in curves if curve.feature == own), curves[0])


def _gains(grown: Grown, node: int, curves: list[Curve]) -> pd.DataFrame:
    looks = [cache.look(grown, node, curve) for curve in curves]
    own = int(grown.tree.feature[node])
    return pd.DataFrame(
        {
            "feature": [look.feature.name + (" ✓" if look.curve.feature == own else "") for look in looks],
            "best split": [_best(look) for look in looks],
            "gain": [max(curve.gain, 0.0) for curve in curves],
        }
    )


def _best(look: figures.Look) -> str:
    best = look.curve.best
    if best < 0:
        return "–"
    return figures.cut_text(look, float(look.curve.threshold[best])).removeprefix(look.feature.name).strip()


def _what_was_chosen(own: int) -> str:
    state = st.session_state
    if own == LEAF:
        return "A leaf: this is what splitting it further could gain. Tick a feature to see its curve."
    if state["features"] != "all" or state["splitter"] != "best":
        return "✓ is what the tree splits on; chance had a hand in it, so others may gain more. Tick a feature."
    return "✓ is what the tree splits on: the greatest gain. Tick another feature to see its curve."


def rule(grown: Grown, node: int) -> None:
    """What a row must be like to come here."""
    tree, data = grown.tree, grown.dataset
    found = words.rule(tree, data.features, node, cache.missing(grown))
    says = plain(words.says(tree, data.target, node))
    if not found:
        st.markdown(f"Every row starts at the root. Without any question the answer is **{says}**.")
        return
    lines = "\n".join(f"- {plain(text)}" for text in found)
    st.markdown(f"**If**\n\n{lines}\n\n**then** {says}.")


def rows(grown: Grown, node: int) -> None:
    """The node's rows; a click on one selects it."""
    found = np.flatnonzero(cache.rows_in(grown, node))
    table = listed(grown.dataset, found[:MAX_LISTED], grown.held)
    key = f"rows {grown.key} {node}"
    st.dataframe(
        table,
        hide_index=True,
        height=300,
        key=key,
        on_select=lambda: _pick(grown, found, key),
        selection_mode="single-row",
        alt="Rows in the selected node",
    )
    more = f"The first {MAX_LISTED} of {len(found)} rows. " if len(found) > MAX_LISTED else ""
    st.caption(more + "Tick a row to follow its path through the tree.")


def spread(grown: Grown, node: int) -> None:
    """The target among the node's rows, beside all rows that the tree was grown on."""
    tree, data = grown.tree, grown.dataset
    dark = frame.is_dark()
    if data.is_classification:
        shares = tree.value[node], tree.value[0], data.classes
        figure, alt = figures.class_bar(*shares, dark), figures.class_bar_alt(*shares)
    else:
        y, inside = data.y[~grown.held], cache.rows_in(grown, node)[~grown.held]
        figure = figures.target_histogram(y, inside, data.target, float(tree.value[node, 0]), dark)
        alt = figures.histogram_alt(y, inside, data.target)
    st.plotly_chart(figure, theme=None, key="target", config=PLAIN, alt=alt)


def _pick(grown: Grown, found: np.ndarray, key: str) -> None:
    picked = st.session_state[key].selection.rows
    if picked and picked[0] < len(found):
        selection.select_row(grown, int(found[picked[0]]))
