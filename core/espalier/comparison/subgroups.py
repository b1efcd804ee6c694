"""The groups of the rows by a column: its categories, or ranges of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, columns_of
from espalier.data.rows.conditions import Column, Condition
from espalier.data.rows.filters import Filter

MOST_GROUPS = 8  # the largest ones of a column
N_RANGES = 3  # of a column of numbers


class Subgroup(NamedTuple):
    """Rows of one group of a column."""

    rows: Filter
    taken: np.ndarray  # (n_samples,) bool: rows of the group


class Subgroups(NamedTuple):
    """The groups of a column, without those beyond `MOST_GROUPS`."""

    groups: tuple[Subgroup, ...]  # in the order of the column's values; rows without a value last
    n_others: int  # smaller groups that are left out


def subgroups(dataset: Dataset, column: str, n_ranges: int = N_RANGES, cuts: Sequence[float] = ()) -> Subgroups:
    """Return the groups of the rows by a column (`espalier.data.dataset.columns_of`).

    Each category is a group, and each value of a number that has no more than `n_ranges`; other numbers are cut
    into so many ranges of about as many rows each (quantiles), or at `cuts`, ascending: up to the first, above it
    up to the next, and so on. Rows without a value are a group, too. Of more than `MOST_GROUPS` the largest stay.
    Raises FilterError for a column that there is not.

    >>> from espalier.data import samples
    >>> [one.rows.words for one in subgroups(samples.load("iris"), "petal length").groups]
    ['petal length ≤ 1.9', '1.9 < petal length ≤ 4.9', 'petal length > 4.9']
    >>> [one.rows.words for one in subgroups(samples.load("iris"), "petal length", cuts=(2.5,)).groups]
    ['petal length ≤ 2.5', 'petal length > 2.5']
    """
    columns = columns_of(dataset)
    if column not in columns:
        Condition(column, "in", missing=True).mask(columns)  # raises
    there = columns[column]
    conditions = _categories(column, there) if there.categories else _numbers(column, there, n_ranges, cuts)
    conditions.append((Condition(column, "in", missing=True),))
    every = [Subgroup(one, one.mask(columns, len(dataset.y))) for one in (Filter((c,)) for c in conditions)]
    every = [group for group in every if group.taken.any()]
    sizes = np.array([group.taken.sum() for group in every])
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_GROUPS])
    return Subgroups(tuple(every[i] for i in largest), len(every) - len(largest))


def _categories(name: str, column: Column) -> list[tuple[Condition, ...]]:
    return [(Condition(name, "in", (category,)),) for category in column.categories if category]


def _numbers(name: str, column: Column, n_ranges: int, cuts: Sequence[float]) -> list[tuple[Condition, ...]]:
    known = column.values[~np.isnan(column.values)]
    values = np.unique(known)
    if len(values) <= n_ranges and not len(cuts):
        return [(Condition(name, "in", (column.text(float(value)),)),) for value in values]
    quantiles = np.quantile(known, np.arange(1, n_ranges) / n_ranges, method="inverted_cdf") if len(known) else []
    ends = np.unique(cuts if len(cuts) else quantiles)
    texts = [column.text(float(end)) for end in ends if len(cuts) or end < values[-1]]
    above = [(), *((Condition(name, "gt", (text,)),) for text in texts)]
    at_most = [*((Condition(name, "le", (text,)),) for text in texts), ()]
    return [low + high for low, high in zip(above, at_most, strict=True)]
