"""One reader per format: bytes to columns of text cells or of values, with the options that were used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute

from core.data import arff, cells, records, text, workbook
from core.data.errors import counted, listed, quoted
from core.data.options import ReadOptions

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them


class Raw(NamedTuple):
    """A file taken apart, before names are made unique and limits checked."""

    names: list[str]
    columns: list[pa.Array | pd.Series]  # text cells, or values of a format with types
    options: ReadOptions
    notes: tuple[str, ...] = ()
    categories: Mapping[int, tuple[str, ...]] = MappingProxyType({})  # column → its declared values
    sheets: tuple[str, ...] = ()  # of a workbook


def read_text(content: bytes, options: ReadOptions | None) -> Raw:
    """CSV and its relatives, by the options or by guesses."""
    if options is None:
        options = ReadOptions(encoding=text.guess_encoding(content))
        characters = text.decode(content, options.encoding)
        options = text.guess_layout(characters, options)
        return _guessed(text.split_cells(characters, options), options)
    return _with_header(text.split_cells(text.decode(content, options.encoding), options), options)


def read_excel(content: bytes, options: ReadOptions | None) -> Raw:
    """A sheet of an Excel workbook (.xlsx)."""
    chosen = options or ReadOptions(format="excel")
    sheets, rows = workbook.read_sheet(content, chosen.sheet)
    skip = chosen.skip if options else workbook.title_rows(rows)
    columns = workbook.to_columns(rows[skip:])
    chosen = chosen._replace(skip=skip)
    raw = _with_header(columns, chosen) if options else _guessed(columns, chosen)
    return raw._replace(sheets=sheets)


def read_arff(content: bytes, options: ReadOptions | None) -> Raw:
    """An ARFF file; its nominal attributes keep their declared values and order."""
    options = options or ReadOptions(format="arff", encoding=text.guess_encoding(content), missing=("",))
    found = arff.read_arff(text.decode(content, options.encoding))
    categories = {i: a.categories for i, a in enumerate(found.attributes) if a.type == "nominal"}
    columns: list[pa.Array | pd.Series] = [
        _declared(column) if attribute.type == "nominal" else column
        for attribute, column in zip(found.attributes, found.columns, strict=True)
    ]
    return Raw([a.name for a in found.attributes], columns, options, (), categories)


def read_json(content: bytes, options: ReadOptions | None) -> Raw:
    """JSON lines, or one JSON array, of records; what is nested inside a record is left out with a note."""
    guess = options is None
    options = options or ReadOptions(format="json", encoding=text.guess_encoding(content))
    found = records.read_records(text.decode(content, options.encoding))
    if guess:
        options = options._replace(missing=cells.guess_missing(found.columns, options))
    return Raw(found.names, list(found.columns), options, _left_out(found.nested, "holds lists or records"))


def read_parquet(content: bytes, options: ReadOptions | None) -> Raw:
    """A Parquet file; columns with nested or binary values are left out with a note."""
    from core.data import parquet

    options = options or ReadOptions(format="parquet", missing=("",))
    names, columns = parquet.read_parquet(content)
    kept = [(name, column) for name, column in zip(names, columns, strict=True) if column is not None]
    unusable = [name for name, column in zip(names, columns, strict=True) if column is None]
    notes = _left_out(unusable, "holds nested or binary values")
    return Raw([name for name, _ in kept], [column for _, column in kept], options, notes)


def _declared(column: pa.Array) -> pd.Series:
    """Values of a nominal attribute, which may be any text; only the empty one is missing."""
    is_empty = pc.equal(column, "")
    return pd.Series(pc.if_else(is_empty, pa.scalar(None, pa.string()), column).to_pandas(), dtype="str")


READERS: dict[str, Callable[[bytes, ReadOptions | None], Raw]] = {
    "text": read_text,
    "excel": read_excel,
    "arff": read_arff,
    "json": read_json,
    "parquet": read_parquet,
}


def _guessed(columns: list[pa.Array], options: ReadOptions) -> Raw:
    options = options._replace(header=cells.guess_header(columns))
    raw = _with_header(columns, options)
    bodies = [column for column in raw.columns if isinstance(column, pa.Array)]
    options = cells.guess_numbers(bodies, options) if options.format == "text" else options
    return raw._replace(options=options._replace(missing=cells.guess_missing(bodies, options)))


def _with_header(columns: list[pa.Array], options: ReadOptions) -> Raw:
    names = [(column[0].as_py() or "") if options.header and len(column) else "" for column in columns]
    return Raw(names, [column.slice(1) if options.header else column for column in columns], options)


def _left_out(names: list[str], why: str) -> tuple[str, ...]:
    if not names:
        return ()
    shown = listed([quoted(name) for name in names])
    return (f"Left out because a cell {why}: {counted(len(names), 'column')}, {shown}.",)
