"""Unpack a file, recognise its format, and read it: one reader per format, with the options used."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from espalier.data import choices
from espalier.data.choices import (
    NamedCells,
    ReadingChoice,
    blocks_choice,
    hidden_columns_choice,
    hidden_rows_choice,
    merged_choice,
)
from espalier.data.columns import cells, numbers, units
from espalier.data.columns.cells import fill_down, written_once
from espalier.data.errors import TableError, listed, quoted
from espalier.data.formats import declared, encodings, layout, text, workbook
from espalier.data.formats.declared import looks_like_arff
from espalier.data.formats.encodings import BOMS
from espalier.data.formats.text import ABOVE, left_out
from espalier.data.formats.workbook import (
    OLD_EXCEL,
    check_kind,
    check_unpacked_size,
    damaged_workbook,
    old_or_protected,
    too_large,
)
from espalier.data.options import MISSING, ReadOptions
from espalier.language import say, to_say
from espalier.settings import MAX_UNPACKED_MB, MAX_UPLOAD_MB


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
    characters, options = _decode(content, options)
    is_guess = not options.delimiter
    if is_guess:
        options = layout.guess_layout(characters, options)
    columns, left_out = text.split_cells(characters, options)
    has_names, is_sure = cells.guess_header(columns)
    options = options._replace(header=has_names) if is_guess else options
    raw = _guess_numbers(_filled_down(_below_header(columns, options)))
    more_choices = choices.text_choices(content, characters, raw.options, is_sure)
    notes = (*encodings.note(content, options.encoding), *left_out)
    return raw._replace(notes=(*notes, *raw.notes), choices=(*more_choices, *raw.choices))


def read_excel(content: bytes, options: ReadOptions) -> Raw:
    """Read a sheet of an Excel workbook (.xlsx)."""
    sheet, joint_names = workbook.join_names(workbook.read_sheet(content, options.sheet))
    is_guess = not options.delimiter
    options = options._replace(delimiter=",", skip=workbook.title_rows(sheet.rows) if is_guess else options.skip)
    columns = workbook.to_columns(sheet.rows[options.skip :])
    has_names, is_sure = cells.guess_header(columns)
    options = options._replace(header=has_names) if is_guess else options
    raw = _sheet_rows(sheet, _below_header(columns, options))
    notes = (
        *left_out(ABOVE, [" ".join(row) for row in sheet.rows[: options.skip]]),
        *left_out(to_say("Names in two lines are joined: {names}."), joint_names),
        *_wide(sheet, options),
    )
    return raw._replace(
        notes=(*notes, *raw.notes),
        sheets=sheet.names,
        choices=(*choices.header_choice_of_columns(columns, options, is_sure), *raw.choices),
    )


def _sheet_rows(sheet: workbook.Sheet, body: Raw) -> Raw:
    """Return the table of the rows below the names, with what is merged and hidden as the options have it."""
    options = body.options
    first = options.skip + options.header
    full_columns = workbook.merged_columns(body.columns, sheet, first)
    is_shown = workbook.are_shown(sheet, first)
    hidden_places = tuple(i for i in range(len(body.names)) if i + 1 in sheet.marks.hidden_columns)
    hidden_places = hidden_places if len(hidden_places) < len(body.names) else ()
    columns = [full_columns.get(i, c) if options.fill_merged else c for i, c in enumerate(body.columns)]
    raw = _filled_down(body._replace(columns=columns), tuple(full_columns))
    if not options.hidden_rows and is_shown.any():
        raw = raw._replace(columns=[column.filter(pa.array(is_shown)) for column in raw.columns])
    if not options.hidden_columns:
        empty = {i: pa.nulls(len(raw.columns[i]), pa.string()) for i in hidden_places}
        raw = raw._replace(columns=[empty.get(i, c) for i, c in enumerate(raw.columns)], left_out=hidden_places)
    raw = _guess_numbers(raw, sheet.texts_below(first))
    named_cells = NamedCells(body.names, body.columns, raw.options)
    questions = (
        merged_choice(named_cells, full_columns),
        hidden_rows_choice(named_cells, is_shown),
        hidden_columns_choice(named_cells, hidden_places),
    )
    return raw._replace(choices=(*filter(None, questions), *raw.choices))


def read_arff(content: bytes, options: ReadOptions) -> Raw:
    """Read an ARFF file; its nominal attributes keep their declared values and order."""
    characters, options = _decode(content, options)
    attributes, columns = declared.read_arff(characters)
    categories = {i: a.categories for i, a in enumerate(attributes) if a.type == "nominal"}
    raw = Raw([a.name for a in attributes], list(columns), options, (), categories)
    raw = _guess_numbers(raw, frozenset(i for i, a in enumerate(attributes) if a.type != "numeric"))
    questions = choices.encoding_choice(content, raw.options)
    return raw._replace(notes=encodings.note(content, options.encoding), choices=(*questions, *raw.choices))


def read_json(content: bytes, options: ReadOptions) -> Raw:
    """Read JSON lines, or one JSON array, of records; nested content is left out with a note."""
    characters, options = _decode(content, options)
    names, columns, deep, texts = declared.read_records(characters)
    raw = _guess_numbers(Raw(names, columns, options), texts)
    note = to_say("Left out for lists or records: {columns}, {shown}.")
    notes = (*encodings.note(content, options.encoding), *left_out(note, deep, "column", 5))
    return raw._replace(notes=notes, choices=(*choices.encoding_choice(content, raw.options), *raw.choices))


def read_parquet(content: bytes, options: ReadOptions) -> Raw:
    """Read a Parquet file; columns with nested or binary values are left out with a note."""
    pairs = declared.read_parquet(content)
    unusable = [name for name, column in pairs if column is None]
    note = to_say("Left out for nested or binary values: {columns}, {shown}.")
    columns = [column for _, column in pairs if column is not None]
    names = [name for name, column in pairs if column is not None]
    return _guess_numbers(Raw(names, columns, options, left_out(note, unusable, "column", 5)))


READERS: dict[str, Callable[[bytes, ReadOptions], Raw]] = {
    "text": read_text,
    "excel": read_excel,
    "arff": read_arff,
    "json": read_json,
    "parquet": read_parquet,
}


def _decode(content: bytes, options: ReadOptions) -> tuple[str, ReadOptions]:
    """Return the text, and the options with its encoding, which is guessed unless they have one."""
    options = options._replace(encoding=options.encoding or encodings.guess_encoding(content))
    return encodings.decode(content, options.encoding), options


def _guess_numbers(raw: Raw, open_columns: frozenset[int] | None = None) -> Raw:
    """Guess number formats and missing markers, unless they are given.

    `open_columns` are the columns of whose texts one may ask which number they are; None: all of them.
    """
    raw = _without_rows_of_names(raw)
    options = raw.options._replace(delimiter=raw.options.delimiter or ",")
    texts = {i: c for i, c in enumerate(raw.columns) if isinstance(c, pa.Array) and i not in raw.categories}
    # Of columns that the format stores as numbers we wrote the texts, with a point.
    number_columns = frozenset() if open_columns is None else frozenset(texts) - open_columns
    evidence = numbers.evidence_of(texts)
    doubtful, as_text = cells.codes_among(texts, evidence, options.delimiter if options.format == "text" else "")
    as_text = cells.text_columns(options) if options.decimal else as_text
    words = {i: column for i, column in texts.items() if i not in evidence and i not in number_columns}
    evidence |= numbers.evidence_of(units.amounts_of(words))
    numeric = {i: clues for i, clues in sorted(evidence.items()) if i not in as_text}
    usual, exceptions, ambiguous = numbers.guess_formats(numeric, options.delimiter, number_columns=number_columns)
    if not options.decimal:
        options = cells.use_guess(options, usual, exceptions, as_text)
        if options.missing == MISSING:
            options = options._replace(missing=cells.guess_missing(texts, options))
    questions = choices.decimal_choice(texts, numeric, ambiguous, options, number_columns)
    names = {
        i: raw.names[i].strip() or f"column {i + 1}" for i in doubtful if open_columns is None or i in open_columns
    }
    questions += choices.code_choices(doubtful, names, evidence, options)
    return raw._replace(options=options, choices=(*raw.choices, *questions))


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
    rows = [", ".join(filter(None, (column[i].as_py() for column in columns))) for i in range(n)]
    notes = left_out(to_say("Below the names {lines} left out: {shown}."), rows)
    return raw._replace(columns=[column.slice(n) for column in columns], notes=(*raw.notes, *notes))


def _filled_down(raw: Raw, merged: tuple[int, ...] = ()) -> Raw:
    """Return the columns, those filled down that the options name, and the choice to do so."""
    places = raw.options.fill_down or tuple(i for i in written_once(raw.columns) if i not in merged)
    choice = blocks_choice(NamedCells(raw.names, raw.columns, raw.options), places)
    columns = [fill_down(c) if i in raw.options.fill_down else c for i, c in enumerate(raw.columns)]
    new_choices = raw.choices if choice is None else (*raw.choices, choice)
    places_filled = (*raw.options.fill_down, *(merged if raw.options.fill_merged else ()))
    return raw._replace(columns=columns, filled=places_filled, choices=new_choices)


def _wide(sheet: workbook.Sheet, options: ReadOptions) -> tuple[str, ...]:
    """Return a note on cells of the table that are merged over several columns."""
    first = options.skip + options.header
    if len(sheet.numbers) <= first:
        return ()
    ranges = [range_.name for range_ in sheet.marks.wide(range(sheet.numbers[first], sheet.numbers[-1] + 1))]
    if not ranges:
        return ()
    note = say(
        "Cells merged over columns have their value in the first: {ranges}.",
        ranges=listed(ranges, 3),
    )
    return (note,)


# ---- unpack a compressed upload within limits; content that exceeds them is refused on the way

MB = 1_000_000
WORKBOOK_HEAD = re.compile(rb"PK\x03\x04.{26}xl/", re.DOTALL)  # the head of a packed file in the folder xl


def unpack(source: bytes, filename: str) -> tuple[bytes, str]:
    """Return content and name of the one file inside a .gz or .zip; any other file unchanged.

    Raises TableError if its content is too large, damaged, protected, or holds several files.
    """
    if source[:2] == b"\x1f\x8b":
        return _gunzip(source), filename[:-3] if filename.lower().endswith(".gz") else filename
    if source[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not is_excel(source):
        return _unzip(source, filename)
    return source, filename


def check_upload(source: bytes) -> None:
    """Raise TableError if an upload is too large."""
    if len(source) > MAX_UPLOAD_MB * MB:
        raise TableError(
            say("The file has {n} MB.", n=round(len(source) / MB)),
            say("The limit is {n} MB.", n=MAX_UPLOAD_MB),
            say("Compress it with gzip, or take some of its rows."),
        )


def is_excel(source: bytes) -> bool:
    """Return whether a zip is an Excel workbook (.xlsx)."""
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return WORKBOOK_HEAD.search(source) is not None  # damaged, but once a workbook


def _gunzip(source: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(source)) as file:
            content = file.read(MAX_UNPACKED_MB * MB + 1)  # never more than this in memory
    except EOFError as wrong:
        raise _damaged_archive("gzip", say("It ends in the middle.")) from wrong
    except (OSError, zlib.error) as wrong:
        raise _damaged_archive("gzip", say("Its bytes contradict each other.")) from wrong
    if len(content) > MAX_UNPACKED_MB * MB:
        raise too_large()
    return content


def _unzip(source: bytes, filename: str) -> tuple[bytes, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            return _only_file(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as wrong:
        if isinstance(wrong, TableError):
            raise
        if filename.lower().endswith((".xlsx", ".xlsm")):
            raise damaged_workbook(say("It ends before its sheets.")) from wrong
        raise _damaged_archive("zip", say("Its bytes contradict each other.")) from wrong


def _only_file(archive: zipfile.ZipFile) -> tuple[bytes, str]:
    check_kind(archive)
    infos = [i for i in archive.infolist() if not i.is_dir() and not i.filename.startswith("__MACOSX/")]
    if len(infos) != 1:
        names = listed([quoted(i.filename) for i in infos], 4) or say("nothing")
        raise TableError(
            say("The zip holds {n} files, not one.", n=len(infos)),
            say("They are {names}.", names=names),
            say("Upload one of them."),
        )
    check_unpacked_size(archive)
    if infos[0].flag_bits & 1:
        raise TableError(
            say("The zip is protected by a password."),
            say("Inside is {name}.", name=quoted(infos[0].filename)),
            say("Unpack it and upload that."),
        )
    with archive.open(infos[0]) as file:
        return file.read(MAX_UNPACKED_MB * MB), infos[0].filename.rsplit("/", 1)[-1]


def _damaged_archive(kind: str, where: str) -> TableError:
    return TableError(
        say("The {kind} file is damaged.", kind=kind),
        where,
        say("Download or compress it again."),
    )


# ---- recognise a file's format by its bytes, and name files that are not tables

TEXT_FORMATS = {
    "text": to_say("Text (CSV and the like)"),
    "json": "JSON",
    "arff": "ARFF",
}  # which bytes may not reveal
NOT_TABLES = {  # by the first bytes
    b"%PDF": "PDF",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"\x7fELF": "ELF",
    b"MZ\x90": "EXE",
    b"\xcf\xfa\xed\xfe": "Mach-O",
    b"SQLite format 3\0": "SQLite",
    b"\x89HDF": "HDF5",
    b"\x93NUMPY": "NumPy",
    b"\x80\x04\x95": "pickle",
    b"\x80\x05\x95": "pickle",
    b"RDX": "RData",
    b"$FL2": "SPSS",
    b"<stata_dta": "Stata",
    b"ARROW1": "Feather",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "RAR",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x8b": "gzip",
}
NO_TABLE = to_say("This is no table, but a file of the kind {kind}.")
HTML = re.compile(r"<(!doctype\shtml|html|head|body|table|meta|style|div)[\s>]|mime-version:", re.IGNORECASE)
EXCEL_2003 = "urn:schemas-microsoft-com:office:spreadsheet"


def guess_format(content: bytes, filename: str) -> str:
    """Return the format of the bytes: the content counts more than the file's extension."""
    if content[:4] == b"PAR1":
        return "parquet"
    if content[:4] == b"PK\x03\x04" or is_excel(content):
        return "excel"
    start = _characters(content[:20_000]).lstrip("\ufeff \t\r\n")
    if looks_like_arff(start):
        return "arff"
    return "json" if re.match(r'(\[\s*)?\{\s*("|\}|$)', start) or _is_list(content, start) else "text"


def check_content(content: bytes) -> None:
    """Raise TableError for bytes that are not a table, whatever the file's name."""
    if not content.strip():
        raise TableError(say("The file is empty."), "", say("Save it again."))
    if content.startswith(OLD_EXCEL):
        raise old_or_protected(content)
    if content[:4] == b"PK\x03\x04" and not is_excel(content):
        raise TableError(say("The zip holds no table."), "", say("Unpack it and upload that."))
    _check_markup(_characters(content[:4_000]).lstrip("\ufeff \t\r\n"))
    for magic, kind in NOT_TABLES.items():
        if content.startswith(magic):
            todo = say("Upload CSV, Excel, Parquet, ARFF or JSON lines.")
            raise TableError(say(NO_TABLE, kind=kind), "", todo)


def _check_markup(start: str) -> None:
    """Raise TableError for a text in HTML or XML: many programs export such a one under the name .xls."""
    is_xml = start[:5].lower() == "<?xml"
    body = re.sub(r"^(<\?[^>]*>|<!--.*?-->|\s)+", "", start, flags=re.DOTALL)
    if HTML.match(body):
        kind = "HTML"
    elif is_xml:
        kind = "SpreadsheetML" if EXCEL_2003 in start else "XML"
    else:
        return
    todo = say("Open it in a spreadsheet program and save it as CSV.")
    raise TableError(say(NO_TABLE, kind=kind), "", todo)


def _characters(start: bytes) -> str:
    encoding = next((encoding for bom, encoding in BOMS if start.startswith(bom)), "utf-8")
    return start.decode(encoding, "ignore")


def _is_list(content: bytes, start: str) -> bool:
    """Return whether a text that begins with "[" is a JSON list, not an interval such as "[0,1)"."""
    if start[:1] != "[" or content.rstrip()[-1:] != b"]":
        return False
    try:
        return isinstance(json.loads(content), list)
    except (ValueError, RecursionError):
        return False
