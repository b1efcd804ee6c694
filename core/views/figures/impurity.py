"""The slide "choosing the threshold", live: a node's impurity after each possible split on one feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from core.analysis.nodes import Curve, Strip, strip
from core.data.dataset import Dataset, Feature
from core.views import ink
from core.views.figures.base import blank, edge, quiet_axis, safe
from core.views.theme import class_colours, number
from core.views.words import DIGITS, join

CURVE_HEIGHT = 330  # pixels
SHOW_POINTS = 60  # up to so many points, a curve shows each


class Look(NamedTuple):
    """All that the picture of one feature's impurity curve needs."""

    curve: Curve
    feature: Feature
    target: Feature
    strip: Strip
    threshold: float | None  # of the tree's own split, as in ``Curve.threshold``; None: on another feature
    is_weighted: bool


def look(
    dataset: Dataset,
    rows: np.ndarray,
    weight: np.ndarray | None,
    curve: Curve,
    threshold: float | None = None,
) -> Look:
    """What `impurity_figure` draws, for a node's rows (bool or numbers)."""
    beneath = strip(dataset, rows, weight, curve)
    feature = dataset.features[curve.feature]
    return Look(curve, feature, dataset.target, beneath, threshold, weight is not None)


def impurity_figure(look: Look, dark: bool = False) -> go.Figure:
    """Impurity against threshold on one feature, over a histogram of the node's samples by class."""
    figure = blank(dark, CURVE_HEIGHT, barmode="stack", bargap=0.06, hovermode="closest", hoverdistance=60)
    _add_strip(figure, look, dark)
    _add_curve(figure, look, dark)
    _mark_gain(figure, look, dark)
    if look.threshold is not None and math.isfinite(look.threshold):
        _mark_split(figure, look, dark)
    _lay_out_axes(figure, look, dark)
    return figure


def impurity_alt(look: Look) -> str:
    """The impurity curve in a sentence."""
    curve, name = look.curve, look.feature.name
    if curve.best < 0:
        return f"Nothing on {name} parts the samples of this node."
    best = cut_text(look, float(curve.threshold[curve.best]))
    text = f"Impurity after splitting on {name}: {number(curve.node_impurity)} before, at best "
    text += f"{number(float(curve.impurity[curve.best]))} at {best}, a gain of {number(curve.gain)}."
    if look.threshold is not None:
        text += f" The tree splits at {cut_text(look, look.threshold)}."
    return text


def cut_text(look: Look, threshold: float) -> str:
    """A cut in words, for the left side: "x ≤ 0.8", "colour is red or blue"."""
    curve, feature = look.curve, look.feature
    if len(curve.order):
        return f"{feature.name} is {_some([feature.categories[c] for c in curve.order[: int(threshold)]])}"
    if threshold == math.inf:
        return f"{feature.name} is known"
    if feature.categories:
        return f"{feature.name} is {_some(feature.categories[: math.floor(threshold) + 1])}"
    return f"{feature.name} ≤ {number(threshold, DIGITS)}"


def _some(names: Sequence[str], most: int = 4) -> str:
    return join(names, "or") if len(names) <= most else f"one of {len(names)}: {', '.join(names[:most])}, …"


def _shift(look: Look) -> float:
    """Category k in order stands at k, so the cut after the first k of them at k - 0.5."""
    return 0.5 if len(look.curve.order) else 0.0


def _add_curve(figure: go.Figure, look: Look, dark: bool) -> None:
    curve = look.curve
    finite = np.flatnonzero(np.isfinite(curve.threshold))
    figure.add_scatter(
        x=curve.threshold[finite] - _shift(look),
        y=curve.impurity[finite],
        mode="lines+markers" if len(finite) <= SHOW_POINTS else "lines",
        line={"color": ink.accent(dark), "width": 2},
        marker={"size": 5},
        hovertext=[safe_lines(_point_text(look, i)) for i in finite.tolist()],
        hoverinfo="text",
        cliponaxis=False,
    )


def safe_lines(lines: Sequence[str]) -> str:
    """Lines of text for a hover label."""
    return "<br>".join(map(safe, lines))


def _point_text(look: Look, i: int) -> list[str]:
    curve = look.curve
    after = float(curve.impurity[i])
    return [
        cut_text(look, float(curve.threshold[i])) + (" or missing" if curve.missing_left[i] else ""),
        f"impurity {number(after)}, gain {number(max(curve.node_impurity - after, 0.0))}",
        f"{'weight' if look.is_weighted else 'samples'} on the left: {number(float(curve.left_weight[i]))}",
    ]


def _mark_gain(figure: go.Figure, look: Look, dark: bool) -> None:
    """A line at the node's own impurity, and the gain at the best cut as the way down from it."""
    theme, curve = ink.theme_of(dark), look.curve
    figure.add_hline(
        y=curve.node_impurity,
        line={"color": ink.LINE[theme], "width": 1, "dash": "dot"},
        annotation={"text": f"before: {number(curve.node_impurity)}", "font_size": 12},
        annotation_position="top right",
    )
    if curve.best < 0 or not math.isfinite(curve.threshold[curve.best]):
        return
    x, y = float(curve.threshold[curve.best]) - _shift(look), float(curve.impurity[curve.best])
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 10,
            "color": ink.accent(dark),
            "line": edge(ink.PAPER[theme], 1),
        },
        hovertext=[safe_lines(["best on this feature", *_point_text(look, curve.best)])],
        hoverinfo="text",
        cliponaxis=False,
    )


def _mark_split(figure: go.Figure, look: Look, dark: bool) -> None:
    """A line through curve and histogram where the tree splits."""
    assert look.threshold is not None
    theme, x = ink.theme_of(dark), look.threshold - _shift(look)
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, xref="x", yref="paper", line=edge(ink.TEXT[theme], 2))
    words = cut_text(look, look.threshold).removeprefix(look.feature.name).replace(" is ", ": ", 1).lstrip()
    text = f"<b>split {safe(words)}</b>".replace(" :", ":")
    figure.add_annotation(x=x, y=1, yref="paper", yanchor="bottom", showarrow=False, text=text)


def _add_strip(figure: go.Figure, look: Look, dark: bool) -> None:
    """Bars of the node's samples, stacked by class, on the second y axis."""
    names = look.target.categories or ("samples",)
    colours = class_colours(len(names))[ink.theme_of(dark)] if look.target.categories else [ink.LINE["light"]]
    places = np.arange(len(look.strip.centre)) if len(look.curve.order) else look.strip.centre
    for name, colour, weight in zip(names, colours, look.strip.weight, strict=True):
        shown = np.flatnonzero(weight)
        figure.add_bar(
            x=places[shown],
            y=weight[shown],
            width=look.strip.width * (0.8 if look.feature.categories else 1.0),
            yaxis="y2",
            marker={"color": colour, "line_width": 0},
            hovertext=[safe(f"{name}: {number(float(w))}") for w in weight[shown]],
            hoverinfo="text",
        )


def _lay_out_axes(figure: go.Figure, look: Look, dark: bool) -> None:
    figure.update_xaxes(title_text=safe(look.feature.name), anchor="y2", showgrid=False, range=_span(look))
    if look.feature.categories:
        codes = look.strip.centre if len(look.curve.order) else np.arange(len(look.feature.categories))
        names = [safe(look.feature.categories[c]) for c in codes]
        figure.update_xaxes(tickvals=list(range(len(names))), ticktext=names)
    figure.update_yaxes(
        title_text="impurity after the split", domain=[0.3, 1], range=_height(look.curve), nticks=5
    )
    figure.update_layout(
        yaxis2={**quiet_axis(dark), "domain": [0, 0.24], "showgrid": False, "nticks": 3, "anchor": "x"}
    )
    figure.update_layout(yaxis2_title_text="weight" if look.is_weighted else "samples")


def _height(curve: Curve) -> list[float]:
    """Range of the impurity axis: from 0.9 of the node's impurity at most, so that small gains look small."""
    top = max(curve.node_impurity, float(curve.impurity.max(initial=0)), 1e-12)
    low = min(float(curve.impurity.min(initial=top)), 0.9 * curve.node_impurity)
    return [max(low - 0.12 * (top - low), 0), top + 0.14 * (top - low)]


def _span(look: Look) -> list[float]:
    centre, half = look.strip.centre, look.strip.width / 2
    if len(look.curve.order):
        return [-0.5, len(centre) - 0.5]
    return [float(centre[0]) - half, float(centre[-1]) + half]
