"""Fidelity of a tree against its depth, as a small picture with a mark at the depth that is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.approximation.fidelity import FidelityLevel
from espalier.display import ink, svg
from espalier.display.svg import Frame
from espalier.display.theme import number, percent
from espalier.forests.error_curve import LABEL_GAP, side_colour
from espalier.language import say

SIZE = WIDTH, HEIGHT = 430, 270
MARGINS = (56, 152, 30, 42)  # left, right, top, bottom: numbers of the axes, and what the lines are


class Measure(NamedTuple):
    """A measure of fidelity, and how it is drawn."""

    key: str  # field of `Fidelity`
    title: str
    is_share: bool

    def written(self, value: float) -> str:
        """Return a value as a person writes it."""
        return percent(value) if self.is_share and value == value else number(round(value, 4))


class FidelityLine(NamedTuple):
    """The fidelity on some rows of the tree cut off at each depth."""

    name: str
    levels: Sequence[FidelityLevel]
    dashed: bool = False

    def values(self, measure: Measure) -> np.ndarray:
        """Return float64, (n_levels,)."""
        return np.array([getattr(level.fidelity, measure.key) for level in self.levels])


def measures(is_classification: bool) -> tuple[Measure, Measure]:
    """Return the measures: how far predictions are apart, and how often, or how well, they agree."""
    if is_classification:
        gap, agrees = say("average gap in the chances"), say("agrees with the model")
        return Measure("distance", gap, False), Measure("agreement", agrees, True)
    return Measure("distance", say("mean difference"), False), Measure("agreement", say("R² to the model"), False)


def depth_curve(lines: Sequence[FidelityLine], measure: Measure, enough: int | None, dark: bool) -> str:
    """Return the SVG of the lines, with a mark at the depth that is `enough`, if any is."""
    deepest = max((len(line.levels) - 1 for line in lines), default=1)
    frame = Frame(SIZE, MARGINS, (0, max(deepest, 1)), _ends(lines, measure), dark, 0.75)
    axes = [
        *frame.grid(svg.round_numbers(*frame.up, 5), measure.written),
        *frame.ticks(range(deepest + 1), str, 17),
        frame.title_below(say("questions, at most"), 6),
    ]
    mark = [] if enough is None else _mark(frame, enough, enough == deepest)
    return svg.picture([*axes, *mark, *_curves(lines, measure, frame)], SIZE, 13)


def _ends(lines: Sequence[FidelityLine], measure: Measure) -> tuple[float, float]:
    """Return the numbers at the lower and the upper end of the frame."""
    values = np.concatenate([np.empty(0), *(line.values(measure) for line in lines)])
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    low = 0.0 if measure.key == "distance" else low
    pad = 0.08 * (high - low) or 0.1 * abs(high) or 0.5
    if measure.key == "distance":
        return low, high + pad
    return low - pad, min(high + pad, 1.0) if high < 1 else high


def _mark(frame: Frame, enough: int, is_last: bool) -> Iterator[str]:
    x = frame.x(enough)
    ends = ((x, frame.top - 6), (x, frame.floor))
    yield svg.line(ends, side_colour(1, frame.dark), stroke_width=1.5, stroke_dasharray="2 3")
    anchor = "end" if is_last else "middle"
    yield svg.text(x, frame.top - 12, say("enough"), ink.TEXT[ink.theme_of(frame.dark)], text_anchor=anchor)


def _curves(lines: Sequence[FidelityLine], measure: Measure, frame: Frame) -> Iterator[str]:
    colour, text = ink.accent(frame.dark), ink.TEXT[ink.theme_of(frame.dark)]
    there = [line for line in lines if np.isfinite(line.values(measure)).any()]
    last = [float(line.values(measure)[-1]) for line in there]
    heights = svg.apart([frame.y(value) for value in last], 2 * LABEL_GAP)
    for line, y, value in zip(there, heights, last, strict=True):
        spots = [(frame.x(depth), frame.y(v)) for depth, v in enumerate(line.values(measure).tolist())]
        yield svg.line(spots, colour, stroke_width=2, stroke_dasharray=svg.DASHES if line.dashed else None)
        yield from (svg.circle(*spot, 3.5, colour) for spot in spots)
        yield svg.text(frame.right + 10, y, line.name, text)
        yield svg.text(frame.right + 10, y + 15, measure.written(value), text, font_weight=700)


def alt(lines: Sequence[FidelityLine], measure: Measure, enough: int | None) -> str:
    """Return the picture in sentences."""
    sentences = []
    for line in lines:
        values = ", ".join(measure.written(v) for v in line.values(measure).tolist())
        title = f"{measure.title[:1].upper()}{measure.title[1:]}"
        known = {"measure": title, "rows": line.name, "values": values}
        sentences.append(say("{measure} on {rows}, by depth from 0: {values}.", **known))
    return " ".join([*sentences, *([] if enough is None else [say("Depth {n} is enough.", n=enough)])])
