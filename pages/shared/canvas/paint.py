"""A plane to draw points on, class by class; every stroke comes back, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import streamlit as st

from espalier.data.samples.redrawn import CLASSES, MOST_POINTS, SPAN, TARGET
from espalier.display.tree.cards import class_colours_card
from espalier.language import Texts
from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount

PAINT = Texts(
    {
        "tools": {"add": "Add", "brush": "Brush", "move": "Move", "delete": "Delete"},
        "tool": "What a click does",
        "c": "Class of new points",
        "acts": "The drawing",
        "points": "points",
        "undo": "Undo",
        "undo_help": "take back the last stroke",
        "clear": "Clear",
        "clear_help": "take all points away",
        "board": "plane to draw points on: arrows move the cursor, Enter places a point, Delete removes the "
        "nearest",
    }
)

Point: TypeAlias = tuple[float, float, int]  # x, y, class number

_component = mount("paint")


def paint_canvas(points: Sequence[Point], start: str, *, key: str) -> list[Point] | None:
    """Draw the plane with these points, which another `start` alone puts there; the points of the last stroke."""
    data = {"points": points, "id": start, "classes": class_colours_card(TARGET), "words": PAINT}
    _component(data, key=key, on_drawn_change=callback(lambda: None))
    return drawn_points(_reported(key))


def drawn_points(sent: Any) -> list[Point] | None:
    """The points that the browser says were drawn; None for anything else."""
    points = sent.get("points") if isinstance(sent, dict) else None
    if not isinstance(points, list) or len(points) > MOST_POINTS or not all(map(_is_point, points)):
        return None
    return [(float(x), float(y), number) for x, y, number in points]


def _is_point(point: Any) -> bool:
    if not isinstance(point, list) or len(point) != 3:
        return False
    *place, number = point
    return type(number) is int and 0 <= number < len(CLASSES) and all(map(_is_coordinate, place))


def _is_coordinate(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= SPAN


def _reported(key: str) -> Any:
    state: Any = st.session_state.get(key)
    return state.get("drawn") if hasattr(state, "get") else None
