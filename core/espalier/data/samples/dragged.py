"""Rows of an example that a person has dragged, as a text: "14-9.5-2" is a row's number from 0, x and y."""

from __future__ import annotations

import re

import numpy as np

from espalier.data.samples.generators import HIGH, LOW, PLACES, NoisyRows
from espalier.language import in_style, say

NUMBER = "[0-9]{1,2}(?:[.][0-9])?"
ROW = re.compile(f"([0-9]{{1,2}})-({NUMBER})-({NUMBER})")
MOST = 60  # rows of an example, at most


def row_of(text: object) -> tuple[int, float, float] | None:
    """Return the number, x and y of the row of a text, of a browser or an address; None for any other.

    >>> row_of("14-9.5-2")
    (14, 9.5, 2.0)
    """
    match = ROW.fullmatch(text) if isinstance(text, str) else None
    row = (int(match[1]), float(match[2]), float(match[3])) if match else None
    return row if row and row[0] < MOST and max(row[1:]) <= HIGH else None


def read_text(text: str) -> str:
    """Return the text of rows that were dragged, each once and in order. Raises ValueError for anything else."""
    rows = [row_of(part) for part in text.split("_")] if text else []
    if len(rows) > MOST or None in rows:
        ends = {"low": in_style(f"{LOW:g}"), "high": in_style(f"{HIGH:g}")}
        raise ValueError(say("rows such as 14-9.5-2: number, x and y from {low} to {high}, joined by _", **ends))
    return text_of(places_of(text))


def places_of(text: str) -> dict[int, tuple[float, float]]:
    """Return the places of the rows of a text, by number."""
    rows = [row_of(part) for part in text.split("_")]
    return {row[0]: row[1:] for row in rows if row}


def text_of(rows: dict[int, tuple[float, float]]) -> str:
    """Return the text of rows by number."""
    return "_".join(f"{n}-{x:g}-{y:g}" for n, (x, y) in sorted(rows.items()))


def move_rows(example: NoisyRows, text: str) -> NoisyRows:
    """Return the example with the rows of the text at their new places; other numbers mean nothing."""
    places = np.column_stack([example.x, example.y])
    for n, place in places_of(text).items():
        if n < len(places):
            places[n] = np.round(place, PLACES)
    return example._replace(x=places[:, 0], y=places[:, 1])
