"""The parts of one prediction as bars: what each feature's value adds to it, or takes away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink, svg
from espalier.display.boundaries.plane import named_value
from espalier.display.theme import number
from espalier.explanation.shapley import PredictionParts
from espalier.language import say

WIDTH, LINE = 520, 25  # pixels; of the picture, and of a bar with its words
LABEL, AMOUNT = 205, 62  # pixels beside the bars: for names and values, and at both ends for amounts
MOST_BARS = 8  # features with a bar of their own
LETTERS = 31  # of a name with its value
LEAST = 1e-9  # smaller parts are none


class PartBar(NamedTuple):
    """A feature with its value, or all others, and what it adds."""

    label: str
    added: float


def bars_of(parts: PredictionParts, dataset: Dataset, x: np.ndarray) -> list[PartBar]:
    """Return the bars, the longest first, and last the sum of all that have none of their own."""
    order = [int(f) for f in np.argsort(-np.abs(parts.added), kind="stable") if abs(parts.added[f]) > LEAST]
    named, rest = order[:MOST_BARS], order[MOST_BARS:]
    features = dataset.features
    bars = [PartBar(named_value(features[f], float(x[f])), float(parts.added[f])) for f in named]
    if rest:
        label = say("{n} other column" if len(rest) == 1 else "{n} other columns", n=len(rest))
        bars.append(PartBar(label, float(parts.added[rest].sum())))
    return bars


def amount(by: float, link: str, dataset: Dataset) -> str:
    """Return a signed amount: "+12 pts" of a share, "−0.4" of a number or a score."""
    sign = "+" if by > 0 else "−"
    if link == "identity" and dataset.is_classification:
        return sign + say("{n} pts", n=number(100 * abs(by), 2))
    return sign + number(abs(by))


def picture(parts: PredictionParts, dataset: Dataset, x: np.ndarray, answer: float, dark: bool) -> str:
    """Return SVG with a bar for each feature: to the right what it adds, to the left what it takes away.

    `answer` is the class that is predicted, or the number; what is added to a class has its colour.
    """
    bars = bars_of(parts, dataset, x)
    scale, fills = _zero_and_scale(bars), ink.direction_colours(dataset.target, answer, dark)
    words = [amount(bar.added, parts.link, dataset) for bar in bars]
    body = (
        part
        for i, bar in enumerate(bars)
        for part in _bar(bar, words[i], scale, i * LINE, fills[bar.added <= 0], ink.theme_of(dark))
    )
    return svg.picture(body, (WIDTH, max(LINE * len(bars), 1)), 12.5)


class _Scale(NamedTuple):
    zero: float
    per_unit: float


def _zero_and_scale(bars: list[PartBar]) -> _Scale:
    low = min([0.0, *(bar.added for bar in bars)])
    high = max([0.0, *(bar.added for bar in bars)])
    left = LABEL + (AMOUNT if low < 0 else 0)
    room = WIDTH - left - (AMOUNT if high > 0 else 0)
    per_unit = room / max(high - low, LEAST)
    return _Scale(left - low * per_unit, per_unit)


def _bar(bar: PartBar, words: str, scale: _Scale, y: float, fill: str, theme: str) -> Iterator[str]:
    text = ink.TEXT[theme]
    length = max(abs(bar.added) * scale.per_unit, 1.0)
    left = scale.zero if bar.added > 0 else scale.zero - length
    yield svg.text(LABEL - 10, y + 16, svg.shortened(bar.label, LETTERS), text, text_anchor="end")
    yield svg.rectangle((left, y + 4, length, LINE - 9), fill)
    end, anchor = (left + length + 5, "start") if bar.added > 0 else (left - 5, "end")
    yield svg.text(end, y + 16, words, text, text_anchor=anchor)
    yield svg.line([(scale.zero, y), (scale.zero, y + LINE)], ink.LINE[theme])


def alt(parts: PredictionParts, dataset: Dataset, x: np.ndarray) -> str:
    """Return the bars in words."""
    bars = bars_of(parts, dataset, x)
    if not bars:
        return say("No column changes this prediction.")
    known = ", ".join(f"{bar.label} {amount(bar.added, parts.link, dataset)}" for bar in bars)
    return say("What each column adds to the prediction: {columns}.", columns=known)
