"""Error against the number of trees, as a small picture that is redrawn while trees arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.display import ink, svg
from espalier.display.svg import Frame, Reel, place
from espalier.display.theme import class_colours, number, percent
from espalier.language import say, to_say

SIZE = WIDTH, HEIGHT = 540, 270
MARGINS = (60, 142, 14, 42)  # left, right, top, bottom: numbers of the axes, and what the lines are
LABEL_GAP = 17  # least distance between the names of two lines
MOST_POINTS = 400  # of a line; of more, an even selection and the last

TREES = to_say("trees")
NOWHERE = (0.0, 0.0)  # where a line begins that has no points yet
SECOND = 5  # of the palette: forest B; forest A has the colour of text, since no class has that


class ErrorLine(NamedTuple):
    """The error of the first 1, 2, … trees of a forest."""

    name: str  # "A, out of bag"
    side: int  # 0: forest A, 1: forest B
    errors: np.ndarray  # (n_trees,) float64; nan where there is none
    dashed: bool = False


def side_colour(side: int, dark: bool) -> str:
    """Return the colour of forest A (0) or B (1), in this and other pictures."""
    theme = ink.theme_of(dark)
    return class_colours(SECOND + 1)[theme][SECOND] if side else ink.TEXT[theme]


def error_curve(lines: Sequence[ErrorLine], n_trees: int, is_share: bool, dark: bool, steps: str = TREES) -> str:
    """Return the SVG of the lines over 1 to `n_trees`, not all of which may be grown.

    `is_share`: errors are shares. `steps` names what is counted: trees, or the rounds of a sum.
    """
    frame, written = _frame(lines, n_trees, dark), percent if is_share else number
    return svg.picture([*_axes(frame, written, steps), *_curves(lines, frame, written)], SIZE, 13)


def _frame(lines: Sequence[ErrorLine], n_trees: int, dark: bool) -> Frame:
    known = np.concatenate([np.empty(0), *(line.errors[np.isfinite(line.errors)] for line in lines)])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    pad = 0.08 * (high - low) or 0.1 * high or 0.5
    return Frame(SIZE, MARGINS, (1, max(n_trees, 2)), (max(low - pad, 0.0), high + pad), dark, 0.75)


def _axes(frame: Frame, written: Callable[[float], str], steps: str) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 5), written)
    trees = svg.round_numbers(*frame.across, 6)
    yield from frame.ticks(sorted({1.0, *(n for n in trees if n == int(n) and n > 1)}), number, 16)
    yield frame.title_below(say(steps), 6)
    yield frame.title_beside(say("error"), 12)


def _curves(lines: Sequence[ErrorLine], frame: Frame, written: Callable[[float], str]) -> Iterator[str]:
    there = [line for line in lines if np.isfinite(line.errors).any()]
    ends = [frame.y(_last(line)[1]) for line in there]
    for line, y in zip(there, svg.apart(ends, LABEL_GAP), strict=True):
        colour, (tree, error) = side_colour(line.side, frame.dark), _last(line)
        dashes = svg.DASHES if line.dashed else None
        yield svg.line(_points(line, frame), colour, stroke_width=2, stroke_dasharray=dashes)
        end = frame.x(tree), frame.y(error)
        if end[0] < frame.right - 1 or abs(end[1] - y) > 1:  # from the line's end to its name
            leader = [end, (frame.right + 6, y)]
            yield svg.line(leader, colour, stroke_opacity=0.7, stroke_dasharray="1 3")
        yield svg.circle(*end, 3, colour)
        fill = ink.TEXT[ink.theme_of(frame.dark)]
        yield svg.text(frame.right + 9, y, f"{line.name} {written(error)}", fill, dy=4)


def _points(line: ErrorLine, frame: Frame) -> list[tuple[float, float]]:
    known = np.flatnonzero(np.isfinite(line.errors))
    if not len(known):
        return []
    every = len(known) // MOST_POINTS + 1
    shown = np.append(known[:-1:every], known[-1])
    return [(frame.x(i + 1), frame.y(float(line.errors[i]))) for i in shown.tolist()]


def reel(lines: Sequence[ErrorLine], counts: Sequence[int], is_share: bool, dark: bool) -> Reel:
    """Return the film of lines that grow: pale from end to end, and full up to each of these numbers of trees."""
    there = [line for line in lines if np.isfinite(line.errors).any()]
    frame = _frame(there, max(counts), dark)
    parts = [*_axes(frame, percent if is_share else number, TREES)]
    heights = svg.apart([frame.y(_last(line)[1]) for line in there], LABEL_GAP)
    for i, (line, y) in enumerate(zip(there, heights, strict=True)):
        colour, dashes = side_colour(line.side, dark), svg.DASHES if line.dashed else None
        parts.append(svg.line(_points(line, frame), colour, stroke_width=1.5, stroke_opacity=0.25))
        style = {"stroke": colour, "stroke_width": 2.5, "stroke_linejoin": "round", "stroke_dasharray": dashes}
        parts.append(svg.element("path", d=place(i), fill="none", **style))
        parts.append(svg.text(frame.right + 9, y, line.name, ink.TEXT[ink.theme_of(dark)], dy=4))
    some = [[line._replace(errors=line.errors[:n]) for line in there] for n in counts]
    frames = [[svg.way(_points(line, frame) or [NOWHERE]) for line in lines] for lines in some]
    return Reel(svg.picture(parts, SIZE, 13), frames, [curve_alt(lines, is_share) for lines in some])


def _last(line: ErrorLine) -> tuple[int, float]:
    """Return the number of trees of the last known error, and that error."""
    at = int(np.flatnonzero(np.isfinite(line.errors))[-1])
    return at + 1, float(line.errors[at])


def curve_alt(lines: Sequence[ErrorLine], is_share: bool, steps: str = TREES) -> str:
    """Return the picture in sentences: the beginning and the end of each line."""
    sentences = []
    for line in lines:
        if np.isfinite(line.errors).any():
            trees, last = _last(line)
            first = float(line.errors[np.isfinite(line.errors)][0])
            ends = [percent(v) if is_share else number(v) for v in (first, last)]
            sentences.append(
                say(
                    "{name}: error {first} at first, {last} with {n} {steps}.",
                    name=line.name,
                    first=ends[0],
                    last=ends[1],
                    n=trees,
                    steps=say(steps),
                )
            )
    return " ".join(sentences) or say("No tree is complete yet.")
