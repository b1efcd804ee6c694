"""What a person is told of a table: errors, its limits, progress of reading, and exact texts of its values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from espalier.inert import inert
from espalier.language import in_style, say, to_say
from espalier.settings import MAX_CELL_CHARACTERS, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_MB

NOUNS = (  # of `counted`: the nouns that it is given, with their numbers
    *(to_say("{n} row"), to_say("{n} rows"), to_say("{n} blank row"), to_say("{n} blank rows")),
    *(to_say("{n} column"), to_say("{n} columns"), to_say("{n} empty column"), to_say("{n} empty columns")),
    *(to_say("{n} cell"), to_say("{n} cells"), to_say("{n} attribute"), to_say("{n} attributes")),
    *(to_say("{n} line"), to_say("{n} lines"), to_say("{n} character"), to_say("{n} characters")),
)


class TableError(ValueError):
    """Error of an unusable table: its text says what is wrong, where, and what to do about it."""

    def __init__(self, what: str, where: str, todo: str):
        super().__init__(" ".join(filter(None, (what, where, todo))))
        self.what, self.where, self.todo = what, where, todo

    def __reduce__(self):
        return TableError, (self.what, self.where, self.todo)


def listed(items: Sequence, most: int = 5) -> str:
    """Return the items as in a sentence: "2, 5 and 9", or the first few "and 12 more"."""
    texts = [str(item) for item in items[:most]]
    if len(items) > most:
        return say("{names} and {n} more", names=", ".join(texts), n=count(len(items) - most))
    return say("{first} and {last}", first=", ".join(texts[:-1]), last=texts[-1]) if texts[1:] else "".join(texts)


def counted(n: int, noun: str) -> str:
    """Return the number with its noun: "1 row", "2,000 rows"."""
    return say(f"{{n}} {noun}" if n == 1 else f"{{n}} {noun}s", n=count(n))


def count(n: int) -> str:
    """Return a number of things with the marks of the language that is spoken: "2,000"."""
    return in_style(f"{n:,}")


def quoted(text: str, most: int = 40) -> str:
    """Return the text in quotation marks, on one line, shortened."""
    plain = " ".join(str(text).split())
    return say("“{text}”", text=inert(f"{plain[: most - 1]}…" if len(plain) > most else plain))


# ---- the limits of a table, with their error messages; checked while a file is read, not after

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
            say("Leave columns out, or turn rows and columns round."),
        )


def too_many_rows(n_rows: int) -> TableError:
    """Return the error for too many rows."""
    return TableError(
        say("The table has too many rows: {n}.", n=count(n_rows)),
        say("The limit is {n} rows.", n=count(MAX_ROWS)),
        say("Take a random part: a tree hardly changes."),
    )


def too_many_cells(found: str) -> TableError:
    """Return the error for too many cells; `found` is their number, or that reached when reading stopped."""
    return TableError(
        say("The table has too many cells: {n}.", n=found),
        say("The limit is {n} cells.", n=count(MAX_CELLS)),
        say("Take some of the rows or columns."),
    )


def check_decoded(n_bytes: float) -> None:
    """Raise TableError for too large a content of a packed file."""
    if n_bytes > MAX_UNPACKED_MB * MB:
        raise TableError(
            say("The file has {n} MB or more unpacked.", n=count(round(n_bytes / MB))),
            say("The limit is {n} MB.", n=MAX_UNPACKED_MB),
            say("Take some of the rows or columns."),
        )


def check_cell(n_characters: int, where: str) -> None:
    """Raise TableError for too long a cell; `where` is a sentence."""
    if n_characters > MAX_CELL_CHARACTERS:
        raise too_long_cell(where)


def too_long_cell(where: str) -> TableError:
    """Return the error for a cell of too many characters; `where` is a sentence."""
    return TableError(
        say("A cell holds more than {n} characters.", n=count(MAX_CELL_CHARACTERS)),
        where,
        say("Close every quotation mark, or leave this column out."),
    )


# ---- progress of reading a file: readers report it, and a listener may receive it

T = TypeVar("T")
Listener = Callable[[float, str], None]  # called with a share from 0 to 1 of the present step, and the step's name

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Send all progress reported inside to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(share: float, step: str) -> None:
    """Report progress of the step to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(share, step)


def each(items: Iterable[T], total: int, step: str, every: int = 100) -> Iterator[T]:
    """Yield the items, and report progress before each hundredth."""
    for i, item in enumerate(items):
        if i % every == 0:
            tell(i / max(total, 1), step)
        yield item


# ---- exact texts of numbers and categories: nothing else in the project writes them

DIGITS_BELOW = 1e21  # whole numbers from here on have an exponent, as in JavaScript


# Equal values have equal texts, values that differ have texts that differ, and a number's text reads as that
# number. Exported Python has these functions, too (`export.python_cells`). Numbers for people are rounded
# elsewhere (`display.theme`).
def number_text(number: float) -> str:
    """Return the text of a number: of a whole one its digits, else the fewest digits that read as the same number.

    >>> [number_text(number) for number in (2.0, -0.0, 1 / 3, 0.1 + 0.2, 1e-7, 2**60 + 1, 1e22)]
    ['2', '0', '0.3333333333333333', '0.30000000000000004', '1e-07', '1152921504606846977', '1e+22']
    """
    if abs(number) < DIGITS_BELOW and number == int(number):
        return str(int(number))
    return repr(float(number))


def value_text(value: Any) -> str:
    """Return the text of a value that names a category: a text itself, "true", a number's text, or ``str(value)``.

    >>> [value_text(value) for value in ("3.0", 3.0, 3, True, np.float32(0.5))]
    ['3.0', '3', '3', 'true', '0.5']
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, Real) else str(value)  # type: ignore[arg-type]


def exact_number(text: str) -> float | int | None:
    """Return the number whose `number_text` this is, a whole one as int; None for any other text.

    >>> exact_number("1"), exact_number("0.30000000000000004"), exact_number("01"), exact_number("one")
    (1, 0.30000000000000004, None, None)
    """
    try:
        number = int(text) if text.removeprefix("-").isdecimal() else float(text)
        return number if math.isfinite(number) and number_text(number) == text else None
    except (ValueError, OverflowError):  # no number, or one of thousands of digits
        return None
