"""Tree and decision surface side by side, with one selection."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from core.kernels.route import leaf_of
from core.trees import subtree_end
from core.views import dot
from core.views.surface import mark
from pages.shared import cache, selection
from pages.shared.address import Entry, one_of
from pages.shared.cache import Grown
from pages.shared.frame import is_dark
from pages.shared.surface_canvas import surface_canvas
from pages.shared.tree_canvas import tree_canvas

TREE_KEY, SURFACE_KEY = "tree graph", "decision surface"
HEIGHT = 470  # pixels of either canvas: both stand above the fold of a laptop's screen
AUTO, CURVE = "", "-"  # choices of an axis beside the features' names
MAX_DRAWN_DEPTH = 6  # of the classical drawing, which has no zoom
GRAPHS = {"cards": "Cards", "classical": "Classical"}
SHOWN = {
    True: {"probability": "Probability", "class": "Class", "uncertainty": "Uncertainty"},
    False: {"probability": "Value", "uncertainty": "Spread"},
}
OTHERS = {"typical": "their median or most frequent value", "row": "the selected sample's values"}


def entries() -> list[Entry]:
    """What is shown, as part of the address; no step of Undo."""
    return [
        Entry("graph", "cards", one_of(GRAPHS), undo=False),
        Entry("show", "probability", one_of(SHOWN[True]), undo=False),
        Entry("others", "typical", one_of(OTHERS), undo=False),
    ]


def axes() -> list[Entry]:
    """The features on the axes of the surface, by name, as part of the address."""
    return [Entry("x", AUTO, str, undo=False), Entry("y", AUTO, str, undo=False)]


def settle(grown: Grown, linked: bool) -> list[str]:
    """Let go of axes that these data do not have; notes on them where a link asked for them."""
    names = _names(grown)
    notes = []
    for key, allowed in (("x", {AUTO, *names}), ("y", {AUTO, CURVE, *names})):
        if st.session_state[key] not in allowed:
            notes.append(f"{key}={st.session_state[key]}: these data have no such feature")
            st.session_state[key] = AUTO
    if st.session_state["show"] not in SHOWN[grown.dataset.is_classification]:
        st.session_state["show"] = "probability"
    return notes if linked else []


def tree_side(grown: Grown) -> None:
    """The tree, as cards or as the classical drawing."""
    with st.container(horizontal=True, vertical_alignment="center", key="tree bar"):
        st.markdown("**Tree**", width="stretch")
        st.segmented_control(
            "Drawing",
            list(GRAPHS),
            format_func=GRAPHS.__getitem__,
            key="graph",
            required=True,
            label_visibility="collapsed",
        )
    if st.session_state["graph"] == "classical":
        _classical(grown)
        return
    row = st.session_state["row"]
    tree_canvas(
        cache.cards(grown),
        key=TREE_KEY,
        path=selection.path(grown) if row is not None else (),
        selected=st.session_state["node"],
        on_select=lambda node: selection.select_node(node or 0),
        height=HEIGHT,
    )


def surface_side(grown: Grown) -> None:
    """The decision surface with the choice of its axes."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="surface bar"):
        axes = _axes(grown)
        _options(grown)
    row = st.session_state["row"]
    surface_canvas(
        cache.surface(grown, axes, _like()),
        key=SURFACE_KEY,
        show=st.session_state["show"],
        lit=_lit(grown),
        sample=None if row is None else mark(grown.dataset, axes, row),
        on_pick=lambda spot: _pick(grown, axes, spot),
        height=HEIGHT,
    )


def _classical(grown: Grown) -> None:
    data = grown.dataset
    drawing = dot.drawing(grown.tree, data.features, data.target, is_dark(), MAX_DRAWN_DEPTH)
    with st.container(height=HEIGHT, border=True):
        st.graphviz_chart(drawing, width="stretch", alt="Classical drawing of the tree")
        if grown.tree.depth > MAX_DRAWN_DEPTH:
            st.caption(f"Drawn down to depth {MAX_DRAWN_DEPTH}; the DOT export has the whole tree.")


def _axes(grown: Grown) -> tuple[int, ...]:
    names = _names(grown)
    best = cache.features_used(grown)
    x = _axis("x", "Horizontal axis", "↔", names, names[best[0]])
    first = names.index(x) if x != AUTO else best[0]
    second = next((f for f in best if f != first), None)
    if second is None:
        return (first,)
    y = _axis("y", "Vertical axis", "↕", [CURVE, *names], names[second])
    if y == CURVE or y == names[first]:
        return (first,)
    return first, (names.index(y) if y != AUTO else second)


def _axis(key: str, label: str, arrow: str, names: list[str], auto: str) -> str:
    words = {AUTO: f"{arrow} {auto} (auto)", CURVE: f"{arrow} none: step curve"}
    return st.selectbox(
        label,
        [AUTO, *names],
        key=key,
        format_func=lambda name: words.get(name, f"{arrow} {name}"),
        label_visibility="collapsed",
    )


def _options(grown: Grown) -> None:
    words = SHOWN[grown.dataset.is_classification]
    with st.popover(
        "", icon=":material/tune:", help="What the colours show, and where the other features are held"
    ):
        st.radio("Colours show", list(words), format_func=words.get, key="show", horizontal=True)
        st.radio("Features not on an axis have", list(OTHERS), format_func=OTHERS.get, key="others")


def _like() -> int | None:
    return st.session_state["row"] if st.session_state["others"] == "row" else None


def _lit(grown: Grown) -> list[int]:
    """Leaves below the selected node; none for the root, which would be all of them."""
    node = st.session_state["node"]
    below = np.arange(node, subtree_end(grown.tree, node))
    return below[grown.tree.feature[below] < 0].tolist() if node else []


def _pick(grown: Grown, axes: tuple[int, ...], spot: dict[str, Any] | None) -> None:
    if spot is None:
        selection.select_node(0)
    elif "row" in spot:
        selection.select_row(grown, spot["row"])
    else:
        x = cache.held_values(grown, _like()).copy()
        x[list(axes)] = [spot[name] for name in ("x", "y")[: len(axes)]]
        selection.select_node(int(leaf_of(grown.tree, x[None, :])[0]))


def _names(grown: Grown) -> list[str]:
    return [feature.name for feature in grown.dataset.features]
