"""The interactive tree graph on a page: data for the browser, and the selection from it, checked.

Zoom, collapsed branches and focus stay in the browser. Only the selected node comes back, as
``{"tree": id of the cards, "id": node or null, "at": when}``. It is not to be trusted until `chosen_node` has
checked it. `node_line`, of the same channel, describes the selection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount, reported

HEIGHT = 560  # pixels
NOWHERE: dict[str, Any] = {}

_component = mount("tree")


def tree_canvas(
    cards: dict[str, Any],
    *,
    key: str,
    channel: str,
    on_select: Callable[[int | None], None] | None = None,
    height: int = HEIGHT,
    grows: float = 0,
    again: dict[str, Any] | None = None,
    fold: dict[str, Any] | None = None,
    at: dict[str, Any] = NOWHERE,
) -> int | None:
    """Draw the tree graph of `espalier.display.tree.cards.cards`; the node that was clicked last, or None.

    `channel` names the `node_line` whose selection it shows. `on_select` is called with a new selection
    before the page runs again. `height` is in pixels; a canvas that `grows` takes this share of the window's.
    `again`, {"n": trees, "times": {node: times}}, is how often splits came back.
    `fold` is the greater tree of `boundaries.surface.fold`, which a slider cuts off without Python; all that show
    the channel follow. `at` has the values of such sliders for this tree.
    """

    def report() -> None:
        if on_select is not None:
            on_select(chosen_node(reported(key, "selected"), cards))

    data = {"cards": cards, "channel": channel, "height": height, "grows": grows, "at": at}
    data |= {} if again is None else {"again": again}
    data |= {} if fold is None else {"fold": fold}
    _component(data, key=key, on_selected_change=callback(report))
    return chosen_node(reported(key, "selected"), cards)


def chosen_node(sent: Any, cards: dict[str, Any]) -> int | None:
    """The node that the browser says is selected, or None for anything that is not a node of these cards."""
    if not isinstance(sent, dict) or sent.get("tree") != cards["id"]:
        return None
    node = sent.get("id")
    if isinstance(node, bool) or not isinstance(node, int):
        return None
    return node if any(card["id"] == node for card in cards["nodes"]) else None


# ---- the selected node in a line, which also hands the selection to tree graph and surface

_node_line_component = mount(
    "line",
    '<div class="espalier-line" role="status"><div class="what"></div>\n<div class="rule"></div></div>',
)


class Selected(NamedTuple):
    """Selection in a tree."""

    tree: str  # id of its cards
    node: int
    end: int  # the subtree's nodes are ``node`` to ``end - 1``
    # A sample, as `display.boundaries.surface.mark` gives it: {"row", "x", "y", "target"}; if cultivated also
    # {"fractions": {"7": per mille, …}} of the nodes that have at least one per mille of it.
    row: dict[str, Any] | None


def node_line(
    line: Sequence[str], rule: str, selected: Selected, *, channel: str, canvases: Iterable[str] = ()
) -> None:
    """Write the line, every other part of it bold from the first on, and the rule below it.

    All that listen to `channel` show the selection. `canvases` are the keys of those among them that can be
    clicked.
    """
    state = {"tree": selected.tree, "id": selected.node, "end": selected.end, "row": selected.row}
    data = {"channel": channel, "line": list(line), "rule": rule, "state": state | {"at": last_click(canvases)}}
    _node_line_component(data, key=f"{channel} line")


def last_click(canvases: Iterable[str]) -> float:
    """Time of the last click on one of these components, by the browser's clock; 0 if there was none."""
    times = [0.0]
    for key in canvases:
        state: Any = st.session_state.get(key)
        for sent in state.values() if hasattr(state, "values") else ():
            at = sent.get("at") if isinstance(sent, dict) else None
            if isinstance(at, int | float) and not isinstance(at, bool) and 0 <= at < 2**53:
                times.append(at)
    return max(times)
