"""The parts of one prediction as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.text.values import named_value
from espalier.display.theme import number
from espalier.explanation.shapley import PredictionParts
from espalier.language import say

WIDTH, LINE = 520, 25  # pixels; of the picture, and of a bar with its words
LABEL, AMOUNT = 205, 62  # pixels beside the bars: for names and values, and at both ends for amounts
MOST_BARS = 8  # features with a bar of their own
LETTERS = 31  # of a name with its value
LEAST = 1e-9  # smaller parts are none


def bars_of(parts: PredictionParts, dataset: Dataset, x: np.ndarray) -> list[tuple[str, float]]:
    """Return the bars, the longest first, and last the sum of all that have none of their own.

    Each is of a feature with its value, or of all others, and what that adds.
    """
    order = [int(f) for f in np.argsort(-np.abs(parts.added), kind="stable") if abs(parts.added[f]) > LEAST]
    top, rest = order[:MOST_BARS], order[MOST_BARS:]
    features = dataset.features
    bars = [(named_value(features[f], float(x[f])), float(parts.added[f])) for f in top]
    if rest:
        label = say("{n} other column" if len(rest) == 1 else "{n} other columns", n=len(rest))
        bars.append((label, float(parts.added[rest].sum())))
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
    amounts = [amount(part, parts.link, dataset) for _, part in bars]
    words = say("No column changes this prediction.")
    if bars:
        texts = ", ".join(f"{label} {by}" for (label, _), by in zip(bars, amounts, strict=True))
        words = say("What each column adds to the prediction: {columns}.", columns=texts)
    return Picture(lambda dark: _draw_reasons(bars, amounts, ink.direction_colours(dark), dark), words)


def _draw_reasons(bars: list[tuple[str, float]], words: Sequence[str], fills: tuple[str, str], dark: bool) -> str:
    zero, per_unit = _zero_and_scale([part for _, part in bars])
    text, line, body = ink.TEXT[ink.theme_of(dark)], ink.LINE[ink.theme_of(dark)], []
    for i, (label, part) in enumerate(bars):
        y, length = i * LINE, max(abs(part) * per_unit, 1.0)
        left = zero if part > 0 else zero - length
        end, anchor = (left + length + 5, "start") if part > 0 else (left - 5, "end")
        body += [
            svg.text(LABEL - 10, y + 16, svg.shortened(label, LETTERS), text, text_anchor="end"),
            svg.rectangle((left, y + 4, length, LINE - 9), fills[part <= 0]),
            svg.text(end, y + 16, words[i], text, text_anchor=anchor),
            svg.line([(zero, y), (zero, y + LINE)], line),
        ]
    return svg.picture(body, (WIDTH, max(LINE * len(bars), 1)), 12.5)


def _zero_and_scale(amounts: list[float]) -> tuple[float, float]:
    """Return the pixel of 0, and the pixels of a unit."""
    low = min([0.0, *amounts])
    high = max([0.0, *amounts])
    left = LABEL + (AMOUNT if low < 0 else 0)
    room = WIDTH - left - (AMOUNT if high > 0 else 0)
    per_unit = room / max(high - low, LEAST)
    return left - low * per_unit, per_unit
