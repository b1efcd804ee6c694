"""The interactive decision surface on a page: data for the browser, and clicks from it, checked.

A click comes back as ``{"surface": id, "row": sample}`` or ``{"surface": id, "x": …, "y": …}``. It is
not to be trusted until `chosen_spot` has checked it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount, reported

HEIGHT = 460  # pixels
NOWHERE: dict[str, Any] = {}
Show = Literal["probability", "class", "uncertainty", "spread"]


_component = mount("surface")


def surface_canvas(
    surface: dict[str, Any],
    *,
    key: str,
    tree: str | None,
    channel: str,
    show: Show = "probability",
    lit: dict[str, Any] | None = None,
    on_pick: Callable[[dict[str, Any] | None], None] | None = None,
    height: int = HEIGHT,
    grows: float = 0,
    at: dict[str, Any] = NOWHERE,
) -> dict[str, Any] | None:
    """Draw the surface of `display.boundaries.surface.surface`; the last click: {"row": …}, {"x": …} or None.

    `channel` names the `node_line` whose selection it shows, of the cards whose id is `tree`; None for a surface
    of another tree, which shows the selected sample alone, and where nothing but samples can be clicked. `lit`
    is the place of the selected node of a cultivated tree (`display.boundaries.raster.node_raster`); the boxes of
    other trees are known without it. A cultivated tree shows "spread"; others show "uncertainty" for it.
    `on_pick` is called with a new click before the page runs again. A canvas that `grows` takes this share of the
    window's height, others `height` pixels.
    `at` has the values of the sliders that fold the tree (`display.boundaries.surface`) for this one.
    """

    def report() -> None:
        if on_pick is not None:
            on_pick(chosen_spot(reported(key, "picked"), surface))

    data = {"surface": surface, "tree": tree, "channel": channel, "show": show, "height": height, "at": at}
    data |= {"grows": grows} if grows else {}
    data |= {} if lit is None else {"lit": lit}
    result = _component(data, key=key, on_picked_change=callback(report))
    return chosen_spot(result.picked, surface)


def chosen_spot(sent: Any, surface: dict[str, Any]) -> dict[str, Any] | None:
    """Return the click that the browser reports: {"row": int} or {"x": float, "y": float} ({"x"} on one axis).

    None for anything else: another surface, a row that is not drawn, a place outside the axes.
    """
    if not isinstance(sent, dict) or sent.get("surface") != surface["id"]:
        return None
    if "row" in sent:
        row = sent["row"]
        is_row = isinstance(row, int) and not isinstance(row, bool) and row in surface["points"]["row"]
        return {"row": row} if is_row else None
    names = ("x", "y")[: len(surface["axes"])]
    spot = {name: _within(sent.get(name), axis) for name, axis in zip(names, surface["axes"], strict=True)}
    return None if None in spot.values() else spot


def _within(value: Any, axis: dict[str, Any]) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if axis["low"] <= value <= axis["high"] else None
