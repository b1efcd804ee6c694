"""What the tables are made of: cells in turn, days, numbers as Germans write them, workbooks."""

from __future__ import annotations

import datetime
import io
from itertools import cycle, islice

import openpyxl

N = 24


def turns(values, n=N):
    """The values one after the other, again and again, n in all."""
    return list(islice(cycle(values), n))


def turned(*columns):
    """The columns side by side, in rows; the cells of a tuple go on in turns."""
    return zip(*(turns(column) if isinstance(column, tuple) else column for column in columns), strict=True)


def days(first, n=N, step=9):
    """n days from the first (ISO) on."""
    start = datetime.date.fromisoformat(first)
    return [start + datetime.timedelta(days=step * i) for i in range(n)]


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


def german(x, places=2):
    """The number with points between thousands and a decimal comma."""
    whole, part = f"{x:,.{places}f}".split(".") if places else (f"{x:,.0f}", "")
    return whole.replace(",", ".") + ("," + part if part else "")
