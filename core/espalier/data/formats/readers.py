"""One reader per format: from bytes to columns of text cells or of values, with the options used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from espalier.data import choices
from espalier.data.choices import ReadingChoice
from espalier.data.columns import cells, numbers
from espalier.data.errors import counted, listed, quoted
from espalier.data.formats import arff, encodings, json_records, layout, text, workbook
from espalier.data.options import MISSING, ReadOptions
from espalier.language import say, to_say


class Raw(NamedTuple):
    """A parsed file, before names are made unique and limits checked."""

    names: list[str]
    columns: list[pa.Array | pd.Series]  # text cells, or values of a format with types
    options: ReadOptions
    notes: tuple[str, ...] = ()
    categories: Mapping[int, tuple[str, ...]] = MappingProxyType({})  # column → its declared values
    sheets: tuple[str, ...] = ()  # of a workbook
    choices: tuple[ReadingChoice, ...] = ()  # ambiguities of the file


def read_text(content: bytes, options: ReadOptions) -> Raw:
    """Read CSV and similar text tables."""
    options = _with_encoding(content, options)
    characters = encodings.decode(content, options.encoding)
    is_guess = not options.delimiter
    if is_guess:
        options = layout.guess_layout(characters, options)
    columns, left_out = text.split_cells(characters, options)
    header = cells.guess_header(columns)
    options = options._replace(header=header.is_there) if is_guess else options
    raw = _with_numbers(_below_header(columns, options))
    found = choices.of_text(content, characters, raw.options, header)
    notes = (*encodings.note(content, options.encoding), *left_out)
    return raw._replace(notes=notes, choices=(*found, *raw.choices))


def read_excel(content: bytes, options: ReadOptions) -> Raw:
    """Read a sheet of an Excel workbook (.xlsx)."""
    sheets, rows = workbook.read_sheet(content, options.sheet)
    is_guess = not options.delimiter
    options = options._replace(delimiter=",", skip=workbook.title_rows(rows) if is_guess else options.skip)
    columns = workbook.to_columns(rows[options.skip :])
    header = cells.guess_header(columns)
    options = options._replace(header=header.is_there) if is_guess else options
    raw = _with_numbers(_below_header(columns, options))
    notes = _skipped([" ".join(row) for row in rows[: options.skip]])
    return raw._replace(
        notes=notes, sheets=sheets, choices=(*choices.of_header(columns, options, header), *raw.choices)
    )


def read_arff(content: bytes, options: ReadOptions) -> Raw:
    """Read an ARFF file; its nominal attributes keep their declared values and order."""
    options = _with_encoding(content, options)
    found = arff.read_arff(encodings.decode(content, options.encoding))
    categories = {i: a.categories for i, a in enumerate(found.attributes) if a.type == "nominal"}
    raw = Raw([a.name for a in found.attributes], list(found.columns), options, (), categories)
    return _with_numbers(raw)._replace(notes=encodings.note(content, options.encoding))


def read_json(content: bytes, options: ReadOptions) -> Raw:
    """Read JSON lines, or one JSON array, of records; nested content is left out with a note."""
    options = _with_encoding(content, options)
    found = json_records.read_records(encodings.decode(content, options.encoding))
    notes = _left_out(found.nested, to_say("Left out because a cell holds lists or records: {columns}, {shown}."))
    raw = _with_numbers(Raw(found.names, list(found.columns), options))
    return raw._replace(notes=(*encodings.note(content, options.encoding), *notes))


def read_parquet(content: bytes, options: ReadOptions) -> Raw:
    """Read a Parquet file; columns with nested or binary values are left out with a note."""
    from espalier.data.formats import parquet

    names, columns = parquet.read_parquet(content)
    kept = [(name, column) for name, column in zip(names, columns, strict=True) if column is not None]
    unusable = [name for name, column in zip(names, columns, strict=True) if column is None]
    notes = _left_out(
        unusable, to_say("Left out because a cell holds nested or binary values: {columns}, {shown}.")
    )
    return _with_numbers(Raw([name for name, _ in kept], [column for _, column in kept], options, notes))


READERS: dict[str, Callable[[bytes, ReadOptions], Raw]] = {
    "text": read_text,
    "excel": read_excel,
    "arff": read_arff,
    "json": read_json,
    "parquet": read_parquet,
}


def _with_encoding(content: bytes, options: ReadOptions) -> ReadOptions:
    return options if options.encoding else options._replace(encoding=encodings.guess_encoding(content))


def _with_numbers(raw: Raw) -> Raw:
    """Guess number formats and missing markers, unless they are given."""
    options = raw.options._replace(delimiter=raw.options.delimiter or ",")
    texts = {i: c for i, c in enumerate(raw.columns) if isinstance(c, pa.Array) and i not in raw.categories}
    # for other formats we wrote the numbers ourselves, with a point
    usual = "" if options.format == "text" else "."
    guess = numbers.guess_formats(texts, options.delimiter, usual)
    if not options.decimal:
        options = options._replace(
            decimal=guess.usual.decimal, thousands=guess.usual.thousands, formats=guess.others
        )
        if options.missing == MISSING:
            options = options._replace(missing=cells.guess_missing(texts, options))
    found = choices.of_numbers(texts, guess.doubtful, options)
    return raw._replace(options=options, choices=(*raw.choices, *found))


def _below_header(columns: list[pa.Array], options: ReadOptions) -> Raw:
    names = [(column[0].as_py() or "") if options.header and len(column) else "" for column in columns]
    return Raw(names, [column.slice(1) if options.header else column for column in columns], options)


def _skipped(titles: list[str]) -> tuple[str, ...]:
    if not titles:
        return ()
    shown = listed([quoted(line) for line in titles], 3)
    return (say("Above the table {lines} skipped: {shown}.", lines=counted(len(titles), "line"), shown=shown),)


def _left_out(names: list[str], note: str) -> tuple[str, ...]:
    if not names:
        return ()
    shown = listed([quoted(name) for name in names])
    return (say(note, columns=counted(len(names), "column"), shown=shown),)
