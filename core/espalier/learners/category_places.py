"""Which of the categories that a model learned a value is: by its text, by its number, or as true or false."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,4})?", re.ASCII | re.IGNORECASE)
TRUTH = {"false": 0, "true": 1}


def places_of(categories: Sequence[Any], values: Sequence[Any]) -> np.ndarray:
    """Return the place of each value (n,) among the categories, -1 where it is none of them or may be several.

    A value is the category of the same text; else of the same number, where both are numbers however they are
    written; else of the same truth value ("TRUE", True). What two categories share decides nothing.

    >>> places_of(["2", "10", "100"], [10, 2.0, "100.0", "ten"]).tolist()
    [1, 0, 2, -1]
    >>> places_of([7, "007"], ["7", "007", "7.0"]).tolist()
    [0, 1, -1]
    """
    places = np.full(len(values), -1)
    forms: tuple[Callable[[Any], Hashable | None], ...] = (str, number_of, _truth_of)
    for form in forms:
        place: dict[Hashable | None, int] = {}
        for at, key in enumerate(map(form, categories)):
            place[key] = -1 if key in place else at
        place[None] = -1
        for i in np.flatnonzero(places < 0).tolist():
            places[i] = place.get(form(values[i]), -1)
    return places


def number_of(value: Any) -> Decimal | None:
    """Return the number that a value is, or that its text writes; None for any other value.

    >>> number_of("1e3") == number_of(1000), number_of("Monday"), number_of(True)
    (True, None, None)
    """
    text = str(value)
    return Decimal(text) if NUMBER.fullmatch(text) else None


def are_of_one_kind(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether some values are numbers in both, or some are no numbers in both: whether they could agree."""
    return any(
        any((number_of(value) is None) is is_text for value in one)
        and any((number_of(value) is None) is is_text for value in other)
        for is_text in (False, True)
    )


def _truth_of(value: Any) -> int | None:
    return TRUTH.get(str(value).casefold())
