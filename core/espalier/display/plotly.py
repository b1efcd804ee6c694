"""Defaults of all Plotly figures: transparent paper, text in the page's colour, quiet axes, numbers as spoken."""

from __future__ import annotations

import html
import re
from typing import Any

import plotly.graph_objects as go

from espalier.display import ink
from espalier.display.theme import FONT
from espalier.inert import legible
from espalier.language import in_style

PERCENTS = ",.3~%"  # of an axis: as many decimals as its labels need to differ, up to three


def safe(text: str) -> str:
    """Return the text with tags and ``%{…}`` escaped, so that Plotly shows it literally."""
    return html.escape(legible(re.sub(r"\s", " ", text)), quote=False).replace("%{", "%\u200b{")


def blank(dark: bool, height: int, **layout: Any) -> go.Figure:
    """Return an empty figure, `height` pixels high; `layout` as in Plotly."""
    theme = ink.theme_of(dark)
    text = {"color": ink.TEXT[theme], "size": 14, "family": FONT}
    figure = go.Figure()
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 4, "r": 12, "t": 26, "b": 4},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font=text,
        hoverlabel={
            "bgcolor": ink.PAPER[theme],
            "bordercolor": ink.LINE[theme],
            "font": text,
            "align": "left",
        },
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": ink.LINE[theme], "activecolor": ink.TEXT[theme]},
        showlegend=False,
        separators=in_style(".,"),  # of decimals, and of thousands
        **layout,
    )
    figure.update_xaxes(quiet_axis(dark))
    figure.update_yaxes(quiet_axis(dark))
    return figure


def quiet_axis(dark: bool) -> dict[str, Any]:
    """Return settings of an axis: a faint grid, no line and no ticks."""
    grid = ink.GRID[ink.theme_of(dark)]
    title = {"standoff": 6, "font": {"size": 14}}
    return {"gridcolor": grid, "zeroline": False, "automargin": True, "ticks": "", "title": title}


def edge(colour: str, width: float) -> dict[str, Any]:
    """Return settings of a line."""
    return {"color": colour, "width": width}
