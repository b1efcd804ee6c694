"""The columns that exported source reads: their names and those of classes, and words on how the file was read."""

from __future__ import annotations

import itertools
import keyword
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature, Origin
from espalier.data.errors import exact_number, number_text
from espalier.data.options import (
    CLOCK,
    DAY,
    DECIMALS,
    DURATION,
    HOUR,
    MINUTE,
    SECOND,
    THOUSANDS,
    Moment,
    NumberFormat,
)
from espalier.display.text.trees import class_words
from espalier.inert import ISOLATES, legible
from espalier.kinds import SomeTree, asked_by, set_splits
from espalier.predict import leaders
from espalier.settings import MAX_NUMBER
from espalier.tree.rules import N_BITS
from espalier.trees import Forest

WIDTH = 108  # characters of a line
UNBROKEN = "\0"  # a blank inside quotation marks, where lines are not broken


class ExportedColumn(NamedTuple):
    """A feature, and how exported source reads it."""

    key: str  # the feature's name; of equal names, all but the first get a number: "x", "x (2)"
    names: tuple[str, ...]  # of the codes 0, 1, …; empty for numbers
    is_number: bool  # whether its cells are numbers, also where they name categories
    origin: Origin | None  # its place in the file; None: a column of this name, read as it is
    moment: Moment | None = None  # how it is worked out from the column's dates or times; None: it is the column
    pooled: tuple[str, ...] = ()  # the values that its last category stands for

    @property
    def name(self) -> str | None:
        """The column's name in a row of the file; None if only its position distinguishes it."""
        if self.origin is None:
            return self.title
        return self.origin.name if self.origin.name and self.origin.name not in self.origin.alike else None

    @property
    def title(self) -> str:
        """The name of the column that it is, or is worked out from."""
        return self.key if self.moment is None else self.moment.column

    @property
    def sql_name(self) -> str:
        """The column's name in a database, which ignores case; "column 3" if the file has no usable name."""
        if self.origin is None:
            return self.title
        has_name = self.origin.name and not self.origin.alike
        return self.origin.name if has_name else f"column {self.origin.position + 1}"

    @property
    def spellings(self) -> tuple[tuple[str, str], ...]:
        """The texts in the file that count as others, each with the other: of a column of yes and no."""
        return self.origin.spellings if self.origin else ()

    @property
    def unit(self) -> str:
        """The unit of its numbers, where cells have units; empty: they have none."""
        return self.origin.format.unit if self.origin and self.origin.format else ""

    @property
    def pool(self) -> str | None:
        """The category that replaces all values that are `pooled`; None if there are none."""
        return self.names[-1] if self.pooled else None


def columns(tree: SomeTree | Forest, features: Sequence[Feature]) -> dict[int, ExportedColumn]:
    """Return the features that the tree, or any of a forest, splits on, and those of its formulas, by number.

    Raises ValueError if two categories of a feature share a name.
    """
    keys = unique([f.name for f in features], "{} ({})")
    sets = set(set_splits(tree)[0].tolist())
    return {i: _column(keys[i], features[i], i in sets) for i in asked_features(tree)}


def asked_features(tree: SomeTree | Forest) -> list[int]:
    """Return the features that the tree, or any of a forest, asks about, each once, ascending."""
    return np.unique(asked_by(tree)).tolist()


def _column(key: str, feature: Feature, is_set: bool) -> ExportedColumn:
    names = feature.categories
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"feature {feature.name!r} has two categories named {twice!r}: rename one to export")
    if is_set and not names:
        names = tuple(map(str, range(N_BITS)))  # the table holds the codes themselves, since there are no names
    origin, members = feature.origin, feature.pooled
    if feature.moment:
        return ExportedColumn(key, names, False, origin, feature.moment)
    if origin:
        is_number, members = origin.format is not None, origin.pooled
    else:
        plain = (*names[:-1], *members) if members else names  # without the pool's own name
        is_number = all(map(_is_float, plain))
    if is_number:  # a table of an older version may write a number otherwise
        numbers = tuple(number_text(float(name)) for name in (names[:-1] if members else names))
        names = (*numbers, names[-1]) if members else numbers
        members = tuple(number_text(float(text)) for text in members)
    return ExportedColumn(key, names, is_number, origin, pooled=members)


def _is_float(text: str) -> bool:
    """Return whether the text is that of a number that a float holds, so that cells are compared as numbers."""
    number = exact_number(text)
    return number is not None and float(number) == number


def answers(target: Feature) -> tuple[str, ...] | tuple[float, ...]:
    """Return the classes as predictions: as `Feature.labels` says, else as numbers if all names are numbers."""
    if target.labels == "truth":
        return tuple(name == "true" for name in target.categories)
    numbers = [exact_number(name) for name in target.categories]
    if target.labels == "text" or None in numbers:
        return target.categories
    return tuple(x for x in numbers if x is not None)


def unique(names: Sequence[str], pattern: str, taken: Collection[str] = ()) -> list[str]:
    """Return the names made unique: a repeated name is numbered by `pattern` (such as "{}_{}"), from 2 on."""
    own, result = set(names), dict.fromkeys(taken)
    for name in names:
        new, i = name, 2
        while new in result or (new != name and new in own):
            new, i = pattern.format(name, i), i + 1
        result[new] = None
    return list(result)[len(set(taken)) :]


def identifier(name: str) -> str:
    """Return a Python identifier that reads like the name, never a keyword and never with a leading underscore."""
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
    words = "".join(c if f"a{c}".isidentifier() else " " for c in letters).replace("_", " ").split()
    text = "_".join(words)
    if not text.isidentifier():
        text = f"x_{text}" if text else "x"
    return f"{text}_" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else text


def one_line(text: str) -> str:
    """Return the text with blanks for characters that do not print on one line: safe in a comment.

    Right-to-left letters are isolated, so that they turn nothing around (`espalier.inert`).
    """
    return legible("".join(c if c.isprintable() or ISOLATES.match(c) else " " for c in text))


def tie_remark(target: Feature, shares: np.ndarray) -> str:
    """Return the end of a comment on a leaf where classes tie: ", tie: setosa, versicolor"; "" elsewhere."""
    if not target.categories or len(leaders(shares)) == 1:
        return ""
    return f", {one_line(class_words(target, shares))}"


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
