"""Guess where the cells of a text table end, and in which line it begins, by parsing its first lines every way."""

from __future__ import annotations

import csv
import functools
import io
import re
from collections import Counter
from typing import NamedTuple

import pyarrow as pa

from espalier.data.columns import cells, numbers
from espalier.data.formats import encodings
from espalier.data.options import DELIMITERS, ReadOptions

SAMPLE = 65_536  # characters at the start that guesses look at
MOST_ROWS = 200
MOST_TITLE_LINES = 50  # lines above the table that a guess skips at most; instruments write many
MOST_FOOTER_ROWS = 20
# A comma may also be a decimal mark, and a space may separate words: of equal candidates others go first.
RANKS = {"\t": 5, ";": 4, "|": 3, ",": 2, " ": 1}
BLANK = " \t,;|"  # signs of lines with nothing in them
ESCAPED_QUOTE = '\\"'  # a quotation mark inside a cell, as R writes it
COMMENT = re.compile(r"[ \t]*(#|%|//|;;(?=[ ;]+\S)|!)")  # what the lines of a comment begin with
DECLARED_DELIMITER = re.compile(r'"?sep=(\\t|[^"\n])"?[ ,;|\t]*(?:\n|$)')  # as the first line, for Excel


class TextRow(NamedTuple):
    """A row of the first lines that has anything in it."""

    before: int  # lines before it
    cells: list[str]
    is_apart: bool  # whether a blank line is right above
    is_quoted: bool  # whether its first cell is in quotation marks

    @property
    def size(self) -> int:
        """Number of its cells."""
        return len(self.cells)

    @property
    def is_comment(self) -> bool:
        """Whether it begins as comments do."""
        return bool(COMMENT.match(self.cells[0]))


class Layout(NamedTuple):
    """Result of parsing the first lines with one delimiter and one kind of quotation marks."""

    delimiter: str
    quote: str
    skip: int  # lines before the table
    rows: list[list[str]]  # of the table, its header first
    share: float  # share of the rows with the most common number of cells
    is_steady: bool  # whether the header and the row below it have the most common number of cells
    is_clean: bool  # whether no quotation mark remains inside a cell
    is_quoted: bool  # whether quotation marks enclose cells
    other_skip: int | None  # lines before the table if it begins elsewhere, which is as plausible

    @property
    def fit(self) -> tuple:
        """Sort key, larger is better; the numbers of cells do not distinguish equal ones."""
        level = (self.share > 0.9) + (self.share >= 0.5)
        is_sure = self.delimiter != " " or (self.is_quoted and self.is_clean)
        return level if is_sure else min(level, 0.5), self.is_steady, self.skip == 0, self.is_clean

    @property
    def worth(self) -> tuple:
        """Sort key, larger is better, also among equal fits: more numeric cells, then the rarer delimiter."""
        below = [cell for row in self.rows[1:] for cell in row]
        n_numeric = sum(map(numbers.looks_like_number, below))
        return *self.fit, self.share == 1, round(n_numeric / max(len(below), 1), 1), RANKS[self.delimiter]


def guess_layout(text: str, options: ReadOptions) -> ReadOptions:
    """Return the delimiter and quotation mark of a unified text, and the number of lines above the table."""
    best = max(_layouts(text), key=lambda layout: layout.worth, default=None)
    if best is None:
        return options._replace(delimiter=_declared_delimiter(text) or ",", skip=0)
    quote = ESCAPED_QUOTE if best.quote == '"' and _is_escaped_later(text, best) else best.quote
    return options._replace(delimiter=best.delimiter, quote=quote, skip=best.skip)


def _is_escaped_later(text: str, layout: Layout) -> bool:
    """Return whether a line after the sample is a row of the table only if quotation marks in it are escaped."""
    place = text.find(ESCAPED_QUOTE, 2 * SAMPLE)
    if place < 0:
        return False
    end = text.find("\n", place)
    line = text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)]
    is_clean = [_quotes(line, layout.delimiter, quote)[1] for quote in ('"', ESCAPED_QUOTE)]
    row = first_rows(line, layout.delimiter, quote=ESCAPED_QUOTE)
    return is_clean == [False, True] and bool(row) and row[0].size == len(layout.rows[-1])


def rivals(text: str, options: ReadOptions) -> list[ReadOptions]:
    """Return other delimiters, with their lines to skip, that fit as well as the one in use."""
    layouts = _layouts(text)
    current = next((layout for layout in layouts if layout.delimiter == options.delimiter), None)
    if current is None:
        return []
    equal = [layout for layout in layouts if layout.fit == current.fit and layout.delimiter != current.delimiter]
    equal.sort(key=lambda layout: layout.worth, reverse=True)
    return [options._replace(delimiter=layout.delimiter, quote=layout.quote, skip=layout.skip) for layout in equal]


def other_start(text: str, options: ReadOptions) -> ReadOptions | None:
    """Return the options with the other line at which the table may begin as well; None if there is none."""
    for layout in _layouts(text):
        starts = {layout.skip, layout.other_skip}
        is_same = (layout.delimiter, layout.quote) == (options.delimiter, options.quote)
        if is_same and layout.other_skip is not None and options.skip in starts:
            return options._replace(skip=(starts - {options.skip}).pop())
    return None


def titles(text: str, skip: int) -> list[str]:
    """Return the lines above the table that are not blank."""
    return [
        line for number, line, _ in encodings.number_lines(text[:SAMPLE]) if number <= skip and line.strip(BLANK)
    ]


def comment_mark(skipped: list[str]) -> str:
    """Return what the comments of a table begin with, by the lines above it; empty if none is a comment."""
    return next((match[1] for line in skipped if (match := COMMENT.match(line))), "")


def footer_start(body: str, options: ReadOptions, n_columns: int) -> int:
    """Return where the lines below a table begin: after a blank line, rows of fewer cells to the text's end."""
    tail = body[-SAMPLE:]
    blank = rf"\n[ \t{re.escape(options.delimiter)}]*(?=\n)"
    start = end = len(tail)
    for gap in reversed(list(re.finditer(blank, tail))):
        block = tail[gap.end() : end]
        if block.count(options.quote[-1]) % 2 or block.count("\n") > MOST_FOOTER_ROWS:
            break
        rows = first_rows(block, options.delimiter, quote=options.quote)
        if not all(_is_footer(row.cells, n_columns) for row in rows):
            break
        end = gap.start() + 1
        start = end if rows else start
    return len(body) - len(tail) + start


def first_rows(text: str, delimiter: str, most: int = MOST_ROWS, quote: str = '"') -> list[TextRow]:
    """Return rows with anything in them at the start; quotes are respected."""
    sample, quote = plain_quotes(text[:SAMPLE], quote)
    if delimiter == " ":
        sample = single_spaces(sample, quote)
    starts = [line[:1] for line in sample.split("\n")]
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, quotechar=quote)
    rows, before, is_apart = [], 0, False
    try:
        for row in reader:
            if is_full := any(cell.strip() for cell in row):
                rows.append(TextRow(before, row, is_apart, starts[before] == quote))
            before, is_apart = reader.line_num, not is_full
            if len(rows) > most:
                return rows[:most]
    except csv.Error:  # a cell without end
        return rows
    return rows[:-1] if len(text) > SAMPLE and len(rows) > 1 else rows  # the sample may end inside a row


def plain_quotes(text: str, quote: str) -> tuple[str, str]:
    """Return the text with quotation marks inside of cells written twice, and the mark."""
    return (text.replace(ESCAPED_QUOTE, '""'), '"') if quote == ESCAPED_QUOTE else (text, quote)


def single_spaces(text: str, quote: str = '"') -> str:
    """Return the text with runs of spaces outside of quotes as one, and none at the ends of lines."""
    if quote in text:
        inside = rf"{quote}[^{quote}]*{quote}"
        text = re.sub(rf"({inside})|[ \t]+", lambda match: match[1] or " ", text)
    else:
        text = re.sub(r"[ \t]+", " ", text)
    return re.sub(r"(?m)^ | $", "", text)


def are_row_names(header: list[str], rows: list[TextRow], delimiter: str) -> bool:
    """Return whether the first cell of every row is its name, for which the header has none, as R writes tables.

    Every row has one cell more than the header, and the first ones are unique: quoted, words, or counted from 1.
    A comma may divide a number or a sentence, so that other numbers, and sentences, are no names beside commas.
    """
    if not rows or {row.size for row in rows} != {len(header) + 1}:
        return False
    first = [row.cells[0].strip() for row in rows]
    if not all(first) or len(set(first)) < len(first):
        return False
    if all(row.is_quoted for row in rows):
        return True
    if delimiter == "," and not header[-1].startswith(" ") and all(row.cells[1].startswith(" ") for row in rows):
        return False
    if any(map(numbers.looks_like_number, first)):
        counts = any(first == [str(i) for i in range(start, start + len(first))] for start in (0, 1))
        return counts or (delimiter != "," and all(map(str.isdecimal, first)))
    return True


def _layouts(text: str) -> tuple[Layout, ...]:
    return _layouts_of_start(text[: 2 * SAMPLE])


@functools.lru_cache(maxsize=2)  # a guess, and the questions that it leaves, ask for the same ones
def _layouts_of_start(text: str) -> tuple[Layout, ...]:
    mark = _declared_delimiter(text)
    n_above = _comment_lines(text, 1 if mark else 0)
    layouts = [_layout(text, n_above, delimiter) for delimiter in ((mark,) if mark else DELIMITERS)]
    if mark and not any(layouts):  # the file does not keep to what it says
        layouts = [_layout(text, n_above, delimiter) for delimiter in DELIMITERS]
    return tuple(layout for layout in layouts if layout)


def _declared_delimiter(text: str) -> str:
    """Return the delimiter that the first line names for Excel; empty if it names none."""
    match = DECLARED_DELIMITER.match(text)
    delimiter = match[1].replace("\\t", "\t") if match else ""
    return delimiter if delimiter in DELIMITERS else ""


def _comment_lines(text: str, start: int) -> int:
    """Return the number of the lines at the start, the last of which is a comment: `start` if none is."""
    last = start
    for number, line, _ in encodings.number_lines(text[:SAMPLE]):
        if number > start and line.strip():
            if not COMMENT.match(line):
                return last
            last = number
    return start  # nothing but comments


def _layout(text: str, n_above: int, delimiter: str) -> Layout | None:
    """Return the layout by this delimiter, with the quotation marks that make the rows equal."""
    usual = _quoted_layout(text, n_above, delimiter, '"')
    if ESCAPED_QUOTE in text and (usual is None or usual.share < 1 or not usual.is_clean):
        other = _quoted_layout(text, n_above, delimiter, ESCAPED_QUOTE)
        if other and other.share == 1 and other.is_steady and other.is_clean:
            return other
    other = _quoted_layout(text, n_above, delimiter, "'") if _has_single_quotes(text[:SAMPLE], delimiter) else None
    if other is None or other.share < 1 or not other.is_steady:
        return usual
    if usual is None or usual.share < 1 or not usual.is_steady or _are_quotes(usual.rows):
        return other
    return usual


def _quoted_layout(text: str, n_above: int, delimiter: str, quote: str) -> Layout | None:
    """Return the layout; None if the delimiter does not divide half of the rows into two columns or more.

    Of the widths that several rows have, that counts which has the fewest rows of another one below its first.
    """
    rows = _rows(text, n_above, delimiter, quote)
    usual = Counter(row.size for row in rows if row.size > 1).most_common(3)
    layouts = [_wide_layout(text, rows, n_columns, delimiter, quote) for n_columns, _ in usual]
    layouts = [layout for layout in layouts if layout]
    # of equal ones the first, which is the most common width
    best = max(
        layouts, key=lambda layout: ((layout.share > 0.9) + (layout.share >= 0.5), layout.is_steady), default=None
    )
    if best is None or not n_above or best.skip > rows[0].before:
        return best
    return _below_comments(best, text, n_above)


def _rows(text: str, n_above: int, delimiter: str, quote: str) -> list[TextRow]:
    """Return the first rows below the comments, without comments between them and without what stands below."""
    body = encodings.without_first(text, n_above)
    rows = first_rows(body, delimiter, quote=quote)
    rows = [row._replace(before=row.before + n_above) for row in rows]
    if n_above:
        plain = [row for row in rows if not row.is_comment]
        rows = plain if len(plain) >= 0.75 * len(rows) else rows
    last = next((i for i in range(len(rows) - 1, 0, -1) if rows[i].is_apart), len(rows))
    widest = max((row.size for row in rows[:last]), default=0)
    is_footer = len(rows) < MOST_ROWS and last > 2 and all(_is_footer(row.cells, widest) for row in rows[last:])
    return rows[:last] if is_footer else rows


def _wide_layout(text: str, rows: list[TextRow], n_columns: int, delimiter: str, quote: str) -> Layout | None:
    """Return the layout if the table has so many columns."""
    first, other = _first(rows, n_columns, delimiter)
    table = rows[first:]
    lacks_a_name = _is_header(table[0], table[1:], delimiter)
    share = (sum(row.size == n_columns for row in table) + lacks_a_name) / len(table)
    if share < 0.5:
        return None
    is_steady = all(row.size == n_columns for row in table[:2]) or lacks_a_name
    is_quoted, is_clean = _quotes(text[:SAMPLE], delimiter, quote)
    if quote != ESCAPED_QUOTE:
        is_clean = is_clean and not any(cell.count('"') % 2 for row in table for cell in row.cells)
    rows_of_cells = [row.cells for row in table]
    return Layout(delimiter, quote, table[0].before, rows_of_cells, share, is_steady, is_clean, is_quoted, other)


def _first(rows: list[TextRow], n_columns: int, delimiter: str) -> tuple[int, int | None]:
    """Return the place of the first row of the table, after titles, and the lines before another that may be it.

    The place is 0 if what stands above looks like rows itself.
    """
    sizes = [row.size for row in rows]
    pairs = (i for i, size in enumerate(sizes) if size == n_columns == sizes[min(i + 1, len(sizes) - 1)])
    first = next(pairs, sizes.index(n_columns))
    above = [row for row in rows[:first] if not row.is_comment]
    if not first:
        return _padded_titles(rows, n_columns), None
    if any(row.size >= n_columns for row in above) or rows[first].before > MOST_TITLE_LINES:
        return 0, None
    (has_names, is_sure), is_apart = _header(rows[first:]), rows[first].is_apart
    is_sure = has_names and is_sure
    if above and not is_apart and not is_sure and _is_header(rows[first - 1], rows[first:], delimiter):
        return first - 1, rows[first].before if has_names else None
    are_titles = is_apart or is_sure or all(row.size == 1 for row in above)
    return (first if are_titles else 0), None


def _is_header(row: TextRow, table: list[TextRow], delimiter: str) -> bool:
    """Return whether a row is the header of rows with one cell more: a name at their start, or an empty end."""
    ends_empty = all(below.size == row.size + 1 and not below.cells[-1] for below in table)
    return row.size > 1 and (ends_empty or are_row_names(row.cells, table, delimiter))


def _padded_titles(rows: list[TextRow], n_columns: int) -> int:
    """Return the number of titles that are filled up with empty cells, as spreadsheets write them."""
    first = next((i for i, row in enumerate(rows) if _n_filled(row.cells) == n_columns), 0)
    if not first or n_columns < 3 or rows[first].before > MOST_TITLE_LINES:
        return 0
    has_names, is_sure = _header(rows[first:])
    return first if has_names and (is_sure or rows[first].is_apart) else 0


def _below_comments(layout: Layout, text: str, n_above: int) -> Layout:
    """Return the layout; the last comment above it may be its header, as NumPy writes it."""
    line = text.split("\n", n_above)[n_above - 1]
    last = first_rows(line, layout.delimiter, quote=layout.quote)
    n_columns = len(layout.rows[0])
    if layout.skip != n_above or not last or last[0].size != n_columns or DECLARED_DELIMITER.match(line):
        return layout
    has_names, is_sure = _header([TextRow(0, row, False, False) for row in layout.rows])
    if COMMENT.fullmatch(last[0].cells[0].strip()) or not has_names:
        return layout._replace(skip=n_above - 1, rows=[last[0].cells, *layout.rows])
    return layout if is_sure else layout._replace(other_skip=n_above - 1)


def _header(rows: list[TextRow]) -> tuple[bool, bool]:
    """Return whether the first of these rows has the names of columns, and whether that is certain."""
    width = rows[0].size
    same = [row.cells for row in rows if row.size == width]
    return cells.guess_header([pa.array(column, pa.string()) for column in zip(*same, strict=True)])


def _n_filled(row: list[str]) -> int:
    """Return the number of cells up to the last that is not empty."""
    return max((i for i, cell in enumerate(row, 1) if cell.strip()), default=0)


def _is_footer(row: list[str], n_columns: int) -> bool:
    """Return whether a row has fewer cells than the table, or only empty ones after its first."""
    return len(row) < n_columns or (n_columns > 2 and _n_filled(row) == 1)


def _quotes(sample: str, delimiter: str, quote: str) -> tuple[bool, bool]:
    """Return whether quotation marks enclose cells, and whether no sign stands between them and delimiters."""
    sample, quote = plain_quotes(sample, quote)
    between = delimiter.replace(" ", " \t") + "\n"
    cell = rf"(?:^|(?<=[{re.escape(between)}])){quote}(?:[^{quote}]|{quote}{quote})*{quote}(.?)"
    following = re.findall(cell, sample, re.DOTALL)
    return bool(following), all(sign in between for sign in following)


def _has_single_quotes(sample: str, delimiter: str) -> bool:
    """Return whether cells begin and end with an apostrophe, and none with a quotation mark."""
    mark = re.escape(delimiter)
    cell = rf"(?m)(?:^|{mark})'(?:[^'\n]|'')*'(?={mark}|$)"
    return "'" in sample and len(re.findall(cell, sample)) > 1 and not re.search(rf'(?m)(?:^|{mark})"', sample)


def _are_quotes(rows: list[list[str]]) -> bool:
    """Return whether apostrophes enclose all cells of a column, below the header, or a cell with doubled ones."""
    for column in zip(*(row for row in rows[1:] if len(row) == len(rows[-1])), strict=True):
        full = [cell.strip() for cell in column if cell.strip()]
        if len(full) > 1 and all(len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in full):
            return True
        if any(re.fullmatch(r"'[^']*\w''[^']+'", cell) for cell in full):
            return True
    return False
