"""Error against the number of trees, as a small picture: it is drawn anew while trees arrive."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.views import ink
from espalier.views.theme import FONT, class_colours, number, percent

WIDTH, HEIGHT = 540, 270
LEFT, RIGHT, TOP, BOTTOM = 60, 142, 14, 42  # margins: numbers of the axes, and what the lines are
LABEL_GAP = 17  # between the names of two lines, at least
MOST_POINTS = 400  # of a line; of more, evenly some and the last

SECOND = 5  # of the palette: forest B; forest A has the colour of text, since no class has that


class ErrorLine(NamedTuple):
    """The error of the first 1, 2, … trees of a forest."""

    name: str  # "A, out of bag"
    side: int  # 0: forest A, 1: forest B
    errors: np.ndarray  # (n_trees,) float64; nan where there is none
    dashed: bool = False


class ErrorCurveFrame(NamedTuple):
    """What the picture has room for."""

    trees: int
    low: float
    high: float
    dark: bool
    is_share: bool  # whether errors are shares, written in percent

    def x(self, tree: float) -> float:
        """Pixel of a number of trees."""
        return LEFT + (WIDTH - LEFT - RIGHT) * (tree - 1) / max(self.trees - 1, 1)

    def y(self, error: float) -> float:
        """Pixel of an error."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (error - self.low) / (self.high - self.low))

    def written(self, error: float) -> str:
        """An error as the axis and the lines' names have it."""
        return percent(error) if self.is_share else number(error)


def side_colour(side: int, dark: bool) -> str:
    """The colour of forest A (0) or B (1), in this and other pictures."""
    theme = ink.theme_of(dark)
    return class_colours(SECOND + 1)[theme][SECOND] if side else ink.TEXT[theme]


def error_curve(lines: Sequence[ErrorLine], n_trees: int, is_share: bool, dark: bool) -> str:
    """SVG of the lines over 1 to `n_trees`, of which there may be fewer yet; `is_share`: errors are shares."""
    frame = _frame(lines, n_trees, is_share, dark)
    parts = [*_grid(frame), *_curves(lines, frame)]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="{FONT}" '
        f'font-size="13" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _frame(lines: Sequence[ErrorLine], n_trees: int, is_share: bool, dark: bool) -> ErrorCurveFrame:
    known = np.concatenate([np.empty(0), *(line.errors[np.isfinite(line.errors)] for line in lines)])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    pad = 0.08 * (high - low) or 0.1 * high or 0.5
    return ErrorCurveFrame(max(n_trees, 2), max(low - pad, 0.0), high + pad, dark, is_share)


def _grid(frame: ErrorCurveFrame) -> Iterator[str]:
    theme = ink.theme_of(frame.dark)
    text = f'fill="{ink.TEXT[theme]}" opacity="0.75"'
    for value in round_numbers(frame.low, frame.high, 5):
        y = _short(frame.y(value))
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{ink.LINE[theme]}" stroke-opacity="0.35"/>'
        yield f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end" {text}>{frame.written(value)}</text>'
    for value in sorted({1.0, *(v for v in round_numbers(1, frame.trees, 6) if v == int(v) and v > 1)}):
        place = f'x="{_short(frame.x(value))}" y="{HEIGHT - BOTTOM + 16}"'
        yield f'<text {place} text-anchor="middle" {text}>{number(value)}</text>'
    middle = _short((LEFT + WIDTH - RIGHT) / 2)
    yield f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle" {text}>trees</text>'
    upright = f"translate(12 {_short((TOP + HEIGHT - BOTTOM) / 2)}) rotate(-90)"
    yield f'<text transform="{upright}" text-anchor="middle" {text}>error</text>'


def _curves(lines: Sequence[ErrorLine], frame: ErrorCurveFrame) -> Iterator[str]:
    there = [line for line in lines if np.isfinite(line.errors).any()]
    ends = [frame.y(_last(line)[1]) for line in there]
    for line, y in zip(there, apart(ends, LABEL_GAP), strict=True):
        colour = side_colour(line.side, frame.dark)
        dash = ' stroke-dasharray="5 3"' if line.dashed else ""
        style = f'fill="none" stroke="{colour}" stroke-width="2"{dash}'
        yield f'<path d="M{" L".join(_points(line, frame))}" {style}/>'
        tree, error = _last(line)
        dot = f'cx="{_short(frame.x(tree))}" cy="{_short(frame.y(error))}" r="3" fill="{colour}"'
        words = f"{html.escape(line.name)} {frame.written(error)}"
        place = f'x="{WIDTH - RIGHT + 9}" y="{_short(y)}" dy="4"'
        if frame.x(tree) < WIDTH - RIGHT - 1 or abs(frame.y(error) - y) > 1:  # from the line's end to its name
            way = f"M{_short(frame.x(tree))} {_short(frame.y(error))}L{WIDTH - RIGHT + 6} {_short(y)}"
            yield f'<path d="{way}" fill="none" stroke="{colour}" stroke-opacity="0.7" stroke-dasharray="1 3"/>'
        yield f'<circle {dot}/><text {place} fill="{ink.TEXT[ink.theme_of(frame.dark)]}">{words}</text>'


def _points(line: ErrorLine, frame: ErrorCurveFrame) -> list[str]:
    known = np.flatnonzero(np.isfinite(line.errors))
    every = len(known) // MOST_POINTS + 1
    shown = np.append(known[:-1:every], known[-1])
    return [f"{_short(frame.x(i + 1))} {_short(frame.y(float(line.errors[i])))}" for i in shown.tolist()]


def _last(line: ErrorLine) -> tuple[int, float]:
    """How many trees the last known error is of, and the error."""
    at = int(np.flatnonzero(np.isfinite(line.errors))[-1])
    return at + 1, float(line.errors[at])


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights moved as little down as keeps any two so far apart, then all up by half of what they moved."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    found, lowest = list(heights), -math.inf
    for i in order:
        found[i] = lowest = max(heights[i], lowest + gap)
    moved = max((new - old for new, old in zip(found, heights, strict=True)), default=0.0) / 2
    return [y - moved for y in found]


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high`, at most about so many."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(factor * power for factor in (1, 2, 5, 10) if (high - low) / (factor * power) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def curve_alt(lines: Sequence[ErrorLine], is_share: bool) -> str:
    """The picture in sentences: where each line begins, and where it ends."""
    said = []
    for line in lines:
        if np.isfinite(line.errors).any():
            trees, last = _last(line)
            first = float(line.errors[np.isfinite(line.errors)][0])
            ends = [percent(v) if is_share else number(v) for v in (first, last)]
            said.append(f"{line.name}: error {ends[0]} at first, {ends[1]} with {trees} trees.")
    return " ".join(said) or "No tree is complete yet."


def _short(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")
