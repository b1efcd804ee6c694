"""Figures of reliability; each has an alternative text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from espalier.comparison.figures import DASHES, MARKS, colour_of
from espalier.display import ink
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.reliability.reliability import CoverageCurve, Steps
from espalier.reliability.words import ReliabilitySummary, loss_words, measure_words

HEIGHT = 360  # pixels
SMALL = 270
GREY = "#8A8D98"
DOTS = "1.5px,4px"  # finer than the line of any model
ALWAYS = to_say("always the most frequent class")
BAND = 0.16  # strength of an interval's colour
LEAST_SHOWN = 0.02  # coverage: below, risk says little and would stretch the axis
SECOND_AXIS = {  # the axis of errors, beside that of shares
    "overlaying": "y", "side": "right", "showgrid": False, "automargin": True, "zeroline": False, "ticks": "",
    "tickmode": "auto", "nticks": 6,
}  # fmt: skip


class HoverText(NamedTuple):
    """The text at a point of a line: words, and the height of the point."""

    words: str
    written: Callable[[float], str]


def answered_figure(
    models: Sequence[ReliabilitySummary], is_classification: bool, dark: bool = False
) -> go.Figure:
    """Return the share right (or mean error) against the share answered, with a mark at the goal's point."""
    figure = blank(dark, HEIGHT, hovermode="closest", legend=_legend())
    for one in models:
        colour, curve = colour_of(one.slot, dark), one.curve
        x, y, low, high = _drawn(curve, is_classification)
        _band(figure, x, low, high, colour)
        figure.add_scatter(
            x=x, y=y, mode="lines+markers" if len(x) == 1 else "lines", name=safe(one.title),
            line=edge(colour, 2.2) | {"dash": DASHES[one.slot]},
            text=[_hover(one.title, a, b, is_classification) for a, b in zip(x, y, strict=True)], hoverinfo="text",
        )  # fmt: skip
        _baseline(figure, one, dark)
        _mark(figure, one, is_classification, dark)
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title_text=say("share answered"), tickformat=PERCENTS, range=[-0.02, 1.02])
    figure.update_yaxes(_loss_axis(models, is_classification))
    return figure


def _baseline(figure: go.Figure, one: ReliabilitySummary, dark: bool) -> None:
    """Draw the accuracy of always predicting the most frequent class, on the rows that the model answers.

    Each model answers other rows, so the line has the model's colour and ends in its mark.
    """
    if one.baseline is None:
        return
    x, y, *_ = _drawn(one.baseline, True)
    colour = colour_of(one.slot, dark)
    on_its_rows = say("always the most frequent class, on the rows of {model}", model=one.title)
    figure.add_scatter(
        x=x, y=y, mode="lines+markers", showlegend=False, line=edge(colour, 1.5) | {"dash": DOTS},
        marker={"symbol": f"{MARKS[one.slot]}-open", "size": [8] + [0] * (len(x) - 1), "color": colour,
                "line": edge(colour, 1.5)},
        text=[_hover(on_its_rows, a, b, True) for a, b in zip(x, y, strict=True)],
        hoverinfo="text",
    )  # fmt: skip


def _drawn(curve: CoverageCurve, is_classification: bool) -> tuple[np.ndarray, ...]:
    """Return coverage, risk as it is drawn, and both ends of its interval, without the lowest coverages."""
    kept = (curve.coverage >= LEAST_SHOWN) | (curve.coverage == curve.coverage.max())
    risk, low, high = curve.risk[kept], curve.risk_low[kept], curve.risk_high[kept]
    if is_classification:
        return curve.coverage[kept], 1 - risk, 1 - high, 1 - low
    return curve.coverage[kept], risk, low, high


def _band(figure: go.Figure, x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str, **more) -> None:
    """The interval as an area behind the lines; `more` as in Plotly."""
    known = np.isfinite(low) & np.isfinite(high)
    more = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}} | more
    figure.add_scatter(x=x[known], y=high[known], **more)
    figure.add_scatter(x=x[known], y=low[known], fill="tonexty", fillcolor=_faint(colour), **more)


def _faint(colour: str) -> str:
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({r},{g},{b},{BAND})"


def _mark(figure: go.Figure, one: ReliabilitySummary, is_classification: bool, dark: bool) -> None:
    """The operating point, judged on the folds that did not choose it."""
    if not np.isfinite(one.point.risk):
        return
    y = 1 - one.point.risk if is_classification else one.point.risk
    there = _hover(one.title, one.point.coverage, y, is_classification)
    figure.add_scatter(
        x=[one.point.coverage], y=[y], mode="markers", showlegend=False, cliponaxis=False,
        marker={"symbol": MARKS[one.slot], "size": 13, "color": colour_of(one.slot, dark),
                "line": edge(ink.TEXT[ink.theme_of(dark)], 2)},
        text=[say("at the goal: {words}", words=there)], hoverinfo="text",
    )  # fmt: skip


def _hover(title: str, coverage: float, y: float, is_classification: bool) -> str:
    known = {"model": safe(title), "share": percent(round(coverage, 4))}
    if is_classification:
        return say("{model}: of {share} answered {right} right", **known, right=percent(round(y, 4)))
    return say("{model}: of {share} answered off by {error} on average", **known, error=number(y))


def _loss_axis(models: Sequence[ReliabilitySummary], is_classification: bool) -> dict:
    if not is_classification:
        most = max(_highest(one.curve) for one in models)
        return {"title_text": say("average error of the answered"), "range": [0, most]}
    curves = [curve for one in models for curve in (one.curve, one.baseline) if curve is not None]
    drawn = [_drawn(curve, True)[1] for curve in curves]
    least = min((float(np.nanmin(y)) for y in drawn if len(y)), default=0.0)
    low = max(min(least - 0.08, 0.88), -0.02)  # a band may go below, since readers look at the line
    return {"title_text": say("right, of the answered"), "tickformat": PERCENTS, "range": [low, 1.01]}


def _highest(curve: CoverageCurve) -> float:
    """Return the end of an axis of errors, above the line without its lowest coverages; bands may go beyond."""
    return 1.3 * float(np.nanmax(_drawn(curve, False)[1]))


def answered_alt(models: Sequence[ReliabilitySummary], is_classification: bool) -> str:
    """Return the figure in sentences: each model at a half, at four fifths and at all of the answers."""
    parts = []
    for one in models:
        at = [int(np.searchsorted(one.curve.coverage, share)) for share in (0.5, 0.8, 1.0)]
        points = [_alt_at(one.curve, min(i, len(one.curve.coverage) - 1), is_classification) for i in at]
        always = f"; {say(ALWAYS)}, {_alt_at(one.baseline, -1, True)}" if one.baseline is not None else ""
        parts.append(f"{one.title}: {', '.join(dict.fromkeys(points))}{always}")
    return say(
        "Share right of what is answered: {models}."
        if is_classification
        else "Average error of what is answered: {models}.",
        models="; ".join(parts),
    )


def _alt_at(curve: CoverageCurve, i: int, is_classification: bool) -> str:
    loss = loss_words(float(curve.risk[i]), is_classification)
    return say("{loss} at {share} answered", loss=loss, share=percent(round(float(curve.coverage[i]), 3)))


# ---- against the threshold, as in the paper


def threshold_figure(one: ReliabilitySummary, is_classification: bool, dark: bool = False) -> go.Figure:
    """Return the share answered (dashed) and the share right or mean error (solid) against the threshold on doubt.

    The figure follows Nalenz & Augustin (2021, figure 4); a dotted line marks the threshold of the goal.
    """
    figure = blank(dark, SMALL, hovermode="x")
    figure.update_layout(margin={"t": 8})
    colour, grey, curve = colour_of(one.slot, dark), ink.LINE[ink.theme_of(dark)], one.curve
    x, steps = curve.threshold, {"line": {"width": 0, "shape": "hv"}}
    own = {} if is_classification else {"yaxis": "y2"}
    _band(figure, x, curve.coverage_low, curve.coverage_high, GREY, **steps)
    _line(figure, x, curve.coverage, HoverText(say("answered"), percent), line=edge(grey, 2) | {"dash": "dash"})
    y, low, high = (curve.risk, curve.risk_low, curve.risk_high)
    if is_classification:
        y, low, high = 1 - y, 1 - high, 1 - low
    _band(figure, x, low, high, colour, **steps, **own)
    texts = HoverText(say("right, of the answered"), percent)
    if not is_classification:
        texts = HoverText(say("average error"), number)
    _line(figure, x, y, texts, line=edge(colour, 2.4), **own)
    if one.baseline is not None:
        always = HoverText(say(ALWAYS), percent)
        _line(figure, x, 1 - one.baseline.risk, always, line=edge(GREY, 1.5) | {"dash": "dot"})
    figure.update_xaxes(
        title_text=f"{say('threshold on the doubt:')}<br>{measure_words(one.measure, is_classification)}"
    )
    figure.update_yaxes(range=[-0.02, 1.03], tickformat=PERCENTS)
    if not is_classification:
        figure.update_layout(yaxis2=SECOND_AXIS | {"range": [0, _highest(curve)]})
    if np.isfinite(one.point.threshold):
        figure.add_vline(x=one.point.threshold, line={"color": ink.TEXT[ink.theme_of(dark)], "width": 1.5})
    return figure


def _line(figure: go.Figure, x: np.ndarray, y: np.ndarray, texts: HoverText, line: dict, **more) -> None:
    figure.add_scatter(
        x=x, y=y, mode="lines+markers" if len(x) == 1 else "lines", line=line | {"shape": "hv"},
        text=[f"{texts.words} {texts.written(round(float(v), 4))}" for v in y], hoverinfo="text", **more,
    )  # fmt: skip


def threshold_alt(one: ReliabilitySummary, is_classification: bool) -> str:
    """Return the figure in a sentence: from the strictest threshold to the most lenient."""
    curve = one.curve
    at = [0, len(curve.threshold) // 2, len(curve.threshold) - 1]
    points = [
        say(
            "at {threshold} {words}",
            threshold=number(float(curve.threshold[i])),
            words=_alt_at(curve, i, is_classification),
        )
        for i in at
    ]
    return say("{model}, by the threshold: {points}.", model=one.title, points="; ".join(dict.fromkeys(points)))


# ---- numbers: does more doubt mean more error?


def steps_figure(models: Sequence[tuple[ReliabilitySummary, Steps]], dark: bool = False) -> go.Figure:
    """Return the average error by tenths of growing doubt, from the least doubted rows to the most doubted."""
    figure = blank(dark, HEIGHT, hovermode="closest", legend=_legend())
    for one, steps in models:
        ranks = (np.cumsum(steps.n) - steps.n / 2) / steps.n.sum()
        figure.add_scatter(
            x=ranks, y=steps.loss, mode="lines+markers", name=safe(one.title),
            line=edge(colour_of(one.slot, dark), 2) | {"dash": DASHES[one.slot]},
            marker={"symbol": MARKS[one.slot], "size": 9},
            text=[
                say(
                    "{model}: doubt {doubt}, off by {error} on average, {n} answers",
                    model=safe(one.title),
                    doubt=number(d),
                    error=number(e),
                    n=count(n),
                )
                for d, e, n in zip(steps.doubt.tolist(), steps.loss.tolist(), steps.n.tolist(), strict=True)
            ],
            hoverinfo="text",
        )  # fmt: skip
    figure.update_layout(showlegend=True)
    figure.update_xaxes(
        title_text=say("rows, from the least doubted to the most"), tickformat=PERCENTS, range=[0, 1]
    )
    figure.update_yaxes(title_text=say("average error"), rangemode="tozero")
    return figure


def steps_alt(models: Sequence[tuple[ReliabilitySummary, Steps]]) -> str:
    """Return the figure in a sentence: the error for the least and the most doubted rows."""
    ends = [
        f"{one.title} {say('{low} to {high}', low=number(float(s.loss[0])), high=number(float(s.loss[-1])))}"
        for one, s in models
    ]
    return say("Average error from the least doubted rows to the most doubted: {models}.", models="; ".join(ends))


def _legend() -> dict[str, object]:
    return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}
