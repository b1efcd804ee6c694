"""Readers of the texts of values in links: each returns the value, or raises ValueError with what is accepted."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from espalier.language import in_style, say
from pages.shared.app import sentences as app_sentences

WHOLE_NUMBER, MOST_DIGITS = re.compile("(-?)0*([0-9]+)"), 18  # more digits are beyond every limit


class OutOfRange(ValueError):
    """A number beyond the limits of a value."""

    def __init__(self, expected: str, nearest: float):
        """`expected` says which numbers are accepted; `nearest` is the one of them that is next to it."""
        super().__init__(expected)
        self.nearest = nearest


def whole(low: int, high: int, optional: bool = False) -> Callable[[str], int | None]:
    """Reader of whole numbers from `low` to `high`; "none" too where `optional`."""

    def read(text: str) -> int | None:
        if optional and text == "none":
            return None
        number, expected = (
            WHOLE_NUMBER.fullmatch(text),
            say("a whole number from {low} to {high}", low=low, high=high) + (say(" or none") if optional else ""),
        )
        if number is None:
            raise ValueError(expected)
        sign, digits = number.groups()
        value = int(sign + (digits if len(digits) <= MOST_DIGITS else "9" * MOST_DIGITS))
        return int(_within(value, low, high, expected))

    return read


def decimal(low: float, high: float) -> Callable[[str], float]:
    """Reader of numbers from `low` to `high`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not math.isfinite(value):
            raise ValueError(_accepted_numbers(low, high))
        return _within(value, low, high, _accepted_numbers(low, high))

    return read


def _within(value: float, low: float, high: float, expected: str) -> float:
    if low <= value <= high:
        return value
    raise OutOfRange(expected, min(max(value, low), high))


def one_of(options: Iterable[str]) -> Callable[[str], str]:
    """Reader of one of a few words."""
    accepted = list(options)

    def read(text: str) -> str:
        if text not in accepted:
            raise ValueError(app_sentences.accepted_words(accepted))
        return text

    return read


def word_or(options: Iterable[str], other: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reader of one of a few words, or of what `other` reads."""
    accepted = list(options)

    def read(text: str) -> Any:
        if text in accepted:
            return text
        try:
            return other(text)
        except OutOfRange as beyond:
            raise OutOfRange(_other_words(str(beyond), accepted), beyond.nearest) from None
        except ValueError as wrong:
            raise ValueError(_other_words(str(wrong), accepted)) from None

    return read


def yes_or_no(text: str) -> bool:
    """Reader of truth values."""
    return one_of(("yes", "no"))(text) == "yes"


def _accepted_numbers(low: float, high: float) -> str:
    """Numbers that a parameter accepts."""
    return say("a number from {low} to {high}", low=in_style(f"{low:g}"), high=in_style(f"{high:g}"))


def _other_words(other: str, options: Iterable[str]) -> str:
    """Words that a parameter accepts beside other values."""
    return say("{other} or one of {options}", other=other, options=", ".join(options))
