"""Columns whose value stands once for a block of rows: in the first of them, with empty cells below."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import numbers

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

FEWEST_BLOCKS = 3
FULL = 0.9  # share of the rows without the value in which another column has one


def fill_down(column: pa.Array) -> pa.Array:
    """Return the column with the value above in each empty cell.

    >>> fill_down(pa.array(["a", "", " ", "b", ""])).to_pylist()
    ['a', 'a', 'a', 'b', 'b']
    """
    is_empty = np.asarray(_is_empty(column).to_numpy(zero_copy_only=False), dtype=bool)
    # Not by pyarrow's own `fill_null_forward`, which makes other texts of texts in version 21.
    above = np.maximum.accumulate(np.where(is_empty, -1, np.arange(len(column))))
    return pc.fill_null(column.take(pa.array(above, mask=above < 0)), "")


def written_once(columns: list[pa.Array]) -> list[int]:
    """Return the positions of columns that look as if their value was written once for each block of rows.

    Each block has two rows or more, the first with a value, another one than the block before. All blocks have the
    same length, or the values are words and only such columns stand to the left.
    """
    found: list[int] = []
    for place, column in enumerate(columns):
        if len(column) > FEWEST_BLOCKS and not _is_blank(column[0]) and _is_blank(column[1]):
            is_empty = np.asarray(_is_empty(column).to_numpy(zero_copy_only=False), dtype=bool)
            is_first = len(found) == place
            if _has_blocks(column, is_empty, is_first) and _others_are_full(columns, place, is_empty):
                found.append(place)
    return found


def _has_blocks(column: pa.Array, is_empty: np.ndarray, is_first: bool) -> bool:
    starts = np.flatnonzero(~is_empty)
    lengths = np.diff(np.append(starts, len(is_empty)))
    values = column.take(pa.array(starts)).to_pylist()
    if len(starts) < FEWEST_BLOCKS or lengths[:-1].min() < 2:
        return False
    if any(a == b for a, b in itertools.pairwise(values)):
        return False
    is_regular = bool((lengths[:-1] == lengths[0]).all() and lengths[-1] <= lengths[0])
    return is_regular or (is_first and not any(map(numbers.looks_like_number, values)))


def _others_are_full(columns: list[pa.Array], place: int, is_empty: np.ndarray) -> bool:
    """Return whether rows without the value have others: they are no blank lines."""
    there = pa.array(is_empty)
    return any(
        i != place and _count(_is_empty(other.filter(there))) <= (1 - FULL) * is_empty.sum()
        for i, other in enumerate(columns)
    )


def _is_blank(cell: Any) -> bool:
    return not (cell.as_py() or "").strip()


def _is_empty(column: pa.Array) -> pa.Array:
    return pc.equal(pc.fill_null(pc.utf8_trim_whitespace(column), ""), "")


def _count(mask: pa.Array) -> int:
    return pc.sum(mask).as_py() or 0
