"""Rows that are nearly equal: much nearer to one row than to all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import stats

from espalier.findings.distances import measured, squashed
from espalier.findings.finding import ALPHA, NEAR_ROWS, Finding, Inspection
from espalier.findings.keys import cell_keys, row_keys

RATIO = 0.05  # of the distances to the nearest row and the next one
MOST_ASKED = 500  # rows whose neighbours are looked for
AT_ONCE = 20_000_000  # distances at a time
MOST_PAIRS = 25  # shown


class Neighbours(NamedTuple):
    """Of some rows the nearest one, and how much nearer it is than the next."""

    rows: np.ndarray  # (n_asked,) indices
    nearest: np.ndarray  # (n_asked,) indices
    ratio: np.ndarray  # (n_asked,) of both distances, 0 to 1


def near_rows(table: Inspection) -> Iterator[Finding]:
    """Yield that many rows have a twin that is equal but for a trifle in several numbers.

    Of rows that are drawn independently of each other, the nearest is nearer than `RATIO` times the next with a
    chance of at most `RATIO`, whatever their density, as long as it is smooth: in m dimensions the chance is
    `RATIO` ** m. Both of a pair count as one.
    """
    data = table.dataset
    columns = measured(data)
    if len(columns) < 2 or len(data.y) < 4:
        return
    points = np.column_stack([squashed(data.X[:, column]) for column in columns])
    if not data.is_classification:
        points = np.column_stack([points, squashed(data.y)])
    found = _neighbours(points, _different(table), table)
    is_twin = (found.ratio < RATIO) & _agree(table, columns, found) & _differ(points, found)
    n_asked, n_twins = len(found.rows) // 2, int(np.count_nonzero(is_twin)) // 2
    if n_asked and float(stats.binomtest(n_twins, n_asked, RATIO, "greater").pvalue) < ALPHA:
        rows, nearest = found.rows[is_twin], found.nearest[is_twin]
        pairs = np.unique(np.sort(np.column_stack([rows, nearest]), axis=1), axis=0)
        figures = {"share": float(is_twin.mean()), "n_asked": len(found.rows)}
        yield Finding(NEAR_ROWS, (), tuple(pairs[:MOST_PAIRS].ravel().tolist()), figures)


def _different(table: Inspection) -> np.ndarray:
    """Return one of each set of equal rows, (n_different,) indices, in an order that their content decides."""
    return np.unique(row_keys(table.dataset), return_index=True)[1]


def _neighbours(points: np.ndarray, rows: np.ndarray, table: Inspection) -> Neighbours:
    """Return the neighbours of the first of these rows, among all of them and of other units."""
    asked, every = rows[:MOST_ASKED], points[rows]
    units, square = table.units, (every**2).sum(axis=1)
    nearest, ratio = [], []
    many = max(AT_ONCE // len(rows), 1)
    n_parts = -(-len(asked) // many)
    for part in table.steps(n_parts):
        some = asked[part * many : (part + 1) * many]
        apart = (points[some] ** 2).sum(axis=1)[:, None] + square - 2 * points[some] @ every.T
        apart[units[some][:, None] == units[rows]] = np.inf
        apart = np.sqrt(np.maximum(apart, 0.0))
        two = np.argpartition(apart, 1, axis=1)[:, :2]
        far = np.take_along_axis(apart, two, axis=1)
        nearest.append(rows[two[np.arange(len(some)), far.argmin(axis=1)]])
        low, high = far.min(axis=1), far.max(axis=1)
        ratio.append(np.where(np.isfinite(high) & (high > 0), low / np.where(high > 0, high, 1.0), 1.0))
    n = sum(len(part) for part in nearest)
    return Neighbours(asked[:n], np.concatenate([*nearest, asked[:0]]), np.concatenate([*ratio, np.empty(0)]))


def _agree(table: Inspection, columns: list[int], found: Neighbours) -> np.ndarray:
    """Return whether each pair is equal in all but the measured columns, (n_asked,) bool."""
    data = table.dataset
    others = [column for column in range(len(data.features)) if column not in columns]
    others += [len(data.features)] if data.is_classification else []
    equal = np.ones(len(found.rows), dtype=bool)
    for column in others:
        keys = cell_keys(data, column)
        equal &= keys[found.rows] == keys[found.nearest]
    return equal


def _differ(points: np.ndarray, found: Neighbours) -> np.ndarray:
    """Return whether each pair differs in several numbers: in one alone, `twins` looks at it."""
    return np.count_nonzero(points[found.rows] != points[found.nearest], axis=1) > 1
