"""The selected node of a tree in its report: its split beside what other columns offer there."""

from __future__ import annotations

from functools import partial

import streamlit as st

from espalier.display.tree import figures, still_curve
from espalier.language import say
from espalier.reports.screens import on_any_screen
from espalier.reports.sheet import Drawing, Marked, Part, Prose, ReportSection, grid_of
from pages.shared.tree import inspector
from pages.shared.tree.recurrence import line
from pages.shared.tree.results import GrownTree


def section(grown: GrownTree, whole: GrownTree) -> ReportSection:
    """The node that is selected on the page; the first question, where none is.

    `whole` is the tree before it was pruned and changed by hand, of which the page counts how often splits recur.
    """
    node = st.session_state["node"]
    tree, target = grown.tree, grown.dataset.target
    parts: list[Part] = [Prose(text) for text in inspector.said(grown, node)]
    if target.categories:
        parts.append(Prose(figures.class_bar_alt(tree.value[node], tree.value[0], target)))
    parts.append(Prose(line.said(grown, whole)))
    return ReportSection(
        say("The selected node") if node else say("Why it asks this first"), [*parts, *_split(grown, node)]
    )


def _split(grown: GrownTree, node: int) -> list[Part]:
    """The curve that the inspector shows, and the columns by what they offer."""
    look = inspector.split_look(grown, node)
    if look is None:
        return []
    picture = on_any_screen(partial(still_curve.curve_picture, look.card, look.feature))
    return [Drawing(picture, look.alt), Prose(look.alt), grid_of(look.offers), Marked(look.note)]
