"""What columns add to the answers of a forest, a dot for each row, and how answers change along one column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.boundaries.plane import named_value
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.svg import shortened
from espalier.display.theme import number, rounded_to
from espalier.explanation.dependence import FeatureCurves
from espalier.explanation.shapley import LOG_ODDS
from espalier.language import say

MOST_COLUMNS, LETTERS = 10, 22  # of the strips, and of a column's name
STRIP, CURVES = 34, 300  # pixels of a column's strip, and of the curves
BINS, HALF = 60, 0.4  # across a strip, in which dots are piled up; half of its height
SHARES = [-0.05, 1.05]  # ends of the axis of shares, so that marks at both of its ends are whole
MOST_CURVES, MOST_STEPS = 30, 300  # of single rows that are drawn; of a curve that is drawn


class ColumnParts(NamedTuple):
    """Shapley values of some rows, for one class or of a number."""

    added: np.ndarray  # (n_rows, n_features)
    X: np.ndarray  # (n_rows, n_features)
    features: Sequence[Feature]
    link: str  # as `PredictionParts.link`
    target: Feature
    output: int = 0  # the class; 0 of a number

    @property
    def is_share(self) -> bool:
        """Whether the answers are shares of a class."""
        return bool(self.target.categories)

    @property
    def order(self) -> np.ndarray:
        """Features in order of their mean absolute values, the greatest first, without those that add nothing."""
        size = np.abs(self.added).mean(axis=0)
        order = np.argsort(-size, kind="stable")
        return order[size[order] > 0][:MOST_COLUMNS]


def strips_figure(parts: ColumnParts, dark: bool) -> go.Figure:
    """Return a strip for each column, the most important on top: a dot for each row, strong for great values."""
    order, theme = parts.order, ink.theme_of(dark)
    figure = blank(dark, STRIP * max(len(order), 1) + 70, hovermode="closest")
    strong = ink.answer_colour(parts.target, parts.output, dark)
    pale = ink.mixed(strong, ink.PAPER[theme], 0.18)
    for place, f in enumerate(order.tolist()):
        x, values, feature = parts.added[:, f], parts.X[:, f], parts.features[f]
        figure.add_scatter(
            x=_amounts(parts, x), y=place + _piles(x), mode="markers",
            marker={
                "size": 6, "color": _ranks(values), "cmin": 0, "cmax": 1, "opacity": 0.85,
                "colorscale": [[0, pale], [1, strong]], "line": edge(ink.LINE[theme], 0.4),
            },
            hovertext=[safe(named_value(feature, float(v))) for v in values],
            hovertemplate="%{hovertext}: %{x:+.3g}<extra></extra>",
        )  # fmt: skip
    sizes = np.abs(parts.added).mean(axis=0)
    labels = [
        f"{safe(shortened(parts.features[f].name, LETTERS))}  {_size(parts, float(sizes[f]))}" for f in order
    ]
    ticks = {"tickvals": list(range(len(order))), "ticktext": labels, "range": [len(order) - 0.4, -0.6]}
    figure.update_yaxes(ticks, showgrid=False)
    figure.update_xaxes(title_text=axis_words(parts), zeroline=True, zerolinecolor=ink.LINE[theme])
    return figure


def axis_words(parts: ColumnParts) -> str:
    """Return what the axis of the strips counts."""
    if parts.link in LOG_ODDS:
        return say("what a value adds to the log odds")
    if parts.link == "log":
        return say("what a value adds to the logarithm of the answer")
    return say("percentage points that a value adds" if parts.is_share else "what a value adds to the answer")


def _amounts(parts: ColumnParts, added: np.ndarray) -> np.ndarray:
    return 100 * added if parts.is_share and parts.link == "identity" else added


def _size(parts: ColumnParts, size: float) -> str:
    return number(float(_amounts(parts, np.array(size))), 2)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the place of each value among all, (n,) from 0 to 1; a half where it is missing."""
    known = np.sort(values[np.isfinite(values)])
    middle = np.searchsorted(known, values, "left") + np.searchsorted(known, values, "right")
    return np.where(np.isfinite(values), middle / max(2 * len(known), 1), 0.5)


def _piles(x: np.ndarray) -> np.ndarray:
    """Return heights, (n,), that pile up dots of nearly the same x, half of them above the line and half below."""
    span = float(np.ptp(x))
    at = np.minimum(((x - x.min()) / span * BINS).astype(int), BINS - 1) if span > 0 else np.zeros(len(x), int)
    order = np.argsort(at, kind="stable")
    first = np.searchsorted(at[order], at[order], "left")
    pile = np.empty(len(x))
    pile[order] = np.arange(len(x)) - first
    side = np.where(pile % 2 == 0, 1, -1) * np.ceil(pile / 2)
    return HALF * side / max(float(np.abs(side).max()), 6.0)


def parts_table(parts: ColumnParts) -> pd.DataFrame:
    """Return the parts as a table, a row for each row and a column for each column, as the strips count them."""
    return pd.DataFrame(_amounts(parts, parts.added), columns=[feature.name for feature in parts.features])


def strips_alt(parts: ColumnParts) -> str:
    """Return the strips in words: the columns that add most, on average over the rows."""
    order = parts.order[:5]
    if not len(order):
        return say("No column changes the answers.")
    sizes = np.abs(parts.added).mean(axis=0)
    named = ", ".join(f"{parts.features[f].name} {_size(parts, float(sizes[f]))}" for f in order)
    return say("On average over the rows, these columns add or take away most: {columns}.", columns=named)


# ---- along one column


class ColumnCurves(NamedTuple):
    """Curves along a column, for one class or of a number, and perhaps a row among them."""

    curves: FeatureCurves
    output: int
    feature: Feature
    values: np.ndarray  # (n_samples,) of the column
    target: Feature
    row: int | None = None  # the place of the chosen row among the samples
    answer: str = ""  # what is answered, for the axis: the target with its unit, or the share of a class

    @property
    def is_share(self) -> bool:
        """Whether the answers are shares of a class."""
        return bool(self.target.categories)


def curves_figure(look: ColumnCurves, dark: bool) -> go.Figure:
    """Return the mean curve, curves of some rows, and the chosen row's with a mark where it is."""
    theme, answers = ink.theme_of(dark), look.curves.answers[:, :, look.output]
    figure = blank(dark, CURVES, hovermode="closest")
    faint = edge(ink.mixed(ink.TEXT[theme], ink.PAPER[theme], 0.28), 1)
    for at in np.linspace(0, len(answers) - 1, min(MOST_CURVES, len(answers))).astype(int).tolist():
        _line(figure, look, answers[at], faint, hoverinfo="skip")
    thick = edge(ink.answer_colour(look.target, look.output, dark), 3)
    _line(figure, look, answers.mean(axis=0), thick, hovertemplate="%{x}: %{y}<extra></extra>")
    if look.row is not None:
        _line(figure, look, answers[look.row], edge(ink.TEXT[theme], 2), hoverinfo="skip")
        value = float(look.values[look.row])
        if np.isfinite(value):
            place = int(look.curves.places_of(np.array([value]))[0])
            dot = {"size": 11, "color": ink.TEXT[theme], "line": edge(ink.PAPER[theme], 2)}
            x = [look.feature.categories[int(value)] if look.feature.categories else value]
            figure.add_scatter(x=x, y=answers[look.row, [place]], mode="markers", marker=dot, hoverinfo="skip")
    figure.update_xaxes(title_text=safe(look.feature.name))
    figure.update_yaxes(title_text=safe(look.answer))
    if look.is_share:
        figure.update_yaxes(tickformat=PERCENTS, range=SHARES)
    return figure


def _line(figure: go.Figure, look: ColumnCurves, y: np.ndarray, line: dict[str, Any], **how: str) -> None:
    """Draw one curve: steps along a number, or a point for each category."""
    names = look.feature.categories
    if names:
        figure.add_scatter(x=[safe(name) for name in names], y=y, mode="lines+markers", line=line, **how)
        return
    known = look.values[np.isfinite(look.values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    steps = look.curves.steps
    inside = np.flatnonzero((steps > low) & (steps < high))
    if len(inside) > MOST_STEPS:
        inside = inside[np.linspace(0, len(inside) - 1, MOST_STEPS).astype(int)]
    first = int(look.curves.places_of(np.array([low]))[0])
    heights = np.concatenate([[y[first]], y[inside + 1]])
    x = np.concatenate([[low], steps[inside], [high]])
    figure.add_scatter(x=x, y=np.append(heights, heights[-1]), mode="lines", line=line | {"shape": "hv"}, **how)


def curves_table(look: ColumnCurves) -> pd.DataFrame:
    """Return the mean curve as a table: the greatest value of each place, none of the last, and the mean there."""
    ends = [*look.feature.categories] or [*look.curves.steps.tolist(), None]
    return pd.DataFrame({say("up to"): ends, say("mean answer"): look.curves.mean[:, look.output]})


def curves_alt(look: ColumnCurves) -> str:
    """Return the mean curve in words: its lowest and its highest place."""
    mean = look.curves.mean[:, look.output]
    low, high = float(mean.min()), float(mean.max())
    if look.is_share:
        low, high = 100 * low, 100 * high
    written = rounded_to((low, high))
    return say(
        "Along {name} the mean answer lies between {low} and {high}.",
        name=look.feature.name, low=written(low), high=written(high),
    )  # fmt: skip
