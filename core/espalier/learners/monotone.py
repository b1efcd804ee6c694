"""Directions of columns: where predictions may only rise, or only fall, with a column (monotone constraints)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

import numpy as np

from espalier.kernels.cart.columns import NO_DIRECTIONS
from espalier.learners.base import is_whole
from espalier.learners.forbidden import Columns, escape_name

Directions: TypeAlias = Mapping | Sequence | np.ndarray | None  # the parameter `monotonic_cst`
STEPS = (-1, 0, 1)
RISING, FALLING = "rising", "falling"
WORDS = {RISING: 1, FALLING: -1}


class Directed:
    """Base of learners whose predictions may have directions."""

    monotonic_cst: Directions = None
    _named_columns: Callable[[], Columns]

    def directions(self) -> np.ndarray:
        """Return the direction of each column, (n_features,) int64, or an empty array if there are none."""
        return directions_of(self.monotonic_cst, self._named_columns(), len(getattr(self, "classes_", ())))


def directions_of(choice: Directions, columns: Columns, n_classes: int = 0) -> np.ndarray:
    """Return the direction of each column, (n_features,) int64: 1, -1 or 0; empty if all are 0.

    `choice` is a sequence with an entry for each column, or a mapping from names of columns. `n_classes` is 0 for
    a number. Raises ValueError for other entries, for unknown names, for a column split as sets of categories, and
    for three classes or more.

    >>> columns = Columns(["age", "income"], np.array([False, False]))
    >>> directions_of({"income": 1}, columns).tolist()
    [0, 1]
    >>> directions_of([0, 0], columns).tolist()
    []
    """
    if choice is None:
        return NO_DIRECTIONS
    directions = (
        _directions_of_names(choice, columns)
        if isinstance(choice, Mapping)
        else _directions_of_list(choice, columns)
    )
    if not directions.any():
        return NO_DIRECTIONS
    if n_classes > 2:
        raise ValueError(
            f"monotonic_cst is for numbers and for two classes, where it bounds the share of the second; y has "
            f"{n_classes} classes: take one class against the others, or monotonic_cst=None"
        )
    sets = np.flatnonzero(columns.is_category & (directions != 0))
    if len(sets):
        at = int(sets[0])
        name = f"column {at}" if columns.names is None else f"the column {columns.names[at]!r}"
        raise ValueError(
            f"monotonic_cst gives {name} a direction, but its categories have no "
            "order: give it 0, or leave it out of categorical_features to split its codes as numbers"
        )
    return directions


def _directions_of_names(choice: Mapping, columns: Columns) -> np.ndarray:
    if columns.names is None:
        raise ValueError(
            "monotonic_cst names columns, but X has no column names: give a list with one entry for each column, "
            "or a DataFrame"
        )
    names = columns.names
    unknown = [name for name in choice if name not in names]
    if unknown:
        raise ValueError(f"monotonic_cst names a column that X does not have: {unknown[0]!r}")
    directions = np.zeros(len(names), np.int64)
    for name, direction in choice.items():
        directions[names.index(name)] = _direction(direction)
    return directions


def _directions_of_list(choice: Any, columns: Columns) -> np.ndarray:
    if isinstance(choice, str) or np.ndim(choice) != 1:
        raise ValueError(
            f"monotonic_cst is {choice!r}; it must be a list of 1, -1 and 0, or a dict of such by name"
        )
    n = len(columns.is_category)
    if len(choice) != n:
        raise ValueError(f"monotonic_cst has {len(choice)} entries; X has {n} features")
    return np.array([_direction(direction) for direction in choice], np.int64)


def _direction(value: Any) -> int:
    if not (is_whole(value) and value in STEPS):
        raise ValueError(f"monotonic_cst has the entry {value!r}; it must be 1 (may only rise), -1 (fall) or 0")
    return int(value)


# ---- as a text, for addresses and settings


def directions_in_words(directions: Mapping[str, int]) -> str:
    """Return directions other than 0, by column, as a text that `read_directions` reads.

    >>> directions_in_words({"age": 1, "height": 0, "income, net": -1})
    'age:rising,income%2C net:falling'
    """
    words = {number: word for word, number in WORDS.items()}
    return ",".join(f"{escape_name(name, ',:')}:{words[step]}" for name, step in directions.items() if step)


def read_directions(text: str) -> dict[str, int]:
    """Return the directions by column that a text gives, such as "age:rising,income:falling".

    In names a comma, a colon and a percent sign are written as in addresses. Raises ValueError for another text.

    >>> read_directions("age:rising,income%2C net:falling")
    {'age': 1, 'income, net': -1}
    """
    parts = [part.rsplit(":", 1) for part in text.split(",")] if text else []
    if any(len(part) != 2 or part[1] not in WORDS for part in parts):
        raise ValueError(f"{text!r} gives no directions; they are written as age:rising,income:falling")
    return {unquote(name): WORDS[word] for name, word in parts}
