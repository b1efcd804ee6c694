"""What replicates choose and answer: pictures of their thresholds, tables, and maps of where they agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.text.values import all_written, side_words
from espalier.display.theme import number, percent, threshold
from espalier.forests.surfaces import Plane, colour_scale, frame_picture
from espalier.language import say
from espalier.stability.splits import Agreement, Neighbourhood, Window
from espalier.stability.structures import StructureLevel

THRESHOLDS_WIDTH, PLOT, LEFT, RIGHT, TOP = 360, 140, 42, 10, 18
GAP, LINE, FOOT = 8, 15, 44  # pixels: gap below the bars, height of a window, height of the axis below them
BINS = 48
PAD = 0.06  # of the range, at either end
NAMES = {"neighbourhood": "T(t₀)", "cube root": "∛N", "square root": "√N"}


class Span(NamedTuple):
    """The scale that all pictures side by side share: the range of thresholds, and the highest bar."""

    low: float
    high: float
    most: float  # share of the trees in a bin

    @property
    def edges(self) -> np.ndarray:
        """The ends of the bins, (BINS + 1,)."""
        return np.linspace(self.low, self.high, BINS + 1)


def span_of(learners: Sequence[tuple[np.ndarray, int]], windows: Sequence[Window]) -> Span:
    """Return the range that holds all windows, and all thresholds of learners, (m,) and the number of trees."""
    ends = [end for window in windows for end in (window.low, window.high)]
    values = np.concatenate([np.asarray(ends, float), *(thresholds for thresholds, _ in learners)])
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    pad = PAD * (high - low) or max(abs(low), 1.0) / 2
    span = Span(low - pad, high + pad, 1.0)
    return span._replace(
        most=max([float(_shares(*each, span).max(initial=0.0)) for each in learners] + [0.04]) * 1.06
    )


def _shares(thresholds: np.ndarray, n_trees: int, span: Span) -> np.ndarray:
    return np.histogram(thresholds, span.edges)[0] / max(n_trees, 1)


def thresholds_picture(
    thresholds: np.ndarray,
    n_trees: int,
    windows: Sequence[Window],
    around: Neighbourhood,
    span: Span,
    feature: Feature,
) -> Picture:
    """Return a learner's thresholds (m,) over the neighbourhood, above the windows to compare it with.

    `n_trees` are all its trees, with those that ask something else at the root, or nothing; `span` is the range
    that is shown of the feature.
    """
    bars = _shares(thresholds, n_trees, span)
    draw = partial(_draw_thresholds, bars, windows, around.cut, span, feature)
    return Picture(draw, _thresholds_words(thresholds, n_trees, windows, feature))


def _draw_thresholds(
    shares: np.ndarray, windows: Sequence[Window], cut: float, span: Span, feature: Feature, dark: bool
) -> str:
    frame = frame_of(span, len(windows), dark)
    parts = [
        *_band(windows[0], cut, frame),
        *frame.grid(svg.round_numbers(*frame.up, 4), percent),
        *_bars(shares, span, frame),
        *_windows(windows, frame),
        *_axis(feature, frame),
    ]
    return svg.picture(parts, frame.size, 12)


def frame_of(span: Span, n_windows: int, dark: bool) -> Frame:
    """Return the frame of the bars; below it is room for so many windows, and the axis."""
    below = GAP + LINE * n_windows + FOOT
    margins = (LEFT, RIGHT, TOP, below)
    return Frame((THRESHOLDS_WIDTH, TOP + PLOT + below), margins, (span.low, span.high), (0, span.most), dark)


def _x(frame: Frame, value: float) -> float:
    """Return the pixel of a threshold; beyond the range, it is the nearer end."""
    return min(max(frame.x(value), frame.left), frame.right)


def _band(own: Window, cut: float, frame: Frame) -> Iterator[str]:
    text, x = ink.TEXT[ink.theme_of(frame.dark)], _x(frame, cut)
    left, right = _x(frame, own.low), _x(frame, own.high)
    start, wide = (left, right - left) if right - left >= 3 else ((left + right) / 2 - 1.5, 3)
    yield svg.rectangle((start, frame.top, wide, PLOT), text, fill_opacity=0.12)
    yield svg.line([(x, frame.top - 4), (x, frame.floor)], text, stroke_dasharray="4 3")
    yield svg.text(x, frame.top - 7, "t₀", text, text_anchor="middle")


def _bars(shares: np.ndarray, span: Span, frame: Frame) -> Iterator[str]:
    fill, edges = ink.TEXT[ink.theme_of(frame.dark)], span.edges
    for low, high, share in zip(edges[:-1], edges[1:], shares.tolist(), strict=True):
        if share:
            x, end, y = _x(frame, float(low)), _x(frame, float(high)), frame.y(share)
            yield svg.rectangle((x, y, end - x - 0.8, frame.floor - y), fill)


def _windows(windows: Sequence[Window], frame: Frame) -> Iterator[str]:
    text = ink.TEXT[ink.theme_of(frame.dark)]
    for place, window in enumerate(windows):
        y = frame.floor + GAP + LINE * (place + 0.5) + 3
        left = _x(frame, window.low)
        right = max(_x(frame, window.high), left + 2)
        ends = [svg.way([(x, y - 4), (x, y + 4)]) for x in (left, right)]
        path = f"{ends[0]}{svg.way([(left, y), (right, y)])}{ends[1]}"
        yield svg.element("path", d=path, fill="none", stroke=text, stroke_width=1.6)
        yield frame.words(frame.left - 6, y + 4, NAMES.get(window.name, window.name), text_anchor="end")


def _axis(feature: Feature, frame: Frame) -> Iterator[str]:
    below = frame.margins[3] - FOOT
    ends = [(x, frame.floor + below + 6) for x in (frame.left, frame.right)]
    yield svg.line(ends, ink.LINE[ink.theme_of(frame.dark)])
    values = svg.round_numbers(*frame.across, 4)
    yield from frame.ticks(values, lambda value: all_written(feature, values, 4)[values.index(value)], below + 21)
    yield frame.title_below(svg.shortened(feature.name, 36), 5, font_weight="bold")


def _thresholds_words(thresholds: np.ndarray, n_trees: int, windows: Sequence[Window], feature: Feature) -> str:
    if not len(thresholds):
        return say("No tree asks {name} at its root.", name=feature.name)
    low, middle, high = np.quantile(thresholds, (0, 0.5, 1)).tolist()
    ends = {"low": side_words(feature, low, True), "high": side_words(feature, high, False)}
    if feature.is_whole:
        half = side_words(feature, middle, False)
        where = say("thresholds between {low} and {high}, half of them below {half}", **ends, half=half)
    else:
        where = say("thresholds {low} to {high}, median {median}", **ends, median=threshold(middle))
    covers = (
        say("{window} covers {share}", window=NAMES.get(window.name, window.name), share=percent(window.coverage))
        for window in windows
    )
    return say(
        "{n} of {n_trees} trees ask {name} at the root: {where}; {covers}.",
        n=len(thresholds),
        n_trees=n_trees,
        name=feature.name,
        where=where,
        covers=", ".join(covers),
    )


# ---- stability as a table


def level_table(learners: Sequence[tuple[str, int, Sequence[StructureLevel]]]) -> pd.DataFrame:
    """Return a line for every learner (title, number of trees, levels) and level, with formatted numbers."""
    return pd.DataFrame(
        [
            {
                say("learner"): title,
                say("trees"): n_trees,
                say("levels"): level.depth,
                say("structures"): level.n_structures,
                say("most frequent"): percent(level.top_share),
                say("95 % interval"): say(
                    "{low} to {high}", low=percent(level.interval[0]), high=percent(level.interval[1])
                ),
                say("entropy, bits"): number(level.entropy),
                say("chance of a new one"): percent(level.unseen),
            }
            for title, n_trees, levels in learners
            for level in levels
        ]
    )


# ---- agreement of trees from redrawn data in their predictions: by row as a histogram, over a plane as a map

ROWS_WIDTH, ROWS_PLOT, ROWS_LEFT, ROWS_RIGHT, ROWS_TOP, ROWS_BOTTOM = 360, 130, 42, 20, 8, 38
ROWS_BINS = 20
STRONGEST = 0.85  # of the text's colour on paper, where predictions vary most
LEGEND, STEPS = 300, 24


def rows_picture(agreement: Agreement, most: float, is_share: bool) -> Picture:
    """Return the histogram of the rows' agreement, or of differences for numbers; the axis goes to `most`."""
    if is_share:
        sure = float((agreement.by_row > 1 - 1e-9).mean())
        words = say(
            "Two trees agree on {share} of the rows; all trees agree on {sure} of them.",
            share=percent(agreement.mean),
            sure=percent(sure),
        )
    else:
        gap = number(agreement.mean)
        words = say("Two trees differ by {gap} (root mean square over the rows).", gap=gap)
    return Picture(partial(_draw_rows, agreement, most, is_share), words)


def _draw_rows(agreement: Agreement, most: float, is_share: bool, dark: bool) -> str:
    shares = np.histogram(agreement.by_row, ROWS_BINS, (0, most))[0] / max(len(agreement.by_row), 1)
    size = (ROWS_WIDTH, ROWS_TOP + ROWS_PLOT + ROWS_BOTTOM)
    frame = Frame(size, (ROWS_LEFT, ROWS_RIGHT, ROWS_TOP, ROWS_BOTTOM), (0, most), (0, 1), dark)
    words = say("pairs of trees that agree on the row" if is_share else "difference of two trees on the row")
    parts = [
        *frame.grid((0.0, 0.5, 1.0), percent),
        *_row_bars(shares, frame, ink.TEXT[ink.theme_of(dark)]),
        *frame.ticks(svg.round_numbers(0, most, 4), percent if is_share else None),
        frame.title_below(words, 5),
    ]
    return svg.picture(parts, size, 12)


def _row_bars(shares: np.ndarray, frame: Frame, fill: str) -> Iterator[str]:
    wide = (frame.right - frame.left) / len(shares)
    for i, share in enumerate(shares.tolist()):
        if share:
            yield svg.rectangle((frame.left + i * wide, frame.y(share), wide - 1.5, ROWS_PLOT * share), fill)


def difference_end(agreements: Sequence[Agreement]) -> float:
    """Return the end of the axis of differences, the same for all learners."""
    return max([float(agreement.by_row.max(initial=0.0)) for agreement in agreements] + [1e-12])


def map_picture(deviation: np.ndarray, most: float, plane: Plane, dataset: Dataset) -> Picture:
    """Return the map of deviations (n_cells,) in the plane's cells, from none (the colour of paper) to `most`."""
    words = say(
        "The standard deviation is {deviation} over this plane, and none in {share} of it.",
        deviation=number(math.sqrt(float((deviation**2).mean()))),
        share=percent(float((deviation < 1e-9).mean())),
    )
    return Picture(partial(_draw_map, deviation, most, plane, dataset), words)


def _draw_map(deviation: np.ndarray, most: float, plane: Plane, dataset: Dataset, dark: bool) -> str:
    theme = ink.theme_of(dark)
    paper, text = (np.array(ink.rgb(colour[theme])) for colour in (ink.PAPER, ink.TEXT))
    strength = STRONGEST * np.clip(deviation / most, 0, 1)[:, None] if most > 0 else np.zeros((len(deviation), 1))
    return frame_picture(np.round(strength * text + (1 - strength) * paper).astype(np.uint8), plane, dataset, dark)


def map_legend(most: float) -> Picture:
    """Return the scale of the map."""
    return Picture(partial(_draw_legend, most), say("From 0 to {most}", most=number(most)), is_large=True)


def _draw_legend(most: float, dark: bool) -> str:
    text, paper = ink.TEXT[ink.theme_of(dark)], ink.PAPER[ink.theme_of(dark)]
    fills = [ink.mix(text, paper, STRONGEST * step / (STEPS - 1)) for step in range(STEPS)]
    return svg.picture(colour_scale(("0", number(most)), fills, 14, text), (LEGEND, 20), 13)
