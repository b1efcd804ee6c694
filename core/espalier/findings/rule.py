"""The best rule of one column for classes: an interval of a number for each class, a class for each category."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

MOST_CELLS = 20_000_000  # different values times classes: more are not looked at


class ColumnRule(NamedTuple):
    """The class that each value of a column stands for."""

    values: np.ndarray  # (n_values,) ascending, nan last: missing is a value of its own
    answers: np.ndarray  # (n_values,) int64 class codes
    counts: np.ndarray  # (n_values, n_classes) weight of the rows it was made of
    usual: int  # the most frequent class
    is_number: bool

    def answer(self, x: np.ndarray) -> np.ndarray:
        """Return the class of each value (n,), int64; of a number that it never saw, that of the nearest.

        Categories that it never saw, and missing values if it saw none, get the most frequent class.
        """
        place = np.clip(np.searchsorted(self.values, x, side="right") - 1, 0, len(self.values) - 1)
        if self.is_number:
            after = np.minimum(place + 1, len(self.values) - 1)
            place = np.where(np.abs(self.values[after] - x) < np.abs(x - self.values[place]), after, place)
        is_there = (self.values[place] == x) | (np.isnan(self.values[place]) & np.isnan(x))
        is_near = self.is_number & ~np.isnan(x) & ~np.isnan(self.values[place])
        return np.where(is_there | is_near, self.answers[place], self.usual)

    def is_right_without(self, x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return whether each row (n,) it was made of is answered right; categories are told from other rows."""
        if self.is_number:
            return self.answer(x) == y
        place = np.searchsorted(self.values, x)
        others = self.counts[place]  # a copy
        rows = np.arange(len(y))
        own = others[rows, y] - weight
        others[rows, y] = -1.0
        return own > np.maximum(others.max(axis=1), 0.0)


def rule_of(
    x: np.ndarray, y: np.ndarray, n_classes: int, is_number: bool, weight: np.ndarray
) -> ColumnRule | None:
    """Return the rule of values x (n,) for classes y (n,) and weights (n,); None where there is too much to count.

    >>> x, y = np.array([1.0, 2.0, 3.0, 4.0, np.nan]), np.array([0, 0, 1, 1, 0])
    >>> rule_of(x, y, 2, True, np.ones(5)).answers.tolist()
    [0, 0, 1, 1, 0]
    """
    values, place = np.unique(x, return_inverse=True)
    if len(values) * n_classes > MOST_CELLS:
        return None
    counts = np.bincount(place * n_classes + y, weight, len(values) * n_classes).reshape(-1, n_classes)
    answers, known = counts.argmax(axis=1), ~np.isnan(values)
    if is_number and known.any():
        answers[known] = _intervals(counts[known])
    return ColumnRule(values, answers, counts, int(counts.sum(axis=0).argmax()), is_number)


def _intervals(counts: np.ndarray) -> np.ndarray:
    """Return the class of each value (m,), an interval for each class, so that most weight (m, K) is right.

    Classes stand in the order of their mean places; with it the intervals are the best there are.
    """
    m, n_classes = counts.shape
    means = (np.arange(m) @ counts) / np.maximum(counts.sum(axis=0), 1e-300)
    order = np.argsort(means, kind="stable")
    right = np.vstack([np.zeros(n_classes), counts[:, order].cumsum(axis=0)])  # [i]: weight of the first i values
    best, starts = right[:, 0], []
    for k in range(1, n_classes):
        ahead = best - right[:, k]  # of class k beginning here
        most = np.maximum.accumulate(ahead)
        starts.append(np.maximum.accumulate(np.where(ahead == most, np.arange(m + 1), 0)))
        best = most + right[:, k]
    answers, end = np.full(m, order[0]), m
    for k in range(n_classes - 1, 0, -1):
        start = starts[k - 1][end]
        answers[start:end] = order[k]
        end = start
    return answers


def log_chance(rule: ColumnRule, sizes: np.ndarray, n_wrong: int) -> float:
    """Return the logarithm of a bound on the chance that a column without meaning does with so few errors.

    `sizes` (n_classes,) are the numbers of rows of each class. Of all orders in which classes may stand, at most
    (orders of the intervals, or classes of the categories) × (which rows are wrong) × (their classes) do so.
    """
    sizes = sizes[sizes > 0]
    n, k, known = sizes.sum(), len(sizes), ~np.isnan(rule.values)
    ways = gammaln(k + 1) + np.log(k) * (~known).sum() if rule.is_number else len(rule.values) * np.log(k)
    wrong = gammaln(n + 1) - gammaln(n_wrong + 1) - gammaln(n - n_wrong + 1) + n_wrong * np.log(max(k - 1, 1))
    return float(ways + wrong - (gammaln(n + 1) - gammaln(sizes + 1).sum()))
