"""Read a file's content, in this process or, for foreign files, in a separate one with limits."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.columns.cells import set_formats
from espalier.data.columns.kinds import ColumnPlan, ColumnSummary, guess_kinds, summarise
from espalier.data.columns.new_rows import plain_name
from espalier.data.errors import TableError, count, heard_by, tell
from espalier.data.formats import encodings
from espalier.data.formats.readers import guess_format
from espalier.data.options import AS_TEXT, ReadOptions, from_plain, to_plain
from espalier.data.table import Table, guess_options, read_table
from espalier.language import say, speak, spoken, to_say
from espalier.sandbox.worker import peak_bytes
from espalier.settings import MAX_READ_MEMORY_MB, MAX_READ_SECONDS

EVERY_SECONDS = 0.1  # least interval between progress reports
# size of a plain text that is read in this process: it takes less than a second, whatever its content
SMALL_BYTES = 200_000
SMALL_COLUMNS = 500
PACKED_MAGIC = (b"\x1f\x8b", b"PK")  # first bytes of gzip and zip
MARKS = (b",", b";", b"\t", b"|", b" ")


FAILURES = {  # by what ends reading a file: what is wrong, where, and what to do; with the limit
    "memory": (
        to_say("Reading the file needs too much memory."),
        to_say("The limit is {n} MB."),
        to_say("Take some of its rows or columns."),
    ),
    "time": (
        to_say("Reading the file takes too long."),
        to_say("The limit is {n} seconds."),
        to_say("Take some of its rows or columns; a workbook is faster as CSV."),
    ),
    "end": (  # of the process, for a reason that nobody knows
        to_say("Reading the file was broken off."),
        to_say("It may have lacked memory."),
        to_say("Try again, or save it as CSV."),
    ),
    "fault": (  # of ours
        to_say("The file cannot be read."),
        to_say("The server's log has the details."),
        to_say("Save it as CSV."),
    ),
}


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
        plain_names = set(map(plain_name, texts))
        columns = [table.origins[name] for name in table.formats]  # whose cells were texts and became numbers
        if positions := {column.position for column in columns if plain_name(column.name) in plain_names}:
            table = read_table(source, filename, set_formats(table.options, dict.fromkeys(positions, AS_TEXT)))
    except TableError as error:
        guess = options or guess_options(source, filename)
        raise UnreadableFile(error.what, error.where, error.todo, guess) from error
    tell(0.0, say("Looking at the columns"))
    plans = guess_kinds(table.frame, table.categories, table.marks)
    return Contents(table, tuple(plans), tuple(summarise(table.frame)))


def is_small(source: bytes | Path) -> bool:
    """Return whether a file is a plain text so small that reading it cannot cost much; one of a path is not."""
    if isinstance(source, Path):
        return False
    if len(source) > SMALL_BYTES or guess_format(source, "") != "text" or source[:2] in PACKED_MAGIC:
        return False
    lines = encodings.unify_lines(source).split(b"\n")
    return max((line.count(mark) for line in lines for mark in MARKS), default=0) < SMALL_COLUMNS


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
    how = {"options": to_plain(options), "texts": list(texts), "language": spoken(), "seconds": MAX_READ_SECONDS}
    return {"file": file, "filename": filename, **how}


def contents_of_answer(answer: dict[str, Any]) -> Contents:
    """Return the content from that process's answer. Raises UnreadableFile as `contents` does."""
    if "wrong" in answer:
        what, where, todo = map(str, answer["wrong"])
        raise UnreadableFile(what, where, todo, from_plain(ReadOptions | None, answer["options"]))
    return from_plain(Contents, {**answer, "table": {**answer["table"], "frame": _frame(answer)}})


def failure(what: str) -> UnreadableFile:
    """Return the error for a file whose reading was ended by one of `FAILURES`."""
    n = f"{MAX_READ_SECONDS:g}" if what == "time" else count(MAX_READ_MEMORY_MB)
    title, where, todo = (say(text, n=n) for text in FAILURES[what])
    return UnreadableFile(title, where, todo)


def _answer(question: dict, report: Callable[[Any], None]) -> dict[str, Any]:
    """Return the content of a file as numbers and plain data, or its error."""
    speak(question["language"])
    try:
        options = from_plain(ReadOptions | None, question["options"])
        with heard_by(_now_and_then(report)):
            file = question["file"]
            source = Path(file) if isinstance(file, str) else file.tobytes()
            return _plain_contents(contents(source, question["filename"], options, question["texts"]))
    except TableError as error:
        return _error_answer(error)
    except MemoryError:
        return _error_answer(failure("memory"))
    except Exception as fault:  # a fault of ours: the server continues and logs it
        where = "".join(traceback.format_exception(fault))
        return {**_error_answer(failure("fault")), "fault": where}


def _now_and_then(report: Callable[[Any], None]) -> Callable[[float, str], None]:
    last = 0.0

    def listen(share: float, step: str) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY_SECONDS:
            last = time.monotonic()
            report([share, step])

    return listen


def _error_answer(error: TableError) -> dict[str, Any]:
    options = to_plain(getattr(error, "options", None))
    return {"wrong": [error.what, error.where, error.todo], "options": options, "peak": peak_bytes()}


def _plain_contents(contents: Contents) -> dict[str, Any]:
    facts = contents.table._asdict()
    arrays = _arrays(facts.pop("frame"))
    columns = {"plans": to_plain(contents.plans), "summaries": to_plain(contents.summaries)}
    return {"table": to_plain(facts), **columns, **arrays, "peak": peak_bytes()}


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
    others: Any = rest.to_pandas()
    names = [name for name in answer["names"] if name not in others]
    numbers = pd.DataFrame(np.asarray(answer["numbers"], np.float64).T, columns=names)
    if not len(others.columns):
        return numbers
    others.index = numbers.index if names else others.index
    both: Any = pd.concat([others, numbers], axis=1)
    return both[answer["names"]]
