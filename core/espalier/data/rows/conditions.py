"""Conditions on the columns of a table, which say which rows to take: "petal length > 2 or missing".

A condition holds texts alone, so that it is short in an address and independent of a table; a `Column` gives its
values a meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

import numpy as np

from espalier.data.columns.exact_text import number_text
from espalier.data.errors import listed, quoted
from espalier.data.moments import calendar_day, days_until
from espalier.language import say

OPPOSITES = {"le": "gt", "gt": "le", "lt": "ge", "ge": "lt", "in": "out", "out": "in"}
SIGNS = {"le": "≤", "gt": ">", "lt": "<", "ge": "≥"}  # of the relations that need an order
TURNED = {"gt": "<", "ge": "≤"}  # signs of bounds from below, with the bound on the left
MOST_NAMES = 3  # values that words name; of more, the first two and their number


class FilterError(ValueError):
    """Error of rows that cannot be taken: its text says what is wrong, where, and what to do about it.

    >>> Condition("mass", "gt", ("2",)).mask({"size": Column(np.array([1.0, 3.0]))})
    Traceback (most recent call last):
    ...
    espalier.data.rows.conditions.FilterError: There is no column “mass” in this table. Its columns are “size”...
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
        shown = list(self.values if len(self.values) <= MOST_NAMES else self.values[: MOST_NAMES - 1])
        more = len(self.values) - len(shown)
        shown += [say("{n} more", n=more)] if more else []
        if self.relation == "out":
            return self._or_missing(say("{name} is not {value}", name=self.column, value=_joined(shown)))
        shown += [say("missing")] if self.missing else []
        return say("{name} is {value}", name=self.column, value=_joined(shown))

    def makes_range_with(self, other: Condition) -> bool:
        """Whether one of both is a bound from below and the other from above, of the same column."""
        there = self.column == other.column and self.missing == other.missing
        return there and {self.relation, other.relation} <= SIGNS.keys() and self.is_lower != other.is_lower

    @property
    def is_lower(self) -> bool:
        """Whether it is a bound from below."""
        return self.relation in TURNED

    def range_words(self, other: Condition) -> str:
        """Return the range between this bound and the other one as a person reads it.

        >>> Condition("age", "le", ("65",)).range_words(Condition("age", "gt", ("18",)))
        '18 < age ≤ 65'
        """
        low, high = (self, other) if self.is_lower else (other, self)
        words = f"{low.values[0]} {TURNED[low.relation]} {self.column} {SIGNS[high.relation]} {high.values[0]}"
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
                    "There is no column {name} in this table. Its columns are {columns}; choose one of them.",
                    name=quoted(self.column),
                    columns=listed([quoted(name) for name in columns]),
                )
            )
        known = np.isin(column.values, [self._number(text, column) for text in self.values])
        if self.relation in SIGNS:
            known = self._compared(column)
        elif self.relation == "out":
            known = ~known
        return np.where(np.isnan(column.values), self.missing, known)

    def _compared(self, column: Column) -> np.ndarray:
        if not column.has_order:
            raise FilterError(
                say(
                    "The categories of {name} have no order, so that none is {sign} another. Choose the ones to "
                    "keep instead.",
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
                        "The column {name} has no category {value}. It has {values}; choose some of them.",
                        name=quoted(self.column),
                        value=quoted(text),
                        values=listed([quoted(name) for name in column.categories]),
                    )
                )
            return float(column.categories.index(text))
        number = column.number(text)
        if not np.isfinite(number) and column.since is not None:
            raise FilterError(
                say(
                    "{text} is no date, and the column {name} has dates. Give one, such as 2021-03-31.",
                    text=quoted(text),
                    name=quoted(self.column),
                )
            )
        if not np.isfinite(number):
            raise FilterError(
                say(
                    "{text} is no number, and the column {name} has numbers. Give one, such as 2.5.",
                    text=quoted(text),
                    name=quoted(self.column),
                )
            )
        return number


def day_text(number: float, since: int) -> str:
    """Return the date of a whole number of days since a day (`moments.first_day`); of another the number.

    >>> day_text(18717.0, 0), day_text(0.5, 0)
    ('2021-03-31', '0.5')
    """
    day = calendar_day(number, since) if number == round(number) else None
    return number_text(number) if day is None or days_until(day, since) != number else day.isoformat()


def _joined(names: list[str]) -> str:
    return say("{first} or {last}", first=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]
