"""The interactive tree graph on a page: what goes to the browser, and what comes back, checked.

Zoom, collapsed branches and focus stay in the browser. Only the selected node comes back, as
``{"tree": id of the cards, "id": node or null}``: somebody else's word until `chosen_node` has checked it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from core.settings import ASSETS

NOTHING = -1  # as `selected`: show no node as selected
HEIGHT = 560  # pixels


def _joined(*names: str) -> str:
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


# Streamlit takes a text of one line for the name of a file: every part below has a newline.
_component = component(
    "espalier_tree",
    html='<div class="espalier-tree"></div>\n',
    css=_joined("canvas.css", "tree.css"),
    js=_joined("canvas.js", "cards.js", "tree.js"),
)


def tree_canvas(
    cards: dict[str, Any],
    *,
    key: str,
    path: Iterable[int] = (),
    selected: int | None = None,
    on_select: Callable[[int | None], None] | None = None,
    height: int = HEIGHT,
) -> int | None:
    """Draw the tree graph of `core.views.cards.cards`; the node that is selected in it, or None.

    `path` are nodes to light up, the rest is dimmed (the way of a chosen sample). `selected` is the node
    that should be selected: it is sent only where the browser shows another one, so a page can hand back
    what it got; None leaves the selection to the browser, NOTHING clears it. `on_select` is called with
    the new selection before the page runs again.
    """

    def report() -> None:
        if on_select is not None:
            on_select(chosen_node(_reported(key), cards))

    data = {
        "cards": cards,
        "path": [int(node) for node in path],
        "force": _force(key, cards, selected),
        "height": height,
    }
    _component(key=key, data=data, height="content", on_selected_change=report)
    return _shown(key, cards)


def chosen_node(sent: Any, cards: dict[str, Any]) -> int | None:
    """The node that the browser says is selected, or None for anything that is not a node of these cards."""
    if not isinstance(sent, dict) or sent.get("tree") != cards["id"]:
        return None
    node = sent.get("id")
    if isinstance(node, bool) or not isinstance(node, int):
        return None
    return node if any(card["id"] == node for card in cards["nodes"]) else None


def _force(key: str, cards: dict[str, Any], selected: int | None) -> dict[str, Any] | None:
    """The last selection that was pushed; a new one, with the next number, where the browser shows another.

    Pushing what the browser itself has just said would change the message, and send all of it again.
    """
    wanted = None if selected == NOTHING else selected
    pushed = st.session_state.get(_memory(key))
    if selected is not None and _shown(key, cards) != wanted:
        rev = 1 if pushed is None else pushed["rev"] + 1
        pushed = {"tree": cards["id"], "id": wanted, "rev": rev, "over": _reported(key)}
        st.session_state[_memory(key)] = pushed
    return pushed and {name: pushed[name] for name in ("tree", "id", "rev")}


def _shown(key: str, cards: dict[str, Any]) -> int | None:
    """The node that the browser shows as selected: what it said last, unless something was pushed since."""
    pushed, reported = st.session_state.get(_memory(key)), _reported(key)
    if pushed is not None and pushed["tree"] == cards["id"] and pushed["over"] == reported:
        return pushed["id"]
    return chosen_node(reported, cards)


def _reported(key: str) -> Any:
    state: Any = st.session_state.get(key)
    return state.get("selected") if hasattr(state, "get") else None


def _memory(key: str) -> str:
    return f"{key} pushed"
