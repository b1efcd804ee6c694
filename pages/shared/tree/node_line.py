"""The selected node in a line, which also hands the selection to tree graph and surface.

They travel in a message of their own, of a kilobyte: one that a click does not have to share with all cards
and samples. A click in the browser is shown there at once; what Python says is newer only if it knows of the
last click, so it sends back when that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.shared.canvas.mount import mount

_component = mount(
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
    _component(data, key=f"{channel} line")


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
