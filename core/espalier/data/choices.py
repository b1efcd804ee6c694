"""Ambiguities of a file or sheet: two readings of each, with their options and first rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from espalier.data.columns import cells as codes
from espalier.data.columns import dates, numbers
from espalier.data.columns.cells import Doubt, OpenColumn, fill_down, guess_header
from espalier.data.columns.numbers import Evidence, pc
from espalier.data.columns.units import split_units
from espalier.data.errors import count, counted, listed, number_text, quoted
from espalier.data.formats import encodings, layout
from espalier.data.formats.text import ROW_NAME
from espalier.data.options import AS_TEXT, DECIMALS, DELIMITERS, THOUSANDS, ReadOptions
from espalier.language import in_style, say, to_say

RIGHT_LETTERS = to_say("Which letters are right? Others are under “How it was read”.")
CODES = "codes-"  # how `what` begins where the question is whether a column has numbers or words
ORDERS = {"dmy": to_say("The day comes first"), "mdy": to_say("The month comes first")}
MOST_QUESTIONS = 3  # on columns in the same doubt, one by one
MOST_ROWS, MOST_COLUMNS, LONGEST = 3, 4, 24  # limits of a preview


class ReadingOption(NamedTuple):
    """One way to read a file."""

    label: str
    options: ReadOptions
    names: tuple[str, ...]  # of the columns of the preview
    rows: tuple[tuple[str, ...], ...]


class ReadingChoice(NamedTuple):
    """Two ways to read a file that its content does not decide."""

    what: str  # "start", "delimiter", "header", "encoding", "decimal", or "codes-3" of column 3
    question: str
    used: ReadingOption
    other: ReadingOption


def text_choices(
    content: bytes, characters: str, options: ReadOptions, is_header_sure: bool
) -> tuple[ReadingChoice, ...]:
    """Return the ambiguities of a text: encoding, beginning, delimiter, and whether the first row has names."""
    choices = [
        *encoding_choice(content, options),
        _start(characters, options),
        _delimiter(characters, options),
        _header(_first(characters, options), options, is_header_sure),
    ]
    return tuple(choice for choice in choices if choice)


def encoding_choice(content: bytes, options: ReadOptions) -> tuple[ReadingChoice, ...]:
    """Return the choice between two encodings whose letters are about as plausible, if there is one."""
    other = encodings.rival(content, options.encoding)
    if not other:
        return ()
    both = options, options._replace(encoding=other)
    readings = [
        ReadingOption(encodings.encoding_name(way.encoding), way, *cells)
        for way, cells in zip(both, _differences(content, both), strict=True)
    ]
    return (ReadingChoice("encoding", say(RIGHT_LETTERS), *readings),)


def header_choice_of_columns(
    columns: list[pa.Array], options: ReadOptions, is_sure: bool
) -> tuple[ReadingChoice, ...]:
    """Return the choice whether the first row of these columns has the names, if it is ambiguous."""
    rows = list(zip(*(column.slice(0, MOST_ROWS + 1).to_pylist() for column in columns), strict=True))
    choice = _header([[cell or "" for cell in row] for row in rows], options, is_sure)
    return (choice,) if choice else ()


def decimal_choice(
    columns: dict[int, pa.Array],
    numeric: Mapping[int, Evidence],
    doubtful: tuple[int, ...],
    options: ReadOptions,
    number_columns: Set[int],
) -> tuple[ReadingChoice, ...]:
    """Return the choice whether a point or comma before three digits is a decimal mark, if it is ambiguous."""
    if not doubtful:
        return ()
    texts = _ambiguous_cells(columns[doubtful[0]])
    if not texts:
        return ()
    other_mark = "." if options.decimal == "," else ","
    usual, exceptions, _ = numbers.guess_formats(numeric, options.delimiter, other_mark, number_columns)
    other = codes.use_guess(options, usual, exceptions, codes.text_columns(options))
    readings = [_numbers_read(texts, doubtful[0], way) for way in (options, other)]
    return (ReadingChoice("decimal", say("Which number is “{text}”?", text=texts[0]), *readings),)


def code_choices(
    columns: Mapping[int, OpenColumn],
    names: Mapping[int, str],
    evidence: Mapping[int, Evidence],
    options: ReadOptions,
) -> tuple[ReadingChoice, ...]:
    """Return the choices whether columns are numbers or text: of each, or of all in one doubt where it is many.

    `names` are those of the columns (by position) of which one may ask.
    """
    choices = []
    for doubt in get_args(Doubt):
        places = [i for i, column in columns.items() if column.doubt == doubt and i in names]
        alone = [[i] for i in places] if len(places) <= MOST_QUESTIONS else [places]
        choices += [_code_choice({i: columns[i] for i in some}, names, evidence, options) for some in alone]
    return tuple(choices)


def date_choice(column: Any, forms: tuple[str, str], options: ReadOptions) -> ReadingChoice:
    """Return the choice between two forms of the dates in a column (a Series), the first of which is used."""
    cells: Any = column.dropna()
    days = [read.days for form in forms if (read := dates.most_dates(cells, form)) is not None]
    cells = cells[np.ptp(days, axis=0) > 0].drop_duplicates().iloc[:MOST_ROWS]  # 03/03 is one day in both
    readings = []
    for form in forms:
        read = dates.most_dates(cells, form)
        texts = () if read is None else np.floor(read.days).astype("M8[D]").astype(str)
        rows = tuple((str(cell), str(text)) for cell, text in zip(cells, texts, strict=False))
        readings.append(ReadingOption(say(ORDERS[form]), options, (say("In the file"), say("Read as")), rows))
    question = say("Which date is “{cell}” in “{column}”?", cell=cells.iloc[0], column=column.name)
    return ReadingChoice(f"dates-{column.name}", question, *readings)


def _code_choice(
    columns: Mapping[int, OpenColumn],
    names: Mapping[int, str],
    evidence: Mapping[int, Evidence],
    options: ReadOptions,
) -> ReadingChoice:
    first = next(iter(columns))
    some = {i: evidence[i] for i in columns}
    usual, exceptions, _ = numbers.guess_formats(some, options.delimiter, options.decimal)
    formats = {i: exceptions.get(i, usual) for i in columns}
    texts = list(columns[first].texts[:MOST_ROWS])
    floats = numbers.read_some(pa.array(texts, pa.string()), formats[first]).to_pylist()
    cells = [(_short(text), in_style(number_text(x))) for text, x in zip(texts, floats, strict=True)]
    title = (say("In the file"), say("Read as"))
    as_numbers = ReadingOption(say("A number"), codes.set_formats(options, formats), title, tuple(cells))
    as_text = ReadingOption(
        say("Text, as it is written"), codes.set_formats(options, dict.fromkeys(columns, AS_TEXT)), title,
        tuple((text, quoted(text)) for text, _ in cells),
    )  # fmt: skip
    is_text = options.number_format(first) == AS_TEXT
    readings = (as_text, as_numbers) if is_text else (as_numbers, as_text)
    where = listed([quoted(names[i]) for i in columns], 3)
    return ReadingChoice(
        f"{CODES}{first}",
        say("Is “{text}” in {columns} a number?", text=texts[0], columns=where),
        readings[0]._replace(options=options),
        readings[1],
    )


def _differences(content: bytes, both: tuple[ReadOptions, ReadOptions]) -> list[tuple[Any, Any]]:
    """Return a preview by each of the options, of rows and columns in which they differ, or else of words."""
    rows = [_rows_beyond_ascii(content, way) for way in both]
    pairs = (
        list(zip(*rows, strict=True)) if len(rows[0]) == len(rows[1]) else []
    )  # a letter may be a blank elsewhere
    if pairs:
        width = len(pairs[0][0])
        pairs = [pairs[0], *(pair for pair in pairs[1:] if pair[0] != pair[1] and pair != pairs[0])]
        pairs = [pair for pair in pairs if {*map(len, pair)} == {width}]
        places = [i for i in range(width) if any(a[i] != b[i] for a, b in pairs)]
        cells = dict.fromkeys(tuple(tuple(row[i] for i in places) for row in pair) for pair in pairs)
        if len(cells) > 1 and places:
            return [_preview_cells([list(pair[k]) for pair in cells], True) for k in range(2)]
    words = encodings.words_beyond_ascii(content)
    return [_preview_cells([[encodings.read(word, way.encoding)] for word in words], False) for way in both]


def _rows_beyond_ascii(content: bytes, options: ReadOptions) -> list[list[str]]:
    """Return the header of a text table, and rows with letters beyond ASCII, one of each line."""
    if options.format != "text":
        return []
    start = encodings.read(content[: 2 * layout.SAMPLE], options.encoding)
    parts = (encodings.read(line, options.encoding) for line in encodings.lines_beyond_ascii(content))
    rows = (
        layout.first_rows(part, options.delimiter, 1, options.quote) for part in islice(parts, layout.MOST_ROWS)
    )
    return [*_first(start, options, 1), *(row[0].cells if row else [] for row in rows)]


def _delimiter(characters: str, options: ReadOptions) -> ReadingChoice | None:
    rivals = layout.rivals(characters, options)
    if not rivals:
        return None
    other = _guess_options_anew(characters, rivals[0])
    readings = [
        ReadingOption(
            say("Parted by {delimiter}", delimiter=say(DELIMITERS[way.delimiter])),
            way,
            *_preview_cells(_first(characters, way), way.header),
        )
        for way in (options, other)
    ]
    return ReadingChoice("delimiter", say("What parts the cells?"), *readings)


def _start(characters: str, options: ReadOptions) -> ReadingChoice | None:
    other = layout.other_start(characters, options)
    if other is None:
        return None
    readings = [
        ReadingOption(
            say("It begins in line {n}", n=count(way.skip + 1)),
            way,
            *_preview_cells(_first(characters, way), way.header),
        )
        for way in (options, _guess_options_anew(characters, other))
    ]
    return ReadingChoice("start", say("Where does the table begin?"), *readings)


def _guess_options_anew(characters: str, options: ReadOptions) -> ReadOptions:
    """Return the options with new guesses of what follows from the cells."""
    rows = _first(characters, options, most=layout.MOST_ROWS)
    width = min(map(len, rows))
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(width)]
    return options._replace(header=guess_header(columns)[0], decimal="", thousands="", formats=())


def _header(rows: list[list[str]], options: ReadOptions, is_sure: bool) -> ReadingChoice | None:
    if is_sure or len(rows) < 2:
        return None
    readings = [
        ReadingOption(
            say("It has the names" if way.header else "It is a row like the others"),
            way,
            *_preview_cells(rows, way.header),
        )
        for way in (
            options,
            options._replace(header=not options.header, decimal="", thousands="", formats=()),
        )
    ]
    return ReadingChoice("header", say("Does the first row have the names?"), *readings)


def _first(characters: str, options: ReadOptions, most: int = MOST_ROWS + 1) -> list[list[str]]:
    """Return the first rows of the table, its header included."""
    start = characters[: 2 * layout.SAMPLE]
    body = encodings.without_first(start, options.skip)
    rows = [row.cells for row in layout.first_rows(body, options.delimiter, most, options.quote)]
    has_names = rows and {len(row) for row in rows[1:]} == {len(rows[0]) + 1}
    return [[ROW_NAME, *rows[0]], *rows[1:]] if has_names and any(row[-1] for row in rows[1:]) else rows


def _preview_cells(rows: list[list[str]], header: bool) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return names and cells of a preview."""
    width = min(max(map(len, rows), default=0), MOST_COLUMNS)
    short = [tuple(_short(row[i] if i < len(row) else "") for i in range(width)) for row in rows[: MOST_ROWS + 1]]
    names = short[0] if header and short else ("",) * width
    names = tuple(name or f"column {i}" for i, name in enumerate(names, 1))
    unique = tuple(name if name not in names[:i] else f"{name} ({i + 1})" for i, name in enumerate(names))
    return unique, tuple(short[1:] if header else short[:MOST_ROWS])


def _short(cell: str) -> str:
    plain = " ".join(cell.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def _ambiguous_cells(column: pa.Array) -> list[str]:
    """Return the first distinct cells in which a point or a comma is ambiguous."""
    cells = pc.unique(numbers.sample(column))
    return cells.filter(pc.match_substring_regex(cells, r"\d[.,]\d{3}\D*$")).slice(0, MOST_ROWS).to_pylist()


def _numbers_read(texts: list[str], position: int, options: ReadOptions) -> ReadingOption:
    format_ = options.number_format(position)
    cells = pa.array(texts, pa.string())
    amounts, units = split_units(cells)
    floats = numbers.read_some(pc.coalesce(amounts, cells), format_).to_pylist()
    rows = tuple(
        (_short(text), say("no number") if x is None else " ".join(filter(None, (in_style(number_text(x)), unit))))
        for text, x, unit in zip(texts, floats, units.to_pylist(), strict=True)
    )
    label = say(
        "{decimal} before decimals, {thousands} between thousands"
        if format_.thousands
        else "{decimal} before decimals",
        decimal=say(DECIMALS[format_.decimal]),
        thousands=say(THOUSANDS[format_.thousands]),
    )
    return ReadingOption(label, options, (say("In the file"), say("Read as")), rows)


# ---- what is hidden, merged, or written once for a block of rows: two readings of each, with their first rows


class NamedCells(NamedTuple):
    """Columns of text cells below the names, (n_rows,) each."""

    names: Sequence[str]
    columns: Sequence[pa.Array]
    options: ReadOptions  # as used

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def quoted(self, places: Iterable[int]) -> str:
        """Return the names of these columns in words."""
        return listed([quoted(self.names[i] or f"column {i + 1}") for i in places], 3)

    def option(self, label: str, rows: Iterable[int], first: Sequence[int] = (), **changes: Any) -> ReadingOption:
        """Return a way to read them, with other options and a preview of these rows.

        The columns at `first` come first. What is guessed of the cells is open again.
        """
        places = [*first, *(i for i in range(len(self.columns)) if i not in first)][:MOST_COLUMNS]
        there = [row for row in rows if row < self.n_rows][:MOST_ROWS]
        cells = [[self.columns[i][row].as_py() or "" for i in places] for row in there]
        options = self.options._replace(decimal="", thousands="", formats=(), **changes)
        return ReadingOption(label, options, *_preview_cells([[self.names[i] for i in places], *cells], True))


def merged_choice(cells: NamedCells, filled: Mapping[int, pa.Array]) -> ReadingChoice | None:
    """Return the choice where the value of merged cells holds; `filled` has the columns that have some, filled."""
    if not filled:
        return None
    places = tuple(filled)
    new = cells._replace(columns=[filled.get(i, column) for i, column in enumerate(cells.columns)])
    pairs = zip(cells.columns[places[0]].to_pylist(), filled[places[0]].to_pylist(), strict=True)
    first = max(next(i for i, (a, b) in enumerate(pairs) if a != b) - 1, 0)  # the row above the first that changes
    rows = range(first, first + MOST_ROWS)
    readings = (
        new.option(say("Each of these"), rows, places, fill_merged=True),
        cells.option(say("The first of these"), rows, places, fill_merged=False),
    )
    question = to_say("Cells of {columns} are merged. Which rows have their value?")
    return _choice("merged", say(question, columns=cells.quoted(places)), readings, cells.options.fill_merged)


def blocks_choice(cells: NamedCells, places: tuple[int, ...]) -> ReadingChoice | None:
    """Return the choice whether empty cells of these columns have the value above."""
    if not places:
        return None
    new = cells._replace(columns=[fill_down(c) if i in places else c for i, c in enumerate(cells.columns)])
    readings = (
        new.option(say("The value above"), range(MOST_ROWS), places, fill_down=places),
        cells.option(say("No value"), range(MOST_ROWS), places, fill_down=()),
    )
    question = to_say("Does each value in {columns} stand for the rows below it?")
    return _choice("blocks", say(question, columns=cells.quoted(places)), readings, bool(cells.options.fill_down))


def hidden_rows_choice(cells: NamedCells, is_shown: np.ndarray) -> ReadingChoice | None:
    """Return the choice whether hidden rows count; `is_shown` (n_rows,) bool."""
    n_hidden, n = int((~is_shown).sum()), len(is_shown)
    if not 0 < n_hidden < n:
        return None
    first = max(int(np.flatnonzero(~is_shown)[0]) - 1, 0)
    visible_rows = (first + np.flatnonzero(is_shown[first:])[:MOST_ROWS]).tolist()
    readings = (
        cells.option(say("All {n} rows", n=count(n)), range(first, first + MOST_ROWS), hidden_rows=True),
        cells.option(say("Only the {n} that show", n=count(n - n_hidden)), visible_rows, hidden_rows=False),
    )
    question = to_say("The sheet hides {rows}. Which rows count?")
    return _choice(
        "hidden rows", say(question, rows=counted(n_hidden, "row")), readings, cells.options.hidden_rows
    )


def hidden_columns_choice(cells: NamedCells, hidden: tuple[int, ...]) -> ReadingChoice | None:
    """Return the choice whether these columns, which the sheet hides, count."""
    if not hidden:
        return None
    left = [i for i in range(len(cells.columns)) if i not in hidden]
    visible = cells._replace(names=[cells.names[i] for i in left], columns=[cells.columns[i] for i in left])
    readings = (
        cells.option(say("All columns"), range(MOST_ROWS), hidden, hidden_columns=True),
        visible.option(say("Only the columns that show"), range(MOST_ROWS), hidden_columns=False),
    )
    question = to_say("The sheet hides {columns}. Which columns count?")
    return _choice(
        "hidden columns", say(question, columns=cells.quoted(hidden)), readings, cells.options.hidden_columns
    )


def _choice(
    what: str, question: str, readings: tuple[ReadingOption, ReadingOption], is_first_used: bool
) -> ReadingChoice:
    return ReadingChoice(what, question, *(readings if is_first_used else readings[::-1]))
