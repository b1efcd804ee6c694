"""The node inspector of a cultivated tree: why this module, what a prediction is based on, fractions of rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.cultivated import modules
from espalier.analysis.cultivated.modules import Habits, Module
from espalier.trees import depths, is_leaf
from espalier.views.cultivated import answer, curve, words
from espalier.views.cultivated.curve import Band
from espalier.views.cultivated.modules import conjunction, way_words
from espalier.views.tables import listed
from espalier.views.text import trees
from espalier.views.theme import column_format, count, number, percent
from pages.shared.app import chosen_row, frame
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.curve import curve_canvas
from pages.shared.tree import node_data, results
from pages.shared.tree.results import GrownTree

MAX_LISTED = 1_000  # rows of a node that are listed
MAX_OPTIONS = 6  # of a module that a rule names
MODULE_ALONE = "✓ is the module: without options only the best one."
LEADING = 5  # leaves that a prediction is explained by


def why(grown: GrownTree, node: int) -> None:
    """What every feature could do here, which of them the module takes, and the neighbourhood of one."""
    if grown.tree.impurity[node] <= 0:
        st.markdown("All rows here have the same target: there is nothing left to tell apart.")
        return
    module = _module(grown, node)
    if module.offers[0].at < 0:
        st.markdown("No cut on any feature gains anything among these rows.")
        return
    left, right = st.columns([9, 11], gap="medium")
    with left:
        position = _features(grown, node, module)
    with right:
        band = _band(grown.key, node, position, grown)
        card = curve.card(band, grown.dataset, grown.criterion)
        curve_canvas(card, curve.alt(band, grown.dataset.features), key="impurity")


def _features(grown: GrownTree, node: int, module: Module) -> int:
    """Table of the features; the position of the one that is ticked, at first the best one."""
    table = _offers(grown, node, module)
    ticked = st.dataframe(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 335),
        column_config={
            "feature": st.column_config.TextColumn(width=130),
            "h": st.column_config.NumberColumn(format=column_format(module.node_impurity, 4), width=64),
            "mean gain": st.column_config.ProgressColumn(
                format=column_format(_most(module)), min_value=0.0, max_value=_most(module), width=125
            ),
            "share": st.column_config.TextColumn(width=60),
        },
        on_select="rerun",
        selection_mode="single-row",
        key=f"offers {grown.key} {node}",
        alt="What every feature offers to this node, the least impurity first",
    )
    st.caption(_what_joined(grown, node, module))
    row = next(iter(ticked.selection.rows), 0)
    return row if row < len(module.offers) else 0


def _most(module: Module) -> float:
    return max(module.node_impurity - module.offers[0].mean_impurity, 1e-12)


def _offers(grown: GrownTree, node: int, module: Module) -> pd.DataFrame:
    features = grown.dataset.features
    gains = [max(module.node_impurity - offer.mean_impurity, 0.0) for offer in module.offers]
    shares = module.shares.tolist()
    names = [features[offer.feature].name for offer in module.offers]
    best = [
        curve.best(offer, bool(is_reversed), features)
        for offer, is_reversed in zip(module.offers, module.reversed, strict=True)
    ]
    return pd.DataFrame(
        {
            "feature": ["✓ " * (share > 0) + name for name, share in zip(names, shares, strict=True)],
            "h": [o.mean_impurity if math.isfinite(o.mean_impurity) else None for o in module.offers],
            "mean gain": gains,
            "share": [percent(round(share, 3)) if share else "" for share in shares],
            "goes left": [text.removeprefix(name).strip() for text, name in zip(best, names, strict=True)],
        }
    )


def _what_joined(grown: GrownTree, node: int, module: Module) -> str:
    least, s = module.offers[0].mean_impurity, int(depths(grown.tree)[node]) + 1
    how = "η₀ / s³" if grown.dataset.is_classification else "η₀ / s³ times twice the root's variance"
    limit = f"h ≤ {number(least, 4)} + {number(module.tolerance, 2)} ({how}, here s = {s})"
    if is_leaf(grown.tree)[node]:
        return f"A leaf, so nothing is asked. This is what a module could gain; features would join up to {limit}."
    text = "h is the mean impurity over the feature's cuts, and the mean gain how much less that is than before. "
    text += f"✓ is in the module: {limit}." if module.tolerance else MODULE_ALONE
    if grown.parameters.get("max_features") is not None:
        text += " Chance chose which features were tried here."
    if grown.parameters.get("min_fraction"):
        text += " Small fractions went wholly to one side while the tree grew, so its own numbers differ a little."
    return text + " Tick a feature to see its cuts."


def rule(grown: GrownTree, node: int) -> None:
    """The way to the node in words; of a selected row also what its prediction is based on."""
    row = chosen_row.chosen()
    if row is not None:
        _answer(grown, row)
        return
    says = plain(trees.says(grown.tree, grown.dataset.target, node))
    steps = words.way(grown.soft, grown.dataset.features, node, results.missing(grown), MAX_OPTIONS)
    if not steps:
        st.markdown(f"Every row starts wholly at the root. Without any question the answer is **{says}**.")
        return
    lines = "\n".join(f"1. {_marked(step.words)}" for step in steps)
    st.markdown(f"A row comes here **as far as**\n\n{lines}\n\n**then** {says}.")
    if any(";" in step.words or "≲" in step.words or "≳" in step.words for step in steps):
        st.caption(
            "≲ reads *less than around*: the closer a value is to the threshold, the more of the row goes the "
            "other way. Percentages before a colon are shares in a module: what an option counts."
        )


def _marked(text: str) -> str:
    return plain(text).replace("; ", "; &nbsp;")


def _answer(grown: GrownTree, row: int) -> None:
    """The leaves that a row's prediction is made of."""
    tree, data = grown.soft, grown.dataset
    found = modules.answer(tree, data.X[row])
    st.markdown(f"Row {row + 1}: **{plain(words.in_a_sentence(found, data.target))}**")
    left, right = st.columns([9, 11], gap="medium")
    with left:
        figure = answer.answer_figure(tree, found, data.target, frame.is_dark())
        alt = answer.answer_alt(tree, found, data.target)
        st.plotly_chart(figure, theme=None, key="answer", config=node_data.PLAIN, alt=alt)
        st.caption(_how_sure(grown, found))
    with right:
        _leading(grown, found)


def _how_sure(grown: GrownTree, found: modules.CultivatedAnswer) -> str:
    text = "Bars are the fractions of the row at its leaves' values, the line their weighted mean, the band ± σ."
    if len(grown.dataset.classes) > 2:
        text += f" Over all classes σ is {number(found.spread, 2)}."
    return text


def _leading(grown: GrownTree, found: modules.CultivatedAnswer) -> None:
    """The leaves with the largest fractions, as rules."""
    n = min(LEADING, len(found.leaves))
    covered = percent(float(found.fractions[:n].sum()))
    st.markdown(
        "**Based on**" + (f" the {n} leaves with the largest fractions, {covered} together:" if n > 1 else "")
    )
    for leaf, fraction in zip(found.leaves[:n].tolist(), found.fractions[:n].tolist(), strict=True):
        says = plain(trees.says(grown.tree, grown.dataset.target, leaf))
        steps = words.way(grown.soft, grown.dataset.features, leaf, most=2)
        told = "".join(f"\n   - {_marked(step.words)}" for step in steps)
        label = f"**{words.about(fraction)}** from leaf {leaf}: **{says}**"
        with st.expander(label, expanded=leaf == found.leaves[0]):
            st.markdown(f"if, for the most part,{told}" if steps else "The tree is a lone leaf.")


def rows(grown: GrownTree, node: int) -> None:
    """The node's rows with their fractions, the largest first; a click on one selects it."""
    fraction = results.fractions(grown, node)
    found = np.argsort(-fraction, kind="stable")[: np.count_nonzero(fraction)]
    shown = found[:MAX_LISTED]
    key = f"rows {grown.key} {node}"
    st.dataframe(
        listed(grown.dataset, shown, grown.held, fraction[shown], node_data.features(grown)),
        hide_index=True,
        height=300,
        column_config={
            "fraction": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0, width=110)
        },
        key=key,
        on_select=frame.callback(lambda: node_data.pick(grown, shown, key)),
        selection_mode="single-row",
        alt="Rows in the selected node, by the fraction of each that is here",
    )
    more = f"The first {count(MAX_LISTED)} of {count(len(found))} rows. " if len(found) > MAX_LISTED else ""
    whole = int(np.count_nonzero(fraction > 0.995))
    st.caption(
        f"{more}{count(whole)} of {count(len(found))} are here wholly. Tick a row to follow its fractions through "
        "the tree. "
        f"{node_data.left_off(grown)}"
    )


def spread(grown: GrownTree, node: int) -> None:
    """The target in the node, every row by its fraction, beside all rows that the tree was grown on."""
    node_data.target(grown, node, results.fractions(grown, node))
    n, weight = int(np.count_nonzero(results.fractions(grown, node)[~grown.held])), float(grown.tree.weight[node])
    st.caption(f"Every row counts by the fraction of it that is here: {count(n)} rows weigh {number(weight)}.")


def size(grown: GrownTree, node: int) -> str:
    """How much is in the node, for a heading."""
    weight = grown.tree.weight
    share = percent(float(weight[node] / max(weight[0], 1e-300)))
    rows = f"{count(grown.tree.n_samples[node])} rows"
    return rows if node == 0 else f"{rows} in part, together {number(float(weight[node]))}, {share}"


def part_of(grown: GrownTree, row: int) -> str:
    """What part of a row is in the selected node, for a heading: "62 % of "."""
    part = float(results.fractions(grown, st.session_state["node"])[row])
    return "" if part > 0.9999 else f"{percent(part)} of "


def in_short(grown: GrownTree, node: int) -> str:
    """The way to the node on one line."""
    steps = way_words(grown.soft, grown.dataset.features, node, most=2)
    return f"as far as {conjunction(steps)}" if steps else "Every row starts here."


def _module(grown: GrownTree, node: int) -> Module:
    return _cached_module(grown.key, node, grown)


@of_table(max_entries=64)
def _cached_module(key: str, node: int, _grown: GrownTree) -> Module:
    tree = _grown.soft
    made = modules.module(_grown.dataset, tree, node, results.weights(_grown, node), _habits(_grown))
    return modules.recorded(made, tree, node)


@of_table(max_entries=256)
def _band(key: str, node: int, position: int, _grown: GrownTree) -> Band:
    return curve.band(_grown.dataset, results.weights(_grown, node), _module(_grown, node), position)


def _habits(grown: GrownTree) -> Habits:
    chosen = grown.parameters
    k = chosen.get("k", "sqrt") if chosen.get("robust_splits", True) else 0.0
    eta = chosen.get("eta", 0.3) if chosen.get("options", True) else 0.0
    return Habits(k, eta, chosen.get("share_power", 0.0), chosen.get("thresholds", "midpoint"))


BODIES = (why, rule, rows, spread)
