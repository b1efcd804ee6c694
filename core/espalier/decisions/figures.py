"""The cost curve: what 100 rows cost by the share from which a class is the answer; with its alternative text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from espalier.comparison.figures import DASHES, MARKS, colour_of
from espalier.decisions.judged import CostCurve
from espalier.display import ink
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.theme import number, percent
from espalier.language import say

HEIGHT = 320  # pixels
BAND = 0.16  # strength of an interval's colour


class CostSummary(NamedTuple):
    """A model with its cost curve."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    curve: CostCurve
    cut: float  # the share from which the class is the answer


def cost_figure(models: Sequence[CostSummary], name: str, dark: bool = False) -> go.Figure:
    """Return the curves with a mark at the decision, and what always and never answering the class would cost."""
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}
    figure = blank(dark, HEIGHT, hovermode="closest", legend=legend)
    for one in models:
        _draw_curve(figure, one, dark)
    first, grey = models[0].curve, ink.TEXT[ink.theme_of(dark)]
    for cost, text in ((first.always, say("always")), (first.never, say("never"))):
        figure.add_hline(
            y=100 * cost, line=edge(grey, 1) | {"dash": "dot"}, annotation_text=text,
        )  # fmt: skip
    figure.update_layout(showlegend=True)
    figure.update_xaxes(
        title_text=say("share from which “{name}” is the answer", name=safe(name)),
        tickformat=PERCENTS,
        range=[0, 1],
    )
    highest = max(
        100 * max(first.always, first.never), *(100 * float(np.nanmax(one.curve.cost)) for one in models)
    )
    figure.update_yaxes(title_text=say("cost of 100 rows"), range=[0, 1.08 * highest])
    return figure


def _draw_curve(figure: go.Figure, one: CostSummary, dark: bool) -> None:
    colour, curve = colour_of(one.slot, dark), one.curve
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    hidden = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    figure.add_scatter(x=curve.threshold, y=100 * curve.high, **hidden)
    figure.add_scatter(
        x=curve.threshold,
        y=100 * curve.low,
        fill="tonexty",
        fillcolor=f"rgba({red},{green},{blue},{BAND})",
        **hidden,
    )
    figure.add_scatter(
        x=curve.threshold, y=100 * curve.cost, mode="lines", name=safe(one.title),
        line=edge(colour, 2.2) | {"dash": DASHES[one.slot]}, hoverinfo="text",
        text=[_hover(one.title, t, c) for t, c in zip(curve.threshold, curve.cost, strict=True)],
    )  # fmt: skip
    here = float(np.interp(one.cut, curve.threshold, curve.cost))
    figure.add_scatter(
        x=[one.cut], y=[100 * here], mode="markers", showlegend=False, cliponaxis=False, hoverinfo="text",
        text=[_hover(one.title, one.cut, here)],
        marker={"symbol": MARKS[one.slot], "size": 13, "color": colour,
                "line": edge(ink.TEXT[ink.theme_of(dark)], 2)},
    )  # fmt: skip


def _hover(title: str, threshold: float, cost: float) -> str:
    known = {"model": safe(title), "share": percent(round(float(threshold), 3)), "cost": number(100 * float(cost))}
    return say("{model}: from {share} on, 100 rows cost {cost}", **known)


def cost_alt(models: Sequence[CostSummary], name: str) -> str:
    """Return the curves in a sentence: the cost at the decision, and the least there is."""
    parts = []
    for one in models:
        best = int(np.nanargmin(one.curve.cost))
        here = float(np.interp(one.cut, one.curve.threshold, one.curve.cost))
        parts.append(
            say(
                "{model} {cost}, at best {least} from {share} on",
                model=one.title, cost=number(100 * here), least=number(100 * float(one.curve.cost[best])),
                share=percent(round(float(one.curve.threshold[best]), 3)),
            )
        )  # fmt: skip
    return say(
        "Cost of 100 rows where “{name}” is the answer from {share} on: {models}.",
        name=name, share=percent(round(models[0].cut, 3)), models="; ".join(parts),
    )  # fmt: skip
