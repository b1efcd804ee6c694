"""Filters: conditions joined by "and" and "or", which say which rows of a table to take.

A filter has a short text, such as "petal length~gt~2~and~species~in~setosa,virginica", which names it in
addresses.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from espalier.data.errors import count, quoted
from espalier.data.rows.conditions import OPPOSITES, SIGNS, Column, Condition, FilterError
from espalier.data.rows.merged import merged
from espalier.language import say

SEPARATOR, COMMA = "~", ","
LONGEST = 4_000  # letters of a text in an address
OR_MISSING = "-or-missing"  # ending of a relation that rows without a value fulfil, too
BARE = {"missing": ("in", True), "known": ("out", False)}  # relations without values
NO_ROW = "none"  # text of the filter that takes none
_SPECIAL = re.compile(f"[%{SEPARATOR}{COMMA}]")


class Filter(NamedTuple):
    """Alternatives, one of which a row must fulfil in all of its conditions ("and" binds more than "or").

    >>> large = Filter(((Condition("size", "gt", ("2",)),),))
    >>> red = Filter(((Condition("colour", "in", ("red",)),),))
    >>> large.both(red).words
    'size > 2 and colour is red'
    >>> large.either(red).text
    'size~gt~2~or~colour~in~red'
    >>> large.both(red).opposite.words
    'size ≤ 2 or missing, or colour is not red or missing'
    """

    alternatives: tuple[tuple[Condition, ...], ...]  # one without conditions takes all rows; none takes no row

    @property
    def is_all(self) -> bool:
        """Whether it takes all rows of every table."""
        return () in self.alternatives

    def both(self, other: Filter) -> Filter:
        """Return the filter of rows that both take."""
        pairs = itertools.product(self.alternatives, other.alternatives)
        return Filter(tuple(dict.fromkeys(tuple(dict.fromkeys(a + b)) for a, b in pairs)))

    def either(self, other: Filter) -> Filter:
        """Return the filter of rows that at least one takes."""
        return Filter(tuple(dict.fromkeys(self.alternatives + other.alternatives)))

    @property
    def opposite(self) -> Filter:
        """The filter of all other rows; as many alternatives as products of conditions: for short filters."""
        found = ALL
        for line in self.alternatives:
            found = found.both(Filter(tuple((one.opposite,) for one in line)))
        return found

    def mask(self, columns: Mapping[str, Column], n_samples: int) -> np.ndarray:
        """Return the rows that it takes, (n_samples,) bool. Raises FilterError as `Condition.mask` does."""
        taken = np.zeros(n_samples, dtype=bool)
        for line in self.alternatives:
            fulfil = np.ones(n_samples, dtype=bool)
            for condition in line:
                fulfil &= condition.mask(columns)
            taken |= fulfil
        return taken

    def in_short(self, columns: Mapping[str, Column]) -> Filter:
        """Return the same filter of this table, without what its conditions need not say.

        That is missing values of columns that have none, and bounds that are wider than others of the column.
        """
        whole = {name for name, column in columns.items() if not np.isnan(column.values).any()}
        lines = [
            tuple(one._replace(missing=False) if one.values and one.column in whole else one for one in line)
            for line in self.alternatives
        ]
        return Filter(tuple(merged(line, columns) for line in lines))

    def __str__(self) -> str:
        return self.words

    @property
    def words(self) -> str:
        """The filter as a person reads it."""
        if self.is_all:
            return say("all rows")
        lines = [_line(line) for line in self.alternatives]
        if len(lines) < 2:
            return "".join(lines) or say("no row")
        return say("{first}, or {last}", first="; ".join(lines[:-1]), last=lines[-1])

    @property
    def text(self) -> str:
        """The text that names it, which `filter_of` reads; empty where it takes all rows."""
        if self.is_all or not self.alternatives:
            return "" if self.is_all else NO_ROW
        joint = f"{SEPARATOR}and{SEPARATOR}"
        lines = [joint.join(map(_text, line)) for line in self.alternatives]
        return f"{SEPARATOR}or{SEPARATOR}".join(lines)


ALL = Filter(((),))


def filter_of(text: str) -> Filter:
    """Return the filter that a text names.

    Raises FilterError for a text that names none.

    >>> filter_of("petal length~gt~2").words
    'petal length > 2'
    """
    if text in ("", NO_ROW):
        return Filter(()) if text else ALL
    if len(text) > LONGEST:
        raise FilterError(
            say(
                "The filter has {n} letters, and {most} is the limit. Use fewer conditions.",
                n=count(len(text)),
                most=count(LONGEST),
            )
        )
    parts, lines = text.split(SEPARATOR), [[]]
    while parts:
        lines[-1].append(_condition(parts, text))
        joint = parts.pop(0) if parts else ""
        if joint == "or":
            lines.append([])
        if joint not in ("", "and", "or") or (joint and not parts):
            raise _unreadable(text)
    return Filter(tuple(map(tuple, lines)))


def _line(conditions: tuple[Condition, ...]) -> str:
    """Return conditions joined by "and", those with an "or" of their own in parentheses."""
    parts = _with_ranges(conditions)
    words = [words if len(parts) == 1 or not either else f"({words})" for words, either in parts]
    return words[0] if len(words) == 1 else say("{first} and {last}", first=", ".join(words[:-1]), last=words[-1])


def _with_ranges(conditions: Sequence[Condition]) -> list[tuple[str, bool]]:
    """Return each condition's words, and whether they hold an "or"; two bounds of a column as one range."""
    left, found = list(conditions), []
    while left:
        one = left.pop(0)
        other = next((other for other in left if one.makes_range_with(other)), None)
        if other is not None:
            left.remove(other)
        words = one.words if other is None else one.range_words(other)
        found.append((words, one.missing and bool(one.values)))
    return found


def _condition(parts: list[str], text: str) -> Condition:
    """Return the condition that the parts begin with, and take it away from them."""
    if len(parts) < 2:
        raise _unreadable(text)
    column, relation = unquote(parts.pop(0)), parts.pop(0)
    if relation in BARE:
        return Condition(column, BARE[relation][0], missing=BARE[relation][1])
    plain = relation.removesuffix(OR_MISSING)
    if plain not in OPPOSITES or not parts:
        raise _unreadable(text)
    values = tuple(map(unquote, parts.pop(0).split(COMMA)))
    if plain in SIGNS and len(values) > 1:
        raise _unreadable(text)
    return Condition(column, plain, values, plain != relation)


def _unreadable(text: str) -> FilterError:
    return FilterError(
        say(
            "The filter {text} cannot be read. Write one like “{example}”, or set it on the Data page.",
            text=quoted(text),
            example=SEPARATOR.join(("petal length", "gt", "2")),
        )
    )


def _text(condition: Condition) -> str:
    if not condition.values:
        bare = {relation: word for word, relation in BARE.items()}
        return SEPARATOR.join([_safe(condition.column), bare[condition.relation, condition.missing]])
    relation = condition.relation + (OR_MISSING if condition.missing else "")
    return SEPARATOR.join([_safe(condition.column), relation, COMMA.join(map(_safe, condition.values))])


def _safe(name: str) -> str:
    return _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", name)
