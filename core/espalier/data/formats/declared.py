"""ARFF, the format of Weka: a declared type for every attribute, dense or sparse rows.

SciPy's reader refuses strings and sparse rows, so this is our own. Nominal attributes give categories in
their declared order, dates and strings stay text, "?" is missing. Relational attributes are refused.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from espalier.data.columns.numbers import LARGEST_EXACT, pc
from espalier.data.errors import (
    TableError,
    check_cell,
    check_columns,
    check_decoded,
    check_shape,
    count,
    counted,
    quoted,
    tell,
    too_long_cell,
)
from espalier.data.formats import encodings
from espalier.data.formats.text import columns_of_rows, one_chunk
from espalier.language import say, to_say

ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE)
WORD = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"][^,]*|)\s*(?:,|$)""")


class Attribute(NamedTuple):
    """A declared column; categories are those of a nominal attribute."""

    name: str
    type: str  # "numeric", "nominal", "string" or "date"
    categories: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()  # the categories, to look one up


def looks_like_arff(text: str) -> bool:
    """Return whether the first line that is not a comment declares an ARFF relation or attribute."""
    words = (line.strip().lower() for _, line, _ in encodings.number_lines(encodings.unify_lines(text[:20_000])))
    first = next((word for word in words if word and not word.startswith("%")), "")
    return first.startswith(("@relation", "@attribute"))


def read_arff(text: str) -> tuple[list[Attribute], list[pa.Array]]:
    """Return the attributes, and the cells as text, column by column; missing is empty.

    Raises TableError, with the line, for invalid content or a broken limit.
    """
    attributes: list[Attribute] = []
    lines = _lines(text)
    for number, line in lines:
        word = line[:20].lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(line, number))
            check_columns(len(attributes))
        elif word.startswith("@data"):
            break
    return attributes, columns_of_rows(_rows(lines, attributes), len(attributes))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that hold anything but a comment."""
    for number, raw, end in encodings.number_lines(text):
        if (line := raw.strip()) and not line.startswith("%"):
            yield number, line
        if number % 10_000 == 0:
            tell(end / len(text), say("Reading the rows"))


def _rows(lines: Iterator[tuple[int, str]], attributes: list[Attribute]) -> Iterator[list[str]]:
    for n_rows, (number, line) in enumerate(lines, 1):
        check_shape(n_rows, len(attributes))
        yield _row(line, number, attributes)


def _attribute(line: str, number: int) -> Attribute:
    match = ATTRIBUTE.match(line)
    if not match:
        raise _wrong(number, say("an attribute lacks a name or type: {line}", line=quoted(line)))
    name, type_ = _unquote(match[1]), match[2].strip()
    if type_.startswith("{"):
        words = tuple(dict.fromkeys(_words(type_.strip("{} \t"), number)))  # some files name one twice
        return Attribute(name, "nominal", words, frozenset(words))
    kind = type_.split()[0].lower()
    if kind in ("numeric", "real", "integer"):
        return Attribute(name, "numeric")
    if kind in ("string", "date"):
        return Attribute(name, kind)
    raise _wrong(
        number,
        say("{name} has the unknown type {type}", type=quoted(type_), name=quoted(name)),
    )


def _row(line: str, number: int, attributes: list[Attribute]) -> list[str]:
    if line.startswith("{"):
        return _sparse_row(line.partition("}")[0][1:], number, attributes)
    cells = _words(line, number)
    if len(cells) == len(attributes) + 1 and cells[-1].startswith("{"):
        cells.pop()  # the weight of the row
    if len(cells) != len(attributes):
        n_cells, n_attributes = counted(len(cells), "cell"), counted(len(attributes), "attribute")
        raise _wrong(number, say("there are {cells} for {attributes}", cells=n_cells, attributes=n_attributes))
    return [_cell(cell, attribute, number) for cell, attribute in zip(cells, attributes, strict=True)]


def _sparse_row(inside: str, number: int, attributes: list[Attribute]) -> list[str]:
    """Parse a row of pairs "index value"; attributes not named are 0, or their first category."""
    cells = [a.categories[0] if a.categories else "0" for a in attributes]
    for pair in _split(inside, number) if inside.strip() else []:
        index, _, value = pair.strip().partition(" ")
        if not index.isdecimal() or int(index) >= len(attributes):
            raise _wrong(number, say("{pair} does not begin with an attribute's number", pair=quoted(pair)))
        cells[int(index)] = _cell(_unquote(value.strip()), attributes[int(index)], number)
    return cells


def _cell(cell: str, attribute: Attribute, number: int) -> str:
    if cell == "?":
        return ""
    if len(cell) > 100:
        check_cell(len(cell), say("It stands in line {n}.", n=count(number)))
    if attribute.categories and cell not in attribute.known:
        raise _wrong(
            number,
            say("{cell} is no declared value of {name}", cell=quoted(cell), name=quoted(attribute.name)),
        )
    if attribute.type == "numeric" and not _is_float(cell):
        raise _wrong(
            number,
            say(
                "{cell} is no number, as {name} is",
                cell=quoted(cell),
                name=quoted(attribute.name),
            ),
        )
    return cell


def _words(text: str, number: int) -> list[str]:
    if "'" not in text and '"' not in text:  # fast: nearly all lines
        return [word.strip() for word in text.split(",")]
    return [_unquote(word) for word in _split(text, number)]


def _split(text: str, number: int) -> list[str]:
    if "'" not in text:
        try:
            return next(csv.reader([text], skipinitialspace=True))
        except csv.Error as wrong:
            raise too_long_cell(say("It stands in line {n}.", n=count(number))) from wrong
    words, at = [], 0
    while at < len(text) or text[at - 1 : at] == ",":
        match = WORD.match(text, at)
        if not match or (match.end() == at and at < len(text)):
            raise _wrong(number, say("a quotation mark ends within a cell"))
        words.append(match[1])
        at = match.end()
        if at == len(text) and not match[0].rstrip().endswith(","):
            break
    return words


def _unquote(word: str) -> str:
    word = word.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _is_float(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _wrong(number: int, what: str) -> TableError:
    return TableError(
        say("The ARFF file contradicts itself."),
        say("In line {n} {what}.", n=count(number), what=what),
        say("Correct it, or save the table as CSV."),
    )


# ---- read JSON, one record per line or a list of records, as columns of text cells

HALVES = re.compile("[\ud800-\udfff]")  # of characters: JSON can write them alone, but no text has them
CELLS = 500_000  # held as Python's objects at a time
TODO = to_say('Write every row as {"name": value, …}, or read it as text.')


def read_records(characters: str) -> tuple[list[str], list[pa.Array], list[str], frozenset[int]]:
    """Return the records of a text, one per line or all in one list, as columns.

    These are names in order of first occurrence, their cells, the names with nested lists or records, which have
    no cells, and the places of columns in which a value is a text.

    Raises TableError, with the line, for invalid content, and as soon as a limit is exceeded.
    """
    parts: dict[str, list[pa.Array]] = {}
    rows: Counter[str] = Counter()  # that a name has cells for so far
    columns_of_objects: set[str] = set()
    texts: set[str] = set()
    n_rows = 0
    for block in _blocks(_records(characters), parts):
        for name in dict.fromkeys(name for record in block for name in record):
            parts[name] += [*_missing(n_rows - rows[name]), _cells(name, block, columns_of_objects)]
            rows[name] = n_rows + len(block)
            if any(isinstance(record.get(name), str) for record in block):
                texts.add(name)
        n_rows += len(block)
    names = [name for name in parts if name not in columns_of_objects]
    columns = [pa.concat_arrays([*parts[name], *_missing(n_rows - rows[name])]) for name in names]
    as_text = frozenset(i for i, name in enumerate(names) if name in texts)
    deep = sorted(map(_whole_text, columns_of_objects))
    return [_whole_text(name) for name in names], columns, deep, as_text


def _blocks(records: Iterable[dict[str, Any]], names: dict[str, list]) -> Iterator[list[dict[str, Any]]]:
    """Yield blocks of records; new names are added to `names`."""
    block: list[dict[str, Any]] = []
    for n_rows, record in enumerate(records, 1):
        if not names.keys() >= record.keys():
            names.update({name: [] for name in record if name not in names})
        check_shape(n_rows, len(names))
        block.append(record)
        if len(block) * len(names) > CELLS:
            yield block
            block = []
    yield block


def _records(characters: str) -> Iterator[dict[str, Any]]:
    if characters.lstrip()[:1] == "[":
        records = _parse_json(characters, 1)
    else:  # only a line feed ends a line: other breaks may be part of a text
        lines = encodings.number_lines(characters)
        records = (_parse_json(line.strip(), number) for number, line, _ in lines if line.strip())
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise TableError(
                say("The JSON holds no rows."),
                say("Entry {n} is no record of names and values.", n=count(number)),
                say(TODO),
            )
        yield _flat(record)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with an empty list for each nested value, which is left out and may be large."""
    if not any(isinstance(value, dict | list) for value in record.values()):
        return record
    return {name: [] if isinstance(value, dict | list) else value for name, value in record.items()}


def _parse_json(characters: str, line: int) -> Any:
    try:
        return json.loads(characters)
    except json.JSONDecodeError as wrong:
        place = {"line": count(line + wrong.lineno - 1), "character": count(wrong.colno)}
        where = say("Line {line}, character {character}: {fault}.", fault=wrong.msg, **place)
        raise TableError(say("The JSON cannot be read."), where, say(TODO)) from wrong
    except (RecursionError, ValueError) as wrong:
        where = say("From line {n} on it is nested too deeply or has too long a number.", n=count(line))
        raise TableError(say("The JSON cannot be read."), where, say(TODO)) from wrong


def _missing(n: int) -> list[pa.Array]:
    return [pa.nulls(n, pa.string())] if n else []


def _cells(name: str, block: list[dict[str, Any]], nested: set[str]) -> pa.Array:
    values = [record.get(name) for record in block]
    if any(isinstance(value, dict | list) for value in values):
        nested.add(name)
    if name in nested:
        return pa.nulls(len(values), pa.string())
    return pa.array([_json_records_cell(value) for value in values], pa.string())


def _json_records_cell(value: Any) -> str | None:
    if isinstance(value, str):
        check_cell(len(value), say("It begins with {text}.", text=quoted(_whole_text(value[:100]))))
        return _whole_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else repr(value)


def _whole_text(word: str) -> str:
    """Return the text with lone halves of characters replaced by the replacement sign."""
    return word if word.isascii() else HALVES.sub("\ufffd", word)


# ---- read Parquet files in parts and count the decoded size: a small file may decode to gigabytes

ROWS = 65_536  # read at a time


def read_parquet(content: bytes) -> list[tuple[str, pa.Array | pd.Series | None]]:
    """Return names and columns: text as cells, numbers and times as values, nested or binary ones as None.

    Raises TableError for a damaged file, and as soon as a limit is exceeded.
    """
    try:
        schema = pq.read_schema(pa.BufferReader(content))
        texts = [field.name for field in schema if _is_text(field.type)]
        file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)  # which has each text once
        groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
        check_shape(file.metadata.num_rows, file.metadata.num_columns)
        check_decoded(sum(group.total_byte_size for group in groups))
        table = _read(file)
    except (TableError, MemoryError):  # Arrow's error of memory is one of Arrow's too
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as wrong:
        raise TableError(
            say("The Parquet file is damaged."),
            say("It could not be read to its end."),
            say("Write it again, or save it as CSV."),
        ) from wrong
    return list(zip(table.column_names, map(_usable, table.columns), strict=True))


def _read(file: pq.ParquetFile) -> pa.Table:
    batches, n_rows, n_bytes = [], 0, 0
    for batch in file.iter_batches(ROWS, use_threads=False):
        n_rows += batch.num_rows
        check_shape(n_rows, batch.num_columns)
        n_bytes += sum(map(_decoded_bytes, batch.schema.names, batch.columns))
        check_decoded(n_bytes)
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow if not batches else batches[0].schema)


def _decoded_bytes(name: str, column: pa.Array) -> int:
    """Return the bytes of the column with every text written out. Raises TableError for too long a text."""
    if not isinstance(column, pa.DictionaryArray) or not _is_text(column.type.value_type):
        return column.nbytes
    sizes = pc.binary_length(column.dictionary)
    check_cell(pc.max(sizes).as_py() or 0, say("It stands in the column {name}.", name=quoted(name)))
    return pc.sum(sizes.take(column.indices)).as_py() or 0


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _usable(column: pa.ChunkedArray) -> pa.Array | pd.Series | None:
    """Return text cells or values; None for nested or binary values, and for text that is not UTF-8."""
    try:
        return _values(column)
    except MemoryError:
        raise
    except (pa.ArrowException, ValueError, OverflowError):
        return None


def _values(column: pa.ChunkedArray) -> pa.Array | pd.Series | None:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_boolean(kind) or _is_text(kind):
        cells = one_chunk(column.cast(pa.string()))
        cells.validate(full=True)
        return cells
    is_exact = pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    ends = pc.min_max(column).as_py().values() if is_exact else ()
    if any(end is not None and abs(end) >= LARGEST_EXACT for end in ends):  # beyond it, floats skip whole numbers
        return one_chunk(column.cast(pa.string()))  # of which `numbers.read` keeps all digits
    if is_exact or pa.types.is_floating(kind):
        return column.cast(pa.float64(), safe=False).to_pandas().astype("float64")
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return pd.Series(column.cast(pa.timestamp("us"), safe=False).to_pandas())
    if pa.types.is_null(kind):
        return pd.Series([float("nan")] * len(column))
    return None
