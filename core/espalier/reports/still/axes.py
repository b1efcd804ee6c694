"""The axes of a Plotly figure: the numbers at their ends, their labels and their titles."""

from __future__ import annotations

import html
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from espalier.display.svg import round_numbers
from espalier.display.theme import percent, rounded_to

PAD = 0.05  # of an axis whose ends follow from what is drawn, beyond the last of it
LABELS = {"x": 7, "y": 6}  # of an axis without its own, about


class StillAxis(NamedTuple):
    """An axis as it stands in a still picture."""

    ends: tuple[float, float]  # the numbers at the left and the right, or at the bottom and the top
    labels: tuple[tuple[float, str], ...]  # where, and what
    title: str
    names: tuple[str, ...]  # of categories, at 0, 1, …
    is_far: bool  # whether it stands at the top, or at the right
    has_grid: bool

    def numbers(self, values: Any) -> np.ndarray:
        """Return the numbers (n,) of a trace's values; nan where there is none."""
        if self.names:
            return np.array([self.names.index(str(one)) for one in values], float)
        return numbers_of(values)


def numbers_of(values: Any) -> np.ndarray:
    """Return values (n,) as numbers, nan for those that are none; empty for None."""
    return np.array([np.nan if one is None else one for one in ([] if values is None else values)], float)


def plain_text(text: Any) -> str:
    """Return the text of a figure, of which Plotly takes a few tags and escapes, as it is read.

    >>> plain_text("a &lt; <b>b</b>")
    'a < b'
    """
    bare = str(text or "").replace("<b>", "").replace("</b>", "").replace("\u200b", "")
    return html.unescape(bare)


def axis_of(figure: go.Figure, name: str) -> StillAxis:
    """Return the axis "x", "y" or "y2" of a figure.

    >>> axis_of(go.Figure(go.Bar(x=["a", "b"], y=[1, 2])), "x").labels
    ((0, 'a'), (1, 'b'))
    """
    layout: Any = figure.layout[f"{name[0]}axis{name[1:]}"]
    traces: list[Any] = [one for one in figure.data if (getattr(one, f"{name[0]}axis", None) or name[0]) == name]
    names = _names(traces, name[0])
    low, high = _ends(traces, layout, name[0], len(names))
    labels = _labels(layout, names, (low, high), LABELS[name[0]])
    is_turned = layout.range is None and layout.autorange == "reversed"
    ends = (high, low) if is_turned else (low, high)
    is_far = layout.side in ("top", "right")
    return StillAxis(ends, labels, plain_text(layout.title.text), names, is_far, layout.showgrid is not False)


def _names(traces: list[Any], side: str) -> tuple[str, ...]:
    """Return the categories along the axis, each once; none where it counts numbers."""
    there = [str(value) for one in traces for value in (_values(one, side) or ()) if isinstance(value, str)]
    return tuple(dict.fromkeys(there))


def _values(trace: Any, side: str) -> list[Any] | None:
    values = trace[side]
    return None if values is None else list(values)


def _ends(traces: list[Any], layout: Any, side: str, n_names: int) -> tuple[float, float]:
    if layout.range is not None:
        return float(layout.range[0]), float(layout.range[1])
    if n_names:
        return -0.5, n_names - 0.5
    known = np.concatenate([np.empty(0), *(_reach(one, side) for one in traces)])
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if layout.rangemode == "tozero":
        low = min(low, 0.0)
    pad = PAD * (high - low) or 0.5
    limits = layout.autorangeoptions
    low, high = (low if low == 0 else low - pad), high + pad
    if limits.minallowed is not None:
        low, high = max(low, limits.minallowed), min(high, limits.maxallowed)
    return low, high


def _reach(trace: Any, side: str) -> np.ndarray:
    """Return the numbers that the axis must have room for: values with their arms, and the feet of bars."""
    if trace.type == "heatmap":
        n = np.shape(trace.z)[0 if side == "y" else 1]
        return np.array([-0.5, n - 0.5])
    values = numbers_of(trace[side])
    arms = trace[f"error_{side}"]
    more, less = numbers_of(arms.array), numbers_of(arms.array if arms.arrayminus is None else arms.arrayminus)
    reach = [values, values + more, values - less] if len(more) == len(values) else [values]
    if trace.type == "bar":
        is_length = (side == "x") == (trace.orientation == "h")
        reach += [np.zeros(1)] if is_length else [values - 0.5, values + 0.5]
    return np.concatenate(reach)


def _labels(layout: Any, names: tuple[str, ...], ends: tuple[float, float], most: int) -> tuple[Any, ...]:
    if layout.showticklabels is False:
        return ()
    if layout.tickvals is not None:
        texts = layout.ticktext if layout.ticktext is not None else layout.tickvals
        return tuple(zip(map(float, layout.tickvals), map(plain_text, texts), strict=False))
    if names:
        return tuple(enumerate(map(plain_text, names)))
    is_share = "%" in (layout.tickformat or "")
    places = round_numbers(min(ends), max(ends), most, 1.0 if layout.dtick == 1 else 0.0)
    written = rounded_to(places)
    return tuple((at, percent(round(at, 6)) if is_share else written(at)) for at in places)
