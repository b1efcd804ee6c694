"""Whole numbers in words: "3 or more" where a tree's threshold is 2.5.

If all known values of a feature are whole numbers (`Feature.is_whole`), texts never show a threshold between two
of them. Exports that compute (Python, SQL, JSON) keep the threshold, since a new row may hold 2.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from espalier.data.dataset import Feature
from espalier.display.text.moments import range_words, written
from espalier.display.theme import number, threshold
from espalier.language import say

DIGITS = 16  # of a whole number: all its digits


def whole_range(feature: Feature, low: float, high: float, unit: str = "") -> str:
    """Return the whole numbers x with ``low < x <= high``: "at most 2", "3 or more", "from 3 to 5", "4".

    `unit` follows the number ("at most 37 cm"). Empty if the feature is not whole, if nothing bounds it
    (or an infinite threshold separates known from missing values), or if no whole number is in between.
    Dates and times have words of their own, "before 2021-03-01" (`display.text.moments`).
    """
    if feature.moment is not None:
        return range_words(feature, low, high)
    if not feature.is_whole or math.inf in (low, -high) or not (math.isfinite(low) or math.isfinite(high)):
        return ""
    first, last = math.floor(low) + 1 if math.isfinite(low) else None, _floor(high)
    if first is None:
        return say("at most {high}", high=f"{_written(last)}{unit}")
    if last is None:
        return say("{low} or more", low=f"{_written(first)}{unit}")
    if first > last:
        return ""
    if first == last:
        return f"{_written(first)}{unit}"
    return say("from {low} to {high}", low=_written(first), high=f"{_written(last)}{unit}")


def _floor(high: float) -> int | None:
    return math.floor(high) if math.isfinite(high) else None


def _written(value: int | None) -> str:
    return number(float(value or 0), DIGITS)


def cut_words(feature: Feature, cut: float) -> str:
    """Return the place of a cut: "between 2 and 3" for whole numbers, else the threshold."""
    if not feature.is_whole or not math.isfinite(cut):
        return _cut(feature, cut)
    low, high = (_value(feature, math.floor(cut) + more) for more in (0, 1))
    return say("between {low} and {high}", low=low, high=high)


def side_words(feature: Feature, cut: float, below: bool, beside: Sequence[float] = ()) -> str:
    """Return the whole number nearest to a cut on one side (2 below 2.5, 3 above), or else the threshold.

    `beside` are other cuts, which the threshold is told apart from.
    """
    if not feature.is_whole or not math.isfinite(cut):
        return _cut(feature, cut, beside)
    return _value(feature, math.floor(cut) + (not below))


def _cut(feature: Feature, cut: float, beside: Sequence[float] = ()) -> str:
    return (
        threshold(cut, beside=beside, spread=feature.spread) if feature.moment is None else written(feature, cut)
    )


def _value(feature: Feature, value: int) -> str:
    return _written(value) if feature.moment is None else written(feature, value)
