"""The node inspector of a cultivated tree: its module, the basis of a prediction, fractions of rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display import cultivated as module_words
from espalier.display.cultivated import conjunction, way_words
from espalier.display.parts import Picture
from espalier.display.text import trees
from espalier.display.text.values import subject
from espalier.display.theme import column_format, count, number, percent
from espalier.display.tree import figures, impurity_curve
from espalier.display.tree.impurity_curve import Band
from espalier.grown import GrownTree
from espalier.language import say
from espalier.tree import modules
from espalier.tree.modules import Habits, Module
from espalier.trees import is_leaf
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import curve_canvas, data_table
from pages.shared.tree import results, selection

MAX_OPTIONS = 6  # of a module that a rule names
LEADING = 5  # leaves that a prediction is explained by


def why(grown: GrownTree, node: int) -> None:
    """Draw the offer of every feature, those that the module takes, and the neighbourhood of one."""
    if reason := _no_module(grown, node):
        st.markdown(reason)
        return
    module = _module(grown, node)
    band = _band(grown, node, _features(grown, node, module))
    st.caption(say(selection.NOT_HERE))
    card = impurity_curve.band_card(band, grown.dataset, grown.criterion)
    curve_canvas(card, impurity_curve.band_alt(band, grown.dataset.features), key="impurity")


def _no_module(grown: GrownTree, node: int) -> str:
    """Why there is nothing to ask at the node; empty where there is."""
    if grown.tree.impurity[node] <= 0:
        return say(selection.ONE_TARGET)
    if selection.leaves_none(grown):
        return say(selection.NO_COLUMN)
    return "" if _module(grown, node).offers[0].at >= 0 else say("No cut on any column gains anything here.")


def _features(grown: GrownTree, node: int, module: Module) -> int:
    """Table of the features; the position of the one that is ticked, at first the best one."""
    table, most = _offers(grown, module), max(module.node_impurity - module.offers[0].mean_impurity, 1e-12)
    ticked = data_table(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 335),
        column_config={
            say("column"): st.column_config.TextColumn(width=130),
            "h": st.column_config.NumberColumn(format=column_format(module.node_impurity, 4), width=64),
            say("mean gain"): st.column_config.ProgressColumn(
                format=column_format(most), min_value=0.0, max_value=most, width=125
            ),
            say("share"): st.column_config.TextColumn(width=60),
        },
        on_select="rerun",
        selection_mode="single-row",
        key=f"offers {grown.key} {node}",
        alt=say("What every column offers to this node, the least impurity first"),
    )
    st.caption(_members(grown, node, module))
    row = next(iter(ticked.selection.rows), 0)
    return row if row < len(module.offers) else 0


def _offers(grown: GrownTree, module: Module) -> pd.DataFrame:
    features = grown.dataset.features
    gains = [max(module.node_impurity - offer.mean_impurity, 0.0) for offer in module.offers]
    shares = module.shares.tolist()
    names = [subject(features[offer.feature]) for offer in module.offers]
    best = [
        impurity_curve.best_cut(offer, bool(is_reversed), features)
        for offer, is_reversed in zip(module.offers, module.reversed, strict=True)
    ]
    return pd.DataFrame(
        {
            say("column"): ["✓ " * (share > 0) + name for name, share in zip(names, shares, strict=True)],
            "h": [o.mean_impurity if math.isfinite(o.mean_impurity) else None for o in module.offers],
            say("mean gain"): gains,
            say("share"): [percent(round(share, 3)) if share else "" for share in shares],
            say("goes left"): [text.removeprefix(name).strip() for text, name in zip(best, names, strict=True)],
        }
    )


def _members(grown: GrownTree, node: int, module: Module) -> str:
    """What the columns of the table mean, and which of them join the module."""
    limit = say(
        "h ≤ {least} + {tolerance}",
        least=number(module.offers[0].mean_impurity, 4),
        tolerance=number(float(module.tolerance), 2),
    )
    text = (
        say("A leaf: this is what a module could gain; columns would join up to {limit}.", limit=limit)
        if is_leaf(grown.tree)[node]
        else say("h is the mean impurity over a column's cuts; ✓ is in the module: {limit}.", limit=limit)
    )
    return text + (say(selection.WITHOUT_LEFT_OUT) if selection.left_out(grown) else "")


def split_look(grown: GrownTree, node: int) -> tuple[Picture, pd.DataFrame] | None:
    """The cuts of a node that are shown, and its columns, the best first; None where no cut gains anything."""
    if _no_module(grown, node):
        return None
    module, at = _module(grown, node), selection.ticked(f"offers {grown.key} {node}") or 0
    band = _band(grown, node, at if at < len(module.offers) else 0)
    features = grown.dataset.features
    card = impurity_curve.band_card(band, grown.dataset, grown.criterion)
    feature, words = features[band.look.curve.feature], impurity_curve.band_alt(band, features)
    curve = impurity_curve.curve_picture(card, feature, words)
    return curve, _offers(grown, module).head(selection.MOST_OFFERS)


def rule(grown: GrownTree, node: int) -> None:
    """Draw the way to the node in words; for a selected row, the basis of its prediction."""
    row = selection.chosen_row()
    if row is not None:
        _answer(grown, row)
        return
    says = plain(trees.says(grown.tree, grown.dataset.target, node))
    steps = module_words.way(grown.soft, grown.dataset.features, node, results.missing(grown.dataset), MAX_OPTIONS)
    if not steps:
        st.markdown(say("Every row starts wholly at the root. Its answer is **{answer}**.", answer=says))
        return
    lines = "\n".join(f"1. {plain(words).replace('; ', '; &nbsp;')}" for _, _, words in steps)
    text = say("A row comes here **as far as**\n\n{lines}\n\n**then** {answer}.", lines=lines, answer=says)
    st.markdown(text, help=say("≲ reads *less than around*. Percentages before a colon are shares in a module."))


def _answer(grown: GrownTree, row: int) -> None:
    """The leaves that a row's prediction is made of."""
    tree, data = grown.soft, grown.dataset
    prediction = modules.answer(tree, data.X[row])
    name = plain(data.roles.name_of(row, begins=True))
    st.markdown(f"{name}: **{plain(module_words.answer_sentence(prediction, data.target))}**")
    pictures.plot(figures.answer_picture(tree, prediction, data.target), "answer")
    st.caption(say("Bars: fractions of the row by its leaves' values; line: their mean; band: ± σ."))
    leaves, table = prediction.leaves[:LEADING].tolist(), {}
    ways = [module_words.way(tree, data.features, leaf, most=2) for leaf in leaves]
    table[say("fraction")] = [percent(part) for part in prediction.fractions[:LEADING].tolist()]
    table[say("leaf")] = leaves
    table[say("answer")] = [trees.says(tree, data.target, leaf) for leaf in leaves]
    table[say("if, for the most part")] = [" · ".join(words for _, _, words in steps) for steps in ways]
    data_table(pd.DataFrame(table), hide_index=True, alt=say("Leaves with the largest fractions of the row"))


def rows(grown: GrownTree, node: int) -> None:
    """The node's rows with their fractions, the largest first; a click on one selects it."""
    fraction = results.fractions(grown, node)
    here = np.argsort(-fraction, kind="stable")[: np.count_nonzero(fraction)]
    selection.rows(grown, node, here, fraction)


def spread(grown: GrownTree, node: int) -> None:
    """The target in the node, every row by its fraction, beside all rows that the tree was grown on."""
    selection.target(grown, node, results.fractions(grown, node))


def size(grown: GrownTree, node: int) -> str:
    """Rows and weight in the node, for a heading."""
    weight, n = grown.tree.weight, count(int(grown.tree.n_samples[node]))
    if node == 0:
        return say("{n} rows", n=n)
    share = percent(float(weight[node] / max(weight[0], 1e-300)))
    part = number(float(weight[node]))
    return say("{n} rows in part, together {weight}, {share}", n=n, weight=part, share=share)


def part_of(grown: GrownTree, row: int) -> str:
    """Fraction of a row in the selected node, for a heading: "62 % of "."""
    part = float(results.fractions(grown, st.session_state["node"])[row])
    return "" if part > 0.9999 else say("{fraction} of ", fraction=percent(part))


def in_short(grown: GrownTree, node: int) -> str:
    """The way to the node on one line."""
    steps = way_words(grown.soft, grown.dataset.features, node, most=2)
    return say("as far as {steps}", steps=conjunction(steps)) if steps else say("Every row starts here.")


@of_table(max_entries=64)
def _module(grown: GrownTree, node: int) -> Module:
    chosen = grown.parameters
    k = chosen.get("k", "sqrt") if chosen.get("robust_splits", True) else 0.0
    eta = chosen.get("eta", 0.3) if chosen.get("options", True) else 0.0
    thresholds = chosen.get("thresholds", "midpoint")
    habits = Habits(k, eta, chosen.get("share_power", 0.0), thresholds, selection.left_out(grown))
    made = modules.module(grown.dataset, grown.soft, node, results.weights(grown, node), habits)
    return modules.record_shares(made, grown.soft, node)


@of_table(max_entries=256)
def _band(grown: GrownTree, node: int, position: int) -> Band:
    return impurity_curve.band(grown.dataset, results.weights(grown, node), _module(grown, node), position)


BODIES = (why, rule, rows, spread)
