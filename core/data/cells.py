"""From text cells to values: header, decimal mark and missing markers guessed, numbers read."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute

from core.data.options import MAYBE_MISSING, MISSING, ReadOptions

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

SAMPLE_ROWS = 2_000  # rows that guesses about number formats look at
SPACES = " \u00a0\u202f"
DECIMAL_POINT = r"^[+-]?\d*\.\d+([eE][+-]?\d+)?$"
DECIMAL_COMMA = r"^[+-]?\d*,\d+([eE][+-]?\d+)?$"
POINT_AFTER_GROUPS = rf"^[+-]?\d{{1,3}}([,'’{SPACES}]\d{{3}})+\.\d+$"
COMMA_AFTER_GROUPS = rf"^[+-]?\d{{1,3}}([.'’{SPACES}]\d{{3}})+,\d+$"
GROUPS = {  # numbers in groups of three that only a thousands separator explains
    ",": r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$",
    ".": r"^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$",
    " ": rf"^[+-]?\d{{1,3}}([{SPACES}]\d{{3}})+([.,]\d+)?$",
    "'": r"^[+-]?\d{1,3}(['’]\d{3})+([.,]\d+)?$",
}
CODE = r"^[+-]?0\d"  # 007 is a code, not a number
NUMBER = re.compile(r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$")


class Column(NamedTuple):
    """A column read: floats (missing nan) or strings (missing NA), and what was read as missing."""

    values: pd.Series
    missing: dict[str, int]  # marker → cells


def guess_header(columns: list[pa.Array]) -> bool:
    """Whether the first row names the columns: words over numbers, or words that never come again."""
    first = [column[0].as_py() if len(column) else None for column in columns]
    if any(map(_is_number, first)):
        numbers = [int(cell) for cell in first if cell and cell.isdecimal()]
        return len(numbers) == len(first) > 4 and numbers in _counts_up(len(first))
    bodies = [_sample(column.slice(1)) for column in columns]
    if any(_mostly_numbers(body) for body in bodies):
        return True
    named = [cell for cell in first if cell]
    seen = sum(cell in body.to_pylist() for cell, body in zip(first, bodies, strict=True) if cell)
    return bool(named) and len(set(named)) == len(named) and seen < len(named) / 2


def guess_numbers(columns: list[pa.Array], options: ReadOptions) -> ReadOptions:
    """Decimal mark and thousands separator of text columns without their header."""
    cells = pa.concat_arrays([_sample(column) for column in columns]) if columns else pa.array([], pa.string())
    points = _matching(cells, DECIMAL_POINT) + _matching(cells, POINT_AFTER_GROUPS)
    commas = _matching(cells, DECIMAL_COMMA) + _matching(cells, COMMA_AFTER_GROUPS)
    groups = {mark: _matching(cells, pattern) for mark, pattern in GROUPS.items()}
    in_groups_only = (
        commas and groups[","] >= commas and (points or groups[","] > commas or options.delimiter == ",")
    )
    decimal = "," if commas > points and not in_groups_only else "."
    rivals = [mark for mark in GROUPS if mark != decimal and groups[mark] and _explains(cells, mark, decimal)]
    return options._replace(decimal=decimal, thousands=max(rivals, key=groups.__getitem__, default=""))


def guess_missing(columns: list[pa.Array], options: ReadOptions) -> tuple[str, ...]:
    """Markers of missing cells: the sure ones, and doubtful ones where the rest of a column is numbers."""
    found = set()
    for column in columns:
        doubtful = [cell for cell in pc.unique(_doubtful(column)).to_pylist() if cell]
        if doubtful and is_numeric(column, options._replace(missing=(*MISSING, *doubtful))):
            found.update(doubtful)
    return (*MISSING, *(marker for marker in MAYBE_MISSING if marker in found))


def kept_markers(values: pd.Series) -> dict[str, int]:
    """Values of a text column that elsewhere often mean missing, with their counts."""
    found: Any = values[values.isin(MAYBE_MISSING)]
    return {str(marker): int(n) for marker, n in found.value_counts().items()}


def read_column(cells: pa.Array, options: ReadOptions) -> Column:
    """Numbers where every cell is one (or missing); otherwise words without spaces around them."""
    cells = pc.utf8_trim_whitespace(cells)
    is_missing = pc.fill_null(pc.is_in(cells, pa.array(options.missing, pa.string())), False)
    counts = pc.value_counts(cells.filter(is_missing)).to_pylist()
    cells = pc.if_else(is_missing, pa.scalar(None, pa.string()), cells)
    numbers = _numbers(cells, options)
    values = numbers if numbers is not None else pd.Series(cells.to_pandas(), dtype="str")
    return Column(values, {str(c["values"]): c["counts"] for c in counts})


def is_numeric(cells: pa.Array, options: ReadOptions) -> bool:
    """Whether the cells are numbers (at least one) and missing markers only."""
    values = read_column(cells, options).values
    return values.dtype == np.float64 and bool(values.notna().any())


def to_numbers(values: pd.Series) -> pd.Series:
    """Floats of a column that a person declares to be numbers; what is none becomes nan."""
    numbers: Any = pd.to_numeric(values, errors="coerce")
    return numbers.astype(np.float64)


def not_numbers(values: Any) -> pd.Series:
    """The few words of a text column that is nine in ten numbers; empty for other columns."""
    present = values.dropna()
    words = present[to_numbers(present).isna()]
    return words if 0 < len(words) <= 0.1 * len(present) else words.iloc[:0]


def _numbers(cells: pa.Array, options: ReadOptions) -> pd.Series | None:
    if pc.any(pc.match_substring_regex(cells, CODE)).as_py():
        return None
    try:
        floats = pc.cast(_plain(cells, options), pa.float64())
    except pa.ArrowInvalid:
        return None
    return pd.Series(floats.to_numpy(zero_copy_only=False).astype(np.float64, copy=True))


def _plain(cells: pa.Array, options: ReadOptions) -> pa.Array:
    """The cells with a point for the decimal mark and no thousands separator; real minus signs as hyphens."""
    if options.thousands:
        pattern = {" ": f"[{SPACES}]", "'": "['’]"}.get(options.thousands, re.escape(options.thousands))
        grouped = pc.match_substring_regex(cells, GROUPS[options.thousands])
        cells = pc.if_else(grouped, pc.replace_substring_regex(cells, pattern, ""), cells)
    if options.decimal == ",":  # a point that is left is no decimal mark: make the cell no number
        cells = pc.if_else(pc.match_substring(cells, "."), pc.binary_join_element_wise(cells, "?", ""), cells)
        cells = pc.replace_substring(cells, ",", ".", max_replacements=1)
    return pc.replace_substring(cells, "−", "-", max_replacements=1)


def _doubtful(column: pa.Array) -> pa.Array:
    column = pc.utf8_trim_whitespace(column)
    return column.filter(pc.is_in(column, pa.array(MAYBE_MISSING, pa.string())))


def _sample(column: pa.Array) -> pa.Array:
    """Trimmed cells from the whole length of the column."""
    step = max(len(column) // SAMPLE_ROWS, 1)
    return pc.utf8_trim_whitespace(column.take(pa.array(np.arange(0, len(column), step))))


def _matching(cells: pa.Array, pattern: str) -> int:
    return pc.sum(pc.match_substring_regex(cells, pattern)).as_py() or 0


def _explains(cells: pa.Array, mark: str, decimal: str) -> bool:
    """Whether no cell has the mark in a place where a thousands separator cannot stand."""
    other = DECIMAL_POINT if mark == "." else DECIMAL_COMMA if mark == "," else None
    if other is None or mark == decimal:
        return mark != decimal
    loose = pc.and_(
        pc.match_substring_regex(cells, other), pc.invert(pc.match_substring_regex(cells, GROUPS[mark]))
    )
    return not pc.any(loose).as_py()


def _is_number(cell: str | None) -> bool:
    return bool(cell) and NUMBER.match(cell.strip()) is not None


def _mostly_numbers(cells: pa.Array) -> bool:
    present = cells.filter(pc.invert(pc.is_in(cells, pa.array((*MISSING, *MAYBE_MISSING), pa.string()))))
    return len(present) > 0 and _matching(present, NUMBER.pattern) >= 0.9 * len(present)


def _counts_up(n: int) -> list[list[int]]:
    return [list(range(n)), list(range(1, n + 1))]
