"""Read a file's content, in this process or, for foreign files, in a separate one with limits."""

from __future__ import annotations

import functools
import time
import traceback
import types
import typing
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.columns.cells import with_texts
from espalier.data.columns.kinds import ColumnPlan, ColumnSummary, guess_kinds, summarise
from espalier.data.columns.new_rows import plain_name
from espalier.data.errors import TableError, count, heard_by, tell
from espalier.data.formats import encodings
from espalier.data.formats.readers import guess_format
from espalier.data.options import ReadOptions
from espalier.data.table import Table, guess_options, read_table
from espalier.language import say, speak, spoken
from espalier.sandbox.worker import peak_bytes
from espalier.settings import MAX_READ_MEMORY_MB, MAX_READ_SECONDS


def to_plain(value: Any) -> Any:
    """Return the value as lists, texts, numbers and dictionaries, as in JSON; a record is a list of its fields."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return [[to_plain(key), to_plain(item)] for key, item in value.items()]
    return [to_plain(item) for item in value] if isinstance(value, tuple | list) else value


def from_plain(kind: Any, plain: Any) -> Any:
    """Return the value of this type that `to_plain` was given. Raises TypeError or ValueError for another."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return None if plain is None else from_plain(next(k for k in inside if k is not type(None)), plain)
    if origin is tuple and inside[-1:] == (...,):
        return tuple(from_plain(inside[0], item) for item in plain)
    if origin is tuple:
        return tuple(from_plain(k, item) for k, item in zip(inside, plain, strict=True))
    if origin is list:
        return [from_plain(inside[0], item) for item in plain]
    if origin in (dict, Mapping):
        return {from_plain(inside[0], key): from_plain(inside[1], item) for key, item in plain}
    if hasattr(kind, "_fields"):
        hints = _hints(kind)
        return kind(*(from_plain(hints[f], item) for f, item in zip(kind._fields, plain, strict=True)))
    return _atom(kind, origin, inside, plain)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _atom(kind: Any, origin: Any, inside: tuple, plain: Any) -> Any:
    if origin is typing.Literal and plain in inside:
        return plain
    if kind in (str, int, float, bool) and type(plain) is kind:
        return plain
    raise TypeError(f"{plain!r} is no {kind}")


# ---- read a file's content, in this process or, for foreign files, in a separate one with limits

EVERY_SECONDS = 0.1  # least interval between progress reports
# size of a plain text that is read in this process: it takes less than a second, whatever its content
SMALL_BYTES = 200_000
SMALL_COLUMNS = 500
PACKED_MAGIC = (b"\x1f\x8b", b"PK")  # first bytes of gzip and zip
MARKS = (b",", b";", b"\t", b"|", b" ")


COLUMNS = (tuple[ColumnPlan, ...], tuple[ColumnSummary, ...])


class Contents(NamedTuple):
    """A table, with the guessed kinds of its columns."""

    table: Table
    plans: tuple[ColumnPlan, ...]
    summaries: tuple[ColumnSummary, ...]


class UnreadableFile(TableError):
    """The error of a file that cannot be read, with its reading options if it is a text."""

    def __init__(self, what: str, where: str, todo: str, options: ReadOptions | None = None):
        super().__init__(what, where, todo)
        self.options = options


def contents(
    source: bytes | Path, filename: str, options: ReadOptions | None = None, texts: Collection[str] = ()
) -> Contents:
    """Read the file in this process. Raises UnreadableFile, which says what is wrong, where, and what to do.

    The columns of the names `texts` are text, whatever their capitals, also where their cells could be numbers.
    """
    try:
        table = read_table(source, filename, options)
        if positions := _numbers_among(table, texts):
            table = read_table(source, filename, with_texts(table.options, positions))
    except TableError as error:
        guess = options or guess_options(source, filename)
        raise UnreadableFile(error.what, error.where, error.todo, guess) from error
    tell(0.0, say("Looking at the columns"))
    plans = guess_kinds(table.frame, table.categories, table.marks)
    return Contents(table, tuple(plans), tuple(summarise(table.frame)))


def _numbers_among(table: Table, texts: Collection[str]) -> set[int]:
    """Return the positions of the columns of these names whose cells were texts and became numbers."""
    plain_names = set(map(plain_name, texts))
    columns = (table.origins[name] for name in table.formats)
    return {origin.position for origin in columns if plain_name(origin.name) in plain_names}


def is_small(source: bytes | Path) -> bool:
    """Return whether a file is a plain text so small that reading it cannot cost much; one of a path is not."""
    if isinstance(source, Path):
        return False
    if len(source) > SMALL_BYTES or guess_format(source, "") != "text" or source[:2] in PACKED_MAGIC:
        return False
    return (
        max(
            (line.count(mark) for line in encodings.unified_bytes(source).split(b"\n") for mark in MARKS),
            default=0,
        )
        < SMALL_COLUMNS
    )


def service() -> Callable[[dict, Callable], dict]:
    """Return the handler for the process that reads (`espalier.sandbox.worker`)."""
    pa.set_cpu_count(1)
    return _answer


def question(
    source: bytes | Path, filename: str, options: ReadOptions | None, texts: Collection[str] = ()
) -> dict[str, Any]:
    """Return the request to that process to read a file as `contents` does: its bytes, or the path of it.

    Notes and errors come in the language that is spoken here.
    """
    file = str(source.resolve()) if isinstance(source, Path) else np.frombuffer(source, np.uint8)
    plain = None if options is None else to_plain(options)
    how = {"options": plain, "texts": list(texts), "language": spoken(), "seconds": MAX_READ_SECONDS}
    return {"file": file, "filename": filename, **how}


def contents_of_answer(answer: dict[str, Any]) -> Contents:
    """Return the content from that process's answer. Raises UnreadableFile as `contents` does."""
    if "wrong" in answer:
        options = answer["options"]
        guess = None if options is None else from_plain(ReadOptions, options)
        what, where, todo = map(str, answer["wrong"])
        raise UnreadableFile(what, where, todo, guess)
    hints = get_type_hints(Table)
    facts: dict[str, Any] = {name: from_plain(hints[name], plain) for name, plain in answer["table"]}
    columns = (from_plain(kind, plain) for kind, plain in zip(COLUMNS, answer["columns"], strict=True))
    return Contents(Table(frame=_frame(answer), **facts), *columns)


def too_much_memory() -> UnreadableFile:
    """Return the error for a file that needs more memory than the limit."""
    return UnreadableFile(
        say("Reading the file needs too much memory."),
        say("The limit is {n} MB while a file is read.", n=count(MAX_READ_MEMORY_MB)),
        say("Take a random part of its rows, or leave columns out."),
    )


def broken_off() -> UnreadableFile:
    """Return the error for a file whose process ended while it read, for a reason that nobody knows."""
    return UnreadableFile(
        say("Reading the file was broken off."),
        say("The process that reads ended before the table was there; it may have lacked memory."),
        say("Try once more; if that fails too, take a random part of its rows, or save the file as CSV."),
    )


def too_much_time() -> UnreadableFile:
    """Return the error for a file that takes longer to read than the limit."""
    return UnreadableFile(
        say("Reading the file takes too long."),
        say("The limit is {n} seconds of work.", n=f"{MAX_READ_SECONDS:g}"),
        say("Take a random part of its rows, or leave columns out; a workbook is read much faster as CSV."),
    )


def _answer(question: dict, report: Callable[[Any], None]) -> dict[str, Any]:
    """Return the content of a file as numbers and plain data, or its error."""
    speak(question["language"])
    plain = question["options"]
    try:
        options = None if plain is None else from_plain(ReadOptions, plain)
        with heard_by(_now_and_then(report)):
            file = question["file"]
            source = Path(file) if isinstance(file, str) else file.tobytes()
            return _plain_contents(contents(source, question["filename"], options, question["texts"]))
    except TableError as error:
        return _error_answer(error)
    except MemoryError:
        return _error_answer(too_much_memory())
    except Exception as fault:  # a fault of ours: the server continues and logs it
        where = "".join(traceback.format_exception(fault))
        return {**_error_answer(not_foreseen()), "fault": where}


def _now_and_then(report: Callable[[Any], None]) -> Callable[[float, str], None]:
    last = 0.0

    def listen(share: float, step: str) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY_SECONDS:
            last = time.monotonic()
            report([share, step])

    return listen


def _error_answer(error: TableError) -> dict[str, Any]:
    options = getattr(error, "options", None)
    wrong = [error.what, error.where, error.todo]
    return {"wrong": wrong, "options": None if options is None else to_plain(options), "peak": peak_bytes()}


def not_foreseen() -> UnreadableFile:
    """Return the error for a file that reveals a fault of ours."""
    return UnreadableFile(
        say("The file cannot be read."),
        say("Something in it was not foreseen; the details are in the server's log."),
        say("Open it in another program, save it as CSV and upload that."),
    )


def _plain_contents(found: Contents) -> dict[str, Any]:
    table = found.table
    facts = [[name, to_plain(value)] for name, value in table._asdict().items() if name != "frame"]
    columns = [to_plain(found.plans), to_plain(found.summaries)]
    return {"table": facts, "columns": columns, **_arrays(table.frame), "peak": peak_bytes()}


def _arrays(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of a table: numbers as they are (n_columns, n_rows), others by Arrow."""
    is_number = (frame.dtypes == np.float64).to_numpy()
    numbers = frame.loc[:, is_number].to_numpy(np.float64).T
    rest = pa.Table.from_pandas(frame.loc[:, ~is_number], preserve_index=False)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rest.schema) as stream:
        stream.write_table(rest)
    names = [str(name) for name in frame.columns]
    return {"names": names, "numbers": numbers, "others": np.frombuffer(sink.getvalue(), np.uint8)}


def _frame(answer: dict[str, Any]) -> pd.DataFrame:
    """Return the table of `_arrays`."""
    rest = pa.ipc.open_stream(pa.py_buffer(answer["others"])).read_all()
    rest.validate(full=True)
    others_frame = rest.to_pandas()
    names = [name for name in answer["names"] if name not in others_frame]
    numbers = pd.DataFrame(np.asarray(answer["numbers"], np.float64).T, columns=names)
    return (
        numbers
        if others_frame.empty and not len(others_frame.columns)
        else _join_columns(others_frame, numbers, answer["names"])
    )


def _join_columns(known: pd.DataFrame, numbers: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    known.index = numbers.index if len(numbers.columns) else known.index
    both: Any = pd.concat([known, numbers], axis=1)
    return both[names]
