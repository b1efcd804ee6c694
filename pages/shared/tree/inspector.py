"""The node inspector: the reason of the split, the rule in words, the rows, and the spread of the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from espalier.data.dataset import Feature
from espalier.display.boundaries.plane import mark
from espalier.display.parts import Picture
from espalier.display.text import splits, trees
from espalier.display.text.splits import kind_words
from espalier.display.text.values import in_unit, in_words, subject
from espalier.display.theme import column_format, count, number, percent
from espalier.display.tree import impurity_curve as curve_views
from espalier.grown import GrownTree
from espalier.inert import inert
from espalier.language import Texts, say, to_say
from espalier.tree.nodes import ImpurityCurve, ratio, splits_as_good
from espalier.tree.rules import bounds, deciders
from espalier.trees import LEAF, Tree, subtree_end
from pages.shared.app import links
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import Selected, curve_canvas, data_table, draw_open_tab, node_line
from pages.shared.models import learners
from pages.shared.tree import by_hand, explorer, formulas, module_inspector, pruning, results, selection

FORMER_TABS = Texts(
    {"Missing values": "this tab is gone; how missing values are treated is a setting of the tree"}
)
BY_GAIN = to_say("✓ is the tree's split. Tick a column to see its curve.")

Body: TypeAlias = Callable[[GrownTree, int], None]
TABS = (
    to_say("Why this split"),
    to_say("Rule"),
    to_say("Rows"),
    to_say("Target"),
    to_say("Error by size"),
    to_say("Formula"),
)
*_, ERRORS, FORMULA = TABS
WHY = TABS[0]  # open at first
MOST_AS_GOOD = 3  # splits in a sentence
GROUPS = "groups"  # in the address: a column whose groups had trees of their own once


def url_entries() -> list[Entry]:
    """The open tab, as a part of the address; and what an old one may have."""
    former = {name: links.Gone(text) for name, text in FORMER_TABS.items()}
    return [
        Entry("tab", WHY, links.one_of_or_former(TABS, former), undo=False),
        links.gone_entry(
            GROUPS,
            say(
                "groups have no trees of their own here; “Filter rows”, behind the table's name, takes "
                "a group's rows alone"
            ),
        ),
    ]


def tabs(grown: GrownTree, whole: GrownTree) -> None:
    """Draw the tabs on the selected node and on pruning; only the open one is drawn."""
    four = module_inspector.BODIES if grown.is_cultivated else (why, rule, rows, spread)
    bodies: dict[str, Body] = dict(zip(TABS, four, strict=False))
    if whole.source.model.name in learners.SETTINGS and not whole.by_hand and not grown.by_hand:
        bodies[ERRORS] = lambda shown, _: pruning.body(whole, shown)
    if grown.models is not None:
        bodies[FORMULA] = formulas.body
    if st.session_state["tab"] not in bodies:
        st.session_state["tab"] = WHY
    bodies = {name: bodies[name] for name in TABS if name in bodies}
    draw_open_tab(bodies, "tab", grown, st.session_state["node"])


def heading(grown: GrownTree) -> None:
    """The selected node and sample in one line, and below it the rule."""
    node, row = st.session_state["node"], selection.chosen_row()
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="node bar"):
        parts = [*_node_parts(grown, node), *([] if row is None else _row_parts(grown, row))]
        sample = None
        if row is not None:
            fractions = {"fractions": results.fractions_of_row(grown, row)} if grown.is_cultivated else {}
            sample = mark(grown.dataset, explorer.plane_of(grown), row) | fractions
        selected = Selected(results.cards(grown)["id"], node, subtree_end(grown.tree, node), sample)
        node_line(parts, _in_short(grown, node), selected, channel=explorer.CHANNEL, canvases=explorer.CANVASES)
        if node or row is not None:
            st.button(say("Clear selection"), on_click=callback(selection.select_node), args=(0,), type="tertiary")
    feature = int(grown.tree.feature[node]) if not grown.is_cultivated else LEAF
    if feature != LEAF and (meaning := grown.dataset.features[feature].meaning):
        st.caption(f"**{plain(grown.dataset.features[feature].name)}**: {plain(meaning)}")


def _node_parts(grown: GrownTree, node: int) -> list[str]:
    tree = grown.tree
    if grown.is_cultivated:
        size = module_inspector.size(grown, node)
    else:
        size = trees.rows_and_share(int(tree.n_samples[node]), float(tree.n_samples[node] / tree.n_samples[0]))
        if grown.dataset.row_weights is not None:
            weight, share = float(tree.weight[node]), percent(float(tree.weight[node] / tree.weight[0]))
            size += say(", weight {weight} ({share})", weight=number(weight), share=share)
    return trees.node_parts(tree, grown.dataset.target, node, size)


def _row_parts(grown: GrownTree, row: int) -> list[str]:
    truth = in_words(grown.dataset.target, float(grown.dataset.y[row]))
    here = module_inspector.part_of(grown, row) if grown.is_cultivated else ""
    weights = grown.dataset.row_weights
    weight = "" if weights is None else say(", weight {weight}", weight=number(float(weights.values[row])))
    return [
        "",
        *[
            say(" · with {part}", part=here),
            grown.dataset.roles.name_of(row),
            say(" ({is_held}), in truth ", is_held=say("held out") if bool(grown.held[row]) else say("grown on")),
        ],
        truth + weight,
    ]


def _in_short(grown: GrownTree, node: int) -> str:
    if grown.is_cultivated:
        return module_inspector.in_short(grown, node)
    missing = results.missing(grown.dataset)
    rule = trees.rule_line(trees.rule(grown.sharp, grown.dataset.features, node, missing) if node else [])
    formula = formulas.in_short(grown, node) if grown.models is not None else ""
    return f"{rule.removesuffix('.')}: {formula}" if formula else rule


def why(grown: GrownTree, node: int) -> None:
    """Draw impurity against threshold on a feature, and the gain that every feature offers."""
    ranked, own = _ranked(grown, node), int(grown.tree.feature[node])
    if grown.tree.impurity[node] <= 0:
        st.markdown(say(selection.ONE_TARGET))
        if st.session_state[by_hand.EDITS]:
            by_hand.back(grown, node)
        return
    if not ranked or ranked[0].best < 0:
        st.markdown(
            say("No column has two different values among these rows, so nothing parts them.")
            if ranked
            else say(selection.NO_COLUMN)
        )
        return
    curves = sorted(ranked, key=lambda curve: curve.feature != own)  # the tree's own is in sight
    shown = _runners_up(grown, node, curves)
    card, alt, _ = results.curve_card(grown, node, shown)
    curve_canvas(card, alt, key="impurity", channel=explorer.CHANNEL, take=by_hand.taker(grown, node, shown))
    by_hand.buttons(grown, node, shown, ranked)
    surrogates = grown.sharp.surrogates.start
    if surrogates[node] < surrogates[node + 1]:
        _where_missing(grown, node)
    if selection.left_out(grown):
        st.caption(say(selection.WITHOUT_LEFT_OUT).strip())


def _ranked(grown: GrownTree, node: int) -> list[ImpurityCurve]:
    """The curves of the columns that a split may ask about, and of the node's own, by their gain."""
    own, left_out = int(grown.tree.feature[node]), selection.left_out(grown)
    return [one for one in results.curves(grown, node) if one.feature not in left_out or one.feature == own]


def said(grown: GrownTree, node: int) -> tuple[str, str]:
    """A node in one line, and its rule as a sentence."""
    rule = _in_short(grown, node).removesuffix(".")
    return "".join(_node_parts(grown, node)), f"{rule[:1].upper()}{rule[1:]}."


def split_look(grown: GrownTree, node: int) -> tuple[Picture, pd.DataFrame] | None:
    """The curve of a node that is shown, and its columns, the best first; None where nothing parts its rows."""
    if grown.is_cultivated:
        return module_inspector.split_look(grown, node)
    ranked = _ranked(grown, node)
    if grown.tree.impurity[node] <= 0 or not ranked or ranked[0].best < 0:
        return None
    own = int(grown.tree.feature[node])
    curves = sorted(ranked, key=lambda curve: curve.feature != own)
    at = selection.ticked(f"runners-up {grown.key} {node}")
    curve = curves[at] if at is not None and at < len(curves) else curves[0]
    offers, *_ = _gains(results.node_key(grown, node), selection.left_out(grown), grown, node, curves)
    card, alt, _ = results.curve_card(grown, node, curve)
    picture = curve_views.curve_picture(card, grown.dataset.features[curve.feature], alt)
    return picture, offers.to_pandas().head(selection.MOST_OFFERS)


def _where_missing(grown: GrownTree, node: int) -> None:
    """The surrogate splits, which decide about rows whose value for the split is missing."""
    tree, data = grown.sharp, grown.dataset
    X = data.X[results.rows_in(grown, node) & ~grown.held]
    table = splits.surrogate_table(tree, data.features, node, X)
    st.caption(splits.surrogate_caption(tree, node, int(deciders(tree, node, X)[-1])))
    data_table(table, hide_index=True, key=f"surrogates {grown.key} {node}", alt=say("Surrogate splits"))


def _runners_up(grown: GrownTree, node: int, curves: list[ImpurityCurve]) -> ImpurityCurve:
    """Table of the features by their best gain; the curve of the one that is ticked, at first the split's."""
    own = int(grown.tree.feature[node])
    key = results.node_key(grown, node), selection.left_out(grown)
    gains, gain_format, judged_format, most_judged = _gains(*key, grown, node, curves)
    judged_by = say("ratio") if grown.criterion == "gain_ratio" else say("gain")
    ticked = data_table(
        gains,
        hide_index=True,
        height=min(38 + 35 * len(curves), 300),
        column_config={
            say("column"): st.column_config.TextColumn(width=130),
            say("gain"): st.column_config.NumberColumn(format=gain_format, width=65),
            judged_by: st.column_config.ProgressColumn(
                format=judged_format, min_value=0.0, max_value=most_judged, width=100
            ),
        },
        on_select="rerun",
        selection_mode="single-row",
        key=f"runners-up {grown.key} {node}",
        alt=say("Best split of every column, by {by}", by=judged_by),
    )
    choice = _choice(own, grown, node)
    st.caption(choice)
    if choice == say(BY_GAIN) and (tied := _as_good(*key, grown, node, curves)):
        st.markdown(tied)
    row = next(iter(ticked.selection.rows), None)
    if row is not None and row < len(curves):
        return curves[row]
    return next((curve for curve in curves if curve.feature == own), curves[0])


@of_table(max_entries=64)
def _as_good(
    place: str, left_out: tuple[int, ...], _grown: GrownTree, _node: int, _curves: list[ImpurityCurve]
) -> str:
    """A sentence on other splits that gain as much as the node's own, which had the greatest gain; Markdown.

    Empty where none does. It is the same wherever the node comes about in the same way.
    """
    tree = _grown.tree
    if not isinstance(tree, Tree) or any(curve.n_samples != tree.n_samples[_node] for curve in _curves):
        return ""
    found = splits_as_good(_curves, int(tree.feature[_node]), float(tree.threshold[_node]))
    if not found:
        return ""
    features, more = _grown.dataset.features, len(found) - MOST_AS_GOOD
    texts = [trees.curve_condition(curve, features[curve.feature], cut) for curve, cut in found[:MOST_AS_GOOD]]
    names = [f"**{plain(text)}**" for text in texts]
    if more > 0:
        names.append(say("{more} more", more=count(more)))
    listed = say(" and ").join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    verb = say("gains") if len(names) == 1 else say("gain", context="verb")
    return say(
        "Tie: {listed} {verb} as much. Which one the tree takes is a rule, no result.", listed=listed, verb=verb
    )


@of_table(max_entries=64)
def _gains(
    place: str, left_out: tuple[int, ...], _grown: GrownTree, _node: int, _curves: list[ImpurityCurve]
) -> tuple[pa.Table, str, str, float]:
    """The features by their gains, formats of these and of what decides, maybe a ratio, and the greatest of that.

    A picture of each would cost too much where there are thousands. The table is as it travels: a data frame would
    be written anew at every run.
    """
    own, features = int(_grown.tree.feature[_node]), _grown.dataset.features
    ratios = {}
    if _grown.criterion == "gain_ratio":
        *_, total = results.curve_card(_grown, _node, _curves[0])  # the weight is the same for every feature
        ratios = {say("ratio"): [ratio(curve, total) for curve in _curves]}
    gains = [max(curve.gain, 0.0) for curve in _curves]
    table = {
        say("column"): [
            ("✓ " if curve.feature == own else "") + inert(features[curve.feature].name) for curve in _curves
        ],
        **ratios,
        say("gain"): gains,
        say("best split"): [_best(curve, features[curve.feature]) for curve in _curves],  # the longest text: last
    }
    most_judged = max([1e-12, *ratios.get(say("ratio"), gains)])
    return pa.table(table), column_format(max(gains)), column_format(most_judged), most_judged


def _best(curve: ImpurityCurve, feature: Feature) -> str:
    if curve.best < 0:
        return "–"
    cut = trees.curve_condition(curve, feature, float(curve.threshold[curve.best]))
    return cut.removeprefix(subject(feature)).strip()


def _choice(own: int, grown: GrownTree, node: int) -> str:
    """How the tree came to the node's split, and what a tick does."""
    if grown.by_hand and node in grown.by_hand:
        return say(
            "✎ This node is yours: {change}. Tick a column to see its curve.",
            change=kind_words(grown.by_hand[node]),
        )
    if own == LEAF:
        return say("A leaf: this is what splitting it further could gain. Tick a column to see its curve.")
    if grown.proof is not None or (grown.by_hand and grown.source.model.name == "optimal"):
        return say("✓ is what the tree splits on: the best for the whole tree, if not here. Tick another column.")
    if grown.models is not None:
        return say("✓ is the tree's split, chosen together with the lines below it. Tick another column.")
    if grown.sums is not None:
        return say("✓ is the tree's split: a sum only where it gains more than each column alone. Tick another.")
    state = st.session_state
    is_by_chance = grown.by_chance or state["features"] != "all" or state["splitter"] != "best"
    has_own_way = (
        grown.sums is not None or grown.parameters.get("missing", "side") == "impute"
    )  # of missing values
    if is_by_chance or (has_own_way and results.missing(grown.dataset).any()):
        return say("✓ is the tree's split; by chance or by its way of missing values, others may gain more.")
    if grown.criterion == "gain_ratio":
        return say(
            "✓ has the greatest ratio among columns whose gain is at least the average. Tick another column."
        )
    return say(BY_GAIN)


def rule(grown: GrownTree, node: int) -> None:
    """Draw the conditions on rows that come here."""
    says = plain(trees.says(grown.tree, grown.dataset.target, node))
    conditions = _demands(grown, node, selection.chosen_row())
    lines = "\n".join(f"- {condition}" for condition in conditions)
    st.markdown(
        say("**If**\n\n{lines}\n\n**then** {answer}.", lines=lines, answer=says)
        if conditions
        else say("Every row starts at the root. Without any question the answer is **{answer}**.", answer=says)
    )


def _demands(grown: GrownTree, node: int, row: int | None) -> list[str]:
    """Conditions on each feature, in Markdown, beside the values of the sample that is selected."""
    data, missing, lines = grown.dataset, results.missing(grown.dataset), []
    for bound in bounds(grown.sharp, node):
        line = plain(trees.phrase_with_unit(bound, data.features, missing))
        if row is not None:
            has = in_unit(data.features[bound.feature], float(data.X[row, bound.feature]), digits=6)
            line += f" — {plain(data.roles.name_of(row))}: **{plain(has)}**"
        lines.append(line)
    return lines


def rows(grown: GrownTree, node: int) -> None:
    """The node's rows; a click on one selects it."""
    by_hand.filter_button(grown, node)
    selection.rows(grown, node, np.flatnonzero(results.rows_in(grown, node)))


def spread(grown: GrownTree, node: int) -> None:
    """The target among the node's rows, beside all rows that the tree was grown on."""
    selection.target(grown, node, results.rows_in(grown, node))
