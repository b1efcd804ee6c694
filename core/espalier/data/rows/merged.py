"""Conditions that are joined by "and", without those that others of the same column already imply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from espalier.data.rows.conditions import Column, Condition

LOWER, UPPER = ("gt", "ge"), ("lt", "le")


def merged(conditions: Sequence[Condition], columns: Mapping[str, Column]) -> tuple[Condition, ...]:
    """Return conditions that the same rows fulfil: of several bounds of a column of numbers the tightest.

    Of several sets of values that a column must be in, the values in all of them.

    >>> import numpy as np
    >>> age = {"age": Column(np.array([2.0, 4.0, 6.0]))}
    >>> older = [Condition("age", "gt", ("3",)), Condition("age", "gt", ("5",), missing=True)]
    >>> [one.words for one in merged(older, age)]
    ['age > 5']
    """
    found: list[Condition] = []
    for condition in conditions:
        place = next((i for i, one in enumerate(found) if _both(one, condition, columns) is not None), None)
        if place is None:
            found.append(condition)
        else:
            both = _both(found[place], condition, columns)
            found[place] = condition if both is None else both
    return tuple(found)


def _both(one: Condition, other: Condition, columns: Mapping[str, Column]) -> Condition | None:
    """Return the one condition that says what both say; None where it takes two."""
    column = columns.get(one.column)
    if column is None or one.column != other.column or not (one.values and other.values):
        return None
    missing = one.missing and other.missing
    if one.relation == other.relation == "in":
        values = tuple(value for value in one.values if value in other.values)
        return one._replace(values=values, missing=missing) if values else None
    bounds = next((kind for kind in (LOWER, UPPER) if {one.relation, other.relation} <= set(kind)), None)
    if bounds is None or column.categories:
        return None
    return _tighter(one, other, column, 1 if bounds is LOWER else -1)._replace(missing=missing)


def _tighter(one: Condition, other: Condition, column: Column, sign: int) -> Condition:
    """Return the bound that fewer numbers fulfil; `sign` is 1 for bounds from below, -1 for those from above."""
    return max(
        one, other, key=lambda bound: (sign * column.number(bound.values[0]), bound.relation in ("gt", "lt"))
    )
