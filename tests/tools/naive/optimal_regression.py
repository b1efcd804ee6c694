"""The best regression tree by trying every one of them, compiled so that trees of depth four are soon tried."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from espalier.data.binarise import answers, quantile_questions


class NumberCase(NamedTuple):
    """A table with a number as target."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray


class Size(NamedTuple):
    """Limits of a tree."""

    depth: int
    splits: int
    least: int = 1  # rows in a leaf


def sides(X: np.ndarray, categorical: np.ndarray) -> np.ndarray:
    """Return which rows answer yes to each different question, (n_questions, n_rows) bool."""
    given = answers(quantile_questions(X, None, categorical, None), X).T
    return np.unique(given, axis=0) if len(given) else given


def least_loss(case: NumberCase, given: np.ndarray, rows: np.ndarray, size: Size) -> float:
    """Return the least loss of all trees of this size on the rows (a mask), with `given` as of `sides`."""
    table = np.ascontiguousarray(given).reshape(-1, len(rows)), case.y.astype(float), case.weight.astype(float)
    return _least_loss(*table, rows, size.depth, size.splits, size.least)


@njit(cache=True)
def _loss(y, weight, rows):
    """Return the weighted squared error of the rows around their mean."""
    here, its = y[rows], weight[rows]
    return (its * (here - (its * here).sum() / its.sum()) ** 2).sum()


@njit(cache=True)
def _least_loss(given, y, weight, rows, depth, splits, least):
    best = _loss(y, weight, rows)
    if not (depth and splits):
        return best
    for k in range(len(given)):
        left, right = rows & given[k], rows & ~given[k]
        if min(left.sum(), right.sum()) < max(least, 1):
            continue
        for of_left in range(splits if depth > 1 else 1):
            part = _least_loss(given, y, weight, left, depth - 1, of_left, least)
            if part < best:
                part += _least_loss(given, y, weight, right, depth - 1, splits - 1 - of_left, least)
                best = min(best, part)
    return best
