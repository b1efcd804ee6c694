"""One reader per format: from bytes to columns of text cells or of values, with the options used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from espalier.data import choices
from espalier.data.choices import ReadingChoice
from espalier.data.columns import cells, codes, numbers
from espalier.data.columns.fill_down import fill_down, written_once
from espalier.data.errors import counted, listed, quoted
from espalier.data.formats import arff, encodings, json_records, layout, text, workbook
from espalier.data.options import MISSING, ReadOptions
from espalier.data.sheet_choices import (
    NamedCells,
    blocks_choice,
    hidden_columns_choice,
    hidden_rows_choice,
    merged_choice,
)
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
    left_out: tuple[int, ...] = ()  # positions of empty columns that are no part of the table
    filled: tuple[int, ...] = ()  # positions of columns in which empty cells got the value above


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
    raw = _with_numbers(_filled_down(_below_header(columns, options)))
    found = choices.of_text(content, characters, raw.options, header)
    notes = (*encodings.note(content, options.encoding), *left_out)
    return raw._replace(notes=(*notes, *raw.notes), choices=(*found, *raw.choices))


def read_excel(content: bytes, options: ReadOptions) -> Raw:
    """Read a sheet of an Excel workbook (.xlsx)."""
    sheet, joined = workbook.join_names(workbook.read_sheet(content, options.sheet))
    is_guess = not options.delimiter
    options = options._replace(delimiter=",", skip=workbook.title_rows(sheet.rows) if is_guess else options.skip)
    columns = workbook.to_columns(sheet.rows[options.skip :])
    header = cells.guess_header(columns)
    options = options._replace(header=header.is_there) if is_guess else options
    raw = _sheet_rows(sheet, _below_header(columns, options))
    notes = (*_skipped([" ".join(row) for row in sheet.rows[: options.skip]]), *_joined(joined))
    notes += _wide(sheet, options)
    return raw._replace(
        notes=(*notes, *raw.notes),
        sheets=sheet.names,
        choices=(*choices.of_header(columns, options, header), *raw.choices),
    )


def _sheet_rows(sheet: workbook.Sheet, body: Raw) -> Raw:
    """Return the table of the rows below the names, with what is merged and hidden as the options have it."""
    options = body.options
    first = options.skip + options.header
    merged = workbook.merged_columns(body.columns, sheet, first)
    is_shown = workbook.are_shown(sheet, first)
    hidden = tuple(i for i in range(len(body.names)) if i + 1 in sheet.marks.hidden_columns)
    hidden = hidden if len(hidden) < len(body.names) else ()
    columns = [merged.get(i, c) if options.fill_merged else c for i, c in enumerate(body.columns)]
    raw = _filled_down(body._replace(columns=columns), tuple(merged))
    if not options.hidden_rows and is_shown.any():
        raw = raw._replace(columns=[column.filter(pa.array(is_shown)) for column in raw.columns])
    if not options.hidden_columns:
        empty = {i: pa.nulls(len(raw.columns[i]), pa.string()) for i in hidden}
        raw = raw._replace(columns=[empty.get(i, c) for i, c in enumerate(raw.columns)], left_out=hidden)
    raw = _with_numbers(raw, sheet.texts_below(first))
    cells_ = NamedCells(body.names, body.columns, raw.options)
    found = (
        merged_choice(cells_, merged),
        hidden_rows_choice(cells_, is_shown),
        hidden_columns_choice(cells_, hidden),
    )
    return raw._replace(choices=(*filter(None, found), *raw.choices))


def read_arff(content: bytes, options: ReadOptions) -> Raw:
    """Read an ARFF file; its nominal attributes keep their declared values and order."""
    options = _with_encoding(content, options)
    found = arff.read_arff(encodings.decode(content, options.encoding))
    categories = {i: a.categories for i, a in enumerate(found.attributes) if a.type == "nominal"}
    raw = Raw([a.name for a in found.attributes], list(found.columns), options, (), categories)
    texts = frozenset(i for i, a in enumerate(found.attributes) if a.type != "numeric")
    raw = _with_numbers(raw, texts)
    found = choices.of_encoding(content, raw.options)
    return raw._replace(notes=encodings.note(content, options.encoding), choices=(*found, *raw.choices))


def read_json(content: bytes, options: ReadOptions) -> Raw:
    """Read JSON lines, or one JSON array, of records; nested content is left out with a note."""
    options = _with_encoding(content, options)
    found = json_records.read_records(encodings.decode(content, options.encoding))
    notes = _left_out(found.nested, to_say("Left out because a cell holds lists or records: {columns}, {shown}."))
    raw = _with_numbers(Raw(found.names, list(found.columns), options), found.texts)
    notes = (*encodings.note(content, options.encoding), *notes)
    return raw._replace(notes=notes, choices=(*choices.of_encoding(content, raw.options), *raw.choices))


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


def _with_numbers(raw: Raw, open_: frozenset[int] | None = None) -> Raw:
    """Guess number formats and missing markers, unless they are given.

    `open_` are the columns of whose texts one may ask which number they are; None: all of them.
    """
    raw = _without_rows_of_names(raw)
    options = raw.options._replace(delimiter=raw.options.delimiter or ",")
    texts = {i: c for i, c in enumerate(raw.columns) if isinstance(c, pa.Array) and i not in raw.categories}
    # for other formats we wrote the numbers ourselves, with a point
    usual = "" if options.format == "text" else "."
    evidence = numbers.evidence_of(texts)
    codes_ = codes.codes_among(texts, evidence, options.delimiter if options.format == "text" else "")
    as_text = codes.text_columns(options) if options.decimal else codes_.as_text
    numeric = {i: one for i, one in evidence.items() if i not in as_text}
    guess = numbers.guess_formats(numeric, options.delimiter, usual)
    if not options.decimal:
        options = options._replace(
            decimal=guess.usual.decimal, thousands=guess.usual.thousands, formats=guess.others
        )
        options = codes.with_texts(options, as_text)
        if options.missing == MISSING:
            options = options._replace(missing=cells.guess_missing(texts, options))
    doubtful = tuple(i for i in guess.doubtful if open_ is None or i in open_)
    found = choices.of_numbers(texts, evidence, doubtful, options)
    named = {i: raw.names[i].strip() or f"column {i + 1}" for i in codes_.open if open_ is None or i in open_}
    found += choices.of_codes(codes_.open, named, evidence, options)
    return raw._replace(options=options, choices=(*raw.choices, *found))


def _below_header(columns: list[pa.Array], options: ReadOptions) -> Raw:
    names = [(column[0].as_py() or "") if options.header and len(column) else "" for column in columns]
    return Raw(names, [column.slice(1) if options.header else column for column in columns], options)


def _without_rows_of_names(raw: Raw) -> Raw:
    """Return the table without rows below the names that explain them, with a note."""
    columns: list[Any] = [column for column in raw.columns if isinstance(column, pa.Array)]
    is_headed = raw.options.header and raw.options.format in ("text", "excel")
    n = cells.n_rows_of_names(columns) if is_headed and len(columns) == len(raw.columns) > 1 else 0
    if not n:
        return raw
    rows = [[column[i].as_py() or "" for column in columns] for i in range(n)]
    shown = listed([quoted(", ".join(filter(None, row))) for row in rows], 3)
    note = say("Below the names {lines} left out: {shown}.", lines=counted(n, "line"), shown=shown)
    return raw._replace(columns=[column.slice(n) for column in columns], notes=(*raw.notes, note))


def _filled_down(raw: Raw, merged: tuple[int, ...] = ()) -> Raw:
    """Return the columns, those filled down that the options name, and the choice to do so."""
    places = raw.options.fill_down or tuple(i for i in written_once(raw.columns) if i not in merged)
    choice = blocks_choice(NamedCells(raw.names, raw.columns, raw.options), places)
    columns = [fill_down(c) if i in raw.options.fill_down else c for i, c in enumerate(raw.columns)]
    filled = (*raw.options.fill_down, *(merged if raw.options.fill_merged else ()))
    return raw._replace(columns=columns, filled=filled, choices=(*raw.choices, *((choice,) if choice else ())))


def _joined(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        return ()
    shown = listed([quoted(name) for name in names], 3)
    return (say("Names in two lines with merged cells are joined: {names}.", names=shown),)


def _wide(sheet: workbook.Sheet, options: ReadOptions) -> tuple[str, ...]:
    """Return a note on cells of the table that are merged over several columns."""
    first = options.skip + options.header
    if len(sheet.numbers) <= first:
        return ()
    ranges = [one.name for one in sheet.marks.wide(range(sheet.numbers[first], sheet.numbers[-1] + 1))]
    if not ranges:
        return ()
    note = say(
        "Cells that are merged over several columns have their value in the first of them only: {ranges}.",
        ranges=listed(ranges, 3),
    )
    return (note,)


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
