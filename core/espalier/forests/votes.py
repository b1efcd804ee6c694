"""The predictions of all trees of a forest for one sample: a strip of classes, or dots along a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.svg import Frame
from espalier.display.theme import colours_of, number, rounded_to
from espalier.language import say

WIDTH = 520
CELL, GAP = 24, 2  # pixels of a tree's cell, smaller in large forests, and of the gap
SMALL, MANY = 11, 200
DOT, BINS = 3.4, 60  # radius of a tree's number; stacks along the axis
PLOT_HEIGHT, AXIS = 150, 24
FONT_SIZE = 12


class Votes(NamedTuple):
    """The votes of a forest's trees for one sample."""

    value: np.ndarray  # (n_trees, n_outputs): class shares, or the number
    seen: np.ndarray  # (n_trees,) bool: trees that grew on the sample
    truth: float  # its class number, or the number
    answer: float  # the forest's prediction


def strip(votes: Votes, target: Feature, dark: bool) -> str:
    """Return the SVG of a cell per tree in the colour of its class, paler if it is less sure.

    Cells of trees that grew on the sample have a dot; those of trees that vote for a wrong class have a line
    below.
    """
    n = len(votes.value)
    cell = CELL if n <= MANY else SMALL
    abreast = max((WIDTH + GAP) // (cell + GAP), 1)
    height = -(-n // abreast) * (cell + GAP)
    palette, paper = colours_of(target)[ink.theme_of(dark)], ink.PAPER[ink.theme_of(dark)]
    winners = votes.value.argmax(axis=1).tolist()
    fills = [ink.mixed(palette[k], paper, float(votes.value[i, k])) for i, k in enumerate(winners)]
    step = cell + GAP
    cells = [_cell(votes, i, (i % abreast) * step, (i // abreast) * step, cell, fills[i]) for i in range(n)]
    return svg.picture((part for parts in cells for part in parts), (WIDTH, height), FONT_SIZE)


def _cell(votes: Votes, i: int, x: int, y: int, size: int, colour: str) -> Iterator[str]:
    yield svg.rectangle((x, y, size, size), colour, rx=2)
    mark = ink.readable_on(colour)
    if votes.seen[i]:
        yield svg.circle(x + size / 2, y + size / 2, size / 9, mark)
    if int(votes.value[i].argmax()) != votes.truth:
        below = [(end, y + size - 3) for end in (x + 3, x + size - 3)]
        yield svg.line(below, mark, stroke_width=1.6)


def dots(votes: Votes, target: Feature, dark: bool) -> str:
    """Return the SVG of a dot per tree over the axis of the target; the forest's mean and the truth as lines.

    Dots of trees that grew on the sample are hollow.
    """
    span = _span(np.append(votes.value[:, 0], [votes.truth, votes.answer]))
    frame = Frame((WIDTH, PLOT_HEIGHT + AXIS), (0, 0, 0, AXIS), span, (0, 1), dark, 0.75)
    axis = [
        svg.line([(frame.left, frame.floor), (frame.right, frame.floor)], ink.LINE[ink.theme_of(dark)]),
        *frame.ticks(svg.round_numbers(*span, 6)),
    ]
    return svg.picture([*axis, *_lines(votes, frame), *_stacks(votes, frame)], frame.size, FONT_SIZE)


def _span(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * (high - low) or max(abs(low), 1.0) / 2
    return low - pad, high + pad


def _lines(votes: Votes, frame: Frame) -> Iterator[str]:
    text, paper = (colours[ink.theme_of(frame.dark)] for colours in (ink.TEXT, ink.PAPER))
    lines = ((votes.answer, say("forest"), None, 12), (votes.truth, say("truth"), svg.DASHES, 26))
    written = rounded_to([*frame.across, votes.answer, votes.truth])
    for value, name, dashes, y in lines:
        x = frame.x(value)
        anchor, shift = ("end", -5) if x > WIDTH / 2 else ("start", 5)
        yield svg.line([(x, 4), (x, frame.floor)], text, stroke_width=1.6, stroke_dasharray=dashes)
        words = f"{name} {written(value)}"
        yield svg.text(x + shift, y, words, text, text_anchor=anchor, **svg.halo(paper, 4))


def _stacks(votes: Votes, frame: Frame) -> Iterator[str]:
    """Yield the dots, with dots of nearly the same number stacked, closer if there are many."""
    values, colour, paper = votes.value[:, 0], ink.accent(frame.dark), ink.PAPER[ink.theme_of(frame.dark)]
    low, high = frame.across
    bins = np.floor(BINS * (values - low) / (high - low)).astype(int)
    step = min(2.2 * DOT, (PLOT_HEIGHT - 40) / max(int(np.bincount(bins).max()), 1))
    height = dict.fromkeys(bins.tolist(), 0)
    for value, b, seen in zip(values.tolist(), bins.tolist(), votes.seen.tolist(), strict=True):
        y = PLOT_HEIGHT - DOT - 1 - step * height[b]
        height[b] += 1
        yield svg.circle(frame.x(value), y, DOT, paper if seen else colour, stroke=colour, stroke_width=1.2)


def votes_words(votes: Votes, target: Feature) -> str:
    """Return how many trees vote for each class, the most frequent first; for numbers, the mean and the spread."""
    n = len(votes.value)
    if not target.categories:
        values = votes.value[:, 0]
        mean, spread = rounded_to(values)(float(values.mean())), number(float(values.std()))
        return say("{n} trees say {mean} on average, with a spread of {spread}", n=n, mean=mean, spread=spread)
    counts = np.bincount(votes.value.argmax(axis=1), minlength=len(target.categories))
    order = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
    parts = [say("{n} say {answer}", n=counts[k], answer=target.categories[k]) for k in order]
    return say("of {n} trees {votes}", n=n, votes=", ".join(parts))
