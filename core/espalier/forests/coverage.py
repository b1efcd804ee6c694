"""Stated coverage of a forest's intervals against the coverage that was measured, as a small picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from espalier.display import ink, svg
from espalier.display.svg import Frame
from espalier.display.theme import percent
from espalier.forests.error_curve import side_colour
from espalier.forests.intervals import IntervalCoverage
from espalier.language import say

SIZE = WIDTH, HEIGHT = 540, 270
MARGINS = (60, 90, 14, 42)  # left, right, top, bottom
LABEL_GAP = 17  # least distance between the names of two lines
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class CoverageLine(NamedTuple):
    """The coverage of a forest's intervals."""

    name: str  # "A"
    side: int  # 0: forest A, 1: forest B
    found: IntervalCoverage


def coverage_curve(lines: Sequence[CoverageLine], dark: bool) -> str:
    """Return the SVG of measured coverage over stated coverage; on the dashed diagonal both are equal."""
    frame = Frame(SIZE, MARGINS, (0.0, 1.0), (0.0, 1.0), dark, 0.75)
    return svg.picture([*_axes(frame), *_curves(lines, frame)], SIZE, 13)


def _axes(frame: Frame) -> Iterator[str]:
    yield from frame.grid(SHARES, percent)
    yield from frame.ticks(SHARES, percent, 16)
    yield frame.title_below(say("stated coverage"), 6)
    yield frame.title_beside(say("measured coverage"), 12)
    ends = [(frame.x(0.0), frame.y(0.0)), (frame.x(1.0), frame.y(1.0))]
    yield svg.line(ends, ink.TEXT[ink.theme_of(frame.dark)], stroke_dasharray=svg.DASHES, stroke_opacity=0.6)


def _curves(lines: Sequence[CoverageLine], frame: Frame) -> Iterator[str]:
    ends = [frame.y(float(line.found.measured[-1])) for line in lines]
    for line, height in zip(lines, svg.apart(ends, LABEL_GAP), strict=True):
        colour = side_colour(line.side, frame.dark)
        pairs = zip(line.found.stated.tolist(), line.found.measured.tolist(), strict=True)
        points = [(frame.x(stated), frame.y(measured)) for stated, measured in pairs]
        yield svg.line(points, colour, stroke_width=2)
        yield from (svg.circle(*point, 3, colour) for point in points)
        yield svg.text(frame.right + 9, height, line.name, ink.TEXT[ink.theme_of(frame.dark)], dy=4)


def coverage_alt(lines: Sequence[CoverageLine]) -> str:
    """Return the picture in sentences: the measured coverage of the widest intervals of each forest."""
    sentences = [
        say(
            "{forest}: intervals that state {stated} hold {measured} of the rows.",
            forest=line.name,
            stated=percent(float(line.found.stated[-1])),
            measured=percent(float(line.found.measured[-1])),
        )
        for line in lines
    ]
    return " ".join(sentences)
