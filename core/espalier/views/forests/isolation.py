"""Unusual rows: a histogram of scores, the columns that set a row apart in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.tree.nodes import bins_up_to
from espalier.data.dataset import Feature
from espalier.data.rows.roles import row_names
from espalier.language import say
from espalier.views import ink, svg
from espalier.views.svg import Frame
from espalier.views.theme import class_colours, count, number, percent, rounded_to

SIZE = WIDTH, HEIGHT = 640, 250
MARGINS = (58, 16, 34, 42)  # left, right, top, bottom
BINS = 40
LEAST_BAR = 1.5  # pixels: one row among 100,000 is seen
MOST_COLUMNS = 3  # that are named as setting a row apart
LONGEST_NAME = 40  # letters of a row's name in the picture
LEAST_SAVED = 0.05  # cuts: what saves fewer is not named


class Scores(NamedTuple):
    """The scores of all rows, the score above which a row is unusual, and perhaps a row among them."""

    score: np.ndarray  # (n_samples,) from 0 to 1, greater for unusual rows
    limit: float
    row: int | None = None  # from 0
    name: str = ""  # of this row, such as “customer 1543”; empty: its number

    @property
    def is_unusual(self) -> np.ndarray:
        """Which rows are unusual, (n_samples,) bool."""
        return self.score > self.limit


# The histogram ---------------------------------------------------------------------------------------


def score_histogram(scores: Scores, dark: bool) -> str:
    """Return the SVG of how many rows have which score; bars of unusual rows have a colour of their own."""
    edges = edges_of(scores)
    usual, unusual = (counts_between(scores.score[scores.is_unusual == is_one], edges) for is_one in (False, True))
    most = int((usual + unusual).max())
    frame = Frame(SIZE, MARGINS, (float(edges[0]), float(edges[-1])), (0.0, 1.05 * most), dark, 0.75)
    bars = _bars(frame, edges, usual, unusual)
    return svg.picture([*_axes(frame, most), *bars, *_marks(frame, scores)], SIZE, 13)


def edges_of(scores: Scores) -> np.ndarray:
    """Return the ends of the bars; one of them ends at the limit, so that none has rows of both kinds."""
    low, high = float(scores.score.min()) - 0.005, float(scores.score.max()) + 0.005
    width, limit = (high - low) / BINS, scores.limit
    if not low < limit < high:
        return np.linspace(low, high, BINS + 1)
    return limit + width * np.arange(-bins_up_to(limit, low, width), bins_up_to(high, limit, width) + 1)


def counts_between(score: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return how many scores each bar has, which holds its upper end: a score at the limit is usual."""
    return np.bincount(np.searchsorted(edges, score, "left") - 1, minlength=len(edges) - 1)


def _axes(frame: Frame, most: int) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(0, most, 4, 1.0), lambda value: count(round(value)))
    yield from frame.ticks(svg.round_numbers(*frame.across, 8))
    yield frame.title_below(say("score of a row"), 6)
    yield frame.title_beside(say("rows"), 12)


def _bars(frame: Frame, edges: np.ndarray, usual: np.ndarray, unusual: np.ndarray) -> Iterator[str]:
    colours = class_colours(2)[ink.theme_of(frame.dark)]
    for at in range(len(usual)):
        below = 0
        for n, colour in ((int(usual[at]), colours[0]), (int(unusual[at]), colours[1])):
            if n:
                left, right = frame.x(float(edges[at])), frame.x(float(edges[at + 1]))
                foot = frame.y(below)
                height = max(foot - frame.y(below + n), LEAST_BAR)
                yield svg.rectangle((left + 0.5, foot - height, max(right - left - 1, 0.5), height), colour)
            below += n


def _marks(frame: Frame, scores: Scores) -> Iterator[str]:
    text = ink.TEXT[ink.theme_of(frame.dark)]
    if frame.across[0] <= scores.limit <= frame.across[1]:
        n, x = int(scores.is_unusual.sum()), frame.x(scores.limit)
        yield svg.line([(x, frame.top), (x, frame.floor)], text, stroke_dasharray=svg.DASHES)
        words = say("{n} unusual row" if n == 1 else "{n} unusual rows", n=count(n))
        yield frame.words(x, frame.top - 6, words, text_anchor=_anchor(frame, x))
    if scores.row is not None:
        x = frame.x(float(scores.score[scores.row]))
        yield svg.line([(x, frame.top), (x, frame.floor)], text, stroke_width=2)
        words = svg.shortened(_name(scores), LONGEST_NAME)
        yield svg.text(x, frame.top - 20, words, text, text_anchor=_anchor(frame, x), font_weight=700)


def _name(scores: Scores) -> str:
    return scores.name or row_names(None, [scores.row or 0])[0]


def _anchor(frame: Frame, x: float) -> str:
    """Return where a label stands over a mark, so that it stays within the picture."""
    share = (x - frame.left) / (frame.right - frame.left)
    return "start" if share < 0.15 else "end" if share > 0.85 else "middle"


def histogram_alt(scores: Scores) -> str:
    """Return the histogram in sentences."""
    written = rounded_to([*scores.score, scores.limit])
    low, middle, high = (written(float(value)) for value in np.quantile(scores.score, (0.0, 0.5, 1.0)))
    n, total = int(scores.is_unusual.sum()), len(scores.score)
    sentences = [
        say(
            "Scores of {n} rows from {low} to {high}, half of them up to {middle}.",
            n=count(total),
            low=low,
            high=high,
            middle=middle,
        ),
        say(
            "{n} of them, {share}, are above {limit} and count as unusual.",
            n=count(n),
            share=percent(n / total),
            limit=written(scores.limit),
        ),
    ]
    if scores.row is not None:
        score = written(float(scores.score[scores.row]))
        sentences.append(say("The line marks {row}, which has {score}.", row=_name(scores), score=score))
    return " ".join(sentences)


# Words -----------------------------------------------------------------------------------------------


def columns_apart(saved: np.ndarray, features: Sequence[Feature]) -> str:
    """Return the columns that save a row the most cuts, with these: "petal width 2.1, sepal length 0.4".

    `saved` (n_features,) is a row of `IsolationForest.cuts_saved`; it is empty where no column saves any.
    """
    best = [f for f in np.argsort(-saved, kind="stable")[:MOST_COLUMNS] if saved[f] >= LEAST_SAVED]
    return ", ".join(f"{features[f].name} {number(float(saved[f]), 2)}" for f in best)
