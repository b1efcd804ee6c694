"""Rows that stand in the table several times: whole, or but for one column.

Of coarse values equal rows are no wonder, but then there are as many rows that differ in one column alone; rows
that were copied have no such neighbours. So the check asks of the rows that are there more than once, or have such
a neighbour, whether too many have no neighbour (a sign test). All features of a column of dates are one column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from espalier.data.dataset import Dataset
from espalier.findings.finding import ALIKE_ROWS, ALPHA, SAME_ROWS, Finding, Inspection
from espalier.findings.keys import column_keys, row_keys

MOST_PAIRS = 25  # shown
MOST_TRIED = 3  # columns that rows may differ in, those in which most do


class EqualRows(NamedTuple):
    """Rows that are equal to another one, of another unit."""

    rows: np.ndarray  # (n_repeated,) indices, equal rows side by side
    keys: np.ndarray  # (n_repeated,) of their content, ascending
    lonely: int  # different ones of them without a neighbour that differs in one column more
    near: int  # different rows of the table with such a neighbour

    def is_odd(self, level: float) -> bool:
        """Return whether there are more equal rows than coarse values explain, at this level."""
        n = self.lonely + self.near
        return n > 0 and float(stats.binomtest(self.lonely, n, 0.5, "greater").pvalue) < level


def same_rows(table: Inspection) -> Iterator[Finding]:
    """Yield that rows occur several times, target included; most of all those in training and held-out rows."""
    found = _equal_rows(table, row_keys(table.dataset), _columns(table.dataset))
    if found.is_odd(ALPHA):
        yield _finding(table, SAME_ROWS, (), found)


def alike_rows(table: Inspection) -> Iterator[Finding]:
    """Yield the column that is all that distinguishes many rows from others."""
    data = table.dataset
    columns, keys = _columns(data), row_keys(data)
    n_with_mates = {}
    for place in table.steps(len(columns) - 1):
        n_with_mates[columns[place]] = len(_shared(keys - column_keys(data, columns[place]), keys))
    tried = sorted((c for c in n_with_mates if n_with_mates[c]), key=lambda c: -n_with_mates[c])[:MOST_TRIED]
    for column in tried:
        if table.progress.is_stopped:
            return
        rest = keys - column_keys(data, column)
        found = _equal_rows(table, rest, [other for other in columns if other != column], keys)
        if found.is_odd(table.level):
            yield _finding(table, ALIKE_ROWS, column[:1], found)


def _columns(dataset: Dataset) -> list[tuple[int, ...]]:
    """Return the features of each column of the table, and last the target, as the number past all features."""
    parts: dict[str | int, list[int]] = {}
    for f, one in enumerate(dataset.features):
        parts.setdefault(f if one.moment is None else one.moment.column, []).append(f)
    return [*map(tuple, parts.values()), (len(dataset.features),)]


def _equal_rows(
    table: Inspection, keys: np.ndarray, columns: Sequence[tuple[int, ...]], unlike: np.ndarray | None = None
) -> EqualRows:
    """Return the rows with the same key as one of another unit; where `unlike` is given, they differ in that.

    `keys` (n_samples,) are those of the cells of `columns`, each given by its features.
    """
    _, first = np.unique(keys, return_index=True)
    repeated = _shared(keys, table.units)
    if unlike is not None:
        repeated = np.intersect1d(repeated, _shared(keys, unlike))
    if not len(repeated) or len(columns) < 2:
        return EqualRows(np.empty(0, np.int64), np.empty(0, np.uint64), 0, 0)
    different = keys[first]
    has_neighbour = np.zeros(len(first), dtype=bool)
    for column in columns:
        if table.progress.is_stopped:
            break
        rest = different - column_keys(table.dataset, column)[first]
        has_neighbour |= _among(rest, _shared(rest, different))
    lonely = int(np.count_nonzero(_among(different, repeated) & ~has_neighbour))
    rows = np.flatnonzero(_among(keys, repeated))
    rows = rows[np.argsort(keys[rows], kind="stable")]
    return EqualRows(rows, keys[rows], lonely, int(np.count_nonzero(has_neighbour)))


def _among(keys: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return which keys are among others, all uint64; with a table of places NumPy 2.0 fails on the large ones."""
    return np.isin(keys, some, kind="sort")


def _shared(keys: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the keys (n,) that occur with several of the `others` (n,), each once, ascending."""
    order = np.lexsort((others, keys))
    keys, others = keys[order], others[order]
    is_shared = (keys[1:] == keys[:-1]) & (others[1:] != others[:-1])
    return np.unique(keys[1:][is_shared])


def _finding(table: Inspection, kind: str, columns: tuple[int, ...], found: EqualRows) -> Finding:
    held = table.held[found.rows]
    on_both_sides = np.intersect1d(found.keys[held], found.keys[~held])
    n_parted = int(np.count_nonzero(held & _among(found.keys, on_both_sides)))
    first = _among(found.keys, on_both_sides) if n_parted else np.ones(len(found.rows), dtype=bool)
    figures = {"n": len(found.rows), "n_parted": n_parted, "n_held": int(table.held.sum())}
    return Finding(kind, columns, tuple(found.rows[first][: 2 * MOST_PAIRS].tolist()), figures)
