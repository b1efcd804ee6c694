"""Small figures beside a tree: a node's impurity curve, the numbers above a tree, and the bars of structures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount, reported

_component = mount("curve")


def curve_canvas(
    curve: dict[str, Any],
    alt: str,
    *,
    key: str,
    channel: str = "",
    take: Callable[[int], None] | None = None,
) -> None:
    """Draw the curve of `espalier.display.tree.impurity_curve.card`, with `alt` to be read aloud in its place.

    A cut that is chosen on it is drawn on the surfaces of the `channel`, too. With `take`, a button takes it:
    that is called with the cut's number before the page runs again.
    """

    def report() -> None:
        taken = chosen_cut(reported(key, "taken"), curve)
        if take is not None and taken is not None:
            take(taken)

    data = {"curve": curve, "alt": alt, "channel": channel, "takes": take is not None}
    _component(data, key=key, on_taken_change=callback(report))


def chosen_cut(sent: Any, curve: dict[str, Any]) -> int | None:
    """The number of the cut that the browser says was taken; None for anything that is no cut of this curve."""
    if not isinstance(sent, dict) or sent.get("curve") != curve["id"]:
        return None
    cut = sent.get("cut")
    is_cut = isinstance(cut, int) and not isinstance(cut, bool) and 0 <= cut < len(curve["x"])
    return cut if is_cut else None


# ---- the numbers above a tree, which change with it in the browser while a slider folds it

_numbers_component = mount("numbers")


def numbers_canvas(numbers: Sequence[dict[str, Any]], at: dict[str, Any], *, channel: str, key: str) -> None:
    """Draw the numbers, {"label", "value", "help"} each, in a row; `at` is as for `tree_canvas`."""
    data = {"numbers": list(numbers), "channel": channel, "at": at}
    _numbers_component(data, key=key, width="content")


# ---- the bars of structures on a page: data for the browser, and clicks from it, checked

_bars_component = mount("bars")


def bars_canvas(card: dict[str, Any], *, key: str, on_pick: Callable[[str], None]) -> None:
    """Draw the chart of `stability.bars.card`; `on_pick` is called with the bar that was clicked."""

    def report() -> None:
        picked = chosen_bar(reported(key, "picked"), card)
        if picked is not None:
            on_pick(picked)

    _bars_component({"chart": card}, key=key, on_picked_change=callback(report))


def chosen_bar(sent: Any, card: dict[str, Any]) -> str | None:
    """The bar that the browser says was clicked, or None for anything that is not a bar of this chart."""
    if not isinstance(sent, dict) or sent.get("chart") != card["id"]:
        return None
    bar = sent.get("bar")
    return bar if isinstance(bar, str) and any(one["id"] == bar for one in card["bars"]) else None
