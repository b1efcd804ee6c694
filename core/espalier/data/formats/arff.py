"""ARFF, the format of Weka: a declared type for every attribute, dense or sparse rows.

SciPy's reader refuses strings and sparse rows, so this is our own. Nominal attributes give categories in
their declared order, dates and strings stay text, "?" is missing. Relational attributes are refused.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from espalier.data.errors import TableError, count, counted, quoted
from espalier.data.formats import lines
from espalier.data.formats.blocks import to_columns
from espalier.data.limits import check_cell, check_columns, check_shape, too_long_cell
from espalier.data.progress import tell
from espalier.language import say

ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE)
WORD = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"][^,]*|)\s*(?:,|$)""")


class Attribute(NamedTuple):
    """A declared column; categories are those of a nominal attribute."""

    name: str
    type: str  # "numeric", "nominal", "string" or "date"
    categories: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()  # the categories, to look one up


class Arff(NamedTuple):
    """A parsed file: its attributes, and its cells as text, column by column; missing is empty."""

    attributes: list[Attribute]
    columns: list[pa.Array]


def looks_like_arff(text: str) -> bool:
    """Return whether the first line that is not a comment declares an ARFF relation or attribute."""
    words = (line.strip().lower() for _, line, _ in lines.numbered(lines.unified(text[:20_000])))
    first = next((word for word in words if word and not word.startswith("%")), "")
    return first.startswith(("@relation", "@attribute"))


def read_arff(text: str) -> Arff:
    """Return attributes and cells. Raises TableError, with the line, for invalid content or a broken limit."""
    attributes: list[Attribute] = []
    found = _lines(text)
    for number, line in found:
        word = line[:20].lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(line, number))
            check_columns(len(attributes))
        elif word.startswith("@data"):
            break
    return Arff(attributes, to_columns(_rows(found, attributes), len(attributes)))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that hold anything but a comment."""
    for number, whole, end in lines.numbered(text):
        if (line := whole.strip()) and not line.startswith("%"):
            yield number, line
        if number % 10_000 == 0:
            tell(end / len(text), say("Reading the rows"))


def _rows(found: Iterator[tuple[int, str]], attributes: list[Attribute]) -> Iterator[list[str]]:
    for n_rows, (number, line) in enumerate(found, 1):
        check_shape(n_rows, len(attributes))
        yield _row(line, number, attributes)


def _attribute(line: str, number: int) -> Attribute:
    match = ATTRIBUTE.match(line)
    if not match:
        raise _wrong(number, say("an attribute is declared without a name or type: {line}", line=quoted(line)))
    name, type_ = _unquoted(match[1]), match[2].strip()
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
        say("the type {type} of the attribute {name} is not supported", type=quoted(type_), name=quoted(name)),
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
            raise _wrong(number, say("{pair} does not begin with the number of an attribute", pair=quoted(pair)))
        cells[int(index)] = _cell(_unquoted(value.strip()), attributes[int(index)], number)
    return cells


def _cell(cell: str, attribute: Attribute, number: int) -> str:
    if cell == "?":
        return ""
    if len(cell) > 100:
        check_cell(len(cell), say("It stands in line {n}.", n=count(number)))
    if attribute.categories and cell not in attribute.known:
        raise _wrong(
            number,
            say("{cell} is none of the declared values of {name}", cell=quoted(cell), name=quoted(attribute.name)),
        )
    if attribute.type == "numeric" and not _is_float(cell):
        raise _wrong(
            number,
            say(
                "{cell} is not a number, as {name} is declared to be",
                cell=quoted(cell),
                name=quoted(attribute.name),
            ),
        )
    return cell


def _words(text: str, number: int) -> list[str]:
    if "'" not in text and '"' not in text:  # fast: nearly all lines
        return [word.strip() for word in text.split(",")]
    return [_unquoted(word) for word in _split(text, number)]


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
            raise _wrong(number, say("a quotation mark does not end where a cell does"))
        words.append(match[1])
        at = match.end()
        if at == len(text) and not match[0].rstrip().endswith(","):
            break
    return words


def _unquoted(word: str) -> str:
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
        say("The ARFF file breaks its own declarations."),
        say("In line {n} {what}.", n=count(number), what=what),
        say("Correct this line, or save the table as CSV and upload that."),
    )
