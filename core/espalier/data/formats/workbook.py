"""Excel workbooks (.xlsx): a sheet as rows of text cells, and what its merged and hidden cells mean for a table.

A cell is the number that it stores, not the digits that it shows, but for two formats: percent is a text with its
sign and all digits, of which `columns.numbers` makes the number as of the text in a CSV, and a code such as 00000
is the text that is shown.
"""

from __future__ import annotations

import datetime
import io
import itertools
import re
import warnings
import zipfile
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from espalier.data.columns import numbers
from espalier.data.errors import TableError, count, listed, quoted
from espalier.data.formats import blocks
from espalier.data.formats.layout import MOST_TITLE_LINES
from espalier.data.formats.sheet import MarkReader, SheetMarks, number_as_shown, read_parts
from espalier.data.formats.unpack import check_kind, check_unpacked_size, damaged_workbook
from espalier.data.limits import check_cell, check_columns, check_shape, too_many_cells
from espalier.data.progress import each
from espalier.language import say
from espalier.settings import MAX_CELLS, MAX_ROWS

Row = list[str]
DIGIT = re.compile(r"\d")
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Sheet(NamedTuple):
    """A sheet, and the names of all sheets of its workbook."""

    names: tuple[str, ...]
    rows: list[Row]  # those that are not empty
    numbers: list[int]  # (n_rows,) their numbers in the sheet, from 1
    marks: SheetMarks = SheetMarks()
    texts: Mapping[int, int] = MappingProxyType(
        {}
    )  # place of a column → the last row with a text that has a digit

    def texts_below(self, place: int) -> frozenset[int]:
        """Return the columns with such texts below this one of the rows; other numbers are stored as numbers."""
        top = self.numbers[place - 1] if 0 < place <= len(self.numbers) else 0
        return frozenset(column for column, row in self.texts.items() if row > top)


def read_sheet(content: bytes, sheet: str) -> Sheet:
    """Return a sheet of the workbook (empty name: the first that is not empty, one that shows if there is one)."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_unpacked_size(archive)
            check_kind(archive)
            marks = _marks(archive)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of charts and validations, which we do not need
            return _read(content, sheet, marks)
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


def join_names(sheet: Sheet) -> tuple[Sheet, tuple[str, ...]]:
    """Return the sheet with names in one row where merged cells part them in two, and those that were joined.

    The upper row has cells merged over several columns, and each column of the others has its name in one of both.
    """
    for i in range(min(MOST_TITLE_LINES, len(sheet.rows) - 1)):
        upper, lower, top = sheet.rows[i], sheet.rows[i + 1], sheet.numbers[i]
        over = {
            column - 1: upper[one.left - 1]
            for one in sheet.marks.wide(range(top, top + 1))
            if one.bottom == top and one.left <= len(upper) and upper[one.left - 1]
            for column in range(one.left, min(one.right, len(lower)) + 1)
        }
        width = max(len(upper), len(lower))
        both = [(_at(upper, j), _at(lower, j)) for j in range(width)]
        beside = [pair for j, pair in enumerate(both) if j not in over]
        below = [lower[j] for j in over if lower[j]]
        if sum(map(bool, upper)) == 1 and upper[0]:
            continue  # a title
        is_named = len(below) > 1 and not any(map(numbers.looks_like_number, below))
        if is_named and sheet.numbers[i + 1] == top + 1 and not any(a and b for a, b in beside):
            names = [f"{over.get(j, a)} {b}".strip() for j, (a, b) in enumerate(both)]
            kept = sheet._replace(
                rows=[*sheet.rows[:i], names, *sheet.rows[i + 2 :]],
                numbers=[*sheet.numbers[:i], *sheet.numbers[i + 1 :]],
            )
            return kept, tuple(names[j] for j in over if lower[j])
    return sheet, ()


def _at(row: Row, place: int) -> str:
    return row[place] if place < len(row) else ""


def merged_columns(columns: Sequence[pa.Array], sheet: Sheet, first: int) -> dict[int, pa.Array]:
    """Return those of the columns in which cells of several rows are merged, with the value in each of these rows.

    `first` is the place of the columns' first row among those of the sheet; the columns are named by position.
    """
    numbers_ = sheet.numbers[first:]
    found = {}
    for column, ranges in sheet.marks.tall(sheet.numbers[first] - 1 if numbers_ else 0).items():
        if column <= len(columns):
            texts = columns[column - 1].to_pylist()
            for one in ranges:
                start, end = bisect_left(numbers_, one.top), bisect_right(numbers_, one.bottom)
                if start < end and numbers_[start] == one.top and texts[start]:
                    texts[start:end] = [texts[start]] * (end - start)
            filled = pa.array(texts, pa.string())
            if not filled.equals(columns[column - 1]):
                found[column - 1] = filled
    return found


def are_shown(sheet: Sheet, first: int) -> np.ndarray:
    """Return which of the rows from this place on are not hidden, (n_rows,) bool."""
    return np.array([number not in sheet.marks.hidden_rows for number in sheet.numbers[first:]], dtype=bool)


def _read(content: bytes, sheet: str, marks: dict[str, SheetMarks]) -> Sheet:
    from openpyxl.reader.excel import ExcelReader

    reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=True)
    reader.read()
    book, path_of = reader.wb, {one.name: rel.target for one, rel in reader.parser.find_sheets()}
    names = tuple(page.title for page in book.worksheets)
    if sheet and sheet not in names:
        raise TableError(
            say("The workbook has no sheet {sheet}.", sheet=quoted(sheet)),
            say("Its sheets are {names}.", names=listed([quoted(name) for name in names])),
            say("Choose one of them."),
        )
    for page in sorted(book.worksheets, key=lambda page: page.sheet_state != "visible"):
        if sheet in ("", page.title):
            page.reset_dimensions()  # the declared size may include a million empty rows
            found = _rows(page)
            if found.rows or sheet:
                return found._replace(names=names, marks=marks.get(path_of.get(page.title, ""), SheetMarks()))
    return Sheet(names, [], [])


def _rows(page: Any) -> Sheet:
    """Return the rows that are not empty, with their numbers."""
    rows, places, texts, width = [], [], {}, 0
    found = itertools.islice(page.iter_rows(), MAX_ROWS + 100)
    for number, cells in enumerate(each(found, page.max_row or MAX_ROWS, say("Reading the rows")), 1):
        if row := _row(cells):
            rows.append(row)
            places.append(number)
            texts |= {i: number for i, cell in enumerate(row) if cells[i].data_type == "s" and DIGIT.search(cell)}
            width = max(width, len(row))
            check_shape(len(rows) - MOST_TITLE_LINES, width)
    return Sheet((), rows, places, texts=texts)


def _marks(archive: zipfile.ZipFile) -> dict[str, SheetMarks]:
    """Return the marks of all sheets by their paths.

    Raises TableError if a sheet has too many cell tags: empty cells too cost time and memory.
    """
    marks = {}
    for info in archive.infolist():
        if info.filename.startswith("xl/worksheets/") and not info.is_dir():
            with archive.open(info) as file:
                n_cells, found = 0, MarkReader()
                for part in read_parts(file):
                    n_cells += part.count(b"<c ") + part.count(b"<c/") + part.count(b"<c>")
                    if n_cells > MAX_CELLS:
                        raise too_many_cells(say("{n} or more", n=count(n_cells)))
                    found.read(part)
                marks[info.filename] = found.marks
    return marks


def _row(row: Any) -> Row:
    """Return the texts of openpyxl's cells."""
    cells = [_cell(cell.value, cell) for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _cell(value: Any, cell: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and (text := number_as_shown(value, cell.number_format)) is not None:
        return text
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    word = str(value).strip()
    check_cell(len(word), say("It begins with {text}.", text=quoted(word[:100])))
    return word
