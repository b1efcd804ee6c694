"""The changes made when the file was read, in sentences, for the head of every export."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.moments import CLOCK, DAY, DURATION, HOUR, MINUTE, SECOND
from espalier.data.options import DECIMALS, THOUSANDS, NumberFormat
from espalier.export.columns import ExportedColumn, columns, one_line
from espalier.kinds import SomeTree
from espalier.settings import MAX_NUMBER

WIDTH = 108  # characters of a line
UNBROKEN = "\0"  # a blank inside quotation marks, where lines are not broken


def changes_on_reading(read: Iterable[ExportedColumn], target: Feature, with_units: bool = True) -> list[str]:
    """Return lines on how columns were read from the file, with every change; none if there is no file.

    `with_units` says whether the export reads units; if not, it asks for numbers in one.
    """
    placed = [column for column in read if column.origin]
    if not placed:
        return []
    sentences = ["How the file was read:", *_target(target)]
    for column in placed:
        facts = [*_name(column), *_spelled(column), *_pooled(column), *_number(column), *_moment(column)]
        facts += _unit(column, with_units)
        sentences += [f"- {sentence}" for sentence in facts]
    sentences += [f"- {sentence}" for column in placed for sentence in _filled(column)]
    sentences = [*dict.fromkeys(sentences), *_missing(placed)]
    if any(column.names for column in placed):
        sentences.append("- A category that the tree does not know goes where a missing value goes.")
    if any(column.is_number for column in placed):
        sentences.append(f"- A number beyond ±{MAX_NUMBER:g} is missing.")
    sentences.append("- Blanks around the text of a cell do not count.")
    return [line for sentence in sentences for line in _wrapped(sentence)]


def head_lines(tree: SomeTree, features: Sequence[Feature], target: Feature) -> list[str]:
    """Return `changes_on_reading` of the columns that a tree asks about; none if no feature is from a file."""
    is_from_file = any(feature.origin for feature in features)
    return changes_on_reading(columns(tree, features).values(), target) if is_from_file else []


def _filled(column: ExportedColumn) -> Iterator[str]:
    if column.origin and column.origin.is_filled:
        yield (
            f"{_quoted(column.key)} has a value once for a block of rows there, in merged cells or above empty "
            "ones: here each row needs it."
        )


def _target(target: Feature) -> Iterator[str]:
    if target.origin and target.origin.name != target.name:
        yield f"- The target {_quoted(target.name)} is {_place(target.origin.name, target.origin.position)}."


def _name(column: ExportedColumn) -> Iterator[str]:
    origin = column.origin
    assert origin is not None
    if (origin.name != column.key and column.moment is None) or origin.alike:
        twice = ", a name that other columns have too" if origin.alike else ""
        yield f"{_quoted(column.key)} is {_place(origin.name, origin.position)}{twice}."


def _place(name: str, position: int) -> str:
    """Return the place of a column in the file."""
    if not name:
        return f"column {position + 1} of the file, which has no name there"
    shown = _quoted(name) if name.isprintable() else ascii(name).replace(" ", UNBROKEN)
    return f"column {position + 1} of the file, named {shown} there"


def _pooled(column: ExportedColumn) -> Iterator[str]:
    if values := column.pooled:
        yield (
            f"{_quoted(column.key)}: {_quoted(column.names[-1])} stands for these {len(values):,} values and no "
            f"others: {', '.join(map(_quoted, values))}."
        )


def _spelled(column: ExportedColumn) -> Iterator[str]:
    if column.spellings:
        shown = ", ".join(f"{_quoted(text)} as {_quoted(name)}" for text, name in column.spellings)
        yield f"{_quoted(column.key)}: capitals make no difference; {shown}."


def _number(column: ExportedColumn) -> Iterator[str]:
    form = column.origin.format if column.origin else None
    if form is None:
        return
    if form != NumberFormat():
        groups = f" and a {THOUSANDS.get(form.thousands, form.thousands)} between thousands" * bool(form.thousands)
        signs = ", and signs of currency or percent, or brackets for a minus, that are left off" * form.decorated
        if form.percent:
            signs = ", and signs of percent: 10 % is 0.1"
        yield f"{_quoted(column.key)} has numbers with a decimal {DECIMALS[form.decimal]}{groups}{signs}."
    if column.origin and column.origin.is_lossy:
        yield f"{_quoted(column.key)}: a text that is no number is missing."


def _unit(column: ExportedColumn, is_read: bool) -> Iterator[str]:
    name, unit = _quoted(column.key), _quoted(column.unit)
    if column.unit and is_read:
        yield f"{name} is in {unit}: texts with other units are turned into it, and a number without one is in it."
    elif column.unit:
        yield f"{name} must be a number in {unit}: units are not read here, and a text with one counts as missing."


def _moment(column: ExportedColumn) -> Iterator[str]:
    moment = column.moment
    if moment is None:
        return
    name, of = _quoted(column.key), _quoted(moment.column)
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


def _missing(placed: list[ExportedColumn]) -> Iterator[str]:
    for texts in dict.fromkeys(column.origin.missing for column in placed if column.origin):
        if texts:
            shown = ", ".join(_quoted(text) if text else "an empty cell" for text in texts)
            yield f"- Read as missing: {shown}."


def _quoted(text: str) -> str:
    return f'"{one_line(text)}"'.replace(" ", UNBROKEN)


def _wrapped(sentence: str) -> list[str]:
    hanging = "  " if sentence.startswith("- ") else ""
    lines = textwrap.wrap(
        sentence, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(UNBROKEN, " ") for line in lines]
