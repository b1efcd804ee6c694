"""Tables as CSV that is safe in spreadsheet programs: none of its texts is taken for a formula."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

# Characters that spreadsheets take for the beginning of a formula or a command (OWASP, "CSV Injection"), also
# after a mark at which a program may split cells, and in full width.
SIGNS = "[ \"']*[=+\\-@\uff1d\uff0b\uff0d\uff20]"
START = re.compile(rf"[\t\n]|{SIGNS}")
INSIDE = re.compile(rf"([\t\n;])(?={SIGNS})")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def to_csv(table: pd.DataFrame, has_header: bool = True) -> str:
    """Return CSV of the table without its index; a text that would be a formula gets an apostrophe before it.

    These are texts that begin with ``= + - @``, a tab or a line break, or have ``= + - @`` after a tab, a line
    break or a semicolon; the names of columns are treated likewise. Numbers, and texts that are numbers, stay as
    they are. Without `has_header` the names are left out, for the later parts of a table that is written in parts.

    >>> to_csv(pd.DataFrame({"x": ["=1+1", "-1", "plain"]}))
    "x\\n'=1+1\\n-1\\nplain\\n"
    """
    columns = {i: _harmless_column(table.iloc[:, i]) for i in range(table.shape[1])}
    names = [_harmless(str(name)) for name in table.columns] if has_header else False
    return pd.DataFrame(columns, index=table.index).to_csv(index=False, header=names, lineterminator="\n")


def _harmless_column(values: Any) -> Any:
    return values if pd.api.types.is_numeric_dtype(values) else values.astype(object).map(_harmless)


def _harmless(value: Any) -> Any:
    if not isinstance(value, str) or NUMBER.fullmatch(value):
        return value
    one_kind = re.sub("\r\n?", "\n", value)  # of line breaks: a lone carriage return would not be quoted
    inside = INSIDE.sub(r"\1'", one_kind)
    return f"'{inside}" if START.match(inside) else inside
