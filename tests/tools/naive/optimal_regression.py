"""The best regression tree by trying every one of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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


def loss(case: NumberCase, rows: np.ndarray) -> float:
    """Return the weighted squared error of the rows around their mean."""
    y, weight = case.y[rows], case.weight[rows]
    return float((weight * (y - np.average(y, weights=weight)) ** 2).sum())


def least_loss(case: NumberCase, given: np.ndarray, rows: np.ndarray, size: Size) -> float:
    """Return the least loss of all trees of this size on the rows (a mask), with `given` as of `sides`."""
    best = loss(case, rows)
    if not (size.depth and size.splits):
        return best
    for yes in given:
        left, right = rows & yes, rows & ~yes
        if min(left.sum(), right.sum()) < max(size.least, 1):
            continue
        for of_left in range(size.splits):
            budgets = of_left, size.splits - 1 - of_left
            parts = (size._replace(depth=size.depth - 1, splits=budget) for budget in budgets)
            pairs = zip((left, right), parts, strict=True)
            best = min(best, sum(least_loss(case, given, side, part) for side, part in pairs))
            if size.depth == 1:
                break
    return best
