"""What a sheet says beside the values of its cells: hidden rows and columns, merged cells, number formats.

They are read from the sheet's own XML (ECMA-376, part 1, chapter 18.3.1), which says more than openpyxl does
where it only reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import IO, NamedTuple

PART = 1 << 20  # bytes of XML that are looked at together
LONGEST_TAG = 1 << 12  # bytes; the tags that count here are much shorter
MOST_RANGES = 100_000  # of merged cells
MOST_COLUMNS = 16_384  # of a sheet
HIDDEN = re.compile(rb"""<(?:\w+:)?(row|col)\s[^>]*?\bhidden=["'](?:1|true|on)["'][^>]*>""")
MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?\bref=["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']""")
PLACE = re.compile(rb"""\b(r|min|max)=["'](\d{1,7})["']""")
# Parts of a number format: a text or a sign as it is, what leaves a blank or fills the cell, a colour or place.
LITERAL = re.compile(r'"([^"]*)"|\\(.)|(_)(?:.)|\*.|\[[^\]]*\]')


class MergedRange(NamedTuple):
    """Cells that are merged; rows and columns count from 1."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def name(self) -> str:
        """The range as spreadsheets name it: "B2:D2"."""
        return f"{column_letters(self.left)}{self.top}:{column_letters(self.right)}{self.bottom}"


class SheetMarks(NamedTuple):
    """What is hidden and merged in a sheet; rows and columns count from 1."""

    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    merged: tuple[MergedRange, ...] = ()

    def tall(self, below: int) -> dict[int, list[MergedRange]]:
        """Return the ranges of one column and several rows below this row, by column, from the top.

        None overlap.
        """
        found: dict[int, list[MergedRange]] = {}
        for one in sorted(self.merged):
            if one.top > below and one.left == one.right and one.bottom > one.top:
                there = found.setdefault(one.left, [])
                if not there or there[-1].bottom < one.top:
                    there.append(one)
        return found

    def wide(self, rows: range) -> list[MergedRange]:
        """Return the ranges of several columns that begin in these rows."""
        return [one for one in self.merged if one.top in rows and one.right > one.left]


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
        if b"hidden" in part:
            for tag in HIDDEN.finditer(part):
                place = {name: int(number) for name, number in PLACE.findall(tag[0])}
                if tag[1] == b"row":
                    self._rows.update(place[name] for name in (b"r",) if name in place)
                else:
                    last = min(place.get(b"max", 0), MOST_COLUMNS)
                    self._columns.update(range(max(place.get(b"min", last + 1), 1), last + 1))
        if b"mergeCell" in part and len(self._merged) < MOST_RANGES:
            ends = (match.groups() for match in MERGED.finditer(part))
            self._merged += [
                MergedRange(int(top), _number(left), int(bottom), _number(right))
                for left, top, right, bottom in ends
            ]

    @property
    def marks(self) -> SheetMarks:
        """What was said so far."""
        return SheetMarks(frozenset(self._rows), frozenset(self._columns), tuple(self._merged[:MOST_RANGES]))


def column_letters(column: int) -> str:
    """Return the name of a column, counted from 1.

    >>> column_letters(28)
    'AB'
    """
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


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
    return _filled(int(number), code) if code and number == int(number) else None


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


def _filled(number: int, parts: tuple[str, ...]) -> str:
    """Return the digits of a whole number in the places of a code; those too many stand in the first place."""
    n = parts.count("0")
    digits = str(abs(number)).zfill(n)
    places = iter([digits[: len(digits) - n + 1], *digits[len(digits) - n + 1 :]])
    text = "".join(next(places) if part == "0" else part[1:] for part in parts)
    return ("-" * (number < 0) + text).strip()
