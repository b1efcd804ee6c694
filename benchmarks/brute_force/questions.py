"""What the splits of a table may ask, as sets of its rows and of the cells of its grid, by definition alone."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchmarks.brute_force.kernels import Steps


class Column(NamedTuple):
    """The questions about one column, answered by every value that it may have."""

    feature: int
    values: np.ndarray  # (n_values,) float64: numbers ascending, or codes; nan last
    yes: np.ndarray  # (n_questions, n_values) bool
    place: np.ndarray  # (n_rows,) int64: of each row's value


class Asked(NamedTuple):
    """Questions about all columns, in order of the columns."""

    rows: np.ndarray  # (n_questions,) int64
    cells: np.ndarray  # (n_questions,) uint64; zeros where no grid is wanted
    feature: np.ndarray  # (n_questions,) int64
    every_cell: np.uint64


def number_column(feature: int, column: np.ndarray, thresholds: np.ndarray | None) -> Column:
    """Return every question about numbers, or those at some thresholds; missing values answer no, then yes."""
    is_missing = np.isnan(column)
    known = np.unique(column[~is_missing])
    cuts = known[:-1] if thresholds is None else thresholds
    values = np.append(known, np.nan)
    yes = values <= cuts[:, None]
    return _column(feature, column, values, yes, known)


def category_column(feature: int, column: np.ndarray, is_every_set: bool, has_other: bool) -> Column:
    """Return the questions about single categories, or about every set of them.

    Of two sets that part them alike the single category is asked about, else the one without the last category.
    `has_other` adds a value that no row has.
    """
    codes = np.unique(column[~np.isnan(column)])
    other = np.setdiff1d(np.arange(len(codes) + 1), codes)[: int(has_other)]
    values = np.concatenate([codes, other, [np.nan]])
    sets = [{code} for code in (codes if len(codes) > 2 else codes[:1])]
    if is_every_set:
        rest = (some for n in range(2, len(codes) - 1) for some in combinations(codes[:-1].tolist(), n))
        sets = sorted([*sets, *map(set, rest)], key=lambda one: sum(2 ** int(code) for code in one))
    yes = np.array([[value in one for value in values] for one in sets]).reshape(-1, len(values))
    return _column(feature, column, values, yes, codes)


def _column(feature: int, column: np.ndarray, values: np.ndarray, yes: np.ndarray, known: np.ndarray) -> Column:
    is_missing = np.isnan(column)
    if is_missing.any():
        both = np.repeat(yes, 2, axis=0)
        both[1::2, -1] = True
        yes = both if is_missing.all() else np.vstack([both, np.append(np.ones(len(values) - 1, bool), False)])
    place = np.where(is_missing, len(values) - 1, np.searchsorted(known, np.where(is_missing, 0, column)))
    return Column(feature, values, yes, place)


def asked_of(columns: list[Column], n: int, has_grid: bool) -> Asked:
    """Return the questions about `n` rows, and about the cells of the grid of all columns, at most 64 of them."""
    empty = np.empty(0, np.int64)
    bit = np.int64(1) << np.arange(n)
    rows = np.concatenate([empty, *(column.yes[:, column.place] @ bit for column in columns)])
    feature = np.concatenate([empty, *(np.full(len(column.yes), column.feature) for column in columns)])
    cells, everything = np.zeros(len(rows), np.uint64), np.uint64(1)
    if has_grid:
        size = int(np.prod([len(column.values) for column in columns], dtype=np.int64))
        place = _places(columns, size)
        weight = np.uint64(1) << np.arange(size, dtype=np.uint64)
        parts = [column.yes[:, at].astype(np.uint64) @ weight for column, at in zip(columns, place, strict=True)]
        cells = np.concatenate([cells[:0], *parts])
        everything = np.bitwise_or.reduce(weight)
    return Asked(rows, cells, feature, everything)


def grid_of(columns: list[Column], n_features: int) -> np.ndarray:
    """Return a value in each cell, (n_cells, n_features); 0 in columns that nothing is asked about."""
    size = int(np.prod([len(column.values) for column in columns], dtype=np.int64))
    grid = np.zeros((size, n_features))
    for column, at in zip(columns, _places(columns, size), strict=True):
        grid[:, column.feature] = column.values[at]
    return grid


def _places(columns: list[Column], size: int) -> list[np.ndarray]:
    cells, stride, found = np.arange(size), 1, []
    for column in columns:
        found.append(cells // stride % len(column.values))
        stride *= len(column.values)
    return found


def steps_of(columns: list[Column], directions: list[int]) -> Steps:
    """Return which cells lie one above the other in the columns with directions; missing values lie nowhere."""
    size = int(np.prod([len(column.values) for column in columns], dtype=np.int64))
    weight = np.uint64(1) << np.arange(min(size, 64), dtype=np.uint64)
    start, strides, rises, stride = [], [], [], 1
    for column, place in zip(columns, _places(columns, size), strict=True):
        if directions[column.feature]:
            start.append(np.bitwise_or.reduce(weight[place < len(column.values) - 2], initial=np.uint64(0)))
            strides.append(stride)
            rises.append(directions[column.feature] > 0)
        stride *= len(column.values)
    return Steps(np.array(start, np.uint64), np.array(strides, np.uint64), np.array(rises, bool))


def first_of_alike(asked: Asked, n: int, by_cells: bool) -> Asked:
    """Return the questions that part the rows, and of those that part them alike, or opposite, the first.

    With `by_cells` those that part the cells otherwise stay, too.
    """
    everyone, seen, kept = (1 << n) - 1, set(), []
    every = int(asked.every_cell)
    for at, (rows, cells) in enumerate(zip(asked.rows.tolist(), asked.cells.tolist(), strict=True)):
        if rows in (0, everyone):
            continue
        name = min((rows, cells), (everyone ^ rows, every ^ cells)) if by_cells else min(rows, everyone ^ rows)
        if name not in seen:
            seen.add(name)
            kept.append(at)
    return Asked(asked.rows[kept], asked.cells[kept], asked.feature[kept], asked.every_cell)
