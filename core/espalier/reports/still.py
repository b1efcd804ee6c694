"""A Plotly figure as a still picture: its frame and axes, what stands in it, its legend and its notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go

from espalier.display import ink, svg
from espalier.display.svg import Frame, Markup
from espalier.reports import still_marks as marks
from espalier.reports.still_marks import LINE, Plot, StillAxis, axis_of, plain_text

WIDTH, HEIGHT = 720, 360  # pixels of a picture, and of one whose figure does not say
LETTER = 7  # average width
SIGN, ROW = 34, 20  # pixels of a sign in the legend, and of the legend's lines
TITLE = 20  # pixels of an axis's title


def still_picture(figure: go.Figure, dark: bool = False) -> str:
    """Return the figure, made for light or for dark, as SVG.

    >>> figure = go.Figure(go.Scatter(x=[0, 1], y=[0, 2], name="a line", line={"color": "#123456"}))
    >>> 'stroke="#123456"' in still_picture(figure)
    True
    """
    data, layout = _traces_and_layout(figure)
    x, y = axis_of(figure, "x"), axis_of(figure, "y")
    second = (
        axis_of(figure, "y2") if any(trace.type == "scatter" and trace.yaxis == "y2" for trace in data) else None
    )
    entries = [trace for trace in data if layout.showlegend and trace.showlegend is not False and trace.name]
    signs = list(_legend(entries, ink.TEXT[ink.theme_of(dark)]))
    head = signs.pop()[1] if signs else 0
    frame = _frame(figure, x, y, second, head)._replace(dark=dark)
    plot = Plot(frame, x, y)
    parts = [
        *_axes(plot), *_zero_lines(figure, plot), *_marks(figure, plot, second), *_shapes(figure, plot),
        *_notes(figure, plot), *(sign for sign, _ in signs),
    ]  # fmt: skip
    return svg.picture(parts, frame.size, 13)


def _traces_and_layout(figure: go.Figure) -> tuple[Any, Any]:
    """Return the traces and the layout, whose types Plotly makes as it runs."""
    return figure.data, figure.layout


def _frame(figure: go.Figure, x: StillAxis, y: StillAxis, second: StillAxis | None, head: float) -> Frame:
    widest = max((len(line) for _, words in y.labels for line in words.split("<br>")), default=0)
    left = 14 + LETTER * widest + TITLE * bool(y.title)
    right = 22 if second is None else 14 + LETTER * max(len(words) for _, words in second.labels)
    names = LINE * max((words.count("<br>") + 1 for _, words in x.labels), default=0) + 8
    titles = LINE * (x.title.count("<br>") + 1) + 6 if x.title else 0
    top, floor = (12 + head + names, 10 + titles) if x.is_far else (12 + head, names + titles + 6)
    size = (WIDTH, (_traces_and_layout(figure)[1].height or HEIGHT) + head)
    return Frame(size, (left, right, top, floor), x.ends, y.ends, dark=False)


def _axes(plot: Plot) -> Iterator[Markup]:
    frame, text = plot.frame, plot.text
    low, high = sorted(plot.y.ends)
    for at, words in plot.y.labels:
        if not low <= at <= high:
            continue
        if plot.y.has_grid:
            yield from frame.grid([at], lambda _: "")
        yield from marks.lines_of_text((frame.left - 6, frame.y(at) + 4), words, text, text_anchor="end")
    y = frame.top - 10 if plot.x.is_far else frame.floor + 16
    for at, words in plot.x.labels:
        if min(plot.x.ends) <= at <= max(plot.x.ends):
            n = words.count("<br>")
            middle = y + (-1 if plot.x.is_far else 1) * n * LINE / 2
            yield from marks.lines_of_text((frame.x(at), middle), words, text, text_anchor="middle")
    if plot.x.title:
        n = plot.x.title.count("<br>")
        place = ((frame.left + frame.right) / 2, frame.size[1] - 8 - n * LINE / 2)
        yield from marks.lines_of_text(place, plot.x.title, text, text_anchor="middle")
    if plot.y.title:
        yield frame.title_beside(plot.y.title, 14)


def _zero_lines(figure: go.Figure, plot: Plot) -> Iterator[Markup]:
    """Yield the lines at zero of the axes that have one."""
    frame, layout = plot.frame, _traces_and_layout(figure)[1]
    if layout.xaxis.zeroline and min(plot.x.ends) < 0 < max(plot.x.ends):
        yield svg.line([(frame.x(0), frame.top), (frame.x(0), frame.floor)], layout.xaxis.zerolinecolor)
    if layout.yaxis.zeroline and min(plot.y.ends) < 0 < max(plot.y.ends):
        yield svg.line([(frame.left, frame.y(0)), (frame.right, frame.y(0))], layout.yaxis.zerolinecolor)


def _marks(figure: go.Figure, plot: Plot, second: StillAxis | None) -> Iterator[Markup]:
    data, layout = _traces_and_layout(figure)
    bars, floor = [trace for trace in data if trace.type == "bar"], None
    yield from (marks.cells(trace, plot) for trace in data if trace.type == "heatmap")
    yield from marks.bars(bars, plot, layout)
    beside = plot if second is None else Plot(plot.frame._replace(up=second.ends), plot.x, second)
    if second is not None:
        for at, words in second.labels:
            yield plot.frame.words(plot.frame.right + 6, beside.frame.y(at), words, dy=4)
    for trace in (trace for trace in data if trace.type == "scatter"):
        own = beside if trace.yaxis == "y2" else plot
        yield from marks.scatter(trace, own, floor)
        places = own.pixels(trace.x, trace.y)
        floor = marks.steps(places) if trace.line.shape == "hv" else places


def _place(plot: Plot, item: Any, x: Any, y: Any) -> tuple[float, float]:
    """Return the pixels of a place of a shape or a note; what counts along the frame does so from 0 to 1."""
    frame, (across, up) = plot.frame, (str(item.xref or "x"), str(item.yref or "y"))
    at_x = frame.left + float(x) * (frame.right - frame.left) if across != "x" else frame.x(float(x))
    at_y = frame.floor - float(y) * (frame.floor - frame.top) if up != "y" else frame.y(float(y))
    return at_x, at_y


def _shapes(figure: go.Figure, plot: Plot) -> Iterator[Markup]:
    for shape in _traces_and_layout(figure)[1].shapes:
        (x1, y1), (x2, y2) = _place(plot, shape, shape.x0, shape.y0), _place(plot, shape, shape.x1, shape.y1)
        if shape.type == "line":
            dashes = marks.DASHES.get(shape.line.dash or "solid")
            width = shape.line.width or 1
            yield svg.line([(x1, y1), (x2, y2)], shape.line.color, stroke_width=width, stroke_dasharray=dashes)
        elif shape.type == "rect":
            box = (min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1))
            yield svg.rectangle(box, shape.fillcolor, opacity=shape.opacity)


def _notes(figure: go.Figure, plot: Plot) -> Iterator[Markup]:
    halo = svg.halo(ink.PAPER[ink.theme_of(plot.frame.dark)], 3)
    for note in _traces_and_layout(figure)[1].annotations:
        x, y = _place(plot, note, note.x, note.y)
        anchor = {"left": "start", "right": "end"}.get(note.xanchor, "middle")
        lift = 4 if note.yanchor == "bottom" else -4
        style = {"text_anchor": anchor} | halo
        place = (x + (note.xshift or 0), y - lift - (note.yshift or 0))
        yield from marks.lines_of_text(place, note.text, plot.text, **style)


def _legend(traces: list[Any], text: str) -> Iterator[tuple[Markup, float]]:
    """Yield the parts of the legend, each with the height of the legend down to there; the last one is empty."""
    x, y = 4.0, 0.0
    for trace in traces:
        name = plain_text(trace.name)
        wide = SIGN + LETTER * len(name) + 12
        x, y = (4.0, y + ROW) if x + wide > WIDTH else (x, y)
        middle, bottom = y + ROW / 2, y + ROW
        if "lines" in (trace.mode or "") and trace.line.width != 0:
            dashes = marks.DASHES.get(trace.line.dash or "solid")
            ends = [(x, middle), (x + SIGN - 8, middle)]
            yield svg.line(ends, trace.line.color, stroke_width=trace.line.width, stroke_dasharray=dashes), bottom
        if "markers" in (trace.mode or ""):
            symbol = trace.marker.symbol if isinstance(trace.marker.symbol, str) else "circle"
            fill = trace.marker.color if isinstance(trace.marker.color, str) else trace.line.color
            yield marks.mark(x + (SIGN - 8) / 2, middle, symbol, 5, fill=fill), bottom
        yield svg.text(x + SIGN - 2, middle + 4, name, text), bottom
        x += wide
    if traces:
        yield Markup(""), y + ROW
