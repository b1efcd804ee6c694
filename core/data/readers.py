"""One reader per format: bytes to columns of text cells or of values, with the options that were used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from core.data import arff, cells, text, workbook
from core.data.errors import TableError, counted, listed, quoted
from core.data.options import ReadOptions
from core.settings import MAX_ROWS, MAX_UNPACKED_MB


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
        pd.Series([cell or None for cell in column], dtype="str")
        if attribute.type == "nominal"
        else pa.array(column, pa.string())
        for attribute, column in zip(found.attributes, found.columns, strict=True)
    ]
    return Raw([a.name for a in found.attributes], columns, options, (), categories)


def read_json(content: bytes, options: ReadOptions | None) -> Raw:
    """JSON lines, or one JSON array, of records; what is nested inside a record is left out with a note."""
    guess = options is None
    options = options or ReadOptions(format="json", encoding=text.guess_encoding(content))
    records = _records(text.decode(content, options.encoding))
    names = list(dict.fromkeys(name for record in records for name in record))
    text.check_columns(len(names))
    nested = {name for record in records for name, v in record.items() if isinstance(v, dict | list)}
    kept = [name for name in names if name not in nested]
    columns = [pa.array([_json_cell(r.get(name)) for r in records], pa.string()) for name in kept]
    if guess:
        options = options._replace(missing=cells.guess_missing(columns, options))
    return Raw(kept, list(columns), options, _left_out(sorted(nested), "holds lists or records"))


def read_parquet(content: bytes, options: ReadOptions | None) -> Raw:
    """A Parquet file; columns with nested or binary values are left out with a note."""
    import pyarrow.parquet as pq

    options = options or ReadOptions(format="parquet", missing=("",))
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        _check_parquet(file.metadata)
        table = file.read()
    except (pa.ArrowException, OSError, ValueError) as wrong:
        if isinstance(wrong, TableError):
            raise
        raise TableError(
            "The Parquet file is damaged.",
            "It could not be read to its end.",
            "Write it again, or save the table as CSV and upload that.",
        ) from wrong
    read = {name: _parquet_column(column) for name, column in zip(table.column_names, table.columns, strict=True)}
    unusable = [name for name, column in read.items() if column is None]
    kept = {name: column for name, column in read.items() if column is not None}
    return Raw(list(kept), list(kept.values()), options, _left_out(unusable, "holds nested or binary values"))


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


def _records(characters: str) -> list[dict[str, Any]]:
    if characters.lstrip()[:1] == "[":
        records = _parsed(characters, 1)
    else:
        lines = enumerate(characters.splitlines(), 1)
        records = [_parsed(line, number) for number, line in lines if line.strip()]
    if len(records) > MAX_ROWS:
        raise text.too_many_rows(len(records))
    wrong = [i for i, record in enumerate(records, 1) if not isinstance(record, dict)]
    if wrong:
        raise TableError(
            "The JSON does not hold one record per row.",
            f"Entry {listed(wrong, 3)} is no record of names and values.",
            'Write every row as {"name": value, …}, one per line or all in one list.',
        )
    return records


def _parsed(characters: str, line: int) -> Any:
    try:
        return json.loads(characters)
    except json.JSONDecodeError as wrong:
        raise TableError(
            "The JSON cannot be read.",
            f"Line {line + wrong.lineno - 1:,}, character {wrong.colno:,}: {wrong.msg}.",
            'Write every row as {"name": value, …}, one per line or all in one list.',
        ) from wrong
    except (RecursionError, ValueError) as wrong:
        raise TableError(
            "The JSON cannot be read.",
            f"From line {line:,} on it is nested too deeply or holds a number of thousands of digits.",
            'Write every row as {"name": value, …}, one per line or all in one list.',
        ) from wrong


def _json_cell(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, str) else repr(value)


def _left_out(names: list[str], why: str) -> tuple[str, ...]:
    if not names:
        return ()
    shown = listed([quoted(name) for name in names])
    return (f"Left out because a cell {why}: {counted(len(names), 'column')}, {shown}.",)


def _check_parquet(metadata: Any) -> None:
    text.check_columns(metadata.num_columns)
    if metadata.num_rows > MAX_ROWS:
        raise text.too_many_rows(metadata.num_rows)
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if size > MAX_UNPACKED_MB * 1_000_000:
        raise TableError(
            f"The Parquet file is too large once unpacked: {size / 1e6:,.0f} MB.",
            f"The limit is {MAX_UNPACKED_MB} MB of content.",
            "Leave columns out, or upload a random part of its rows.",
        )


def _parquet_column(column: pa.ChunkedArray) -> pa.Array | pd.Series | None:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text.one_chunk(column.cast(pa.string()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64(), safe=False).to_pandas().astype("float64")
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return pd.Series(column.cast(pa.timestamp("us"), safe=False).to_pandas())
    if pa.types.is_null(kind):
        return pd.Series([float("nan")] * len(column))
    return None
