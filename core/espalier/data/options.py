"""How cells are read: options of a file, guessed first, then corrected by the user; and features made of dates."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import date
from string import ascii_letters
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from espalier.language import to_say

DELIMITERS = {
    ",": to_say("comma"), ";": to_say("semicolon"), "\t": to_say("tab"), "|": to_say("vertical bar"),
    " ": to_say("spaces"),
}  # fmt: skip
QUOTES = {'"': to_say("double quotes"), "'": to_say("single quotes"), '\\"': to_say('double quotes, \\" inside')}
ENCODINGS = {  # with names that people know
    "utf-8": "UTF-8", "utf-8-sig": to_say("UTF-8 with a mark (BOM)"),
    "utf-8 + cp1252": to_say("UTF-8, some words Windows-1252"),
    "utf-16": "UTF-16", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE", "utf-32": "UTF-32",
    "cp1252": to_say("Western European (Windows-1252)"), "latin-1": to_say("Western European (ISO-8859-1)"),
    "mac_roman": to_say("Western European (Mac Roman)"), "cp850": to_say("Western European (DOS, cp850)"),
    "cp1250": to_say("Central European (Windows-1250)"), "iso8859_2": to_say("Central European (ISO-8859-2)"),
    "cp852": to_say("Central European (DOS, cp852)"), "cp1251": to_say("Cyrillic (Windows-1251)"),
    "koi8_r": to_say("Russian (KOI8-R)"), "cp866": to_say("Cyrillic (DOS, cp866)"),
    "cp1253": to_say("Greek (Windows-1253)"), "cp1254": to_say("Turkish (Windows-1254)"),
    "cp1255": to_say("Hebrew (Windows-1255)"), "cp1256": to_say("Arabic (Windows-1256)"),
    "cp1257": to_say("Baltic (Windows-1257)"), "cp874": to_say("Thai (Windows-874)"),
    "gb18030": to_say("Chinese, simplified (GBK, GB18030)"), "big5": to_say("Chinese, traditional (Big5)"),
    "cp932": to_say("Japanese (Shift-JIS)"), "euc_jp": to_say("Japanese (EUC-JP)"),
    "cp949": to_say("Korean (EUC-KR)"),
}  # fmt: skip
DECIMALS = {".": to_say("point"), ",": to_say("comma")}
THOUSANDS = {
    "": to_say("no mark"), ",": to_say("comma"), ".": to_say("point"), " ": to_say("space"),
    "'": to_say("apostrophe"),
}  # fmt: skip
MISSING = (  # texts that are read as missing in any column …
    "", "NA", "N/A", "n/a", "#N/A", "?", "nan", "NaN", "NAN", "null", "NULL", "Null", "<NA>",
    "NaT", "\\N",  # of pandas, and of databases
    "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!",  # errors of spreadsheets
    "#NV", "#WERT!", "#BEZUG!", "#ZAHL!", "#VALEUR!", "#NOM?", "#NOMBRE!",  # in German and French
)  # fmt: skip
MAYBE_MISSING = (  # … and only if the rest of the column is numbers: among words they may well be a value
    "-", "--", ".", "None", "none", "na", "nil", "missing", "Missing", "unknown", "NIL",
    "k.A.", "k. A.", "keine Angabe", "fehlt", "weiß nicht", "n.b.", "n. b.", "n.v.",
    "n.a.", "N.A.", "n.d.", "N.D.", "ND", "NR", ":", "..", "...", "---", "–", "—", "−", "./.", "*",
    "._", *(f".{letter}" for letter in ascii_letters),  # of Stata and SAS
)  # fmt: skip
CODES = (-9.0, -99.0, -999.0, -9999.0, 999.0, 9999.0)  # numbers that often mean missing; offered, never guessed


class NumberFormat(NamedTuple):
    """Number format of one column in its file."""

    decimal: str = "."  # the decimal mark
    thousands: str = ""  # the separator of groups of three; empty for none
    decorated: bool = False  # with currency or percent signs, or with brackets for a minus: "$1,234.50", "(12)"
    percent: bool = False  # whether "12 %" is 0.12, as guesses have it; else its sign is left off: 12
    unit: str = ""  # of the numbers, if cells have units, which may be others of its dimension: "500 g" in kg

    def __repr__(self) -> str:
        """Return the call that makes the record; digests of tables are taken of it."""
        return _call(self, "decorated")


AS_TEXT = NumberFormat("")  # of a column that is text, though its cells could be numbers


class ReadOptions(NamedTuple):
    """Options of reading a file. Those that do not apply to its format are ignored.

    An empty encoding, delimiter or decimal mark is guessed: the delimiter together with the quotation mark and
    the first line of the table, the decimal mark together with the thousands separator and the columns in other
    formats.
    """

    format: str = "text"  # "text", "excel", "parquet", "arff" or "json"
    encoding: str = "utf-8"
    skip: int = 0  # lines or rows before the table begins
    delimiter: str = ","
    header: bool = True  # whether the first row holds the names of the columns
    decimal: str = "."
    thousands: str = ""
    missing: tuple[str, ...] = MISSING
    sheet: str = ""  # of a workbook; empty for its first one
    formats: tuple[tuple[int, NumberFormat], ...] = ()  # formats of deviating columns, by position
    quote: str = '"'  # encloses cells of a text; guessed with the delimiter
    hidden_rows: bool = True  # whether rows that a workbook hides, as by a filter, are read, too
    hidden_columns: bool = True
    fill_merged: bool = True  # whether cells merged over rows give their value to each of them
    fill_down: tuple[int, ...] = ()  # positions of columns whose empty cells have the value above

    def __repr__(self) -> str:
        """Return the call that makes the record; digests of tables are taken of it."""
        return _call(self, "formats")

    def number_format(self, position: int) -> NumberFormat:
        """Return the number format of the column at this position."""
        return dict(self.formats).get(position, NumberFormat(self.decimal, self.thousands))


def _call(record: Any, last: str) -> str:
    """Return the call that makes a record; fields that came later than this one only where they say something."""
    later = record._fields[record._fields.index(last) + 1 :]
    values = {n: x for n, x in record._asdict().items() if n not in later or x != record._field_defaults[n]}
    return f"{type(record).__name__}({', '.join(f'{name}={value!r}' for name, value in values.items())})"


def all_guessed(format_: str) -> ReadOptions:
    """Return options that leave everything but the format to guesses."""
    return ReadOptions(format_, encoding="", delimiter="", decimal="")


# ---- features made of dates, times of day and durations: what people would work out from such a column by hand

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CYCLES = {"month": MONTHS, "weekday": WEEKDAYS}  # parts that are categories, in the order of the calendar
DATE_PARTS = ("date", "year", "month", "weekday", "day", "hour")
CLOCK, DURATION = "time of day", "duration"
PARTS = (*DATE_PARTS, CLOCK, DURATION)
FORMS = ("ymd", "dmy", "mdy", "dby")  # orders of day, month and year; the last is 01JAN2020
EPOCH = date(1970, 1, 1).toordinal()
DAY, HOUR, MINUTE, SECOND = 86_400, 3_600, 60, 1  # in seconds


class Moment(NamedTuple):
    """How a feature is worked out from a column of dates, times of day or durations.

    A "date" counts its unit (from `since`, in UTC), a "time of day" from midnight. Months and weekdays are
    categories with English names; "year", "day" (of the month) and "hour" are the numbers in the calendar.
    """

    column: str  # its name in the table
    part: str  # one of PARTS
    form: str = "ymd"  # one of FORMS: order of day, month and year in the column, unless the year comes first
    unit: int = DAY  # of a date, a time of day or a duration: seconds that are 1 in the feature
    since: int = 0  # of a date: the day from which it counts, in days since the beginning of 1970


def first_day(moment: Moment | None) -> int | None:
    """Return the day from which a feature counts days, in days since the beginning of 1970; None: it does not."""
    is_day = moment is not None and moment.part == "date" and moment.unit == DAY
    return moment.since if moment is not None and is_day else None


def calendar_day(x: float, since: int = 0) -> date:
    """Return the day so many days after the first one (`first_day`), or the nearest that a calendar has.

    >>> str(calendar_day(18717))
    '2021-03-31'
    """
    last = date.max.toordinal()
    return date.fromordinal(round(min(max(x + since + EPOCH, 1), last)))


def days_until(when: date, since: int = 0) -> float:
    """Return the number of days from the first one until this day.

    >>> days_until(date(2021, 3, 31))
    18717.0
    """
    return float(when.toordinal() - EPOCH - since)


def feature_name(column: str, part: str) -> str:
    """Return the name of the feature: the column's own for the date itself, else with its part.

    >>> feature_name("ordered", "date"), feature_name("ordered", "month")
    ('ordered', 'ordered (month)')
    """
    return f"{column} ({part})" if part in DATE_PARTS[1:] else column


# ---- records as JSON has them: for the file of a session, and for the process that reads tables


def to_plain(value: Any) -> Any:
    """Return the value as JSON has it: records are objects, tuples are lists.

    >>> to_plain((NumberFormat(","), None))
    [{'decimal': ',', 'thousands': '', 'decorated': False, 'percent': False, 'unit': ''}, None]
    """
    if hasattr(value, "_asdict"):
        return to_plain(value._asdict())
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    return [to_plain(item) for item in value] if isinstance(value, tuple | list) else value


def from_plain(kind: Any, plain: Any, where: str = "value") -> Any:
    """Return the value of this type that `to_plain` was given; fields that are not there have their defaults.

    Raises ValueError, with the path of the field behind `where`, for anything else.
    """
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if plain is None else from_plain(next(k for k in inside if k is not NoneType), plain, where)
    if hasattr(kind, "_fields") and isinstance(plain, Mapping):
        hints = _hints(kind)
        missing = [name for name in kind._fields if name not in plain and name not in kind._field_defaults]
        if missing:
            raise ValueError(f"{where}.{missing[0]}")
        there = [name for name in kind._fields if name in plain]
        return kind(**{name: from_plain(hints[name], plain[name], f"{where}.{name}") for name in there})
    if origin in (dict, Mapping) and isinstance(plain, Mapping):
        return {key: from_plain(inside[1], item, where) for key, item in plain.items()}
    if origin is tuple and isinstance(plain, list):
        kinds = [inside[0]] * len(plain) if inside[-1] is Ellipsis else inside
        if len(kinds) == len(plain):
            return tuple(from_plain(k, item, where) for k, item in zip(kinds, plain, strict=True))
    if type(plain) is kind or (origin is Literal and plain in inside):
        return plain
    raise ValueError(where)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
