"""Split text tables into columns of text cells."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.csv

from espalier.data.columns.numbers import pc
from espalier.data.errors import (
    TableError,
    check_cell,
    check_columns,
    count,
    counted,
    each,
    listed,
    quoted,
    too_long_cell,
    too_many_cells,
    too_many_rows,
)
from espalier.data.formats import encodings, layout
from espalier.data.options import DELIMITERS, QUOTES, ReadOptions
from espalier.language import say, to_say
from espalier.settings import MAX_CELL_CHARACTERS, MAX_CELLS, MAX_ROWS

WIDE = 250  # columns, above which rows are split one by one
ROW_NAME = "row name"  # of the column for which R writes no name
RULES = re.compile(r"(?m)^[ ]*[+]?-+(?:[+]-+)+[+]?[ ]*$")  # ---+---, which databases draw below names,
ROW_COUNT = re.compile(r"\n([(][0-9]+ \w+[)]\s*)$")  # and (24 rows), which they write at the end
ABOVE = to_say("Above the table {lines} skipped: {shown}.")
NAMELESS = to_say("The first column has no name, as R writes row names: called {name}.")


def split_cells(text: str, options: ReadOptions) -> tuple[list[pa.Array], tuple[str, ...]]:
    """Return columns of text cells, the header's row included, and notes on lines that are no rows of the table.

    Raises TableError for unequal rows (with their lines), for too many rows or columns, and for no cells.
    """
    if options.quote not in QUOTES:
        raise TableError(
            say("Cells are not enclosed in {sign}.", sign=quoted(options.quote)),
            "",
            say("Choose one of these: {signs}.", signs=", ".join(map(say, QUOTES.values()))),
        )
    above = layout.titles(text, options.skip)
    body, comments = _without_comments(_body(text, options), layout.comment_mark(above), options.quote[-1])
    options = options._replace(quote=options.quote[-1])
    top = layout.first_rows(body, options.delimiter, 1, options.quote)
    n_columns = top[0].size if top else 0
    end = layout.footer_start(body, options, n_columns)
    columns = _columns(body[:end], options)
    is_named = len(columns) == n_columns + 1 and columns[0][0].as_py() == ROW_NAME
    below = [line for line in body[end:].split("\n") if line.strip(layout.BLANK)]
    return columns, (
        *left_out(ABOVE, above),
        *left_out(to_say("Comments left out, {lines}: {shown}."), comments),
        *left_out(to_say("Below the table {lines} left out: {shown}."), below),
        *([say(NAMELESS, name=quoted(ROW_NAME))] if is_named else ()),
        *([say("Single quotes (') enclose cells.")] if options.quote == "'" else ()),
    )


def left_out(note: str, texts: Sequence[str], noun: str = "line", most: int = 3) -> tuple[str, ...]:
    """Return a note with the number of these lines, or columns, and the first of them; none if there are none."""
    if not texts:
        return ()
    shown = listed([quoted(text) for text in texts], most)
    return (say(note, **{f"{noun}s": counted(len(texts), noun)}, names=shown, shown=shown),)


def _without_comments(body: str, mark: str, quote: str) -> tuple[str, list[str]]:
    """Return the text with its comments as blank lines, and the comments: few lines that begin with this mark."""
    if not mark or mark not in body:
        return body, []
    parts, comments, n_quotes, start = [], [], 0, 0
    top = len(body) - len(body.lstrip())  # the names may stand behind the same mark
    for comment in re.finditer(rf"(?m)^[ \t]*{re.escape(mark)}.*$", body):
        if comment.start() <= top:
            continue
        between = body[start : comment.start()]
        n_quotes += between.count(quote)
        is_inside = n_quotes % 2  # of a cell with a line break
        parts += [between, comment[0]] if is_inside else [between]
        n_quotes += comment[0].count(quote) if is_inside else 0
        comments += [] if is_inside else [comment[0]]
        start = comment.end()
    if len(comments) > body.count("\n") / 4:  # cells that begin so
        return body, []
    return "".join([*parts, body[start:]]), comments


def _columns(body: str, options: ReadOptions) -> list[pa.Array]:
    """Return columns of the table's own lines; the lines skipped above them count only in messages."""
    n_delimiters = body.count(options.delimiter)  # inside quotation marks one divides nothing
    if n_delimiters > (2 if options.quote in body else 1) * MAX_CELLS:
        raise too_many_cells(say("{n} or more", n=count(n_delimiters)))
    n_columns = len(_first_row(body, options))
    _check_size(body, options, n_columns)
    _check_lines(body, options, n_columns)
    if n_columns > WIDE:
        return _wide_columns(body, options, n_columns)
    unequal: list[int] = []

    def note(row: pyarrow.csv.InvalidRow) -> str:
        unequal.append(row.actual_columns)
        return "skip"

    content = body.encode("utf-8", "replace")
    try:
        table = pyarrow.csv.read_csv(
            io.BytesIO(content),
            # One block and one thread: cells may hold line breaks, and any length.
            pyarrow.csv.ReadOptions(
                use_threads=False, autogenerate_column_names=True, block_size=len(content) + 64
            ),
            pyarrow.csv.ParseOptions(
                delimiter=options.delimiter,
                quote_char=options.quote,
                newlines_in_values=True,
                invalid_row_handler=note,
            ),
            pyarrow.csv.ConvertOptions(column_types={f"f{i}": pa.string() for i in range(n_columns)}),
        )
    except MemoryError:  # one of Arrow's too
        raise
    except pa.ArrowException as wrong:
        raise _unreadable(body, options) from wrong
    if unequal:
        return _repair_columns(body, options)
    if body.count(options.quote) % 2 and any("\n" in (c[-1].as_py() or "") for c in table.columns if len(c)):
        raise _open_quotation(body, options)  # an unclosed cell includes the rest of the file
    return [_check_column(one_chunk(column), number) for number, column in enumerate(table.columns, 1)]


class _Unequal(Exception):
    """A row has another number of cells than the first."""


def _wide_columns(body: str, options: ReadOptions, n_columns: int) -> list[pa.Array]:
    """As `_columns`, row by row: Arrow reserves as much memory for every column as for the whole text."""

    def equal() -> Iterator[list[str]]:
        for row in each(_counted_cells(body, options), body.count("\n"), say("Splitting the rows")):
            if len(row) != n_columns:
                raise _Unequal
            yield row

    try:
        return columns_of_rows(equal(), n_columns)
    except _Unequal:
        return _repair_columns(body, options)


def _counted_cells(body: str, options: ReadOptions) -> Iterator[list[str]]:
    """Yield rows with their cells, without blank lines. Raises TableError for too long a cell."""
    return (row for _, row in _numbered_rows(body, options) if row)


def _numbered_rows(body: str, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield rows after the number of their last line. Raises TableError for too long a cell."""
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=options.delimiter, quotechar=options.quote)
    try:
        for row in reader:
            yield reader.line_num + options.skip, row
    except csv.Error as wrong:
        raise too_long_cell(
            say("It begins in line {n} or before.", n=count(reader.line_num + options.skip))
        ) from wrong


def _body(text: str, options: ReadOptions) -> str:
    """Return the table's own lines; runs of spaces become one if spaces are the delimiter."""
    body = encodings.without_first(text, options.skip)
    if options.delimiter == "|":
        body = ROW_COUNT.sub(r"\n\n\1", RULES.sub("", body))
    body, quote = layout.plain_quotes(body, options.quote)
    body = layout.single_spaces(body, quote) if options.delimiter == " " else body
    return body if body.endswith("\n") else body + "\n"


def _first_row(body: str, options: ReadOptions) -> list[str]:
    row = next(_counted_cells(body, options), None)
    if row is None:
        raise _empty(options.skip)
    return row


def _empty(n_skipped: int) -> TableError:
    title = say("The table is empty.")
    if not n_skipped:
        return TableError(
            title,
            "",
            say("Add a line of names and two rows."),
        )
    lines = counted(n_skipped, "line")
    return TableError(
        title,
        say("Nothing follows the {lines} skipped.", lines=lines),
        say("Skip fewer lines."),
    )


def _check_lines(body: str, options: ReadOptions, n_columns: int) -> None:
    """Raise TableError for a line so long that one of its cells must be too long: before Arrow copies it."""
    longest = n_columns * (2 * MAX_CELL_CHARACTERS + 3)  # all of them quotation marks, written twice
    start = 0
    while start + longest < len(body):
        end = body.rfind("\n", start, start + longest)
        if end < 0:
            _check_long_line(body, options, start, n_columns)
            end = body.find("\n", start + longest)
        start = end + 1


def _check_long_line(body: str, options: ReadOptions, start: int, n_columns: int) -> None:
    end = body.find("\n", start)
    is_quoted = body.find(options.quote, start, end) >= 0
    if is_quoted or body.count(options.delimiter, start, end) < n_columns:
        line = body.count("\n", 0, start) + 1 + options.skip
        long = counted(end - start, "character")
        raise too_long_cell(say("It stands in line {n}, which has {characters}.", n=count(line), characters=long))


def _check_size(body: str, options: ReadOptions, n_columns: int) -> None:
    check_columns(n_columns)
    n_lines = body.count("\n")
    if n_lines > 2 * MAX_ROWS:  # quoted line breaks may double the lines; counted again when read
        raise too_many_rows(n_lines)
    if n_lines * n_columns > (2 if options.quote in body else 1) * MAX_CELLS + n_columns:
        raise too_many_cells(
            say("{lines} of {cells}", lines=counted(n_lines, "line"), cells=counted(n_columns, "cell"))
        )


def _check_column(column: pa.Array, number: int) -> pa.Array:
    """Return the column if none of its cells is too long."""
    sizes = pc.binary_length(column)
    if (pc.max(sizes).as_py() or 0) > MAX_CELL_CHARACTERS:
        row = pc.index(sizes, pc.max(sizes)).as_py() + 1
        check_cell(
            pc.max(pc.utf8_length(column)).as_py(),
            say("It stands in row {row} of column {column}.", row=count(row), column=count(number)),
        )
    return column


def _repair_columns(body: str, options: ReadOptions) -> list[pa.Array]:
    """Return columns of a table whose rows end in a delimiter, or begin with a name that the header does not have.

    Both make every row one cell longer than the header. Raises TableError for other unequal rows.
    """
    first = _first_row(body, options)
    if {len(row) for row in itertools.islice(_counted_cells(body, options), 1, 1000)} != {len(first) + 1}:
        raise _unequal_rows(body, options, len(first))
    n_lines = next(line for line, row in _numbered_rows(body, options) if row) - options.skip
    rest = encodings.without_first(body, n_lines)
    header = body[: len(body) - len(rest) - 1]
    if all(row[-1] == "" for row in itertools.islice(_counted_cells(rest, options), 1000)):
        return _columns(f"{header}{options.delimiter}\n{rest}", options)
    name = f"{options.quote}{ROW_NAME}{options.quote}"
    if layout.are_row_names(
        first, layout.first_rows(rest, options.delimiter, quote=options.quote), options.delimiter
    ):
        columns = _columns(f"{name}{options.delimiter}{header.lstrip()}\n{rest}", options)
        if pc.count_distinct(columns[0]).as_py() == len(columns[0]):
            return columns
    raise _unequal_rows(body, options, len(first))


def _unequal_rows(body: str, options: ReadOptions, expected: int) -> TableError:
    rows = itertools.islice(_numbered_rows(body, options), 2 * MAX_ROWS)
    wrong = [(line, len(row)) for line, row in rows if row and len(row) != expected]
    if not wrong:
        return _open_quotation(body, options) if options.quote in body else _broken()
    return TableError(
        say("Rows differ in their number of cells."),
        say(
            "The first row has {cells}, but line {places}.",
            cells=counted(expected, "cell"),
            places=listed([f"{count(line)} ({counted(n, 'cell')})" for line, n in wrong], 4),
        ),
        say(
            "Correct these lines, skip some, or choose another delimiter (now: {delimiter}).",
            delimiter=say(DELIMITERS[options.delimiter]),
        ),
    )


def _unreadable(body: str, options: ReadOptions) -> TableError:
    if options.quote in body and len(body) - body.rfind(options.quote) > MAX_CELL_CHARACTERS:
        return _open_quotation(body, options)
    return _unequal_rows(body, options, len(_first_row(body, options)))


def _broken() -> TableError:
    return TableError(
        say("The text has no rows and cells."),
        "",
        say("Choose another delimiter."),
    )


def _open_quotation(body: str, options: ReadOptions) -> TableError:
    line = body.count("\n", 0, max(body.rfind(options.quote), 0)) + 1 + options.skip
    return TableError(
        say("A quotation mark is never closed."),
        say("The last is in line {n}.", n=count(line)),
        say("Close it; inside a cell write it twice ({twice}).", twice=2 * options.quote),
    )


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """Return the column in one piece."""
    chunks = column.combine_chunks()
    return chunks if isinstance(chunks, pa.Array) else pa.concat_arrays(chunks.chunks)


CELLS = 2_000_000  # of a block: each is an object, ten times as large as its text in a column


def columns_of_rows(rows: Iterable[Sequence[str]], n_columns: int) -> list[pa.Array]:
    """Return the columns of the rows, each of which has `n_columns` cells."""
    parts: list[list[pa.Array]] = [[] for _ in range(n_columns)]
    for block in _blocks(iter(rows), max(CELLS // max(n_columns, 1), 1)):
        for part, column in zip(parts, zip(*block, strict=True), strict=True):
            part.append(pa.array(column, pa.string()))
    return [pa.concat_arrays(part) if part else pa.array([], pa.string()) for part in parts]


def _blocks(rows: Iterator[Sequence[str]], n_rows: int) -> Iterator[list[Sequence[str]]]:
    while block := list(itertools.islice(rows, n_rows)):
        yield block
