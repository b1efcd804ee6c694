"""Tree and decision surface side by side, with one selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from espalier import export
from espalier.display.boundaries.plane import best_plane
from espalier.display.parts import ReportSection
from espalier.grown import GrownTree
from espalier.language import Texts, say
from espalier.model_trees import used_features
from espalier.predict import leaves
from espalier.tree.nodes import features_of, most_used
from pages.shared.app import frame, links
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, drawer, is_dark
from pages.shared.app.links import one_of
from pages.shared.app.store import of_table
from pages.shared.canvas.components import numbers_canvas, surface_canvas, tree_canvas
from pages.shared.tree import exports, film, folds, recurrence, report, results, selection
from pages.shared.tree.report import CHANNEL
from pages.shared.tree.results import AVERAGE, OffAxis, places
from pages.shared.tree.selection import AUTO, NONE

GRAPHS = Texts({"cards": "Cards", "film": "Film", "classical": "Classical"})
SHOWN = Texts(
    {
        True: {"probability": "Probability", "class": "Class", "uncertainty": "Uncertainty"},
        False: {"probability": "Value", "uncertainty": "Spread"},
    }
)
OTHERS = Texts(
    {
        "average": "each row's own values: the answer is the average over the rows",
        "typical": "their median or most frequent value",
        "row": "the selected row's values",
    }
)
HESITATION = Texts({"spread": "Hesitation σ"})

TREE_KEY, SURFACE_KEY = "tree-graph", "decision-surface"
OPTIONS, AXES = "surface-options", "surface-axes"  # keys of their drawers
BESIDE = ("greedy-surface", "optimal-surface")  # keys of surfaces of other trees that show the same selection
CANVASES = (TREE_KEY, SURFACE_KEY, *BESIDE)
HEIGHT = 470  # pixels of either canvas: both stand above the fold of a laptop's screen
CURVE = NONE  # of one axis: the answers are drawn as a step curve
MAX_DRAWN_DEPTH, MAX_CULTIVATED_DEPTH = 6, 2  # of the classical drawing, which has no zoom


def url_entries() -> list[Entry]:
    """The choices of the drawings, as parts of the address; no steps of Undo."""
    return [
        Entry("graph", "cards", one_of(GRAPHS), undo=False),
        links.gone_entry("film-order", say("films grow the best split first"))._replace(name="grows", undo=False),
        Entry("show", "probability", one_of(SHOWN[True] | HESITATION), undo=False),
        Entry("others", AVERAGE, one_of(OTHERS), undo=False),
    ]


def axes() -> list[Entry]:
    """The features on the axes of the surface, by name, as part of the address."""
    return selection.axis_entries()


def drop_invalid(grown: GrownTree, linked: bool) -> list[str]:
    """Let go of axes that these data do not have; notes on them where a link asked for them."""
    notes = selection.drop_invalid_axes(grown.dataset.features)
    if st.session_state["show"] not in colour_choices(grown):
        st.session_state["show"] = "probability"
    return notes if linked else []


def colour_choices(grown: GrownTree) -> dict[str, str]:
    """Choices of the colours of the surface, by the text in the address."""
    choices = SHOWN[grown.dataset.is_classification]
    if grown.models is not None and not grown.dataset.is_classification:
        return {"probability": choices["probability"]}  # formulas have no spread
    if not grown.is_cultivated:
        return choices
    is_class = grown.dataset.is_classification
    certain = {key: text for key, text in choices.items() if key != "uncertainty" or is_class}
    return certain | HESITATION


def tree_side(grown: GrownTree, whole: GrownTree, more: Callable[[], Sequence[ReportSection]]) -> None:
    """The tree, as cards or as the classical drawing, below its numbers and exports.

    `whole` is the tree that it was pruned from, or itself; `more` are sections of the report.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="tree bar"):
        numbers_canvas(report.figures_of(grown), at=places(grown), channel=CHANNEL, key="heading numbers")
        is_film = st.session_state["graph"] == film.NAME
        other = next(iter(GRAPHS)) if is_film else film.NAME
        st.button(
            say("End the film") if is_film else GRAPHS[film.NAME],
            icon=":material/close:" if is_film else ":material/play_arrow:",
            key="film",
            on_click=callback(lambda: st.session_state.update(graph=other)),
        )
        drawer(say("View"), "visibility", OPTIONS, lambda: _view(grown, whole))
        if not frame.is_embedded():
            drawer(say("Export"), "download", "export menu", lambda: exports.draw(grown, more))
    if st.session_state["graph"] == "classical":
        _classical(grown)
        return
    axes = plane_of(grown)
    if is_film:
        film.player(grown)
    tree_canvas(
        results.cards(grown),
        key=TREE_KEY,
        channel=CHANNEL,
        on_select=callback(lambda node: selection.select_node(node or 0)),
        height=HEIGHT,
        grows=1.0,
        again=recurrence.card(grown, whole) if recurrence.TOGGLE.value else None,
        fold=(film if is_film else folds).fold(grown, axes, lambda one: like(one, axes)),
        at=places(grown),
    )


def surface_side(grown: GrownTree) -> None:
    """The decision surface with the choice of its axes."""
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        drawer(say("Axes"), "line_axis", AXES, lambda: pick_axes(grown))
    axes = plane_of(grown)
    node, off_axis = st.session_state["node"], like(grown, axes)
    surface_canvas(
        results.surface(grown, axes, off_axis),
        key=SURFACE_KEY,
        tree=results.cards(grown)["id"],
        channel=CHANNEL,
        show=st.session_state["show"],
        on_pick=callback(lambda spot: pick(grown, axes, spot)),
        lit=results.lit(grown, axes, off_axis, node) if node else None,
        height=HEIGHT,
        grows=0.6,
        at=places(grown),
    )


def _classical(grown: GrownTree) -> None:
    data = grown.table
    most = MAX_CULTIVATED_DEPTH if grown.is_cultivated else MAX_DRAWN_DEPTH
    drawing = export.drawing(grown.record, data.features, data.target, is_dark(), most)
    is_cut = grown.tree.depth > most
    with st.container(height=HEIGHT, border=True):
        height = HEIGHT - 36 - 40 * is_cut  # with the line below it
        st.graphviz_chart(drawing, width="stretch", height=height, alt=say("Classical drawing of the tree"))
        if is_cut:
            st.caption(say("Drawn down to depth {depth}; the DOT export has the whole tree.", depth=most))


def plane_of(grown: GrownTree) -> tuple[int, ...]:
    """The features on the axes: those chosen, else those first in `_by_use`."""
    names, best = [feature.name for feature in grown.table.features], _by_use(grown)
    x, y = st.session_state["x"], st.session_state["y"]
    first = names.index(x) if x != AUTO else best[0]
    second = next((f for f in best if f != first), None) if y == AUTO else names.index(y) if y != CURVE else None
    return (first,) if second in (None, first) else (first, second)


def pick_axes(grown: GrownTree) -> None:
    """The choice of the columns on the axes."""
    names, best = [feature.name for feature in grown.table.features], _by_use(grown)
    x = st.session_state["x"]
    first = names.index(x) if x != AUTO else best[0]
    second = next((f for f in best if f != first), None)
    here = dict(zip("xy", (names[f] for f in plane_of(grown)), strict=False))
    _axis("x", "↔", names, names[best[0]], here.get("y"))
    if second is not None:
        _axis("y", "↕", [CURVE, *names], names[second], here["x"])


def _axis(key: str, arrow: str, names: list[str], auto: str, other: str | None) -> None:
    """Draw the list of one axis; where the tree itself chose the `other` one, a choice leaves that where it is."""
    pinned = st.session_state[key] == auto  # only then does the list need to tell it from the tree's own choice
    names = [name for name in names if name != auto or pinned]
    st.session_state[key] = st.session_state[key]  # a widget knows it by its words, which another tree changes
    texts = {AUTO: axis_label(arrow, auto, pinned), CURVE: say("{arrow} step curve", arrow=arrow)}

    def keep_other() -> None:
        across = "y" if key == "x" else "x"
        if st.session_state[across] == AUTO and other not in (None, st.session_state[key]):
            st.session_state[across] = other

    st.selectbox(
        app_sentences.AXES[key],
        [AUTO, *names],
        key=key,
        format_func=lambda name: texts.get(name, f"{arrow} {name}"),
        on_change=callback(keep_other),
    )


def _view(grown: GrownTree, whole: GrownTree) -> None:
    """How tree and surface are drawn."""
    colours = colour_choices(grown)
    st.segmented_control(say("Drawing"), list(GRAPHS), format_func=GRAPHS.__getitem__, key="graph", required=True)
    recurrence.toggle(whole)
    st.radio(say("Colours show"), list(colours), format_func=colours.get, key="show", horizontal=True)
    st.radio(say("Columns not on an axis have"), list(OTHERS), format_func=OTHERS.get, key="others")


def like(grown: GrownTree, axes: tuple[int, ...]) -> OffAxis:
    """What features on no axis have.

    Nothing is averaged where the tree asks for nothing that is not on an axis.
    """
    if st.session_state["graph"] == film.NAME:
        return _row()  # a slice is folded in the browser
    if st.session_state["others"] == AVERAGE and asked(grown) - set(axes):
        return OffAxis(averaged=True)
    return _row()


def _row() -> OffAxis:
    return OffAxis(selection.chosen_row() if st.session_state["others"] == "row" else None)


def pick(grown: GrownTree, axes: tuple[int, ...], spot: dict[str, Any] | None) -> None:
    """Select by a click on a surface of the tree (a callback): a sample, a place, or nothing."""
    if spot is None:
        selection.select_node(0)
    elif "row" in spot:
        selection.select_row(grown, spot["row"])
    else:
        X = np.atleast_2d(results.held_values(grown, like(grown, axes))).copy()
        X[:, list(axes)] = [spot[name] for name in ("x", "y")[: len(axes)]]
        selection.select_node(int(np.bincount(leaves(grown.record, X)).argmax()))  # the leaf of most of them


@of_table(max_entries=64)
def _by_use(grown: GrownTree) -> list[int]:
    """Features: first the two whose plane shows most of the tree's answers, then by how much it has use for them.

    Of cultivated trees and of formulas the two that they have most use for. They stand as in the table, so that
    the axes do not change places while a slider is dragged, or from one learner to the next.
    """
    used = asked(grown)
    features = grown.table.features
    best = selection.legible(features, most_used(grown.record, len(features)), used)
    first = best[:2]
    if grown.gridded is None and not grown.is_cultivated and len(used) > 2:
        few = [f for f in best if f in used and len(features[f].categories) <= selection.MOST_LEVELS]
        first = best_plane(grown.sharp, grown.dataset.X, few) if len(few) > 1 else first
    return [*sorted(first), *(f for f in best if f not in first)]


@of_table(max_entries=256)
def asked(grown: GrownTree) -> set[int]:
    """The features that the answers of the tree depend on."""
    if grown.gridded is not None:
        return set(used_features(grown.gridded))
    return set(features_of(grown.tree))


def axis_label(arrow: str, name: str, is_pinned: bool) -> str:
    """The axis that the page takes by itself, marked where a person has chosen the same.

    The blank before the name is one that does not break: no choice of a person has the same text, so that a late
    answer of the browser is not taken for one.
    """
    return say("{arrow}\xa0{name} (auto)" if is_pinned else "{arrow}\xa0{name}", arrow=arrow, name=name)
