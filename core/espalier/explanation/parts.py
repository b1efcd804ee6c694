"""The parts of one prediction as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink, svg
from espalier.display.boundaries.plane import named_value
from espalier.display.parts import Picture
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
    top, rest = order[:MOST_BARS], order[MOST_BARS:]
    features = dataset.features
    bars = [PartBar(named_value(features[f], float(x[f])), float(parts.added[f])) for f in top]
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


def reasons_picture(parts: PredictionParts, dataset: Dataset, x: np.ndarray) -> Picture:
    """Return a bar for each feature: to the right what it adds, to the left what it takes away.

    Both are ink, whatever class is predicted.
    """
    bars = bars_of(parts, dataset, x)
    amounts = [amount(bar.added, parts.link, dataset) for bar in bars]
    words = say("No column changes this prediction.")
    if bars:
        texts = ", ".join(f"{bar.label} {by}" for bar, by in zip(bars, amounts, strict=True))
        words = say("What each column adds to the prediction: {columns}.", columns=texts)
    return Picture(lambda dark: _draw_reasons(bars, amounts, ink.direction_colours(dark), dark), words)


def _draw_reasons(bars: list[PartBar], words: Sequence[str], fills: tuple[str, str], dark: bool) -> str:
    zero, per_unit = _zero_and_scale(bars)
    body = (
        part
        for i, bar in enumerate(bars)
        for part in _bar(bar, words[i], zero, per_unit, i * LINE, fills[bar.added <= 0], ink.theme_of(dark))
    )
    return svg.picture(body, (WIDTH, max(LINE * len(bars), 1)), 12.5)


def _zero_and_scale(bars: list[PartBar]) -> tuple[float, float]:
    """Return the pixel of 0, and the pixels of a unit."""
    low = min([0.0, *(bar.added for bar in bars)])
    high = max([0.0, *(bar.added for bar in bars)])
    left = LABEL + (AMOUNT if low < 0 else 0)
    room = WIDTH - left - (AMOUNT if high > 0 else 0)
    per_unit = room / max(high - low, LEAST)
    return left - low * per_unit, per_unit


def _bar(bar: PartBar, words: str, zero: float, per_unit: float, y: float, fill: str, theme: str) -> Iterator[str]:
    text = ink.TEXT[theme]
    length = max(abs(bar.added) * per_unit, 1.0)
    left = zero if bar.added > 0 else zero - length
    yield svg.text(LABEL - 10, y + 16, svg.shortened(bar.label, LETTERS), text, text_anchor="end")
    yield svg.rectangle((left, y + 4, length, LINE - 9), fill)
    end, anchor = (left + length + 5, "start") if bar.added > 0 else (left - 5, "end")
    yield svg.text(end, y + 16, words, text, text_anchor=anchor)
    yield svg.line([(zero, y), (zero, y + LINE)], ink.LINE[theme])
