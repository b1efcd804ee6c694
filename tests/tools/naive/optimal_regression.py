"""The best regression tree by trying every one of them; and the best one that keeps to directions.

Of a split on a column with a direction, no leaf of the one side may have more than any leaf of the other. The best
values in such an order are equal in parts of the leaves, and of each part they are its mean, or a median.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import answers, quantile_questions


class NumberCase(NamedTuple):
    """A table with a number as target."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    is_absolute: bool
    shrinkage: float | None = None  # of the lines in leaves; None: leaves have constants


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
    """Return the weighted error of the rows around their mean or median."""
    y, weight = case.y[rows], case.weight[rows]
    if case.shrinkage is not None:
        return min(line_loss(case, rows, column) for column in range(case.X.shape[1]))
    if not case.is_absolute:
        return float((weight * (y - np.average(y, weights=weight)) ** 2).sum())
    return min(float((weight * np.abs(y - middle)).sum()) for middle in y)


def line_loss(case: NumberCase, rows: np.ndarray, column: int) -> float:
    """Return the weighted squared error of a line over the column, and its penalty, by least squares."""
    x = case.X[:, column]
    x = np.where(np.isnan(x), np.average(x[~np.isnan(x)], weights=case.weight[~np.isnan(x)]), x)
    variance = np.average((x - np.average(x, weights=case.weight)) ** 2, weights=case.weight)
    root, bar = np.sqrt(case.weight[rows]), np.sqrt((case.shrinkage or 0.0) * variance)
    left = np.vstack([np.column_stack([root, root * x[rows]]), [0.0, bar]])
    right = np.append(root * case.y[rows], 0.0)
    answer = np.linalg.lstsq(left, right, rcond=None)[0]
    return float(((left @ answer - right) ** 2).sum())


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


# ---- with directions


class AnswerSide(NamedTuple):
    """Which rows answer yes to a question, and the direction of a split on it."""

    yes: np.ndarray
    direction: int


class OrderedTree(NamedTuple):
    """The rows of each leaf, pairs of leaves of which the first may not have more, and the number of splits."""

    leaves: list[np.ndarray]
    pairs: list[tuple[int, int]]
    n_splits: int


def directed_sides(X: np.ndarray, categorical: np.ndarray, directions: list[int]) -> list[AnswerSide]:
    """Return what each question says; one that asks only whether the value is known has no direction."""
    asked = quantile_questions(X, None, categorical, None)
    given = answers(asked, X).T
    sides = {
        (yes.tobytes(), direction): AnswerSide(yes, direction)
        for yes, feature, at in zip(given, asked.feature, asked.threshold, strict=True)
        for direction in [directions[feature] if np.isfinite(at) else 0]
    }
    return list(sides.values())


def least_ordered(case: NumberCase, sides: list[AnswerSide], size: Size) -> float:
    """Return the least loss of all trees of this size that keep to the directions."""
    best = np.inf
    for tree in _trees(sides, np.ones(len(case.y), bool), size):
        if sum(loss(case, leaf) for leaf in tree.leaves) < best:
            best = min(best, _in_order(case, tree))
    return best


def _trees(sides: list[AnswerSide], rows: np.ndarray, size: Size) -> Iterator[OrderedTree]:
    yield OrderedTree([rows], [], 0)
    if not (size.depth and size.splits):
        return
    smaller = size._replace(depth=size.depth - 1, splits=size.splits - 1)
    for side in sides:
        parts = rows & side.yes, rows & ~side.yes
        if min(part.sum() for part in parts) < max(size.least, 1):
            continue
        for left, right in product(*(list(_trees(sides, part, smaller)) for part in parts)):
            if left.n_splits + right.n_splits < size.splits:
                yield _together(left, right, side.direction)


def _together(left: OrderedTree, right: OrderedTree, direction: int) -> OrderedTree:
    n = len(left.leaves)
    across = list(product(range(n), range(n, n + len(right.leaves)))) if direction else []
    across = across if direction > 0 else [(b, a) for a, b in across]
    moved = [(a + n, b + n) for a, b in right.pairs]
    return OrderedTree(left.leaves + right.leaves, left.pairs + moved + across, left.n_splits + right.n_splits + 1)


def _in_order(case: NumberCase, tree: OrderedTree) -> float:
    best = np.inf
    for parts in _partitions(list(range(len(tree.leaves)))):
        rows = [np.any([tree.leaves[leaf] for leaf in part], axis=0) for part in parts]
        of_leaf = {leaf: at for at, part in enumerate(parts) for leaf in part}
        for values in product(*(_middles(case, part) for part in rows)):
            if all(values[of_leaf[a]] <= values[of_leaf[b]] + 1e-12 for a, b in tree.pairs):
                best = min(best, sum(_error(case, part, at) for part, at in zip(rows, values, strict=True)))
    return best


def _partitions(leaves: list[int]) -> Iterator[list[list[int]]]:
    if not leaves:
        yield []
        return
    first, rest = leaves[0], leaves[1:]
    for parts in _partitions(rest):
        yield [[first], *parts]
        for at, part in enumerate(parts):
            yield [*parts[:at], [first, *part], *parts[at + 1 :]]


def _middles(case: NumberCase, rows: np.ndarray) -> list[float]:
    """Return the mean, or the least and the greatest median among the targets."""
    y, weight = case.y[rows], case.weight[rows]
    if not case.is_absolute:
        return [float(np.average(y, weights=weight))]
    errors = np.array([(weight * np.abs(y - at)).sum() for at in y])
    medians = y[errors <= errors.min() + 1e-9]
    return sorted({float(medians.min()), float(medians.max())})


def _error(case: NumberCase, rows: np.ndarray, value: float) -> float:
    away = np.abs(case.y[rows] - value)
    return float((case.weight[rows] * (away if case.is_absolute else away**2)).sum())
