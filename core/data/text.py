"""Text tables: bytes to characters, characters to columns of text cells, and the guesses on the way."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from core.data.errors import TableError, counted, listed, quoted
from core.data.limits import check_cell, check_columns, too_long_cell, too_many_cells, too_many_rows
from core.data.options import DELIMITERS, ReadOptions
from core.settings import MAX_CELL_CHARACTERS, MAX_CELLS, MAX_ROWS

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

SAMPLE = 65_536  # characters at the start that guesses look at
MOST_TITLE_LINES = 20  # lines above the table that a guess skips at most
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def guess_encoding(source: bytes) -> str:
    """Encoding of a text: by its byte order mark, by zeros between letters, else the first that fits."""
    for bom, encoding in BOMS:
        if source.startswith(bom):
            return encoding
    start = source[:4096]
    if start.count(0) > len(start) // 4:
        return "utf-16-le" if start[1::2].count(0) >= start[::2].count(0) else "utf-16-be"
    for encoding in ("utf-8", "cp1252"):
        if _decodes(source, encoding):
            return encoding
    return "latin-1"  # takes any byte


def decode(source: bytes, encoding: str) -> str:
    """Characters of a text. Raises TableError where the bytes do not fit, or are no text at all."""
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError as wrong:
        line = source[: wrong.start].count(b"\n") + 1
        raise TableError(
            f"The text is not written in the encoding {encoding}.",
            f"In line {line:,} the byte {source[wrong.start]:#04x} cannot be read.",
            f"Choose another encoding: {guess_encoding(source)} fits the whole file.",
        ) from wrong
    except (LookupError, UnicodeError) as wrong:
        raise TableError(
            f"The text cannot be read in the encoding {quoted(encoding)}.",
            "It fails at the first character.",
            f"Choose another encoding: {guess_encoding(source)} fits the whole file.",
        ) from wrong
    _check_is_text(text)
    return text.removeprefix("\ufeff")


def guess_layout(text: str, options: ReadOptions) -> ReadOptions:
    """Delimiter of the text, and how many lines stand above the table."""
    lines = [line for line in text[:SAMPLE].splitlines()[:200] if line.strip()]
    if len(text) > SAMPLE and len(lines) > 1:
        lines.pop()  # the sample may end in the middle of a line
    tried = [_delimiter_score(lines, delimiter) for delimiter in DELIMITERS]
    best = max(range(len(tried)), key=tried.__getitem__)
    delimiter = list(DELIMITERS)[best] if tried[best][0] else ","
    return options._replace(delimiter=delimiter, skip=_title_lines(text, delimiter))


def split_cells(text: str, options: ReadOptions) -> list[pa.Array]:
    """Columns of text cells, the header's row included.

    Raises TableError for unequal rows (with their lines), for too many rows or columns, and for no cells.
    """
    body = _body(text, options)
    n_columns = len(_first_row(body, options.delimiter))
    _check_size(body, n_columns)
    unequal: list[int] = []

    def note(row: pyarrow.csv.InvalidRow) -> str:
        unequal.append(row.actual_columns)
        return "skip"

    encoded = body.encode("utf-8", "replace")
    try:
        table = pyarrow.csv.read_csv(
            io.BytesIO(encoded),
            # One block and one thread: cells may hold line breaks, and any length.
            pyarrow.csv.ReadOptions(
                use_threads=False, autogenerate_column_names=True, block_size=len(encoded) + 64
            ),
            pyarrow.csv.ParseOptions(
                delimiter=options.delimiter, newlines_in_values=True, invalid_row_handler=note
            ),
            pyarrow.csv.ConvertOptions(column_types={f"f{i}": pa.string() for i in range(n_columns)}),
        )
    except MemoryError:  # one of Arrow's too
        raise
    except pa.ArrowException as wrong:
        raise _unreadable(body, options) from wrong
    if unequal:
        return _repaired(body, options)
    if body.count('"') % 2 and any("\n" in (c[-1].as_py() or "") for c in table.columns if len(c)):
        raise _open_quotation(body, options)  # a cell that is never closed has swallowed the rest
    return [_checked(one_chunk(column), number) for number, column in enumerate(table.columns, 1)]


def _decodes(source: bytes, encoding: str) -> bool:
    try:
        source.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _check_is_text(text: str) -> None:
    start = text[:100_000]
    strange = len(re.findall(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]", start))
    if "\0" in start or strange > 0.002 * len(start):
        at = re.search(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]", start)
        raise TableError(
            "This is not a table: it holds bytes that no text has.",
            f"The first one stands at character {at.start() + 1 if at else 1:,}.",
            "Upload CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz; "
            "if it is a text, choose its encoding.",
        )


def _delimiter_score(lines: list[str], delimiter: str) -> tuple[float, float]:
    """(0, 0) if the delimiter does not make two columns or more of most lines; else larger is better."""
    counts = Counter(len(row) for row in _rows(lines, delimiter))
    n_columns, n_lines = counts.most_common(1)[0] if counts else (0, 0)
    share = n_lines / max(sum(counts.values()), 1)
    if n_columns < 2 or share < 0.5:
        return 0.0, 0.0
    # A comma may also be a decimal mark and a space stand between words: others that fit as well go first.
    rank = {"\t": 5, ";": 4, "|": 3, ",": 2, " ": 1}[delimiter]
    return (2.0 if share > 0.9 else 1.0) * (0.4 if delimiter == " " else 1.0), rank


def _title_lines(text: str, delimiter: str) -> int:
    """Lines before the first that has as many cells as most lines; 0 if they look like rows themselves."""
    lines = text[:SAMPLE].splitlines()[:200]
    sizes = [len(next(_rows([line], delimiter), [])) for line in lines]
    if not sizes:
        return 0
    usual = Counter(size for size in sizes if size).most_common(1)[0][0]
    first = next(i for i, size in enumerate(sizes) if size == usual)
    is_title = all(size <= 1 or line.startswith("#") for size, line in zip(sizes[:first], lines, strict=False))
    return first if usual > 1 and first <= MOST_TITLE_LINES and is_title else 0


def _rows(lines, delimiter: str):
    if delimiter == " ":
        lines = (re.sub(r"[ \t]+", " ", line.strip()) for line in lines)
    try:
        yield from (row for row in csv.reader(lines, delimiter=delimiter) if row)
    except csv.Error:
        return


def _counted_cells(body: str, delimiter: str) -> Iterator[list[str]]:
    """Rows with their cells, blank lines left out. Raises TableError for a cell that is too long."""
    return filter(None, _within_limits(csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)))


def _within_limits(reader: Any) -> Iterator[list[str]]:
    """The rows of a reader of CSV. Raises TableError for a cell that is too long."""
    try:
        yield from reader
    except csv.Error as wrong:
        raise too_long_cell(f"It begins in line {reader.line_num:,} or before.") from wrong


def _body(text: str, options: ReadOptions) -> str:
    """The table's own lines; runs of spaces as one where spaces part the cells."""
    for _ in range(options.skip):
        text = text.partition("\n")[2]
    if options.delimiter == " ":
        text = re.sub(r"[ \t]+", " ", text)
        text = re.sub(r"(?m)^ | $", "", text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _first_row(body: str, delimiter: str) -> list[str]:
    row = next(_counted_cells(body, delimiter), None)
    if row is None:
        raise TableError(
            "The table is empty.",
            "There is no line with anything in it.",
            "Upload or paste a table with a line of names and at least two rows.",
        )
    return row


def _check_size(body: str, n_columns: int) -> None:
    check_columns(n_columns)
    n_lines = body.count("\n")
    if n_lines > 2 * MAX_ROWS:  # quoted line breaks may double the lines; counted again when read
        raise too_many_rows(n_lines)
    if n_lines * n_columns > (2 if '"' in body else 1) * MAX_CELLS + n_columns:
        raise too_many_cells(f"{n_lines:,} lines of {counted(n_columns, 'cell')}")


def _checked(column: pa.Array, number: int) -> pa.Array:
    """The column, if none of its cells is too long."""
    sizes = pc.binary_length(column)
    if (pc.max(sizes).as_py() or 0) > MAX_CELL_CHARACTERS:
        row = pc.index(sizes, pc.max(sizes)).as_py() + 1
        check_cell(pc.max(pc.utf8_length(column)).as_py(), f"It stands in row {row:,} of column {number:,}.")
    return column


def _repaired(body: str, options: ReadOptions) -> list[pa.Array]:
    """Columns of a table whose header lacks the name of the row names, or whose rows end in a delimiter.

    Both make every row one cell longer than the header. Raises TableError for other unequal rows.
    """
    first = _first_row(body, options.delimiter)
    others = [len(row) for row in itertools.islice(_counted_cells(body, options.delimiter), 1, 1000)]
    if not others or set(others) != {len(first) + 1}:
        raise _unequal_rows(body, options, len(first))
    header, _, rest = body.partition("\n")
    ends_empty = all(row[-1] == "" for row in itertools.islice(_rows(rest.splitlines(), options.delimiter), 1000))
    header = header + options.delimiter if ends_empty else f"row name{options.delimiter}{header}"
    return split_cells(f"{header}\n{rest}", options._replace(skip=0))


def _unequal_rows(body: str, options: ReadOptions, expected: int) -> TableError:
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=options.delimiter)
    rows = itertools.islice(_within_limits(reader), 2 * MAX_ROWS)
    wrong = [(reader.line_num + options.skip, len(row)) for row in rows if row and len(row) != expected]
    places = listed([f"{line:,} ({counted(n, 'cell')})" for line, n in wrong], 4)
    return TableError(
        "The rows do not all have the same number of cells.",
        f"The first row has {counted(expected, 'cell')}, but line{'s' if len(wrong) > 1 else ''} {places}.",
        f"Correct these lines, or choose another delimiter (now: {DELIMITERS[options.delimiter]}) or "
        "another number of lines to skip.",
    )


def _unreadable(body: str, options: ReadOptions) -> TableError:
    if '"' in body and len(body) - body.rfind('"') > MAX_CELL_CHARACTERS:
        return _open_quotation(body, options)
    return _unequal_rows(body, options, len(_first_row(body, options.delimiter)))


def _open_quotation(body: str, options: ReadOptions) -> TableError:
    line = body.count("\n", 0, max(body.rfind('"'), 0)) + 1 + options.skip
    return TableError(
        "A quotation mark is opened and never closed.",
        f"The last one stands in line {line:,}.",
        'Close it, or write a quotation mark inside a cell twice ("").',
    )


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece."""
    chunks = column.combine_chunks()
    return chunks if isinstance(chunks, pa.Array) else pa.concat_arrays(chunks.chunks)
