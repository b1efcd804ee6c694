"""The limits of a table, with their error messages; checked while a file is read, not after."""

from __future__ import annotations

from espalier.data.errors import TableError, counted
from espalier.settings import MAX_CELL_CHARACTERS, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_MB

MB = 1_000_000


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise TableError for too many rows, columns, or cells."""
    check_columns(n_columns)
    if n_rows > MAX_ROWS:
        raise too_many_rows(n_rows)
    if n_rows * n_columns > MAX_CELLS:
        raise too_many_cells(f"{counted(n_rows, 'row')} of {counted(n_columns, 'cell')}")


def check_columns(n_columns: int) -> None:
    """Raise TableError for too many columns."""
    if n_columns > MAX_COLUMNS:
        raise TableError(
            f"The table has too many columns: {n_columns:,}.",
            f"The limit is {MAX_COLUMNS:,} columns.",
            "Leave columns out; if every column is a sample, turn rows and columns round.",
        )


def too_many_rows(n_rows: int) -> TableError:
    """Return the error for too many rows."""
    return TableError(
        f"The table has too many rows: {n_rows:,}.",
        f"The limit is {MAX_ROWS:,} rows.",
        "Upload a random part of the rows: a tree hardly changes beyond that.",
    )


def too_many_cells(found: str) -> TableError:
    """Return the error for too many cells; `found` is their number, or that reached when reading stopped."""
    return TableError(
        f"The table has too many cells: {found}.",
        f"The limit is {MAX_CELLS:,} cells, empty ones included.",
        "Upload a random part of the rows, or leave columns out.",
    )


def check_decoded(n_bytes: float) -> None:
    """Raise TableError for too large a content of a packed file."""
    if n_bytes > MAX_UNPACKED_MB * MB:
        raise TableError(
            f"The file is too large once unpacked: {n_bytes / MB:,.0f} MB or more.",
            f"The limit is {MAX_UNPACKED_MB} MB of content.",
            "Leave columns out, or upload a random part of its rows.",
        )


def check_cell(n_characters: int, where: str) -> None:
    """Raise TableError for too long a cell; `where` is a sentence."""
    if n_characters > MAX_CELL_CHARACTERS:
        raise too_long_cell(where)


def too_long_cell(where: str) -> TableError:
    """Return the error for a cell of too many characters; `where` is a sentence."""
    return TableError(
        f"A cell holds more than {MAX_CELL_CHARACTERS:,} characters, the limit.",
        where,
        "Close every quotation mark, choose another delimiter, or leave this column out.",
    )
