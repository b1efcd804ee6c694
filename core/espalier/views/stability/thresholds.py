"""Where replicates put a threshold, and the neighbourhoods that are to cover it, drawn over each other."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.stability.split_choices import Neighbourhood, Window
from espalier.data.dataset import Feature
from espalier.views import ink
from espalier.views.stability.bars import colour_of
from espalier.views.svg import round_numbers
from espalier.views.text.whole_numbers import side_words
from espalier.views.theme import FONT, number, percent, threshold
from espalier.views.tree.small_tree import shortened

WIDTH, PLOT, LEFT, RIGHT, TOP = 310, 140, 42, 10, 18
GAP, LINE, FOOT = 8, 15, 44  # pixels below the bars; of a window; of the axis below these
BINS = 48
PAD = 0.06  # of the range, at either end
NAMES = {"neighbourhood": "T(t₀)", "cube root": "∛N", "square root": "√N"}


class Span(NamedTuple):
    """What all pictures side by side have in common: the range of thresholds, and the highest bar."""

    low: float
    high: float
    most: float  # share of the trees in a bin

    def x(self, value: float) -> float:
        """Pixel of a threshold; what is beyond the range stands at its end."""
        part = (value - self.low) / (self.high - self.low)
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(part, 0.0), 1.0)

    def y(self, share: float) -> float:
        """Pixel of a share of the trees."""
        return TOP + PLOT * (1 - share / self.most)

    @property
    def edges(self) -> np.ndarray:
        """(BINS + 1,) the ends of the bins."""
        return np.linspace(self.low, self.high, BINS + 1)


class Shown(NamedTuple):
    """What is drawn of one learner."""

    thresholds: np.ndarray  # (m,)
    n_trees: int  # of which so many ask another feature, or nothing, at the root
    place: int


def span_of(shown: Sequence[Shown], windows: Sequence[Window]) -> Span:
    """The range that holds all thresholds and windows."""
    ends = [end for window in windows for end in (window.low, window.high)]
    values = np.concatenate([np.asarray(ends, float), *(one.thresholds for one in shown)])
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    pad = PAD * (high - low) or max(abs(low), 1.0) / 2
    span = Span(low - pad, high + pad, 1.0)
    return span._replace(most=max([float(_shares(one, span).max(initial=0.0)) for one in shown] + [0.04]) * 1.06)


def _shares(one: Shown, span: Span) -> np.ndarray:
    return np.histogram(one.thresholds, span.edges)[0] / max(one.n_trees, 1)


def thresholds_picture(
    one: Shown, windows: Sequence[Window], around: Neighbourhood, about: tuple[Span, str], dark: bool
) -> str:
    """SVG of a learner's thresholds over the neighbourhood, and below them the windows to compare it with.

    `about`: the range shown, and the feature's name.
    """
    span, name = about
    height = TOP + PLOT + GAP + LINE * len(windows) + FOOT
    parts = [
        *_band(windows, around, span, dark),
        *_grid(span, dark),
        *_bars(one, span, dark),
        *_windows(windows, span, dark),
        *_axis((span, name), TOP + PLOT + GAP + LINE * len(windows), dark),
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="{FONT}" '
        f'font-size="11.5" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _band(windows: Sequence[Window], around: Neighbourhood, span: Span, dark: bool) -> Iterator[str]:
    own, text = windows[0], ink.TEXT[ink.theme_of(dark)]
    left, right = span.x(own.low), span.x(own.high)
    x, wide = (left, right - left) if right - left >= 3 else ((left + right) / 2 - 1.5, 3)
    place = f'x="{x:.1f}" y="{TOP}" width="{wide:.1f}" height="{PLOT}"'
    yield f'<rect {place} fill="{text}" fill-opacity="0.12"/>'
    cut = span.x(around.cut)
    yield f'<path d="M{cut:.1f} {TOP - 4}V{TOP + PLOT}" stroke="{text}" stroke-dasharray="4 3"/>'
    yield f'<text x="{cut:.1f}" y="{TOP - 7}" text-anchor="middle" fill="{text}">t₀</text>'


def _grid(span: Span, dark: bool) -> Iterator[str]:
    theme = ink.theme_of(dark)
    for share in round_numbers(0, span.most, 4):
        y = f"{span.y(share):.1f}"
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{ink.LINE[theme]}" stroke-opacity="0.35"/>'
        end = f'y="{y}" dy="4" text-anchor="end" fill="{ink.TEXT[theme]}"'
        yield f'<text x="{LEFT - 6}" {end}>{percent(share)}</text>'


def _bars(one: Shown, span: Span, dark: bool) -> Iterator[str]:
    fill, edges = colour_of(one.place, dark), span.edges
    for low, high, share in zip(edges[:-1], edges[1:], _shares(one, span).tolist(), strict=True):
        if share:
            x, wide, y = span.x(float(low)), span.x(float(high)) - span.x(float(low)) - 0.8, span.y(share)
            size = f'width="{wide:.1f}" height="{TOP + PLOT - y:.1f}"'
            yield f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{fill}"/>'


def _windows(windows: Sequence[Window], span: Span, dark: bool) -> Iterator[str]:
    text = ink.TEXT[ink.theme_of(dark)]
    for line, window in enumerate(windows):
        y = TOP + PLOT + GAP + LINE * (line + 0.5) + 3
        left, right = span.x(window.low), max(span.x(window.high), span.x(window.low) + 2)
        path = f"M{left:.1f} {y - 4}v8M{left:.1f} {y}H{right:.1f}M{right:.1f} {y - 4}v8"
        yield f'<path d="{path}" fill="none" stroke="{text}" stroke-width="1.6"/>'
        name = NAMES.get(window.name, window.name)
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end" fill="{text}">{name}</text>'


def _axis(about: tuple[Span, str], top: float, dark: bool) -> Iterator[str]:
    (span, name), text = about, ink.TEXT[ink.theme_of(dark)]
    yield f'<path d="M{LEFT} {top + 6}H{WIDTH - RIGHT}" stroke="{ink.LINE[ink.theme_of(dark)]}"/>'
    for value in round_numbers(span.low, span.high, 4):
        place = f'x="{span.x(value):.1f}" y="{top + 21}" text-anchor="middle"'
        yield f'<text {place} fill="{text}">{number(value, 4)}</text>'
    place = f'x="{(LEFT + WIDTH - RIGHT) / 2}" y="{top + 39}" text-anchor="middle" font-weight="bold"'
    yield f'<text {place} fill="{text}">{html.escape(shortened(name, 36))}</text>'


def alt(one: Shown, windows: Sequence[Window], feature: Feature) -> str:
    """The picture in a sentence."""
    if not len(one.thresholds):
        return f"No tree asks {feature.name} at its root."
    low, middle, high = np.quantile(one.thresholds, (0, 0.5, 1)).tolist()
    covers = ", ".join(f"{NAMES.get(w.name, w.name)} covers {percent(w.coverage)}" for w in windows)
    n = len(one.thresholds)
    ends = side_words(feature, low, True), side_words(feature, high, False)
    where = f"thresholds {ends[0]} to {ends[1]}, median {threshold(middle)}"
    if feature.is_whole:
        half = side_words(feature, middle, False)
        where = f"thresholds between {ends[0]} and {ends[1]}, half of them below {half}"
    return f"{n} of {one.n_trees} trees ask {feature.name} at the root: {where}; {covers}."
