"""Data sets made of another by its rows: those that a filter takes, or with other groups or times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset, columns_of, make_dataset
from espalier.data.errors import count, counted, listed, quoted
from espalier.data.filters import Filter, FilterError
from espalier.data.roles import RowGroups, RowRoles, RowTimes, row_groups, row_times, useful
from espalier.language import Phrase, Refusal, Title, in_style, say

FEWEST = 2  # rows to tell apart


def mask_of(dataset: Dataset, rows: Filter) -> np.ndarray:
    """Return which rows the filter takes, (n_samples,) bool. Raises FilterError as `Condition.mask` does.

    >>> from espalier.data import samples
    >>> from espalier.data.filters import filter_of
    >>> int(mask_of(samples.load("iris"), filter_of("petal length~gt~2")).sum())
    100
    """
    return rows.mask(columns_of(dataset), len(dataset.y))


def subset(dataset: Dataset, rows: Filter) -> Dataset:
    """Return the rows that the filter takes as a data set of its own, whose name says so.

    Codes of classes, categories and groups stay as they are, so that a tree of all rows fits the part, too. A role
    without a use for these rows alone, such as groups of which one is left, is left out (`useful`). Raises
    FilterError where the filter does not fit the table, or takes too few rows, or rows with one target only.

    >>> from espalier.data import samples
    >>> from espalier.data.filters import filter_of
    >>> large = subset(samples.load("iris"), filter_of("petal length~gt~2"))
    >>> large.name, large.classes
    ('Iris flowers, petal length > 2 (100 of 150 rows)', ('setosa', 'versicolor', 'virginica'))
    """
    mask = mask_of(dataset, rows)
    if mask.all():
        return dataset
    check_part(dataset, mask)
    sizes = {"n": int(mask.sum()), "all": len(mask)}
    name = Phrase("{name}, {filter} ({n} of {all} rows)", {"name": dataset.name, "filter": rows, **sizes})
    weights = dataset.row_weights
    return make_dataset(
        Title(name),
        dataset.X[mask],
        dataset.features,
        dataset.y[mask],
        dataset.target,
        None if weights is None else weights._replace(values=weights.values[mask]),
        useful(dataset.roles.of(mask)),
    )


def check_part(dataset: Dataset, mask: np.ndarray) -> None:
    """Raise FilterError if the rows of this mask are too few, or have nothing to tell apart, or do not count."""
    n, all_rows = int(mask.sum()), counted(len(mask), "row")
    target = quoted(dataset.target.name)
    if n < FEWEST:
        raise FilterError(
            say(
                "{rows} of {all} left: a tree needs at least {n}. Widen the condition.",
                rows=count(n),
                all=all_rows,
                n=FEWEST,
            )
        )
    values = dataset.y[mask]
    if (values == values[0]).all():
        value = quoted(dataset.classes[values[0]]) if dataset.is_classification else in_style(f"{values[0]:g}")
        raise FilterError(
            say(
                "{rows} of {all} left, all with the same {target}, {value}: there is nothing to predict. Widen "
                "the condition.",
                rows=count(n),
                all=all_rows,
                target=target,
                value=value,
            )
        )
    weight = dataset.weights_of(mask)
    if weight is not None and not weight.any():
        raise FilterError(say("All {rows} left have weight 0. Widen the condition.", rows=counted(n, "row")))


# ---- groups and times that are given with a data set, by the names of its columns or by their values

RowColumn: TypeAlias = str | Sequence[Any] | np.ndarray | None  # a feature's name, or a value for each sample


def with_roles(dataset: Dataset, groups: RowColumn = None, time: RowColumn = None) -> Dataset:
    """Return the data with these groups and times of their samples; those that it has stay where none are given.

    Each is the name of a feature, which then is a feature no more, or has a value for each sample: of times
    numbers or dates. Raises ValueError for a name that no feature has, for another number of values, and for what
    cannot be a group or a time (`row_groups`, `row_times`).

    >>> from espalier.data import samples
    >>> wine = with_roles(samples.load("wine"), time="proline")
    >>> len(wine.features), wine.roles.times.name
    (12, 'proline')
    >>> with_roles(samples.load("iris"), groups=np.arange(150) // 5).roles.groups.n_groups
    30
    """
    if groups is None and time is None:
        return dataset
    roles = dataset.roles
    if groups is not None:
        roles = roles._replace(groups=_groups(dataset, groups))
    if time is not None:
        roles = roles._replace(times=_times(dataset, time))
    stays = [i for i, feature in enumerate(dataset.features) if feature.name not in _names(groups, time)]
    features = [dataset.features[i] for i in stays]
    return make_dataset(
        dataset.name, dataset.X[:, stays], features, dataset.y, dataset.target, dataset.row_weights, roles
    )


def roles_by(groups: RowColumn = None, time: RowColumn = None) -> RowRoles:
    """Return roles from a value for each sample. Raises ValueError as `with_roles`, and for names of columns.

    >>> roles_by(groups=["ann", "bob", "ann"]).groups.codes.tolist()
    [0, 1, 0]
    """
    if names := _names(groups, time):
        raise Refusal("there are no columns here, such as “{name}”; give a value for each row", name=names[0])
    return RowRoles(
        None if groups is None else row_groups("group", groups),
        None if time is None else times_of("time", np.asarray(time)),
    )


def times_of(name: str, values: np.ndarray) -> RowTimes:
    """Return the times of numbers or dates (n_samples,). Raises ValueError as `row_times` does.

    >>> times_of("day", np.array(["1970-01-02", "1970-01-03"], "datetime64[D]")).values.tolist()
    [1.0, 2.0]
    """
    if values.dtype.kind != "M":
        return row_times(name, values.astype(np.float64))
    days = values.astype("datetime64[us]")
    numbers = np.where(np.isnat(days), np.nan, days.astype(np.int64) / 86_400e6)
    return row_times(name, numbers, is_date=True)


def _names(*columns: RowColumn) -> list[str]:
    return [column for column in columns if isinstance(column, str)]


def _groups(dataset: Dataset, groups: RowColumn) -> RowGroups:
    if not isinstance(groups, str):
        assert groups is not None
        return row_groups("group", groups)
    values, categories = _column(dataset, groups)
    texts = [None if np.isnan(value) else categories[int(value)] if categories else value for value in values]
    return row_groups(groups, texts)


def _times(dataset: Dataset, time: RowColumn) -> RowTimes:
    if not isinstance(time, str):
        return times_of("time", np.asarray(time))
    values, categories = _column(dataset, time)
    if categories:
        raise Refusal("“{name}” has categories, which are no times; choose numbers or dates", name=time)
    return row_times(time, values)


def _column(dataset: Dataset, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
    for values, feature in zip(dataset.X.T, dataset.features, strict=True):
        if feature.name == name:
            return values, feature.categories
    there = listed([quoted(feature.name) for feature in dataset.features])
    raise Refusal("no feature is named “{name}”; there are {names}", name=name, names=there)
