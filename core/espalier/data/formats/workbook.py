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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa

from espalier.data.columns import numbers
from espalier.data.errors import (
    MB,
    TableError,
    check_cell,
    check_columns,
    check_shape,
    count,
    each,
    listed,
    quoted,
    too_many_cells,
)
from espalier.data.formats.layout import MOST_TITLE_LINES
from espalier.data.formats.text import columns_of_rows
from espalier.language import say
from espalier.settings import MAX_CELLS, MAX_ROWS, MAX_UNPACKED_MB

PART = 1 << 20  # bytes of XML that are looked at together
LONGEST_TAG = 1 << 12  # bytes; the tags that count here are much shorter
MOST_RANGES = 100_000  # of merged cells
MOST_COLUMNS = 16_384  # of a sheet
HIDDEN_TAG = re.compile(rb"""<(?:\w+:)?(row|col)\s[^>]*?\bhidden=["'](?:1|true|on)["'][^>]*>""")
MERGED_TAG = re.compile(
    rb"""<(?:\w+:)?mergeCell\s[^>]*?\bref=["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']"""
)
PLACE = re.compile(rb"""\b(r|min|max)=["'](\d{1,7})["']""")
# Parts of a number format: a text or a sign as it is, what leaves a blank or fills the cell, a colour or place.
LITERAL = re.compile(r'"([^"]*)"|\\(.)|(_)(?:.)|\*.|\[[^\]]*\]')


# Merged cells, formats and hidden rows are read from the sheet's own XML (ECMA-376, part 1, chapter 18.3.1),
# which says more than openpyxl does where it only reads.
class MergedRange(NamedTuple):
    """Cells that are merged; rows and columns count from 1."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def name(self) -> str:
        """The range as spreadsheets name it: "B2:D2"."""
        from openpyxl.utils import get_column_letter  # which takes a while to import

        return f"{get_column_letter(self.left)}{self.top}:{get_column_letter(self.right)}{self.bottom}"


class SheetMarks(NamedTuple):
    """What is hidden and merged in a sheet; rows and columns count from 1."""

    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    merged: tuple[MergedRange, ...] = ()

    def tall(self, below: int) -> dict[int, list[MergedRange]]:
        """Return the ranges of one column and several rows below this row, by column, from the top.

        None overlap.
        """
        ranges: dict[int, list[MergedRange]] = {}
        for range_ in sorted(self.merged):
            if range_.top > below and range_.left == range_.right and range_.bottom > range_.top:
                there = ranges.setdefault(range_.left, [])
                if not there or there[-1].bottom < range_.top:
                    there.append(range_)
        return ranges

    def wide(self, rows: range) -> list[MergedRange]:
        """Return the ranges of several columns that begin in these rows."""
        return [range_ for range_ in self.merged if range_.top in rows and range_.right > range_.left]


def read_parts(file: IO[bytes]) -> Iterator[bytes]:
    """Yield XML in parts that end with the end of a tag."""
    rest = b""
    while part := file.read(PART):
        text = rest + part
        end = text.rfind(b">") + 1
        yield text[:end]
        rest = text[end:][-LONGEST_TAG:]


class MarkReader:
    """Collects the marks of a sheet from the parts of its XML."""

    def __init__(self) -> None:
        self._rows: set[int] = set()
        self._columns: set[int] = set()
        self._merged: list[MergedRange] = []

    def read(self, part: bytes) -> None:
        """Take in what a part says."""
        for tag in HIDDEN_TAG.finditer(part) if b"hidden" in part else ():
            place = {name: int(number) for name, number in PLACE.findall(tag[0])}
            if tag[1] == b"row":
                self._rows |= {place[b"r"]} if b"r" in place else set()
            elif b"min" in place:
                self._columns.update(range(max(place[b"min"], 1), min(place.get(b"max", 0), MOST_COLUMNS) + 1))
        if b"mergeCell" in part and len(self._merged) < MOST_RANGES:
            from openpyxl.utils import column_index_from_string

            for match in MERGED_TAG.finditer(part):
                left, right = (column_index_from_string(match[i].decode()) for i in (1, 3))
                self._merged.append(MergedRange(int(match[2]), left, int(match[4]), right))

    @property
    def marks(self) -> SheetMarks:
        """What was said so far."""
        return SheetMarks(frozenset(self._rows), frozenset(self._columns), tuple(self._merged[:MOST_RANGES]))


def number_as_shown(number: float, number_format: str) -> str | None:
    """Return the text of a number that its format makes percent or a code; None where the number itself counts.

    In percent the text has all digits of the number, not those that the cell shows.

    >>> number_as_shown(0.333, "0%"), number_as_shown(1067, "00000"), number_as_shown(12345678, "000-00-0000")
    ('33.3%', '01067', '012-34-5678')
    >>> number_as_shown(12.5, '0.0"%"'), number_as_shown(1067, "0.00") is None
    ('12.5%', True)
    """
    if number_format == "General":
        return None
    percent, code = _kind(number_format)
    if percent:
        return f"{Decimal(repr(number)).scaleb(2 if percent == '%' else 0):f}%"
    return _fill_format(int(number), code) if code and number == int(number) else None


@lru_cache(maxsize=1_000)
def _kind(number_format: str) -> tuple[str, tuple[str, ...]]:
    """Return "%" for percent, a sign in quotation marks for one that only stands there, and the parts of a code.

    A code has a zero for each of its digits, two at least, and else only signs that stand for themselves.
    """
    first = number_format.split(";")[0]
    bare = LITERAL.sub("", first)
    if "%" in bare:
        return "%", ()
    literal = "".join(match[1] or match[2] or "" for match in LITERAL.finditer(first))
    if "%" in literal and re.fullmatch("[#0?,]*[0?](\\.[0#?]*)?", bare.strip()):
        return '"%"', ()
    parts = tuple(_parts(first))
    digits = "".join(part for part in parts if part == "0")
    return "", parts if len(digits) > 1 and re.fullmatch("[0 ()+:–-]*", bare) else ()


def _parts(first: str) -> Iterable[str]:
    """Yield the signs of a format: "0" for a digit, others after an "=" as they stand."""
    end = 0
    for match in LITERAL.finditer(first):
        yield from (sign if sign == "0" else f"={sign}" for sign in first[end : match.start()])
        yield from (f"={sign}" for sign in match[1] or match[2] or (" " if match[3] else ""))
        end = match.end()
    yield from (sign if sign == "0" else f"={sign}" for sign in first[end:])


def _fill_format(number: int, parts: tuple[str, ...]) -> str:
    """Return the digits of a whole number in the places of a code; those too many stand in the first place."""
    n = parts.count("0")
    digits = str(abs(number)).zfill(n)
    places = iter([digits[: len(digits) - n + 1], *digits[len(digits) - n + 1 :]])
    text = "".join(next(places) if part == "0" else part[1:] for part in parts)
    return ("-" * (number < 0) + text).strip()


# ---- sheets as rows of text cells

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
            "",
            say("Remove the password, or save it as CSV."),
        )
    return TableError(
        say("This is a file of an older office program (.xls)."),
        "",
        say("Save it as .xlsx or CSV."),
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
    return columns_of_rows((row + [""] * (n_columns - len(row)) for row in rows), n_columns)


def join_names(sheet: Sheet) -> tuple[Sheet, tuple[str, ...]]:
    """Return the sheet with names in one row where merged cells part them in two, and those that were joined.

    The upper row has cells merged over several columns, and each column of the others has its name in one of both.
    """
    for i in range(min(MOST_TITLE_LINES, len(sheet.rows) - 1)):
        upper, lower, top = sheet.rows[i], sheet.rows[i + 1], sheet.numbers[i]
        over = {
            column - 1: upper[range_.left - 1]
            for range_ in sheet.marks.wide(range(top, top + 1))
            if range_.bottom == top and range_.left <= len(upper) and upper[range_.left - 1]
            for column in range(range_.left, min(range_.right, len(lower)) + 1)
        }
        both = list(itertools.zip_longest(upper, lower, fillvalue=""))
        beside = [pair for j, pair in enumerate(both) if j not in over]
        below = [lower[j] for j in over if lower[j]]
        if sum(map(bool, upper)) == 1 and upper[0]:
            continue  # a title
        is_named = len(below) > 1 and not any(map(numbers.looks_like_number, below))
        if is_named and sheet.numbers[i + 1] == top + 1 and not any(a and b for a, b in beside):
            names = [f"{over.get(j, a)} {b}".strip() for j, (a, b) in enumerate(both)]
            joined_sheet = sheet._replace(
                rows=[*sheet.rows[:i], names, *sheet.rows[i + 2 :]],
                numbers=[*sheet.numbers[:i], *sheet.numbers[i + 1 :]],
            )
            return joined_sheet, tuple(names[j] for j in over if lower[j])
    return sheet, ()


def merged_columns(columns: Sequence[pa.Array], sheet: Sheet, first: int) -> dict[int, pa.Array]:
    """Return those of the columns in which cells of several rows are merged, with the value in each of these rows.

    `first` is the place of the columns' first row among those of the sheet; the columns are named by position.
    """
    row_numbers = sheet.numbers[first:]
    full_columns = {}
    for column, ranges in sheet.marks.tall(sheet.numbers[first] - 1 if row_numbers else 0).items():
        if column <= len(columns):
            texts = columns[column - 1].to_pylist()
            for range_ in ranges:
                start, end = bisect_left(row_numbers, range_.top), bisect_right(row_numbers, range_.bottom)
                if start < end and row_numbers[start] == range_.top and texts[start]:
                    texts[start:end] = [texts[start]] * (end - start)
            full = pa.array(texts, pa.string())
            if not full.equals(columns[column - 1]):
                full_columns[column - 1] = full
    return full_columns


def are_shown(sheet: Sheet, first: int) -> np.ndarray:
    """Return which of the rows from this place on are not hidden, (n_rows,) bool."""
    return np.array([number not in sheet.marks.hidden_rows for number in sheet.numbers[first:]], dtype=bool)


def _read(content: bytes, sheet: str, marks: dict[str, SheetMarks]) -> Sheet:
    from openpyxl.reader.excel import ExcelReader

    reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=True)
    reader.read()
    book, path_of = reader.wb, {info.name: rel.target for info, rel in reader.parser.find_sheets()}
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
            rows_of_page = _rows(page)
            if rows_of_page.rows or sheet:
                return rows_of_page._replace(
                    names=names, marks=marks.get(path_of.get(page.title, ""), SheetMarks())
                )
    return Sheet(names, [], [])


def _rows(page: Any) -> Sheet:
    """Return the rows that are not empty, with their numbers."""
    rows, places, texts, width = [], [], {}, 0
    pages = itertools.islice(page.iter_rows(), MAX_ROWS + 100)
    for number, cells in enumerate(each(pages, page.max_row or MAX_ROWS, say("Reading the rows")), 1):
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
                n_cells, reader = 0, MarkReader()
                for part in read_parts(file):
                    n_cells += part.count(b"<c ") + part.count(b"<c/") + part.count(b"<c>")
                    if n_cells > MAX_CELLS:
                        raise too_many_cells(say("{n} or more", n=count(n_cells)))
                    reader.read(part)
                marks[info.filename] = reader.marks
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


def check_unpacked_size(archive: zipfile.ZipFile) -> None:
    """Refuse a zip whose files claim more than the limit. A zip cannot give more bytes than it claims."""
    if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED_MB * MB:
        raise too_large()


def check_kind(archive: zipfile.ZipFile) -> None:
    """Raise TableError for spreadsheets that are zips as .xlsx is, but with other files inside."""
    names = {info.filename for info in archive.infolist()}
    files_of_kinds = {
        ".xlsb": {"xl/workbook.bin"}, ".numbers": {"Index/Document.iwa"}, ".ods": {"mimetype", "content.xml"},
    }  # fmt: skip
    for kind, own in files_of_kinds.items():
        if own <= names:
            raise TableError(
                say("This is a spreadsheet of another kind ({kind}).", kind=kind),
                "",
                say("Save it as .xlsx or CSV."),
            )


def too_large() -> TableError:
    """Return the error for a packed file with more content than the limit."""
    return TableError(
        say("The file is too large once unpacked."),
        say("The limit is {n} MB.", n=MAX_UNPACKED_MB),
        say("Take some of its rows or columns."),
    )


def damaged_workbook(where: str) -> TableError:
    """Return the error for an Excel workbook that cannot be read."""
    return TableError(
        say("The Excel file is damaged."),
        where,
        say("Open it in a spreadsheet program and save it again."),
    )
