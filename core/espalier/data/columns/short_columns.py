"""Read many short columns of plain numbers together: for thousands, one by one costs more than the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import alike
from espalier.data.columns.numbers import CODE, LARGEST_EXACT, PLAIN_NUMBER, is_inexact
from espalier.data.options import MAYBE_MISSING, NumberFormat
from espalier.data.progress import tell
from espalier.language import say

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

SHORT = 4_000  # most rows of a column that is read together with others


class Numbers(NamedTuple):
    """A column of numbers, and the markers read as missing."""

    values: np.ndarray  # (n_rows,) float64, missing nan
    missing: dict[str, int]  # marker → cells


class Part(NamedTuple):
    """The trimmed cells of some columns, one after the other."""

    texts: pa.Array  # distinct, none missing
    codes: np.ndarray  # of all cells, into `texts`; -1 for empty cells
    ends: np.ndarray  # (n_columns - 1,) end of each column but the last


def is_plain(format_: NumberFormat) -> bool:
    """Return whether the format has no mark but a decimal point."""
    return format_.decimal == "." and not format_.decorated


def plain_numbers(columns: Sequence[pa.Array], missing: tuple[str, ...]) -> list[Numbers | None]:
    """Return `cells.read_column` of short columns, for a format that `is_plain`; None if it must be called."""
    found: list[Numbers | None] = []
    for part in _parts(columns):
        tell(len(found) / len(columns), say("Looking at the columns"))
        is_missing = _mask(pc.is_in(part.texts, pa.array(missing, pa.string())))
        is_code = _mask(pc.match_substring_regex(part.texts, CODE))
        is_number = _mask(pc.match_substring_regex(part.texts, PLAIN_NUMBER)) & ~is_code & ~is_missing
        floats = _floats(part.texts, is_number)
        for place in np.flatnonzero(np.abs(floats[:-1]) >= LARGEST_EXACT):
            is_number[place] = not is_inexact(part.texts[place].as_py())
        fits = np.append(is_number | is_missing, True)  # the last represents empty cells
        by_column = (np.split(array, part.ends) for array in (part.codes, fits[part.codes], floats[part.codes]))
        for codes, all_fit, values in zip(*by_column, strict=True):
            is_known = all_fit.all() and not np.isnan(values).all()
            found.append(Numbers(values, _counted(part.texts, codes, is_missing)) if is_known else None)
    return found


def may_miss(columns: Sequence[pa.Array]) -> list[bool]:
    """Return which of the columns hold a text that often means missing (for long ones: perhaps)."""
    found = [len(column) > SHORT for column in columns]
    places = [place for place, is_long in enumerate(found) if not is_long]
    for place, has_some in zip(places, _may_miss([columns[i] for i in places]), strict=True):
        found[place] = has_some
    return found


def _may_miss(columns: Sequence[pa.Array]) -> Iterator[bool]:
    for part in _parts(columns):
        marks = np.append(_mask(pc.is_in(part.texts, pa.array(MAYBE_MISSING, pa.string()))), False)
        yield from (bool(here.any()) for here in np.split(marks[part.codes], part.ends))


def _parts(columns: Sequence[pa.Array]) -> Iterator[Part]:
    """Yield the columns in their order, in parts of limited size."""
    first, n_cells = 0, 0
    for last, column in enumerate(columns, 1):
        n_cells += len(column)
        if n_cells >= alike.CELLS or last == len(columns):
            yield _part(columns[first:last])
            first, n_cells = last, 0


def _part(columns: Sequence[pa.Array]) -> Part:
    encoded = pc.utf8_trim_whitespace(pa.concat_arrays(columns)).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Part(encoded.dictionary, codes, np.cumsum([len(column) for column in columns])[:-1])


def _floats(texts: pa.Array, is_number: np.ndarray) -> np.ndarray:
    """Return the floats of the texts that are numbers, (n + 1,); nan for the others, and at the end."""
    numbers = pc.cast(texts.filter(pa.array(is_number)), pa.float64())
    floats = np.full(len(texts) + 1, np.nan)
    floats[:-1][is_number] = numbers.to_numpy(zero_copy_only=False)
    return floats


def _counted(texts: pa.Array, codes: np.ndarray, is_missing: np.ndarray) -> dict[str, int]:
    """Return the texts read as missing in a column, in order of first occurrence, with counts."""
    marked = codes[np.append(is_missing, False)[codes]].tolist()
    return {texts[code].as_py(): n for code, n in Counter(marked).items()} if marked else {}


def _mask(found: pa.Array) -> np.ndarray:
    return np.array(found.to_numpy(zero_copy_only=False), dtype=bool)
