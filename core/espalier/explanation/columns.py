"""What columns add to answers, and how answers change along a column: pictures, tables and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.svg import shortened
from espalier.display.text.values import named_value
from espalier.display.theme import number, percent, rounded_to
from espalier.explanation.dependence import (
    FeatureCurves,
    Monotony,
    Reversal,
    accumulated_effects,
)
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


def strips_picture(parts: ColumnParts) -> Picture:
    """Return a strip for each column, the most important on top: a dot for each row, strong for great values."""
    sizes = np.abs(parts.added).mean(axis=0)
    names = [f"{parts.features[f].name} {_size(parts, float(sizes[f]))}" for f in parts.order[:5]]
    words = say("No column changes the answers.")
    if names:
        words = say(
            "On average over the rows, these columns add or take away most: {columns}.", columns=", ".join(names)
        )
    return Picture(partial(_draw_strips, parts), words)


def _draw_strips(parts: ColumnParts, dark: bool) -> go.Figure:
    order, theme = parts.order, ink.theme_of(dark)
    figure = blank(dark, STRIP * max(len(order), 1) + 70, hovermode="closest")
    strong = ink.answer_colour(parts.target, parts.output, dark)
    pale = ink.mix(strong, ink.PAPER[theme], 0.18)
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
    finite = np.sort(values[np.isfinite(values)])
    middle = np.searchsorted(finite, values, "left") + np.searchsorted(finite, values, "right")
    return np.where(np.isfinite(values), middle / max(2 * len(finite), 1), 0.5)


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


def curves_picture(look: ColumnCurves) -> Picture:
    """Return the mean curve, curves of some rows, and the chosen row's with a mark where it is."""
    mean = look.curves.mean[:, look.output]
    low, high = float(mean.min()), float(mean.max())
    if look.is_share:
        low, high = 100 * low, 100 * high
    text_of = rounded_to((low, high))
    words = say(
        "Along {name} the mean answer lies between {low} and {high}.",
        name=look.feature.name, low=text_of(low), high=text_of(high),
    )  # fmt: skip
    return Picture(partial(_draw_curves, look), words)


def _draw_curves(look: ColumnCurves, dark: bool) -> go.Figure:
    theme, answers = ink.theme_of(dark), look.curves.answers[:, :, look.output]
    figure = blank(dark, CURVES, hovermode="closest")
    faint = edge(ink.FAINT[theme], 1)
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
    finite = look.values[np.isfinite(look.values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    steps = look.curves.steps
    inside = np.flatnonzero((steps > low) & (steps < high))
    if len(inside) > MOST_STEPS:
        inside = inside[np.linspace(0, len(inside) - 1, MOST_STEPS).astype(int)]
    first = int(look.curves.places_of(np.array([low]))[0])
    heights = np.concatenate([[y[first]], y[inside + 1]])
    x = np.concatenate([[low], steps[inside], [high]])
    figure.add_scatter(x=x, y=np.append(heights, heights[-1]), mode="lines", line=line | {"shape": "hv"}, **how)


# ---- accumulated changes along a column (ALE) beside the mean curve (PDP), and which of the two is to be trusted

CLOSE, APART = 0.7, 0.3  # rank correlations: from here on a column is close to another; below, it is free of it


def has_order(feature: Feature) -> bool:
    """Return whether changes can add up along a column: its values have an order."""
    return feature.kind != "category"


def both_curves(look: ColumnCurves) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values where changes accumulate, (n,) ascending, their sums there, and the mean curve, (n,) each.

    Both curves have the mean 0 over the rows; they are percentage points of a share, else in the target's unit.
    """
    effects = accumulated_effects(look.curves, look.values)
    scale, mean = 100.0 if look.is_share else 1.0, look.curves.mean[:, look.output]
    own = look.curves.places_of(look.values[np.isfinite(look.values)])
    centre = float(mean[own].mean()) if len(own) else 0.0
    at = mean[look.curves.places_of(effects.at)] - centre
    return effects.at, scale * effects.effect[:, look.output], scale * at


def accumulated_picture(look: ColumnCurves) -> Picture:
    """Return the accumulated changes as a thick line with a dot at each value, and the mean curve dashed."""
    both, words = both_curves(look), say("No row has a value of {name}.", name=look.feature.name)
    if len(changes := both[1]):
        low, high = float(changes.min()), float(changes.max())
        text_of = rounded_to((low, high))
        words = say(
            "Along {name} the accumulated changes lie between {low} and {high}, around 0.",
            name=look.feature.name, low=text_of(low), high=text_of(high),
        )  # fmt: skip
    return Picture(partial(_draw_accumulated, look, *both), words)


def _draw_accumulated(
    look: ColumnCurves, at: np.ndarray, changes: np.ndarray, mean: np.ndarray, dark: bool
) -> go.Figure:
    theme = ink.theme_of(dark)
    names = look.feature.categories
    x = [safe(names[int(code)]) for code in at] if names else at
    figure = blank(dark, CURVES, hovermode="closest")
    template = "%{x}: %{y:+.3g}<extra></extra>"
    figure.add_scatter(
        x=x, y=mean, mode="lines", line=edge(ink.LINE[theme], 2) | {"dash": "dash"}, hovertemplate=template
    )
    figure.add_scatter(
        x=x, y=changes, mode="lines+markers", marker={"size": 5}, hovertemplate=template,
        line=edge(ink.answer_colour(look.target, look.output, dark), 3),
    )  # fmt: skip
    figure.update_xaxes(title_text=safe(look.feature.name))
    figure.update_yaxes(
        title_text=safe(accumulated_axis_words(look)), zeroline=True, zerolinecolor=ink.LINE[theme]
    )
    return figure


def accumulated_axis_words(look: ColumnCurves) -> str:
    """Return what the axis of the accumulated changes counts."""
    if look.is_share:
        return say("percentage points above or below the mean")
    return say("{answer} above or below the mean", answer=look.answer)


def advice(
    look: ColumnCurves,
    features: Sequence[Feature],
    other: int | None = None,
    correlation: float = 0.0,
    mark: Callable[[str], str] = str,
) -> str:
    """Return which of the two curves to read, and why, Markdown; `mark` treats names from the data.

    `other` is the feature of `closest_companion`, None without one, and `correlation` what that says of it.

    >>> from espalier.explanation.dependence import FeatureCurves
    >>> two = Feature("age"), Feature("pulse")
    >>> flat = FeatureCurves(0, np.empty(0), np.zeros((2, 1, 1)))
    >>> advice(ColumnCurves(flat, 0, two[0], np.array([1.0, 2.0]), Feature("dose")), two)
    'Both curves may be read.'
    """
    name = mark(look.feature.name)
    if not has_order(look.feature):
        return say(
            "The values of {name} have no order, so only the mean curve is drawn.", name=name,
        )  # fmt: skip
    if other is None:
        return say("Both curves may be read.")
    r = number(round(correlation, 3))
    values = {"name": name, "other": mark(features[other].name), "r": r, "gap": _gap(look)}
    size = abs(correlation)
    if size >= CLOSE:
        return say(
            "{name} goes closely together with {other} (rank correlation {r}): **read the accumulated changes**, "
            "which differ from the mean curve by {gap} at most.", **values,
        )  # fmt: skip
    if size >= APART:
        return say(
            "{name} goes together with {other} to some degree (rank correlation {r}): where the curves differ, by "
            "{gap} at most, **read the accumulated changes**.", **values,
        )  # fmt: skip
    return say(
        "Both curves may be read: no column goes closely together with {name} ({other}: rank correlation {r}).",
        **values,
    )  # fmt: skip


def _gap(look: ColumnCurves) -> str:
    _, changes, mean = both_curves(look)
    gap = number(float(np.abs(changes - mean).max(initial=0.0)))
    return say("{n} pts", n=gap) if look.is_share else gap


# ---- whether answers only rise or only fall along a column, in words; of a direction asked for, if it is kept


class ColumnMonotony(NamedTuple):
    """What is known of a column, and of the rows that its curves belong to."""

    found: Monotony
    feature: Feature
    steps: np.ndarray  # (n_steps,) as in `FeatureCurves`
    rows: tuple[str, ...]  # names of the rows, as a sentence begins with them
    is_share: bool
    asked: int = 0  # the direction that the model was asked for: 1 to rise, -1 to fall, 0 for none


def monotony_words(look: ColumnMonotony, mark: Callable[[str], str] = str) -> str:
    """Return the sentences, Markdown; empty for a column of categories, which have no order here.

    `mark` treats names from the data.

    >>> from espalier.data.dataset import Feature
    >>> level = ColumnMonotony(Monotony(1.0, 1.0, None, None), Feature("age"), np.empty(0), (), True)
    >>> monotony_words(level)
    'No answer changes along age.'
    """
    if look.feature.categories:
        return ""
    if look.asked:
        return _direction_words(look, mark)
    name, change = mark(look.feature.name), look.found
    if change.rise is None and change.fall is None:
        return say("No answer changes along {column}.", column=name)
    if change.fall is None:
        return say("Along {column} answers **only rise**.", column=name)
    if change.rise is None:
        return say("Along {column} answers **only fall**.", column=name)
    text = say(
        "Along {column} answers never fall for {rising} of the rows, and never rise for {falling}.",
        column=name, rising=percent(round(change.rising, 3)), falling=percent(round(change.falling, 3)),
    )  # fmt: skip
    turn = change.fall if change.rising >= change.falling else change.rise
    return f"{text} {_example(look, turn, mark)}"


def _direction_words(look: ColumnMonotony, mark: Callable[[str], str]) -> str:
    """Return whether the direction asked for is kept, and if it is broken, an example."""
    values = {"column": mark(look.feature.name), "share": percent(round(1 - look.found.kept(look.asked), 3))}
    turn = look.found.against(look.asked)
    if turn is None:
        return say(
            "Asked to only rise along {column}: **kept**, for all of the rows."
            if look.asked > 0
            else "Asked to only fall along {column}: **kept**, for all of the rows.",
            **values,
        )
    text = say(
        "Asked to only rise along {column}: **broken** for {share} of the rows."
        if look.asked > 0
        else "Asked to only fall along {column}: **broken** for {share} of the rows.",
        **values,
    )
    return f"{text} {_example(look, turn, mark)}"


def _example(look: ColumnMonotony, turn: Reversal, mark: Callable[[str], str]) -> str:
    text_of = percent if look.is_share else number
    return say(
        "{row}: where {column} passes {value}, its answer goes from {before} to {after}.",
        row=mark(look.rows[turn.row]),
        column=mark(look.feature.name),
        value=number(float(look.steps[turn.place - 1])),
        before=text_of(turn.before),
        after=text_of(turn.after),
    )
