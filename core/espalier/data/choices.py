"""Ambiguities of a file: two readings of it, each with its options and first rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, get_args

import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import cells, codes, numbers
from espalier.data.columns.cells import Header
from espalier.data.columns.codes import Doubt, OpenColumn
from espalier.data.columns.exact_text import number_text
from espalier.data.columns.numbers import Evidence
from espalier.data.errors import count, listed, quoted
from espalier.data.formats import encodings, layout, lines
from espalier.data.formats.text import ROW_NAME
from espalier.data.options import AS_TEXT, DECIMALS, DELIMITERS, THOUSANDS, ReadOptions
from espalier.language import in_style, say, to_say

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

RIGHT_LETTERS = to_say(
    "Which letters are right? The bytes fit both encodings, and others are under “How it was read”."
)
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


def preview(
    label: str, options: ReadOptions, names: Sequence[str], rows: Sequence[Sequence[str]]
) -> ReadingOption:
    """Return a way to read a file with the first of these rows, shortened; columns without a name get one."""
    return ReadingOption(label, options, *_shown([list(names), *map(list, rows)], header=True))


def of_text(content: bytes, characters: str, options: ReadOptions, header: Header) -> tuple[ReadingChoice, ...]:
    """Return the ambiguities of a text: encoding, beginning, delimiter, and whether the first row has names."""
    found = [
        *of_encoding(content, options),
        _start(characters, options),
        _delimiter(characters, options),
        _header(_first(characters, options), options, header),
    ]
    return tuple(choice for choice in found if choice)


def of_encoding(content: bytes, options: ReadOptions) -> tuple[ReadingChoice, ...]:
    """Return the choice between two encodings whose letters are about as plausible, if there is one."""
    other = encodings.rival(content, options.encoding)
    if not other:
        return ()
    both = options, options._replace(encoding=other)
    readings = [
        ReadingOption(encodings.named(chosen.encoding), chosen, *shown)
        for chosen, shown in zip(both, _differences(content, both), strict=True)
    ]
    return (ReadingChoice("encoding", say(RIGHT_LETTERS), *readings),)


def of_header(columns: list[pa.Array], options: ReadOptions, header: Header) -> tuple[ReadingChoice, ...]:
    """Return the choice whether the first row of these columns has the names, if it is ambiguous."""
    rows = list(zip(*(column.slice(0, MOST_ROWS + 1).to_pylist() for column in columns), strict=True))
    choice = _header([[cell or "" for cell in row] for row in rows], options, header)
    return (choice,) if choice else ()


def of_numbers(
    columns: dict[int, pa.Array], evidence: Mapping[int, Evidence], doubtful: tuple[int, ...], options: ReadOptions
) -> tuple[ReadingChoice, ...]:
    """Return the choice whether a point or comma before three digits is a decimal mark, if it is ambiguous."""
    if not doubtful:
        return ()
    used = options.decimal
    as_text = codes.text_columns(options)
    numeric = {i: one for i, one in evidence.items() if i not in as_text}
    guess = numbers.guess_formats(numeric, options.delimiter, "." if used == "," else ",")
    other = options._replace(decimal=guess.usual.decimal, thousands=guess.usual.thousands, formats=guess.others)
    other = codes.with_texts(other, as_text)
    texts = _marked(columns[doubtful[0]])
    if not texts:
        return ()
    readings = [_numbers_read(texts, doubtful[0], chosen) for chosen in (options, other)]
    return (ReadingChoice("decimal", say("Which number is “{text}”?", text=texts[0]), *readings),)


def of_codes(
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


def _code_choice(
    columns: Mapping[int, OpenColumn],
    names: Mapping[int, str],
    evidence: Mapping[int, Evidence],
    options: ReadOptions,
) -> ReadingChoice:
    first = next(iter(columns))
    numeric = numbers.guess_formats({i: evidence[i] for i in columns}, options.delimiter, options.decimal)
    formats = {i: dict(numeric.others).get(i, numeric.usual) for i in columns}
    texts = list(columns[first].texts[:MOST_ROWS])
    floats = numbers.read_some(pa.array(texts, pa.string()), formats[first]).to_pylist()
    shown = [(_short(text), in_style(number_text(x))) for text, x in zip(texts, floats, strict=True)]
    title = (say("In the file"), say("Read as"))
    as_numbers = ReadingOption(say("A number"), codes.with_numbers(options, formats), title, tuple(shown))
    as_text = ReadingOption(
        say("Text, as it is written"), codes.with_texts(options, set(columns)), title,
        tuple((text, quoted(text)) for text, _ in shown),
    )  # fmt: skip
    is_text = options.number_format(first) == AS_TEXT
    readings = (as_text, as_numbers) if is_text else (as_numbers, as_text)
    where = listed([quoted(names[i]) for i in columns], 3)
    return ReadingChoice(
        f"codes-{first}",
        say("Is “{text}” in {columns} a number?", text=texts[0], columns=where),
        readings[0]._replace(options=options),
        readings[1],
    )


def _differences(content: bytes, both: tuple[ReadOptions, ReadOptions]) -> list[tuple[Any, Any]]:
    """Return a preview by each of the options, of rows and columns in which they differ, or else of words."""
    rows = [_rows_beyond_ascii(content, chosen) for chosen in both]
    pairs = (
        list(zip(*rows, strict=True)) if len(rows[0]) == len(rows[1]) else []
    )  # a letter may be a blank elsewhere
    if pairs:
        width = len(pairs[0][0])
        pairs = [pairs[0], *(pair for pair in pairs[1:] if pair[0] != pair[1] and pair != pairs[0])]
        pairs = [pair for pair in pairs if {*map(len, pair)} == {width}]
        places = [i for i in range(width) if any(a[i] != b[i] for a, b in pairs)]
        cells_ = dict.fromkeys(tuple(tuple(row[i] for i in places) for row in pair) for pair in pairs)
        if len(cells_) > 1 and places:
            return [_shown([list(pair[k]) for pair in cells_], True) for k in range(2)]
    words = encodings.words_beyond_ascii(content)
    return [_shown([[encodings.read(word, chosen.encoding)] for word in words], False) for chosen in both]


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
    other = _with_header(characters, rivals[0])
    readings = [
        ReadingOption(
            say("Parted by {delimiter}", delimiter=say(DELIMITERS[chosen.delimiter])),
            chosen,
            *_shown(_first(characters, chosen), chosen.header),
        )
        for chosen in (options, other)
    ]
    return ReadingChoice("delimiter", say("What parts the cells?"), *readings)


def _start(characters: str, options: ReadOptions) -> ReadingChoice | None:
    other = layout.other_start(characters, options)
    if other is None:
        return None
    readings = [
        ReadingOption(
            say("It begins in line {n}", n=count(chosen.skip + 1)),
            chosen,
            *_shown(_first(characters, chosen), chosen.header),
        )
        for chosen in (options, _with_header(characters, other))
    ]
    return ReadingChoice("start", say("Where does the table begin?"), *readings)


def _with_header(characters: str, options: ReadOptions) -> ReadOptions:
    """Return the options with new guesses of what follows from the cells."""
    rows = _first(characters, options, most=layout.MOST_ROWS)
    width = min(map(len, rows))
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(width)]
    return options._replace(header=cells.guess_header(columns).is_there, decimal="", thousands="", formats=())


def _header(rows: list[list[str]], options: ReadOptions, header: Header) -> ReadingChoice | None:
    if header.is_sure or len(rows) < 2:
        return None
    readings = [
        ReadingOption(
            say("The first row has the names" if chosen.header else "The first row is a row like the others"),
            chosen,
            *_shown(rows, chosen.header),
        )
        for chosen in (options, options._replace(header=not options.header, decimal="", thousands="", formats=()))
    ]
    return ReadingChoice("header", say("Does the first row hold the names of the columns?"), *readings)


def _first(characters: str, options: ReadOptions, most: int = MOST_ROWS + 1) -> list[list[str]]:
    """Return the first rows of the table, its header included."""
    start = characters[: 2 * layout.SAMPLE]
    body = lines.without_first(start, options.skip)
    rows = [row.cells for row in layout.first_rows(body, options.delimiter, most, options.quote)]
    has_names = rows and {len(row) for row in rows[1:]} == {len(rows[0]) + 1}
    return [[ROW_NAME, *rows[0]], *rows[1:]] if has_names and any(row[-1] for row in rows[1:]) else rows


def _shown(rows: list[list[str]], header: bool) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return names and cells of a preview."""
    width = min(max(map(len, rows), default=0), MOST_COLUMNS)
    short = [tuple(_short(row[i] if i < len(row) else "") for i in range(width)) for row in rows[: MOST_ROWS + 1]]
    names = short[0] if header and short else ("",) * width
    names = tuple(name or f"column {i}" for i, name in enumerate(names, 1))
    return _unique(names), tuple(short[1:] if header else short[:MOST_ROWS])


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name if name not in names[:i] else f"{name} ({i + 1})" for i, name in enumerate(names))


def _short(cell: str) -> str:
    plain = " ".join(cell.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def _marked(column: pa.Array) -> list[str]:
    """Return the first distinct cells in which a point or a comma is ambiguous."""
    cells_ = pc.unique(numbers.sample(column))
    return cells_.filter(pc.match_substring_regex(cells_, r"\d[.,]\d{3}\D*$")).slice(0, MOST_ROWS).to_pylist()


def _numbers_read(texts: list[str], position: int, options: ReadOptions) -> ReadingOption:
    format_ = options.number_format(position)
    floats = numbers.read_some(pa.array(texts, pa.string()), format_).to_pylist()
    rows = tuple(
        (_short(text), say("no number") if x is None else in_style(number_text(x)))
        for text, x in zip(texts, floats, strict=True)
    )
    label = say(
        "The decimal mark is a {decimal}, the {thousands} parts thousands"
        if format_.thousands
        else "The decimal mark is a {decimal}",
        decimal=say(DECIMALS[format_.decimal]),
        thousands=say(THOUSANDS[format_.thousands]),
    )
    return ReadingOption(label, options, (say("In the file"), say("Read as")), rows)
