"""Guess the delimiter of a text table and its first line by parsing the first lines with every candidate."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import NamedTuple

from espalier.data.columns import numbers
from espalier.data.formats import lines
from espalier.data.options import DELIMITERS, ReadOptions

SAMPLE = 65_536  # characters at the start that guesses look at
MOST_ROWS = 200
MOST_TITLE_LINES = 20  # lines above the table that a guess skips at most
# A comma may also be a decimal mark, and a space may separate words: of equal candidates others go first.
RANKS = {"\t": 5, ";": 4, "|": 3, ",": 2, " ": 1}


class Layout(NamedTuple):
    """Result of parsing the first lines with one delimiter."""

    delimiter: str
    skip: int  # lines before the table
    rows: list[list[str]]  # of the table, its header first
    share: float  # share of the rows with the most common number of cells
    is_steady: bool  # whether the header and the row below it have the most common number of cells
    is_clean: bool  # whether no quotation mark remains inside a cell

    @property
    def fit(self) -> tuple:
        """Sort key, larger is better; the numbers of cells do not distinguish equal ones."""
        level = (self.share > 0.9) + (self.share >= 0.5)
        return level if self.delimiter != " " else min(level, 0.5), self.is_steady, self.skip == 0, self.is_clean

    @property
    def worth(self) -> tuple:
        """Sort key, larger is better, also among equal fits: more numeric cells, then the rarer delimiter."""
        return *self.fit, self.share == 1, round(_numeric(self.rows), 1), RANKS[self.delimiter]


def guess_layout(text: str, options: ReadOptions) -> ReadOptions:
    """Return the delimiter of a unified text, and the number of lines above the table."""
    best = max(_tried(text), key=lambda layout: layout.worth, default=None)
    if best is None:
        return options._replace(delimiter=",", skip=0)
    return options._replace(delimiter=best.delimiter, skip=best.skip)


def rivals(text: str, options: ReadOptions) -> list[ReadOptions]:
    """Return other delimiters, with their lines to skip, that fit as well as the one in use."""
    tried = _tried(text)
    used = next((layout for layout in tried if layout.delimiter == options.delimiter), None)
    if used is None:
        return []
    equal = [layout for layout in tried if layout.fit == used.fit and layout.delimiter != used.delimiter]
    equal.sort(key=lambda layout: layout.worth, reverse=True)
    return [options._replace(delimiter=layout.delimiter, skip=layout.skip) for layout in equal]


def titles(text: str, skip: int) -> list[str]:
    """Return the lines above the table that are not blank."""
    return [line for number, line, _ in lines.numbered(text[:SAMPLE]) if number <= skip and line.strip()]


def first_rows(text: str, delimiter: str, most: int = MOST_ROWS) -> list[tuple[int, list[str]]]:
    """Return non-empty rows at the start, each after the number of lines before it; quotes are respected."""
    sample = text[:SAMPLE]
    if delimiter == " ":
        sample = single_spaces(sample)
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    found, before = [], 0
    try:
        for row in reader:
            if row and any(cell.strip() for cell in row):
                found.append((before, row))
            before = reader.line_num
            if len(found) > most:
                return found[:most]
    except csv.Error:  # a cell without end
        return found
    return (
        found[:-1] if len(text) > SAMPLE and len(found) > 1 else found
    )  # the sample may end in the middle of a row


def single_spaces(text: str) -> str:
    """Return the text with runs of spaces as one, and none at the ends of lines."""
    text = re.sub(r"[ \t]+", " ", text)
    return re.sub(r"(?m)^ | $", "", text)


def _tried(text: str) -> list[Layout]:
    found = [_layout(first_rows(text, delimiter), delimiter) for delimiter in DELIMITERS]
    return [layout for layout in found if layout]


def _layout(rows: list[tuple[int, list[str]]], delimiter: str) -> Layout | None:
    """Return the layout; None if the delimiter does not divide half of the rows into two columns or more."""
    sizes = [len(row) for _, row in rows]
    usual = Counter(size for size in sizes if size > 1).most_common(1)
    if not usual:
        return None
    n_columns = usual[0][0]
    first = _first(rows, n_columns)
    cells = [row for _, row in rows[first:]]
    share = sum(len(row) == n_columns for row in cells) / len(cells)
    if share < 0.5:
        return None
    steady = all(size == n_columns for size in sizes[first : first + 2]) or _lacks_a_name(sizes[first:])
    return Layout(delimiter, rows[first][0], cells, share, steady, not any(map(_is_torn, cells)))


def _first(rows: list[tuple[int, list[str]]], n_columns: int) -> int:
    """Return the place of the first row of the table, after titles; 0 if these look like rows themselves."""
    first = next(i for i, (_, row) in enumerate(rows) if len(row) == n_columns)
    if first and _lacks_a_name([len(row) for _, row in rows[first - 1 :]]):
        first -= 1
    above = [row for _, row in rows[:first]]
    are_titles = all(len(row) <= 1 or row[0].startswith("#") for row in above)
    return first if are_titles and rows[first][0] <= MOST_TITLE_LINES else 0


def _lacks_a_name(sizes: list[int]) -> bool:
    """Return whether the header has one cell less than every row: the column of row names is unnamed."""
    return sizes[0] > 1 and set(sizes[1:]) == {sizes[0] + 1}


def _is_torn(row: list[str]) -> bool:
    """Return whether a cell has half of a pair of quotation marks, as if the delimiter were inside them."""
    return any(cell.count('"') % 2 for cell in row)


def _numeric(rows: list[list[str]]) -> float:
    """Return the share of cells below the header that are numbers."""
    cells = [cell for row in rows[1:] for cell in row]
    return sum(map(numbers.looks_like_number, cells)) / max(len(cells), 1)
