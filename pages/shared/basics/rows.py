"""The rows of the figure on bagging: those of an example, and where a person has dragged some of them to.

What was dragged stands in one text of the address, "14-9.5-1.5_3-2-7": the number of a row from 0 on, its x and y.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from espalier.data.samples.outliers import HIGH, LOW, PLACES, NoisyRows
from espalier.display.theme import number
from espalier.language import say

NUMBER = "[0-9]{1,2}(?:[.][0-9])?"
ONE = re.compile(f"([0-9]{{1,2}})-({NUMBER})-({NUMBER})")
MOST = 60  # rows of an example, at most


class DraggedRow(NamedTuple):
    """A row at another place."""

    number: int  # from 0 on
    x: float
    y: float

    @property
    def text(self) -> str:
        """The row in an address."""
        return f"{self.number}-{self.x:g}-{self.y:g}"


def row_of(text: object) -> DraggedRow | None:
    """The row of a text, which the browser or an address says; None for anything else.

    >>> row_of("14-9.5-2")
    DraggedRow(number=14, x=9.5, y=2.0)
    """
    found = ONE.fullmatch(text) if isinstance(text, str) else None
    row = DraggedRow(int(found[1]), float(found[2]), float(found[3])) if found else None
    return row if row and row.number < MOST and max(row.x, row.y) <= HIGH else None


def read(text: str) -> str:
    """Reader of rows that were dragged, each once and in order. Raises ValueError for anything else."""
    rows = [row_of(part) for part in text.split("_")] if text else []
    if len(rows) > MOST or None in rows:
        raise ValueError(
            say(
                "rows such as 14-9.5-2, their number, x and y from {low} to {high}, joined by _",
                low=number(LOW),
                high=number(HIGH),
            )
        )
    return written({row.number: row for row in rows if row})


def dragged(text: str) -> dict[int, DraggedRow]:
    """The rows of a text by number."""
    rows = [row_of(part) for part in text.split("_")]
    return {row.number: row for row in rows if row}


def written(rows: dict[int, DraggedRow]) -> str:
    """The text of rows by number."""
    return "_".join(row.text for _, row in sorted(rows.items()))


def changed(example: NoisyRows, text: str) -> NoisyRows:
    """The example with the rows of the text at their new places; numbers that it does not have mean nothing."""
    x, y = example.x.copy(), example.y.copy()
    for row in dragged(text).values():
        if row.number < len(x):
            x[row.number], y[row.number] = np.round([row.x, row.y], PLACES)
    return example._replace(x=x, y=y)
