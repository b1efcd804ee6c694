"""A Plotly figure as a still picture: its frame and axes, what stands in it, its legend and its notes."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from espalier.display import ink, svg
from espalier.display.svg import Frame, Markup, round_numbers
from espalier.display.theme import percent, rounded_to
from espalier.forests.surfaces import png

WIDTH, HEIGHT = 720, 360  # pixels of a picture, and of one whose figure does not say
LETTER = 7  # average width
SIGN, ROW = 34, 20  # pixels of a sign in the legend, and of the legend's lines
TITLE = 20  # pixels of an axis's title

PAD = 0.05  # of an axis whose ends follow from what is drawn, beyond the last of it
LABELS = {"x": 7, "y": 6}  # of an axis without its own, about

MOST_POINTS = 400  # of a line
DASHES = {"solid": None, "dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4"}
BAR_GAP = 0.2  # between two bars, unless the figure says otherwise
LINE = 14  # pixels of a line of words
TURNS = {"square": 4, "diamond": 4, "triangle-up": 3, "triangle-down": 3}  # corners of a mark
FIRST_TURN = {
    "square": -3 * np.pi / 4,
    "diamond": -np.pi / 2,
    "triangle-up": -np.pi / 2,
    "triangle-down": np.pi / 2,
}
SHADES = 8  # of dots whose colours tell numbers


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
        yield from lines_of_text((frame.left - 6, frame.y(at) + 4), words, text, text_anchor="end")
    y = frame.top - 10 if plot.x.is_far else frame.floor + 16
    for at, words in plot.x.labels:
        if min(plot.x.ends) <= at <= max(plot.x.ends):
            n = words.count("<br>")
            middle = y + (-1 if plot.x.is_far else 1) * n * LINE / 2
            yield from lines_of_text((frame.x(at), middle), words, text, text_anchor="middle")
    if plot.x.title:
        n = plot.x.title.count("<br>")
        place = ((frame.left + frame.right) / 2, frame.size[1] - 8 - n * LINE / 2)
        yield from lines_of_text(place, plot.x.title, text, text_anchor="middle")
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
    yield from (cells(trace, plot) for trace in data if trace.type == "heatmap")
    yield from bar_marks(bars, plot, layout)
    beside = plot if second is None else Plot(plot.frame._replace(up=second.ends), plot.x, second)
    if second is not None:
        for at, words in second.labels:
            yield plot.frame.words(plot.frame.right + 6, beside.frame.y(at), words, dy=4)
    for trace in (trace for trace in data if trace.type == "scatter"):
        own = beside if trace.yaxis == "y2" else plot
        yield from scatter(trace, own, floor)
        places = own.pixels(trace.x, trace.y)
        floor = steps(places) if trace.line.shape == "hv" else places


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
            dashes = DASHES.get(shape.line.dash or "solid")
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
        yield from lines_of_text(place, note.text, plot.text, **style)


def _legend(traces: list[Any], text: str) -> Iterator[tuple[Markup, float]]:
    """Yield the parts of the legend, each with the height of the legend down to there; the last one is empty."""
    x, y = 4.0, 0.0
    for trace in traces:
        name = plain_text(trace.name)
        wide = SIGN + LETTER * len(name) + 12
        x, y = (4.0, y + ROW) if x + wide > WIDTH else (x, y)
        middle, bottom = y + ROW / 2, y + ROW
        if "lines" in (trace.mode or "") and trace.line.width != 0:
            dashes = DASHES.get(trace.line.dash or "solid")
            ends = [(x, middle), (x + SIGN - 8, middle)]
            yield svg.line(ends, trace.line.color, stroke_width=trace.line.width, stroke_dasharray=dashes), bottom
        if "markers" in (trace.mode or ""):
            symbol = trace.marker.symbol if isinstance(trace.marker.symbol, str) else "circle"
            fill = trace.marker.color if isinstance(trace.marker.color, str) else trace.line.color
            yield mark(x + (SIGN - 8) / 2, middle, symbol, 5, fill=fill), bottom
        yield svg.text(x + SIGN - 2, middle + 4, name, text), bottom
        x += wide
    if traces:
        yield Markup(""), y + ROW


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
            return np.array([self.names.index(str(value)) for value in values], float)
        return numbers_of(values)


def numbers_of(values: Any) -> np.ndarray:
    """Return values (n,) as numbers, nan for those that are none; empty for None."""
    return np.array([np.nan if value is None else value for value in ([] if values is None else values)], float)


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
    traces: list[Any] = [
        trace for trace in figure.data if (getattr(trace, f"{name[0]}axis", None) or name[0]) == name
    ]
    names = _names(traces, name[0])
    low, high = _ends(traces, layout, name[0], len(names))
    labels = _labels(layout, names, (low, high), LABELS[name[0]])
    is_turned = layout.range is None and layout.autorange == "reversed"
    ends = (high, low) if is_turned else (low, high)
    is_far = layout.side in ("top", "right")
    return StillAxis(ends, labels, plain_text(layout.title.text), names, is_far, layout.showgrid is not False)


def _names(traces: list[Any], side: str) -> tuple[str, ...]:
    """Return the categories along the axis, each once; none where it counts numbers."""
    values = [value for trace in traces if trace[side] is not None for value in trace[side]]
    return tuple(dict.fromkeys(str(value) for value in values if isinstance(value, str)))


def _ends(traces: list[Any], layout: Any, side: str, n_names: int) -> tuple[float, float]:
    if layout.range is not None:
        return float(layout.range[0]), float(layout.range[1])
    if n_names:
        return -0.5, n_names - 0.5
    finite = np.concatenate([np.empty(0), *(_reach(trace, side) for trace in traces)])
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
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
    format_number = rounded_to(places)
    return tuple((at, percent(round(at, 6)) if is_share else format_number(at)) for at in places)


class Plot(NamedTuple):
    """A frame with its two axes."""

    frame: Frame
    x: StillAxis
    y: StillAxis

    @property
    def text(self) -> str:
        """Colour of words."""
        return ink.TEXT[ink.theme_of(self.frame.dark)]

    def pixels(self, x: Any, y: Any) -> np.ndarray:
        """Return the places (n, 2) of values, in pixels; nan where there is none."""
        across, up = self.x.numbers(x), self.y.numbers(y)
        return np.column_stack([self.frame.x(across), self.frame.y(up)])  # type: ignore[arg-type]


def scatter(trace: Any, plot: Plot, floor: np.ndarray | None) -> Iterator[Markup]:
    """Yield a scatter trace; `floor` (n, 2) are the pixels of the line that a band reaches down to."""
    places, mode = plot.pixels(trace.x, trace.y), trace.mode or "lines+markers"
    line = within(steps(places) if trace.line.shape == "hv" else places, plot.frame)
    if trace.fill == "tonexty" and floor is not None and len(line):
        area = [*thin(within(floor, plot.frame)).tolist(), *thin(line)[::-1].tolist()]
        yield svg.element("path", d=f"{svg.way(area)}Z", fill=trace.fillcolor)
    if "lines" in mode and trace.line.width != 0:
        yield from _line(line, trace)
    yield from _arms(places, trace, plot)
    if "markers" in mode:
        yield from _dots(places, trace)
    if "text" in mode:
        yield from _words(places, trace, plot.text)


def steps(places: np.ndarray) -> np.ndarray:
    """Return the corners of a line of steps through the places (n, 2): across first, then up."""
    if len(places) < 2:
        return places
    corners = np.column_stack([places[1:, 0], places[:-1, 1]])
    return np.vstack([places[:1], np.stack([corners, places[1:]], axis=1).reshape(-1, 2)])


def within(places: np.ndarray, frame: Frame) -> np.ndarray:
    """Return the places (n, 2) of a line, cut off at the frame's top and floor, which a band may go beyond."""
    return np.column_stack([places[:, 0], np.clip(places[:, 1], frame.top, frame.floor)])


def thin(places: np.ndarray) -> np.ndarray:
    """Return at most about `MOST_POINTS` of the places, the last one among them."""
    every = len(places) // MOST_POINTS + 1
    return places if every == 1 else np.vstack([places[:-1:every], places[-1:]])


def _line(places: np.ndarray, trace: Any) -> Iterator[Markup]:
    """Yield the line, in parts where values are missing."""
    is_known = np.isfinite(places).all(axis=1)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_known, [False]]).astype(int)))
    dash = trace.line.dash or "solid"
    dashes = DASHES[dash] if dash in DASHES else dash.replace("px", "").replace(",", " ")
    for first, last in zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True):
        if last - first > 1:
            width = trace.line.width or 2
            yield svg.line(
                thin(places[first:last]).tolist(), trace.line.color, stroke_width=width, stroke_dasharray=dashes
            )


def _of(value: Any, n: int, default: Any) -> list[Any]:
    """Return a property of n marks, which may be one for all of them."""
    if value is None:
        return [default] * n
    return list(value) if isinstance(value, tuple | list | np.ndarray) else [value] * n


def _shaded_dots(places: np.ndarray, marker: Any) -> Iterator[Markup]:
    """Yield dots of one size whose colours tell numbers: a path for each shade, since there may be thousands."""
    values = numbers_of(marker.color)
    low, high = float(marker.cmin), float(marker.cmax)
    shade = np.clip((values - low) / ((high - low) or 1.0) * SHADES, 0, SHADES - 1).astype(int)
    is_known = np.isfinite(places).all(axis=1)
    yield _round_dots(places[is_known], marker.line.color, marker.size + 2 * (marker.line.width or 0))
    for k in range(SHADES):
        colour = "#" + "".join(f"{c:02X}" for c in _mix(np.array([(k + 0.5) / SHADES]), marker.colorscale)[0])
        if len(some := places[is_known & (shade == k)]):
            yield _round_dots(some, colour, marker.size)


def _round_dots(places: np.ndarray, colour: str, size: float) -> Markup:
    path = "".join(f"{svg.way([place])}h0" for place in places.tolist())
    return svg.element("path", d=path, fill="none", stroke=colour, stroke_width=size, stroke_linecap="round")


def _mix(share: np.ndarray, scale: Any) -> np.ndarray:
    """Return the colours (…, 3) uint8 at shares of a colour scale."""
    stops, colours = [float(stop[0]) for stop in scale], np.array([ink.rgb(stop[1]) for stop in scale], float)
    channels = np.stack([np.interp(share, stops, colours[:, k]) for k in range(3)], axis=-1)
    return np.round(np.nan_to_num(channels)).astype(np.uint8)


def _dots(places: np.ndarray, trace: Any) -> Iterator[Markup]:
    marker, n = trace.marker, len(places)
    if marker.colorscale is not None:
        yield from _shaded_dots(places, marker)
        return
    each = (
        _of(marker.color, n, trace.line.color), _of(marker.size, n, 6), _of(marker.opacity, n, None),
        _of(marker.symbol, n, "circle"),
    )  # fmt: skip
    rim = {"stroke": marker.line.color, "stroke_width": marker.line.width} if marker.line.width else {}
    for (x, y), colour, size, opacity, symbol in zip(places.tolist(), *each, strict=True):
        if np.isfinite([x, y]).all() and size:
            is_open = symbol.endswith("-open")
            style = {"fill": "none", "stroke": colour, "stroke_width": 1.5} if is_open else {"fill": colour, **rim}
            yield mark(x, y, symbol.removesuffix("-open"), size / 2, **style, opacity=opacity)


def mark(x: float, y: float, symbol: str, radius: float, **style: Any) -> Markup:
    """Return a mark of Plotly's name around a place; names that it does not know are circles."""
    if symbol not in TURNS:
        return svg.element("circle", cx=x, cy=y, r=radius, **style)
    n = TURNS[symbol]
    turns = FIRST_TURN[symbol] + 2 * np.pi * np.arange(n) / n
    reach = 1.3 * radius
    corners = np.column_stack([x + reach * np.cos(turns), y + reach * np.sin(turns)]).tolist()
    return svg.element("path", d=f"{svg.way(corners)}Z", **style)


def _arms(places: np.ndarray, trace: Any, plot: Plot) -> Iterator[Markup]:
    """Yield the lines from the low to the high end of each value's interval."""
    for side in "xy":
        arms = trace[f"error_{side}"]
        more = numbers_of(arms.array)
        if not len(more):
            continue
        less = more if arms.arrayminus is None else numbers_of(arms.arrayminus)
        axis = plot.x if side == "x" else plot.y
        values, to_pixel = axis.numbers(trace[side]), plot.frame.x if side == "x" else plot.frame.y
        for k, (low, high) in enumerate(zip((values - less).tolist(), (values + more).tolist(), strict=True)):
            ends = np.array([places[k], places[k]])
            ends[:, 0 if side == "x" else 1] = to_pixel(low), to_pixel(high)
            if np.isfinite(ends).all() and low != high:
                yield svg.line(ends.tolist(), arms.color, stroke_width=arms.thickness or 1)


def _words(places: np.ndarray, trace: Any, usual: str) -> Iterator[Markup]:
    colours = _of(trace.textfont.color, len(places), usual)
    is_beside = "right" in (trace.textposition or "")
    for (x, y), text, colour in zip(places.tolist(), _of(trace.text, len(places), ""), colours, strict=True):
        if np.isfinite([x, y]).all():
            anchor = "start" if is_beside else "middle"
            yield from lines_of_text((x + 9 * is_beside, y + 4), text, colour, text_anchor=anchor)


def lines_of_text(place: tuple[float, float], text: Any, fill: str, **style: Any) -> Iterator[Markup]:
    """Yield the lines of a text around a place, the middle one there."""
    lines = str(text or "").split("<br>")
    first = place[1] - LINE * (len(lines) - 1) / 2
    for k, words in enumerate(lines):
        yield svg.text(place[0], first + LINE * k, plain_text(words), fill, **style)


def bar_marks(traces: Sequence[Any], plot: Plot, layout: Any) -> Iterator[Markup]:
    """Yield the bars of all bar traces, on top of each other where the figure stacks them."""
    gap = BAR_GAP if layout.bargap is None else layout.bargap
    feet: dict[float, float] = {}
    faint = ink.FAINT[ink.theme_of(plot.frame.dark)]
    for trace in traces:
        lies = trace.orientation == "h"
        at, length = (trace.y, trace.x) if lies else (trace.x, trace.y)
        where = (plot.y if lies else plot.x).numbers(at)
        n = len(where)
        colours, texts = _of(trace.marker.color, n, faint), _of(trace.text, n, "")
        for place, size, colour, text in zip(
            where.tolist(), numbers_of(length).tolist(), colours, texts, strict=True
        ):
            foot = feet.get(place, 0.0) if layout.barmode == "stack" else 0.0
            feet[place] = foot + size
            ends = ((foot, place - (1 - gap) / 2), (foot + size, place + (1 - gap) / 2))
            corners = [end if lies else end[::-1] for end in ends]
            yield from _bar(corners, plot, colour, text, trace.textfont.color or ink.readable_on(colour))
        yield from _arms(plot.pixels(trace.x, trace.y), trace, plot)


def _bar(ends: Sequence[Sequence[float]], plot: Plot, colour: str, text: str, fill: str) -> Iterator[Markup]:
    """Yield one bar between two corners, in the numbers of the axes, with its words inside."""
    (x1, x2), (y1, y2) = (
        sorted(map(plot.frame.x, (ends[0][0], ends[1][0]))),
        sorted(map(plot.frame.y, (ends[0][1], ends[1][1]))),
    )
    yield svg.rectangle((x1, y1, x2 - x1, y2 - y1), colour)
    if text:
        place = ((x1 + x2) / 2, (y1 + y2) / 2 + 4)
        yield from lines_of_text(place, text, fill, text_anchor="middle")


def cells(trace: Any, plot: Plot) -> Markup:
    """Return the cells of a heatmap as one picture with sharp pixels; cells without a value are paper."""
    z = np.array([[np.nan if value is None else value for value in row] for row in trace.z], float)
    low = float(np.nanmin(z)) if trace.zmin is None else trace.zmin
    high = float(np.nanmax(z)) if trace.zmax is None else trace.zmax
    share = (z - low) / ((high - low) or 1.0)
    paper = np.array(ink.rgb(ink.PAPER[ink.theme_of(plot.frame.dark)]), np.uint8)
    pixels = np.where(np.isnan(share)[..., None], paper, _mix(share, trace.colorscale))
    frame, (rows, columns) = plot.frame, z.shape
    left, right = sorted((frame.x(-0.5), frame.x(columns - 0.5)))
    top, floor = sorted((frame.y(-0.5), frame.y(rows - 0.5)))
    if frame.y(0) > frame.y(1):
        pixels = pixels[::-1]
    return svg.element(
        "image", x=left, y=top, width=right - left, height=floor - top, preserveAspectRatio="none",
        style="image-rendering: pixelated",
        href=f"data:image/png;base64,{base64.b64encode(png(np.ascontiguousarray(pixels))).decode()}",
    )  # fmt: skip
