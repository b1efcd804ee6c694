"""Weights of samples, as a column of the data says them: how much each sample counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_TOTAL = 1e100  # of all weights: impurities take its third power


class RowWeights(NamedTuple):
    """The column that says how much each sample counts.

    >>> RowWeights("survey weight", np.array([1.0, 2.5])).values.sum()
    np.float64(3.5)
    """

    name: str
    values: np.ndarray  # (n_samples,) float64, none negative or missing, and not all zero


class WeightFault(NamedTuple):
    """The reason why weights cannot be used, and where."""

    what: str  # "negative", "missing", "infinite", "zero" or "beyond"
    rows: np.ndarray  # indices of the samples with the fault; all of them where it is one of the whole column


def fault_of(values: np.ndarray) -> WeightFault | None:
    """Return what is wrong with weights (n_samples,) float64; None if they can be used.

    >>> fault_of(np.array([1.0, -2.0, np.nan])).what
    'missing'
    >>> fault_of(np.array([1.0, -2.0])).rows
    array([1])
    >>> fault_of(np.array([1.0, 0.0])) is None
    True
    """
    faults = {"missing": np.isnan(values), "infinite": np.isinf(values), "negative": values < 0}
    for what, rows in faults.items():
        if rows.any():
            return WeightFault(what, np.flatnonzero(rows))
    everywhere = np.arange(len(values))
    if not values.any():
        return WeightFault("zero", everywhere)
    with np.errstate(over="ignore"):
        is_fine = 1 / MAX_TOTAL <= values.sum() <= MAX_TOTAL
    return None if is_fine else WeightFault("beyond", everywhere)


def row_weights(name: str, values: np.ndarray) -> RowWeights:
    """Return the weights of this column, in the agreed layout.

    Raises ValueError for values (n_samples,) that cannot be weights; it counts rows from 1.

    >>> row_weights("w", np.array([1.0, -2.0]))
    Traceback (most recent call last):
    ...
    ValueError: the weight 'w' is negative in 1 of 2 rows, first in row 2; give every row a number of at least 0...
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"the weights {name!r} have the shape {values.shape}; give one number for each row")
    fault = fault_of(values)
    if fault is None:
        return RowWeights(name, values)
    if fault.what in ("zero", "beyond"):
        said = "is 0 in every row" if fault.what == "zero" else f"sums to {values.sum():.3g} over all rows"
    else:
        n, first = len(fault.rows), int(fault.rows[0]) + 1
        said = f"is {fault.what} in {n} of {len(values)} rows, first in row {first}"
    raise ValueError(
        f"the weight {name!r} {said}; give every row a number of at least 0, at least one of them above 0, with a "
        f"sum of at most {MAX_TOTAL:g}"
    )


def weighted_mean(values: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the mean of values (n,), each counting by its weight (n,), or all the same; nan if nothing counts.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    if not len(values) or (weight is not None and not weight.any()):
        return float("nan")
    return float(np.average(values, weights=weight))


def class_sizes(y: np.ndarray, n_classes: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the number of samples of each class code in y (n,), or their weight, (n_classes,).

    >>> class_sizes(np.array([0, 1, 1]), 3).tolist()
    [1, 2, 0]
    >>> class_sizes(np.array([0, 1, 1]), 3, np.array([0.5, 1.0, 2.0])).tolist()
    [0.5, 3.0, 0.0]
    """
    return np.bincount(y, weight, minlength=n_classes)


def effective_size(weight: np.ndarray) -> float:
    """Return how many equally weighted samples weights (n,) are worth, (Σ w)² / Σ w² (Kish 1965, section 8.2).

    >>> effective_size(np.array([2.0, 2.0])), effective_size(np.array([2.0, 1.0, 1.0, 0.0]))
    (2.0, 2.6666666666666665)
    """
    largest = float(weight.max(initial=0.0))
    if not largest:
        return 0.0
    parts = weight / largest  # so that no square overflows
    return float(parts.sum() ** 2 / (parts**2).sum())


def within_units(weight: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return the part that each row has of its unit, (n,): the weights of a unit sum to 1, or to 0 if all are 0.

    >>> within_units(np.array([1.0, 1.0, 3.0]), np.array([7, 7, 4]))
    array([0.5, 0.5, 1. ])
    """
    _, place = np.unique(unit, return_inverse=True)
    total = np.bincount(place, weight)
    return weight / np.where(total > 0, total, 1.0)[place]
