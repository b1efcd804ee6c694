"""Read JSON, one record per line or a list of records, as columns of text cells."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from espalier.data.errors import TableError, count, quoted
from espalier.data.formats import lines
from espalier.data.limits import check_cell, check_shape
from espalier.language import say, to_say

HALVES = re.compile("[\ud800-\udfff]")  # of characters: JSON can write them alone, but no text has them
CELLS = 500_000  # held as Python's objects at a time
TODO = to_say(
    'Write every row as {"name": value, …}, one per line or all in one list; if it is no JSON, say it is text.'
)


class Records(NamedTuple):
    """Names in order of first occurrence, their cells, and the names with nested lists or records."""

    names: list[str]
    columns: list[pa.Array]
    nested: list[str]
    texts: frozenset[int]  # places of columns in which a value is a text


def read_records(characters: str) -> Records:
    """Return the records of a text, one per line or all in one list.

    Raises TableError, with the line, for invalid content, and as soon as a limit is exceeded.
    """
    parts: dict[str, list[pa.Array]] = {}
    rows: Counter[str] = Counter()  # that a name has cells for so far
    nested: set[str] = set()
    texts: set[str] = set()
    n_rows = 0
    for block in _blocks(_records(characters), parts):
        for name in dict.fromkeys(name for record in block for name in record):
            parts[name] += [*_missing(n_rows - rows[name]), _cells(name, block, nested)]
            rows[name] = n_rows + len(block)
            if any(isinstance(record.get(name), str) for record in block):
                texts.add(name)
        n_rows += len(block)
    names = [name for name in parts if name not in nested]
    columns = [pa.concat_arrays([*parts[name], *_missing(n_rows - rows[name])]) for name in names]
    written = frozenset(i for i, name in enumerate(names) if name in texts)
    return Records([_whole(name) for name in names], columns, sorted(map(_whole, nested)), written)


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
    found = _parsed(characters, 1) if characters.lstrip()[:1] == "[" else _by_line(characters)
    for number, record in enumerate(found, 1):
        if not isinstance(record, dict):
            raise TableError(
                say("The JSON does not hold one record per row."),
                say("Entry {n} is no record of names and values.", n=count(number)),
                say(TODO),
            )
        yield _flat(record)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with an empty list for each nested value, which is left out and may be large."""
    if not any(isinstance(value, dict | list) for value in record.values()):
        return record
    return {name: [] if isinstance(value, dict | list) else value for name, value in record.items()}


def _by_line(characters: str) -> Iterator[Any]:
    """Yield the values of the lines. Only a line feed ends a line: other breaks may be part of a text."""
    for number, line, _ in lines.numbered(characters):
        if line.strip():
            yield _parsed(line.strip(), number)


def _parsed(characters: str, line: int) -> Any:
    try:
        return json.loads(characters)
    except json.JSONDecodeError as wrong:
        place = {"line": count(line + wrong.lineno - 1), "character": count(wrong.colno)}
        where = say("Line {line}, character {character}: {fault}.", fault=wrong.msg, **place)
        raise TableError(say("The JSON cannot be read."), where, say(TODO)) from wrong
    except (RecursionError, ValueError) as wrong:
        where = say(
            "From line {n} on it is nested too deeply or holds a number of thousands of digits.", n=count(line)
        )
        raise TableError(say("The JSON cannot be read."), where, say(TODO)) from wrong


def _missing(n: int) -> list[pa.Array]:
    return [pa.nulls(n, pa.string())] if n else []


def _cells(name: str, block: list[dict[str, Any]], nested: set[str]) -> pa.Array:
    values = [record.get(name) for record in block]
    if any(isinstance(value, dict | list) for value in values):
        nested.add(name)
    if name in nested:
        return pa.nulls(len(values), pa.string())
    return pa.array([_cell(value) for value in values], pa.string())


def _cell(value: Any) -> str | None:
    if isinstance(value, str):
        check_cell(len(value), say("It begins with {text}.", text=quoted(_whole(value[:100]))))
        return _whole(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else repr(value)


def _whole(word: str) -> str:
    """Return the text with lone halves of characters replaced by the replacement sign."""
    return word if word.isascii() else HALVES.sub("\ufffd", word)
