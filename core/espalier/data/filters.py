"""Filters: conditions joined by "and" and "or", which say which rows of a table to take.

A filter has a short text, such as "petal length~gt~2~and~species~in~setosa,virginica", which names it in
addresses.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from espalier.data.errors import count, listed, number_text, quoted
from espalier.data.options import calendar_day, days_until
from espalier.language import say, to_say

OPPOSITES = {"le": "gt", "gt": "le", "lt": "ge", "ge": "lt", "in": "out", "out": "in"}
SIGNS = {"le": "≤", "gt": ">", "lt": "<", "ge": "≥"}  # of the relations that need an order
BOUND_SIGNS = {"gt": "<", "ge": "≤"}  # signs of bounds from below, with the bound on the left
MOST_NAMES = 3  # values that words name; of more, the first two and their number


# A condition holds texts alone, so that it is short in an address and independent of a table; a `Column` gives
# its values a meaning.
class FilterError(ValueError):
    """Error of rows that cannot be taken: its text says what is wrong, where, and what to do about it.

    >>> Condition("mass", "gt", ("2",)).mask({"size": Column(np.array([1.0, 3.0]))})
    Traceback (most recent call last):
    ...
    espalier.data.filters.FilterError: There is no column “mass”. Choose one of “size”.
    """


class Column(NamedTuple):
    """A column that conditions may ask about."""

    values: np.ndarray  # (n_samples,) numbers, or codes of categories; nan: missing
    categories: tuple[str, ...] = ()  # names of codes 0, 1, …; empty for numbers
    has_order: bool = True  # whether one value may be above another
    since: int | None = None  # of dates: the day from which it counts days (`moments.first_day`); None: of others

    def number(self, text: str) -> float:
        """Return the number of a text, which may be a date in a column of dates; nan where it is none.

        >>> Column(np.array([18717.0]), since=0).number("2021-03-31")
        18717.0
        """
        try:
            return float(text)
        except ValueError:
            pass
        try:
            return float("nan") if self.since is None else days_until(date.fromisoformat(text), self.since)
        except ValueError:
            return float("nan")

    def text(self, number: float) -> str:
        """Return a number as a condition has it: the shortest text that reads as it, of a whole day its date."""
        return number_text(number) if self.since is None else day_text(number, self.since)


class Condition(NamedTuple):
    """What the value of a column is to be.

    >>> Condition("petal length", "gt", ("2",)).words
    'petal length > 2'
    >>> Condition("colour", "in", ("red", "blue"), missing=True).words
    'colour is red, blue or missing'
    """

    column: str
    relation: str  # "le", "lt", "ge", "gt" than the value; "in" or "out": one, or none, of the values
    values: tuple[str, ...] = ()  # numbers as written, or categories; none: it is "in" if missing, "out" if known
    missing: bool = False  # whether rows without a value fulfil it

    @property
    def opposite(self) -> Condition:
        """The condition that just the other rows fulfil."""
        return self._replace(relation=OPPOSITES[self.relation], missing=not self.missing)

    @property
    def words(self) -> str:
        """The condition as a person reads it."""
        if not self.values:
            return say("{name} is known" if self.relation == "out" else "{name} is missing", name=self.column)
        if self.relation in SIGNS:
            return self._or_missing(f"{self.column} {SIGNS[self.relation]} {self.values[0]}")
        values = list(self.values if len(self.values) <= MOST_NAMES else self.values[: MOST_NAMES - 1])
        more = len(self.values) - len(values)
        values += [say("{n} more", n=more)] if more else []
        if self.relation == "out":
            return self._or_missing(say("{name} is not {value}", name=self.column, value=_join_names(values)))
        values += [say("missing")] if self.missing else []
        return say("{name} is {value}", name=self.column, value=_join_names(values))

    def makes_range_with(self, other: Condition) -> bool:
        """Whether one of both is a bound from below and the other from above, of the same column."""
        there = self.column == other.column and self.missing == other.missing
        return there and {self.relation, other.relation} <= SIGNS.keys() and self.is_lower != other.is_lower

    @property
    def is_lower(self) -> bool:
        """Whether it is a bound from below."""
        return self.relation in BOUND_SIGNS

    def range_words(self, other: Condition) -> str:
        """Return the range between this bound and the other one as a person reads it.

        >>> Condition("age", "le", ("65",)).range_words(Condition("age", "gt", ("18",)))
        '18 < age ≤ 65'
        """
        low, high = (self, other) if self.is_lower else (other, self)
        words = (
            f"{low.values[0]} {BOUND_SIGNS[low.relation]} {self.column} {SIGNS[high.relation]} {high.values[0]}"
        )
        return self._or_missing(words)

    def _or_missing(self, words: str) -> str:
        return say("{condition} or missing", condition=words) if self.missing else words

    def mask(self, columns: Mapping[str, Column]) -> np.ndarray:
        """Return the rows that fulfil it, (n_samples,) bool.

        Raises FilterError for a column or a category that is not there, and for a number that is none.
        """
        column = columns.get(self.column)
        if column is None:
            raise FilterError(
                say(
                    "There is no column {name}. Choose one of {columns}.",
                    name=quoted(self.column),
                    columns=listed([quoted(name) for name in columns]),
                )
            )
        is_true = np.isin(column.values, [self._number(text, column) for text in self.values])
        if self.relation in SIGNS:
            is_true = self._compare(column)
        elif self.relation == "out":
            is_true = ~is_true
        return np.where(np.isnan(column.values), self.missing, is_true)

    def _compare(self, column: Column) -> np.ndarray:
        if not column.has_order:
            raise FilterError(
                say(
                    "Categories of {name} have no order: none is {sign} another. Choose some.",
                    name=quoted(self.column),
                    sign=SIGNS[self.relation],
                )
            )
        compare = {"le": np.less_equal, "lt": np.less, "ge": np.greater_equal, "gt": np.greater}
        return compare[self.relation](column.values, self._number(self.values[0], column))

    def _number(self, text: str, column: Column) -> float:
        """Return what the column has for this value: a number, or the code of a category."""
        if column.categories:
            if text not in column.categories:
                raise FilterError(
                    say(
                        "{name} has no category {value}. Choose some of {values}.",
                        name=quoted(self.column),
                        value=quoted(text),
                        values=listed([quoted(name) for name in column.categories]),
                    )
                )
            return float(column.categories.index(text))
        number = column.number(text)
        if not np.isfinite(number):
            wrong = (
                to_say("{name} has numbers, not {text}. Give one, such as 2.5.")
                if column.since is None
                else to_say("{name} has dates, not {text}. Give one, such as 2021-03-31.")
            )
            raise FilterError(say(wrong, text=quoted(text), name=quoted(self.column)))
        return number


def day_text(number: float, since: int) -> str:
    """Return the date of a whole number of days since a day (`moments.first_day`); of another the number.

    >>> day_text(18717.0, 0), day_text(0.5, 0)
    ('2021-03-31', '0.5')
    """
    day = calendar_day(number, since) if number == round(number) else None
    return number_text(number) if day is None or days_until(day, since) != number else day.isoformat()


def _join_names(names: list[str]) -> str:
    return say("{first} or {last}", first=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]


# ---- filters: conditions joined by "and" and "or", which say which rows of a table to take

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
        result = ALL
        for line in self.alternatives:
            result = result.both(Filter(tuple((condition.opposite,) for condition in line)))
        return result

    def mask(self, columns: Mapping[str, Column], n_samples: int) -> np.ndarray:
        """Return the rows that it takes, (n_samples,) bool. Raises FilterError as `Condition.mask` does."""
        every = np.ones(n_samples, dtype=bool)
        masks = ((condition.mask(columns) for condition in line) for line in self.alternatives)
        lines = (functools.reduce(np.logical_and, line, every) for line in masks)
        return functools.reduce(np.logical_or, lines, ~every)

    def in_short(self, columns: Mapping[str, Column]) -> Filter:
        """Return the same filter of this table, without what its conditions need not say.

        That is missing values of columns that have none, and bounds that are wider than others of the column.
        """
        complete_columns = {name for name, column in columns.items() if not np.isnan(column.values).any()}
        lines = [
            tuple(
                condition._replace(missing=False)
                if condition.values and condition.column in complete_columns
                else condition
                for condition in line
            )
            for line in self.alternatives
        ]
        return Filter(tuple(merge_conditions(line, columns) for line in lines))

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
                "The filter has {n} letters; the limit is {most}. Use fewer conditions.",
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
    parts = _condition_words(conditions)
    words = [words if len(parts) == 1 or not either else f"({words})" for words, either in parts]
    return words[0] if len(words) == 1 else say("{first} and {last}", first=", ".join(words[:-1]), last=words[-1])


def _condition_words(conditions: Sequence[Condition]) -> list[tuple[str, bool]]:
    """Return each condition's words, and whether they hold an "or"; two bounds of a column as one range."""
    left, pairs = list(conditions), []
    while left:
        condition = left.pop(0)
        other = next((other for other in left if condition.makes_range_with(other)), None)
        if other is not None:
            left.remove(other)
        words = condition.words if other is None else condition.range_words(other)
        pairs.append((words, condition.missing and bool(condition.values)))
    return pairs


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
            "The filter {text} cannot be read. Write one like “{example}”.",
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
    return _SPECIAL.sub(lambda match: f"%{ord(match[0]):02X}", name)


LOWER, UPPER = ("gt", "ge"), ("lt", "le")


def merge_conditions(conditions: Sequence[Condition], columns: Mapping[str, Column]) -> tuple[Condition, ...]:
    """Return conditions that the same rows fulfil: of several bounds of a column of numbers the tightest.

    Of several sets of values that a column must be in, the values in all of them.

    >>> import numpy as np
    >>> age = {"age": Column(np.array([2.0, 4.0, 6.0]))}
    >>> older = [Condition("age", "gt", ("3",)), Condition("age", "gt", ("5",), missing=True)]
    >>> [condition.words for condition in merge_conditions(older, age)]
    ['age > 5']
    """
    tight: list[Condition] = []
    for condition in conditions:
        for i, other in enumerate(tight):
            if (both := _both(other, condition, columns)) is not None:
                tight[i] = both
                break
        else:
            tight.append(condition)
    return tuple(tight)


def _both(first: Condition, second: Condition, columns: Mapping[str, Column]) -> Condition | None:
    """Return the one condition that says what both say; None where it takes two."""
    column = columns.get(first.column)
    if column is None or first.column != second.column or not (first.values and second.values):
        return None
    missing = first.missing and second.missing
    if first.relation == second.relation == "in":
        values = tuple(value for value in first.values if value in second.values)
        return first._replace(values=values, missing=missing) if values else None
    bounds = next((kind for kind in (LOWER, UPPER) if {first.relation, second.relation} <= set(kind)), None)
    if bounds is None or column.categories:
        return None
    sign = 1 if bounds is LOWER else -1

    def tightness(bound: Condition) -> tuple[float, bool]:
        return sign * column.number(bound.values[0]), bound.relation in ("gt", "lt")

    return max(first, second, key=tightness)._replace(missing=missing)
