"""Build columns of text cells from single rows; only one block of rows exists as Python objects at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import pyarrow as pa

CELLS = 2_000_000  # of a block: each is an object, ten times as large as its text in a column


def to_columns(rows: Iterable[Sequence[str]], n_columns: int) -> list[pa.Array]:
    """Return the columns of the rows, each of which has `n_columns` cells."""
    parts: list[list[pa.Array]] = [[] for _ in range(n_columns)]
    for block in _blocks(iter(rows), max(CELLS // max(n_columns, 1), 1)):
        for part, column in zip(parts, zip(*block, strict=True), strict=True):
            part.append(pa.array(column, pa.string()))
    return [pa.concat_arrays(part) if part else pa.array([], pa.string()) for part in parts]


def _blocks(rows: Iterator[Sequence[str]], n_rows: int) -> Iterator[list[Sequence[str]]]:
    while block := list(islice(rows, n_rows)):
        yield block
