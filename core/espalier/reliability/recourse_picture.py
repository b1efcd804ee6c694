"""The region of recourse as a picture: what would be said over two columns, from the row to its change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.boundaries.plane import named_value
from espalier.display.svg import Frame, round_numbers
from espalier.display.theme import rounded_to
from espalier.language import say
from espalier.reliability.explanation_pictures import WIDTH, ExplanationInputs, colour_of
from espalier.reliability.recourse import RecoursePlane

HEIGHT = 330
MARGINS = (76, 10, 8, 44)  # left, right, top, bottom
FONT_SIZE = 12.5
SAME, SHUT = 0.35, 0.12  # how strong colours are where the answer is the same, and where the row may not go
MOST_TICKS, MOST_LETTERS = 5, 9


def picture(look: ExplanationInputs, plane: RecoursePlane) -> str:
    """Return SVG of the plane: strong where the answer is another and the row may go, with the way there."""
    ends = [(float(edges[0]), float(edges[-1])) for edges in plane.edges]
    frame = Frame((WIDTH, HEIGHT), MARGINS, ends[0], ends[1], look.dark)
    parts = [*_cells(look, plane, frame), *_way(look, plane, frame), *_axes(look, plane, frame)]
    return svg.picture(parts, frame.size, FONT_SIZE)


def _cells(look: ExplanationInputs, plane: RecoursePlane, frame: Frame) -> Iterator[str]:
    """Yield the cells, those of one colour beside each other as one."""
    x, y = (
        [scale(float(edge)) for edge in edges]
        for scale, edges in zip((frame.x, frame.y), plane.edges, strict=True)
    )
    for row in range(len(plane.answers)):
        colours = [_colour(look, plane, row, column) for column in range(plane.answers.shape[1])]
        first = 0
        for i in range(1, len(colours) + 1):
            if i == len(colours) or colours[i] != colours[first]:
                box = (x[first], y[row + 1], x[i] - x[first] + 0.3, y[row] - y[row + 1] + 0.3)
                yield svg.rectangle(box, colours[first], shape_rendering="crispEdges")
                first = i


def _colour(look: ExplanationInputs, plane: RecoursePlane, row: int, column: int) -> str:
    colour = colour_of(look, plane.answers[row, column])
    if not plane.is_allowed[row, column]:
        return ink.mixed(colour, ink.PAPER[look.theme], SHUT)
    return colour if plane.is_other[row, column] else ink.mixed(colour, ink.PAPER[look.theme], SAME)


def _way(look: ExplanationInputs, plane: RecoursePlane, frame: Frame) -> Iterator[str]:
    """Yield the row, the change, and a line from one to the other."""
    ends = [(frame.x(x), frame.y(y)) for x, y in (plane.now, plane.then)]
    paper, text = ink.PAPER[look.theme], ink.TEXT[look.theme]
    yield svg.line(ends, paper, stroke_width=5)
    yield svg.line(ends, text, stroke_width=2)
    yield svg.circle(*ends[1], 5.5, paper, stroke=text, stroke_width=2.4)
    yield svg.circle(*ends[0], 5.5, text, stroke=paper, stroke_width=1.5)


def _axes(look: ExplanationInputs, plane: RecoursePlane, frame: Frame) -> Iterator[str]:
    across, up = (look.dataset.features[f] for f in plane.features)
    for value, words in _ticks(across, plane.edges[0]):
        yield frame.words(frame.x(value), frame.floor + 16, words, text_anchor="middle")
    for value, words in _ticks(up, plane.edges[1]):
        yield frame.words(frame.left - 6, frame.y(value), words, dy=4, text_anchor="end")
    yield frame.title_below(svg.shortened(across.name, 50), 6, font_weight="bold")
    yield frame.title_beside(svg.shortened(up.name, 36), 12)


def _ticks(feature: Feature, edges: np.ndarray) -> list[tuple[float, str]]:
    if feature.categories:
        return [(float(i), svg.shortened(name, MOST_LETTERS)) for i, name in enumerate(feature.categories)]
    values = round_numbers(float(edges[0]), float(edges[-1]), MOST_TICKS, 1.0 if feature.is_whole else 0.0)
    return list(zip(values, map(rounded_to(values), values), strict=True))


def alt(look: ExplanationInputs, plane: RecoursePlane) -> str:
    """Return the picture in words: from where to where."""
    now, then = (_place(look, plane, place) for place in (plane.now, plane.then))
    return say("What would be said over two columns; from {now} to {then}.", now=now, then=then)


def _place(look: ExplanationInputs, plane: RecoursePlane, place: tuple[float, float]) -> str:
    features = [look.dataset.features[f] for f in plane.features]
    return ", ".join(named_value(f, value) for f, value in zip(features, place, strict=True))
