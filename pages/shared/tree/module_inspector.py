"""The node inspector of a cultivated tree: its module, the basis of a prediction, fractions of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display import cultivated as module_words
from espalier.display.cultivated import conjunction, way_words
from espalier.display.tables import listed
from espalier.display.text import trees
from espalier.display.text.values import subject
from espalier.display.theme import column_format, count, number, percent
from espalier.display.tree import figures as distribution
from espalier.display.tree import impurity_curve
from espalier.display.tree.impurity_curve import Band
from espalier.language import say
from espalier.tree import modules
from espalier.tree.modules import Habits, Module
from espalier.trees import depths, is_leaf
from pages.shared.app import chosen_row, frame, pictures
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.curve import curve_canvas
from pages.shared.canvas.data_table import data_table
from pages.shared.tree import results, selection, sentences
from pages.shared.tree.results import GrownTree
from pages.shared.tree.selection import SplitLook

MAX_LISTED = 1_000  # rows of a node that are listed
MAX_OPTIONS = 6  # of a module that a rule names
LEADING = 5  # leaves that a prediction is explained by


def why(grown: GrownTree, node: int) -> None:
    """Draw the offer of every feature, those that the module takes, and the neighbourhood of one."""
    if grown.tree.impurity[node] <= 0:
        st.markdown(say(sentences.ONE_TARGET))
        return
    if selection.leaves_none(grown):
        st.markdown(say(sentences.NO_COLUMN))
        return
    module = _module(grown, node)
    if module.offers[0].at < 0:
        st.markdown(say("No cut on any column gains anything among these rows."))
        return
    left, right = st.columns([9, 11], gap="medium")
    with left:
        position = _features(grown, node, module)
        st.caption(say(sentences.NOT_HERE))
    with right:
        band = _band(grown, node, position)
        card = impurity_curve.band_card(band, grown.dataset, grown.criterion)
        curve_canvas(card, impurity_curve.band_alt(band, grown.dataset.features), key="impurity")


def _features(grown: GrownTree, node: int, module: Module) -> int:
    """Table of the features; the position of the one that is ticked, at first the best one."""
    table = _offers(grown, node, module)
    ticked = data_table(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 335),
        column_config={
            say("column"): st.column_config.TextColumn(width=130),
            "h": st.column_config.NumberColumn(format=column_format(module.node_impurity, 4), width=64),
            say("mean gain"): st.column_config.ProgressColumn(
                format=column_format(_most(module)), min_value=0.0, max_value=_most(module), width=125
            ),
            say("share"): st.column_config.TextColumn(width=60),
        },
        on_select="rerun",
        selection_mode="single-row",
        key=f"offers {grown.key} {node}",
        alt=say("What every column offers to this node, the least impurity first"),
    )
    st.caption(
        _members(grown, node, module) + say(" Tick a column to see its cuts.") * (not is_leaf(grown.tree)[node])
    )
    row = next(iter(ticked.selection.rows), 0)
    return row if row < len(module.offers) else 0


def _most(module: Module) -> float:
    return max(module.node_impurity - module.offers[0].mean_impurity, 1e-12)


def _offers(grown: GrownTree, node: int, module: Module) -> pd.DataFrame:
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
    least, s = module.offers[0].mean_impurity, int(depths(grown.tree)[node]) + 1
    limit = _limit_sentence(least, float(module.tolerance), s, grown.dataset.is_classification)
    if is_leaf(grown.tree)[node]:
        return say(
            "A leaf, so nothing is asked. This is what a module could gain; columns would join up to {limit}.",
            limit=limit,
        )
    text = say(
        "h is the mean impurity over the column's cuts, and the mean gain how much less that is than before. "
    ) + (
        say("✓ is in the module: {limit}.", limit=limit)
        if module.tolerance
        else say("✓ is the module: without options only the best one.")
    )
    if selection.left_out(grown):
        text += say(sentences.WITHOUT_LEFT_OUT)
    if grown.parameters.get("max_features") is not None:
        text += say(" Chance chose which columns were tried here.")
    if grown.parameters.get("min_fraction"):
        text += say(
            " Small fractions went wholly to one side while the tree grew, so its own numbers differ a little."
        )
    return text


def split_look(grown: GrownTree, node: int) -> SplitLook | None:
    """The module of a node with the column whose cuts are shown; None where no cut gains anything."""
    if grown.tree.impurity[node] <= 0 or selection.leaves_none(grown):
        return None
    module = _module(grown, node)
    if module.offers[0].at < 0:
        return None
    at = selection.ticked(f"offers {grown.key} {node}") or 0
    band = _band(grown, node, at if at < len(module.offers) else 0)
    offers = _offers(grown, node, module).head(selection.MOST_OFFERS)
    features = grown.dataset.features
    card = impurity_curve.band_card(band, grown.dataset, grown.criterion)
    feature, words = features[band.look.curve.feature], impurity_curve.band_alt(band, features)
    curve = impurity_curve.curve_picture(card, feature, words)
    return SplitLook(curve, offers, _members(grown, node, module))


def rule(grown: GrownTree, node: int) -> None:
    """Draw the way to the node in words; for a selected row, the basis of its prediction."""
    row = chosen_row.chosen()
    if row is not None:
        _answer(grown, row)
        return
    says = plain(trees.says(grown.tree, grown.dataset.target, node))
    steps = module_words.way(grown.soft, grown.dataset.features, node, results.missing(grown), MAX_OPTIONS)
    if not steps:
        st.markdown(
            say(
                "Every row starts wholly at the root. Without any question the answer is **{answer}**.",
                answer=says,
            )
        )
        return
    st.markdown(_soft_rule([_marked(step.words) for step in steps], says))
    if any(";" in step.words or "≲" in step.words or "≳" in step.words for step in steps):
        st.caption(
            say(
                "≲ reads *less than around*: the closer a value is to the threshold, the more of the "
                "row goes the other way. Percentages before a colon are shares in a module: what an "
                "option counts."
            )
        )


def _marked(text: str) -> str:
    return plain(text).replace("; ", "; &nbsp;")


def _answer(grown: GrownTree, row: int) -> None:
    """The leaves that a row's prediction is made of."""
    tree, data = grown.soft, grown.dataset
    prediction = modules.answer(tree, data.X[row])
    name = plain(data.roles.name_of(row, begins=True))
    st.markdown(f"{name}: **{plain(module_words.answer_sentence(prediction, data.target))}**")
    left, right = st.columns([9, 11], gap="medium")
    with left:
        pictures.plot(distribution.answer_picture(tree, prediction, data.target), "answer")
        st.caption(_how_sure(grown, prediction))
    with right:
        _leading(grown, prediction)


def _how_sure(grown: GrownTree, prediction: modules.CultivatedAnswer) -> str:
    is_many = len(grown.dataset.classes) > 2
    return say(
        "Bars are the fractions of the row at its leaves' values, the line their weighted mean, the band ± σ."
    ) + (say(" Over all classes σ is {spread}.", spread=number(float(prediction.spread), 2)) if is_many else "")


def _leading(grown: GrownTree, prediction: modules.CultivatedAnswer) -> None:
    """The leaves with the largest fractions, as rules."""
    n = min(LEADING, len(prediction.leaves))
    st.markdown(_leaves_heading(n, float(prediction.fractions[:n].sum())))
    leaves, fractions = prediction.leaves[:n].tolist(), prediction.fractions[:n].tolist()
    for leaf, fraction in zip(leaves, fractions, strict=True):
        says = plain(trees.says(grown.tree, grown.dataset.target, leaf))
        steps = module_words.way(grown.soft, grown.dataset.features, leaf, most=2)
        label = say(
            "**{about}** from leaf {leaf}: **{answer}**",
            about=module_words.about(fraction),
            leaf=leaf,
            answer=says,
        )
        with st.expander(label, expanded=leaf == leaves[0]):
            st.markdown(_conditions_sentence([_marked(step.words) for step in steps]))


def rows(grown: GrownTree, node: int) -> None:
    """The node's rows with their fractions, the largest first; a click on one selects it."""
    fraction = results.fractions(grown, node)
    here = np.argsort(-fraction, kind="stable")[: np.count_nonzero(fraction)]
    shown = here[:MAX_LISTED]
    key = f"rows {grown.key} {node}"
    data_table(
        listed(grown.dataset, shown, grown.held, fraction[shown], selection.features(grown)),
        hide_index=True,
        height=300,
        column_config={
            say("fraction"): st.column_config.ProgressColumn(
                format="percent", min_value=0.0, max_value=1.0, width=110
            )
        },
        key=key,
        on_select=frame.callback(lambda: selection.pick(grown, shown, key)),
        selection_mode="single-row",
        alt=say("Rows in the selected node, by the fraction of each that is here"),
    )
    more, whole = sentences.list_note(MAX_LISTED, len(here)), int(np.count_nonzero(fraction > 0.995))
    st.caption(
        f"{more}"
        + say(
            "{n_whole} of {n} are here wholly. Tick a row to follow its fractions through the tree.",
            n_whole=count(whole),
            n=count(len(here)),
        )
        + f" {selection.left_off(grown)}"
    )


def spread(grown: GrownTree, node: int) -> None:
    """The target in the node, every row by its fraction, beside all rows that the tree was grown on."""
    selection.target(grown, node, results.fractions(grown, node))
    n, weight = int(np.count_nonzero(results.fractions(grown, node)[~grown.held])), float(grown.tree.weight[node])
    st.caption(
        say(
            "Every row counts by the fraction of it that is here: {n} rows weigh {weight}.",
            n=count(n),
            weight=number(weight),
        )
    )


def size(grown: GrownTree, node: int) -> str:
    """Rows and weight in the node, for a heading."""
    weight = grown.tree.weight
    n, share = int(grown.tree.n_samples[node]), float(weight[node] / max(weight[0], 1e-300))
    return (
        say("{n} rows", n=count(n))
        if node == 0
        else say(
            "{n} rows in part, together {weight}, {share}",
            n=count(n),
            weight=number(float(weight[node])),
            share=percent(share),
        )
    )


def part_of(grown: GrownTree, row: int) -> str:
    """Fraction of a row in the selected node, for a heading: "62 % of "."""
    part = float(results.fractions(grown, st.session_state["node"])[row])
    return "" if part > 0.9999 else say("{fraction} of ", fraction=percent(part))


def in_short(grown: GrownTree, node: int) -> str:
    """The way to the node on one line."""
    steps = way_words(grown.soft, grown.dataset.features, node, most=2)
    return _soft_rule_line(conjunction(steps) if steps else "")


@of_table(max_entries=64)
def _module(grown: GrownTree, node: int) -> Module:
    tree = grown.soft
    made = modules.module(grown.dataset, tree, node, results.weights(grown, node), _habits(grown))
    return modules.record_shares(made, tree, node)


@of_table(max_entries=256)
def _band(grown: GrownTree, node: int, position: int) -> Band:
    return impurity_curve.band(grown.dataset, results.weights(grown, node), _module(grown, node), position)


def _habits(grown: GrownTree) -> Habits:
    chosen = grown.parameters
    k = chosen.get("k", "sqrt") if chosen.get("robust_splits", True) else 0.0
    eta = chosen.get("eta", 0.3) if chosen.get("options", True) else 0.0
    left_out = selection.left_out(grown)
    return Habits(k, eta, chosen.get("share_power", 0.0), chosen.get("thresholds", "midpoint"), left_out)


BODIES = (why, rule, rows, spread)


def _limit_sentence(least: float, tolerance: float, depth: int, is_classification: bool) -> str:
    """The mean impurity up to which features join the module, at a depth that counts the root as 1."""
    how = "η₀ / s³" if is_classification else say("η₀ / s³ times twice the root's variance")
    return say(
        "h ≤ {least} + {tolerance} ({how}, here s = {depth})",
        least=number(least, 4),
        tolerance=number(tolerance, 2),
        how=how,
        depth=depth,
    )


def _soft_rule(steps: Sequence[str], answer: str) -> str:
    """Rule of a node of a cultivated tree; Markdown."""
    lines = "\n".join(f"1. {step}" for step in steps)
    return say("A row comes here **as far as**\n\n{lines}\n\n**then** {answer}.", lines=lines, answer=distribution)


def _soft_rule_line(steps: str) -> str:
    """The same on one line."""
    return say("as far as {steps}", steps=steps) if steps else say("Every row starts here.")


def _leaves_heading(n: int, fraction: float) -> str:
    """Heading of the leaves that an answer is made of."""
    if n == 1:
        return say("**Based on**")
    return say(
        "**Based on** the {n} leaves with the largest fractions, {fraction} together:",
        n=n,
        fraction=percent(fraction),
    )


def _conditions_sentence(steps: Sequence[str]) -> str:
    """Conditions of such a leaf; Markdown."""
    lines = "".join(f"\n   - {step}" for step in steps)
    return say("if, for the most part,{lines}", lines=lines) if steps else say("The tree is a lone leaf.")
