"""Figures of promises: how large the sets are, and where intervals hold the truth; with alternative texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from espalier.comparison.figures import DASHES, MARKS, colour_of
from espalier.display import ink
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.theme import percent
from espalier.language import say
from espalier.new_rows.promise_words import PromiseSummary
from espalier.new_rows.promises import PromisedSets
from espalier.reliability.reliability import Steps

BAR = 54  # pixels of a model's bar
AROUND = 46  # pixels of the axis
HEIGHT = 300  # pixels of the curves
LEAST_WRITTEN = 0.2  # of a bar: shorter parts have no words in them
STRENGTHS = (1.0, 0.55, 0.3, 0.16)  # of a model's colour for sets of one class, of two, …


def sizes_figure(models: Sequence[PromiseSummary], dark: bool = False) -> go.Figure:
    """Return a bar for each model, parted by the number of classes in its sets."""
    figure = blank(dark, AROUND + BAR * len(models), hovermode="closest", barmode="stack")
    figure.update_layout(margin={"t": 6}, bargap=0.35)
    for one in models:
        for size, share in parts_of(one):
            colour = _colour(one.slot, size, dark)
            figure.add_bar(
                x=[share], y=[safe(one.title)], orientation="h",
                marker={"color": colour, "line": edge(colour_of(one.slot, dark), 1)},
                text=[safe(size_words(size)) if share >= LEAST_WRITTEN else ""], textposition="inside",
                insidetextanchor="middle", textangle=0, constraintext="none",
                textfont={"color": ink.readable_on(colour)},
                hovertext=[f"{safe(size_words(size))}: {_percent(share)}"], hoverinfo="text",
            )  # fmt: skip
    figure.update_xaxes(tickformat=PERCENTS, range=[0, 1])
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def parts_of(one: PromiseSummary) -> list[tuple[int, float]]:
    """Return the sizes of sets that occur, with the share of rows of each."""
    assert isinstance(one.found, PromisedSets)
    return [(size, share) for size, share in enumerate(one.found.sizes.tolist(), start=1) if share > 0]


def _colour(slot: int, size: int, dark: bool) -> str:
    strength = STRENGTHS[min(size, len(STRENGTHS)) - 1]
    return ink.mixed(colour_of(slot, dark), ink.PAPER[ink.theme_of(dark)], strength)


def size_words(size: int) -> str:
    """Return the number of classes in a set."""
    return say("one class") if size == 1 else say("{n} classes", n=size)


def sizes_alt(models: Sequence[PromiseSummary]) -> str:
    """Return the bars in a sentence."""
    lines = []
    for one in models:
        parts = ", ".join(f"{size_words(size)} {_percent(share)}" for size, share in parts_of(one))
        lines.append(f"{one.title}: {parts}")
    return say("Classes in the sets: {models}.", models="; ".join(lines))


def holding_figure(models: Sequence[tuple[PromiseSummary, Steps]], dark: bool = False) -> go.Figure:
    """Return the share of intervals that hold the truth, by tenths of growing doubt, and the share promised."""
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}
    figure = blank(dark, HEIGHT, hovermode="closest", legend=legend)
    for one, steps in models:
        ranks = (np.cumsum(steps.n) - steps.n / 2) / steps.n.sum()
        figure.add_scatter(
            x=ranks.tolist(), y=steps.loss.tolist(), mode="lines+markers", name=safe(one.title),
            line=edge(colour_of(one.slot, dark), 2) | {"dash": DASHES[one.slot]},
            marker={"symbol": MARKS[one.slot], "size": 9},
            text=[f"{safe(one.title)}: {_percent(share)}" for share in steps.loss.tolist()],
            hoverinfo="text",
        )  # fmt: skip
    level = models[0][0].found.promised.level
    figure.add_hline(y=level, line=edge(ink.TEXT[ink.theme_of(dark)], 1.5) | {"dash": "dash"})
    figure.update_layout(showlegend=True)
    figure.update_xaxes(
        title_text=say("rows, from the least doubted to the most"), tickformat=PERCENTS, range=[0, 1]
    )
    lowest = min(float(steps.loss.min()) for _, steps in models)
    figure.update_yaxes(
        title_text=say("truth inside"), tickformat=PERCENTS, range=[min(lowest, level) - 0.08, 1.03]
    )
    return figure


def holding_alt(models: Sequence[tuple[PromiseSummary, Steps]]) -> str:
    """Return the curves in a sentence: the share for the least and the most doubted rows."""
    ends = [
        f"{one.title} {say('{low} to {high}', low=_percent(steps.loss[0]), high=_percent(steps.loss[-1]))}"
        for one, steps in models
    ]
    return say(
        "Share of intervals that hold the truth, from the least doubted rows to the most doubted: {models}.",
        models="; ".join(ends),
    )


def _percent(share: float) -> str:
    return percent(round(float(share), 3))
