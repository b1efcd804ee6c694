"""The changes made when the file was read, in sentences, for the head of every export."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from espalier.data.dataset import Feature, Origin
from espalier.data.options import CLOCK, DAY, DECIMALS, DURATION, HOUR, MINUTE, SECOND, THOUSANDS, NumberFormat
from espalier.export.columns import ExportedColumn, columns, one_line
from espalier.kinds import SomeTree
from espalier.settings import MAX_NUMBER

WIDTH = 108  # characters of a line
UNBROKEN = "\0"  # a blank inside quotation marks, where lines are not broken


def changes_on_reading(read: Iterable[ExportedColumn], target: Feature, with_units: bool = True) -> list[str]:
    """Return lines on how columns were read from the file, with every change; none if there is no file.

    `with_units` says whether the export reads units; if not, it asks for numbers in one.
    """
    columns_of_file = [column for column in read if column.origin]
    if not columns_of_file:
        return []
    sentences = ["How the file was read:"]
    if target.origin and target.origin.name != target.name:
        sentences.append(f"- The target {_quote(target.name)} is {_place(target.origin)}.")
    facts = itertools.chain.from_iterable(_facts(column, with_units) for column in columns_of_file)
    sentences += [f"- {fact}" for fact in facts]
    for column in columns_of_file:
        if column.origin and column.origin.is_filled:
            sentences.append(
                f"- {_quote(column.key)} has a value once for a block of rows there, in merged cells or above "
                "empty ones: here each row needs it."
            )
    sentences = list(dict.fromkeys(sentences))
    for texts in dict.fromkeys(column.origin.missing for column in columns_of_file if column.origin):
        if texts:
            names = ", ".join(_quote(text) if text else "an empty cell" for text in texts)
            sentences.append(f"- Read as missing: {names}.")
    if any(column.names for column in columns_of_file):
        sentences.append("- A category that the tree does not know goes where a missing value goes.")
    if any(column.is_number for column in columns_of_file):
        sentences.append(f"- A number beyond ±{MAX_NUMBER:g} is missing.")
    sentences.append("- Blanks around the text of a cell do not count.")
    return [line for sentence in sentences for line in _wrap(sentence)]


def head_lines(tree: SomeTree, features: Sequence[Feature], target: Feature) -> list[str]:
    """Return `changes_on_reading` of the columns that a tree asks about; none if no feature is from a file."""
    is_from_file = any(feature.origin for feature in features)
    return changes_on_reading(columns(tree, features).values(), target) if is_from_file else []


def _facts(column: ExportedColumn, with_units: bool) -> Iterator[str]:
    """Yield sentences on a column: its place, its categories, its numbers, its dates, its unit."""
    origin, name = column.origin, _quote(column.key)
    assert origin is not None
    if (origin.name != column.key and column.moment is None) or origin.alike:
        yield f"{name} is {_place(origin)}{', a name that other columns have too' * bool(origin.alike)}."
    if column.spellings:
        spellings = ", ".join(f"{_quote(text)} as {_quote(category)}" for text, category in column.spellings)
        yield f"{name}: capitals make no difference; {spellings}."
    if values := column.pooled:
        yield (
            f"{name}: {_quote(column.names[-1])} stands for these {len(values):,} values and no "
            f"others: {', '.join(map(_quote, values))}."
        )
    if origin.format and origin.format != NumberFormat():
        yield f"{name} has numbers with {_marks(origin.format)}."
    if origin.format and origin.is_lossy:
        yield f"{name}: a text that is no number is missing."
    yield from _moment(column)
    if column.unit and with_units:
        unit = _quote(column.unit)
        yield f"{name} is in {unit}: texts with other units are turned into it, and a number without one is in it."
    elif column.unit:
        unit = _quote(column.unit)
        yield f"{name} must be a number in {unit}: units are not read here, and a text with one counts as missing."


def _place(origin: Origin) -> str:
    """Return the place of a column in the file."""
    if not origin.name:
        return f"column {origin.position + 1} of the file, which has no name there"
    name = _quote(origin.name) if origin.name.isprintable() else ascii(origin.name).replace(" ", UNBROKEN)
    return f"column {origin.position + 1} of the file, named {name} there"


def _marks(form: NumberFormat) -> str:
    """Return the marks of numbers in words."""
    groups = f" and a {THOUSANDS.get(form.thousands, form.thousands)} between thousands" * bool(form.thousands)
    signs = ", and signs of currency or percent, or brackets for a minus, that are left off" * form.decorated
    if form.percent:
        signs = ", and signs of percent: 10 % is 0.1"
    return f"a decimal {DECIMALS[form.decimal]}{groups}{signs}"


def _moment(column: ExportedColumn) -> Iterator[str]:
    moment = column.moment
    if moment is None:
        return
    name, of = _quote(column.key), _quote(moment.column)
    units = {DAY: "days", HOUR: "hours", MINUTE: "minutes", SECOND: "seconds"}
    if moment.part == "date":
        since = np.datetime64(moment.since, "D")
        yield f"{name} counts {units[moment.unit]} from {since} (UTC)."
    elif moment.part in (CLOCK, DURATION):
        yield f"{name} counts {units[moment.unit]}{' from midnight' * (moment.part == CLOCK)}."
    else:
        yield f"{name} is the {moment.part} of {of}."
    if moment.form != "ymd":
        first = "month" if moment.form == "mdy" else "day"
        yield f"{of} has dates in which the {first} comes first, unless the year does."
    if column.origin and column.origin.is_lossy:
        yield f"{of}: a text that is no {moment.part if moment.part in (CLOCK, DURATION) else 'date'} is missing."


def _quote(text: str) -> str:
    return f'"{one_line(text)}"'.replace(" ", UNBROKEN)


def _wrap(sentence: str) -> list[str]:
    hanging = "  " if sentence.startswith("- ") else ""
    lines = textwrap.wrap(
        sentence, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(UNBROKEN, " ") for line in lines]
