"""Columns that count the rows or name what rows belong to, and rows that stand in the file beside their like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from espalier.data.features import column_parts
from espalier.findings.distances import measured, squashed
from espalier.findings.finding import ALPHA, GROUPS, IDENTIFIER, ORDER, SERIES, Finding, Inspection  # fmt: skip
from espalier.findings.keys import row_keys

FOLLOWS = 0.99  # correlation with the place in the file
EVEN = 0.9  # share of equal steps of a clock
LAG = 10  # rows further on: no neighbours any more
MOSTLY = 0.8  # share of neighbours that are more alike
FEW_VALUES = 20  # of an identifier of groups, at least
MISSING = -9.0  # away from all codes and squashed numbers
MOST_SHOWN = 50  # rows


def identifiers(table: Inspection) -> Iterator[Finding]:
    """Yield columns that number the rows, or the groups; with the order of the file where the target follows it.

    Whole numbers that are all different although there are few to choose from are given out, not measured: the
    chance of so many different ones is at most exp(−n (n − 1) / 2 r) for r numbers from the least to the greatest
    (the birthday problem). A clock ticks evenly from row to row.
    """
    for column in table.features():
        x = table.dataset.X[:, column]
        if np.isnan(x).any() or table.dataset.features[column].kind != "number":
            continue
        ticks = len(x) > FEW_VALUES and _ticks(x)
        if not ticks and not (_numbers_units(x, table) or _numbers_rows(x, table)):
            continue
        follows = abs(np.corrcoef(stats.rankdata(x), np.arange(len(x)))[0, 1])
        figures = {"low": x.min(), "high": x.max(), "n": len(x)}
        is_order = follows >= FOLLOWS and _target_depends_on(x, table)
        yield Finding(ORDER if is_order else IDENTIFIER, (column,), (), figures)


def _ticks(x: np.ndarray) -> bool:
    steps = np.diff(x)
    if not (steps > 0).all() and not (steps < 0).all():
        return False
    return bool(np.isclose(steps, np.median(steps)).mean() >= EVEN)


def _numbers_rows(x: np.ndarray, table: Inspection) -> bool:
    return _are_given_out(x, table.level)


def _numbers_units(x: np.ndarray, table: Inspection) -> bool:
    """Return whether the column has one number for each group, and another one for every group."""
    groups = table.dataset.roles.groups
    if groups is None:
        return False
    one = np.unique(np.column_stack([groups.codes, x]), axis=0)
    return len(one) == len(np.unique(groups.codes)) and _are_given_out(one[:, 1], table.level)


def _are_given_out(x: np.ndarray, level: float) -> bool:
    n, whole = len(x), bool((x == np.round(x)).all())
    if not whole or len(np.unique(x)) < n:
        return False
    return -n * (n - 1) / (2 * (np.ptp(x) + 1)) < np.log(level)


def _target_depends_on(x: np.ndarray, table: Inspection) -> bool:
    y = table.dataset.y
    if not table.dataset.is_classification:
        if np.ptp(y) == 0:
            return False
        test: Any = stats.spearmanr(x, y)
        return bool(test.pvalue < table.level)
    by_class = [x[y == k] for k in np.unique(y)]
    return len(by_class) > 1 and float(stats.kruskal(*by_class).pvalue) < table.level


def repeated_identifiers(table: Inspection) -> Iterator[Finding]:
    """Yield columns whose equal values join rows that are alike, while those of the next value are not.

    Rows of people of one age are as much alike as those of people a year older; rows of one patient are not like
    those of the patient with the next number. For every other value the check asks whether two of its rows are
    nearer to each other than one of them is to a row of the next value (a sign test over values).
    """
    data = table.dataset
    if data.roles.groups is not None:
        return
    points = _points(table)
    keys = row_keys(data)
    for column in table.features():
        x = data.X[:, column]
        if not _may_repeat(x, data.features[column].is_whole or bool(data.features[column].categories)):
            continue
        others = np.delete(points, column_parts(data.features, [column]), axis=1)
        n, nearer, rows = _compared_with_next(x, others, keys)
        if n and nearer >= MOSTLY * n and stats.binomtest(nearer, n, 0.5, "greater").pvalue < table.level:
            figures = {"n_values": len(np.unique(x)), "share": nearer / n}
            yield Finding(GROUPS, (column,), tuple(rows[:MOST_SHOWN].tolist()), figures)


def _points(table: Inspection) -> np.ndarray:
    """Return numbers squashed and codes as they are, (n_samples, n_features), for `_apart`."""
    data = table.dataset
    pairs = enumerate(data.features)
    columns = [data.X[:, f] * 10 if one.categories else squashed(data.X[:, f]) for f, one in pairs]
    return np.column_stack(columns)


def _apart(points: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the distance of each pair of rows: the sum over columns, in each of which it is 1 at most."""
    return np.minimum(
        np.abs(np.nan_to_num(points[one], nan=-9.0) - np.nan_to_num(points[other], nan=-9.0)), 1
    ).sum(1)


def _may_repeat(x: np.ndarray, is_name: bool) -> bool:
    if not is_name or np.isnan(x).any():
        return False
    n_values = len(np.unique(x))
    return FEW_VALUES <= n_values <= len(x) / 2


def _compared_with_next(x: np.ndarray, points: np.ndarray, keys: np.ndarray) -> tuple[int, int, np.ndarray]:
    """Return the number of values compared, of those with alike rows, and the rows of these."""
    order = np.lexsort((keys, x))
    starts = np.flatnonzero(np.r_[True, np.diff(x[order]) != 0])
    sizes = np.diff(np.r_[starts, len(x)])
    even = np.arange(0, len(starts) - 1, 2)
    even = even[sizes[even] > 1]
    one, two, other = order[starts[even]], order[starts[even] + 1], order[starts[even + 1]]
    within, beyond = _apart(points, one, two), _apart(points, one, other)
    differ = within != beyond
    is_nearer = (within < beyond)[differ]
    shown = np.column_stack([one, two])[differ][is_nearer].ravel()
    return len(is_nearer), int(is_nearer.sum()), shown


def series(table: Inspection) -> Iterator[Finding]:
    """Yield that rows are like the next one in the file: measured one after the other, or several of each thing.

    In stretches of the file that do not overlap, the distance of the first row to the next is compared with that
    to the row `LAG` further on, over measured numbers (a sign test). A file that is merely sorted by class, or by
    one of several columns, does not make neighbours of rows in this way.
    """
    data = table.dataset
    columns = measured(data)
    if data.roles.groups is not None or data.roles.times is not None or len(columns) < 2:
        return
    points = np.column_stack([squashed(data.X[:, column]) for column in columns])
    first = np.arange(0, len(data.y) - LAG, LAG + 1)
    near, far = _apart(points, first, first + 1), _apart(points, first, first + LAG)
    differ = near != far
    n, nearer = int(differ.sum()), int((near < far).sum())
    if n and nearer >= MOSTLY * n and stats.binomtest(nearer, n, 0.5, "greater").pvalue < ALPHA:
        rows = tuple(range(min(MOST_SHOWN, len(data.y))))
        yield Finding(SERIES, tuple(columns), rows, {"share": nearer / n, "n": n})
