"""New rows as marks on a strip, from those that the model is sure of to those that it doubts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.svg import DASHES, Markup, circle, element, line, picture, text, way
from espalier.display.theme import count, number
from espalier.inert import shortened
from espalier.language import say
from espalier.new_rows.scoring import ScoredRowSet

WIDTH, HIGHEST = 760, 156  # pixels of the strip
TOP, BELOW, BESIDE = 80, 28, 8  # pixels of the legend, of the words below, and at either side
PHONE, LETTER = (
    390,
    7.2,
)  # pixels that a phone shows before it scrolls, and of a letter: no words lie across that edge
PITCHES = (30, 20, 14, 10)  # pixels from mark to mark: the largest that has room for all rows
MOST_NAMED, LONGEST_NAME = 6, 16  # classes in the legend, and letters of their names


def certainty_picture(scoring: ScoredRowSet, dataset: Dataset) -> Picture:
    """Return the rows, stacked by doubt: in the colour of their answer, and with another shape for an expert."""
    n, n_handed = len(scoring.said.doubt), int(scoring.handover.is_for_expert.sum())
    words = say(
        "{n} rows by the doubt of their answers, from {least} to {most}; {handed} are marked for an expert.",
        n=count(n),
        least=number(float(scoring.said.doubt.min())),
        most=number(float(scoring.said.doubt.max())),
        handed=count(n_handed),
    )
    return Picture(partial(_draw_certainty, scoring, dataset), words)


def _draw_certainty(scoring: ScoredRowSet, dataset: Dataset, dark: bool) -> str:
    doubt, threshold, fill = scoring.said.doubt, scoring.handover.threshold, ink.TEXT[ink.theme_of(dark)]
    n_sure = int(np.count_nonzero(doubt <= threshold))
    pitch, column = _columns(len(doubt), n_sure)
    order = np.argsort(doubt, kind="stable")
    is_classes = dataset.is_classification
    code = scoring.said.prediction[order].astype(int) if is_classes else np.full(len(order), -1)
    each_row = np.column_stack((column, scoring.handover.is_for_expert[order], code))
    kinds, n_rows = np.unique(each_row, axis=0, return_counts=True)
    each = -(-int(np.bincount(kinds[:, 0], n_rows).max()) * pitch // HIGHEST)
    n_marks, heights, parts = -(-n_rows // each), [0] * (int(kinds[:, 0].max()) + 1), []
    floor = TOP + int(np.bincount(kinds[:, 0], n_marks).max()) * pitch
    for (place, is_handed, code), n in zip(kinds.tolist(), n_marks.tolist(), strict=True):
        colour = fill if code < 0 else ink.answer_colour(dataset.target, code, dark)
        for _ in range(n):
            heights[place] += 1
            at = BESIDE + (place + 0.5) * pitch, floor - (heights[place] - 0.5) * pitch
            parts.append(_mark(*at, pitch, colour, fill if is_handed else ""))
    end = BESIDE + len(heights) * pitch
    parts.append(line([(BESIDE, floor), (end, floor)], ink.LINE[ink.theme_of(dark)]))
    words = [(BESIDE, say("sure: doubt {least}", least=number(float(doubt.min()))), "start")]
    if n_sure < len(doubt):
        words.append((max(end, BESIDE + 330), say("in doubt: {most}", most=number(float(doubt.max()))), "end"))
        x = BESIDE + (column[n_sure] if n_sure else 0) * pitch
        parts.append(line([(x, TOP - 18), (x, floor + 6)], fill, stroke_dasharray=DASHES))
        limit = say("for an expert")
        if np.isfinite(threshold):
            limit = say("for an expert above {threshold}", threshold=number(threshold))
        wide = LETTER * len(limit)
        side, apart = ("end", -6) if wide < x <= PHONE or x + wide > WIDTH else ("start", 6)
        parts.append(text(x + apart, TOP - 8, limit, fill, text_anchor=side))
    parts += [text(x, floor + 20, label, fill, text_anchor=side) for x, label, side in words]
    return picture([*parts, *_legend(dataset, each, dark)], (WIDTH, floor + BELOW), font_size=14)


def _columns(n: int, n_sure: int) -> tuple[int, np.ndarray]:
    """Return the pixels from mark to mark, and the column of each of n rows in the order of their doubt.

    Columns are equally high; those of the rows that are too doubtful begin after the `n_sure` others.
    """
    heights = {pitch: -(-n // ((WIDTH - 2 * BESIDE) // pitch - 1)) for pitch in PITCHES}
    pitch = next((pitch for pitch, high in heights.items() if high * pitch <= HIGHEST), PITCHES[-1])
    high = heights[pitch]
    sure = np.arange(n_sure) // high
    return pitch, np.concatenate((sure, -(-n_sure // high) + np.arange(n - n_sure) // high))


def _mark(x: float, y: float, pitch: float, fill: str, edge: str) -> Markup:
    """Return a disc, or with an edge a triangle: of a row for an expert."""
    half = 0.46 * pitch
    if not edge:
        return circle(x, y, 0.9 * half, fill)
    corners = way([(x, y - half), (x + half, y + 0.85 * half), (x - half, y + 0.85 * half)])
    return element("path", d=f"{corners} Z", fill=fill, stroke=edge, stroke_width=1.3, stroke_linejoin="round")


def _legend(dataset: Dataset, each: int, dark: bool) -> Iterator[str]:
    """Yield the meaning of shapes and colours, and how many rows a mark stands for where that is not one."""
    fill = ink.TEXT[ink.theme_of(dark)]
    names = [shortened(name, LONGEST_NAME) for name in dataset.classes[:MOST_NAMED]]
    classes = [("", ink.answer_colour(dataset.target, code, dark), name) for code, name in enumerate(names)]
    shapes = [("", fill, say("the model answers")), (fill, fill, say("for an expert"))]
    for y, entries in ((10, shapes), (34, classes)):
        x = BESIDE + 6.0
        for edge, colour, words in entries:
            yield _mark(x, y, 14, colour, edge)
            yield text(x + 11, y + 5, words, fill)
            x += 34 + LETTER * len(words)
    if each > 1:
        yield text(WIDTH - BESIDE, 15, say("a mark: up to {n} rows", n=count(each)), fill, text_anchor="end")
