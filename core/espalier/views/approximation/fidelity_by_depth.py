"""Fidelity of a tree against its depth, as a small picture with a mark where it is enough."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.approximation.fidelity import FidelityLevel
from espalier.views import ink
from espalier.views.forests.error_curve import LABEL_GAP, apart, round_numbers, side_colour
from espalier.views.theme import FONT, number, percent

WIDTH, HEIGHT = 430, 270
LEFT, RIGHT, TOP, BOTTOM = 56, 132, 30, 42  # margins: numbers of the axes, and what the lines are


class Measure(NamedTuple):
    """What is drawn of a fidelity."""

    key: str  # field of `Fidelity`
    title: str
    is_share: bool

    def written(self, value: float) -> str:
        """A value as a person writes it."""
        return percent(value) if self.is_share and value == value else number(round(value, 4))


class FidelityLine(NamedTuple):
    """The fidelity on some rows of the tree cut off at each depth."""

    name: str
    levels: Sequence[FidelityLevel]
    dashed: bool = False

    def values(self, measure: Measure) -> np.ndarray:
        """(n_levels,) float64."""
        return np.array([getattr(level.fidelity, measure.key) for level in self.levels])


class FidelityFrame(NamedTuple):
    """What the picture has room for."""

    measure: Measure
    deepest: int
    low: float
    high: float
    dark: bool

    def x(self, depth: float) -> float:
        """Pixel of a depth."""
        return LEFT + (WIDTH - LEFT - RIGHT) * depth / max(self.deepest, 1)

    def y(self, value: float) -> float:
        """Pixel of a value."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - self.low) / (self.high - self.low))


def measures(is_classification: bool) -> tuple[Measure, Measure]:
    """What is measured: how far apart the answers are, and how often, or how well, they agree."""
    if is_classification:
        return Measure("distance", "average gap in the chances", False), Measure(
            "agreement", "agrees with the model", True
        )
    return Measure("distance", "mean difference", False), Measure("agreement", "R² to the model", False)


def depth_curve(lines: Sequence[FidelityLine], measure: Measure, enough: int | None, dark: bool) -> str:
    """SVG of the lines, with a mark at the depth that is `enough`, if any is."""
    frame = _frame(lines, measure, dark)
    parts = [*_grid(frame), *([] if enough is None else _mark(frame, enough)), *_curves(lines, frame)]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="{FONT}" '
        f'font-size="13" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _frame(lines: Sequence[FidelityLine], measure: Measure, dark: bool) -> FidelityFrame:
    values = np.concatenate([np.empty(0), *(line.values(measure) for line in lines)])
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    low = 0.0 if measure.key == "distance" else low
    pad = 0.08 * (high - low) or 0.1 * abs(high) or 0.5
    top = high + pad if measure.key == "distance" else min(high + pad, 1.0) if high < 1 else high
    deepest = max((len(line.levels) - 1 for line in lines), default=1)
    return FidelityFrame(measure, deepest, low - (measure.key != "distance") * pad, top, dark)


def _grid(frame: FidelityFrame) -> Iterator[str]:
    theme = ink.theme_of(frame.dark)
    text = f'fill="{ink.TEXT[theme]}" opacity="0.75"'
    for value in round_numbers(frame.low, frame.high, 5):
        y = _short(frame.y(value))
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{ink.LINE[theme]}" stroke-opacity="0.35"/>'
        yield f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end" {text}>{frame.measure.written(value)}</text>'
    for depth in range(frame.deepest + 1):
        place = f'x="{_short(frame.x(depth))}" y="{HEIGHT - BOTTOM + 17}"'
        yield f'<text {place} text-anchor="middle" {text}>{depth}</text>'
    middle = _short((LEFT + WIDTH - RIGHT) / 2)
    yield f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle" {text}>questions, at most</text>'


def _mark(frame: FidelityFrame, enough: int) -> Iterator[str]:
    x, theme = _short(frame.x(enough)), ink.theme_of(frame.dark)
    colour = side_colour(1, frame.dark)
    style = f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="2 3"'
    yield f'<path d="M{x} {TOP - 6}V{HEIGHT - BOTTOM}" {style}/>'
    place = f'x="{x}" y="{TOP - 12}" text-anchor="{"end" if enough == frame.deepest else "middle"}"'
    yield f'<text {place} fill="{ink.TEXT[theme]}">enough</text>'


def _curves(lines: Sequence[FidelityLine], frame: FidelityFrame) -> Iterator[str]:
    colour, theme = ink.accent(frame.dark), ink.theme_of(frame.dark)
    there = [line for line in lines if np.isfinite(line.values(frame.measure)).any()]
    last = [float(line.values(frame.measure)[-1]) for line in there]
    for line, y, value in zip(there, apart([frame.y(v) for v in last], 2 * LABEL_GAP), last, strict=True):
        dash = ' stroke-dasharray="5 3"' if line.dashed else ""
        spots = [
            (_short(frame.x(d)), _short(frame.y(v))) for d, v in enumerate(line.values(frame.measure).tolist())
        ]
        way = " L".join(f"{x} {y}" for x, y in spots)
        yield f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        yield "".join(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in spots)
        words = f'x="{WIDTH - RIGHT + 10}" fill="{ink.TEXT[theme]}"'
        yield f'<text {words} y="{_short(y)}">{html.escape(line.name)}</text>'
        yield f'<text {words} y="{_short(y + 15)}" font-weight="700">{frame.measure.written(value)}</text>'


def alt(lines: Sequence[FidelityLine], measure: Measure, enough: int | None) -> str:
    """The picture in sentences."""
    said = []
    for line in lines:
        values = ", ".join(measure.written(v) for v in line.values(measure).tolist())
        said.append(f"{measure.title.capitalize()} on {line.name}, by depth from 0: {values}.")
    return " ".join([*said, *([] if enough is None else [f"Depth {enough} is enough."])])


def _short(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")
