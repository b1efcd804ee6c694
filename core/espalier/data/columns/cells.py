"""Convert text cells to values: guess the header and missing markers, read numbers."""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import numbers, short_columns, units, vocabulary
from espalier.data.options import MAYBE_MISSING, MISSING, NumberFormat, ReadOptions

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them
MOSTLY_UNITS = 0.5  # share of cells with a unit from which on a column that is declared numeric has one
FEW_CELLS, MOST_SPELLINGS = 200, 16  # a column with more texts in its first cells is not one of yes and no
MOST_ROWS_OF_NAMES = 3
RULE = re.compile(r"^(:-+:?|-+:|[-=]{2,})$")  # a part of |---|:-:|
EXPLANATION = re.compile(r"""^(\[.*\]|\(.*\)|\{"ImportId".*|[°%].*)$""")  # a unit in brackets; a row of Qualtrics


class ParsedColumn(NamedTuple):
    """A column read: floats (missing nan) or strings (missing NA), and the markers read as missing."""

    values: pd.Series
    missing: dict[str, int]  # marker → cells


class Header(NamedTuple):
    """Whether the first row names the columns, and whether that is certain."""

    is_there: bool
    is_sure: bool


def guess_header(columns: list[pa.Array]) -> Header:
    """Guess whether the first row names the columns: words over numbers, or words that never occur again."""
    first = [(column[0].as_py() or "").strip() if len(column) else "" for column in columns]
    bodies = [column.slice(1) for column in columns]
    over = [cell for cell, fits in zip(first, numbers.are_mostly_numbers(bodies), strict=True) if fits]
    named = [cell for cell in over if not _may_stand_among_numbers(cell)]
    if n_numbers := sum(map(numbers.looks_like_number, first)):
        fits = not named and n_numbers == sum(map(numbers.looks_like_number, over))
        return Header(_counts_up(first), fits and not _counts_up(first) and not _are_years(first))
    if over:
        return Header(True, bool(named))
    led = [cell for cell, body in zip(first, bodies, strict=True) if cell and _begin_with_digits(body)]
    if not all(re.search(r"\d", cell) or _may_stand_among_numbers(cell) for cell in led):
        return Header(True, True)
    named = [cell for cell in first if cell]
    seen = sum(cell in numbers.sample(body).to_pylist() for cell, body in zip(first, bodies, strict=True) if cell)
    return Header(bool(named) and len(set(named)) == len(named) and seen < len(named) / 2, False)


def _begin_with_digits(body: pa.Array) -> bool:
    """Return whether nearly all cells begin with a digit, as dates, times, amounts with units and codes do."""
    cells = numbers.present(numbers.sample(body))
    leading = pc.sum(pc.match_substring_regex(cells, r"^[+−-]?\d")).as_py() or 0
    return len(cells) > 1 and leading >= 0.9 * len(cells)


def n_rows_of_names(columns: list[pa.Array]) -> int:
    """Return how many rows below the names explain them: units, long texts, rules of dashes; up to three.

    Such a row has words, two at least or one in brackets, over columns of numbers, and no text that comes again.
    """
    for n in range(MOST_ROWS_OF_NAMES, 0, -1):
        rows = list(zip(*(column.slice(0, n).to_pylist() for column in columns), strict=True))
        if len(rows) == n and all(map(_has_no_number, rows)) and len(columns[0]) >= n + 3:
            bodies = [column.slice(n) for column in columns]
            are_numbers = numbers.are_mostly_numbers(bodies)
            if all(_explains(row, bodies, are_numbers) for row in rows):
                return n
    return 0


def guess_missing(columns: dict[int, pa.Array], options: ReadOptions) -> tuple[str, ...]:
    """Return markers of missing cells: the certain ones, and doubtful ones if the rest of a column is numeric."""
    found = set()
    may_miss = short_columns.may_miss(list(columns.values()))
    for position, column in itertools.compress(columns.items(), may_miss):
        doubtful = [cell for cell in pc.unique(_doubtful(column)).to_pylist() if cell]
        missing = (*MISSING, *doubtful)
        if doubtful and is_numeric(column, missing, options.number_format(position)):
            found.update(doubtful)
    return (*MISSING, *(marker for marker in MAYBE_MISSING if marker in found))


def kept_markers(values: pd.Series) -> dict[str, int]:
    """Return values of a text column that elsewhere often mean missing, with their counts."""
    found: Any = values[values.isin(MAYBE_MISSING)]
    return {str(marker): int(n) for marker, n in found.value_counts().items()}


def read_column(cells: pa.Array, missing: tuple[str, ...], format_: NumberFormat | None) -> ParsedColumn:
    """Return numbers if every cell is one (or missing); otherwise words without surrounding spaces.

    Without a format the cells are words, even if all of them are digits.
    """
    cells = pc.utf8_trim_whitespace(cells)
    is_missing = pc.fill_null(pc.is_in(cells, pa.array(missing, pa.string())), False)
    counts: list[dict[str, Any]] = []
    if pc.any(is_missing).as_py():
        counts = pc.value_counts(cells.filter(is_missing)).to_pylist()
        cells = pc.if_else(is_missing, pa.scalar(None, pa.string()), cells)
    floats = numbers.read(cells, format_) if format_ else None
    values = pd.Series(cells.to_pandas(), dtype="str") if floats is None else _series(floats)
    return ParsedColumn(values, {str(c["values"]): c["counts"] for c in counts})


def spellings(values: Any) -> dict[str, str]:
    """Return the rarer spellings of yes and no in a column, each with the usual one (`vocabulary.spellings`)."""
    if values.dtype == np.float64 or values.iloc[:FEW_CELLS].nunique() > MOST_SPELLINGS:
        return {}
    return vocabulary.spellings({str(value): int(n) for value, n in values.value_counts().items()})


def is_numeric(cells: pa.Array, missing: tuple[str, ...], format_: NumberFormat) -> bool:
    """Return whether the cells are only numbers (at least one) and missing markers."""
    values = read_column(cells, missing, format_).values
    return values.dtype == np.float64 and bool(values.notna().any())


def to_numbers(values: Any, unit: str | None = None) -> pd.Series:
    """Return the floats of a column that the user declares numeric; other cells become nan.

    `unit` is that in which cells with units are read, as in `written`.
    """
    if not pd.api.types.is_string_dtype(values):
        coerced: Any = pd.to_numeric(values, errors="coerce")
        return coerced.astype(np.float64)
    format_ = written(values, unit)
    if format_.unit:
        return pd.Series(units.read(values, format_), values.index)
    return _series(numbers.read_some(_texts(values), format_)).set_axis(values.index)


def written(values: Any, unit: str | None = None) -> NumberFormat:
    """Return the number format of a text column that the user declares numeric.

    Cells with units are read in the `unit`; None for that of most cells, if half of all have one of its dimension.
    """
    if not pd.api.types.is_string_dtype(values):
        return NumberFormat()
    unit = units.unit_of(values, MOSTLY_UNITS) if unit is None else unit
    return units.written(values, unit) if unit else numbers.guess_format(_texts(values))


def in_unit(values: Any, unit: str) -> Any:
    """Return a text column whose cells have units as floats in this one; other columns as they are."""
    return to_numbers(values, unit) if unit and pd.api.types.is_string_dtype(values) else values


def not_numbers(values: Any) -> pd.Series:
    """Return the few words of a text column that is nine in ten numbers; empty for other columns."""
    present = values.dropna()
    if not numbers.mostly_numbers(numbers.sample(_texts(present))):
        return present.iloc[:0]
    words = present[to_numbers(present).isna()]
    return words if 0 < len(words) <= 0.1 * len(present) else words.iloc[:0]


def mixed_signs(values: Any) -> list[str]:
    """Return signs such as "%" that only some cells of a numeric text column have; empty for other columns."""
    cells = numbers.sample(_texts(values.dropna()))
    return numbers.mixed_signs(cells) if numbers.mostly_numbers(cells) else []


def _texts(values: Any) -> pa.Array:
    return pc.utf8_trim_whitespace(pa.array(values, pa.string(), from_pandas=True))


def _may_stand_among_numbers(cell: str) -> bool:
    return numbers.looks_like_number(cell) or cell in MISSING or cell in MAYBE_MISSING


def _has_no_number(row: tuple[str | None, ...]) -> bool:
    return not any(map(numbers.looks_like_number, row)) and any(row)


def _explains(row: tuple[str | None, ...], bodies: list[pa.Array], are_numbers: list[bool]) -> bool:
    """Return whether a row is none of a table, as `n_rows_of_names` says."""
    cells_ = [(cell or "").strip() for cell in row]
    if all(RULE.match(cell) for cell in cells_ if cell):
        return True
    over = [cell for cell, fits in zip(cells_, are_numbers, strict=True) if fits and cell]
    if any(map(_may_stand_among_numbers, over)) or not (len(over) > 1 or any(map(EXPLANATION.match, over))):
        return False
    words = [
        (cell, body) for cell, body, fits in zip(cells_, bodies, are_numbers, strict=True) if cell and not fits
    ]
    return not any(cell in numbers.sample(body).to_pylist() for cell, body in words)


def _are_years(first: list[str]) -> bool:
    """Return whether two or more numbers are ascending years, as in column names."""
    years = [int(cell) for cell in first if re.fullmatch(r"(19|20)\d\d", cell)]
    return len(years) > 1 and years == sorted(set(years))


def _series(floats: pa.Array) -> pd.Series:
    return pd.Series(floats.to_numpy(zero_copy_only=False).astype(np.float64, copy=True))


def _doubtful(column: pa.Array) -> pa.Array:
    column = pc.utf8_trim_whitespace(column)
    return column.filter(pc.is_in(column, pa.array(MAYBE_MISSING, pa.string())))


def _counts_up(first: list[str]) -> bool:
    """Return whether the cells number the columns: 0 or 1, then one more from cell to cell, to 5 at least."""
    counted = [int(cell) for cell in first if cell.isdecimal() and len(cell) < 10]
    n = len(first)
    return len(counted) == n > 4 and counted in (list(range(n)), list(range(1, n + 1)))
