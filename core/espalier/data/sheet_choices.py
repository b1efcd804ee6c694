"""What is hidden, merged, or written once for a block of rows: two readings of each, with their first rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from espalier.data.choices import MOST_COLUMNS, MOST_ROWS, ReadingChoice, ReadingOption, preview
from espalier.data.columns.fill_down import fill_down
from espalier.data.errors import count, counted, listed, quoted
from espalier.data.options import ReadOptions
from espalier.language import say, to_say


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
        return preview(label, options, [self.names[i] for i in places], cells)


def merged_choice(cells: NamedCells, filled: Mapping[int, pa.Array]) -> ReadingChoice | None:
    """Return the choice where the value of merged cells holds; `filled` has the columns that have some, filled."""
    if not filled:
        return None
    places = tuple(filled)
    new = cells._replace(columns=[filled.get(i, column) for i, column in enumerate(cells.columns)])
    first = _first_change(cells.columns[places[0]], filled[places[0]])
    rows = range(first, first + MOST_ROWS)
    readings = (
        new.option(say("In each of these rows"), rows, places, fill_merged=True),
        cells.option(say("In the first of these rows"), rows, places, fill_merged=False),
    )
    question = to_say("Cells of {columns} are merged over several rows. In which rows is their value?")
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
    question = to_say(
        "In {columns} each value seems to stand once for a block of rows. Which value have the rows below?"
    )
    return _choice("blocks", say(question, columns=cells.quoted(places)), readings, bool(cells.options.fill_down))


def hidden_rows_choice(cells: NamedCells, is_shown: np.ndarray) -> ReadingChoice | None:
    """Return the choice whether hidden rows count; `is_shown` (n_rows,) bool."""
    n_hidden, n = int((~is_shown).sum()), len(is_shown)
    if not 0 < n_hidden < n:
        return None
    first = max(int(np.flatnonzero(~is_shown)[0]) - 1, 0)
    shown = (first + np.flatnonzero(is_shown[first:])[:MOST_ROWS]).tolist()
    readings = (
        cells.option(say("All {n} rows", n=count(n)), range(first, first + MOST_ROWS), hidden_rows=True),
        cells.option(say("Only the {n} that show", n=count(n - n_hidden)), shown, hidden_rows=False),
    )
    question = to_say("The sheet hides {rows}, by a filter or by hand. Which rows count?")
    return _choice(
        "hidden rows", say(question, rows=counted(n_hidden, "row")), readings, cells.options.hidden_rows
    )


def hidden_columns_choice(cells: NamedCells, hidden: tuple[int, ...]) -> ReadingChoice | None:
    """Return the choice whether these columns, which the sheet hides, count."""
    if not hidden:
        return None
    left = [i for i in range(len(cells.columns)) if i not in hidden]
    shown = cells._replace(names=[cells.names[i] for i in left], columns=[cells.columns[i] for i in left])
    readings = (
        cells.option(say("All columns"), range(MOST_ROWS), hidden, hidden_columns=True),
        shown.option(say("Only the columns that show"), range(MOST_ROWS), hidden_columns=False),
    )
    question = to_say("The sheet hides {columns}. Which columns count?")
    return _choice(
        "hidden columns", say(question, columns=cells.quoted(hidden)), readings, cells.options.hidden_columns
    )


def _choice(
    what: str, question: str, readings: tuple[ReadingOption, ReadingOption], is_first_used: bool
) -> ReadingChoice:
    return ReadingChoice(what, question, *(readings if is_first_used else readings[::-1]))


def _first_change(column: pa.Array, other: pa.Array) -> int:
    """Return the row above the first one in which two columns differ."""
    pairs = zip(column.to_pylist(), other.to_pylist(), strict=True)
    return max(next(i for i, (a, b) in enumerate(pairs) if a != b) - 1, 0)
