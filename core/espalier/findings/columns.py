"""Columns that know the target: its copies, columns that alone predict it, or that do so only in training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import gammaln

from espalier.data.dataset import Feature
from espalier.findings.finding import ALONE, COPY, ONLY_TRAINING, Finding, Inspection

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
        counts = self.counts[place]  # a copy
        rows = np.arange(len(y))
        own = counts[rows, y] - weight
        counts[rows, y] = -1.0
        return own > np.maximum(counts.max(axis=1), 0.0)


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
    answers, is_known = counts.argmax(axis=1), ~np.isnan(values)
    if is_number and is_known.any():
        answers[is_known] = _intervals(counts[is_known])
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
    n, k, is_known = sizes.sum(), len(sizes), ~np.isnan(rule.values)
    ways = gammaln(k + 1) + np.log(k) * (~is_known).sum() if rule.is_number else len(rule.values) * np.log(k)
    wrong = gammaln(n + 1) - gammaln(n_wrong + 1) - gammaln(n - n_wrong + 1) + n_wrong * np.log(max(k - 1, 1))
    return float(ways + wrong - (gammaln(n + 1) - gammaln(sizes + 1).sum()))


NEARLY = 0.02  # share of wrong rows
BASELINE_SHARE = 0.1  # as much of the errors without any column
HALF = 0.5  # of those errors: a column that takes away as much knows a lot
MOST_SHOWN = 50  # rows


class RuleErrors(NamedTuple):
    """The rows that the rule of one column, made of training rows, answers right; they count by weight."""

    is_right: np.ndarray  # (n_samples,) bool
    is_usual: np.ndarray  # (n_samples,) bool: of the most frequent class of the training rows
    weight: np.ndarray  # (n_samples,)

    def wrong(self, rows: np.ndarray) -> float:
        """Return the share of wrong rows among these (bool); 0 where there are none."""
        return 1 - _mean(self.is_right, self.weight * rows)

    def explained(self, rows: np.ndarray) -> float:
        """Return the share of the errors without a column that the rule takes away."""
        without = 1 - _mean(self.is_usual, self.weight * rows)
        return 1 - self.wrong(rows) / without if without else 0.0


def class_columns(table: Inspection) -> Iterator[Finding]:
    """Yield what columns know of the class, at most one finding for each."""
    if not table.dataset.is_classification:
        return
    for column in table.features():
        data, training = table.dataset, ~table.held
        is_number = data.features[column].kind in ("number", "ordered")
        x, y, weight = data.X[training, column], data.y[training], _weights(table)[training]
        rule = rule_of(x, y, len(data.classes), is_number, weight) if len(y) else None
        if rule is not None:
            yield from _findings(table, column, rule)


def _findings(table: Inspection, column: int, rule: ColumnRule) -> Iterator[Finding]:
    y = table.dataset.y
    errors, every_row = _errors(table, column, rule), np.ones(len(y), dtype=bool)
    sizes, n_wrong = np.bincount(y), int(np.count_nonzero(~errors.is_right))
    training = ~table.held
    figures = {
        "n": len(y), "n_wrong": n_wrong, "right": 1 - errors.wrong(every_row),
        "training": 1 - errors.wrong(training), "held": 1 - errors.wrong(table.held),
    }  # fmt: skip
    values, place = np.unique(table.dataset.X[:, column], return_inverse=True)
    n_classes, n_pairs = np.count_nonzero(sizes), len(np.unique(place * len(sizes) + y))
    if len(values) == n_classes == n_pairs > 1:  # every class has one value, and every value one class
        if _is_no_chance(rule, sizes, 0, table):
            yield Finding(COPY, (column,), (), figures)
    elif errors.wrong(every_row) <= NEARLY and errors.explained(every_row) >= 1 - BASELINE_SHARE:
        if _is_no_chance(rule, sizes, n_wrong, table):
            rows = tuple(np.flatnonzero(~errors.is_right)[:MOST_SHOWN].tolist())
            yield Finding(ALONE, (column,), rows, figures)
    elif _falls_off(errors, table) and _is_no_chance(
        rule, np.bincount(y[training]), int(np.count_nonzero(~errors.is_right & training)), table
    ):
        yield Finding(ONLY_TRAINING, (column,), (), figures)


def _errors(table: Inspection, column: int, rule: ColumnRule) -> RuleErrors:
    data, weight = table.dataset, _weights(table)
    x, training = data.X[:, column], ~table.held
    is_right = rule.answer(x) == data.y
    is_right[training] = rule.is_right_without(x[training], data.y[training], weight[training])
    return RuleErrors(is_right, data.y == rule.usual, weight)


def _is_no_chance(rule: ColumnRule, sizes: np.ndarray, n_wrong: int, table: Inspection) -> bool:
    return log_chance(rule, sizes, n_wrong) < np.log(table.level)


def _falls_off(errors: RuleErrors, table: Inspection) -> bool:
    """Return whether a column knows a lot in training and much less of the rows held out (Fisher's test)."""
    held_out = table.held
    share, left = errors.explained(~held_out), errors.explained(held_out)
    if share < HALF or left > HALF * share or not held_out.any():
        return False
    right = [np.count_nonzero(errors.is_right & rows) for rows in (~held_out, held_out)]
    wrong = [np.count_nonzero(~errors.is_right & rows) for rows in (~held_out, held_out)]
    test: Any = stats.fisher_exact([right, wrong], alternative="greater")
    return bool(test.pvalue < table.level)


def _weights(table: Inspection) -> np.ndarray:
    weights = table.dataset.weights
    return np.ones(len(table.held)) if weights is None else weights


def _mean(is_so: np.ndarray, weight: np.ndarray) -> float:
    total = weight.sum()
    return float(weight[is_so].sum() / total) if total else 1.0


EXACT = 1e-9  # share of the variance that rounding may leave
FEW = 20  # rows with a value: fewer say nothing


def number_columns(table: Inspection) -> Iterator[Finding]:
    """Yield what columns know of a number to predict, at most one finding for each."""
    data = table.dataset
    if data.is_classification:
        return
    for column in table.features():
        feature, x = data.features[column], data.X[:, column]
        share = explained_share(x, data.y, feature)
        training_share, held_share = (
            explained_share(x[rows], data.y[rows], feature) for rows in (~table.held, table.held)
        )
        figures = {"n": len(data.y), "right": share, "training": training_share, "held": held_share}
        if _is_multiple(x, data.y, feature):
            yield Finding(COPY, (column,), (), figures)
        elif share >= 1 - NEARLY:
            yield Finding(ALONE, (column,), (), figures)
        elif training_share >= HALF and held_share < HALF * training_share and _correlation_falls(x, table):
            yield Finding(ONLY_TRAINING, (column,), (), figures)


def explained_share(x: np.ndarray, y: np.ndarray, feature: Feature) -> float:
    """Return the share of the variance of y (n,) that the feature's values x (n,) alone explain, 0 to 1.

    Of numbers it is the square of the greater of Pearson's and Spearman's correlation, of categories the adjusted
    η² (Ezekiel 1930). Rows without a value count as not explained; fewer than `FEW` values explain nothing.

    >>> x = np.arange(50.0)
    >>> explained_share(x, -3 * x, Feature("x"))
    1.0
    """
    is_known = ~np.isnan(x)
    if is_known.sum() < FEW or np.ptp(y[is_known]) == 0 or np.ptp(x[is_known]) == 0:
        return 0.0
    part = y[is_known].var() * is_known.sum() / max(y.var() * len(y), 1e-300)
    if feature.kind == "category":
        return round(part * _eta_squared(x[is_known], y[is_known]), 12)
    linear = np.corrcoef(x[is_known], y[is_known])[0, 1]
    monotone = _spearman(x[is_known], y[is_known])
    return round(float(min(part, 1.0) * max(linear**2, monotone**2)), 12)


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(stats.rankdata(x), stats.rankdata(y))[0, 1])


def _eta_squared(x: np.ndarray, y: np.ndarray) -> float:
    codes = x.astype(np.int64)
    sizes = np.bincount(codes)
    means = np.bincount(codes, y) / np.maximum(sizes, 1)
    n, m = len(y), np.count_nonzero(sizes)
    left = ((y - means[codes]) ** 2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-300)
    return max(1 - left * (n - 1) / (n - m), 0.0) if n > m else 0.0


def _is_multiple(x: np.ndarray, y: np.ndarray, feature: Feature) -> bool:
    """Return whether the target is the column times a number plus a number, where both are known."""
    is_known = ~np.isnan(x)
    if feature.kind == "category" or is_known.sum() < max(FEW, len(y) / 2) or np.ptp(x[is_known]) * np.ptp(y) == 0:
        return False
    return bool(1 - np.corrcoef(x[is_known], y[is_known])[0, 1] ** 2 < EXACT)


def _correlation_falls(x: np.ndarray, table: Inspection) -> bool:
    """Return whether the correlation with the target differs between the parts (Fisher's z; Fisher 1921)."""
    y, is_known = table.dataset.y, ~np.isnan(x)
    z, spread = [], 0.0
    for rows in (~table.held & is_known, table.held & is_known):
        if rows.sum() < FEW or np.ptp(x[rows]) == 0 or np.ptp(y[rows]) == 0:
            return False
        z.append(np.arctanh(np.clip(_spearman(x[rows], y[rows]), -1 + EXACT, 1 - EXACT)))
        spread += 1.06 / (rows.sum() - 3)  # of Spearman's coefficient (Fieller, Hartley & Pearson 1957)
    return float(2 * stats.norm.sf(abs(z[0] - z[1]) / spread**0.5)) < table.level
