"""The interactive tree graph on a page: data for the browser, and the selection from it, checked.

Zoom, collapsed branches and focus stay in the browser. Only the selected node comes back, as
``{"tree": id of the cards, "id": node or null, "at": when}``. It is not to be trusted until `chosen_node` has
checked it. `node_line`, of the same channel, describes the selection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
