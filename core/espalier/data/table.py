"""Read any table: from bytes to named columns, with their origins, and the assumptions and observations made."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data import remarks
from espalier.data.choices import ReadingChoice
from espalier.data.columns import cells, numbers
from espalier.data.dataset import Origin
from espalier.data.errors import TableError, check_shape, counted, each, listed, number_text, quoted, tell
from espalier.data.formats import encodings, readers
from espalier.data.formats.layout import guess_layout
from espalier.data.formats.readers import TEXT_FORMATS, Raw, check_content, check_upload, guess_format, unpack
from espalier.data.options import DECIMALS, THOUSANDS, NumberFormat, ReadOptions, all_guessed
from espalier.data.remarks import doubts
from espalier.language import in_style, say, to_say

LONGEST_NAME = 120


class Table(NamedTuple):
    """A file as read: columns are floats (missing nan), strings or times (missing NA)."""

    name: str  # of the file, without its ending
    frame: pd.DataFrame
    options: ReadOptions  # as used; the guesses, if none were given
    notes: tuple[str, ...]  # what was changed or looked strange, in sentences
    markers: dict[str, int]  # texts that were read as missing → cells
    categories: dict[str, tuple[str, ...]]  # declared values, for formats that declare them
    sheets: tuple[str, ...]  # of a workbook, to choose from
    digest: str  # of the bytes and the options
    formats: Mapping[str, NumberFormat] = MappingProxyType({})  # of columns of numbers that were written as text
    choices: tuple[ReadingChoice, ...] = ()  # what the file leaves open
    origins: Mapping[str, Origin] = MappingProxyType({})  # of every column: where and how it stands in the file

    @property
    def marks(self) -> dict[str, str]:
        """The decimal mark of every column, by its name; empty where it is text though it could be numbers."""
        return {name: self.options.number_format(origin.position).decimal for name, origin in self.origins.items()}


def read_table(source: bytes | str | Path, filename: str = "", options: ReadOptions | None = None) -> Table:
    """Read the table in a file of CSV, TSV, Excel, Parquet, ARFF or JSON lines, also gzipped or zipped.

    `source` is the path of the file, or its bytes, which have the name `filename`.
    Options that are not given are guessed and returned with the table, to be shown, corrected and given again.
    `choices` lists the file's ambiguities, with the options for the other reading. Raises TableError, whose text
    says what is wrong, where, and what to do. The limit of uploads is for bytes alone.

    >>> table = read_table(b"height,colour\\n1.5,red\\n2.5,blue\\n", "plants.csv")
    >>> table.name, list(table.frame.columns), len(table.frame)
    ('plants', ['height', 'colour'], 2)
    """
    content, inner = _unpack_source(source, filename)
    check_content(content)
    tell(0.0, say("Finding the cells"))
    options = options or all_guessed(guess_format(content, inner))
    _check_marks(options)
    raw = readers.READERS[options.format](content, options)
    digest = hashlib.blake2b(content, digest_size=16)
    digest.update(repr(raw.options).encode())
    del content  # while columns become numbers, the memory is needed for both of them
    return _table(raw, inner, digest.hexdigest())


def _check_marks(options: ReadOptions) -> None:
    """Raise TableError for marks in numbers that no number has."""
    usual = NumberFormat(options.decimal, options.thousands)
    for format_ in (usual, *(format_ for _, format_ in options.formats)):
        if format_.decimal not in ("", *DECIMALS) or format_.thousands not in THOUSANDS:
            raise TableError(
                say(
                    "No number has the marks {decimal} and {thousands}.",
                    decimal=quoted(format_.decimal),
                    thousands=quoted(format_.thousands),
                ),
                "",
                say(
                    "Choose {decimals} as decimal mark, {thousands} between thousands.",
                    decimals=say("{first} or {last}", first=say(DECIMALS["."]), last=say(DECIMALS[","])),
                    thousands=", ".join(map(say, THOUSANDS.values())),
                ),
            )


def _unpack_source(source: bytes | str | Path, filename: str) -> tuple[bytes, str]:
    """Return the content of a file, unpacked, and its name."""
    if isinstance(source, (str, Path)):
        return unpack(_content(Path(source)), filename or Path(source).name)
    check_upload(source)
    return unpack(source, filename)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as wrong:  # ValueError: the path has a character that no path can have
        raise TableError(
            say("The file {name} cannot be opened.", name=quoted(path.name)),
            say("The system says: {reason}.", reason=getattr(wrong, "strerror", None) or str(wrong)),
            say("Check its path and your rights."),
        ) from wrong


def guess_options(source: bytes | str | Path, filename: str) -> ReadOptions | None:
    """Return the options for reading a text, ARFF or JSON, even if reading fails; None for other formats."""
    try:
        content, inner = _unpack_source(source, filename)
        check_content(content)
        options = all_guessed(guess_format(content, inner))
        if options.format not in TEXT_FORMATS:
            return None
        options = options._replace(encoding=encodings.guess_encoding(content))
        if options.format != "text":
            return options._replace(decimal=".", delimiter=",")
        return guess_layout(encodings.decode(content, options.encoding), options)._replace(decimal=".")
    except TableError:
        return None


def _table(raw: readers.Raw, filename: str, digest: str) -> Table:
    names, notes = _unique_names(raw.names)
    columns, missing, spellings = _read_columns(raw, names)
    formats = {  # of the numeric columns that were texts
        name: raw.options.number_format(i)
        for i, (name, values) in enumerate(columns.items())
        if isinstance(raw.columns[i], pa.Array) and values.dtype == np.float64
    }
    places = [i for i in range(len(names)) if i not in raw.left_out]
    # pandas would compare the index of each column with that of all others
    arrays = {name: values.array if isinstance(values, pd.Series) else values for name, values in columns.items()}
    frame = pd.DataFrame(arrays, columns=[names[i] for i in places])
    frame, more_notes = _without_blanks(frame, [raw.names[i] for i in places])
    _check_shape(frame, raw.options.format)
    notes = [
        *raw.notes,
        *notes,
        *more_notes,
        *_nameless(raw.names, names, frame),
        *remarks.missing_notes(missing),
        *remarks.spelling_notes(spellings),
        *_number_notes(raw, formats, names),
        *remarks.replace_infinite(frame),
        *remarks.strange(frame),
        *remarks.code_notes(frame, {names[i] for i in raw.categories}),
        *(remarks.rounded_by_sheets(frame) if raw.options.format == "excel" else ()),
        *doubts(frame),
    ]
    categories = {names[i]: values for i, values in raw.categories.items() if names[i] in frame}
    markers = {marker: sum(counts.values()) for marker, counts in missing.items()}
    facts = tuple(notes), markers, categories, raw.sheets, digest, formats, raw.choices
    title = Path(filename).stem or "Table"
    return Table(title, frame, raw.options, *facts, _origins(raw, columns, formats, spellings))


def _read_columns(
    raw: readers.Raw, names: list[str]
) -> tuple[dict[str, Any], dict[str, dict[str, int]], dict[str, dict[str, str]]]:
    """Return columns by name, the cells read as missing by marker and column, and spellings of yes by column."""
    columns: dict[str, Any] = {}
    missing: dict[str, dict[str, int]] = {}
    spellings: dict[str, dict[str, str]] = {}
    markers = (*raw.options.missing, "") if raw.options.format == "arff" else raw.options.missing
    own, usual_format = dict(raw.options.formats), NumberFormat(raw.options.decimal, raw.options.thousands)
    texts = (i for i, column in enumerate(raw.columns) if isinstance(column, pa.Array))
    formats = {i: own.get(i, usual_format) for i in texts if i not in raw.categories}  # which are no numbers
    short = [i for i, f in formats.items() if numbers.is_plain(f) and len(raw.columns[i]) <= numbers.SHORT]
    quick = dict(zip(short, numbers.plain_numbers([raw.columns[i] for i in short], markers), strict=True))
    pairs = enumerate(zip(names, raw.columns, strict=True))
    for i, (name, column) in each(pairs, len(names), say("Looking at the columns"), 20):
        if not isinstance(column, pa.Array):
            columns[name] = column
            continue
        columns[name], counts = quick.get(i) or cells.read_column(column, markers, formats.get(i))
        if i not in raw.categories and (usual := cells.spellings(columns[name])):
            spellings[name] = usual
            columns[name] = columns[name].replace(usual)
        for marker, n in counts.items():
            missing.setdefault(marker, {})[name] = n
    return columns, missing, spellings


def _number_notes(raw: readers.Raw, formats: dict[str, NumberFormat], names: list[str]) -> list[str]:
    """Return notes on numbers with signs or in groups, with an example of each such column."""
    examples = []
    for name, format_ in formats.items():
        column = raw.columns[names.index(name)] if format_.decorated or format_.thousands else None
        if isinstance(column, pa.Array) and (cell := numbers.example(column, format_)):
            value = in_style(number_text(cell[1]))
            examples.append(
                say("{cell} as {value} in {name}", cell=quoted(cell[0]), value=value, name=quoted(name))
            )
    return [say("Read as numbers: {shown}.", shown=listed(examples, 4))] if examples else []


def _unique_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return unique names, and notes on renamed columns."""
    plain = [" ".join(name.split())[:LONGEST_NAME] or f"column {i}" for i, name in enumerate(names, 1)]
    taken_names: set[str] = set()
    originals = set(plain)
    copies: dict[str, int] = {}
    unique, changes = [], []
    for name in plain:
        new, copy = name, copies.get(name, 1)
        while new in taken_names or (new != name and new in originals):
            copy += 1
            new = f"{name} ({copy})"
        taken_names.add(new)
        copies[name] = copy
        unique.append(new)
        if new != name:
            changes.append(say("{name} is now {new}", name=quoted(name), new=quoted(new)))
    return unique, [say("Two columns had the same name: {renamed}.", renamed=listed(changes))] if changes else []


def _nameless(given: list[str], names: list[str], frame: pd.DataFrame) -> list[str]:
    """Return a note on the names given to columns without one, if others have one."""
    new_names = [quoted(name) for old, name in zip(given, names, strict=True) if not old.strip() and name in frame]
    if not new_names or not any(name.strip() for name in given):
        return []
    return [
        say(
            "Without a name: called {names}.",
            names=listed(new_names),
        )
    ]


def _without_blanks(frame: pd.DataFrame, names: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return the table without nameless empty columns (of trailing delimiters) and without blank rows."""
    nameless = [c for c, name in zip(frame.columns, names, strict=True) if not name.strip()]
    empty = [c for c in nameless if len(frame[c].dropna()) == 0]
    frame = frame.drop(columns=empty)
    blank: Any = frame.isna().to_numpy().all(axis=1)
    notes = []
    if empty and len(frame):
        notes.append(say("{columns} without a name left out.", columns=counted(len(empty), "empty column")))
    if blank.any() and not blank.all():
        n = counted(int(blank.sum()), "blank row")
        notes.append(say("{n} left out: {rows}.", n=n, rows=remarks.rows_in_words(blank)))
        frame = frame.iloc[~blank].reset_index(drop=True)
    return frame, notes


def _origins(
    raw: Raw,
    columns: Mapping[str, pd.Series],
    formats: Mapping[str, NumberFormat],
    spellings: Mapping[str, Mapping[str, str]],
) -> dict[str, Origin]:
    """Return the origin of every column as read, by its name here; `to_dataset` adds what it pools.

    `spellings` are those of yes and no that were read as others, by column.
    """
    is_arff = raw.options.format == "arff"
    missing = (*raw.options.missing, "?") if is_arff else raw.options.missing
    alike = _alike(raw.names)
    alike |= {name: (name,) for name in _taken_names(raw.names, alike)}
    return {
        new: Origin(
            raw.names[i],
            i,
            missing=missing if is_arff or isinstance(raw.columns[i], pa.Array) else (),
            format=formats.get(new, NumberFormat()) if values.dtype == np.float64 else None,
            alike=alike.get(raw.names[i], ()),
            spellings=tuple(spellings.get(new, {}).items()),
            is_filled=i in raw.filled,
        )
        for i, (new, values) in enumerate(columns.items())
    }


def _taken_names(names: list[str], alike: Mapping[str, object]) -> set[str]:
    """Return names such as "column 3" that other columns have, which exports must not give to nameless columns."""
    places = {f"column {i}": i for i in range(1, len(names) + 1)}
    nameless = [i for i, name in enumerate(names, 1) if not name or name in alike]
    if not nameless:
        return set()
    return {name for i, name in enumerate(names, 1) if places.get(name.casefold(), i) != i}


def _alike(names: list[str]) -> dict[str, tuple[str, ...]]:
    """Return for repeated names, or names that differ only in case, the names of the other columns."""
    count, spellings = Counter(names), dict[str, list[str]]()
    for name in count:
        spellings.setdefault(name.casefold(), []).append(name)
    groups = (group for group in spellings.values() if len(group) > 1 or count[group[0]] > 1)
    return {name: tuple(n for n in group if n != name or count[name] > 1) for group in groups for name in group}


MORE_COLUMNS = {  # by format: where other columns may be, if a file has them
    "text": to_say("Choose another delimiter."),
    "json": to_say("Give every row a value for each column."),
    "excel": to_say("Choose another sheet, or skip the rows above the table."),
}


def _check_shape(frame: pd.DataFrame, format_: str) -> None:
    n_rows, n_columns = frame.shape
    check_shape(n_rows, n_columns)
    if n_columns == 0:
        raise TableError(
            say("The table has no usable column."),
            "",
            say("Upload a table of numbers or words."),
        )
    if n_rows == 0:
        raise TableError(
            say("The table has no rows."),
            say("Nothing follows the names of {columns}.", columns=counted(n_columns, "column")),
            say("Add rows; if the first line is one, say that it has no names."),
        )
    if n_columns < 2:
        more = say(MORE_COLUMNS[format_]) if format_ in MORE_COLUMNS else ""
        raise TableError(
            say("The table has only one column."),
            say("Everything went into {name}.", name=quoted(frame.columns[0])),
            " ".join(filter(None, (say("A tree needs at least two."), more))),
        )
    if frame.isna().to_numpy().all():
        raise TableError(
            say("Every cell of the table is missing."),
            "",
            say("Check which texts are read as missing."),
        )
