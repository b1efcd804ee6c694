"""The limits of a table, with their error messages; checked while a file is read, not after."""

from __future__ import annotations

from espalier.data.errors import TableError, count, counted
from espalier.language import say
from espalier.settings import MAX_CELL_CHARACTERS, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_MB

MB = 1_000_000


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise TableError for too many rows, columns, or cells."""
    check_columns(n_columns)
    if n_rows > MAX_ROWS:
        raise too_many_rows(n_rows)
    if n_rows * n_columns > MAX_CELLS:
        raise too_many_cells(
            say("{rows} of {cells}", rows=counted(n_rows, "row"), cells=counted(n_columns, "cell"))
        )


def check_columns(n_columns: int) -> None:
    """Raise TableError for too many columns."""
    if n_columns > MAX_COLUMNS:
        raise TableError(
            say("The table has too many columns: {n}.", n=count(n_columns)),
            say("The limit is {n} columns.", n=count(MAX_COLUMNS)),
            say("Leave columns out; if every column is a sample, turn rows and columns round."),
        )


def too_many_rows(n_rows: int) -> TableError:
    """Return the error for too many rows."""
    return TableError(
        say("The table has too many rows: {n}.", n=count(n_rows)),
        say("The limit is {n} rows.", n=count(MAX_ROWS)),
        say("Take a random part of the rows: a tree hardly changes beyond that."),
    )


def too_many_cells(found: str) -> TableError:
    """Return the error for too many cells; `found` is their number, or that reached when reading stopped."""
    return TableError(
        say("The table has too many cells: {n}.", n=found),
        say("The limit is {n} cells, empty ones included.", n=count(MAX_CELLS)),
        say("Take a random part of the rows, or leave columns out."),
    )


def check_decoded(n_bytes: float) -> None:
    """Raise TableError for too large a content of a packed file."""
    if n_bytes > MAX_UNPACKED_MB * MB:
        raise TableError(
            say("The file is too large once unpacked: {n} MB or more.", n=count(round(n_bytes / MB))),
            say("The limit is {n} MB of content.", n=MAX_UNPACKED_MB),
            say("Leave columns out, or take a random part of its rows."),
        )


def check_cell(n_characters: int, where: str) -> None:
    """Raise TableError for too long a cell; `where` is a sentence."""
    if n_characters > MAX_CELL_CHARACTERS:
        raise too_long_cell(where)


def too_long_cell(where: str) -> TableError:
    """Return the error for a cell of too many characters; `where` is a sentence."""
    return TableError(
        say("A cell holds more than {n} characters, the limit.", n=count(MAX_CELL_CHARACTERS)),
        where,
        say("Close every quotation mark, choose another delimiter, or leave this column out."),
    )
