"""What the tables are made of: columns of cells in turn, days, numbers as Germans write them, workbooks."""

from __future__ import annotations

import datetime
import io
from itertools import cycle, islice
from typing import Any, NamedTuple

import openpyxl

from tests.data.reading.tables.truth import TABLES, KnownTable

N = 24
WINDOWS: dict[str, Any] = {"end": "\r\n", "encoding": "cp1252"}
MARKED: dict[str, Any] = {"end": "\r\n", "encoding": "utf-8-sig"}  # by a byte order mark


def turns(values, n=N):
    """The values one after the other, again and again, n in all."""
    return list(islice(cycle(values), n))


def series(form, start: float, step: float = 1, n=N):
    """Equal steps from the start on, each written in this form: a format of Python, or a function."""
    write = form.format if isinstance(form, str) else form
    return [write(start + step * i) for i in range(n)]


def days(first, form="", step=9, n=N) -> list[Any]:
    """n days from the first (ISO) on; as texts where a form is given."""
    start = datetime.date.fromisoformat(first)
    dates = [start + datetime.timedelta(days=step * i) for i in range(n)]
    return [date.strftime(form) for date in dates] if form else dates


def german(x, places=2):
    """The number with points between thousands and a decimal comma."""
    whole, part = f"{x:,.{places}f}".split(".") if places else (f"{x:,.0f}", "")
    return whole.replace(",", ".") + ("," + part if part else "")


def lines(*rows, end="\n"):
    """The rows as one text."""
    return end.join(rows) + end


def file(what, filename, n_rows=N, target="", asks=()):
    """Add the table whose content, and truth of its columns, the function returns."""

    def add(make):
        def known_table():
            content, truth = make()
            return KnownTable(what, filename, content, truth, n_rows, asks, target)

        TABLES[make.__module__].append(known_table)
        return make

    return add


class Text(NamedTuple):
    """A file of text: how it is written, what lines stand above its names, under them, and below the rows."""

    what: str
    filename: str
    delimiter: str = ","
    n_rows: int = N
    target: str = ""
    asks: tuple[str, ...] = ()
    quote: str = ""
    header: str | None = None  # in place of the names
    above: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    end: str = "\n"
    encoding: str = "utf-8"


def table_of(text, columns):
    """The table in a text of these columns: by name the cells, which go on in turns, and the truth."""
    cells, truth = cells_and_truth(columns, text.n_rows)
    names, *rows = (
        text.delimiter.join(f"{text.quote}{cell}{text.quote}" for cell in row)
        for row in zip(*([name, *column] for name, column in cells.items()), strict=True)
    )
    heads = [names] if text.header is None else [text.header] if text.header else []
    content = lines(*text.above, *heads, *text.under, *rows, *text.below, end=text.end).encode(text.encoding)
    return KnownTable(text.what, text.filename, content, truth, text.n_rows, text.asks, text.target)


def cells_and_truth(columns, n=N):
    """Part columns into their cells, in turns, and what is true of them."""
    cells = {name: turns(cells, n) for name, (cells, _) in columns.items()}
    return cells, {name: truth for name, (_, truth) in columns.items()}


def workbook(rows, formats=None, sheet="Tabelle1"):
    """The bytes of a workbook with one sheet; number formats by column."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = sheet
    for row in rows:
        page.append(row)
    for column, format_ in (formats or {}).items():
        for cell in page[column][1:]:
            cell.number_format = format_
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
