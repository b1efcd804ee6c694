"""Excel workbooks (.xlsx): a sheet as rows of text cells."""

from __future__ import annotations

import datetime
import io
import itertools
import warnings
import zipfile
from collections import Counter
from typing import Any

import pyarrow as pa

from espalier.data.errors import TableError, count, listed, quoted
from espalier.data.formats import blocks
from espalier.data.formats.layout import MOST_TITLE_LINES
from espalier.data.formats.unpack import check_unpacked_size, damaged_workbook
from espalier.data.limits import check_cell, check_columns, check_shape, too_many_cells
from espalier.data.progress import each
from espalier.language import say
from espalier.settings import MAX_CELLS, MAX_ROWS

Row = list[str]
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read_sheet(content: bytes, sheet: str) -> tuple[tuple[str, ...], list[Row]]:
    """Return the names of all sheets, and the rows of one (empty name: the first non-empty sheet)."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_unpacked_size(archive)
            _check_cells(archive)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of charts and validations, which we do not need
            return _read(content, sheet)
    except (TableError, MemoryError):
        raise
    except Exception as wrong:  # openpyxl passes on any error of its XML and zip readers
        reason = quoted(str(wrong) or type(wrong).__name__, 80)
        raise damaged_workbook(say("Reading it stopped with: {reason}.", reason=reason)) from wrong


def old_or_protected(content: bytes) -> TableError:
    """Return the error for files of older Excel versions, and for workbooks with a password."""
    if "EncryptedPackage".encode("utf-16-le") in content:
        return TableError(
            say("The Excel file is protected by a password."),
            say("Nothing inside can be read without it."),
            say("Remove the password in your spreadsheet program (or save as CSV) and upload the file again."),
        )
    return TableError(
        say("This is a file of an older office program (such as .xls)."),
        say("Its format cannot be read here."),
        say("Save it as .xlsx or as CSV and upload that."),
    )


def title_rows(rows: list[Row]) -> int:
    """Return the number of rows above the table: those with at most one cell before the first full one."""
    sizes = [len(row) for row in rows[:200]]
    usual = Counter(size for size in sizes if size > 1).most_common(1)
    if not usual:
        return 0
    first = next(i for i, size in enumerate(sizes) if size > 1)
    return first if first <= MOST_TITLE_LINES and sizes[first] >= usual[0][0] - 1 else 0


def to_columns(rows: list[Row]) -> list[pa.Array]:
    """Return columns of text cells; short rows are padded with empty ones."""
    n_columns = max(map(len, rows), default=0)
    check_columns(n_columns)
    return blocks.to_columns((row + [""] * (n_columns - len(row)) for row in rows), n_columns)


def _read(content: bytes, sheet: str) -> tuple[tuple[str, ...], list[Row]]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    names = tuple(page.title for page in book.worksheets)
    if sheet and sheet not in names:
        raise TableError(
            say("The workbook has no sheet {sheet}.", sheet=quoted(sheet)),
            say("Its sheets are {names}.", names=listed([quoted(name) for name in names])),
            say("Choose one of them."),
        )
    for page in book.worksheets:
        if sheet in ("", page.title):
            page.reset_dimensions()  # the declared size may include a million empty rows
            rows = _rows(page)
            if rows or sheet:
                return names, rows
    return names, []


def _rows(page: Any) -> list[Row]:
    rows, width = [], 0
    found = itertools.islice(page.iter_rows(values_only=True), MAX_ROWS + 100)
    for values in each(found, page.max_row or MAX_ROWS, say("Reading the rows")):
        if row := _row(values):
            rows.append(row)
            width = max(width, len(row))
            check_shape(len(rows) - MOST_TITLE_LINES, width)
    return rows


def _check_cells(archive: zipfile.ZipFile) -> None:
    """Raise TableError if a sheet has too many cell tags: empty cells too cost time and memory."""
    for info in archive.infolist():
        if info.filename.startswith("xl/worksheets/"):
            with archive.open(info) as file:
                n_cells = 0
                while part := file.read(1 << 20):
                    n_cells += part.count(b"<c ") + part.count(b"<c/") + part.count(b"<c>")
                    if n_cells > MAX_CELLS:
                        raise too_many_cells(say("{n} or more", n=count(n_cells)))


def _row(values: tuple) -> Row:
    cells = [_cell(value) for value in values]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    word = str(value).strip()
    check_cell(len(word), say("It begins with {text}.", text=quoted(word[:100])))
    return word
