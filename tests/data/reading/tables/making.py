"""What the tables are made of: columns of cells in turn, days, numbers as Germans write them, workbooks."""

from __future__ import annotations

import datetime
import io
from functools import wraps
from itertools import cycle, islice
from typing import Any

import openpyxl

from tests.data.reading.tables.truth import TABLES, KnownTable

N = 24


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


def table(what, filename, delimiter=",", n_rows=N, target="", asks=(), **layout):
    """Add the table whose columns the function returns: by name the cells, which go on in turns, and the truth."""

    def add(make):
        @wraps(make)
        def content_and_truth():
            cells, truth = cells_and_truth(make(), n_rows)
            return written(cells, delimiter, **layout), truth

        return file(what, filename, n_rows, target, asks)(content_and_truth)

    return add


def cells_and_truth(columns, n=N):
    """Part columns into their cells, in turns, and what is true of them."""
    cells = {name: turns(cells, n) for name, (cells, _) in columns.items()}
    return cells, {name: truth for name, (_, truth) in columns.items()}


def written(columns, delimiter, quote="", header=None, above=(), under=(), below=(), end="\n", encoding="utf-8"):
    """The bytes of a text with these columns, and lines above the header, under it, and below the rows."""
    names, *rows = (
        delimiter.join(f"{quote}{cell}{quote}" for cell in row)
        for row in zip(*([name, *cells] for name, cells in columns.items()), strict=True)
    )
    heads = [names] if header is None else [header] if header else []
    return lines(*above, *heads, *under, *rows, *below, end=end).encode(encoding)


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
