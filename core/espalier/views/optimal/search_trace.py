"""The race of a search for the best tree: the best one found and the proved bound, closing in on each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from espalier.views import ink
from espalier.views.theme import FONT, class_colours, number

WIDTH, HEIGHT = 520, 190
LEFT, RIGHT, TOP, BOTTOM = 44, 108, 12, 26  # margins: numbers of the axes, and what the lines are
LABEL_GAP = 15  # between the texts at the ends of the two lines, at least
MOST_STEPS = 400  # of a line; of more, evenly some and the last

Trace = Sequence[tuple[float, float, float]]  # (seconds, best objective, lower bound), at each change


class SearchTraceFrame(NamedTuple):
    """What the picture has room for."""

    seconds: float
    high: float
    theme: str

    def x(self, seconds: float) -> str:
        """Pixel of a time."""
        return _short(LEFT + (WIDTH - LEFT - RIGHT) * seconds / self.seconds)

    def y(self, value: float) -> str:
        """Pixel of an objective or a bound."""
        return _short(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / self.high))


def trace_picture(trace: Trace, seconds: float, dark: bool, unit: str = "errors") -> str:
    """SVG of the trace up to now (`seconds`), which may be empty; `unit` is what objectives count."""
    theme = ink.theme_of(dark)
    high = max((best for _, best, _ in trace), default=1.0)
    frame = SearchTraceFrame(
        max(seconds, *(at for at, _, _ in trace), 1.0) if trace else max(seconds, 1.0), high or 1.0, theme
    )
    parts = [*_grid(frame, unit), *(_lines(_thinned(trace), frame) if trace else ())]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="{FONT}" '
        f'font-size="12" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _grid(frame: SearchTraceFrame, unit: str) -> Iterator[str]:
    text = f'fill="{ink.TEXT[frame.theme]}" opacity="0.7"'
    for value in _ticks(frame.high, 4, least=float(unit == "errors")):
        y = frame.y(value)
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{ink.LINE[frame.theme]}" stroke-opacity="0.35"/>'
        yield f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end" {text}>{number(value)}</text>'
    for value in _ticks(frame.seconds, 5):
        word = f"{number(value)} s"
        yield f'<text x="{frame.x(value)}" y="{HEIGHT - 8}" text-anchor="middle" {text}>{word}</text>'
    yield f'<text transform="translate(11 {_short((TOP + HEIGHT - BOTTOM) / 2)}) rotate(-90)" ' + (
        f'text-anchor="middle" {text}>{unit}</text>'
    )


def _lines(trace: Trace, frame: SearchTraceFrame) -> Iterator[str]:
    """The gap between the two, each as steps, and their names with the latest values."""
    best, bound = ([(at, values[i]) for at, *values in trace] for i in (0, 1))
    best_colour, bound_colour = class_colours(2)[frame.theme]
    upper, lower = _steps(best, frame), _steps(bound, frame)
    back = "L" + " L".join(reversed(lower))
    yield f'<path d="M{" L".join(upper)} {back}Z" fill="{best_colour}" fill-opacity="0.12"/>'
    for points, colour, dash in ((upper, best_colour, ""), (lower, bound_colour, ' stroke-dasharray="5 3"')):
        yield f'<path d="M{" L".join(points)}" fill="none" stroke="{colour}" stroke-width="2.2"{dash}/>'
    ends = _apart(float(frame.y(best[-1][1])), float(frame.y(bound[-1][1])))
    named = (("best", best, best_colour), ("bound", bound, bound_colour))
    for (name, line, colour), y in zip(named, ends, strict=True):
        text = f'fill="{ink.TEXT[frame.theme]}"><tspan fill="{colour}">●</tspan> {name} {number(line[-1][1])}'
        yield f'<text x="{WIDTH - RIGHT + 6}" y="{_short(y)}" dy="4" {text}</text>'


def _steps(line: Sequence[tuple[float, float]], frame: SearchTraceFrame) -> list[str]:
    """Corners of a line that stays as it is until it changes, to the right end of the picture."""
    corners = [f"{frame.x(line[0][0])} {frame.y(line[0][1])}"]
    for (_, before), (at, value) in itertools.pairwise(line):
        corners += [f"{frame.x(at)} {frame.y(before)}", f"{frame.x(at)} {frame.y(value)}"]
    return [*corners, f"{frame.x(frame.seconds)} {frame.y(line[-1][1])}"]


def _thinned(trace: Trace) -> Trace:
    every = len(trace) // MOST_STEPS + 1
    return trace if every == 1 else [*trace[:-1:every], trace[-1]]


def _apart(upper: float, lower: float) -> tuple[float, float]:
    """Both heights, moved apart where texts there would overlap."""
    short = max(LABEL_GAP - (lower - upper), 0) / 2
    return upper - short, lower + short


def _ticks(high: float, most: int, least: float = 0.0) -> list[float]:
    """Round numbers from 0 to `high`, about `most` of them and at least so far apart."""
    power = 10.0 ** math.floor(math.log10(high / most))
    step = max(next(factor * power for factor in (1, 2, 5, 10) if high / (factor * power) <= most), least)
    return [i * step for i in range(int(high / step * (1 + 1e-9)) + 1)]


def trace_alt(trace: Trace, unit: str = "errors") -> str:
    """The picture in a sentence."""
    if not trace:
        return "The search has found no tree yet."
    seconds, best, bound = trace[-1]
    return (
        f"From {number(trace[0][1])} to {number(best)} {unit} in {number(seconds)} s; "
        f"the proved bound rose from {number(trace[0][2])} to {number(bound)}."
    )


def _short(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")
