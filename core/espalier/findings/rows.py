"""Rows that stand in the table several times: whole, or but for one column.

Of coarse values equal rows are no wonder, but then there are as many rows that differ in one column alone; rows
that were copied have no such neighbours. So the check asks of the rows that are there more than once, or have such
a neighbour, whether too many have no neighbour (a sign test). All features of a column of dates are one column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from espalier.data.dataset import Dataset, column_parts
from espalier.findings.finding import (
    ALIKE_ROWS,
    ALPHA,
    GROUPS,
    IDENTIFIER,
    NEAR_ROWS,
    ORDER,
    SAME_ROWS,
    SERIES,
    Finding,
    Inspection,
    cell_keys,
    column_keys,
    measured_features,
    row_keys,
    squash,
)

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
    equal = _equal_rows(table, row_keys(table.dataset), _columns(table.dataset))
    if equal.is_odd(ALPHA):
        yield _finding(table, SAME_ROWS, (), equal)


def alike_rows(table: Inspection) -> Iterator[Finding]:
    """Yield the column that is all that distinguishes many rows from others."""
    data = table.dataset
    columns, keys = _columns(data), row_keys(data)
    n_with_mates = {}
    for place in table.steps(len(columns) - 1):
        n_with_mates[columns[place]] = len(_shared_keys(keys - column_keys(data, columns[place]), keys))
    candidates = sorted((c for c in n_with_mates if n_with_mates[c]), key=lambda c: -n_with_mates[c])[:MOST_TRIED]
    for column in candidates:
        if table.progress.is_stopped:
            return
        rest = keys - column_keys(data, column)
        equal = _equal_rows(table, rest, [other for other in columns if other != column], keys)
        if equal.is_odd(table.level):
            yield _finding(table, ALIKE_ROWS, column[:1], equal)


def _columns(dataset: Dataset) -> list[tuple[int, ...]]:
    """Return the features of each column of the table, and last the target, as the number past all features."""
    parts: dict[str | int, list[int]] = {}
    for f, feature in enumerate(dataset.features):
        parts.setdefault(f if feature.moment is None else feature.moment.column, []).append(f)
    return [*map(tuple, parts.values()), (len(dataset.features),)]


def _equal_rows(
    table: Inspection, keys: np.ndarray, columns: Sequence[tuple[int, ...]], unlike: np.ndarray | None = None
) -> EqualRows:
    """Return the rows with the same key as one of another unit; where `unlike` is given, they differ in that.

    `keys` (n_samples,) are those of the cells of `columns`, each given by its features.
    """
    _, first = np.unique(keys, return_index=True)
    repeated_keys = _shared_keys(keys, table.units)
    if unlike is not None:
        repeated_keys = np.intersect1d(repeated_keys, _shared_keys(keys, unlike))
    if not len(repeated_keys) or len(columns) < 2:
        return EqualRows(np.empty(0, np.int64), np.empty(0, np.uint64), 0, 0)
    different = keys[first]
    has_neighbour = np.zeros(len(first), dtype=bool)
    for column in columns:
        if table.progress.is_stopped:
            break
        rest = different - column_keys(table.dataset, column)[first]
        has_neighbour |= _among(rest, _shared_keys(rest, different))
    lonely = int(np.count_nonzero(_among(different, repeated_keys) & ~has_neighbour))
    rows = np.flatnonzero(_among(keys, repeated_keys))
    rows = rows[np.argsort(keys[rows], kind="stable")]
    return EqualRows(rows, keys[rows], lonely, int(np.count_nonzero(has_neighbour)))


def _among(keys: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return which keys are among others, all uint64; with a table of places NumPy 2.0 fails on the large ones."""
    return np.isin(keys, some, kind="sort")


def _shared_keys(keys: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Return the keys (n,) that occur with several of the `marks` (n,), each once, ascending."""
    order = np.lexsort((marks, keys))
    keys, marks = keys[order], marks[order]
    is_shared = (keys[1:] == keys[:-1]) & (marks[1:] != marks[:-1])
    return np.unique(keys[1:][is_shared])


def _finding(table: Inspection, kind: str, columns: tuple[int, ...], equal: EqualRows) -> Finding:
    is_held = table.held[equal.rows]
    on_both_sides = np.intersect1d(equal.keys[is_held], equal.keys[~is_held])
    n_parted = int(np.count_nonzero(is_held & _among(equal.keys, on_both_sides)))
    first = _among(equal.keys, on_both_sides) if n_parted else np.ones(len(equal.rows), dtype=bool)
    figures = {"n": len(equal.rows), "n_parted": n_parted, "n_held": int(table.held.sum())}
    return Finding(kind, columns, tuple(equal.rows[first][: 2 * MOST_PAIRS].tolist()), figures)


RATIO = 0.05  # of the distances to the nearest row and the next one
MOST_ASKED = 500  # rows whose neighbours are looked for
AT_ONCE = 20_000_000  # distances at a time


def near_rows(table: Inspection) -> Iterator[Finding]:
    """Yield that many rows have a twin that is equal but for a trifle in several numbers.

    Of rows that are drawn independently of each other, the nearest is nearer than `RATIO` times the next with a
    chance of at most `RATIO`, whatever their density, as long as it is smooth: in m dimensions the chance is
    `RATIO` ** m. Both of a pair count as one.
    """
    data = table.dataset
    columns = measured_features(data)
    if len(columns) < 2 or len(data.y) < 4:
        return
    points = np.column_stack([squash(data.X[:, column]) for column in columns])
    if not data.is_classification:
        points = np.column_stack([points, squash(data.y)])
    rows, nearest, ratio = _neighbours(points, np.unique(row_keys(table.dataset), return_index=True)[1], table)
    # that differ in one number alone, `alike_rows` looks at
    n_differences = np.count_nonzero(points[rows] != points[nearest], axis=1)
    is_twin = (ratio < RATIO) & (n_differences > 1) & _agree(table, columns, rows, nearest)
    n_asked, n_twins = len(rows) // 2, int(np.count_nonzero(is_twin)) // 2
    if n_asked and float(stats.binomtest(n_twins, n_asked, RATIO, "greater").pvalue) < ALPHA:
        pairs = np.unique(np.sort(np.column_stack([rows, nearest])[is_twin], axis=1), axis=0)
        figures = {"share": float(is_twin.mean()), "n_asked": len(rows)}
        yield Finding(NEAR_ROWS, (), tuple(pairs[:MOST_PAIRS].ravel().tolist()), figures)


def _neighbours(
    points: np.ndarray, rows: np.ndarray, table: Inspection
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first of these rows, the nearest to each among all and of other units, and how near it is.

    That is the ratio of its distance to that of the next one, 0 to 1; (n_asked,) each.
    """
    sources, every = rows[:MOST_ASKED], points[rows]
    units, square = table.units, (every**2).sum(axis=1)
    nearest, ratio = [], []
    many = max(AT_ONCE // len(rows), 1)
    n_parts = -(-len(sources) // many)
    for part in table.steps(n_parts):
        some = sources[part * many : (part + 1) * many]
        apart = (points[some] ** 2).sum(axis=1)[:, None] + square - 2 * points[some] @ every.T
        apart[units[some][:, None] == units[rows]] = np.inf
        apart = np.sqrt(np.maximum(apart, 0.0))
        two = np.argpartition(apart, 1, axis=1)[:, :2]
        far = np.take_along_axis(apart, two, axis=1)
        nearest.append(rows[two[np.arange(len(some)), far.argmin(axis=1)]])
        low, high = far.min(axis=1), far.max(axis=1)
        ratio.append(np.where(np.isfinite(high) & (high > 0), low / np.where(high > 0, high, 1.0), 1.0))
    n = sum(len(part) for part in nearest)
    return sources[:n], np.concatenate([*nearest, sources[:0]]), np.concatenate([*ratio, np.empty(0)])


def _agree(table: Inspection, columns: list[int], rows: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """Return whether each row and its nearest are equal in all but the measured columns, (n_asked,) bool."""
    data = table.dataset
    rest = [column for column in range(len(data.features)) if column not in columns]
    rest += [len(data.features)] if data.is_classification else []
    equal = np.ones(len(rows), dtype=bool)
    for column in rest:
        keys = cell_keys(data, column)
        equal &= keys[rows] == keys[nearest]
    return equal


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
        if not ticks and not (_numbers_units(x, table) or _are_given_out(x, table.level)):
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


def _numbers_units(x: np.ndarray, table: Inspection) -> bool:
    """Return whether the column has one number for each group, and another one for every group."""
    groups = table.dataset.roles.groups
    if groups is None:
        return False
    pairs = np.unique(np.column_stack([groups.codes, x]), axis=0)
    return len(pairs) == len(np.unique(groups.codes)) and _are_given_out(pairs[:, 1], table.level)


def _are_given_out(x: np.ndarray, level: float) -> bool:
    n, is_integer = len(x), bool((x == np.round(x)).all())
    if not is_integer or len(np.unique(x)) < n:
        return False
    return -n * (n - 1) / (2 * (np.ptp(x) + 1)) < np.log(level)


def _target_depends_on(x: np.ndarray, table: Inspection) -> bool:
    y = table.dataset.y
    if not table.dataset.is_classification:
        if np.ptp(y) == 0:
            return False
        test: Any = stats.spearmanr(x, y)
        return bool(test.pvalue < table.level)
    groups = [x[y == k] for k in np.unique(y)]
    return len(groups) > 1 and float(stats.kruskal(*groups).pvalue) < table.level


def repeated_identifiers(table: Inspection) -> Iterator[Finding]:
    """Yield columns whose equal values join rows that are alike, while those of the next value are not.

    Rows of people of one age are as much alike as those of people a year older; rows of one patient are not like
    those of the patient with the next number. For every other value the check asks whether two of its rows are
    nearer to each other than one of them is to a row of the next value (a sign test over values).
    """
    data = table.dataset
    if data.roles.groups is not None:
        return
    pairs = zip(data.features, data.X.T, strict=True)  # numbers squashed, and codes apart
    points = np.column_stack([x * 10 if feature.categories else squash(x) for feature, x in pairs])
    keys = row_keys(data)
    for column in table.features():
        x = data.X[:, column]
        is_name = data.features[column].is_whole or bool(data.features[column].categories)
        if not is_name or np.isnan(x).any() or not FEW_VALUES <= len(np.unique(x)) <= len(x) / 2:
            continue
        other_columns = np.delete(points, column_parts(data.features, [column]), axis=1)
        n, nearer, rows = _compared_with_next(x, other_columns, keys)
        if n and nearer >= MOSTLY * n and stats.binomtest(nearer, n, 0.5, "greater").pvalue < table.level:
            figures = {"n_values": len(np.unique(x)), "share": nearer / n}
            yield Finding(GROUPS, (column,), tuple(rows[:MOST_SHOWN].tolist()), figures)


def _apart(points: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the distance of each pair of rows: the sum over columns, in each of which it is 1 at most."""
    numbers = np.nan_to_num(points, nan=MISSING)
    return np.minimum(np.abs(numbers[one] - numbers[other]), 1).sum(1)


def _compared_with_next(x: np.ndarray, points: np.ndarray, keys: np.ndarray) -> tuple[int, int, np.ndarray]:
    """Return the number of values compared, of those with alike rows, and the rows of these."""
    order = np.lexsort((keys, x))
    starts = np.flatnonzero(np.r_[True, np.diff(x[order]) != 0])
    sizes = np.diff(np.r_[starts, len(x)])
    even = np.arange(0, len(starts) - 1, 2)
    even = even[sizes[even] > 1]
    first, second, other = order[starts[even]], order[starts[even] + 1], order[starts[even + 1]]
    within, beyond = _apart(points, first, second), _apart(points, first, other)
    differ = within != beyond
    is_nearer = (within < beyond)[differ]
    alike = np.column_stack([first, second])[differ][is_nearer].ravel()
    return len(is_nearer), int(is_nearer.sum()), alike


def series(table: Inspection) -> Iterator[Finding]:
    """Yield that rows are like the next one in the file: measured one after the other, or several of each thing.

    In stretches of the file that do not overlap, the distance of the first row to the next is compared with that
    to the row `LAG` further on, over measured numbers (a sign test). A file that is merely sorted by class, or by
    one of several columns, does not make neighbours of rows in this way.
    """
    data = table.dataset
    columns = measured_features(data)
    if data.roles.groups is not None or data.roles.times is not None or len(columns) < 2:
        return
    points = np.column_stack([squash(data.X[:, column]) for column in columns])
    first = np.arange(0, len(data.y) - LAG, LAG + 1)
    near, far = _apart(points, first, first + 1), _apart(points, first, first + LAG)
    differ = near != far
    n, nearer = int(differ.sum()), int((near < far).sum())
    if n and nearer >= MOSTLY * n and stats.binomtest(nearer, n, 0.5, "greater").pvalue < ALPHA:
        rows = tuple(range(min(MOST_SHOWN, len(data.y))))
        yield Finding(SERIES, tuple(columns), rows, {"share": nearer / n, "n": n})
