"""The part of exported Python that reads the cells of a row, from a dict or a list, as the file was read.

`ReadingSource` puts together what the columns of a tree need of the sources below: of numbers and categories,
then of dates, times of day and durations.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from espalier.data.columns import dates, units
from espalier.data.options import CLOCK, DAY, DURATION, MONTHS, WEEKDAYS, Moment, NumberFormat
from espalier.export.columns import ExportedColumn
from espalier.settings import MAX_NUMBER

T = TypeVar("T")


def sample_words(read: Iterable[ExportedColumn]) -> str:
    """Return what a sample may be, for the docstring of the source."""
    from_file = [column for column in read if column.origin]
    if not from_file:
        return "A sample is a dict from the names of columns to values."
    words = "A sample is a list of all cells of a row of the file, or a dict from names to cells."
    if any(column.name is None for column in from_file):
        words += "\n    Columns without a name of their own stand in a dict by their position, from 0."
    return words


class ReadingSource:
    """The source that reads the columns of a tree."""

    def __init__(self, read: Iterable[ExportedColumn]):
        self.read = list(read)
        self._missing = _names("MISSING", (column.origin.missing for column in self.read if column.origin))
        self._pooled = _names("POOLED", (column.pooled for column in self.read))
        self._units = _names("UNITS", (column.unit for column in self.read))
        self._moments = [column.moment for column in self.read if column.moment]
        self._moment_kinds = {_kind(moment) for moment in self._moments}
        self._has_numbers = any(column.is_number for column in self.read)
        self._has_words = any(not (column.is_number or column.moment) for column in self.read)

    @property
    def imports(self) -> str:
        """The imports that reading needs; empty if there are none."""
        lines = [
            "from datetime import date" * ("date" in self._moment_kinds),
            "from fractions import Fraction" * bool(self._units),
            "from numbers import Real" * self._has_words,
            "from re import fullmatch" * (self._has_numbers or bool(self._moments)),
            "from unicodedata import normalize" * bool(self._units),
        ]
        return "\n".join(filter(None, lines))

    def constants(self) -> Iterator[str]:
        """Yield lines with the missing texts, the pooled values and the marks of numbers."""
        if self._has_numbers:
            largest = MAX_NUMBER if any(column.origin for column in self.read) else sys.float_info.max
            yield f"LARGEST = {largest!r}  # a number beyond is missing"
        for texts, name in self._missing.items():
            yield from (f"{name} = {{  # texts that were read as missing", *_fill_lines(map(repr, texts)), "}")
        for texts, name in self._pooled.items():
            lines = _fill_lines(map(repr, texts))
            yield from (f"{name} = {{  # values that stand together as one category", *lines, "}")
        if self._units:
            yield f"WITH_UNIT = {units.NUMBER_WITH_UNIT!r}"
        for unit, name in self._units.items():
            sizes = (f"{name!r}: {size!r}" for name, size in units.conversions(unit).items())
            yield from (f"{name} = {{  # so many {unit} are one of each; None: unclear", *_fill_lines(sizes), "}")
        forms = [column.origin.format for column in self.read if column.origin and column.origin.format]
        yield from _formats({form.thousands for form in forms})
        if any(form.decorated for form in forms):
            from espalier.data.columns.numbers import NUMBER_WITH_SIGNS

            yield f"DECORATED = {NUMBER_WITH_SIGNS!r}"
        yield from _moment_constants(self._moments, self._moment_kinds)

    def call(self, column: ExportedColumn) -> str:
        """Return the source of a column's value: a number (nan if missing) or the name of a category (or None)."""
        position = column.origin.position if column.origin else None
        cell = f"_cell(sample, {column.name!r}, {position})"
        missing = self._missing.get(column.origin.missing, "") if column.origin else ""
        if column.moment:
            return _moment_call(column.moment, cell, missing, column.origin is not None and column.origin.is_lossy)
        pool = f", pool={column.pool!r}, pooled={self._pooled[column.pooled]}" if column.pooled else ""
        if not column.is_number:
            missing = (missing or "()") if column.origin else ""
            spellings = f", spelled={dict(column.spellings)!r}" if column.spellings else ""
            return f"_category({cell}{f', {missing}' if missing else ''}{pool}{spellings})"
        number = f"_number({cell}{self._format(column)})"
        if column.unit:
            number = f"_measured({cell}, {self._units[column.unit]}{self._format(column)})"
        return f"_label({number}{pool})" if column.names else number

    def row(self) -> Iterator[str]:
        """Yield the source of a function ``_read(sample)`` for all columns by their keys."""
        yield "\n\ndef _read(sample):"
        yield '    """The columns that the tree asks for: numbers (nan: missing), names of categories (None)."""'
        yield "    return {"
        yield from (f"        {column.key!r}: {self.call(column)}," for column in self.read)
        yield "    }"

    def functions(self) -> str:
        """Return the source of the functions that `call` needs."""
        words, labels = self._has_words, any(column.is_number and column.names for column in self.read)
        parts = [CELL, (NUMBER + SIGNS) * self._has_numbers, MEASURE * bool(self._units)]
        parts += [LABEL * labels, (CATEGORY + TEXT) * words]
        parts += [DIGITS * (words or self._has_numbers), POOL * (words or labels)]
        sources = {"date": DATE_SOURCE, CLOCK: CLOCK_SOURCE, DURATION: DURATION_SOURCE}
        parts += [
            SECONDS * bool(self._moments),
            *(sources[kind] for kind in sources if kind in self._moment_kinds),
        ]
        return "".join(parts) if self.read else ""

    def _format(self, column: ExportedColumn) -> str:
        if column.origin is None:
            return ""
        form = column.origin.format or NumberFormat()
        settings = {"missing": self._missing.get(column.origin.missing, "")}
        settings |= {"thousands": repr(form.thousands) * bool(form.thousands)}
        settings |= {"decimal": repr(form.decimal) * (form.decimal != ".")}
        settings |= {"decorated": "True" * form.decorated, "percent": "True" * form.percent}
        settings |= {"lossy": "True" * column.origin.is_lossy}
        return "".join(f", {name}={value}" for name, value in settings.items() if value)


def _fill_lines(parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts separated by commas, as many on a line as fit."""
    line = "   "
    for part in parts:
        if len(line) > 4 and len(line) + len(part) > 100:
            yield line
            line = "   "
        line += f" {part},"
    yield line


def _names(name: str, values: Iterable[T]) -> dict[T, str]:
    """Return a name for each value that is not empty: "UNITS", "UNITS_2", …"""
    distinct = dict.fromkeys(value for value in values if value)
    return {value: f"{name}_{n}" if n > 1 else name for n, value in enumerate(distinct, start=1)}


def _formats(thousands: set[str]) -> Iterator[str]:
    """Yield, for the marks between thousands, the pattern of such numbers and the characters to remove."""
    from espalier.data.columns.numbers import GROUPS, SPACES

    marks = {",": ",", ".": ".", " ": SPACES, "'": "'’"}
    groups = sorted(mark for mark in thousands if mark)
    if not groups:
        return
    yield f"GROUPS = {{{', '.join(f'{mark!r}: {GROUPS[mark]!r}' for mark in groups)}}}"
    yield f"MARKS = {{{', '.join(f'{mark!r}: {marks[mark]!r}' for mark in groups)}}}"


def _moment_constants(moments: Iterable[Moment], kinds: set[str]) -> Iterator[str]:
    """Yield lines with the patterns of cells and the names of months and weekdays."""
    if "date" in kinds:
        yield f"EPOCH = {719163}  # the number that Python gives the first day of 1970"
        yield f"SHORT_MONTHS = {dates.SHORT_MONTHS.split()!r}"
        yield f"YEAR_FIRST = {dates.YEAR_FIRST!r}"
        for form in sorted({_order(moment) for moment in moments if _kind(moment) == "date"}):
            yield f"{form.upper()} = {dates.PATTERNS[form]!r}"
        yield f"MONTHS = {MONTHS!r}"
        yield f"WEEKDAYS = {WEEKDAYS!r}"
    if CLOCK in kinds:
        yield f"TIMES_OF_DAY = {dates.CLOCK_PATTERNS!r}"
    if DURATION in kinds:
        yield f"DURATIONS = {dates.DURATION_PATTERNS!r}"
        yield f"SIZES = {dates.SECONDS!r}"


def _moment_call(moment: Moment, cell: str, missing: str, is_lossy: bool) -> str:
    """Return the source of a feature's value: a number (nan if missing) or the name of a category (or None)."""
    readers = {"date": f"_date, {_order(moment).upper()}", CLOCK: "_clock", DURATION: "_duration"}
    seconds = f"_seconds({cell}, {missing or '()'}, {readers[_kind(moment)]}{', lossy=True' * is_lossy})"
    if moment.part in ("date", CLOCK, DURATION):
        since = f"({seconds} - {moment.since * DAY})" if moment.since else seconds
        return f"{since} / {moment.unit}" if moment.unit != 1 else since
    return f"_part({seconds}, {moment.part!r})"


def _kind(moment: Moment) -> str:
    return moment.part if moment.part in (CLOCK, DURATION) else "date"


def _order(moment: Moment) -> str:
    return moment.form if moment.form in dates.PATTERNS else "dmy"


CELL = '''

def _cell(sample, name, position):
    """The cell of a column: of a dict by the column's name, of a list or tuple by its position."""
    key = position if name is None or isinstance(sample, (list, tuple)) else name
    try:
        return sample[key]
    except (KeyError, IndexError, TypeError):
        where = "" if position is None else f" (position {position}, counted from 0)"
        raise KeyError(f"the sample has no column {name!r}{where}") from None


def _is_missing(value):
    """Whether a cell holds nothing: None, nan, or what pandas writes for it."""
    return value is None or (not isinstance(value, str) and str(value) in ("nan", "NaN", "NaT", "<NA>"))'''
NUMBER = r'''

def _number(value, missing=(), thousands="", decimal=".", decorated=False, percent=False, lossy=False):
    """The number in a cell; nan where it is missing. A text that is no number is an error, or missing if lossy."""
    if _is_missing(value):
        return nan
    if not isinstance(value, str):
        number = float(value)
        return number if abs(number) <= LARGEST and _digits(number) not in missing else nan
    text = value.strip()
    if not text or text in missing:
        return nan
    plain = _plain(_undecorated(text) if decorated else text, thousands, decimal)
    if percent and "%" in text:
        plain += "e-2"  # a fraction
    if fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", plain):
        return float(plain) if abs(float(plain)) <= LARGEST else nan
    if lossy or fullmatch(r"(?i)[+-]?(inf|infinity|nan)", plain):
        return nan
    raise ValueError(f"{value!r} is no number as the file writes them")


def _plain(text, thousands, decimal):
    """The text of a number with a point for the decimal mark, and without marks between thousands."""
    if thousands and fullmatch(GROUPS[thousands], text):
        text = "".join(c for c in text if c not in MARKS[thousands])
    if decimal == ",":
        text = text.replace(".", "?").replace(",", ".", 1)  # a point is no decimal mark here
    return text.replace("\u2212", "-", 1)'''
SIGNS = r'''


def _undecorated(text):
    """The text of a number without the sign of a currency or of percent; in brackets it is below 0."""
    parts = fullmatch(DECORATED, text)
    if not parts:
        return text
    marks = parts["open"] + parts["open2"] + parts["sign"] + parts["inner"]
    return text if len(marks) > 1 else ("-" if marks in ("(", "-", "\u2212") else "") + parts["number"]'''
MEASURE = r'''


def _measured(value, units, missing=(), lossy=False, **marks):
    """The number in a text with a unit, in the unit that the tree asks about; a number is in that one already."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or text in missing:
        return _number(value, missing)
    parts = fullmatch(WITH_UNIT, text)
    unit = normalize("NFKC", parts["unit"]) if parts else ""
    size = units.get(unit, units.get(unit.casefold()))
    if size is None and not lossy:
        raise ValueError(f"{value!r} is no number with a unit as the file writes them")
    number = nan if size is None else _number(parts["number"], lossy=lossy, **marks)
    return float(Fraction(repr(number)) * size) if number == number else nan'''
CATEGORY = '''

def _category(value, missing=None, pool=None, pooled=(), spelled={}):
    """The name of a category; None where it is missing. See `_text`."""
    if _is_missing(value):
        return None
    if not isinstance(value, str):
        value = _text(value)
    if missing is not None:
        value = value.strip()
        if value in missing:
            return None
    return _of_pool(spelled.get(value, value), pool, pooled)'''
LABEL = '''

def _label(number, pool=None, pooled=()):
    """The name of a category that is a number; None where it is missing."""
    return None if number != number else _of_pool(_digits(number), pool, pooled)'''
TEXT = '''

def _text(value):
    """The one text of a value: "true" or "false", a number as `_digits` writes it, or that of `str`."""
    if str(value) in ("True", "False"):
        return str(value).lower()
    return _digits(value) if isinstance(value, Real) else str(value)'''
DIGITS = '''

def _digits(number):
    """The one text of a number: the digits of a whole one, else the fewest that read as the same number."""
    if abs(number) < 1e21 and number == int(number):
        return str(int(number))
    return repr(float(number))'''
POOL = '''

def _of_pool(name, pool, pooled):
    """The category; the pool for what stands in it, and None, as for any unknown one, for the pool's own name."""
    if name in pooled:
        return pool
    return None if name == pool else name'''

SECONDS = r'''

def _seconds(value, missing, read, *more, lossy=False):
    """The seconds that `read` finds in a cell; nan where it is missing, and for other texts if lossy."""
    text = "" if _is_missing(value) else str(value).strip()
    if not text or text in missing:
        return nan
    seconds = read(text.lower(), *more)
    if seconds is None and not lossy:
        raise ValueError(f"{value!r} is no date or time as the file writes them")
    return nan if seconds is None else seconds


def _amount(text):
    """The number in a part of a text; 0 where the part is not there."""
    return float((text or "0").replace(",", "."))


def _time(found):
    """The seconds since midnight; None for a time that no clock shows."""
    hour, minute, second = int(found["H"]), int(found["M"] or 0), _amount(found["S"])
    if hour > (12 if found["half"] else 23) or minute > 59 or second >= 60 or (found["half"] and not hour):
        return None
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"] == "p")
    return hour * 3600 + minute * 60 + second'''
DATE_SOURCE = r'''


def _date(text, order):
    """The seconds from the beginning of 1970 (UTC) to a date."""
    found = fullmatch(YEAR_FIRST, text) or fullmatch(order, text)
    if not found:
        return None
    year, month = int(found["y"]), found["m"]
    if len(found["y"]) == 2:
        year += 2000 if year < 69 else 1900
    month = int(month) if month.isdecimal() else SHORT_MONTHS.index(month[:3]) % 12 + 1
    try:
        days = date(year, month, int(found["d"] or 1)).toordinal() - EPOCH
    except ValueError:
        return None
    seconds = _time(found) if found["H"] else 0
    if seconds is None:
        return None
    zone = found["zone"] or "+0"
    digits = zone[1:].replace(":", "")
    digits = "0" * (len(digits) % 2) + digits
    ahead = 3600 * int(digits[:2]) + 60 * int(digits[2:] or 0)
    return days * 86400.0 + seconds - (-ahead if zone[0] == "-" else ahead)


def _part(seconds, part):
    """The name of a date's month or weekday, None if missing, or its year, day or hour, nan if missing."""
    if seconds != seconds:
        return None if part in ("month", "weekday") else nan
    day = date.fromordinal(int(seconds // 86400) + EPOCH)
    if part == "hour":
        return seconds % 86400 // 3600
    if part in ("month", "weekday"):
        return MONTHS[day.month - 1] if part == "month" else WEEKDAYS[day.weekday()]
    return float(day.year if part == "year" else day.day)'''
CLOCK_SOURCE = r'''


def _clock(text):
    """The seconds from midnight to a time of day."""
    for pattern in TIMES_OF_DAY:
        found = fullmatch(pattern, text)
        if found:
            return _time({"M": None, "S": None, "half": None, **found.groupdict()})
    return None'''
DURATION_SOURCE = r'''


def _duration(text):
    """The seconds that a duration lasts."""
    for pattern in DURATIONS:
        found = fullmatch(pattern, text)
        if found and any(found.groups()):
            return sum(_amount(found[name]) * size for name, size in SIZES.items() if name in found.groupdict())
    return None'''
