"""Parts of which pages and reports are made: prose, tables, pictures with their words, and sections of these.

Features return them; a part says what there is to see, and not where: `espalier.reports.paper` draws it on paper,
pages on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.display.theme import number
from espalier.language import say


class Prose(NamedTuple):
    """A paragraph."""

    text: str


class Marked(NamedTuple):
    """Sentences of a page, in its Markdown: paragraphs, headings, lists, and words in bold or italics.

    A backslash before a mark, as pages write names from the data, takes its meaning away.
    """

    text: str


class Subheading(NamedTuple):
    """A heading inside a section."""

    text: str


class Listed(NamedTuple):
    """Items, each a sentence."""

    items: Sequence[str]


class Grid(NamedTuple):
    """A table: the heads of its columns, and rows of texts, of which the first names the row."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


class Picture(NamedTuple):
    """A picture, with words for those who do not see it.

    Pages draw it in the colours of their theme, paper in those of both (`espalier.reports.paper`).
    """

    draw: Callable[[bool], Any]  # for light (False) and for dark (True), as SVG or a Plotly figure
    alt: str
    caption: str = ""
    is_large: bool = False  # whether it is legible on a phone at the phone's width


class PictureRow(NamedTuple):
    """Small pictures side by side, as many as there is room for."""

    pictures: Sequence[Picture]


class Verbatim(NamedTuple):
    """Text as it is written, such as code."""

    text: str


Part = Prose | Marked | Subheading | Listed | Grid | Picture | PictureRow | Verbatim


class ReportSection(NamedTuple):
    """A heading with what stands below it."""

    heading: str
    parts: Sequence[Part]


class Report(NamedTuple):
    """A title, the small print below it, and sections."""

    title: str
    lead: Sequence[str]  # paragraphs below the title
    sections: Sequence[ReportSection]
    small_print: Sequence[str]  # below the lead


def grid_of(table: pd.DataFrame) -> Grid:
    """Return a table of texts and numbers as a part, its index first unless that only counts the rows.

    >>> grid_of(pd.DataFrame({"CART": ["92 %"]}, index=pd.Index(["accuracy"], name="score"))).rows
    [('accuracy', '92 %')]
    """
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index(names=None if table.index.names[0] else "")
    columns = [_texts(table.iloc[:, place]) for place in range(table.shape[1])]
    return Grid([str(head) for head in table.columns], list(zip(*columns, strict=True)))


def _texts(column: pd.Series) -> list[str]:
    """Return a column's cells as people write them: numbers with three digits, of truths those that hold."""
    if column.dtype.kind == "b":
        return [say("yes") if cell else "–" for cell in column.tolist()]
    if column.dtype.kind == "f":
        return [number(cell) if np.isfinite(cell) else "–" for cell in column.tolist()]
    return ["–" if pd.isna(cell) else str(cell) for cell in column.tolist()]
