"""Part of a data set: the rows that a filter takes, with the columns, classes and categories of the whole."""

from __future__ import annotations

import numpy as np

from espalier.data.dataset import Dataset, columns_of, make_dataset
from espalier.data.errors import count, counted, quoted
from espalier.data.rows.conditions import FilterError
from espalier.data.rows.filters import Filter
from espalier.data.rows.roles import useful
from espalier.language import Phrase, Title, in_style, say

FEWEST = 2  # rows to tell apart


def mask_of(dataset: Dataset, rows: Filter) -> np.ndarray:
    """Return which rows the filter takes, (n_samples,) bool. Raises FilterError as `Condition.mask` does.

    >>> from espalier.data import samples
    >>> from espalier.data.rows.filters import filter_of
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
    >>> from espalier.data.rows.filters import filter_of
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
                "The filter keeps {rows} of {all}, and a tree needs at least {n}. Widen a condition, take one "
                "away, or join two by “or”.",
                rows=counted(n, "row") if n else say("no row"),
                all=all_rows,
                n=FEWEST,
            )
        )
    values = dataset.y[mask]
    if (values == values[0]).all():
        value = quoted(dataset.classes[values[0]]) if dataset.is_classification else in_style(f"{values[0]:g}")
        raise FilterError(
            say(
                "All {rows} of {all} that the filter keeps have the same {target}, {value}, so that there is "
                "nothing to predict. Widen a condition, or take one away.",
                rows=counted(n, "row"),
                all=count(len(mask)),
                target=target,
                value=value,
            )
        )
    weight = dataset.weights_of(mask)
    if weight is not None and not weight.any():
        raise FilterError(
            say("All {rows} that the filter keeps have weight 0. Widen a condition.", rows=counted(n, "row"))
        )
